//! The owner of a secret key: makes keys, encrypts, decrypts, answers. Here secrets are seen in the
//! clear, and nowhere else; the module stands behind the feature `secret`.
//!
//! The whole way of a value, here on parameters that protect nothing and take no time:
//!
//! ```
//! use std::io::Cursor;
//! use std::path::Path;
//!
//! use blindcore_session::evaluator::{self, Evaluation, Given, Planned, Ran, Target};
//! use blindcore_session::owner::{self, Decrypted, Encryptor, KeyPair, ServerKeyFile, Settings};
//! use blindcore_session::program::{Execution, Row};
//! use blindcore_session::schemes::{Adapter, Source, tfhe::Tfhe, tfhe::expand};
//! use blindcore_session::{Control, Program};
//!
//! let control = Control::default();
//! let text = b".bits 16\n.data a\n LOAD R0, a\n ADD R0, R0, 5\n STORE R0, a";
//! let program = Program::from_bytes(Path::new("five.hea"), text)?;
//!
//! // The owner makes keys and encrypts a row of values,
//! let keys: KeyPair = owner::generate(&Settings::Tfhe(tfhe::TOY_BLOCK), &control)?;
//! let row = Row::new(&program, &program.assignments("a=37")?, None)?;
//! let file = Encryptor::of_secret(&keys.secret).encrypt(&row.variables, &row.bits, &control)?;
//!
//! // the server plans and runs,
//! let source: Source = Box::new(Cursor::new(file.to_vec()));
//! let (inputs, _) = Tfhe::read(source, None)?;
//! let given: Given<Tfhe> = Given::joined(vec![("a.inputs".to_owned(), inputs)])?;
//! let (placed, places) = evaluator::place(&program, None, &given.variables(), [].into_iter())?;
//! let task = Tfhe::task(program.task(&Execution::default(), placed)?);
//! let target = Target::of(&control);
//! let planned: Planned = Tfhe::plan(&program, &task, &given, &target, &control)?;
//! planned.refuse_obstacles::<Tfhe>(&program, false)?;
//! let ServerKeyFile::Tfhe(seeded) = &keys.server else { unreachable!() };
//! let engine = planned.engine(expand(seeded, target.fft, target.threads)?);
//! let evaluation: Evaluation<Tfhe> =
//!     Evaluation { program: &program, task: &task, places: &places, planned: &planned, engine };
//! let Ran { outputs, .. }: Ran<Tfhe> = evaluation.batch(0, &given, &control)?;
//!
//! let left: &<Tfhe as Adapter>::Outputs = &outputs;
//! assert_eq!(Tfhe::variables(left)[0].name, "a");
//!
//! // and the owner reads what that left.
//! let file = wire::encode(&outputs)?;
//! let mut found = Vec::new();
//! owner::decrypt(&keys.secret, "a.outputs", wire::Containers::new(&file[..]), &mut |batch: Decrypted| {
//!     let batch = batch.only("a.outputs", &["a".to_owned()])?;
//!     found.extend(batch.row(0).map(|(name, _, elements)| (name.to_owned(), elements)));
//!     Ok(())
//! })?;
//! assert_eq!(found, [("a".to_owned(), vec![42])]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod decrypt;
mod encrypt;
mod keys;

pub use answers::{Answerer, KeyHolder, Questioned};
pub use decrypt::{Decrypted, decrypt, decrypt_tfhe, undefined_outputs};
pub use encrypt::{EncryptionKey, Encryptor, TableBatch, encrypt_tfhe, encrypt_tfhe_public};
pub use keys::{
    IntegerKey, KeyPair, PublicKey, SecretKey, ServerKeyFile, Settings, generate,
    generate_public_key, generate_secret_key, generate_selectors, generate_server_key, open_tfhe,
};
