//! Pointers from C, and to it. These functions are for pointers that came through the interface, whose
//! caller promised what the crate's documentation says: nothing else may call them.

use std::ffi::{CStr, c_char};

use blindcore::{Error, ErrorKind};

/// A pointer that should not have been null.
pub(crate) fn null(what: &str) -> Error {
    Error::new(ErrorKind::Usage, format!("{what}: the pointer is null"))
}

/// What a pointer points to.
pub(crate) fn read<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Error> {
    // SAFETY: not null, it points to a `T` that lives during the call: what every caller promises.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// What a pointer points to, to change it.
pub(crate) fn change<'a, T>(pointer: *mut T, what: &str) -> Result<&'a mut T, Error> {
    // SAFETY: not null, it points to a `T` that nobody else uses: what every caller promises.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(what))
}

/// Elements of an array; none at all may be behind a null pointer.
pub(crate) fn array<'a, T>(pointer: *const T, length: usize, what: &str) -> Result<&'a [T], Error> {
    if length == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(null(what));
    }
    if !pointer.is_aligned() || length > isize::MAX as usize / size_of::<T>().max(1) {
        let message = format!("{what}: no array of {length} elements is there");
        return Err(Error::new(ErrorKind::Usage, message));
    }
    // SAFETY: not null, aligned, of a possible length; the caller promises the elements.
    Ok(unsafe { std::slice::from_raw_parts(pointer, length) })
}

/// A text.
pub(crate) fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Error> {
    optional_text(pointer, what)?.ok_or_else(|| null(what))
}

/// A text, unless the pointer is null.
pub(crate) fn optional_text<'a>(
    pointer: *const c_char,
    what: &str,
) -> Result<Option<&'a str>, Error> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: not null; the caller promises a zero at the end.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| {
        let message = format!("{what}: the text is not UTF-8");
        Error::new(ErrorKind::Usage, message)
    })
}

/// Where a result goes.
pub(crate) struct Place<T>(*mut T);

impl<T> Place<T> {
    /// A place that is there.
    pub(crate) fn new(pointer: *mut T, what: &str) -> Result<Self, Error> {
        if pointer.is_null() {
            return Err(null(what));
        }
        Ok(Self(pointer))
    }

    /// Puts a value there. What was there before is not looked at.
    pub(crate) fn put(self, value: T) {
        // SAFETY: not null; the caller promises that a `T` can be written there.
        unsafe { self.0.write(value) };
    }
}

impl<T> Place<*mut T> {
    /// Puts an object there, which is C's from now on.
    pub(crate) fn give(self, object: T) {
        self.put(Box::into_raw(Box::new(object)));
    }
}

/// Frees an object that was given; null is nothing to free.
pub(crate) fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: it came from `give`, and is freed once: what every caller promises.
        drop(unsafe { Box::from_raw(pointer) });
    }
}
