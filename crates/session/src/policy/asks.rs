//! Which kinds of questions a job was submitted with.

use std::fmt;

use processor::{Asked, Otherwise};
use serde::{Deserialize, Serialize};

/// What a job may ask at all, as it was submitted: a server that asks for anything else does not
/// carry out that job.
///
/// ```
/// use blindcore_session::policy::Asks;
/// use processor::{Asked, Otherwise};
///
/// let condition = Asked::Condition(a32::Condition::Equal);
/// assert!(Asks::from(Otherwise::Ask).includes(&condition));
/// assert!(!Asks::from(Otherwise::Ask).includes(&Asked::Target));
/// assert!(Asks::from(Otherwise::ClientHeld).includes(&Asked::Target));
/// assert!(!Asks::from(Otherwise::Refuse).includes(&condition));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Asks {
    /// Nothing.
    Nothing,
    /// Whether conditions hold.
    Conditions,
    /// Where the program goes on: what flags come from, and addresses.
    Places,
    /// Either: what is not known of a job that was submitted before this was written down.
    #[default]
    Anything,
}

impl Asks {
    /// Whether this is such a question.
    #[must_use]
    pub fn includes(self, asked: &Asked) -> bool {
        match asked {
            Asked::Condition(_) => matches!(self, Self::Conditions | Self::Anything),
            Asked::Operands { .. } | Asked::Target => matches!(self, Self::Places | Self::Anything),
        }
    }
}

impl From<Otherwise> for Asks {
    fn from(otherwise: Otherwise) -> Self {
        match otherwise {
            Otherwise::Refuse => Self::Nothing,
            Otherwise::Ask => Self::Conditions,
            Otherwise::ClientHeld => Self::Places,
        }
    }
}

impl fmt::Display for Asks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "the job was submitted to ask nothing",
            Self::Conditions => "the job was submitted to ask for conditions only",
            Self::Places => "the job was submitted to ask where it goes on, not for conditions",
            Self::Anything => "the job may ask anything",
        })
    }
}
