//! Secret keys behind a passphrase, of every scheme. Whatever the bytes are: an error, or a key
//! that was behind this passphrase.
//!
//! By its first byte an input is a file; or a payload that is filled up to the length that the
//! header promises, behind a sound checksum, with the preamble that readers look for or without; or
//! changes to a key, which goes behind a passphrase, comes back and is read.

#![no_main]

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use random::Generator;
use tfhe::{SecretKey, TOY_BLOCK};
use wire::container::{PROTECTED_VERSION, PROTECTION_BYTES};
use wire::{
    Cost, Header, Passphrase, WireError, container, cost_of, decode_payload, encode, protect,
    read_from, unprotect,
};

/// Scheme 1, 8 KiB, one pass, one lane.
const PREAMBLE: [u8; 16] = [1, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
/// What a file may cost here, in KiB times passes: more is sound, and would take too long.
const MOST: u64 = 64;

/// Header and payload of the smallest key of each scheme.
static KEYS: LazyLock<[(Header, Vec<u8>); 3]> = LazyLock::new(|| {
    let mut generator = Generator::from_key([5; 32]);
    let tfhe = SecretKey::generate(TOY_BLOCK, &mut generator).expect("a key");
    let toy = bgv::Parameters::named("TOY_51").expect("there is such a set");
    let go_on = |_| ControlFlow::Continue(());
    let keys = bgv::SecretKey::generate(&toy, &[], &mut generator, NonZeroUsize::MIN, &go_on);
    let bgv = wire::bgv::SecretKey::of(&keys.expect("a key").secret);
    // 12,830 bits, two less than the set allows.
    let mut modulus: Vec<u64> = (0..201).map(|limb| (limb * 0x9e37_79b9) | 1).collect();
    modulus[200] = u64::MAX >> 34;
    let set = gentry_halevi::Parameters::TOY_32;
    let gentry_halevi = wire::gentry_halevi::SecretKey::new(&set, &modulus, &modulus, &modulus);
    let files = [
        encode(&tfhe),
        encode(&bgv),
        encode(&gentry_halevi.expect("a key's numbers")),
    ];
    files.map(|file| {
        let file = file.expect("a key can be written");
        let (header, payload) = container::open(&file).expect("what was written can be read");
        (header, payload.to_vec())
    })
});

fn passphrase() -> Passphrase {
    Passphrase::new(b"correct horse".to_vec().into()).expect("of a usable length")
}

fn sealed(version: u16, header: &Header, payload: &[u8]) -> Vec<u8> {
    let Header {
        kind,
        fingerprint,
        key,
        ..
    } = *header;
    let sealed = container::seal_as(version, kind, fingerprint, key, payload);
    sealed.expect("short payloads can be stored").to_vec()
}

/// Any of the keys that may stand there.
fn read(header: &Header, payload: &[u8]) {
    let _ = decode_payload::<SecretKey>(header, payload);
    let _ = decode_payload::<wire::gentry_halevi::SecretKey>(header, payload);
    if let Ok(key) = decode_payload::<wire::bgv::SecretKey>(header, payload) {
        // The scheme may refuse it, and must not fall over.
        let _ = key.open();
    }
}

/// A file that no passphrase made.
fn stranger(bytes: &[u8]) {
    let Ok((header, payload)) = read_from(bytes, None) else {
        return;
    };
    read(&header, &payload);
    match cost_of(&header, &payload) {
        Err(error) => {
            let opened = unprotect(&header, &payload, &passphrase());
            assert_eq!(opened.err(), Some(error), "both look at the same");
        }
        Ok(cost) if u64::from(cost.memory_kib()) * u64::from(cost.passes()) <= MOST => {
            // Short of forging a tag nothing opens it.
            let opened = unprotect(&header, &payload, &passphrase());
            let error = opened.err().expect("nobody has this passphrase's key");
            let is_wrong = error == WireError::WrongPassphrase;
            assert!(is_wrong || matches!(error, WireError::Malformed { .. }));
        }
        Ok(_) => {}
    }
}

/// A key's payload behind the passphrase, and back.
fn owner(header: &Header, payload: &[u8], damage: usize) {
    let cost = Cost::new(8, 1, 1).expect("within bounds");
    let locked = protect(&sealed(1, header, payload), &passphrase(), cost).expect("a secret key");
    let (header, found) = container::open(&locked).expect("what was written can be read");
    let (open, back) = unprotect(&header, found, &passphrase()).expect("its passphrase");
    assert_eq!(back.expose(), payload);
    read(&open, back.expose());
    // One bit of it changed, under a checksum of its own.
    let mut found = found.to_vec();
    let place = damage % found.len();
    found[place] ^= 1 << (damage % 8);
    stranger(&sealed(PROTECTED_VERSION, &header, &found));
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, rest)) = data.split_first() else {
        return;
    };
    let (header, key) = &KEYS[usize::from(*choice) % KEYS.len()];
    let filled = |begin: &[u8]| {
        let mut payload = [begin, rest].concat();
        payload.resize(PROTECTION_BYTES + key.len(), 0);
        sealed(PROTECTED_VERSION, header, &payload)
    };
    match choice / 64 {
        0 => stranger(rest),
        1 => stranger(&filled(&[])),
        2 => stranger(&filled(&PREAMBLE)),
        _ => {
            let mut payload = key.clone();
            for (byte, change) in payload.iter_mut().zip(rest) {
                *byte ^= change;
            }
            let damage = rest.iter().fold(0_usize, |sum, byte| {
                31 * (sum % 65_536) + usize::from(*byte)
            });
            owner(header, &payload, damage);
        }
    }
});
