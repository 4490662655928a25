//! What members of a cluster say to each other, and how it is read: a checksum, a length, a message, and
//! whatever is large behind it.

use processor::Task;
use serde::{Deserialize, Serialize};
use session::ErrorKind;

use crate::ClusterError;
use crate::transport::Member;

/// Bytes of a frame's checksum: the first of a BLAKE3 hash of all that follows.
const CHECKSUM_BYTES: usize = 16;
/// Bytes of the length of what comes before the bulk.
const LENGTH_BYTES: usize = 4;

/// Bytes of the longest frame: a checkpoint of 65,000 ciphertexts.
pub(crate) const LONGEST: usize = 1 << 30;

/// Says which messages are meant: both sides have the same, or do not talk.
pub(crate) const PROTOCOL: u32 = 3;

/// The numbers of [`Message::Job`] and [`Message::Table`], of which variables have fields within fields: read from
/// anybody, they could fill any stack.
const NESTED: [u32; 2] = [0, 1];

/// A message with its bulk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Letter {
    pub(crate) message: Message,
    pub(crate) bulk: Vec<u8>,
}

impl From<Message> for Letter {
    fn from(message: Message) -> Self {
        Self {
            message,
            bulk: Vec::new(),
        }
    }
}

impl Letter {
    /// The frame.
    pub(crate) fn seal(&self) -> Result<Vec<u8>, ClusterError> {
        let meta = postcard::to_stdvec(&self.message).map_err(|error| ClusterError::Message {
            reason: error.to_string(),
        })?;
        let mut frame = vec![0; CHECKSUM_BYTES];
        frame.reserve(LENGTH_BYTES + meta.len() + self.bulk.len());
        frame.extend((meta.len() as u32).to_le_bytes());
        frame.extend(meta);
        frame.extend(&self.bulk);
        if frame.len() > LONGEST {
            let reason = format!("{} bytes are too many: at most {LONGEST}", frame.len());
            return Err(ClusterError::Message { reason });
        }
        let hash = blake3::hash(&frame[CHECKSUM_BYTES..]);
        frame[..CHECKSUM_BYTES].copy_from_slice(&hash.as_bytes()[..CHECKSUM_BYTES]);
        Ok(frame)
    }

    /// Reads a frame of a worker, who has no jobs to give.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub(crate) fn of_worker(frame: Vec<u8>) -> Result<Self, ClusterError> {
        // As the reader itself takes the number: one number has several spellings.
        let message = frame.get(CHECKSUM_BYTES + LENGTH_BYTES..).unwrap_or(&[]);
        let number = postcard::take_from_bytes::<u32>(message);
        if number.is_ok_and(|(number, _)| NESTED.contains(&number)) {
            return Err(ClusterError::Message {
                reason: "a worker that gives orders".to_owned(),
            });
        }
        Self::open(frame)
    }

    /// Reads a frame.
    ///
    /// # Errors
    /// [`ClusterError::Corrupt`] where its checksum is another, [`ClusterError::Message`] for what is none.
    pub(crate) fn open(mut frame: Vec<u8>) -> Result<Self, ClusterError> {
        let wrong = |reason: &str| ClusterError::Message {
            reason: reason.to_owned(),
        };
        let begin = CHECKSUM_BYTES + LENGTH_BYTES;
        if frame.len() < begin {
            return Err(wrong("a frame is too short"));
        }
        let hash = blake3::hash(&frame[CHECKSUM_BYTES..]);
        if hash.as_bytes()[..CHECKSUM_BYTES] != frame[..CHECKSUM_BYTES] {
            return Err(ClusterError::Corrupt);
        }
        let mut length = [0; LENGTH_BYTES];
        length.copy_from_slice(&frame[CHECKSUM_BYTES..begin]);
        let end = begin.checked_add(u32::from_le_bytes(length) as usize);
        let Some(end) = end.filter(|&end| end <= frame.len()) else {
            return Err(wrong("a frame ends too early"));
        };
        let message =
            postcard::from_bytes(&frame[begin..end]).map_err(|error| wrong(&error.to_string()))?;
        frame.drain(..end);
        Ok(Self {
            message,
            bulk: frame,
        })
    }
}

/// A member as others know it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Peer {
    pub(crate) member: Member,
    /// Where it listens.
    pub(crate) address: String,
    pub(crate) cores: u32,
    /// How many times as fast as the slowest: by its own measurement.
    pub(crate) speed: f64,
}

/// What is to be run. The bulk holds the program, the inputs and the checkpoint, one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct JobMessage {
    /// What the program is called in messages.
    pub(crate) name: String,
    pub(crate) program: u64,
    pub(crate) task: Task,
    /// Which variable of the inputs each secret of the task is.
    pub(crate) places: Vec<u64>,
    /// Files of inputs: names and lengths.
    pub(crate) inputs: Vec<(String, u64)>,
    /// Length of the checkpoint to go on from.
    pub(crate) checkpoint: Option<u64>,
    /// The run's name in checkpoints.
    pub(crate) run: [u8; 32],
    /// BLAKE3 of the server key's file.
    pub(crate) key: [u8; 32],
    /// For how many cores circuits are recorded.
    pub(crate) threads: u32,
    /// Whether every instruction is recorded with the fewest operations, as planned.
    pub(crate) is_wide: bool,
    /// Bits that links carry in a second.
    pub(crate) bits_per_second: f64,
    /// Whether ciphertexts travel [halved](crate::bits::Codec::is_halved).
    pub(crate) is_halved: bool,
    /// For a run on this worker alone: bytes that its ciphertexts may take.
    pub(crate) alone: Option<u64>,
    /// Threads that a worker alone may take, if not all that it has.
    pub(crate) most_threads: Option<u32>,
}

/// A program for rows that follow one by one. The bulk holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TableMessage {
    /// What the program is called in messages.
    pub(crate) name: String,
    pub(crate) task: Task,
    /// Which variable of the inputs each secret of the task is.
    pub(crate) places: Vec<u64>,
    pub(crate) scheme: TableScheme,
    /// BLAKE3 of the server key's file.
    pub(crate) key: [u8; 32],
}

/// What evaluates rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableScheme {
    /// A row is a run.
    Tfhe,
    /// A batch of rows is.
    Bgv,
}

/// What is said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Message {
    /// Driver to worker: what to run.
    Job(Box<JobMessage>),
    /// Driver to worker: what to run on rows.
    Table(Box<TableMessage>),
    /// Driver to worker: the inputs of a row, as files with their lengths, one after the other in the bulk.
    Row {
        number: u32,
        inputs: Vec<(String, u64)>,
    },
    /// Worker to driver: the outputs of a row, as a file in the bulk.
    RowDone { number: u32, instructions: u64 },
    /// Worker to driver: it lacks the key with this hash.
    KeyWanted,
    /// Driver to worker: the key's file.
    Key,
    /// Worker to driver: key, program and its first window are ready.
    Ready {
        /// Its workers.
        cores: u32,
        /// Nanoseconds of a lookup in a batch, by its own measurement.
        lookup: f64,
    },
    /// Driver to worker: stop, and say what is there. An epoch begins when machines come or go.
    Halt {
        /// The next epoch.
        epoch: u32,
    },
    /// Worker to driver: what of a window is there; the bulk has a bit for each node.
    Have {
        epoch: u32,
        window: u32,
        /// Of the window's circuit.
        fingerprint: [u8; 32],
        /// Its nodes.
        nodes: u64,
    },
    /// Driver to worker: who is there, in the order of the placement; the bulk has what each holds, as many
    /// bytes for each, or nothing if nobody holds anything.
    Begin { epoch: u32, peers: Vec<Peer> },
    /// Worker to worker: ciphertexts of these signals, in the bulk.
    Bits {
        epoch: u32,
        window: u32,
        signals: Vec<u32>,
    },
    /// Worker to driver: it has placed a window, and begins.
    Placed {
        epoch: u32,
        window: u32,
        /// Of circuit and placement: all must have the same.
        agreement: [u8; 32],
    },
    /// Worker to driver: it has all outputs of a window.
    Finished {
        epoch: u32,
        window: u32,
        /// Of circuit and placement: all must have the same.
        agreement: [u8; 32],
    },
    /// Driver to worker: so have all.
    Continue {
        /// The next window.
        window: u32,
    },
    /// Worker to driver: the state between two windows, as a checkpoint file.
    Checkpoint {
        /// The window that follows.
        window: u32,
    },
    /// Worker to driver: what the program wrote in the clear, from that byte of all that it writes.
    Written { offset: u64 },
    /// Worker to driver: nodes of its share that are done, with all of earlier windows.
    Progress {
        window: u32,
        nodes: u64,
        instructions: u64,
    },
    /// Worker to driver: the program has ended.
    Done { instructions: u64 },
    /// Driver to worker: the outputs are wanted.
    Give,
    /// Worker to driver: the outputs file.
    Outputs,
    /// Worker to driver: it cannot go on, for a reason that all would have.
    Failed { kind: ErrorKind, reason: String },
    /// Worker to driver: a member cannot be reached, or what came from it was damaged.
    Accused { member: Member, reason: String },
    /// Worker to driver: it lives.
    Alive,
    /// Driver to worker: nothing more is wanted.
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter() -> Letter {
        Letter {
            message: Message::Bits {
                epoch: 3,
                window: 7,
                signals: vec![1, 2, 300],
            },
            bulk: (0..100).collect(),
        }
    }

    #[test]
    fn letters_are_read() {
        let frame = letter().seal().expect("a frame");
        assert_eq!(Letter::open(frame).expect("the same"), letter());
    }

    /// Every flipped bit is noticed, and so is every cut.
    #[test]
    fn damage_is_noticed() {
        let frame = letter().seal().expect("a frame");
        for bit in 0..8 * frame.len() {
            let mut damaged = frame.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(
                matches!(Letter::open(damaged), Err(ClusterError::Corrupt)),
                "bit {bit}"
            );
        }
        for length in 0..frame.len() {
            assert!(
                Letter::open(frame[..length].to_vec()).is_err(),
                "{length} bytes"
            );
        }
    }

    /// Messages that nest are the first two, and of a worker they are refused unread.
    #[test]
    fn workers_give_no_jobs() {
        let table = TableMessage {
            name: String::new(),
            task: Task::default(),
            places: Vec::new(),
            scheme: TableScheme::Tfhe,
            key: [0; 32],
        };
        let letter = Letter::from(Message::Table(Box::new(table)));
        let frame = letter.seal().expect("a frame");
        assert_eq!(Letter::open(frame.clone()).expect("the same"), letter);
        let begin = CHECKSUM_BYTES + LENGTH_BYTES;
        assert_eq!(u32::from(frame[begin]), NESTED[1]);
        // The same number in two bytes is read as that order, too.
        let mut longer = frame.clone();
        longer.splice(begin..=begin, [0x81, 0x00]);
        let length = u32::from_le_bytes(longer[CHECKSUM_BYTES..begin].try_into().expect("four"));
        longer[CHECKSUM_BYTES..begin].copy_from_slice(&(length + 1).to_le_bytes());
        let hash = blake3::hash(&longer[CHECKSUM_BYTES..]);
        longer[..CHECKSUM_BYTES].copy_from_slice(&hash.as_bytes()[..CHECKSUM_BYTES]);
        assert_eq!(Letter::open(longer.clone()).expect("the same"), letter);
        for order in [frame, longer] {
            let refused = Letter::of_worker(order).expect_err("an order");
            assert!(refused.to_string().contains("orders"), "{refused}");
        }
        let alive = Letter::from(Message::Alive);
        let frame = alive.seal().expect("a frame");
        assert_eq!(Letter::of_worker(frame).expect("the same"), alive);
    }

    /// A frame that is sound and says nonsense.
    #[test]
    fn nonsense_is_refused() {
        for content in [
            &[0xff; 40][..],
            &[0, 0, 0, 0],
            &[4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
        ] {
            let mut frame = vec![0; CHECKSUM_BYTES];
            frame.extend(content);
            let hash = blake3::hash(&frame[CHECKSUM_BYTES..]);
            frame[..CHECKSUM_BYTES].copy_from_slice(&hash.as_bytes()[..CHECKSUM_BYTES]);
            assert!(matches!(
                Letter::open(frame),
                Err(ClusterError::Message { .. })
            ));
        }
    }
}
