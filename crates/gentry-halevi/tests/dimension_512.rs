//! Dimension 512: circuits with a recryption after each AND.
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use blindcore_gentry_halevi::{
    Ciphertext, Encryptor, Error, Evaluator, Parameters, SecretKey, Transforms,
};
use random::Generator;

struct Party {
    generator: Generator,
    secret: SecretKey,
    encryptor: Encryptor,
    evaluator: Evaluator,
}

impl Party {
    fn new(seed: u8) -> Self {
        let two = NonZeroUsize::new(2).unwrap();
        let mut generator = Generator::from_key([seed; 32]);
        let (secret, public) =
            SecretKey::generate(Parameters::BROKEN_512, &mut generator, two, &|_| {
                ControlFlow::Continue(())
            })
            .unwrap();
        Self {
            generator,
            secret,
            encryptor: Encryptor::new(&public, Encryptor::MEMORY, two).unwrap(),
            evaluator: Evaluator::new(&public, Transforms::Kept, two).unwrap(),
        }
    }

    fn encrypt(&mut self, bits: &[bool]) -> Vec<Ciphertext> {
        self.encryptor.encrypt(bits, &mut self.generator).unwrap()
    }

    /// An AND whose result has the noise of a recryption.
    fn and(&self, a: &Ciphertext, b: &Ciphertext) -> Ciphertext {
        let product = self.evaluator.and(a, b).unwrap();
        self.evaluator.recrypt(&product).unwrap()
    }

    fn xor(&self, a: &Ciphertext, b: &Ciphertext) -> Ciphertext {
        self.evaluator.xor(a, b).unwrap()
    }

    /// The bit is right and the bound on the noise is one.
    fn check(&self, ciphertext: &Ciphertext, expected: bool) -> f64 {
        assert_eq!(self.secret.decrypt(ciphertext), Ok(expected));
        let margin = self.secret.margin(ciphertext).unwrap();
        let bound = self.evaluator.margin_bound(ciphertext);
        assert!(margin >= bound, "margin {margin}, bound {bound}");
        margin
    }
}

/// (f), and truth tables of recrypted bits; a recrypted bit is good for an AND with another.
#[test]
#[ignore = "slow: 5 s"]
fn a_full_adder_of_recrypted_ands() {
    let mut party = Party::new(40);
    let (log2, (mean, deviation)) = (
        party.secret.modulus().len() as f64 * 64.0,
        Parameters::BROKEN_512.expected_modulus_bits(),
    );
    assert!((log2 - mean).abs() < 6.0 * deviation + 64.0, "{log2} bits");
    for row in 0..8 {
        let bits = [row & 1 == 1, row & 2 == 2, row & 4 == 4];
        let inputs = party.encrypt(&bits);
        let [a, b, c] = inputs.as_slice() else {
            unreachable!()
        };
        let half = party.xor(a, b);
        let sum = party.xor(&half, c);
        let carry = party.xor(&party.and(a, b), &party.and(&half, c));
        let count = bits.iter().filter(|&&bit| bit).count();
        party.check(&sum, count & 1 == 1);
        let margin = party.check(&carry, count > 1);
        assert!(margin > 200.0, "{margin}");
    }
}

/// More than one AND of recrypted bits is too much, and is refused.
#[test]
fn a_second_level_of_recrypted_ands_is_refused() {
    let mut party = Party::new(41);
    let fresh = party.encrypt(&[true]).remove(0);
    let recrypted = party.evaluator.recrypt(&fresh).unwrap();
    let product = party.evaluator.and(&recrypted, &recrypted).unwrap();
    party.check(&product, true);
    assert!(matches!(
        party.evaluator.and(&product, &recrypted),
        Err(Error::NoiseExhausted {
            operation: "an AND",
            ..
        })
    ));
    party.check(&party.evaluator.xor(&product, &recrypted).unwrap(), false);
}

#[test]
#[ignore = "100 recryptions, 15 s"]
fn fifty_recrypted_ands_in_a_chain() {
    let mut party = Party::new(42);
    let mut value = party.encrypt(&[true]).remove(0);
    for step in 0..50 {
        let one = party.encrypt(&[true]).remove(0);
        // Both operands recrypted: the most noise that there can be.
        let one = party.evaluator.recrypt(&one).unwrap();
        value = party.and(&value, &one);
        let margin = party.check(&value, true);
        assert!(margin > 195.0, "step {step}: {margin}");
    }
    let zero = party.encrypt(&[false]).remove(0);
    party.check(&party.and(&value, &zero), false);
}

fn random_pairs(count: usize) {
    let mut party = Party::new(43);
    let bits: Vec<bool> = (0..2 * count)
        .map(|_| party.generator.below(2) == 1)
        .collect();
    let fresh = party.encrypt(&bits);
    for (bits, pair) in bits.chunks_exact(2).zip(fresh.chunks_exact(2)) {
        let and = party.and(&pair[0], &pair[1]);
        party.check(&and, bits[0] & bits[1]);
        let xor = party.xor(&pair[0], &pair[1]);
        let xor = party.evaluator.recrypt(&xor).unwrap();
        party.check(&xor, bits[0] ^ bits[1]);
        // And once more, of recrypted ones.
        party.check(&party.evaluator.and(&and, &xor).unwrap(), false);
    }
}

#[test]
#[ignore = "50 recryptions, 8 s"]
fn twenty_five_random_pairs() {
    random_pairs(25);
}

#[test]
#[ignore = "400 recryptions, 60 s"]
fn two_hundred_random_pairs() {
    random_pairs(200);
}
