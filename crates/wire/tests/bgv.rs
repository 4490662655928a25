//! Files of BGV: what was written is read, and nothing else is.

use crate::damage;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use bgv::{Keys, Level, Noise, ParameterLiteral, Parameters, Security};
use blindcore_wire::bgv::{
    Batches, FreshVectors, Inputs, Outputs, PublicKey, SecretKey, ServerKey, Set, Share, Vectors,
};
use blindcore_wire::container::{HEADER_BYTES, open, seal_as};
use blindcore_wire::{
    Containers, Fingerprint, Kind, OutputBit, ParameterSet, Record, Variable, WireError, decode,
    encode,
};
use damage::{damaged, error, payloads, sealed, writable};
use proptest::prelude::*;
use random::Generator;
use tfhe::{KeyId, TOY_BLOCK};
use values::{Element, Type};

const ONE: NonZeroUsize = NonZeroUsize::MIN;
const SLOTS: usize = 4;

fn toy() -> Parameters {
    Parameters::named("TOY_51").unwrap()
}

fn generator() -> Generator {
    Generator::from_key([7; 32])
}

static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let go_on = |_| ControlFlow::Continue(());
    bgv::SecretKey::generate(&toy(), &[], &mut generator(), ONE, &go_on).unwrap()
});

fn byte(name: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        kind: Type::scalar(Element::U8),
    }
}

/// Slots of the vector of a bit's number.
fn slots(number: usize) -> Vec<bool> {
    (0..SLOTS)
        .map(|slot| (slot * 5 + number).is_multiple_of(3))
        .collect()
}

fn share(table: u32, batch: u32) -> Share {
    Share::new(table, batch, &toy()).unwrap()
}

fn inputs() -> Inputs {
    batch(share(3, 0), &["a", "b"])
}

/// Bytes of these names, sixteen bits.
fn batch(share: Share, names: &[&str]) -> Inputs {
    let mut generator = Generator::from_key([8; 32]);
    let seed = generator.seed();
    let id = KEYS.secret.key_id();
    let mut vectors = FreshVectors::new(&toy(), id, seed, share).unwrap();
    for number in 0..8 * names.len() as u64 {
        let bits = slots(number as usize);
        let vector = KEYS
            .secret
            .encrypt_seeded(&bits, &seed, number, &mut generator)
            .unwrap();
        vectors.push(vector).unwrap();
    }
    Inputs::new(names.iter().map(|name| byte(name)).collect(), vectors).unwrap()
}

/// The same with the public key.
fn public_inputs() -> Inputs {
    let mut generator = Generator::from_key([8; 32]);
    let id = KEYS.secret.key_id();
    let mut vectors = FreshVectors::public(&toy(), id, share(3, 0)).unwrap();
    for number in 0..16 {
        let vector = KEYS.public.encrypt(&slots(number), &mut generator);
        vectors.push_public(vector.unwrap()).unwrap();
    }
    Inputs::new(["a", "b"].map(byte).to_vec(), vectors).unwrap()
}

fn outputs() -> Outputs {
    let mut generator = Generator::from_key([9; 32]);
    let evaluator = bgv::Evaluator::new(&KEYS.evaluation, ONE).unwrap();
    let mut vectors = Vectors::new(&toy(), KEYS.secret.key_id(), share(4, 0)).unwrap();
    for number in 0..5 {
        let vector = KEYS.secret.encrypt(&slots(number), &mut generator).unwrap();
        let level = Level::from_number(toy().top().number() - number as u16);
        vectors
            .push(evaluator.switch_to(&vector, level).unwrap())
            .unwrap();
    }
    let bits = (0..8).map(|bit| match bit < 5 {
        true => OutputBit::Secret,
        false => OutputBit::Clear(bit == 6),
    });
    Outputs::new(vec![byte("sum")], bits.collect(), vectors).unwrap()
}

#[test]
fn what_is_written_is_read() {
    let (inputs, outputs) = (inputs(), outputs());
    let read: Inputs = decode(&encode(&inputs).unwrap()).unwrap();
    assert_eq!((read.bits().share().rows(), &read), (3, &inputs));
    let read: Outputs = decode(&encode(&outputs).unwrap()).unwrap();
    assert_eq!((read.secret().share().rows(), &read), (4, &outputs));
    let public = public_inputs();
    let read: Inputs = decode(&encode(&public).unwrap()).unwrap();
    assert_eq!((read.bits().is_public(), &read), (true, &public));
    let key = PublicKey::of(&KEYS.public);
    let bytes = encode(&key).unwrap();
    assert_eq!(bytes.len() as u64, PublicKey::file_bytes(&toy()));
    assert_eq!(decode::<PublicKey>(&bytes).unwrap(), key);
    let server = ServerKey::of(&KEYS.evaluation);
    let bytes = encode(&server).unwrap();
    assert_eq!(bytes.len() as u64, ServerKey::file_bytes(&toy()));
    assert_eq!(decode::<ServerKey>(&bytes).unwrap(), server);
}

/// Keys and vectors from files do what those did that were written.
#[test]
fn what_is_read_decrypts_and_computes() {
    let secret: SecretKey = decode(&encode(&SecretKey::of(&KEYS.secret)).unwrap()).unwrap();
    let secret = secret.open().unwrap();
    assert_eq!(secret.coefficients(), KEYS.secret.coefficients());
    let server: ServerKey = decode(&encode(&ServerKey::of(&KEYS.evaluation)).unwrap()).unwrap();
    let evaluator = bgv::Evaluator::new(&server.open(ONE).unwrap().into(), ONE).unwrap();
    let vectors = inputs().bits().expand(evaluator.ring()).unwrap();
    let both = evaluator.and(&vectors[3], &vectors[4]).unwrap();
    let expected: Vec<bool> = slots(3)
        .iter()
        .zip(slots(4))
        .map(|(a, b)| *a && b)
        .collect();
    assert_eq!(secret.decrypt(&both).unwrap(), expected);
    // Both keys' vectors in one computation, by a public key that was in a file.
    let public: PublicKey = decode(&encode(&PublicKey::of(&KEYS.public)).unwrap()).unwrap();
    let mine = public.open().unwrap().encrypt(&slots(3), &mut generator());
    let theirs = public_inputs().bits().expand(evaluator.ring()).unwrap();
    for (one, other) in [(&mine.unwrap(), &vectors[4]), (&theirs[3], &theirs[4])] {
        let both = evaluator.and(one, other).unwrap();
        assert_eq!(secret.decrypt(&both).unwrap(), expected);
    }
    for (number, vector) in outputs().secret().vectors().iter().enumerate() {
        assert_eq!(secret.decrypt(vector).unwrap(), slots(number));
    }
}

/// Tables of one run have the same rows.
#[test]
fn tables_that_are_used_together_have_equally_many_rows() {
    let (a, b) = (batch(share(5, 0), &["x", "a"]), batch(share(5, 0), &["b"]));
    let join = blindcore_wire::bgv::join;
    assert_eq!(join(&[&a, &b]), Ok(vec![1, 0]));
    let other = |found| {
        Err(WireError::OtherFile {
            number: 1,
            error: Box::new(WireError::OtherRows { found, expected: 5 }),
        })
    };
    assert_eq!(join(&[&a, &batch(share(6, 0), &["b"])]), other(6));
    assert_eq!(join(&[&a, &batch(share(5, 1), &["b"])]), other(5));
    let twice = WireError::GivenTwice {
        name: "b".to_owned(),
        files: (1, 2),
    };
    assert_eq!(join(&[&a, &b, &b]), Err(twice));
}

/// A fingerprint spells its set out, whichever it is.
#[test]
fn sets_are_found_by_their_fingerprints() {
    let largest = ParameterLiteral {
        index: 4369,
        big_bits: 45,
        small_bits: 30,
        top: Level::from_number(3),
        specials: 1,
        special_bits: 45,
        digit: 1,
        security: Security::Bits128,
    };
    for parameters in [
        toy(),
        Parameters::named("TOY_255").unwrap(),
        Parameters::new(largest).unwrap(),
    ] {
        let set = Set::new(parameters);
        let fingerprint = Fingerprint::of(&set);
        assert_eq!(Set::find(&fingerprint).unwrap(), set);
        for byte in 0..32 {
            let mut other = fingerprint;
            other.0[byte] ^= 1;
            assert_eq!(
                Set::find(&other),
                Err(WireError::UnknownParameters { fingerprint: other })
            );
        }
    }
}

#[test]
fn other_kinds_are_refused() {
    let bytes = encode(&inputs()).unwrap();
    assert_eq!(
        error::<Outputs>(&bytes),
        WireError::WrongKind {
            found: Kind::BGV_INPUTS,
            expected: Kind::BGV_OUTPUTS
        }
    );
    let foreign = sealed(&TOY_BLOCK, Kind::BGV_INPUTS, b"");
    assert!(matches!(
        error::<Inputs>(&foreign),
        WireError::UnknownParameters { .. }
    ));
}

/// A key's declared length is checked against its set before the content is read.
#[test]
fn keys_of_impossible_lengths_are_refused() {
    let set = Set::new(toy());
    for kind in [
        Kind::BGV_SECRET_KEY,
        Kind::BGV_PUBLIC_KEY,
        Kind::BGV_SERVER_KEY,
    ] {
        let bytes = sealed(&set, kind, &[0; 40]);
        let found = match kind {
            Kind::BGV_PUBLIC_KEY => error::<PublicKey>(&bytes),
            Kind::BGV_SECRET_KEY => error::<SecretKey>(&bytes),
            _ => error::<ServerKey>(&bytes),
        };
        let WireError::Malformed { reason } = found else {
            panic!("{found}")
        };
        assert!(reason.contains("the header declares 40"), "{reason}");
    }
}

/// Contents that a sound container may hold and no writer would make.
#[test]
fn contents_that_the_scheme_refuses() {
    let set = Set::new(toy());
    let degree = toy().degree();
    // A coefficient of the secret that is 2.
    let mut payload = vec![0; 4];
    payload.resize(4 + degree, 1);
    payload[10] = 3;
    let bytes = sealed(&set, Kind::BGV_SECRET_KEY, &payload);
    assert!(matches!(
        error::<SecretKey>(&bytes),
        WireError::Malformed { .. }
    ));
    // A residue of a public key that is not below its prime, and one of what was made with it.
    let mut payload = encode(&PublicKey::of(&KEYS.public)).unwrap()[HEADER_BYTES..].to_vec();
    let end = payload.len();
    payload[end - 8..].fill(0xff);
    let read: PublicKey = decode(&sealed(&set, Kind::BGV_PUBLIC_KEY, &payload)).unwrap();
    let WireError::Malformed { reason } = read.open().map(|_| ()).unwrap_err() else {
        panic!("opened")
    };
    assert!(reason.contains("not below its modulus"), "{reason}");
    let bytes = encode(&public_inputs()).unwrap();
    let (header, payload) = open(&bytes).unwrap();
    let sealed_as = |version, payload: &[u8]| {
        seal_as(
            version,
            Kind::BGV_INPUTS,
            header.fingerprint,
            header.key,
            payload,
        )
        .unwrap()
    };
    let mut wrong = payload.to_vec();
    let end = wrong.len();
    wrong[end - 8..].fill(0xff);
    let WireError::Malformed { reason } = error::<Inputs>(&sealed_as(2, &wrong)) else {
        panic!("read")
    };
    assert!(reason.contains("not below its modulus"), "{reason}");
    // Masks in the file are not taken for a seed, nor cut off.
    for bytes in [sealed_as(1, payload), sealed_as(2, &payload[..end - 8])] {
        assert!(matches!(
            error::<Inputs>(&bytes),
            WireError::Malformed { .. }
        ));
    }
    // A residue that is not below its prime.
    let mut bytes = encode(&inputs()).unwrap().to_vec();
    let payload = &mut bytes[HEADER_BYTES..];
    let end = payload.len();
    payload[end - 8..].fill(0xff);
    let bytes = sealed(&set, Kind::BGV_INPUTS, payload);
    let WireError::Malformed { reason } = error::<Inputs>(&bytes) else {
        panic!("read")
    };
    assert!(reason.contains("not below its modulus"), "{reason}");
}

#[test]
fn what_no_reader_takes_is_not_written() {
    let id = KEYS.secret.key_id();
    let seed = generator().seed();
    let unstorable = |found| matches!(found, Err(WireError::Unstorable { .. }));
    // No table, a batch after the last, and rows that another set's slots share out.
    for (table, batch) in [(0, 0), (4, 1), (5, 2), (u32::MAX, 1 << 30)] {
        assert!(unstorable(Share::new(table, batch, &toy()).map(|_| ())));
    }
    let other = Share::new(9, 0, &Parameters::named("TOY_255").unwrap()).unwrap();
    assert!(unstorable(Vectors::new(&toy(), id, other).map(|_| ())));
    assert!(unstorable(
        FreshVectors::new(&toy(), id, seed, other).map(|_| ())
    ));
    // A vector that is not fresh, or has a seed, among those of the public key; and the other way
    // round.
    let mut vectors = FreshVectors::public(&toy(), id, share(1, 0)).unwrap();
    let own = KEYS.secret.encrypt(&[true], &mut generator()).unwrap();
    assert!(unstorable(vectors.push_public(own)));
    let seeded = KEYS
        .secret
        .encrypt_seeded(&[true], &seed, 0, &mut generator());
    assert!(unstorable(vectors.push(seeded.unwrap())));
    let fresh = KEYS.public.encrypt(&[true], &mut generator()).unwrap();
    let mut seeded = FreshVectors::new(&toy(), id, seed, share(1, 0)).unwrap();
    assert!(unstorable(seeded.push_public(fresh.clone())));
    assert_eq!(vectors.push_public(fresh), Ok(()));
    // A vector of another number, and one of another key.
    let mut vectors = FreshVectors::new(&toy(), id, seed, share(1, 0)).unwrap();
    let vector = KEYS
        .secret
        .encrypt_seeded(&[true], &seed, 1, &mut generator())
        .unwrap();
    assert!(vectors.push(vector).is_err());
    let mut vectors = Vectors::new(&toy(), bgv::KeyId::from_bytes([1; 16]), share(1, 0)).unwrap();
    let vector = outputs().secret().vectors()[0].clone();
    assert!(vectors.push(vector).is_err());
}

/// Reads all batches of a file.
fn batches(bytes: &[u8]) -> Result<Vec<Inputs>, WireError> {
    let mut containers = Containers::new(bytes);
    let first = containers.next_container(None)?;
    let (first, rest) = Batches::of(first, containers)?;
    std::iter::once(Ok(first)).chain(rest).collect()
}

/// The files of the batches of `rows` rows.
fn files(rows: u32) -> Vec<Vec<u8>> {
    (0..share(rows, 0).batches())
        .map(|number| {
            encode(&batch(share(rows, number), &["a"]))
                .unwrap()
                .to_vec()
        })
        .collect()
}

/// Rows of each batch of a table.
#[test]
fn batches_share_the_rows_out() {
    for (rows, expected) in [
        (1, vec![1]),
        (4, vec![4]),
        (5, vec![4, 1]),
        (8, vec![4, 4]),
        (11, vec![4, 4, 3]),
    ] {
        let read = batches(&files(rows).concat()).unwrap();
        let found: Vec<u32> = read
            .iter()
            .map(|batch| batch.bits().share().rows())
            .collect();
        assert_eq!(found, expected);
        for (number, batch) in read.iter().enumerate() {
            let share = batch.bits().share();
            assert_eq!((share.batch(), share.table_rows()), (number as u32, rows));
        }
    }
    let last = share(u32::MAX, (1 << 30) - 1);
    assert_eq!((last.batches(), last.rows()), (1 << 30, 3));
}

/// Every cut is an error that names the batch; nothing of the batch that was cut is given out.
#[test]
fn a_file_that_lacks_batches_is_refused() {
    let files = files(11);
    let whole = files.concat();
    let starts = [0, files[0].len(), files[0].len() + files[1].len()];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut");
    for length in [
        starts[1],
        starts[1] + 1,
        starts[1] + HEADER_BYTES + 1,
        starts[2],
        whole.len() - 1,
    ] {
        let cut = &whole[..length];
        let number = if length < starts[2] { 2 } else { 3 };
        let begins = starts[number - 1];
        let expected = match length - begins {
            ..HEADER_BYTES => begins + HEADER_BYTES,
            _ => begins + files[number - 1].len(),
        };
        let error = WireError::Batch {
            number: number as u32,
            batches: 3,
            error: Box::new(WireError::Truncated {
                length: length as u64,
                expected: expected as u64,
            }),
        };
        assert_eq!(batches(cut), Err(error.clone()));
        // Before the first batch is worked on, where lengths can be had.
        std::fs::write(&path, cut).unwrap();
        assert_eq!(files::batches::<Inputs>(&path).map(|_| ()), Err(error));
    }
    let mut long = whole.clone();
    long.push(0);
    std::fs::write(&path, &long).unwrap();
    let error = WireError::TrailingBytes {
        expected: whole.len() as u64,
    };
    assert_eq!(batches(&long), Err(error.clone()));
    assert_eq!(files::batches::<Inputs>(&path).map(|_| ()), Err(error));
    std::fs::write(&path, &whole).unwrap();
    let (first, rest) = files::batches::<Inputs>(&path).unwrap();
    let rest: Vec<Inputs> = rest.collect::<Result<_, _>>().unwrap();
    assert_eq!((first, rest), {
        let mut all = batches(&whole).unwrap();
        (all.remove(0), all)
    });
}

/// Batches in another order, of another table, key or program, and one that was changed.
#[test]
fn batches_that_do_not_belong_together_are_refused() {
    let own = files(11);
    let of = |parts: &[&[u8]]| batches(&parts.concat());
    let reason = |found: Result<Vec<Inputs>, WireError>| match found.unwrap_err() {
        WireError::Malformed { reason } => (0, reason),
        WireError::Batch { number, error, .. } => (number, error.to_string()),
        other => panic!("{other}"),
    };
    let fails = |parts: &[&[u8]], at: u32, part: &str| {
        let (number, message) = reason(of(parts));
        assert_eq!(number, at, "{message}");
        assert!(message.contains(part), "{message}");
    };
    fails(&[&own[1], &own[2]], 0, "batch 2 comes first");
    fails(
        &[&own[0], &own[2], &own[1]],
        2,
        "it says that it is batch 3",
    );
    fails(&[&own[0], &files(12)[1], &own[2]], 2, "of 12 rows");
    let other = encode(&batch(share(11, 1), &["b"])).unwrap();
    fails(&[&own[0], &other, &own[2]], 2, "other variables");
    let outputs = encode(&outputs()).unwrap();
    fails(
        &[&own[0], &outputs],
        2,
        "an inputs file of BGV was expected",
    );
    let mut foreign = own[1].clone();
    foreign[44] ^= 1;
    let header = sealed_again(&foreign);
    fails(&[&own[0], &header, &own[2]], 2, "another key");
    let mut changed = own[2].clone();
    *changed.last_mut().unwrap() ^= 1;
    fails(&[&own[0], &own[1], &changed], 3, "checksum");
}

/// The same content under a checksum that fits what the header says.
fn sealed_again(bytes: &[u8]) -> Vec<u8> {
    let key = KeyId::from_bytes(bytes[44..60].try_into().unwrap());
    let fingerprint = Fingerprint::of(&Set::new(toy()));
    blindcore_wire::container::seal(Kind::BGV_INPUTS, fingerprint, key, &bytes[HEADER_BYTES..])
        .unwrap()
        .to_vec()
}

#[test]
fn noise_travels_with_its_vector() {
    let read: Outputs = decode(&encode(&outputs()).unwrap()).unwrap();
    for (read, written) in read
        .secret()
        .vectors()
        .iter()
        .zip(outputs().secret().vectors())
    {
        assert_eq!(read.noise(), written.noise());
        assert_eq!(read.level(), written.level());
        let terms: [f64; Noise::TERMS] = read.noise().terms();
        assert!(terms.iter().any(|&term| term > 0.0));
    }
    assert_eq!(
        read.key_id(),
        KeyId::from_bytes(*KEYS.secret.key_id().as_bytes())
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn damage_is_an_error(at: prop::sample::Index, change in 1..=255u8, tail in 1..40usize) {
        for bytes in damaged(&encode(&inputs()).unwrap(), at, change, tail) {
            error::<Inputs>(&bytes);
        }
        for bytes in damaged(&files(6).concat(), at, change, tail) {
            prop_assert!(batches(&bytes).is_err());
        }
        for bytes in damaged(&encode(&outputs()).unwrap(), at, change, tail) {
            error::<Outputs>(&bytes);
        }
        for bytes in damaged(&encode(&ServerKey::of(&KEYS.evaluation)).unwrap(), at, change, tail) {
            error::<ServerKey>(&bytes);
        }
        for bytes in damaged(&encode(&SecretKey::of(&KEYS.secret)).unwrap(), at, change, tail) {
            error::<SecretKey>(&bytes);
        }
    }

    #[test]
    fn payloads_in_sound_containers_are_records_or_errors(payload in payloads()) {
        let set = Set::new(toy());
        prop_assert!(writable::<Inputs>(&sealed(&set, Kind::BGV_INPUTS, &payload)));
        prop_assert!(writable::<Outputs>(&sealed(&set, Kind::BGV_OUTPUTS, &payload)));
        prop_assert!(writable::<ServerKey>(&sealed(&set, Kind::BGV_SERVER_KEY, &payload)));
        prop_assert!(writable::<SecretKey>(&sealed(&set, Kind::BGV_SECRET_KEY, &payload)));
    }
}
