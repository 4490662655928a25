//! The client half: what the owner of the secret key needs of the service.
//!
//! A [`Client`] connects with a certificate, uploads what the server lacks, submits, follows, and
//! fetches. It is blocking: the network runs on a thread of its own, so that the caller needs no
//! asynchronous code. What a broken connection interrupted is tried again, with growing pauses,
//! until nothing has been heard of the server for [`Settings::patience`]; every call of the
//! protocol can be repeated without harm, so that this needs no further state.
//!
//! Questions are answered by a [`Responder`], which the caller implements, since only it has the
//! secret key. Nothing here can decrypt. A [`Submission`] is the caller's own record of a job,
//! without which a server could invent jobs to ask about.

mod admin;
mod connection;
mod diagnosis;
mod error;
mod follow;
mod jobs;
mod submission;
mod upload;

pub use admin::Certificate;
pub use connection::{Address, Client, Notice, Settings};
pub use error::ClientError;
pub(crate) use error::printable;
pub use follow::{Responder, ended};
pub use jobs::Fetched;
pub use submission::{Submission, SubmissionError};
pub use upload::Blob;
