//! What any scheme's files must survive: damage is an error, and a payload in a sound container is
//! an error or a record.

use blindcore_wire::{
    Fingerprint, Kind, ParameterSet, Record, WireError, container, decode, encode,
};
use proptest::prelude::*;
use tfhe::KeyId;

/// Why bytes are no such record.
pub(crate) fn error<R: Record>(bytes: &[u8]) -> WireError {
    match decode::<R>(bytes) {
        Ok(_) => panic!("read without an error"),
        Err(error) => error,
    }
}

/// A file with one byte changed, one with more bytes at its end, and one that is cut off.
pub(crate) fn damaged(
    bytes: &[u8],
    at: prop::sample::Index,
    change: u8,
    tail: usize,
) -> [Vec<u8>; 3] {
    let at = at.index(bytes.len());
    let mut flipped = bytes.to_vec();
    flipped[at] ^= change;
    let mut longer = bytes.to_vec();
    longer.resize(bytes.len() + tail, change);
    [flipped, longer, bytes[..at].to_vec()]
}

/// Payloads up to 300 bytes; every second one with a length of its metadata that can be true.
pub(crate) fn payloads() -> impl Strategy<Value = Vec<u8>> {
    let bytes = proptest::collection::vec(any::<u8>(), 0..300);
    (bytes, any::<bool>()).prop_map(|(mut payload, short)| {
        if short && payload.len() >= 4 {
            payload[1..4].fill(0);
        }
        payload
    })
}

/// A payload that its writer would never make, in a sound container of key pair 0.
pub(crate) fn sealed(parameters: &impl ParameterSet, kind: Kind, payload: &[u8]) -> Vec<u8> {
    let fingerprint = Fingerprint::of(parameters);
    let key = KeyId::from_bytes([0; 16]);
    let sealed = container::seal(kind, fingerprint, key, payload);
    sealed.unwrap().to_vec()
}

/// What is read can be written.
pub(crate) fn writable<R: Record>(bytes: &[u8]) -> bool {
    decode::<R>(bytes).map_or(true, |record| encode(&record).is_ok())
}
