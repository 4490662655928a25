//! What a client is willing to answer, and the record of what it was asked.
//!
//! A program that branches on secrets asks whoever holds the secret key which way to go. Every
//! answer reveals something to the machine that asks, and a machine that does not keep to the
//! protocol could ask what the program never would: with one crafted ciphertext per question it
//! reads any secret bit, and a number by binary search (the paper 004, §VII-C). So the client
//! decides what it answers, by its own copy of the program:
//!
//! - **where**: only at the sites that [`Rules`] allow (a function, a place in it, an address), and
//!   only where the program has a conditional instruction with the very condition that is asked;
//! - **how often**: at most so many answers at a site;
//! - **how much**: at most so many bits for one job, and for a key in all jobs. A question costs the
//!   logarithm of the number of its outcomes, rounded up, and that it does not decrypt is one of them,
//!   since the server sees it. A condition costs two bits (it holds, it fails, it does not decrypt), also
//!   where the client names the next instruction itself, since it names one of two. A jump costs
//!   log₂(instructions + 1): the places that the program has to jump to, and the refusal to name any.
//!   (The end of the program is none: where it lies, only who runs the program knows. A program cannot
//!   end by a secret jump.)
//! - **once**: a question that comes again, after a lost connection or a restart of the server, gets
//!   the answer that it got, and costs nothing. Another question under an old number, or one that does not decrypt,
//!   ends the job: nothing it asks is answered any more.
//!
//! A question is charged in the key's [`Ledger`], on the disk, before it is decrypted: whatever the
//! server may see of what follows is paid for.
//!
//! Without rules nothing is answered. Every question is written to a [`Journal`] with its answer or
//! refusal before the answer leaves, so that the record holds whatever was revealed, also after a
//! crash.
//!
//! The bits bound what all answers to one job can tell. They do not bound which secrets these bits
//! are about: an allowed site may be asked about any ciphertext under the key. `docs/threat-model.md`
//! says more.
//!
//! Nothing here knows the secret key: [`Guard::answer`] is given a function that decrypts, and calls
//! it after everything else has been found in order.

mod error;
mod flow;
mod guard;
mod journal;
mod ledger;
mod rules;
mod sites;

pub use error::{JournalError, LedgerError, PolicyError, Refusal};
pub use guard::{Asking, Guard};
pub use journal::{Journal, Used};
pub use ledger::Ledger;
pub use rules::{Allowance, DEFAULT_BITS, Rules, Site};
pub use sites::Policy;
