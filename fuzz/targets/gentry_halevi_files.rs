//! Files of the Gentry–Halevi scheme: keys, inputs, outputs. Whatever the bytes are: an error, or a
//! record that is written and read again.
//!
//! A checksum stops almost every mutation, so half of the inputs (by their first byte) are taken as
//! a payload and put into a sound container of the smallest set.

#![no_main]

use gentry_halevi::Parameters;
use libfuzzer_sys::fuzz_target;
use tfhe::KeyId;
use wire::gentry_halevi::{Inputs, Outputs, SecretKey, ServerKey};
use wire::{Fingerprint, Kind, Record, container, decode, encode, read_from};

const KINDS: [Kind; 4] = [
    Kind::GENTRY_HALEVI_SECRET_KEY,
    Kind::GENTRY_HALEVI_SERVER_KEY,
    Kind::GENTRY_HALEVI_INPUTS,
    Kind::GENTRY_HALEVI_OUTPUTS,
];

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
            let kind = KINDS[usize::from(*choice) % KINDS.len()];
            // A root of zeros is the one that short payloads have.
            let key = KeyId::from_bytes([0; 16]);
            let fingerprint = Fingerprint::of(&Parameters::TOY_32);
            sealed = container::seal(kind, fingerprint, key, payload)
                .expect("short payloads can be stored");
            sealed.as_slice()
        }
        _ => data,
    };
    let read = read_from(bytes, None).map(|(header, payload)| (header, payload.to_vec()));
    let opened = container::open(bytes).map(|(header, payload)| (header, payload.to_vec()));
    assert_eq!(read, opened, "a file and its bytes in memory are one thing");
    if let Ok((header, payload)) = &opened
        && let Ok(key) = ServerKey::from_payload(header, payload)
    {
        let limbs: &[u64] = key.as_ref();
        assert_eq!(limbs.len(), key.key().limbs() * Parameters::TOY_32.public_parts());
    }
    round_trip::<SecretKey>(bytes);
    round_trip::<Inputs>(bytes);
    round_trip::<Outputs>(bytes);
});
