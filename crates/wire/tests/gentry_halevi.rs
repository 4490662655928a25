//! Files of the Gentry–Halevi scheme: what was written is read, mapped or not, and nothing else is.
//! The numbers are made up; this crate looks at their lengths and top limbs only.

use crate::damage;

use std::fs;
use std::path::{Path, PathBuf};

use blindcore_wire::container::{HEADER_BYTES, seal};
use blindcore_wire::gentry_halevi::{Inputs, Key, Numbers, Outputs, SecretKey, ServerKey};
use blindcore_wire::{Fingerprint, Header, Kind, OutputBit, Variable, WireError, decode, encode};
use damage::{damaged, error, payloads, sealed, writable};
use files::{Access, Existing, Reservation};
use gentry_halevi::Parameters;
use proptest::prelude::*;
use tempfile::TempDir;
use tfhe::{KeyId, TOY_BLOCK};
use values::{Element, Type};

const TOY: Parameters = Parameters::TOY_32;
const LIMBS: usize = 201;
/// Bits of the modulus: two less than the set allows.
const BITS: u32 = 12_830;
/// What its top limb lacks.
const SPARE: u32 = 64 * LIMBS as u32 - BITS;
const MIB: u64 = 1 << 20;

/// A number below the modulus.
fn number(seed: u64) -> Vec<u64> {
    let limb = |at: usize| {
        (seed + 1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(at as u32)
    };
    let mut limbs: Vec<u64> = (0..LIMBS).map(limb).collect();
    limbs[LIMBS - 1] >>= SPARE + 1;
    limbs
}

fn modulus() -> Vec<u64> {
    let mut limbs = number(0);
    limbs[0] |= 1;
    limbs[LIMBS - 1] = u64::MAX >> SPARE;
    limbs
}

fn key() -> Key {
    Key::of(&TOY, &modulus(), &number(1)).unwrap()
}

fn public_limbs() -> Vec<u64> {
    let rest = (1..TOY.public_parts() as u64).flat_map(number);
    modulus().into_iter().chain(rest).collect()
}

fn numbers(count: u64) -> Numbers {
    let mut numbers = Numbers::new(key());
    (0..count).for_each(|seed| numbers.push(&number(seed)).unwrap());
    numbers
}

fn byte(name: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        kind: Type::scalar(Element::U8),
    }
}

fn inputs() -> Inputs {
    Inputs::new(vec![byte("a"), byte("b")], numbers(16)).unwrap()
}

fn outputs() -> Outputs {
    let bits = (0..8).map(|bit| match bit < 5 {
        true => OutputBit::Secret,
        false => OutputBit::Clear(bit == 6),
    });
    Outputs::new(vec![byte("sum")], bits.collect(), numbers(5)).unwrap()
}

fn secret_key() -> SecretKey {
    SecretKey::new(&TOY, &modulus(), &number(1), &number(2)).unwrap()
}

/// A directory with a public key in it.
fn with_server_key() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("alice.server");
    let place = Reservation::new(&path, Access::Shared, Existing::Keep).unwrap();
    let file = files::fill_server_key(place, &TOY, &public_limbs()).unwrap();
    file.commit().unwrap();
    (directory, path)
}

fn open(path: &Path) -> Result<ServerKey, WireError> {
    files::open_server_key(path, &mut |_, _| {})
}

#[test]
fn what_is_written_is_read() {
    assert_eq!(
        decode::<Inputs>(&encode(&inputs()).unwrap()).unwrap(),
        inputs()
    );
    assert_eq!(
        decode::<Outputs>(&encode(&outputs()).unwrap()).unwrap(),
        outputs()
    );
    let read: SecretKey = decode(&encode(&secret_key()).unwrap()).unwrap();
    assert_eq!(read.key(), &key());
    assert_eq!(read.modulus(), modulus());
    assert_eq!(read.root(), number(1));
    assert_eq!(read.secret(), number(2));
    assert_eq!(key().modulus_bits(), BITS);
    assert_eq!(key().limbs(), LIMBS);
}

#[test]
fn a_public_key_is_shared_and_checked_with_progress() {
    let (_directory, path) = with_server_key();
    let mut progress = Vec::new();
    let mapped =
        files::open_server_key(&path, &mut |done, total| progress.push((done, total))).unwrap();
    let length = fs::metadata(&path).unwrap().len();
    assert_eq!(length, 128 + 8 * (LIMBS * TOY.public_parts()) as u64);
    assert!(length > MIB);
    assert_eq!(progress.last(), Some(&(length - 100, length - 100)));
    assert!(mapped.is_shared());
    assert_eq!(mapped.as_ref(), public_limbs());
    assert_eq!(mapped.modulus(), modulus());
    assert_eq!(mapped.root(), number(1));
    assert_eq!(mapped.key(), &key());
    // The same through memory, as it comes from a pipe.
    let bytes = fs::read(&path).unwrap();
    let (header, payload) = blindcore_wire::container::open(&bytes).unwrap();
    assert_eq!(&header, mapped.header());
    let owned = ServerKey::from_payload(&header, payload).unwrap();
    assert!(!owned.is_shared());
    assert_eq!(owned.as_ref(), mapped.as_ref());
    // A replaced file leaves those who have the old one open with it.
    let other = Reservation::new(
        &path,
        Access::Shared,
        Existing::ReplaceKind(Kind::GENTRY_HALEVI_SERVER_KEY),
    );
    let mut limbs = public_limbs();
    limbs[2 * LIMBS] ^= 1;
    files::fill_server_key(other.unwrap(), &TOY, &limbs)
        .unwrap()
        .commit()
        .unwrap();
    assert_eq!(mapped.as_ref(), public_limbs());
    assert_eq!(open(&path).unwrap().as_ref(), limbs);
}

#[test]
fn schemes_are_told_apart() {
    let (_directory, path) = with_server_key();
    let bytes = fs::read(&path).unwrap();
    let expected = |found, expected| WireError::WrongKind { found, expected };
    assert_eq!(
        error::<blindcore_wire::Inputs>(&encode(&inputs()).unwrap()),
        expected(Kind::GENTRY_HALEVI_INPUTS, Kind::INPUTS)
    );
    assert_eq!(
        error::<tfhe::SeededServerKey>(&bytes),
        expected(Kind::GENTRY_HALEVI_SERVER_KEY, Kind::SERVER_KEY)
    );
    fs::write(&path, encode(&inputs()).unwrap()).unwrap();
    let error = open(&path).unwrap_err();
    assert_eq!(
        error,
        expected(Kind::GENTRY_HALEVI_INPUTS, Kind::GENTRY_HALEVI_SERVER_KEY)
    );
    assert_eq!(
        error.to_string(),
        "this is an inputs file of the Gentry–Halevi scheme, a public key of the Gentry–Halevi \
         scheme was expected"
    );
    // A set of one scheme is none of the other's.
    let fingerprint = Fingerprint::of(&TOY_BLOCK);
    let id = KeyId::from_bytes([1; 16]);
    let swapped = seal(Kind::GENTRY_HALEVI_INPUTS, fingerprint, id, b"").unwrap();
    assert_eq!(
        damage::error::<Inputs>(&swapped),
        WireError::UnknownParameters { fingerprint }
    );
}

#[test]
fn what_does_not_fit_is_not_stored() {
    let unstorable = |result: Result<(), WireError>| {
        assert!(
            matches!(result, Err(WireError::Unstorable { .. })),
            "{result:?}"
        );
    };
    unstorable(Inputs::new(vec![byte("a")], numbers(7)).map(drop));
    let all = vec![OutputBit::Secret; 8];
    unstorable(Outputs::new(vec![byte("a")], all, numbers(7)).map(drop));
    unstorable(SecretKey::new(&TOY, &modulus(), &number(1), &[1]).map(drop));
    unstorable(Numbers::new(key()).push(&[1]));
    let even_longer = vec![1; LIMBS + 1];
    unstorable(Key::of(&TOY, &even_longer, &even_longer).map(drop));
    let zero_top = vec![0; LIMBS];
    unstorable(Key::of(&TOY, &zero_top, &zero_top).map(drop));
    let (directory, _) = with_server_key();
    let path = directory.path().join("bob.server");
    let limbs = public_limbs();
    for wrong in [&limbs[..limbs.len() - 1], &limbs[..LIMBS], &[]] {
        let place = Reservation::new(&path, Access::Shared, Existing::Keep).unwrap();
        unstorable(files::fill_server_key(place, &TOY, wrong).map(drop));
    }
    assert!(!path.exists());
}

#[test]
fn damaged_public_keys_are_refused() {
    let (_directory, path) = with_server_key();
    let good = fs::read(&path).unwrap();
    let damaged = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        open(&path).unwrap_err()
    };
    let flipped = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        damaged(&bytes)
    };
    assert_eq!(flipped(0), WireError::NotOurs);
    assert!(matches!(flipped(20), WireError::UnknownParameters { .. }));
    // The length is not one that this many numbers have.
    assert!(matches!(flipped(60), WireError::Malformed { .. }));
    // Identity, checksum, preamble, the first number and the last byte.
    for at in [50, 80, 100, 110, 200, good.len() - 1] {
        assert_eq!(flipped(at), WireError::Corrupted, "byte {at}");
    }
    let expected = good.len() as u64;
    for length in [0, 50, 100, 127, 128, good.len() - 1] {
        let error = damaged(&good[..length]);
        let expected = if length < HEADER_BYTES { 100 } else { expected };
        let length = length as u64;
        assert_eq!(error, WireError::Truncated { length, expected });
    }
    let longer = [&good[..], &[0]].concat();
    assert_eq!(damaged(&longer), WireError::TrailingBytes { expected });
    // No length is believed: a header that declares all there may be, and nothing behind it.
    let mut declared = good[..HEADER_BYTES].to_vec();
    declared[60..68].copy_from_slice(&(4_u64 << 30).to_le_bytes());
    assert!(matches!(damaged(&declared), WireError::Malformed { .. }));
    declared[60..68].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(matches!(damaged(&declared), WireError::Oversized { .. }));
}

#[test]
fn sound_containers_with_impossible_keys_are_refused() {
    let (_directory, path) = with_server_key();
    let good = fs::read(&path).unwrap()[HEADER_BYTES..].to_vec();
    let change = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut payload = good.clone();
        change(&mut payload);
        let bytes = sealed(&TOY, Kind::GENTRY_HALEVI_SERVER_KEY, &payload);
        fs::write(&path, &bytes).unwrap();
        let mapped = open(&path).unwrap_err();
        let read = match blindcore_wire::container::open(&bytes) {
            Ok((header, payload)) => ServerKey::from_payload(&header, payload).unwrap_err(),
            Err(error) => error,
        };
        assert_eq!(mapped, read, "mapped or not");
        let WireError::Malformed { reason } = mapped else {
            panic!("{mapped}")
        };
        reason
    };
    let number_at = |index: usize| 28 + 8 * LIMBS * index;
    for (reason, part) in [
        (change(&|p| p[..4].fill(0)), "a modulus of 0 bits"),
        (
            change(&|p| p[..4].fill(255)),
            "a modulus of 4294967295 bits",
        ),
        (
            change(&|p| p[..4].copy_from_slice(&BITS.div_ceil(2).to_le_bytes())),
            "numbers of",
        ),
        (change(&|p| p[4] ^= 1), "numbers of"),
        (change(&|p| p[20] = 1), "not zero"),
        (
            change(&|p| p[number_at(5) - 1] = 255),
            "as large as the modulus",
        ),
        (
            change(&|p| p[number_at(1) - 8..number_at(1)].fill(0)),
            "highest limb",
        ),
        (change(&|p| p[number_at(1)] ^= 1), "identity"),
        (change(&|p| p.truncate(28)), "numbers of at most"),
        (change(&|p| p.truncate(p.len() - 8)), "numbers of at most"),
    ] {
        assert!(reason.contains(part), "{reason}: {part}");
    }
}

#[test]
fn secret_keys_are_checked_as_well() {
    let good = encode(&secret_key()).unwrap()[HEADER_BYTES..].to_vec();
    // Length of the metadata, a number of two bytes, then modulus, root and secret.
    assert_eq!(good.len(), 4 + 2 + 3 * 8 * LIMBS);
    let refused = |payload: &[u8]| {
        let error = error::<SecretKey>(&sealed(&TOY, Kind::GENTRY_HALEVI_SECRET_KEY, payload));
        assert!(matches!(error, WireError::Malformed { .. }), "{error}");
    };
    for at in [3, 4, 5, 6 + 8 * LIMBS, good.len() - 1] {
        let mut payload = good.clone();
        payload[at] = 0xff;
        refused(&payload);
    }
    refused(&good[..good.len() - 1]);
    refused(&[]);
    refused(&[good.as_slice(), &[0; 24]].concat());
    let mut even_shorter = encode(&secret_key()).unwrap().to_vec();
    even_shorter.truncate(150);
    assert!(matches!(
        error::<SecretKey>(&even_shorter),
        WireError::Truncated { .. }
    ));
}

/// A fingerprint stands in every file, and its layout is what old files have.
#[test]
fn what_files_begin_with_is_for_ever() {
    let sets = [
        Parameters::BROKEN_512,
        Parameters::BROKEN_2048,
        Parameters::BROKEN_8192,
    ];
    let fingerprints = sets.map(|set| Fingerprint::of(&set).to_string());
    assert_eq!(
        fingerprints,
        ["ffe247fb1c3e84c8", "bd3be2ba2c4ea056", "9552ea11c7732a67"]
    );
    let (_directory, path) = with_server_key();
    let files = [
        fs::read(&path).unwrap(),
        encode(&secret_key()).unwrap().to_vec(),
        encode(&inputs()).unwrap().to_vec(),
        encode(&outputs()).unwrap().to_vec(),
    ];
    let hashes = files.map(|bytes| blake3::hash(&bytes).to_hex()[..16].to_owned());
    assert_eq!(
        hashes,
        [
            "b0e235362f09cb99",
            "36e8b2be7c53770b",
            "596fcef2ac98b9c0",
            "ac69f5ae34c95e96"
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_damage_is_an_error(at: prop::sample::Index, change in 1_u8.., tail in 1_usize..50) {
        for bytes in [
            encode(&secret_key()).unwrap(),
            encode(&inputs()).unwrap(),
            encode(&outputs()).unwrap(),
        ] {
            for bytes in damaged(&bytes, at, change, tail) {
                prop_assert!(decode::<SecretKey>(&bytes).is_err());
                prop_assert!(decode::<Inputs>(&bytes).is_err());
                prop_assert!(decode::<Outputs>(&bytes).is_err());
            }
        }
    }

    #[test]
    fn any_payload_is_survived(payload in payloads()) {
        for kind in Kind::ALL {
            let bytes = sealed(&TOY, kind, &payload);
            if let Ok((header, _)) = Header::parse(&bytes) {
                prop_assert!(ServerKey::from_payload(&header, &payload).is_err());
            }
            prop_assert!(decode::<SecretKey>(&bytes).is_err());
            prop_assert!(writable::<Inputs>(&bytes) && writable::<Outputs>(&bytes));
        }
    }
}
