//! Lookups on toy parameters, against the clear computation: every path, every
//! kind of table.

use blindcore_tfhe::{
    KeyId, Lookup, LweCiphertext, Parameters, SecretKey, SeededServerKey, ServerKey, ShrunkBits,
    ShrunkPlace, TOY_BLOCK, TOY_UNIFORM, TfheError, TruthTable,
};
use random::Generator;

struct Party {
    secret: SecretKey,
    server: ServerKey,
    generator: Generator,
}

fn party(parameters: Parameters, seed: u8) -> Party {
    let mut generator = Generator::from_key([seed; 32]);
    let secret = SecretKey::generate(parameters, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
    let server = ServerKey::expand(&seeded, 2, &|_, _| {}).unwrap();
    Party {
        secret,
        server,
        generator,
    }
}

fn encrypt(party: &mut Party, bits: &[bool]) -> Vec<LweCiphertext> {
    party.secret.encrypt(bits, &mut party.generator).unpack()
}

fn bits_of(value: u32, count: u32) -> Vec<bool> {
    (0..count).map(|i| value >> i & 1 == 1).collect()
}

const BITS: [TruthTable; 4] = [
    TruthTable(0xaaaa),
    TruthTable(0xcccc),
    TruthTable(0xf0f0),
    TruthTable(0xff00),
];

/// All sixteen values, the four bits of each and a random function, from one
/// rotation per value; batches of every size up to the buffers' and beyond.
#[test]
fn every_value_through_bits_and_random_tables() {
    for set in [TOY_BLOCK, TOY_UNIFORM] {
        let mut party = party(set, 1);
        for batch in [1, 3, 8] {
            let mut scratch = party.server.scratch(batch);
            let random = TruthTable(party.generator.uniform() as u16);
            let tables = [
                BITS[0],
                BITS[1],
                BITS[2],
                BITS[3],
                random,
                TruthTable(0xffff),
            ];
            let inputs: Vec<_> = (0..16)
                .map(|t| encrypt(&mut party, &bits_of(t, 4)))
                .collect();
            let terms: Vec<Vec<_>> = inputs
                .iter()
                .map(|bits| bits.iter().zip([1, 2, 4, 8]).collect())
                .collect();
            let lookups: Vec<_> = terms
                .iter()
                .map(|terms| Lookup {
                    terms,
                    constant: 0,
                    tables: &tables,
                })
                .collect();
            let outputs = party.server.lookup_many(&mut scratch, &lookups).unwrap();
            for (t, outputs) in outputs.iter().enumerate() {
                assert_eq!(outputs.len(), tables.len());
                for (output, table) in outputs.iter().zip(tables) {
                    let bit = party.secret.decrypt(output).unwrap();
                    assert_eq!(bit, table.at(t as u32), "{} t={t} {table:?}", set.name());
                }
            }
        }
    }
}

/// Negative weights and constants, as folded inversions make them.
#[test]
fn weights_and_constants_of_either_sign() {
    let mut party = party(TOY_BLOCK, 2);
    let mut scratch = party.server.scratch(8);
    for value in 0..8 {
        let bits = encrypt(&mut party, &bits_of(value, 3));
        let b = bits_of(value, 3)
            .iter()
            .map(|&bit| i32::from(bit))
            .collect::<Vec<_>>();
        let t = 5 * b[0] - 3 * b[1] - 7 * b[2] + 10;
        let terms = [(&bits[0], 5), (&bits[1], -3), (&bits[2], -7)];
        let lookup = Lookup {
            terms: &terms,
            constant: 10,
            tables: &BITS,
        };
        let outputs = party.server.lookup_many(&mut scratch, &[lookup]).unwrap();
        let got: Vec<_> = outputs[0]
            .iter()
            .map(|o| party.secret.decrypt(o).unwrap())
            .collect();
        assert_eq!(got, bits_of(t as u32, 4), "{value}");
    }
}

/// 32-bit addition in eleven lookups, outputs fed back in: the design's own use.
#[test]
fn addition_by_three_bit_slices_twice() {
    let mut party = party(TOY_BLOCK, 3);
    let mut scratch = party.server.scratch(1);
    let (x, y) = (0xdead_beef_u32, 0x1234_5678_u32);
    let (mut a, b) = (
        encrypt(&mut party, &bits_of(x, 32)),
        encrypt(&mut party, &bits_of(y, 32)),
    );
    for _ in 0..2 {
        let mut carry = LweCiphertext::trivial(&TOY_BLOCK, party.server.key_id(), false);
        let mut sum = Vec::new();
        for slice in (0..32).step_by(3) {
            let width = (32 - slice).min(3);
            let terms: Vec<_> = (slice..slice + width)
                .flat_map(|i| [(&a[i], 1 << (i - slice)), (&b[i], 1 << (i - slice))])
                .chain([(&carry, 1)])
                .collect();
            let lookup = Lookup {
                terms: &terms,
                constant: 0,
                tables: &BITS[..=width],
            };
            let mut outputs = party
                .server
                .lookup_many(&mut scratch, &[lookup])
                .unwrap()
                .remove(0);
            carry = outputs.pop().unwrap();
            sum.extend(outputs);
        }
        a = sum;
    }
    let got = a.iter().rev().fold(0, |word: u32, bit| {
        word << 1 | u32::from(party.secret.decrypt(bit).unwrap())
    });
    assert_eq!(got, x.wrapping_add(y).wrapping_add(y));
}

#[test]
fn negation_trivial_bits_and_shrinking() {
    for set in [TOY_BLOCK, TOY_UNIFORM] {
        let mut party = party(set, 4);
        let mut scratch = party.server.scratch(2);
        let expected = [true, false, false, true, true];
        let mut bits = encrypt(&mut party, &expected[..4]);
        bits[1] = bits[1].not().not();
        bits.push(LweCiphertext::trivial(&set, party.server.key_id(), false).not());
        let shrunk = party
            .server
            .shrink(&mut scratch, &bits.iter().collect::<Vec<_>>())
            .unwrap();
        assert_eq!(shrunk.len(), 5);
        assert_eq!(party.secret.decrypt_shrunk(&shrunk).unwrap(), expected);
    }
}

/// Outputs that share a row leave with one mask, the others as ever; bits that are no outputs stay behind.
#[test]
fn outputs_of_a_row_share_its_mask() {
    for set in [TOY_BLOCK, TOY_UNIFORM] {
        let mut party = party(set, 14);
        let mut scratch = party.server.scratch(2);
        let size = set.polynomial_size().get();
        let clear: Vec<bool> = (0..2 * size).map(|i| i % 11 < 5).collect();
        let bits = party.secret.encrypt(&clear, &mut party.generator).unpack();
        let own = bits[9].not().not();
        let mixed: Vec<&LweCiphertext> = (bits[3..300].iter().rev())
            .chain([&bits[size + 1], &own])
            .chain(&bits[100..150])
            .collect();
        let expected: Vec<bool> = (clear[3..300].iter().rev())
            .chain([&clear[size + 1], &clear[9]])
            .chain(&clear[100..150])
            .copied()
            .collect();
        let shrunk = party.server.shrink(&mut scratch, &mixed).unwrap();
        assert_eq!(party.secret.decrypt_shrunk(&shrunk).unwrap(), expected);
        // The second row has one output only.
        let words = ShrunkBits::words_per_bit(&set);
        assert_eq!(
            (shrunk.masks().len(), shrunk.elements().len()),
            (size, 2 * words)
        );
        assert_eq!(shrunk.places().iter().flatten().count(), mixed.len() - 2);
        let few = party.server.shrink(&mut scratch, &mixed[..2]).unwrap();
        assert_eq!((few.masks(), few.places()), (&[][..], &[][..]));
        // What is not there is refused.
        let mut places = shrunk.places().to_vec();
        places[0] = places[0].map(|place| ShrunkPlace { row: 1, ..place });
        let rest = || ShrunkBits::from_parts(set, shrunk.key_id(), shrunk.elements().to_vec());
        let strange = rest().unwrap().with_rows(shrunk.masks().to_vec(), places);
        assert!(matches!(strange, Err(TfheError::InvalidArray { .. })));
        let short = rest()
            .unwrap()
            .with_rows(shrunk.masks()[1..].to_vec(), shrunk.places().to_vec());
        assert!(matches!(short, Err(TfheError::WrongLength { .. })));
        let lost = rest()
            .unwrap()
            .with_rows(shrunk.masks().to_vec(), shrunk.places()[..9].to_vec());
        assert!(matches!(lost, Err(TfheError::WrongLength { .. })));
    }
}

#[test]
fn more_bits_than_one_polynomial_holds() {
    let mut party = party(TOY_BLOCK, 5);
    let bits: Vec<bool> = (0..1_200).map(|i| i % 7 < 3).collect();
    let inputs = party.secret.encrypt(&bits, &mut party.generator);
    assert_eq!((inputs.len(), inputs.bodies().len()), (1_200, 1_200));
    for (bit, expected) in inputs.unpack().iter().zip(bits) {
        assert_eq!(party.secret.decrypt(bit).unwrap(), expected);
    }
}

/// Strangers are refused by value.
#[test]
fn other_keys_and_lengths_are_refused() {
    let mut alice = party(TOY_BLOCK, 6);
    let mut bob = party(TOY_BLOCK, 7);
    let bits = encrypt(&mut bob, &[true]);
    let (expected, found) = (alice.server.key_id(), bob.server.key_id());
    let wrong = TfheError::WrongKey {
        what: "ciphertext",
        expected,
        found,
    };
    assert_eq!(alice.secret.decrypt(&bits[0]), Err(wrong.clone()));
    let terms = [(&bits[0], 1)];
    let lookup = Lookup {
        terms: &terms,
        constant: 0,
        tables: &BITS,
    };
    let mut scratch = alice.server.scratch(1);
    assert_eq!(
        alice.server.lookup_many(&mut scratch, &[lookup]),
        Err(wrong)
    );
    assert_eq!(
        LweCiphertext::from_parts(&TOY_BLOCK, KeyId::from_bytes([0; 16]), vec![0; 3]),
        Err(TfheError::WrongLength {
            what: "an LWE ciphertext",
            expected: 513,
            found: 3
        })
    );
    let other = party(TOY_UNIFORM, 8);
    let bits = encrypt(&mut alice, &[true]);
    let terms = [(&bits[0], 1)];
    let lookup = Lookup {
        terms: &terms,
        constant: 0,
        tables: &BITS,
    };
    assert_eq!(
        alice
            .server
            .lookup_many(&mut other.server.scratch(1), &[lookup]),
        Err(TfheError::WrongScratch {
            expected: "TOY_BLOCK",
            found: "TOY_UNIFORM"
        })
    );
}

#[test]
fn keys_survive_their_parts() {
    let mut alice = party(TOY_BLOCK, 9);
    let secret = SecretKey::from_parts(
        TOY_BLOCK,
        alice.secret.key_id(),
        alice.secret.small_bits().to_vec(),
        alice.secret.big_bits().to_vec(),
    )
    .unwrap();
    let bits = encrypt(&mut alice, &[true]);
    assert_eq!(secret.decrypt(&bits[0]), Ok(true));
    let refuse = |small: Vec<u8>, big: Vec<u8>| {
        SecretKey::from_parts(TOY_BLOCK, alice.secret.key_id(), small, big)
            .err()
            .unwrap()
    };
    assert_eq!(
        refuse(vec![0; 63], vec![0; 512]),
        TfheError::WrongLength {
            what: "the small key",
            expected: 64,
            found: 63
        }
    );
    assert!(matches!(
        refuse(vec![1; 64], vec![0; 512]),
        TfheError::NotASecretKey { .. }
    ));
    assert!(matches!(
        refuse(vec![0; 64], vec![2; 512]),
        TfheError::NotASecretKey { .. }
    ));

    let seeded = SeededServerKey::generate(
        &alice.secret,
        &mut Generator::from_key([1; 32]),
        1,
        &|_, _| {},
    )
    .unwrap();
    let again = SeededServerKey::generate(
        &alice.secret,
        &mut Generator::from_key([1; 32]),
        3,
        &|_, _| {},
    )
    .unwrap();
    assert_eq!(seeded, again, "the number of threads does not matter");
    let copy = SeededServerKey::from_parts(
        TOY_BLOCK,
        seeded.key_id(),
        *seeded.seed(),
        seeded.bootstrap_bodies().to_vec(),
        seeded.key_switch_bodies().to_vec(),
    );
    assert_eq!(copy, Ok(seeded));
}
