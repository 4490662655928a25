//! Secret keys behind a passphrase: only it opens them, and nothing that a stranger writes into
//! such a file does harm.

use crate::samples;

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use blindcore_wire::container::{
    FORMAT_VERSION, HEADER_BYTES, PROTECTED_VERSION, PROTECTION_BYTES,
};
use blindcore_wire::{
    Cost, Kind, Passphrase, Record, WireError, container, cost_of, decode, decode_payload, encode,
    protect, unprotect,
};
use files::{Access, Existing, PendingFile, read_container};
use gentry_halevi::Parameters;
use proptest::prelude::*;
use random::Generator;
use samples::secret_key;
use tfhe::{P16, SecretKey, TOY_BLOCK};
use zeroize::Zeroizing;

const FIXTURE: &[u8] = include_bytes!("fixtures/v2.secret-key");

/// As little as Argon2id does: what a passphrase costs is not what is tested.
fn cheap() -> Cost {
    Cost::new(8, 1, 1).unwrap()
}

fn passphrase(text: &str) -> Passphrase {
    Passphrase::new(Zeroizing::new(text.as_bytes().to_vec())).unwrap()
}

fn protected(file: &[u8]) -> Vec<u8> {
    let bytes = protect(file, &passphrase("correct horse"), cheap()).unwrap();
    bytes.to_vec()
}

/// The file of the key behind a passphrase, without it.
fn opened(file: &[u8], text: &str) -> Result<Vec<u8>, WireError> {
    let (header, payload) = container::open(file)?;
    let (header, payload) = unprotect(&header, payload, &passphrase(text))?;
    let open = container::seal(
        header.kind,
        header.fingerprint,
        header.key,
        payload.expose(),
    )?;
    Ok(open.to_vec())
}

/// A stranger can make a checksum.
fn with_checksum(mut file: Vec<u8>) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&file[..68]).update(&file[HEADER_BYTES..]);
    file[68..HEADER_BYTES].copy_from_slice(hasher.finalize().as_bytes());
    file
}

fn of_bgv() -> Vec<u8> {
    let toy = bgv::Parameters::named("TOY_51").unwrap();
    let go_on = |_| ControlFlow::Continue(());
    let mut generator = Generator::from_key([7; 32]);
    let keys =
        bgv::SecretKey::generate(&toy, &[], &mut generator, NonZeroUsize::MIN, &go_on).unwrap();
    let key = blindcore_wire::bgv::SecretKey::of(&keys.secret);
    encode(&key).unwrap().to_vec()
}

fn of_gentry_halevi() -> Vec<u8> {
    // 12,830 bits, two less than the set allows.
    let mut modulus: Vec<u64> = (0..201).map(|limb| (limb * 0x9e37_79b9) | 1).collect();
    modulus[200] = u64::MAX >> 34;
    let mut root = modulus.clone();
    root[0] ^= 0xff00;
    let key =
        blindcore_wire::gentry_halevi::SecretKey::new(&Parameters::TOY_32, &modulus, &root, &root)
            .unwrap();
    encode(&key).unwrap().to_vec()
}

fn round_trip<R: Record>(file: &[u8]) {
    let locked = protected(file);
    assert_eq!(locked.len(), file.len() + PROTECTION_BYTES);
    assert_eq!(decode::<R>(&locked).err(), Some(WireError::Protected));
    // Who it belongs to stays readable.
    let ((open, payload), (header, _)) = (
        container::open(file).unwrap(),
        container::open(&locked).unwrap(),
    );
    assert_eq!(
        (open.version, header.version),
        (FORMAT_VERSION, PROTECTED_VERSION)
    );
    assert_eq!(
        (header.kind, header.fingerprint, header.key),
        (open.kind, open.fingerprint, open.key)
    );
    // Nothing else does: no sixteen bytes of the payload, but runs of zeros, stand after the
    // header. (It has the key's identity, which is part of the root of a key of Gentry and Halevi.)
    for part in payload
        .windows(16)
        .filter(|part| part.iter().any(|byte| *byte != 0))
    {
        assert!(
            !locked[HEADER_BYTES..]
                .windows(16)
                .any(|window| window == part)
        );
    }
    assert_eq!(opened(&locked, "correct horse").unwrap(), file);
    assert_eq!(
        opened(&locked, "correct horse ").unwrap_err(),
        WireError::WrongPassphrase
    );
    assert_eq!(
        opened(file, "correct horse").unwrap_err(),
        WireError::NotProtected
    );
    // Salt and nonce are fresh.
    let again = protected(file);
    assert_ne!(locked[HEADER_BYTES + 16..], again[HEADER_BYTES + 16..]);
    // The key itself reads from what was opened.
    let (header, payload) = container::open(&locked).unwrap();
    let (header, payload) = unprotect(&header, payload, &passphrase("correct horse")).unwrap();
    let key: R = decode_payload(&header, payload.expose()).ok().unwrap();
    assert_eq!(encode(&key).unwrap().to_vec(), file);
}

#[test]
fn keys_of_all_schemes_go_behind_a_passphrase_and_come_back() {
    round_trip::<SecretKey>(&encode(&secret_key(TOY_BLOCK)).unwrap());
    round_trip::<SecretKey>(&encode(&secret_key(P16)).unwrap());
    round_trip::<blindcore_wire::bgv::SecretKey>(&of_bgv());
    round_trip::<blindcore_wire::gentry_halevi::SecretKey>(&of_gentry_halevi());
}

/// Made by `examples/protect_fixture` and opened by argon2-cffi and PyNaCl: the format is what its
/// table says.
#[test]
fn a_file_of_this_format_stays_readable() {
    let (header, payload) = container::open(FIXTURE).unwrap();
    assert_eq!(
        cost_of(&header, payload).unwrap(),
        Cost::new(64, 2, 2).unwrap()
    );
    let open = opened(FIXTURE, "Blindcore test vector").unwrap();
    assert_eq!(open, encode(&secret_key(TOY_BLOCK)).unwrap().to_vec());
}

#[test]
fn every_changed_byte_is_noticed() {
    let good = protected(&encode(&secret_key(TOY_BLOCK)).unwrap());
    for position in 0..good.len() {
        let mut bytes = good.clone();
        bytes[position] ^= 1 << (position % 8);
        assert!(opened(&bytes, "correct horse").is_err(), "byte {position}");
        if (68..HEADER_BYTES).contains(&position) {
            continue;
        }
        // By somebody who makes the checksum, too.
        let error = opened(&with_checksum(bytes), "correct horse").unwrap_err();
        let fits = match position {
            // Magic, version, kind, parameters, length: as for every file.
            0..44 | 60..68 => error != WireError::WrongPassphrase,
            // The key's identity is authenticated.
            44..60 => error == WireError::WrongPassphrase,
            100..104 => matches!(error, WireError::Malformed { .. }),
            // A cost out of bounds, or another cost, which gives another key.
            104..116 => matches!(
                error,
                WireError::UnacceptableCost { .. } | WireError::WrongPassphrase
            ),
            _ => error == WireError::WrongPassphrase,
        };
        assert!(fits, "byte {position}: {error:?}");
    }
    for length in 0..good.len() {
        assert!(opened(&good[..length], "correct horse").is_err());
    }
}

/// What two files of one key have in common does not make their parts exchangeable.
#[test]
fn parts_of_two_files_do_not_mix() {
    let file = encode(&secret_key(TOY_BLOCK)).unwrap();
    let (one, other) = (protected(&file), protected(&file));
    let mixed = |cut: usize| {
        let mixed = [&one[..cut], &other[cut..]].concat();
        opened(&with_checksum(mixed), "correct horse")
    };
    for cut in [32, 56, one.len() - HEADER_BYTES - 16] {
        assert_eq!(
            mixed(HEADER_BYTES + cut),
            Err(WireError::WrongPassphrase),
            "{cut}"
        );
    }
    // Before the salt they are the same: that is the other file.
    assert_eq!(mixed(HEADER_BYTES + 16).unwrap(), file.to_vec());
}

#[test]
fn a_cost_out_of_bounds_is_refused_before_it_is_spent() {
    let good = protected(&encode(&secret_key(TOY_BLOCK)).unwrap());
    for (memory_kib, passes, lanes) in [
        (u32::MAX, 1, 1),
        ((1 << 20) + 1, 1, 1),
        (1 << 20, 5, 1),
        (8, u32::MAX, 1),
        (1 << 16, 65, 4),
        (1 << 20, u32::MAX, 4),
        (8, 0, 1),
        (8, 1, 0),
        (7, 1, 1),
        (31, 1, 4),
        (0, 0, 0),
        (1 << 10, 1, 17),
        (1 << 20, 1, u32::MAX),
    ] {
        let expected = WireError::UnacceptableCost {
            memory_kib,
            passes,
            lanes,
        };
        assert_eq!(Cost::new(memory_kib, passes, lanes), Err(expected.clone()));
        let mut bytes = good.clone();
        for (place, number) in [(104, memory_kib), (108, passes), (112, lanes)] {
            bytes[place..place + 4].copy_from_slice(&number.to_le_bytes());
        }
        let bytes = with_checksum(bytes);
        assert_eq!(opened(&bytes, "correct horse"), Err(expected.clone()));
        let (header, payload) = container::open(&bytes).unwrap();
        assert_eq!(cost_of(&header, payload), Err(expected));
    }
    for (memory_kib, passes, lanes) in [(8, 1, 1), (1 << 20, 4, 16), (8, 1 << 19, 1)] {
        assert!(Cost::new(memory_kib, passes, lanes).is_ok());
    }
}

#[test]
fn only_secret_keys_have_this_version() {
    let key = secret_key(TOY_BLOCK);
    for file in [
        encode(&samples::public_key(&key)).unwrap(),
        encode(&samples::server_key(&key)).unwrap(),
    ] {
        assert!(matches!(
            protect(&file, &passphrase("a"), cheap()),
            Err(WireError::Unstorable { .. })
        ));
        let mut bytes = file.to_vec();
        bytes[8] = 2;
        let error = container::open(&with_checksum(bytes)).unwrap_err();
        assert!(
            matches!(error, WireError::NewerFormat { newest: 1, .. }),
            "{error}"
        );
    }
    // Nor does a key go behind two.
    let once = protected(&encode(&key).unwrap());
    assert!(matches!(
        protect(&once, &passphrase("b"), cheap()),
        Err(WireError::Unstorable { .. })
    ));
}

#[test]
fn passphrases_have_a_length() {
    let of = |length: usize| Passphrase::new(Zeroizing::new(vec![b'a'; length]));
    for length in [0, Passphrase::LIMIT + 1, 1 << 20] {
        let error = of(length).err().unwrap();
        assert!(matches!(error, WireError::UnusablePassphrase { .. }));
    }
    assert!(of(1).is_ok() && of(Passphrase::LIMIT).is_ok());
    assert!(of(3).unwrap().equals_vartime(&of(3).unwrap()));
    assert!(!of(3).unwrap().equals_vartime(&of(4).unwrap()));
    // No byte is special.
    let file = encode(&secret_key(TOY_BLOCK)).unwrap();
    let odd = Passphrase::new(Zeroizing::new(vec![0, 0xff, b'\n', b' '])).unwrap();
    let locked = protect(&file, &odd, cheap()).unwrap();
    let (header, payload) = container::open(&locked).unwrap();
    assert!(unprotect(&header, payload, &odd).is_ok());
}

/// Until the rename, the old key is at the path; a process that is killed before then leaves a
/// file beside it.
#[test]
fn a_process_that_ends_halfway_leaves_a_key() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("alice.secret");
    let open = encode(&secret_key(TOY_BLOCK)).unwrap();
    fs::write(&path, &open).unwrap();
    let locked = protected(&open);
    let replace = Existing::ReplaceKind(Kind::SECRET_KEY);
    let pending = PendingFile::stage(&path, &locked, Access::OwnerOnly, replace).unwrap();
    assert_eq!(fs::read(&path).unwrap(), open.to_vec());
    // As a kill does, nothing is dropped.
    std::mem::forget(pending);
    assert_eq!(fs::read(&path).unwrap(), open.to_vec());
    let pending = PendingFile::stage(&path, &locked, Access::OwnerOnly, replace).unwrap();
    pending.commit().unwrap();
    let (header, payload) = read_container(&path, Some(Kind::SECRET_KEY)).unwrap();
    assert!(header.is_protected());
    assert!(unprotect(&header, &payload, &passphrase("correct horse")).is_ok());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

proptest! {
    /// Whatever a stranger puts behind a sound header: an error.
    #[test]
    fn made_up_protection_opens_nothing(
        mut payload in proptest::collection::vec(any::<u8>(), 0..200),
        sound in any::<bool>(),
        kind in prop::sample::select(vec![1_u16, 6, 10]),
    ) {
        let mut file = protected(&encode(&secret_key(TOY_BLOCK)).unwrap());
        if sound && payload.len() >= 16 {
            payload[..16].copy_from_slice(&file[HEADER_BYTES..HEADER_BYTES + 16]);
        }
        file.truncate(HEADER_BYTES);
        file[10..12].copy_from_slice(&kind.to_le_bytes());
        file[60..68].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        file.extend_from_slice(&payload);
        prop_assert!(opened(&with_checksum(file), "correct horse").is_err());
    }
}
