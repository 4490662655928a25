//! The scheme as its users see it, at toy dimensions.
#![expect(clippy::unwrap_used)]

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use gentry_halevi::{Ciphertext, Encryptor, Error, Evaluator, Noise, Parameters, Rows, SecretKey};
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

#[test]
fn modulus_and_root_are_enough_to_encrypt_and_the_secret_to_decrypt() {
    let one = NonZeroUsize::MIN;
    let mut generator = Generator::from_key([31; 32]);
    let go_on = |_| ControlFlow::Continue(());
    let parameters = Parameters::TOY_32;
    let (secret, public) = SecretKey::generate(parameters, &mut generator, one, &go_on).unwrap();
    let numbers = (public.modulus(), public.root());
    let encryptor = Encryptor::of_root(&parameters, numbers, 2, Encryptor::MEMORY, one).unwrap();
    for (bit, encrypted) in [true, false]
        .into_iter()
        .zip(encryptor.encrypt(&[true, false], &mut generator).unwrap())
    {
        // As a file would bring them to the owner.
        let limbs = encrypted.limbs().to_vec();
        let read = secret.ciphertext(limbs, encrypted.noise()).unwrap();
        assert_eq!(read, encrypted);
        assert_eq!(secret.decrypt(&read), Ok(bit));
    }
    let modulus = public.modulus();
    assert!(matches!(
        secret.ciphertext(modulus.to_vec(), Noise::CONSTANT),
        Err(Error::NotReduced { .. })
    ));
    assert!(matches!(
        secret.ciphertext(vec![0; modulus.len() - 1], Noise::CONSTANT),
        Err(Error::WrongLength { .. })
    ));
    let of_root = |numbers| Encryptor::of_root(&parameters, numbers, 2, 1 << 20, one).err();
    let (short, root) = (&modulus[1..], public.root());
    for (numbers, found) in [
        ((modulus, modulus), of_root((modulus, modulus))),
        ((short, root), of_root((short, root))),
    ] {
        let refused = matches!(
            found,
            Some(Error::NotReduced { .. } | Error::WrongLength { .. })
        );
        assert!(refused, "{} limbs: {found:?}", numbers.0.len());
    }
}

#[test]
fn a_negation_cannot_fail() {
    let mut party = Party::new(Parameters::TOY_32, 32, NonZeroUsize::MIN);
    for bit in [false, true] {
        let fresh = party.encrypt(bit);
        let other = party.evaluator.not(&fresh);
        party.check(&other, !bit, 20.0);
        party.check(&party.evaluator.not(&other), bit, 20.0);
    }
    // What is another key's stays so, and is refused by whoever computes with it.
    let mut stranger = Party::new(Parameters::TOY_32, 33, NonZeroUsize::MIN);
    let theirs = stranger.encrypt(true);
    let kept = party.evaluator.not(&theirs);
    assert_eq!(kept, theirs);
    assert!(matches!(
        party.evaluator.xor(&kept, &kept),
        Err(Error::WrongKey { .. })
    ));
}
