//! From C to a program that runs on encrypted data.
//!
//! Any compiler that makes A32 code will do; each wants to be asked in its own words. What they
//! have in common is fixed here: bare code without an operating system, division and
//! floating point in hardware, no jump tables, execution from `main`, debugging information for the
//! names and types of variables.
//!
//! | module | what it knows |
//! |---|---|
//! | [`Compiler`] | where a compiler is, of which family, what flags it takes |
//! | [`Workshop`] | sources on their way to an ELF file |
//! | [`Compiled`] | the file, perhaps from the cache |
//!
//! The folder `runtime` is the library that programs are linked with: what compilers call by
//! themselves, and the parts of C's library that make sense without an operating system. It does
//! not branch on data and does not address by it, so that secrets may go through it; what nobody
//! calls is left out of the program.
//!
//! ```
//! use blindcore_compiler::{Compiler, CompileError, Sources, Workshop};
//!
//! # let folder = std::env::temp_dir().join(format!("blindcore-compiler-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let source = folder.join("double.c");
//! std::fs::write(&source, "unsigned x, y; int main(void) { y = 2 * x; return 0; }")?;
//! let compiler = match Compiler::find(None) {
//!     Ok(compiler) => compiler,
//!     Err(CompileError::NoCompiler) => return Ok(()),
//!     Err(error) => return Err(error.into()),
//! };
//! let workshop = Workshop::open(compiler, Sources::files([&source]))?;
//! let made = workshop.compile(workshop.compiler().usual_optimisation())?;
//! assert_eq!(&made.elf[..4], b"\x7fELF");
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod cache;
mod error;
mod find;
mod flags;
mod runtime;
mod workshop;

pub use cache::cache_folder;
pub use error::CompileError;
pub use find::{Compiler, Family};
pub use flags::{OPTIMISATIONS, Optimisation};
pub use workshop::{Compiled, Sources, Workshop};
