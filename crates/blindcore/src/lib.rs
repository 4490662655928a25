//! Run ordinary programs on data that nobody but you can read.
//!
//! A stock ARM compiler makes the program. You encrypt its inputs under a key that never leaves
//! your machine, hand program and ciphertexts to a computer that you do not trust, and decrypt the
//! answer.
//!
//! ```
//! use blindcore::{Keys, Program, Values};
//!
//! # fn main() -> Result<(), blindcore::Error> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/salaries/salaries.elf");
//! let program = Program::open(path)?.secret(["salary", "count"])?;
//! println!("{}", program.plan()?); // bootstraps, time, memory, what it leaks
//!
//! let keys = Keys::generate()?;
//! let values = Values::new().set("salary", [5200, 4100, 3950]).set("count", 3);
//! let inputs = keys.secret.encrypt(&program, &values)?;
//! let outputs = program.run(&keys.server, &inputs)?;
//! let total: u32 = keys.secret.decrypt(&outputs)?.get("total")?;
//! assert_eq!(total, 13250);
//! # Ok(())
//! # }
//! ```
//!
//! | who | has | does |
//! |---|---|---|
//! | the owner | [`SecretKey`] | [encrypts](SecretKey::encrypt), [decrypts](SecretKey::decrypt) |
//! | whoever gives data | [`PublicKey`] | [encrypts](PublicKey::encrypt), reads nothing |
//! | the computer that is not trusted | [`ServerKey`], [`Program`], [`Inputs`] | [runs](Program::run), reads nothing |
//!
//! Without a program, write an expression over [`Word`]s; it is evaluated as one circuit:
//!
//! ```
//! # fn main() -> Result<(), blindcore::Error> {
//! let keys = blindcore::Keys::generate()?;
//! let (a, b) = (keys.secret.encrypt_word(5_u32)?, keys.secret.encrypt_word(7_u32)?);
//! let larger = a.lt(&b).select(&b, &a);
//! let answer = keys.server.evaluate(&(&larger * &a + 1))?;
//! assert_eq!(keys.secret.decrypt_word(&answer)?, 36);
//! # Ok(())
//! # }
//! ```
//!
//! **Schemes.** [`Keys::generate`] makes keys of TFHE, on which anything runs. [`Keys::for_table`]
//! makes keys of BGV, on which one run serves thousands of rows of values, as long as the program
//! is shallow. Both have at least 128 bits of security; `docs/parameters.md` says against what, and
//! how that was computed.
//!
//! **Timing** of encryption and decryption does not depend on values or keys; what runs on the
//! server never sees either. Values themselves are ordinary numbers in ordinary memory.
#![forbid(unsafe_code)]

mod answer;
mod ciphertexts;
mod drawing;
mod keys;
mod plan;
mod profile;
mod program;
mod run;
mod server_key;
mod shared;
mod table_plan;
mod values;
mod words;

pub use self::values::{Value, Values};
pub use answer::{Answer, FromValue};
pub use ciphertexts::{Inputs, Outputs};
pub use drawing::Drawing;
pub use keys::{Keys, PublicKey, SecretKey};
pub use plan::Plan;
pub use profile::Profile;
pub use program::Program;
pub use run::Run;
pub use server_key::ServerKey;
pub use shared::{Worker, Workers};
pub use table_plan::TablePlan;
pub use words::{Bit, Expression, Integer, Word};

/// Circuits: what draws, reads, rewrites, simulates and evaluates them on any engine.
pub use circuits;

/// Programs as the processor has them: symbols, types, plans, questions.
pub use processor;

pub use circuits::exec::Cancel;
pub use cluster::Addresses;
pub use processor::{Branches, Otherwise, Type};
pub use session::evaluator::Estimate;
pub use session::policy::Rules;
pub use session::profile::Hint;
pub use session::{Control, Error, ErrorKind, Progress};
pub use tfhe::KeyId;
