//! What was evaluated of the window that a run is in, as a file: a checkpoint's, whose state says
//! which window it is, which operations are done, and which signals the ciphertexts are.
//!
//! | field of the state | bytes |
//! |---|---|
//! | `blindcore part 1` | 16 |
//! | the window, a hash of where it begins and of its circuit | 32 |
//! | operations, ciphertexts, 8 bytes each | 16 |
//! | which operations are done, eight to a byte, least significant first | ⌈operations/8⌉ |
//! | the signal of each ciphertext | 4 each |

use processor::Part;
use tfhe::{KeyId, LweCiphertext, Parameters};

use super::EvaluationError;

const MAGIC: &[u8; 16] = b"blindcore part 1";

/// What the run of a part is called in its file.
fn run_of(run: [u8; 32]) -> [u8; 32] {
    *blake3::Hasher::new()
        .update(MAGIC)
        .update(&run)
        .finalize()
        .as_bytes()
}

/// How much of a window a part is: operations done, and all of them; `None` for the state of
/// another checkpoint.
#[cfg(any(feature = "secret", test))]
pub(crate) fn extent(state: &[u8]) -> Option<(usize, usize)> {
    let read = read(state)?;
    let done = read.evaluated.iter().filter(|done| **done).count();
    Some((done, read.evaluated.len()))
}

/// The part as a file's content.
pub(super) fn checkpoint(
    parameters: &Parameters,
    key: KeyId,
    run: [u8; 32],
    part: Part<LweCiphertext>,
) -> Result<wire::Checkpoint, EvaluationError> {
    let mut state = MAGIC.to_vec();
    state.extend(part.window);
    state.extend((part.evaluated.len() as u64).to_le_bytes());
    state.extend((part.values.len() as u64).to_le_bytes());
    state.extend(values::bytes_of(&part.evaluated));
    let mut bits = Vec::with_capacity(part.values.len());
    for (signal, bit) in part.values {
        state.extend(signal.to_le_bytes());
        bits.push(bit);
    }
    let run = run_of(run);
    Ok(wire::Checkpoint::new(*parameters, key, run, state, bits)?)
}

/// The part that a file holds; `None` if it is of another run, or none.
pub(super) fn part(checkpoint: wire::Checkpoint, run: [u8; 32]) -> Option<Part<LweCiphertext>> {
    if *checkpoint.run() != run_of(run) {
        return None;
    }
    let Read {
        window,
        evaluated,
        signals,
    } = read(checkpoint.state())?;
    let bits = checkpoint.into_bits();
    (bits.len() == signals.len()).then(|| Part {
        window,
        evaluated,
        values: signals.into_iter().zip(bits).collect(),
    })
}

struct Read {
    window: [u8; 32],
    evaluated: Vec<bool>,
    signals: Vec<u32>,
}

fn read(state: &[u8]) -> Option<Read> {
    let rest = state.strip_prefix(MAGIC)?;
    let (window, rest) = rest.split_first_chunk::<32>()?;
    let (operations, rest) = rest.split_first_chunk::<8>()?;
    let (count, rest) = rest.split_first_chunk::<8>()?;
    let operations = usize::try_from(u64::from_le_bytes(*operations)).ok()?;
    let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
    // What is allocated is there already.
    let (map, rest) = rest.split_at_checked(operations.div_ceil(8))?;
    let (signals, end) = rest.as_chunks::<4>();
    if signals.len() != count || !end.is_empty() {
        return None;
    }
    let mut evaluated = values::bits_of(map);
    evaluated.truncate(operations);
    Some(Read {
        window: *window,
        evaluated,
        signals: signals
            .iter()
            .map(|signal| u32::from_le_bytes(*signal))
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_states_are_read() {
        let parameters = tfhe::TOY_BLOCK;
        let part = Part {
            window: [7; 32],
            evaluated: (0..21).map(|node| node % 3 == 0).collect(),
            values: Vec::new(),
        };
        let key = KeyId::from_bytes([1; 16]);
        let file = checkpoint(&parameters, key, [2; 32], part.clone()).unwrap();
        let state = file.state().to_vec();
        assert_eq!(extent(&state), Some((7, 21)));
        let found = super::part(file.clone(), [2; 32]).unwrap();
        assert_eq!(
            (found.window, found.evaluated),
            (part.window, part.evaluated)
        );
        assert!(super::part(file, [3; 32]).is_none());
        for length in 0..state.len() {
            assert!(extent(&state[..length]).is_none(), "{length}");
        }
        let mut long = state.clone();
        long[48..56].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(extent(&long).is_none());
    }
}
