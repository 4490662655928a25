//! Files of keys, inputs, outputs and checkpoints. Whatever the bytes are: an error, or a record
//! that is written as the same bytes again.
//!
//! A checksum stops almost every mutation, so half of the inputs (by their first byte) are taken as
//! a payload and put into a sound container.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tfhe::leveled::SeededLeveledKey;
use tfhe::{KeyId, PublicKey, SecretKey, SeededServerKey, TOY_BLOCK};
use wire::{
    Checkpoint, Fingerprint, Inputs, Kind, Outputs, Record, container, decode, encode, read_from,
};

fn round_trip<R: Record>(bytes: &[u8]) {
    if let Ok(record) = decode::<R>(bytes) {
        let again = encode(&record).expect("what was read can be written");
        let _: R = decode(&again).ok().expect("what was written can be read");
    }
}

fuzz_target!(|data: &[u8]| {
    let sealed;
    let bytes = match data.split_first() {
        Some((choice, payload)) if *choice < 128 => {
            let kind = Kind::ALL[usize::from(*choice) % Kind::ALL.len()];
            let key = KeyId::from_bytes([*choice; 16]);
            // Of either format version.
            let version = 1 + u16::from(*choice >= 64);
            sealed = container::seal_as(version, kind, Fingerprint::of(&TOY_BLOCK), key, payload)
                .expect("short payloads can be stored");
            sealed.as_slice()
        }
        _ => data,
    };
    let read = read_from(bytes, None).map(|(header, payload)| (header, payload.to_vec()));
    let opened = container::open(bytes).map(|(header, payload)| (header, payload.to_vec()));
    assert_eq!(read, opened, "a file and its bytes in memory are one thing");
    round_trip::<SecretKey>(bytes);
    round_trip::<SeededServerKey>(bytes);
    round_trip::<SeededLeveledKey>(bytes);
    round_trip::<PublicKey>(bytes);
    round_trip::<Inputs>(bytes);
    round_trip::<Outputs>(bytes);
    round_trip::<Checkpoint>(bytes);
});
