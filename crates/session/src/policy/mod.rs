//! What a client is willing to answer, and the record of what it was asked.
//!
//! A program that branches on secrets asks the owner of the secret key which way to go. Every
//! answer reveals something to the machine that asks, and a machine that does not keep to the
//! protocol could ask what the program never would: with one crafted ciphertext per question it
//! reads any secret bit, and a number by binary search (the paper 004, §VII-C). So the client
//! decides what it answers, by its own copy of the program:
//!
//! - **where**: only at the sites that [`Rules`] allow (a function, a place in it, an address), and
//!   only where the program has a branch, a jump or a call under the very condition that is asked,
//!   or a jump to an address of the data where an address is asked for; and only what the job was
//!   submitted to ask ([`Asks`]);
//! - **how often**: a limit of answers at a site;
//! - **how much**: a limit of bits for one job, and for a key in all jobs. A question costs the
//!   logarithm of the number of its outcomes, rounded up, and that it does not decrypt is one of
//!   them, since the server sees it. A condition costs two bits (it holds, it fails, it does not
//!   decrypt), also where the client names the next instruction itself, since it names one of two.
//!   A jump costs log₂(instructions + 1): the places that the program has to jump to, and the
//!   refusal to name any. (The end of the program is none: where it lies, only who runs the program
//!   knows. A program cannot end by a secret jump.)
//! - **once**: a question that comes again, after a lost connection or a restart of the server,
//!   gets the answer that it got, and costs nothing. Another question under an old number, or one
//!   that does not decrypt, ends the job: nothing it asks is answered any more.
//!
//! A question is charged in the key's [`Ledger`], on the disk, before it is decrypted: whatever the
//! server may see of what follows is paid for.
//!
//! Without rules nothing is answered. Every question is written to a [`Journal`] with its answer or
//! refusal before the answer leaves, so that the record holds whatever was revealed, also after a
//! crash.
//!
//! The bits bound what all answers to one job can tell. They do not bound which secrets these bits
//! are about: an allowed site may be asked about any ciphertext under the key.
//! `docs/threat-model.md` says more.
//!
//! Nothing here knows the secret key: [`Guard::answer`] is given a function that decrypts, and
//! calls it after everything else has been found in order.
//!
//! ```
//! use std::convert::Infallible;
//!
//! use blindcore_session::policy::{
//!     Allowance, Asking, Asks, Guard, Journal, JournalError, Ledger, LedgerError, Policy, PolicyError, Refusal, Rules, Site,
//!     Used,
//! };
//! use processor::{Answer, Asked, Program};
//!
//! let program = Program::load(&std::fs::read("../processor/tests/programs/refused.elf")?)?;
//! let rules = Rules::from_toml("max_bits = 4\n[[allow]]\nsite = \"branch+0x30\"\nanswers = 2")?;
//! assert_eq!((rules.bits(), &rules.allow), (4, &vec!["branch+0x30:2".parse::<Allowance>()?]));
//! assert_eq!(rules.allow[0].site, Site::Offset("branch".to_owned(), 0x30));
//! let policy = Policy::new(&rules, &program)?;
//! let (journal, asks) = (Journal::in_memory(), Asks::Conditions);
//! let mut guard = Guard::new(&program, policy, journal, asks).counting(Ledger::in_memory());
//!
//! // A question is paid for, decrypted and answered;
//! let address = program.function("branch")?.address + 0x30;
//! let asked = Asked::Condition(a32::Condition::NotEqual);
//! let asking = Asking { job: "first", number: 0, address, asked, hash: [1; 32] };
//! let answer = guard.answer(&asking, || Ok::<_, Infallible>(vec![true]))?;
//! assert_eq!(answer, Answer::Holds(true));
//! // the same one costs nothing more, and is not decrypted again;
//! assert_eq!(guard.answer(&asking, || Err("not called"))?, answer);
//! let used: &Used = guard.journal().used("first").expect("the job has an answer");
//! assert_eq!((used.bits(), used.answers(&(address..address + 4)), guard.ledger().bits()), (2, 1, 2));
//! // and one from elsewhere is refused before anything is decrypted.
//! let asked = Asked::Condition(a32::Condition::Equal);
//! let elsewhere = Asking { number: 1, address: address - 0x20, asked, hash: [2; 32], ..asking };
//! let refusal: Refusal = guard.answer(&elsewhere, || Err("not called")).unwrap_err();
//! assert!(matches!(refusal, Refusal::Site { .. }) && refusal.is_matter_of_rules());
//!
//! // What the caller refuses for reasons of its own stands in the journal, too.
//! let reason = "ciphertexts of another key".to_owned();
//! let refusal = guard.refuse(&elsewhere, Refusal::OtherKey { number: 1, reason });
//! assert!(!refusal.is_matter_of_rules());
//!
//! assert!(matches!("+0x".parse::<Site>(), Err(PolicyError::Site { .. })));
//! // What cannot be recorded or counted is not answered.
//! let folder = std::env::temp_dir();
//! assert!(matches!(Journal::open(&folder), Err(JournalError::Io { .. })));
//! let key = tfhe::KeyId::from_bytes([1; 16]);
//! assert!(matches!(Ledger::open(&folder, key), Err(LedgerError::Io { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asks;
mod error;
mod flow;
mod guard;
mod journal;
mod ledger;
mod rules;
mod sites;

pub use asks::Asks;
pub use error::{JournalError, LedgerError, PolicyError, Refusal};
pub use guard::{Asking, Guard};
pub use journal::{Journal, Used};
pub use ledger::Ledger;
pub use rules::{Allowance, Rules, Site};
pub use sites::Policy;
