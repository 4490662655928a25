//! The scheme's public face on toy parameters.
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

use blindcore_bgv::{
    Ciphertext, Error, EvaluationKey, Evaluator, KeyId, Keys, Level, Noise, Parameters, PublicKey,
    Ring, SecretKey, SeededCiphertext,
};
use random::{Generator, SecretBuffer};

const ONE: NonZeroUsize = NonZeroUsize::MIN;

fn keys(name: &str, rotations: &[u32], seed: u8) -> (Keys, Generator) {
    let mut generator = Generator::from_key([seed; 32]);
    let parameters = Parameters::named(name).unwrap();
    let watch = &|_| ControlFlow::Continue(());
    let keys = SecretKey::generate(&parameters, rotations, &mut generator, ONE, watch).unwrap();
    (keys, generator)
}

fn bits(count: usize, generator: &mut Generator) -> Vec<bool> {
    let bits = generator.binary_secret(count);
    bits.expose().iter().map(|bit| *bit == 1).collect()
}

fn zip(a: &[bool], b: &[bool], f: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
}

#[test]
fn every_operation_does_it_in_every_slot() {
    for name in ["TOY_51", "TOY_255"] {
        let (keys, mut generator) = keys(name, &[], 1);
        let evaluator = Evaluator::new(&keys.evaluation, ONE).unwrap();
        let slots = evaluator.parameters().slots();
        let (a, b, c) = (
            bits(slots, &mut generator),
            bits(slots, &mut generator),
            bits(slots, &mut generator),
        );
        let x = keys.public.encrypt(&a, &mut generator).unwrap();
        let y = keys.secret.encrypt(&b, &mut generator).unwrap();
        let z = keys.public.encrypt(&c, &mut generator).unwrap();
        let read = |a: &Ciphertext| keys.secret.decrypt(a).unwrap();
        assert_eq!((read(&x), read(&y)), (a.clone(), b.clone()), "{name}");
        assert_eq!(read(&evaluator.not(&x).unwrap()), zip(&a, &a, |a, _| !a));
        assert_eq!(
            read(&evaluator.xor(&x, &y).unwrap()),
            zip(&a, &b, |a, b| a ^ b)
        );
        let both = evaluator.and(&x, &y).unwrap();
        assert_eq!(read(&both), zip(&a, &b, |a, b| a & b));
        for bit in [false, true] {
            let constant = evaluator.constant(bit);
            assert_eq!(read(&constant), vec![bit; slots]);
            let sum = evaluator.xor(&both, &constant).unwrap();
            assert_eq!(read(&sum), zip(&a, &b, |a, b| (a & b) ^ bit));
            let product = evaluator.and(&x, &constant).unwrap();
            assert_eq!(read(&product), zip(&a, &a, |a, _| a & bit));
        }
        // Mixed levels, in either order.
        for sum in [evaluator.xor(&both, &z), evaluator.xor(&z, &both)] {
            let expected = zip(&zip(&a, &b, |a, b| a & b), &c, |a, b| a ^ b);
            assert_eq!(read(&sum.unwrap()), expected);
        }
        let expected = zip(&zip(&a, &b, |a, b| a & b), &c, |a, b| a & b);
        assert_eq!(read(&evaluator.and(&both, &z).unwrap()), expected);
        // Products decrypt and add before they are relinearised.
        let lazy = evaluator.multiply(&x, &y).unwrap();
        assert_eq!((lazy.part_count(), read(&lazy)), (3, read(&both)));
        let sum = evaluator.sum_of_products(&[(&x, &y), (&y, &z), (&both, &z)]);
        let expected: Vec<bool> = (0..slots)
            .map(|i| (a[i] & b[i]) ^ (b[i] & c[i]) ^ (a[i] & b[i] & c[i]))
            .collect();
        assert_eq!(read(&sum.unwrap()), expected);
        let mask = evaluator.ring().slots().encode(&b).unwrap();
        let masked = evaluator.and_plain(&x, &mask).unwrap();
        assert_eq!(read(&masked), read(&both));
        let added = evaluator.xor_plain(&x, &mask).unwrap();
        assert_eq!(read(&added), zip(&a, &b, |a, b| a ^ b));
    }
}

#[test]
fn every_level_is_reached_from_every_higher_one() {
    let (keys, mut generator) = keys("TOY_51", &[], 2);
    let evaluator = Evaluator::new(&keys.evaluation, ONE).unwrap();
    let values = bits(evaluator.parameters().slots(), &mut generator);
    let fresh = keys.public.encrypt(&values, &mut generator).unwrap();
    let levels = (1..=fresh.level().number()).map(Level::from_number);
    for from in levels.clone() {
        let high = evaluator.switch_to(&fresh, from).unwrap();
        for to in levels.clone().filter(|to| *to <= from) {
            let low = evaluator.switch_to(&high, to).unwrap();
            assert_eq!(low.level(), to);
            assert_eq!(keys.secret.decrypt(&low).unwrap(), values);
        }
        // And products work at each of them, as long as their noise fits.
        let product = evaluator.and(&high, &high).unwrap();
        assert_eq!(keys.secret.decrypt(&product).unwrap(), values);
    }
    assert_eq!(
        evaluator.switch_to(&fresh, Level::from_number(0)).err(),
        Some(Error::LevelOutOfRange {
            level: Level::from_number(0),
            least: Level::LEAST,
            most: fresh.level(),
        })
    );
}

#[test]
fn chains_of_products_end_with_an_error_and_not_with_wrong_bits() {
    let (keys, mut generator) = keys("TOY_255", &[], 3);
    let evaluator = Evaluator::new(&keys.evaluation, ONE).unwrap();
    let depth = evaluator.parameters().depth(1);
    assert!(depth >= 4, "{depth}");
    let mut expected = bits(16, &mut generator);
    let mut chain = keys.public.encrypt(&expected, &mut generator).unwrap();
    let mut done = 0;
    let refused = loop {
        let other = bits(16, &mut generator);
        let next = keys.public.encrypt(&other, &mut generator).unwrap();
        match evaluator.and(&chain, &next) {
            Ok(product) => {
                chain = evaluator.not(&product).unwrap();
                expected = zip(&expected, &other, |a, b| !(a & b));
                assert_eq!(keys.secret.decrypt(&chain).unwrap(), expected);
                done += 1;
            }
            Err(error) => break error,
        }
    };
    assert!(done >= depth, "{done} of {depth}");
    assert!(matches!(refused, Error::NoiseExhausted { .. }), "{refused}");
}

#[test]
fn rotations_permute_slots() {
    let parameters = Parameters::named("TOY_255").unwrap();
    let ring = Ring::new(&parameters).unwrap();
    let exponents: Vec<u32> = ring.slots().generators().iter().map(|g| g.0).collect();
    let (keys, mut generator) = keys("TOY_255", &exponents, 4);
    let evaluator = Evaluator::new(&keys.evaluation, ONE).unwrap();
    let values = bits(16, &mut generator);
    let fresh = keys.public.encrypt(&values, &mut generator).unwrap();
    for &exponent in &exponents {
        let from = evaluator.ring().slots().permutation(exponent).unwrap();
        let expected: Vec<bool> = from.iter().map(|&slot| values[slot]).collect();
        let moved = evaluator.rotate(&fresh, exponent).unwrap();
        assert_eq!(keys.secret.decrypt(&moved).unwrap(), expected);
    }
    assert_eq!(
        evaluator.rotate(&fresh, 254).err(),
        Some(Error::MissingRotation { exponent: 254 })
    );
    assert_eq!(
        evaluator.rotate(&fresh, 51).err(),
        Some(Error::NotAnAutomorphism {
            exponent: 51,
            index: 255
        })
    );
    assert_eq!(evaluator.rotate(&fresh, 1).unwrap(), fresh);
}

#[test]
fn foreign_things_are_refused() {
    let (ours, mut generator) = keys("TOY_51", &[], 5);
    let (theirs, _) = keys("TOY_51", &[], 6);
    let evaluator = Evaluator::new(&ours.evaluation, ONE).unwrap();
    let own = ours.public.encrypt(&[true], &mut generator).unwrap();
    let foreign = theirs.public.encrypt(&[true], &mut generator).unwrap();
    let expected = Error::ForeignKey {
        expected: ours.secret.key_id(),
        found: theirs.secret.key_id(),
    };
    for refused in [
        evaluator.xor(&own, &foreign),
        evaluator.xor(&foreign, &own),
        evaluator.and(&own, &foreign),
        evaluator.not(&foreign),
        evaluator.rotate(&foreign, 2),
        evaluator.switch_to(&foreign, Level::LEAST),
    ] {
        assert_eq!(refused.err(), Some(expected.clone()));
    }
    assert_eq!(ours.secret.decrypt(&foreign).err(), Some(expected));
    // The same ciphertext under a stolen name is seen when it is decrypted.
    let parts = foreign.parts();
    let stolen = Ciphertext::from_parts(
        evaluator.parameters(),
        ours.secret.key_id(),
        foreign.level(),
        foreign.noise(),
        parts,
    );
    assert_eq!(
        ours.secret.decrypt(&stolen.unwrap()).err(),
        Some(Error::NotBits)
    );
    assert_eq!(
        ours.public.encrypt(&[true; 9], &mut generator).err(),
        Some(Error::TooManyBits { bits: 9, slots: 4 })
    );
}

#[test]
fn keys_and_ciphertexts_survive_their_parts() {
    let (keys, mut generator) = keys("TOY_51", &[7], 7);
    let parameters = keys.secret.parameters().clone();
    let ring = Ring::new(&Parameters::new(parameters.literal()).unwrap()).unwrap();
    let id = KeyId::from_bytes(*keys.secret.key_id().as_bytes());

    let coefficients = SecretBuffer::new(keys.secret.coefficients().to_vec());
    let secret = SecretKey::from_parts(&ring, id, coefficients).unwrap();
    let public =
        PublicKey::from_parts(&ring, id, *keys.public.seed(), keys.public.body().to_vec()).unwrap();
    let digits = keys.evaluation.relinearisation();
    let relinearisation: Vec<Vec<Vec<u64>>> = digits.map(<[Vec<u64>]>::to_vec).collect();
    let rotations = keys.evaluation.rotations();
    let rotations: Vec<_> = rotations
        .map(|(exponent, digits)| {
            let digits = digits.into_iter().map(<[Vec<u64>]>::to_vec);
            (exponent, digits.collect::<Vec<_>>())
        })
        .collect();
    let seed = *keys.evaluation.seed();
    let evaluation =
        EvaluationKey::from_parts(&ring, id, seed, relinearisation.clone(), rotations, ONE);
    let evaluator = Evaluator::new(&Arc::new(evaluation.unwrap()), ONE).unwrap();

    let fresh = public
        .encrypt(&[true, false, true], &mut generator)
        .unwrap();
    let parts = fresh.parts();
    let terms = Noise::from_terms(fresh.noise().terms()).unwrap();
    let level = Level::from_number(fresh.level().number());
    let copy = Ciphertext::from_parts(&parameters, id, level, terms, parts).unwrap();
    assert_eq!(copy, fresh);
    let seeded = keys
        .secret
        .encrypt_seeded(&[true, true], &seed, 9, &mut generator)
        .unwrap();
    let seeded = SeededCiphertext::from_parts(
        &parameters,
        id,
        *seeded.seed(),
        seeded.number(),
        seeded.body().to_vec(),
    );
    let other = seeded.unwrap().expand(&ring).unwrap();
    let product = evaluator.and(&copy, &other).unwrap();
    let turned = evaluator.rotate(&product, 7).unwrap();
    assert_eq!(secret.decrypt(&product).unwrap()[..3], [true, false, false]);
    let from = ring.slots().permutation(7).unwrap();
    let expected: Vec<bool> = from.iter().map(|&slot| slot == 0).collect();
    assert_eq!(secret.decrypt(&turned).unwrap(), expected);

    // Wrong parts.
    let mut short = fresh.parts();
    short[1].pop();
    let rows = parameters.primes_of(level).len();
    assert_eq!(
        Ciphertext::from_parts(&parameters, id, level, terms, short).err(),
        Some(Error::WrongLength {
            what: "ciphertext",
            expected: rows,
            found: rows - 1
        })
    );
    let mut large = fresh.parts();
    large[0][0][3] = parameters.primes()[0];
    assert_eq!(
        Ciphertext::from_parts(&parameters, id, level, terms, large).err(),
        Some(Error::NotReduced { what: "ciphertext" })
    );
    let mut few = relinearisation;
    few.pop();
    let expected = EvaluationKey::layout(&parameters).len();
    assert_eq!(
        EvaluationKey::from_parts(&ring, id, seed, few, Vec::new(), ONE).err(),
        Some(Error::WrongLength {
            what: "digits of an evaluation key",
            expected,
            found: expected - 1
        })
    );
    assert_eq!(
        Noise::from_terms([-1.0; Noise::TERMS]),
        Err(Error::InvalidNoise)
    );
    assert_eq!(
        Noise::from_terms([f64::NAN; Noise::TERMS]),
        Err(Error::InvalidNoise)
    );
    let wrong = SecretBuffer::new(vec![2_i8; ring.parameters().degree()]);
    assert_eq!(
        SecretKey::from_parts(&ring, id, wrong).err(),
        Some(Error::NotReduced {
            what: "coefficients of a secret key"
        })
    );
}

#[test]
fn two_threads_give_what_one_gives() {
    let (keys, mut generator) = keys("TOY_255", &[], 8);
    let [a, b] = [0, 1].map(|_| {
        let bits = bits(16, &mut generator);
        keys.public.encrypt(&bits, &mut generator).unwrap()
    });
    let two = NonZeroUsize::new(2).unwrap();
    let results = [ONE, two].map(|threads| {
        let evaluator = Evaluator::new(&keys.evaluation, threads).unwrap();
        let product = evaluator.and(&a, &b).unwrap();
        evaluator.and(&product, &a).unwrap()
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn key_generation_can_be_interrupted() {
    let parameters = Parameters::named("TOY_51").unwrap();
    let mut generator = Generator::from_key([9; 32]);
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let watch = &|_| {
        if calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 5 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let made = SecretKey::generate(&parameters, &[], &mut generator, ONE, watch);
    assert_eq!(made.err(), Some(Error::Interrupted));
}
