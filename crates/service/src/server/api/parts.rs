//! How many parts a submission has, before it is decoded: two bytes are enough for one, which takes
//! a hundred when it is decoded.

/// Where the parts are: a submission's task, its entry, the call there.
const WITHIN: [u64; 3] = [6, 1, 4];

/// Fields of a submission, of its task, and of what is called; `None` if it is no message of the kinds
/// of fields that ours have. (Decoders skip groups, so who stops at one would count too few.)
pub(super) fn count(submission: &[u8]) -> Option<usize> {
    fields(submission, &WITHIN)
}

fn fields(mut message: &[u8], within: &[u64]) -> Option<usize> {
    let mut count = 0;
    while !message.is_empty() {
        let (number, content, rest) = field(message)?;
        count += 1;
        if let Some((first, within)) = within.split_first()
            && *first == number
        {
            count += fields(content, within)?;
        }
        message = rest;
    }
    Some(count)
}

/// The first field of a message: its number, its content where it has a length, and what follows.
fn field(message: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let (key, rest) = number(message)?;
    let length = match key & 7 {
        0 => rest.len() - number(rest)?.1.len(),
        1 => 8,
        5 => 4,
        2 => {
            let (length, rest) = number(rest)?;
            let (content, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            return Some((key >> 3, content, rest));
        }
        _ => return None,
    };
    Some((key >> 3, &[], rest.split_at_checked(length)?.1))
}

/// A number of seven bits a byte, the lowest first.
fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    for (place, byte) in bytes.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(place + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::proto::{Call, Entry, Input, JobSpec, Object, Task, entry};

    #[test]
    fn every_part_counts() {
        let mut spec = JobSpec {
            request_id: vec![1; 300],
            threads: 300,
            ..JobSpec::default()
        };
        assert_eq!(count(&spec.encode_to_vec()), Some(2));
        let called = Call {
            function: "f".to_owned(),
            ..Call::default()
        };
        spec.task = Some(Task {
            entry: Some(Entry {
                at: Some(entry::At::Call(called)),
            }),
            inputs: vec![Input::default(); 1_000],
            objects: vec![
                Object {
                    address: 7,
                    size: 9
                };
                100
            ],
            ..Task::default()
        });
        // The task, its entry, the call, the function's name.
        let bytes = spec.encode_to_vec();
        assert_eq!(count(&bytes), Some(2 + 4 + 1_100));
        for end in 0..bytes.len().min(2_000) {
            assert!(count(&bytes[..end]).is_none_or(|count| count < 1_106));
        }
        // A group, an unknown kind, a number without end.
        for none in [&[0x0b, 0x0c][..], &[0x0f], &[0xff; 30]] {
            assert_eq!(count(none), None);
        }
    }
}
