//! The scheme as its users see it, at toy dimensions.
#![expect(clippy::unwrap_used)]

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use gentry_halevi::{Ciphertext, Encryptor, Evaluator, Parameters, Rows, SecretKey};
use random::Generator;

const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

struct Party {
    generator: Generator,
    secret: SecretKey,
    encryptor: Encryptor,
    evaluator: Evaluator,
}

impl Party {
    fn new(parameters: Parameters, seed: u8, threads: NonZeroUsize) -> Self {
        let mut generator = Generator::from_key([seed; 32]);
        let (secret, public) = SecretKey::generate(parameters, &mut generator, threads, &|_| {
            ControlFlow::Continue(())
        })
        .unwrap();
        Self {
            generator,
            secret,
            encryptor: Encryptor::new(&public, Encryptor::MEMORY, threads).unwrap(),
            evaluator: Evaluator::new(&public, Rows::Kept, threads).unwrap(),
        }
    }

    fn encrypt(&mut self, bit: bool) -> Ciphertext {
        let bits = self.encryptor.encrypt(&[bit], &mut self.generator);
        bits.unwrap().remove(0)
    }

    /// The bit, which must be `expected`, and the margin, which the bound must not exceed, nor fall behind by
    /// more than `slack` bits.
    fn check(&self, ciphertext: &Ciphertext, expected: bool, slack: f64) -> f64 {
        assert_eq!(self.secret.decrypt(ciphertext), Ok(expected));
        let margin = self.secret.margin(ciphertext).unwrap();
        let bound = self.evaluator.margin_bound(ciphertext);
        assert!(margin >= bound, "margin {margin}, bound {bound}");
        assert!(margin <= bound + slack, "margin {margin}, bound {bound}");
        margin
    }
}

#[test]
fn a_recrypted_product_of_recrypted_bits() {
    let mut party = Party::new(Parameters::TOY_32, 21, TWO);
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let [x, y] = [a, b].map(|bit| {
            let fresh = party.encrypt(bit);
            party.check(&fresh, bit, 20.0);
            let recrypted = party.evaluator.recrypt(&fresh).unwrap();
            party.check(&recrypted, bit, 30.0);
            recrypted
        });
        let and = party.evaluator.and(&x, &y).unwrap();
        party.check(&and, a & b, 50.0);
        let again = party.evaluator.recrypt(&and).unwrap();
        party.check(&again, a & b, 30.0);
    }
}
