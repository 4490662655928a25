//! Files of BGV: what was written is read, and nothing else is.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod damage;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use bgv::{Keys, Level, Noise, ParameterLiteral, Parameters, Security};
use damage::{damaged, error, payloads, sealed, writable};
use proptest::prelude::*;
use random::Generator;
use tfhe::{KeyId, TOY_BLOCK};
use wire::bgv::{Inputs, Outputs, SecretKey, SeededVectors, ServerKey, Set, Vectors};
use wire::container::HEADER_BYTES;
use wire::{
    Element, Fingerprint, Kind, OutputBit, ParameterSet, Record, Type, Variable, Width, WireError,
    decode, encode,
};

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
        kind: Type::scalar(Element::Unsigned(Width::Bits8)),
    }
}

/// Slots of the vector of a bit's number.
fn slots(number: usize) -> Vec<bool> {
    (0..SLOTS)
        .map(|slot| (slot * 5 + number).is_multiple_of(3))
        .collect()
}

fn inputs() -> Inputs {
    let mut generator = Generator::from_key([8; 32]);
    let seed = generator.seed();
    let id = KEYS.secret.key_id();
    let mut vectors = SeededVectors::new(&toy(), id, seed, 3).unwrap();
    for number in 0..16 {
        let bits = slots(number as usize);
        let vector = KEYS
            .secret
            .encrypt_seeded(&bits, &seed, number, &mut generator)
            .unwrap();
        vectors.push(vector).unwrap();
    }
    Inputs::new(vec![byte("a"), byte("b")], vectors).unwrap()
}

fn outputs() -> Outputs {
    let mut generator = Generator::from_key([9; 32]);
    let evaluator = bgv::Evaluator::new(&KEYS.evaluation, ONE).unwrap();
    let mut vectors = Vectors::new(&toy(), KEYS.secret.key_id(), 4).unwrap();
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
    assert_eq!((read.bits().rows(), &read), (3, &inputs));
    let read: Outputs = decode(&encode(&outputs).unwrap()).unwrap();
    assert_eq!((read.secret().rows(), &read), (4, &outputs));
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
    for (number, vector) in outputs().secret().vectors().iter().enumerate() {
        assert_eq!(secret.decrypt(vector).unwrap(), slots(number));
    }
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
            found: Kind::BgvInputs,
            expected: Kind::BgvOutputs
        }
    );
    let foreign = sealed(&TOY_BLOCK, Kind::BgvInputs, b"");
    assert!(matches!(
        error::<Inputs>(&foreign),
        WireError::UnknownParameters { .. }
    ));
}

/// A key's declared length is checked against its set before the content is read.
#[test]
fn keys_of_impossible_lengths_are_refused() {
    let set = Set::new(toy());
    for kind in [Kind::BgvSecretKey, Kind::BgvServerKey] {
        let bytes = sealed(&set, kind, &[0; 40]);
        let found = match kind {
            Kind::BgvSecretKey => error::<SecretKey>(&bytes),
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
    let bytes = sealed(&set, Kind::BgvSecretKey, &payload);
    assert!(matches!(
        error::<SecretKey>(&bytes),
        WireError::Malformed { .. }
    ));
    // A residue that is not below its prime.
    let mut bytes = encode(&inputs()).unwrap().to_vec();
    let payload = &mut bytes[HEADER_BYTES..];
    let end = payload.len();
    payload[end - 8..].fill(0xff);
    let bytes = sealed(&set, Kind::BgvInputs, payload);
    let WireError::Malformed { reason } = error::<Inputs>(&bytes) else {
        panic!("read")
    };
    assert!(reason.contains("not below its modulus"), "{reason}");
}

#[test]
fn what_no_reader_takes_is_not_written() {
    let id = KEYS.secret.key_id();
    let seed = generator().seed();
    for rows in [0, SLOTS as u32 + 1] {
        let unstorable = |found| matches!(found, Err(WireError::Unstorable { .. }));
        assert!(unstorable(Vectors::new(&toy(), id, rows).map(|_| ())));
        assert!(unstorable(
            SeededVectors::new(&toy(), id, seed, rows).map(|_| ())
        ));
    }
    // A vector of another number, and one of another key.
    let mut vectors = SeededVectors::new(&toy(), id, seed, 1).unwrap();
    let vector = KEYS
        .secret
        .encrypt_seeded(&[true], &seed, 1, &mut generator())
        .unwrap();
    assert!(vectors.push(vector).is_err());
    let mut vectors = Vectors::new(&toy(), bgv::KeyId::from_bytes([1; 16]), 1).unwrap();
    let vector = outputs().secret().vectors()[0].clone();
    assert!(vectors.push(vector).is_err());
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
        prop_assert!(writable::<Inputs>(&sealed(&set, Kind::BgvInputs, &payload)));
        prop_assert!(writable::<Outputs>(&sealed(&set, Kind::BgvOutputs, &payload)));
        prop_assert!(writable::<ServerKey>(&sealed(&set, Kind::BgvServerKey, &payload)));
        prop_assert!(writable::<SecretKey>(&sealed(&set, Kind::BgvSecretKey, &payload)));
    }
}
