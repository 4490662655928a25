//! Circuits of files: their words as people write them, and their evaluation in the clear, on files
//! of inputs, and as a trial with keys of its own.
//!
//! ```
//! use blindcore_session::Control;
//! use blindcore_session::circuit::{Mapped, words};
//! use circuits::formats::bristol;
//! use circuits::Profile;
//!
//! // A half adder of somebody else.
//! let netlist = bristol::read(b"2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n")?;
//! let interface = netlist.interface();
//! assert_eq!(words::listed(&interface.inputs), "a (1 bit), b (1 bit)");
//! let inputs = words::assigned(interface, &["a=1".to_owned(), "b=1".to_owned()])?.concat();
//!
//! let mapped = Mapped::new(&netlist, &Profile::lookup_simulation());
//! assert!(mapped.cost.bootstraps == 1 && mapped.summary().ends_with("depth 1"));
//! let outputs = mapped.simulate(&inputs)?;
//! assert_eq!(outputs, [false, true]);
//! assert_eq!(words::text(&interface.outputs, &outputs).lines().count(), 2);
//! assert_eq!(words::document(&interface.outputs, &outputs).as_object().map(|all| all.len()), Some(2));
//! let last = words::split(&interface.outputs, &outputs).last().unwrap();
//! assert_eq!((words::shown(&last.0.name), last.1), ("out1".to_owned(), &[true][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod evaluation;
mod mapped;
#[cfg(feature = "secret")]
mod trial;
pub mod words;

pub use evaluation::{Evaluated, Evaluation};
pub use mapped::Mapped;
#[cfg(feature = "secret")]
pub use trial::Trial;
