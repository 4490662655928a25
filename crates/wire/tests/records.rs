//! Every kind of file: what was written is read, and nothing else is. Toy parameters.

use crate::damage;
use crate::samples;

use std::sync::Arc;

use blindcore_wire::container::{
    FORMAT_VERSION, GIVEN_MASKS_VERSION, HEADER_BYTES, PADDED_MASKS_VERSION, open, seal, seal_as,
};
use blindcore_wire::{
    Checkpoint, Fingerprint, Header, Inputs, Kind, OutputBit, Outputs, Record, Variable, WireError,
    decode, encode, join, match_keys, variables_of,
};
use damage::{damaged, error, payloads, sealed, writable};
use proptest::prelude::*;
use random::Generator;
use samples::{
    generator, inputs, outputs, public_inputs, public_key, secret_key, selector_key, server_key,
    variable,
};
use tfhe::leveled::{LeveledKey, SeededLeveledKey};
use tfhe::{
    KeyId, Lookup, LweCiphertext, P16, P16_128_PFAIL_2M100, P16_UNIFORM, PublicKey, SecretKey,
    SeededServerKey, ServerKey, ShrunkBits, TOY_BLOCK, TOY_UNIFORM, TruthTable,
};
use values::{Element, Enumeration, Type};

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
        let selectors = selector_key(&key);
        assert_eq!(
            decode::<SeededLeveledKey>(&encode(&selectors).unwrap()).unwrap(),
            selectors
        );
        let inputs = inputs(&key);
        assert_eq!(decode::<Inputs>(&encode(&inputs).unwrap()).unwrap(), inputs);
        let inputs = public_inputs(&key);
        assert_eq!(decode::<Inputs>(&encode(&inputs).unwrap()).unwrap(), inputs);
        let public = public_key(&key);
        assert_eq!(
            decode::<PublicKey>(&encode(&public).unwrap()).unwrap(),
            public
        );
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
    let wrong_kind = error::<Inputs>(&encode(&server_key(&key)).unwrap());
    assert_eq!(
        wrong_kind,
        WireError::WrongKind {
            found: Kind::SERVER_KEY,
            expected: Kind::INPUTS
        }
    );
    assert_eq!(
        wrong_kind.to_string(),
        "this is a server key, an inputs file was expected"
    );
    // Neither part of a server key is taken for the other.
    let (server, selectors) = (server_key(&key), selector_key(&key));
    let wrong = |found, expected| WireError::WrongKind { found, expected };
    let wrong_part = error::<SeededServerKey>(&encode(&selectors).unwrap());
    assert_eq!(wrong_part, wrong(Kind::SELECTOR_KEY, Kind::SERVER_KEY));
    assert_eq!(
        wrong_part.to_string(),
        "this is a selector key, a server key was expected"
    );
    assert_eq!(
        error::<SeededLeveledKey>(&encode(&server).unwrap()),
        wrong(Kind::SERVER_KEY, Kind::SELECTOR_KEY)
    );
}

/// Cut anywhere, longer, or with a byte changed anywhere, it is no selector key.
#[test]
fn a_damaged_selector_key_is_refused() {
    let bytes = encode(&selector_key(&secret_key(TOY_BLOCK))).unwrap();
    let expected = bytes.len() as u64;
    // Every length up to some words of the content, then one in 997, and the last ones.
    let lengths = (0..300).chain((300..bytes.len()).step_by(997));
    for length in lengths.chain(bytes.len() - 17..bytes.len()) {
        let expected = if length < HEADER_BYTES {
            HEADER_BYTES as u64
        } else {
            expected
        };
        let length_found = length as u64;
        assert_eq!(
            error::<SeededLeveledKey>(&bytes[..length]),
            WireError::Truncated {
                length: length_found,
                expected
            },
            "{length}"
        );
    }
    assert_eq!(
        error::<SeededLeveledKey>(&[&bytes[..], &[0]].concat()),
        WireError::TrailingBytes { expected }
    );
    let mut flipped = bytes.to_vec();
    let places = (0..140).chain((140..bytes.len()).step_by(10_007));
    for place in places.chain([bytes.len() - 1]) {
        flipped[place] ^= 0x10;
        let found = error::<SeededLeveledKey>(&flipped);
        if place >= HEADER_BYTES {
            assert_eq!(found, WireError::Corrupted, "{place}");
        }
        flipped[place] ^= 0x10;
    }
}

#[test]
fn foreign_and_unknown_files_are_refused() {
    assert_eq!(
        error::<Inputs>(b"\x7fELF\x01\x01\x01 and so on"),
        WireError::NotOurs
    );
    let key = secret_key(TOY_BLOCK);
    let mut newer = encode(&inputs(&key)).unwrap().to_vec();
    newer[8] = 5;
    assert_eq!(
        error::<Inputs>(&newer),
        WireError::NewerFormat {
            found: PADDED_MASKS_VERSION + 1,
            newest: PADDED_MASKS_VERSION
        }
    );
    let mut older = encode(&inputs(&key)).unwrap().to_vec();
    older[8] = 0;
    assert!(matches!(
        error::<Inputs>(&older),
        WireError::Malformed { .. }
    ));
    let fingerprint = Fingerprint([3; 32]);
    let unknown = seal(Kind::INPUTS, fingerprint, key.key_id(), b"").unwrap();
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

/// A file of some bytes' variables.
fn bytes_of(key: &SecretKey, names: &[&str]) -> Inputs {
    let byte = |name: &&str| variable(name, Type::scalar(Element::U8));
    let bits = vec![true; 8 * names.len()];
    let bits = key.encrypt(&bits, &mut generator());
    Inputs::new(names.iter().map(byte).collect(), bits).unwrap()
}

/// Files of inputs that are used together have an order of their own, one key pair, and distinct
/// variables.
#[test]
fn inputs_of_several_files_belong_together() {
    let key = secret_key(TOY_BLOCK);
    let files = [&["c", "a"][..], &["b"], &["d", "z"]].map(|names| bytes_of(&key, names));
    let [c, b, d] = &files;
    assert_eq!(join(&[c, b, d]), Ok(vec![1, 0, 2]));
    assert_eq!(join(&[d, c, b]), Ok(vec![2, 1, 0]));
    assert_eq!(join::<tfhe::PackedInputs>(&[]), Ok(vec![]));
    let names: Vec<String> = variables_of(&[b, c]).into_iter().map(|v| v.name).collect();
    assert_eq!(names, ["b", "c", "a"]);

    let twice = bytes_of(&key, &["x", "a"]);
    let expected = WireError::GivenTwice {
        name: "a".to_owned(),
        files: (0, 2),
    };
    assert_eq!(join(&[c, b, &twice]), Err(expected.clone()));
    assert_eq!(
        expected.to_string(),
        "a is in file 1 and in file 3 of the inputs"
    );
    let mut other = Generator::from_key([6; 32]);
    let other = SecretKey::generate(TOY_BLOCK, &mut other).unwrap();
    let foreign = bytes_of(&other, &["x"]);
    let of = |number, found: &SecretKey, expected: &SecretKey| WireError::OtherFile {
        number,
        error: Box::new(WireError::OtherKey {
            found: found.key_id(),
            expected: expected.key_id(),
        }),
    };
    assert_eq!(join(&[c, b, &foreign]), Err(of(2, &other, &key)));
    assert_eq!(join(&[&foreign, c, b]), Err(of(1, &key, &other)));
    let uniform = bytes_of(&secret_key(TOY_UNIFORM), &["x"]);
    assert!(matches!(
        join(&[c, &uniform]),
        Err(WireError::OtherFile { number: 1, .. })
    ));
}

/// In a single file they follow each other.
#[test]
fn inputs_that_follow_each_other_in_a_file() {
    let key = secret_key(TOY_BLOCK);
    let files = [&["c", "a"][..], &["b"]].map(|names| bytes_of(&key, names));
    let bytes: Vec<Vec<u8>> = files.iter().map(|f| encode(f).unwrap().to_vec()).collect();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("inputs");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        files::read_joined::<tfhe::PackedInputs>(&path)
    };
    assert_eq!(read(&bytes[0]).unwrap(), [files[0].clone()]);
    let both = bytes.concat();
    assert_eq!(read(&both).unwrap(), files);
    assert_eq!(
        decode::<Inputs>(&both).unwrap_err(),
        WireError::TrailingBytes {
            expected: bytes[0].len() as u64
        }
    );
    let twice = [&bytes[0][..], &bytes[0]].concat();
    let expected = WireError::GivenTwice {
        name: "c".to_owned(),
        files: (0, 1),
    };
    assert_eq!(read(&twice), Err(expected));
    // Cut anywhere, or damaged anywhere, it is no such file.
    for length in (0..both.len()).filter(|length| *length != bytes[0].len()) {
        assert!(
            matches!(read(&both[..length]), Err(WireError::Truncated { .. })),
            "{length}"
        );
    }
    for position in (0..both.len()).step_by(7) {
        let mut bad = both.clone();
        bad[position] ^= 0x10;
        assert!(read(&bad).is_err(), "{position}");
    }
    assert!(read(&[&both[..], b"\n"].concat()).is_err());
    let server = encode(&server_key(&key)).unwrap();
    assert_eq!(
        read(&[&bytes[0][..], &server].concat()),
        Err(WireError::WrongKind {
            found: Kind::SERVER_KEY,
            expected: Kind::INPUTS
        })
    );
}

#[test]
fn sizes_are_checked_against_the_parameters() {
    // A metadata length of zero, then bytes that no key of the set has.
    for kind in [
        Kind::SECRET_KEY,
        Kind::PUBLIC_KEY,
        Kind::SERVER_KEY,
        Kind::SELECTOR_KEY,
    ] {
        for bulk in [0, 1, 33, 1000, 32 + 8 * 512 - 8, 32 + 8 * 512 + 8] {
            let bytes = sealed(&TOY_BLOCK, kind, &vec![0; 4 + bulk]);
            let error = match kind {
                Kind::SECRET_KEY => error::<SecretKey>(&bytes),
                Kind::PUBLIC_KEY => error::<PublicKey>(&bytes),
                Kind::SELECTOR_KEY => error::<SeededLeveledKey>(&bytes),
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
        Kind::SECRET_KEY,
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
    let byte = || Type::scalar(Element::U8);
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
                Type::scalar(Element::Integer {
                    bits: 24,
                    signed: false,
                }),
            )],
            24,
        ),
        (
            vec![variable("a", Type::scalar(Element::Float { bits: 8 }))],
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
    for kind in [Kind::INPUTS, Kind::OUTPUTS] {
        let bytes = sealed(&TOY_BLOCK, kind, &payload);
        let error = match kind {
            Kind::INPUTS => error::<Inputs>(&bytes),
            _ => error::<Outputs>(&bytes),
        };
        assert!(matches!(error, WireError::Malformed { .. }), "{error:?}");
    }
}

/// Masks that a seed gives, and masks in the file: neither is taken for the other, and other kinds
/// have one format.
#[test]
fn the_format_version_says_where_masks_are() {
    let key = secret_key(TOY_BLOCK);
    for (inputs, version) in [
        (inputs(&key), FORMAT_VERSION),
        (public_inputs(&key), GIVEN_MASKS_VERSION),
    ] {
        let bytes = encode(&inputs).unwrap();
        let (header, payload) = open(&bytes).unwrap();
        assert_eq!(header.version, version);
        let other = FORMAT_VERSION + GIVEN_MASKS_VERSION - version;
        let swapped = seal_as(other, header.kind, header.fingerprint, header.key, payload);
        assert!(matches!(
            error::<Inputs>(&swapped.unwrap()),
            WireError::Malformed { .. }
        ));
        // One element fewer or more.
        for length in [payload.len() - 8, payload.len() + 8] {
            let mut payload = payload.to_vec();
            payload.resize(length, 0);
            let wrong = seal_as(
                version,
                header.kind,
                header.fingerprint,
                header.key,
                &payload,
            );
            assert!(matches!(
                error::<Inputs>(&wrong.unwrap()),
                WireError::Malformed { .. }
            ));
        }
    }
    let bytes = encode(&public_key(&key)).unwrap();
    let (header, payload) = open(&bytes).unwrap();
    let newer = seal_as(2, header.kind, header.fingerprint, header.key, payload).unwrap();
    assert_eq!(
        error::<PublicKey>(&newer),
        WireError::NewerFormat {
            found: 2,
            newest: 1
        }
    );
}

/// The files in `fixtures/` were written by format version 1 and stay readable for ever; a new
/// version gets its own from `cargo run -p blindcore-wire --example write_fixtures`.
fn fixture<R: Record>(name: &str) -> R {
    fixture_of(1, name)
}

fn fixture_of<R: Record>(version: u16, name: &str) -> R {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    decode(&std::fs::read(format!("{folder}/v{version}.{name}")).unwrap()).unwrap()
}

#[test]
fn version_2_is_readable() {
    let key: SecretKey = fixture("secret-key");
    let public: PublicKey = fixture("public-key");
    let stored: Inputs = fixture_of(2, "inputs");
    assert_eq!(public.key_id(), key.key_id());
    let clear: Vec<bool> = (0..32).map(|bit| bit % 3 == 0).collect();
    let fresh = public.encrypt(&clear, &mut generator()).unwrap();
    for bits in [stored.bits(), &fresh] {
        let bits = bits.unpack();
        let decrypted: Vec<bool> = bits.iter().map(|bit| key.decrypt(bit).unwrap()).collect();
        assert_eq!(decrypted, clear);
    }
}

#[test]
fn version_1_is_readable() {
    let key: SecretKey = fixture("secret-key");
    let inputs: Inputs = fixture("inputs");
    let outputs: Outputs = fixture("outputs");
    assert_eq!(key.parameters(), &TOY_BLOCK);
    assert_eq!(
        inputs.variables()[1].to_owned(),
        variable("text", Type::vector(Element::Character, 3))
    );
    assert_eq!(outputs.bits(), samples::outputs(&key).bits());
    assert_eq!(outputs.variables(), samples::outputs(&key).variables());
    assert_eq!(outputs.secret(), samples::outputs(&key).secret());
    let checkpoint: Checkpoint = fixture("checkpoint");
    assert_eq!(checkpoint, samples::checkpoint(&key));
}

/// Written and read part by part, a checkpoint is the same file as in memory, and refused alike.
#[test]
fn checkpoints_are_written_and_read_in_parts() {
    let key = secret_key(TOY_BLOCK);
    let checkpoint = samples::checkpoint(&key);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    let length = files::replace_checkpoint(&path, &checkpoint).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(length, bytes.len() as u64);
    assert_eq!(bytes, encode(&checkpoint).unwrap().to_vec());
    assert_eq!(files::read_checkpoint(&path).unwrap(), checkpoint);
    assert_eq!(decode::<Checkpoint>(&bytes).unwrap(), checkpoint);
    // A later one takes the place of an earlier one, and of nothing else.
    files::replace_checkpoint(&path, &checkpoint).unwrap();
    let other = directory.path().join("inputs");
    std::fs::write(&other, encode(&inputs(&key)).unwrap()).unwrap();
    let occupied = files::replace_checkpoint(&other, &checkpoint).unwrap_err();
    assert!(matches!(occupied, WireError::Occupied { .. }));
    let mut damaged = vec![bytes[..50].to_vec(), bytes[..bytes.len() - 1].to_vec()];
    damaged.push([&bytes[..], &[0]].concat());
    for at in [9, 20, 50, 70, 105, 120, 145, bytes.len() - 1] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        damaged.push(flipped);
    }
    // A sound container whose content promises more than there is.
    let (header, payload) = blindcore_wire::container::open(&bytes).unwrap();
    for bits in [0, 2, 4, 127] {
        let mut payload = payload.to_vec();
        assert_eq!(
            payload[4 + 32..4 + 34],
            [7, 3],
            "lengths of the state and the bits"
        );
        payload[4 + 33] = bits;
        let sealed = seal(Kind::CHECKPOINT, header.fingerprint, header.key, &payload);
        damaged.push(sealed.unwrap().to_vec());
    }
    for bytes in damaged {
        std::fs::write(&path, &bytes).unwrap();
        let error = files::read_checkpoint(&path).unwrap_err();
        assert_eq!(Some(error), decode::<Checkpoint>(&bytes).err());
    }
}

/// A stored server key and stored inputs hold bodies only; their masks are expanded from seeds. So
/// that old files keep computing, and not only parsing, the streams and their order may not change.
#[test]
fn version_1_computes() {
    let key: SecretKey = fixture("secret-key");
    let inputs: Inputs = fixture("inputs");
    let server = ServerKey::expand(&fixture("server-key"), 1, &|_, _| {}).unwrap();
    let bits = inputs.bits().unpack();
    let clear: Vec<bool> = (0..32).map(|bit| bit % 3 == 0).collect();
    let decrypted: Vec<bool> = bits.iter().map(|bit| key.decrypt(bit).unwrap()).collect();
    assert_eq!(decrypted, clear);

    // The sum and the carry of each bit and the next.
    let tables = [TruthTable::of(|t| t % 2 == 1), TruthTable::of(|t| t >= 2)];
    let terms: Vec<_> = bits
        .windows(2)
        .map(|pair| [(&pair[0], 1), (&pair[1], 1)])
        .collect();
    let lookups: Vec<Lookup<'_>> = terms
        .iter()
        .map(|terms| Lookup {
            terms,
            constant: 0,
            tables: &tables,
        })
        .collect();
    let mut scratch = server.scratch(lookups.len());
    let computed = server.lookup_many(&mut scratch, &lookups).unwrap().concat();
    let expected: Vec<bool> = clear
        .windows(2)
        .flat_map(|pair| [pair[0] ^ pair[1], pair[0] & pair[1]])
        .collect();
    let decrypted: Vec<bool> = computed
        .iter()
        .map(|bit| key.decrypt(bit).unwrap())
        .collect();
    assert_eq!(decrypted, expected);
    let references: Vec<&LweCiphertext> = computed.iter().collect();
    let shrunk = server.shrink(&mut scratch, &references).unwrap();
    assert_eq!(key.decrypt_shrunk(&shrunk).unwrap(), expected);
}

/// The same for what makes selectors: the sum and the carry choose between two stored bits.
#[test]
fn version_1_chooses() {
    let key: SecretKey = fixture("secret-key");
    let inputs: Inputs = fixture("inputs");
    let server = ServerKey::expand(&fixture("server-key"), 1, &|_, _| {}).unwrap();
    let stored: SeededLeveledKey = fixture("selector-key");
    let leveled = LeveledKey::expand(&stored, &server, 1, &|_, _| {}).unwrap();
    let bits = inputs.bits().unpack();
    let (zero, one) = (&bits[1], &bits[0]);
    assert!(!key.decrypt(zero).unwrap() && key.decrypt(one).unwrap());

    let tables = [TruthTable::of(|t| t % 2 == 1), TruthTable::of(|t| t >= 2)];
    let mut work = leveled.work(&server, 1);
    // Every third bit is set: 1 + 0, 0 + 0, 1 + 1.
    for (first, second, expected) in [
        (0, 1, [true, false]),
        (1, 2, [false; 2]),
        (0, 3, [false, true]),
    ] {
        let terms = [(&bits[first], 1), (&bits[second], 1)];
        let lookup = Lookup {
            terms: &terms,
            constant: 0,
            tables: &tables,
        };
        let selectors = leveled.selectors(&server, &mut work, &[lookup]).unwrap();
        for (selector, expected) in selectors[0].iter().zip(expected) {
            let chosen = leveled.choose(&mut work, selector, zero, one).unwrap();
            assert_eq!(
                key.decrypt(&chosen).unwrap(),
                expected,
                "{first} + {second}"
            );
        }
    }
}

/// A fingerprint stands in every file: the sets that users have keys for keep theirs.
#[test]
fn fingerprints_are_for_ever() {
    for (set, expected) in [
        (
            P16,
            "efc15d0035feb24b5dc0ace264de05e61cb4d0ed54a5eb613c82bef5e8b41bf3",
        ),
        (
            P16_128_PFAIL_2M100,
            "65f4607c52bcfc05ceea04c5e0587b7330c33ec35bf5c7a31edb96c281fb91e9",
        ),
        (
            P16_UNIFORM,
            "10cdc493b9568318f9d9ede2d4734544b5daea20ceeba2181a2d7ed794abbe1a",
        ),
    ] {
        assert_eq!(
            format!("{:?}", Fingerprint::of(&set)),
            expected,
            "{}",
            set.name()
        );
    }
}

/// A list of a million variables of three bytes each: refused at the first one too many.
#[test]
fn more_variables_than_allowed_are_not_built() {
    for (count, wrong) in [(65_536_u32, false), (65_537, true), (5_000_000, true)] {
        // The count as postcard writes it: seven bits a byte.
        let mut metadata = Vec::new();
        let mut rest = count;
        while rest >= 128 {
            metadata.push(rest as u8 | 128);
            rest >>= 7;
        }
        metadata.push(rest as u8);
        metadata.extend(std::iter::repeat_n([0_u8; 3], count as usize).flatten());
        let mut payload = (metadata.len() as u32).to_le_bytes().to_vec();
        payload.extend(metadata);
        match error::<Inputs>(&sealed(&TOY_BLOCK, Kind::INPUTS, &payload)) {
            // Within the limit, the empty names are what is wrong.
            WireError::Malformed { reason } => {
                assert_eq!(reason.starts_with("metadata: "), wrong, "{count}: {reason}");
            }
            other => panic!("{count}: {other:?}"),
        }
    }
}

fn types() -> impl Strategy<Value = Type> {
    let element = prop_oneof![
        Just(Element::Boolean),
        Just(Element::Character),
        Just(Element::U32),
        Just(Element::Integer {
            bits: 64,
            signed: true
        }),
        Just(Element::Float { bits: 32 }),
        Just(Element::Raw),
    ];
    let array = (element, proptest::collection::vec(0_u32..4, 0..3));
    let array = array.prop_map(|(element, dimensions)| Type::array(element, dimensions).unwrap());
    let integer = prop_oneof![
        Just(Element::U8),
        Just(Element::Integer {
            bits: 64,
            signed: true
        }),
    ];
    let part = (integer, proptest::option::of(1_u8..9), names());
    let part = part.prop_map(|(element, width, names): (Element, Option<u8>, _)| {
        let ty = match width {
            Some(width) => Type::bit_field(element, width).unwrap(),
            None => Type::scalar(element),
        };
        match names {
            Some(names) => ty.with_names(names),
            None => ty,
        }
    });
    prop_oneof![array, part]
}

/// None or some of three enumerations.
fn names() -> impl Strategy<Value = Option<Arc<Enumeration>>> {
    let lists = [vec![("RED", 0), ("_2", -1)], vec![("RED", 1)], vec![]];
    proptest::sample::select(lists.to_vec()).prop_map(|list: Vec<(&str, i128)>| {
        let list = list
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        let list: Vec<_> = list.collect();
        Enumeration::new(list).map(Arc::new)
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
        let total: usize = variables.iter().map(|variable| variable.kind.bits()).sum();
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

    #[test]
    fn any_damage_is_an_error(at: prop::sample::Index, change in 1_u8.., tail in 1_usize..50) {
        let key = secret_key(TOY_BLOCK);
        for bytes in [
            encode(&key).unwrap(),
            encode(&public_key(&key)).unwrap(),
            encode(&inputs(&key)).unwrap(),
            encode(&public_inputs(&key)).unwrap(),
            encode(&outputs(&key)).unwrap(),
        ] {
            for bytes in damaged(&bytes, at, change, tail) {
                prop_assert!(decode::<SecretKey>(&bytes).is_err());
                prop_assert!(decode::<PublicKey>(&bytes).is_err());
                prop_assert!(decode::<Inputs>(&bytes).is_err());
                prop_assert!(decode::<Outputs>(&bytes).is_err());
            }
        }
    }

    #[test]
    fn any_payload_is_survived(payload in payloads()) {
        for kind in Kind::ALL {
            let bytes = sealed(&TOY_BLOCK, kind, &payload);
            let _ = Header::parse(&bytes);
            let _ = decode::<SecretKey>(&bytes);
            let _ = decode::<SeededServerKey>(&bytes);
            let _ = decode::<SeededLeveledKey>(&bytes);
            prop_assert!(writable::<Inputs>(&bytes) && writable::<Outputs>(&bytes));
            prop_assert!(writable::<Checkpoint>(&bytes) && writable::<PublicKey>(&bytes));
            let (fingerprint, id) = (Fingerprint::of(&TOY_BLOCK), KeyId::from_bytes([0; 16]));
            let newer = seal_as(GIVEN_MASKS_VERSION, kind, fingerprint, id, &payload).unwrap();
            prop_assert!(writable::<Inputs>(&newer));
        }
    }
}
