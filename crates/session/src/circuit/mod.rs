//! Circuits of files: their words as people write them, and their evaluation in the clear, on files of inputs, and as
//! a trial with keys of its own.

mod evaluation;
mod mapped;
#[cfg(feature = "secret")]
mod trial;
pub mod words;

pub use evaluation::{Evaluated, Evaluation};
pub use mapped::Mapped;
#[cfg(feature = "secret")]
pub use trial::Trial;
