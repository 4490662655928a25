//! The specification's identities, under keys whose insides are at hand.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use bignum::{Modulus, Options};
use random::Generator;

use super::generation::{Pair, generate};
use super::polynomial::{Polynomial, sign};
use super::resultant::resultant;
use crate::stage::Stage;
use crate::{Encryptor, Error, Evaluator, Parameters, Transforms, limbs};
use work::Counter;

const ONE: NonZeroUsize = NonZeroUsize::MIN;

fn pair(parameters: Parameters, seed: u8) -> (Pair, Generator) {
    let mut generator = Generator::from_key([seed; 32]);
    let pair = generate(parameters, &mut generator, ONE, &|_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    (pair, generator)
}

fn residue(number: &[u64], modulus: &Modulus) -> Vec<u64> {
    let negative = sign(number) != 0;
    let mut magnitude = number.to_vec();
    if negative {
        limbs::negate(&mut magnitude);
    }
    let mut residue = vec![0; modulus.limbs()];
    modulus.reduce(&mut residue, &magnitude).unwrap();
    if negative {
        let copy = residue.clone();
        modulus.negate(&mut residue, &copy).unwrap();
    }
    residue
}

/// Test plan (a): v(r) ≡ 0, r^n ≡ −1, and the secret times v is d times a unit of the ring; the
/// latter as w_i = w_0·r^−i for one i, Σ_i v_i·w_(j−i) = d or 0.
#[test]
fn the_root_is_a_root_of_both_polynomials() {
    for set in [Parameters::TOY_32, Parameters::TOY_128] {
        let (pair, _) = pair(set, 11);
        pair.public.verify().unwrap();
        let modulus = Modulus::new(pair.public.modulus(), Options::default()).unwrap();
        let mut value = vec![0; modulus.limbs()];
        for coefficient in pair.polynomial.coefficients().rev() {
            let mut next = vec![0; modulus.limbs()];
            modulus
                .multiply(&mut next, &value, pair.public.root())
                .unwrap();
            limbs::add_modulo(
                &mut next,
                &residue(coefficient, &modulus),
                pair.public.modulus(),
            );
            value = next;
        }
        assert!(value.iter().all(|&limb| limb == 0));
    }
}

/// (a), the inverse in full: w_0 and w_1 from the halvings, the others by 1/r, and v·w = d.
#[test]
fn the_scaled_inverse_is_one() {
    let set = Parameters::TOY_32;
    let (pair, _) = pair(set, 12);
    let n = set.dimension();
    let watch = |_| ControlFlow::Continue(());
    let chain = resultant(&pair.polynomial, &Counter::new(&watch, Stage::Resultant, 5)).unwrap();
    let d = pair.public.modulus();
    let modulus = Modulus::new(d, Options::default()).unwrap();
    let first = |p: &Polynomial| residue(p.coefficients().next().unwrap(), &modulus);
    let inverse_root = modulus.invert_vartime(pair.public.root()).unwrap().unwrap();
    let mut w = vec![first(&chain.inverse[0])];
    for i in 1..n {
        let mut next = vec![0; d.len()];
        modulus
            .multiply(&mut next, &w[i - 1], &inverse_root)
            .unwrap();
        w.push(next);
    }
    assert_eq!(w[1], first(&chain.inverse[1]));
    // As integers the w_i are about d/2^400, so v·w does not wrap around d: products of centred
    // numbers.
    let centred: Vec<u64> = w
        .iter()
        .flat_map(|w| {
            let mut number = w.clone();
            if limbs::bits(w) > limbs::bits(d) - 100 {
                limbs::subtract_assign(&mut number, d);
            }
            number.push(sign_of(w, d));
            number
        })
        .collect();
    let w = Polynomial::new(d.len() + 1, centred);
    let product = pair.polynomial.times(&w).unwrap();
    for (i, coefficient) in product.coefficients().enumerate() {
        if i == 0 {
            assert_eq!(coefficient[..d.len()], *d);
            assert!(coefficient[d.len()..].iter().all(|&limb| limb == 0));
        } else {
            assert!(coefficient.iter().all(|&limb| limb == 0), "{i}");
        }
    }
}

/// All ones for what stands for a negative number.
fn sign_of(w: &[u64], d: &[u64]) -> u64 {
    if limbs::bits(w) > limbs::bits(d) - 100 {
        u64::MAX
    } else {
        0
    }
}

/// (b): d is odd exactly if the sum of v's coefficients is.
#[test]
fn the_resultant_is_odd_if_the_sum_is() {
    let mut generator = Generator::from_key([13; 32]);
    let watch = |_| ControlFlow::Continue(());
    for _ in 0..100 {
        let limbs: Vec<u64> = (0..32).map(|_| generator.uniform()).collect();
        let odd = limbs.iter().fold(0, |sum, limb| sum ^ limb & 1);
        let v = Polynomial::new(1, limbs);
        let chain = resultant(&v, &Counter::new(&watch, Stage::Resultant, 5)).unwrap();
        let d = chain.resultant.coefficients().next().unwrap();
        assert_eq!(d[0] & 1, odd);
        assert_eq!(sign(d), 0);
    }
}

/// (d): the numbers selected under encryption are the ones that the secret indices select.
#[test]
fn columns_hold_the_selectors_of_the_secret_indices() {
    let (pair, mut generator) = pair(Parameters::TOY_32, 14);
    let encryptor = Encryptor::new(&pair.public, Encryptor::MEMORY, ONE).unwrap();
    for rows in [Transforms::Kept, Transforms::Computed] {
        let evaluator = Evaluator::new(&pair.public, rows, ONE).unwrap();
        for bit in [false, true] {
            let c = encryptor.encrypt(&[bit], &mut generator).unwrap().remove(0);
            let (recryption, threads) = evaluator.inner();
            let selectors = recryption
                .selectors(&pair.public, c.limbs(), threads)
                .unwrap();
            let columns = recryption
                .columns(&pair.public, &selectors, threads)
                .unwrap();
            let mut total = 0;
            for (column, bits) in columns.into_iter().enumerate() {
                for (block, limbs) in bits.into_iter().enumerate() {
                    let selector = selectors[block][pair.indices[block]];
                    let expected = selector >> (4 - column) & 1 == 1;
                    let noise = crate::Noise::fresh(pair.public.parameters());
                    let bit = pair.public.ciphertext(limbs, noise).unwrap();
                    assert_eq!(pair.secret.decrypt(&bit), Ok(expected), "{block} {column}");
                    total += u32::from(expected) << (4 - column);
                }
            }
            assert_eq!((total + 8) >> 4 & 1 == 1, bit);
        }
    }
}

/// (e): the sums of decryption against a product and a division.
#[test]
fn decryption_in_linear_time_is_decryption() {
    let (pair, mut generator) = pair(Parameters::TOY_64, 15);
    let modulus = Modulus::new(pair.public.modulus(), Options::default()).unwrap();
    let d = pair.public.modulus();
    let noise = crate::Noise::fresh(pair.public.parameters());
    let mut refused = 0;
    for _ in 0..300 {
        let mut limbs: Vec<u64> = d.iter().map(|_| generator.uniform()).collect();
        let top = limbs.len() - 1;
        limbs[top] %= d[top];
        let mut e = vec![0; d.len()];
        modulus
            .multiply(&mut e, &limbs, pair.secret.expose())
            .unwrap();
        let mut opposite = d.to_vec();
        limbs::subtract_assign(&mut opposite, &e);
        // e or e − d, whichever is nearer to 0.
        let (e, low) = if limbs::compare(&e, &opposite).is_lt() {
            (limbs::log2(&e), e[0] & 1)
        } else {
            (limbs::log2(&opposite), opposite[0] & 1)
        };
        let margin = limbs::log2(d) - e;
        let c = pair.public.ciphertext(limbs, noise).unwrap();
        assert!((pair.secret.margin(&c).unwrap() - margin).abs() < 1e-6);
        match pair.secret.decrypt(&c) {
            Ok(bit) => {
                assert!(margin > 5.0 - 1e-9);
                assert_eq!(bit, low == 1);
            }
            Err(Error::NoiseExhausted { margin: found, .. }) => {
                assert!((margin - found).abs() < 1e-6, "{margin} {found}");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    // 281 expected, deviation 4.2.
    assert!((260..=297).contains(&refused), "{refused}");
}
