//! Values of variables, by their names.

use std::ffi::c_char;

use blindcore::{Error, Value};

use crate::pointers::{Place, array, change, free, text};
use crate::status::{Status, call};

/// Values of variables, by their names: what is encrypted, or what everybody may know.
#[derive(Default)]
pub struct Values(pub(crate) Vec<(String, Value)>);

impl Values {
    /// As the library has them.
    pub(crate) fn collected(&self) -> blindcore::Values {
        let pairs = self.0.iter().cloned();
        pairs.fold(blindcore::Values::new(), |values, (name, value)| {
            values.set(name, value)
        })
    }
}

fn set(
    values: *mut Values,
    name: *const c_char,
    value: impl FnOnce() -> Result<Value, Error>,
) -> Status {
    call(|| {
        let name = text(name, "name")?.to_owned();
        change(values, "values")?.0.push((name, value()?));
        Ok(())
    })
}

/// No values yet. Free them with `blindcore_values_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_values_new(values: *mut *mut Values) -> Status {
    call(|| {
        Place::new(values, "values")?.give(Values::default());
        Ok(())
    })
}

/// Gives a variable a number. Whether it fits the variable's type is checked when it is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_values_set_unsigned(
    values: *mut Values,
    name: *const c_char,
    value: u64,
) -> Status {
    set(values, name, || Ok(value.into()))
}

/// Gives a variable a number that may be below 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_values_set_signed(
    values: *mut Values,
    name: *const c_char,
    value: i64,
) -> Status {
    set(values, name, || Ok(value.into()))
}

/// Gives a variable of a floating-point type a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_values_set_real(
    values: *mut Values,
    name: *const c_char,
    value: f64,
) -> Status {
    set(values, name, || Ok(value.into()))
}

/// Gives an array of characters a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_values_set_text(
    values: *mut Values,
    name: *const c_char,
    value: *const c_char,
) -> Status {
    set(values, name, || Ok(text(value, "value")?.into()))
}

/// Gives an array its first `count` elements; the others are 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_values_set_unsigned_array(
    values: *mut Values,
    name: *const c_char,
    elements: *const u64,
    count: usize,
) -> Status {
    set(values, name, || {
        Ok(array(elements, count, "elements")?.into())
    })
}

/// Gives an array its first `count` elements, which may be below 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_values_set_signed_array(
    values: *mut Values,
    name: *const c_char,
    elements: *const i64,
    count: usize,
) -> Status {
    set(values, name, || {
        Ok(array(elements, count, "elements")?.into())
    })
}

/// Gives an array of a floating-point type its first `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_values_set_real_array(
    values: *mut Values,
    name: *const c_char,
    elements: *const f64,
    count: usize,
) -> Status {
    set(values, name, || {
        Ok(array(elements, count, "elements")?.into())
    })
}

/// Frees values. Null is nothing to free. Secrets in them are ordinary memory: they are not wiped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_values_free(values: *mut Values) {
    free(values);
}
