//! Every kind of file: what was written is read, and nothing else is. Toy parameters.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use proptest::prelude::*;
use random::Generator;
use tfhe::{
    KeyId, P16, PackedInputs, Parameters, SecretKey, SeededServerKey, ShrunkBits, TOY_BLOCK,
    TOY_UNIFORM,
};
use wire::container::{FORMAT_VERSION, HEADER_BYTES, seal};
use wire::{
    Element, Fingerprint, Header, Inputs, Kind, OutputBit, Outputs, Record, Type, Variable, Width,
    WireError, decode, encode, match_keys,
};

fn generator() -> Generator {
    Generator::from_key([5; 32])
}

fn secret_key(parameters: Parameters) -> SecretKey {
    SecretKey::generate(parameters, &mut generator()).unwrap()
}

fn variable(name: &str, kind: Type) -> Variable {
    Variable {
        name: name.to_owned(),
        kind,
    }
}

fn inputs(key: &SecretKey) -> Inputs {
    let variables = vec![
        variable("a", Type::scalar(Element::Unsigned(Width::Bits8))),
        variable("text", Type::array(Element::Character, 3)),
    ];
    let bits: Vec<bool> = (0..32).map(|bit| bit % 3 == 0).collect();
    Inputs::new(variables, key.encrypt(&bits, &mut generator())).unwrap()
}

/// Outputs whose secret bits are no real ciphertexts: this crate never looks into them.
fn outputs(key: &SecretKey) -> Outputs {
    let variables = vec![
        variable("flag", Type::scalar(Element::Boolean)),
        variable("pair", Type::array(Element::Signed(Width::Bits16), 2)),
    ];
    let bits: Vec<OutputBit> = (0..40)
        .map(|bit| {
            if bit % 4 == 0 {
                OutputBit::Secret
            } else {
                OutputBit::Clear(bit % 3 == 0)
            }
        })
        .collect();
    let words = 10 * ShrunkBits::words_per_bit(key.parameters());
    let elements = (0..words).map(|word| (word * 257) as u16).collect();
    let secret = ShrunkBits::from_parts(*key.parameters(), key.key_id(), elements).unwrap();
    Outputs::new(variables, bits, secret).unwrap()
}

fn server_key(key: &SecretKey) -> SeededServerKey {
    SeededServerKey::generate(key, &mut generator(), 1, &|_, _| {}).unwrap()
}

fn error<R: Record>(bytes: &[u8]) -> WireError {
    match decode::<R>(bytes) {
        Ok(_) => panic!("read without an error"),
        Err(error) => error,
    }
}

#[test]
fn what_is_written_is_read() {
    for parameters in [TOY_BLOCK, TOY_UNIFORM] {
        let key = secret_key(parameters);
        let read: SecretKey = decode(&encode(&key).unwrap()).unwrap();
        assert_eq!(read.small_bits(), key.small_bits());
        assert_eq!(read.big_bits(), key.big_bits());
        assert_eq!(read.key_id(), key.key_id());
        assert_eq!(read.parameters(), key.parameters());
        let server = server_key(&key);
        assert_eq!(
            decode::<SeededServerKey>(&encode(&server).unwrap()).unwrap(),
            server
        );
        let inputs = inputs(&key);
        assert_eq!(decode::<Inputs>(&encode(&inputs).unwrap()).unwrap(), inputs);
        let outputs = outputs(&key);
        assert_eq!(
            decode::<Outputs>(&encode(&outputs).unwrap()).unwrap(),
            outputs
        );
    }
}

#[test]
fn the_wrong_kind_is_named() {
    let key = secret_key(TOY_BLOCK);
    let error = error::<Inputs>(&encode(&server_key(&key)).unwrap());
    assert_eq!(
        error,
        WireError::WrongKind {
            found: Kind::ServerKey,
            expected: Kind::Inputs
        }
    );
    assert_eq!(
        error.to_string(),
        "this is a server key, an inputs file was expected"
    );
}

#[test]
fn foreign_and_unknown_files_are_refused() {
    assert_eq!(
        error::<Inputs>(b"\x7fELF\x01\x01\x01 and so on"),
        WireError::NotOurs
    );
    let key = secret_key(TOY_BLOCK);
    let mut newer = encode(&inputs(&key)).unwrap().to_vec();
    newer[8] += 1;
    assert_eq!(
        error::<Inputs>(&newer),
        WireError::NewerFormat {
            found: FORMAT_VERSION + 1,
            newest: FORMAT_VERSION
        }
    );
    let fingerprint = Fingerprint([3; 32]);
    let unknown = seal(Kind::Inputs, fingerprint, key.key_id(), b"").unwrap();
    assert_eq!(
        error::<Inputs>(&unknown),
        WireError::UnknownParameters { fingerprint }
    );
}

#[test]
fn keys_are_told_apart() {
    let (one, other) = (KeyId::from_bytes([1; 16]), KeyId::from_bytes([2; 16]));
    assert_eq!(match_keys((&P16, one), (&P16, one)), Ok(()));
    assert_eq!(
        match_keys((&P16, one), (&P16, other)),
        Err(WireError::OtherKey {
            found: one,
            expected: other
        })
    );
    assert_eq!(
        match_keys((&TOY_BLOCK, one), (&P16, one)),
        Err(WireError::OtherParameters {
            found: TOY_BLOCK.name().to_owned(),
            expected: P16.name().to_owned()
        })
    );
}

/// A payload that its writer would never make, in a container that is sound.
fn sealed(kind: Kind, payload: &[u8]) -> Vec<u8> {
    seal(
        kind,
        Fingerprint::of(&TOY_BLOCK),
        KeyId::from_bytes([0; 16]),
        payload,
    )
    .unwrap()
    .to_vec()
}

#[test]
fn sizes_are_checked_against_the_parameters() {
    // A metadata length of zero, then bytes that no key of the set has.
    for kind in [Kind::SecretKey, Kind::ServerKey] {
        for bulk in [0, 1, 33, 1000] {
            let bytes = sealed(kind, &vec![0; 4 + bulk]);
            let error = match kind {
                Kind::SecretKey => error::<SecretKey>(&bytes),
                _ => error::<SeededServerKey>(&bytes),
            };
            assert!(
                matches!(error, WireError::Malformed { .. }),
                "{kind} {bulk}: {error:?}"
            );
        }
    }
    // A key of one set under the fingerprint of another.
    let bytes = encode(&secret_key(TOY_BLOCK)).unwrap();
    let swapped = seal(
        Kind::SecretKey,
        Fingerprint::of(&P16),
        KeyId::from_bytes([0; 16]),
        &bytes[HEADER_BYTES..],
    )
    .unwrap();
    assert!(matches!(
        error::<SecretKey>(&swapped),
        WireError::Malformed { .. }
    ));
}

#[test]
fn variables_keep_their_rules() {
    let key = secret_key(TOY_BLOCK);
    let byte = || Type::scalar(Element::Unsigned(Width::Bits8));
    let encrypted = |bits: usize| key.encrypt(&vec![false; bits], &mut generator());
    let store = |variables: Vec<Variable>, bits| Inputs::new(variables, encrypted(bits));
    assert!(store(vec![variable("a", byte())], 8).is_ok());
    for (variables, bits) in [
        (vec![variable("a", byte())], 9),
        (vec![variable("", byte())], 8),
        (vec![variable("a\u{1b}[2J", byte())], 8),
        (vec![variable(&"a".repeat(1025), byte())], 8),
        (vec![variable("a", byte()), variable("a", byte())], 16),
        (
            vec![variable(
                "a",
                Type {
                    element: Element::Boolean,
                    dimensions: vec![u32::MAX; 8],
                },
            )],
            8,
        ),
        (
            vec![variable(
                "a",
                Type {
                    element: Element::Boolean,
                    dimensions: vec![1; 9],
                },
            )],
            8,
        ),
    ] {
        assert!(
            matches!(
                store(variables.clone(), bits),
                Err(WireError::Unstorable { .. })
            ),
            "{variables:?}"
        );
    }
}

#[test]
fn a_variable_larger_than_its_file_is_refused_before_allocation() {
    // One variable `a` of type bool[2^32 - 1][2^28]: metadata by hand.
    let mut metadata = vec![1, 1, b'a', 0, 2];
    metadata.extend([0xff, 0xff, 0xff, 0xff, 0x0f]);
    metadata.extend([0x80, 0x80, 0x80, 0x80, 0x01]);
    let mut payload = (metadata.len() as u32).to_le_bytes().to_vec();
    payload.extend(metadata);
    payload.extend([0; 100]);
    for kind in [Kind::Inputs, Kind::Outputs] {
        let bytes = sealed(kind, &payload);
        let error = match kind {
            Kind::Inputs => error::<Inputs>(&bytes),
            _ => error::<Outputs>(&bytes),
        };
        assert!(matches!(error, WireError::Malformed { .. }), "{error:?}");
    }
}

/// The files in `fixtures/` were written by format version 1 and stay readable for ever.
#[test]
fn version_1_is_readable() {
    let bytes = |name: &str| {
        std::fs::read(format!(
            "{}/tests/fixtures/{name}",
            env!("CARGO_MANIFEST_DIR")
        ))
        .unwrap()
    };
    let key: SecretKey = decode(&bytes("v1.secret-key")).unwrap();
    let inputs: Inputs = decode(&bytes("v1.inputs")).unwrap();
    let outputs: Outputs = decode(&bytes("v1.outputs")).unwrap();
    let server: SeededServerKey = decode(&bytes("v1.server-key")).unwrap();
    assert_eq!(key.parameters(), &TOY_BLOCK);
    assert_eq!(server.key_id(), key.key_id());
    let bits: Vec<bool> = inputs
        .bits()
        .unpack()
        .iter()
        .map(|bit| key.decrypt(bit).unwrap())
        .collect();
    assert_eq!(bits, (0..32).map(|bit| bit % 3 == 0).collect::<Vec<_>>());
    assert_eq!(
        inputs.variables()[1].to_owned(),
        variable("text", Type::array(Element::Character, 3))
    );
    assert_eq!(outputs.bits(), self::outputs(&key).bits());
    assert_eq!(outputs.variables(), self::outputs(&key).variables());
    assert_eq!(outputs.secret(), self::outputs(&key).secret());
}

/// Writes the fixtures of the current version, when the version number rises:
/// `BLINDCORE_WRITE_FIXTURES=1 cargo test -p blindcore-wire write_fixtures`.
#[test]
fn write_fixtures() {
    if std::env::var_os("BLINDCORE_WRITE_FIXTURES").is_none() {
        return;
    }
    let key = secret_key(TOY_BLOCK);
    let write = |name: &str, bytes: &[u8]| {
        let path = format!(
            "{}/tests/fixtures/v{FORMAT_VERSION}.{name}",
            env!("CARGO_MANIFEST_DIR")
        );
        std::fs::write(path, bytes).unwrap();
    };
    write("secret-key", &encode(&key).unwrap());
    write("server-key", &encode(&server_key(&key)).unwrap());
    write("inputs", &encode(&inputs(&key)).unwrap());
    write("outputs", &encode(&outputs(&key)).unwrap());
}

fn types() -> impl Strategy<Value = Type> {
    let element = prop_oneof![
        Just(Element::Boolean),
        Just(Element::Character),
        Just(Element::Unsigned(Width::Bits32)),
        Just(Element::Signed(Width::Bits64)),
    ];
    (element, proptest::collection::vec(0_u32..4, 0..3)).prop_map(|(element, dimensions)| Type {
        element,
        dimensions,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any variables, any pattern of clear and secret bits.
    #[test]
    fn any_outputs_round_trip(types in proptest::collection::vec(types(), 0..5), seed: u64) {
        let variables: Vec<Variable> = types
            .into_iter()
            .enumerate()
            .map(|(index, kind)| variable(&format!("v{index}"), kind))
            .collect();
        let total: usize = variables.iter().map(|variable| variable.kind.bits().unwrap()).sum();
        let bits: Vec<OutputBit> = (0..total)
            .map(|bit| match seed.rotate_left(7 * bit as u32) % 3 {
                0 => OutputBit::Secret,
                other => OutputBit::Clear(other == 1),
            })
            .collect();
        let secrets = bits.iter().filter(|bit| **bit == OutputBit::Secret).count();
        let words = secrets * ShrunkBits::words_per_bit(&TOY_BLOCK);
        let key = KeyId::from_bytes([8; 16]);
        let secret = ShrunkBits::from_parts(TOY_BLOCK, key, vec![7; words]).unwrap();
        let outputs = Outputs::new(variables, bits, secret).unwrap();
        prop_assert_eq!(decode::<Outputs>(&encode(&outputs).unwrap()).unwrap(), outputs);
    }

    /// Any one byte changed, any truncation, any extension: an error, never a record.
    #[test]
    fn any_damage_is_an_error(at: prop::sample::Index, change in 1_u8.., tail in 1_usize..50) {
        let key = secret_key(TOY_BLOCK);
        for bytes in [encode(&key).unwrap(), encode(&inputs(&key)).unwrap(), encode(&outputs(&key)).unwrap()] {
            let at = at.index(bytes.len());
            let mut flipped = bytes.to_vec();
            flipped[at] ^= change;
            let mut longer = bytes.to_vec();
            longer.resize(bytes.len() + tail, change);
            let shorter = bytes[..at].to_vec();
            for damaged in [flipped, longer, shorter] {
                prop_assert!(decode::<SecretKey>(&damaged).is_err());
                prop_assert!(decode::<Inputs>(&damaged).is_err());
                prop_assert!(decode::<Outputs>(&damaged).is_err());
            }
        }
    }

    /// Any payload in a sound container: an error or a record that is written the same way again.
    #[test]
    fn any_payload_is_survived(payload in proptest::collection::vec(any::<u8>(), 0..300), short: bool) {
        let mut payload = payload;
        if short && payload.len() >= 4 {
            // A metadata length that can be true.
            payload[1..4].fill(0);
        }
        for kind in [Kind::SecretKey, Kind::ServerKey, Kind::Inputs, Kind::Outputs] {
            let bytes = sealed(kind, &payload);
            let _ = Header::parse(&bytes);
            let _ = decode::<SecretKey>(&bytes);
            let _ = decode::<SeededServerKey>(&bytes);
            if let Ok(inputs) = decode::<Inputs>(&bytes) {
                let _: &PackedInputs = inputs.bits();
                prop_assert!(encode(&inputs).is_ok());
            }
            if let Ok(outputs) = decode::<Outputs>(&bytes) {
                prop_assert!(encode(&outputs).is_ok());
            }
        }
    }
}
