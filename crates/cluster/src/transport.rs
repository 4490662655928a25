//! How bytes go from member to member: threads of one process, connections between machines.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ClusterError;

/// A member of a cluster: 0 is the driver, workers are numbered as they come. A worker that is lost and comes
/// again has another number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Member(pub u32);

impl Member {
    /// Who has the run.
    pub const DRIVER: Self = Self(0);
}

impl std::fmt::Display for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::DRIVER => f.write_str("the driver"),
            Self(number) => write!(f, "worker {number}"),
        }
    }
}

/// What a member hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A frame.
    Frame {
        /// Who sent it.
        from: Member,
        /// As it was sent.
        bytes: Vec<u8>,
    },
    /// A part of a long frame has come: who sends it is there.
    Coming(Member),
    /// A member cannot be reached any more.
    Lost {
        /// Who.
        member: Member,
        /// What the connection says.
        reason: String,
    },
}

/// One member's connections to all others. Frames from one member to another keep their order; nothing is
/// promised of frames between others.
pub trait Transport: Send + Sync {
    /// Who this is.
    fn own(&self) -> Member;

    /// Hands over a frame: it does not wait for the network. A member that cannot be reached is
    /// [lost](Event::Lost).
    fn send(&self, to: Member, frame: Vec<u8>);

    /// Waits for what comes next, no longer than that.
    fn receive(&self, patience: Duration) -> Option<Event>;

    /// Where a member can be reached, of whom this one has heard from the driver.
    fn introduce(&self, member: Member, address: &str);

    /// Connects the driver to a worker, which gets that number.
    ///
    /// # Errors
    /// [`ClusterError::Unreachable`].
    fn connect(&self, member: Member, address: &str) -> Result<(), ClusterError>;

    /// Ends the connections to a member.
    fn close(&self, member: Member);
}
