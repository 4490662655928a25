//! Keys: who has the secret one encrypts and decrypts, the public one encrypts, the server's computes.

use std::ffi::c_char;

use blindcore::{Control, Keys};

use crate::answer::Answer;
use crate::ciphertexts::{Bytes, Inputs, Outputs};
use crate::pointers::{Place, array, free, optional_text, read, text};
use crate::program::Program;
use crate::status::{Status, call};
use crate::values::Values;

/// A secret key: it encrypts and decrypts, and never leaves its owner's machine.
pub struct SecretKey(pub(crate) blindcore::SecretKey);
/// A public key: it encrypts, and reads nothing.
pub struct PublicKey(blindcore::PublicKey);
/// A server key: it computes, and reads nothing.
pub struct ServerKey(pub(crate) blindcore::ServerKey);

/// Makes keys on which any program runs, with 128 bits of security. `parameters` is null for the
/// default, "p16", or "p16-uniform", the conservative choice, about three times slower. Takes about
/// a second. Free each with its function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_keys_generate(
    parameters: *const c_char,
    secret: *mut *mut SecretKey,
    public_: *mut *mut PublicKey,
    server: *mut *mut ServerKey,
) -> Status {
    call(|| {
        let parameters = optional_text(parameters, "parameters")?.unwrap_or("p16");
        give(secret, public_, server, || {
            Keys::generate_of(parameters, &Control::default())
        })
    })
}

/// Makes keys of BGV for tables of `rows` rows on which this program will run: its depth decides the
/// parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_keys_for_table(
    program: *const Program,
    rows: usize,
    secret: *mut *mut SecretKey,
    public_: *mut *mut PublicKey,
    server: *mut *mut ServerKey,
) -> Status {
    call(|| {
        let program = &read(program, "program")?.program;
        give(secret, public_, server, || Keys::for_table(program, rows))
    })
}

fn give(
    secret: *mut *mut SecretKey,
    public: *mut *mut PublicKey,
    server: *mut *mut ServerKey,
    keys: impl FnOnce() -> Result<Keys, blindcore::Error>,
) -> Result<(), blindcore::Error> {
    let secret = Place::new(secret, "secret")?;
    let public = Place::new(public, "public")?;
    let server = Place::new(server, "server")?;
    let keys = keys()?;
    secret.give(SecretKey(keys.secret));
    public.give(PublicKey(keys.public));
    server.give(ServerKey(keys.server));
    Ok(())
}

/// Reads a secret key's file, and opens it with the passphrase if it is behind one; else that is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_secret_key_open(
    path: *const c_char,
    passphrase: *const c_char,
    key: *mut *mut SecretKey,
) -> Status {
    call(|| {
        let place = Place::new(key, "key")?;
        let passphrase = optional_text(passphrase, "passphrase")?;
        let key = blindcore::SecretKey::open(text(path, "path")?, passphrase)?;
        place.give(SecretKey(key));
        Ok(())
    })
}

/// Writes a secret key's file, which its owner alone may read, behind a passphrase unless that is
/// null. A file that exists is left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_secret_key_save(
    key: *const SecretKey,
    path: *const c_char,
    passphrase: *const c_char,
) -> Status {
    call(|| {
        let passphrase = optional_text(passphrase, "passphrase")?;
        read(key, "key")?.0.save(text(path, "path")?, passphrase)
    })
}

/// Encrypts values of the program's variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_secret_key_encrypt(
    key: *const SecretKey,
    program: *const Program,
    values: *const Values,
    inputs: *mut *mut Inputs,
) -> Status {
    call(|| {
        let place = Place::new(inputs, "inputs")?;
        let (key, program) = (&read(key, "key")?.0, &read(program, "program")?.program);
        let encrypted = key.encrypt(program, &read(values, "values")?.collected())?;
        place.give(Inputs(encrypted));
        Ok(())
    })
}

/// Encrypts a table of BGV: a CSV file whose header names variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_secret_key_encrypt_table(
    key: *const SecretKey,
    program: *const Program,
    path: *const c_char,
    inputs: *mut *mut Inputs,
) -> Status {
    call(|| {
        let place = Place::new(inputs, "inputs")?;
        let (key, program) = (&read(key, "key")?.0, &read(program, "program")?.program);
        let encrypted = key.encrypt_table(program, text(path, "path")?)?;
        place.give(Inputs(encrypted));
        Ok(())
    })
}

/// Decrypts what a program left. Free the answer with `blindcore_answer_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_secret_key_decrypt(
    key: *const SecretKey,
    outputs: *const Outputs,
    answer: *mut *mut Answer,
) -> Status {
    call(|| {
        let place = Place::new(answer, "answer")?;
        let outputs = &read(outputs, "outputs")?.0;
        place.give(Answer::of(read(key, "key")?.0.decrypt(outputs)?));
        Ok(())
    })
}

/// Frees a secret key, and wipes its memory. Null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_secret_key_free(key: *mut SecretKey) {
    free(key);
}

/// Reads a public key's file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_public_key_open(
    path: *const c_char,
    key: *mut *mut PublicKey,
) -> Status {
    call(|| {
        let place = Place::new(key, "key")?;
        place.give(PublicKey(blindcore::PublicKey::open(text(path, "path")?)?));
        Ok(())
    })
}

/// Writes a public key's file. A file that exists is left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_public_key_save(
    key: *const PublicKey,
    path: *const c_char,
) -> Status {
    call(|| read(key, "key")?.0.save(text(path, "path")?))
}

/// Encrypts values of the program's variables, which the key's owner alone can read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_public_key_encrypt(
    key: *const PublicKey,
    program: *const Program,
    values: *const Values,
    inputs: *mut *mut Inputs,
) -> Status {
    call(|| {
        let place = Place::new(inputs, "inputs")?;
        let (key, program) = (&read(key, "key")?.0, &read(program, "program")?.program);
        let encrypted = key.encrypt(program, &read(values, "values")?.collected())?;
        place.give(Inputs(encrypted));
        Ok(())
    })
}

/// Frees a public key. Null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_public_key_free(key: *mut PublicKey) {
    free(key);
}

/// Reads a server key's file, and its second part, which makes selections fast, if there is one beside
/// it: NAME.selectors beside NAME.server.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_server_key_open(
    path: *const c_char,
    key: *mut *mut ServerKey,
) -> Status {
    call(|| {
        let place = Place::new(key, "key")?;
        place.give(ServerKey(blindcore::ServerKey::open(text(path, "path")?)?));
        Ok(())
    })
}

/// Reads the bytes of a server key's file: its first part, with which everything runs, if not as fast.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_server_key_from_bytes(
    bytes: *const u8,
    length: usize,
    key: *mut *mut ServerKey,
) -> Status {
    call(|| {
        let place = Place::new(key, "key")?;
        let bytes = array(bytes, length, "bytes")?;
        place.give(ServerKey(blindcore::ServerKey::from_bytes(bytes)?));
        Ok(())
    })
}

/// The bytes of a server key's file, its first part, some 30 MB. Free them with `blindcore_bytes_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_server_key_bytes(
    key: *const ServerKey,
    bytes: *mut *mut Bytes,
) -> Status {
    call(|| {
        let place = Place::new(bytes, "bytes")?;
        place.give(Bytes(read(key, "key")?.0.to_bytes()?));
        Ok(())
    })
}

/// Writes a server key's file, and if that is called NAME.server its second part as NAME.selectors.
/// Files that exist are left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_server_key_save(
    key: *const ServerKey,
    path: *const c_char,
) -> Status {
    call(|| read(key, "key")?.0.save(text(path, "path")?))
}

/// Frees a server key. Null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_server_key_free(key: *mut ServerKey) {
    free(key);
}
