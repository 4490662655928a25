//! Who has the public key encrypts, and the owner reads; whoever computes does not see a
//! difference.

use blindcore_tfhe::{
    KeyId, Lookup, LweCiphertext, Masks, P16, PackedInputs, Parameters, PublicKey, SecretKey,
    SeededServerKey, ServerKey, TOY_BLOCK, TOY_UNIFORM, TfheError, TruthTable,
};
use random::{Generator, Seed};

struct Party {
    secret: SecretKey,
    public: PublicKey,
    generator: Generator,
}

fn party(parameters: Parameters, seed: u8) -> Party {
    let mut generator = Generator::from_key([seed; 32]);
    let secret = SecretKey::generate(parameters, &mut generator).unwrap();
    let public = PublicKey::generate(&secret, &mut generator);
    Party {
        secret,
        public,
        generator,
    }
}

/// Any number of bits, whole ciphertexts and parts of them.
#[test]
fn bits_come_back() {
    for parameters in [TOY_BLOCK, TOY_UNIFORM, P16] {
        let n = parameters.polynomial_size().get();
        let mut party = party(parameters, 11);
        for count in [0, 1, 7, n - 1, n, n + 1, 3 * n] {
            let bits: Vec<bool> = (0..count).map(|_| party.generator.below(2) == 1).collect();
            let inputs = party.public.encrypt(&bits, &mut party.generator).unwrap();
            assert_eq!(inputs.len(), count);
            assert_eq!(inputs.key_id(), party.secret.key_id());
            let read: Vec<bool> = inputs
                .unpack()
                .iter()
                .map(|bit| party.secret.decrypt(bit).unwrap())
                .collect();
            assert_eq!(read, bits, "{count}");
        }
    }
}

/// Random sums of bits, some of the owner's and some of others', by lookups: 2,000 of them.
fn lookups(parameters: Parameters) {
    let mut party = party(parameters, 12);
    let seeded = SeededServerKey::generate(&party.secret, &mut party.generator, 2, &|_, _| {});
    let server = ServerKey::expand(&seeded.unwrap(), 2, &|_, _| {}).unwrap();
    let mut scratch = server.scratch(1);
    for round in 0..2_000 {
        let value = party.generator.below(16);
        let bits = [0, 1, 2, 3].map(|i| value >> i & 1 == 1);
        let own = party.secret.encrypt(&bits[..2], &mut party.generator);
        let others = party
            .public
            .encrypt(&bits[2..], &mut party.generator)
            .unwrap();
        let bits: Vec<LweCiphertext> = [own.unpack(), others.unpack()].concat();
        let terms: Vec<_> = bits.iter().zip([1, 2, 4, 8]).collect();
        let table = TruthTable(party.generator.below(1 << 16) as u16);
        let lookup = Lookup {
            terms: &terms,
            constant: 0,
            tables: &[table],
        };
        let found = server
            .lookup_many(&mut scratch, &[lookup])
            .unwrap()
            .concat();
        assert_eq!(
            party.secret.decrypt(&found[0]).unwrap(),
            table.at(value),
            "round {round}"
        );
    }
}

#[test]
#[ignore = "slow: 2 s"]
fn lookups_take_bits_of_either_key() {
    lookups(TOY_BLOCK);
}

#[test]
#[ignore = "2,000 lookups with real parameters, 10 s"]
fn lookups_take_bits_of_either_key_at_real_parameters() {
    lookups(P16);
}

/// Two encryptions of the same bits have nothing in common, and the key holds no mask twice.
#[test]
fn encryptions_differ() {
    let mut party = party(TOY_BLOCK, 13);
    let bits = [true; 40];
    let mut encrypt = || party.public.encrypt(&bits, &mut party.generator).unwrap();
    let (one, other) = (encrypt(), encrypt());
    let (Masks::Given(first), Masks::Given(second)) = (one.masks(), other.masks()) else {
        unreachable!("no seed gives these masks");
    };
    assert!(first.iter().zip(second).all(|(a, b)| a != b));
    assert!(one.bodies().iter().zip(other.bodies()).all(|(a, b)| a != b));
}

/// The key of somebody else gives what does not decrypt, and what is refused by name.
#[test]
fn other_keys_and_lengths_are_refused() {
    let (alice, mut bob) = (party(TOY_BLOCK, 14), party(TOY_BLOCK, 15));
    let bits = bob.public.encrypt(&[true], &mut bob.generator).unwrap();
    assert_eq!(
        alice.secret.decrypt(&bits.unpack()[0]),
        Err(TfheError::WrongKey {
            what: "ciphertext",
            expected: alice.secret.key_id(),
            found: bob.secret.key_id(),
        })
    );
    let (id, seed) = (KeyId::from_bytes([1; 16]), Seed::from_bytes([2; 32]));
    for length in [0, 511, 513] {
        assert_eq!(
            PublicKey::from_parts(TOY_BLOCK, id, seed, vec![0; length]),
            Err(TfheError::WrongLength {
                what: "the public key's body",
                expected: 512,
                found: length,
            })
        );
    }
    for (masks, bodies, expected) in [(0, 1, 512), (512, 513, 1024), (512, 0, 0), (513, 512, 512)] {
        assert_eq!(
            PackedInputs::with_masks(TOY_BLOCK, id, vec![0; masks], vec![0; bodies]),
            Err(TfheError::WrongLength {
                what: "the masks of packed inputs",
                expected,
                found: masks,
            })
        );
    }
}
