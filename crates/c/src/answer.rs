//! Decrypted values.

use std::ffi::{CString, c_char};

use blindcore::processor::Element;
use blindcore::{Error, ErrorKind};
use zeroize::Zeroize;

use crate::pointers::{Place, free, read, text};
use crate::status::{self, Status, call};

/// Decrypted values of variables: of one row, or of the rows of a table.
pub struct Answer {
    answer: blindcore::Answer,
    names: Vec<CString>,
}

impl Answer {
    pub(crate) fn of(answer: blindcore::Answer) -> Self {
        let names = answer.names().map(status::text).collect();
        Self { answer, names }
    }
}

/// How many rows there are: 1, unless they are of a table. 0 for a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_answer_rows(answer: *const Answer) -> usize {
    read(answer, "answer").map_or(0, |own| own.answer.rows())
}

/// The name of variable number `index`, from 0, which lives as long as the answer; null if there are
/// not so many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_answer_name(
    answer: *const Answer,
    index: usize,
) -> *const c_char {
    let name = read(answer, "answer")
        .ok()
        .and_then(|own| own.names.get(index));
    name.map_or(std::ptr::null(), |name| name.as_ptr())
}

/// Writes elements of a variable of one row to where there is room for `capacity` of them, and how
/// many it has to `count`, unless that is null. With less room than elements nothing is written but
/// the count, and the call is refused.
fn elements<T: Copy>(
    answer: *const Answer,
    row: usize,
    name: *const c_char,
    (into, capacity, count): (*mut T, usize, *mut usize),
    convert: impl Fn(i128, Option<&blindcore::Type>) -> Option<T>,
) -> Status {
    call(|| {
        let (answer, name) = (&read(answer, "answer")?.answer, text(name, "name")?);
        let mut values: Vec<i128> = answer.get_at(row, name)?;
        if let Ok(count) = Place::new(count, "count") {
            count.put(values.len());
        }
        let refuse = |message: String| Err(Error::new(ErrorKind::Input, message));
        if values.len() > capacity {
            let elements = values.len();
            return refuse(format!(
                "{name}: {elements} elements, and room for {capacity}"
            ));
        }
        if into.is_null() && !values.is_empty() {
            return refuse(format!("{name}: the pointer to the room for it is null"));
        }
        let ty = answer.ty(name);
        let mut converted = Vec::with_capacity(values.len());
        for value in &values {
            match convert(*value, ty) {
                Some(value) => converted.push(value),
                None => {
                    let ty = ty.map_or_else(String::new, ToString::to_string);
                    let wanted = std::any::type_name::<T>();
                    return refuse(format!(
                        "{name}: a value of type {ty} does not fit {wanted}"
                    ));
                }
            }
        }
        for (at, value) in converted.iter().enumerate() {
            // SAFETY: not null, and the caller promises room for `capacity` elements, which are
            // no fewer.
            unsafe { into.add(at).write(*value) };
        }
        values.zeroize();
        Ok(())
    })
}

/// Elements of a variable as numbers that are not below 0; `count` may be null. With less room than
/// elements nothing is written but the count, and the call is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_answer_unsigned(
    answer: *const Answer,
    row: usize,
    name: *const c_char,
    into: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> Status {
    elements(answer, row, name, (into, capacity, count), |value, _| {
        value.try_into().ok()
    })
}

/// The same as numbers that may be below 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_answer_signed(
    answer: *const Answer,
    row: usize,
    name: *const c_char,
    into: *mut i64,
    capacity: usize,
    count: *mut usize,
) -> Status {
    elements(answer, row, name, (into, capacity, count), |value, _| {
        value.try_into().ok()
    })
}

/// The same for a floating-point type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_answer_real(
    answer: *const Answer,
    row: usize,
    name: *const c_char,
    into: *mut f64,
    capacity: usize,
    count: *mut usize,
) -> Status {
    elements(answer, row, name, (into, capacity, count), real)
}

/// A float of its bits.
fn real(bits: i128, ty: Option<&blindcore::Type>) -> Option<f64> {
    let element = ty?.element();
    match (element, element.bytes()) {
        (Element::Float { .. }, 4) => Some(f32::from_bits(bits as u32).into()),
        (Element::Float { .. }, 8) => Some(f64::from_bits(bits as u64)),
        _ => None,
    }
}

/// Frees an answer. Null is nothing to free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_answer_free(answer: *mut Answer) {
    free(answer);
}
