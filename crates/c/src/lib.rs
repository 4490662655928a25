//! Blindcore for C: the library `blindcore` behind C's names.
//!
//! `include/blindcore.h` is made of these files by cbindgen; a test says when it is not. What
//! holds Rust's memory is a pointer to a type that C does not look into, with a function that
//! frees it. Every other function returns a [`Status`](status::Status), the exit code of the
//! command line for what happened; `blindcore_last_error` has the words.
//!
//! # Safety
//! This is the same for every function here. A pointer is null only where its function says so,
//! else a call is refused. Texts end with a zero byte and are UTF-8. A pointer to one of our types
//! came from this library, was not freed, and is not freed by another thread meanwhile; several
//! threads may use one object at once where it is passed as `const`. A pointer with a length has
//! as many elements, and a result is written to where its pointer points.
#![allow(
    clippy::missing_safety_doc,
    reason = "what is expected of every caller is said once, above"
)]

pub mod answer;
pub mod ciphertexts;
pub mod keys;
pub mod plan;
pub mod pointers;
pub mod program;
pub mod run;
pub mod status;
pub mod values;
