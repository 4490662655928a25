//! Ciphertexts: files, and their bytes.

use std::ffi::c_char;

use crate::pointers::{Place, array, free, read, text};
use crate::status::{Status, call};

/// Encrypted values of variables: what a program takes.
pub struct Inputs(pub(crate) blindcore::Inputs);
/// Encrypted values of variables: what a program left.
pub struct Outputs(pub(crate) blindcore::Outputs);
/// Bytes that this library made.
pub struct Bytes(pub(crate) Vec<u8>);

/// Points to bytes within an object, and says how many there are.
fn point(own: &[u8], bytes: *mut *const u8, length: *mut usize) -> Result<(), blindcore::Error> {
    let (bytes, length) = (Place::new(bytes, "bytes")?, Place::new(length, "length")?);
    bytes.put(own.as_ptr());
    length.put(own.len());
    Ok(())
}

/// Points to the bytes, which live as long as the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_bytes_data(
    object: *const Bytes,
    bytes: *mut *const u8,
    length: *mut usize,
) -> Status {
    call(|| point(&read(object, "object")?.0, bytes, length))
}

/// Frees bytes. Null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_bytes_free(object: *mut Bytes) {
    free(object);
}

/// Reads a file of inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_inputs_open(
    path: *const c_char,
    inputs: *mut *mut Inputs,
) -> Status {
    call(|| {
        let place = Place::new(inputs, "inputs")?;
        place.give(Inputs(blindcore::Inputs::open(text(path, "path")?)?));
        Ok(())
    })
}

/// Takes over the bytes of a file of inputs, which are checked when they are used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_inputs_from_bytes(
    bytes: *const u8,
    length: usize,
    inputs: *mut *mut Inputs,
) -> Status {
    call(|| {
        let place = Place::new(inputs, "inputs")?;
        let bytes = array(bytes, length, "bytes")?;
        place.give(Inputs(blindcore::Inputs::from_bytes(bytes)?));
        Ok(())
    })
}

/// Points to the bytes of inputs, to send or to keep. They live as long as the inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_inputs_bytes(
    inputs: *const Inputs,
    bytes: *mut *const u8,
    length: *mut usize,
) -> Status {
    call(|| point(read(inputs, "inputs")?.0.to_bytes(), bytes, length))
}

/// Writes a file, which appears whole or not at all and replaces only one of its kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_inputs_save(
    inputs: *const Inputs,
    path: *const c_char,
) -> Status {
    call(|| read(inputs, "inputs")?.0.save(text(path, "path")?))
}

/// Frees inputs. Null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_inputs_free(inputs: *mut Inputs) {
    free(inputs);
}

/// Reads a file of outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_outputs_open(
    path: *const c_char,
    outputs: *mut *mut Outputs,
) -> Status {
    call(|| {
        let place = Place::new(outputs, "outputs")?;
        place.give(Outputs(blindcore::Outputs::open(text(path, "path")?)?));
        Ok(())
    })
}

/// Takes over the bytes of a file of outputs, which are checked when they are used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_outputs_from_bytes(
    bytes: *const u8,
    length: usize,
    outputs: *mut *mut Outputs,
) -> Status {
    call(|| {
        let place = Place::new(outputs, "outputs")?;
        let bytes = array(bytes, length, "bytes")?;
        place.give(Outputs(blindcore::Outputs::from_bytes(bytes)?));
        Ok(())
    })
}

/// Points to the bytes of outputs, to send or to keep. They live as long as the outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_outputs_bytes(
    outputs: *const Outputs,
    bytes: *mut *const u8,
    length: *mut usize,
) -> Status {
    call(|| point(read(outputs, "outputs")?.0.to_bytes(), bytes, length))
}

/// Writes a file, which appears whole or not at all and replaces only one of its kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_outputs_save(
    outputs: *const Outputs,
    path: *const c_char,
) -> Status {
    call(|| read(outputs, "outputs")?.0.save(text(path, "path")?))
}

/// Frees outputs. Null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_outputs_free(outputs: *mut Outputs) {
    free(outputs);
}
