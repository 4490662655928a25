//! How a connection begins: who calls, whom, and in which session.

use crate::message::PROTOCOL;
use crate::transport::Member;

/// What all connections of a run have in common: random, so that one of an earlier run is no part of it.
pub(super) type Session = [u8; 16];

const MAGIC: [u8; 8] = *b"blindwrk";
/// Bytes of a greeting.
pub(super) const LENGTH: usize = 8 + 4 + 16 + 4 + 4 + 1;

/// What who calls says first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Greeting {
    pub(super) session: Session,
    pub(super) from: Member,
    pub(super) to: Member,
    /// Whether who calls writes on this connection, or reads.
    pub(super) writes: bool,
}

/// What is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    Welcome = 1,
    /// It works for another driver.
    Busy = 2,
    /// The session is none that it knows.
    Stranger = 3,
}

impl Answer {
    pub(super) fn of(byte: u8) -> Option<Self> {
        [Self::Welcome, Self::Busy, Self::Stranger]
            .into_iter()
            .find(|answer| *answer as u8 == byte)
    }
}

impl Greeting {
    pub(super) fn to_bytes(self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&PROTOCOL.to_le_bytes());
        bytes[12..28].copy_from_slice(&self.session);
        bytes[28..32].copy_from_slice(&self.from.0.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.to.0.to_le_bytes());
        bytes[36] = u8::from(self.writes);
        bytes
    }

    pub(super) fn of(bytes: &[u8; LENGTH]) -> Option<Self> {
        let word = |at: usize| {
            let mut word = [0; 4];
            word.copy_from_slice(&bytes[at..at + 4]);
            u32::from_le_bytes(word)
        };
        if bytes[..8] != MAGIC || word(8) != PROTOCOL || bytes[36] > 1 {
            return None;
        }
        let mut session = [0; 16];
        session.copy_from_slice(&bytes[12..28]);
        Some(Self {
            session,
            from: Member(word(28)),
            to: Member(word(32)),
            writes: bytes[36] == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_read_and_others_refused() {
        let greeting = Greeting {
            session: [7; 16],
            from: Member(3),
            to: Member(9),
            writes: true,
        };
        let bytes = greeting.to_bytes();
        assert_eq!(Greeting::of(&bytes), Some(greeting));
        for at in (0..12).chain([36]) {
            let mut other = bytes;
            other[at] ^= 0x40;
            assert_eq!(Greeting::of(&other), None, "byte {at}");
        }
    }
}
