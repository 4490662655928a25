//! The noise of encryption with the public key: each of its errors, their sum by the definition,
//! and the sum's size.

use random::{Generator, MaskGenerator};

use super::samples::{Conditions, Samples};
use crate::exact::Ring;
use crate::noise::NoiseBudget;
use crate::packed::Masks;
use crate::parameters::{BIT_SCALE, P16, P16_UNIFORM, Parameters, PolynomialSize, TOY_BLOCK};
use crate::public_key::MASK_STREAM;
use crate::{PublicKey, SecretKey};

fn conditions(parameters: &Parameters) -> Conditions {
    Conditions {
        set: parameters.name(),
        fft: "none",
    }
}

/// A key pair and the key's own error.
struct Pair {
    secret: SecretKey,
    public: PublicKey,
    mask: Vec<u64>,
}

impl Pair {
    fn new(parameters: Parameters, generator: &mut Generator) -> Self {
        let secret = SecretKey::generate(parameters, generator).unwrap();
        let public = PublicKey::generate(&secret, generator);
        let mut mask = vec![0; parameters.polynomial_size().get()];
        MaskGenerator::new(public.seed(), MASK_STREAM).fill(&mut mask);
        Self {
            secret,
            public,
            mask,
        }
    }

    /// e = b − a·s.
    fn error(&self) -> Vec<u64> {
        less_product(self.public.body(), &self.mask, self.secret.big_bits())
    }
}

/// x − y·z of a binary z, by the exact product that `exact` tests against the definition.
fn less_product(x: &[u64], y: &[u64], z: &[u8]) -> Vec<u64> {
    let ring = Ring::new(PolynomialSize(x.len() as u32)).unwrap();
    let mut out: Vec<u64> = x.iter().map(|x| x.wrapping_neg()).collect();
    ring.add_product(&mut out, y, &ring.secret_spectrum(z), &mut ring.work());
    out.iter().map(|x| x.wrapping_neg()).collect()
}

/// An encryption of ones whose u is drawn a second time from the same generator: u, e₁, e₂.
fn parts(pair: &Pair, seed: u8) -> (Vec<u8>, Vec<u64>, Vec<u64>, Vec<u64>) {
    let n = pair.mask.len();
    let key = [seed; 32];
    let bits = vec![true; n];
    let inputs = pair
        .public
        .encrypt(&bits, &mut Generator::from_key(key))
        .unwrap();
    let factor = Generator::from_key(key).binary_secret(n);
    let Masks::Given(masks) = inputs.masks() else {
        panic!("no seed gives these masks");
    };
    let first = less_product(masks, &pair.mask, factor.expose());
    let second = less_product(inputs.bodies(), pair.public.body(), factor.expose());
    let second = second.iter().map(|e| e.wrapping_sub(BIT_SCALE)).collect();
    let phases = inputs.unpack();
    let phases = phases
        .iter()
        .map(|bit| pair.secret.phase(bit).unwrap().wrapping_sub(BIT_SCALE));
    (factor.expose().to_vec(), first, second, phases.collect())
}

/// x·y in Z\[X\]/(X^n + 1), by the definition.
fn product(x: &[u64], y: &[u8]) -> Vec<u64> {
    let n = x.len();
    let mut out = vec![0_u64; n];
    for (i, _) in y.iter().enumerate().filter(|(_, bit)| **bit == 1) {
        for (j, &x) in x.iter().enumerate() {
            let x = if i + j < n { x } else { x.wrapping_neg() };
            out[(i + j) % n] = out[(i + j) % n].wrapping_add(x);
        }
    }
    out
}

/// The phase is the message and e·u + e₂ − e₁·s, to the last unit.
#[test]
fn the_noise_is_what_the_formula_sums() {
    let pair = Pair::new(TOY_BLOCK, &mut Generator::from_key([71; 32]));
    for seed in 0..4 {
        let (factor, first, second, phases) = parts(&pair, seed);
        let of_key = product(&pair.error(), &factor);
        let of_mask = product(&first, pair.secret.big_bits());
        for (place, phase) in phases.into_iter().enumerate() {
            let expected = of_key[place]
                .wrapping_add(second[place])
                .wrapping_sub(of_mask[place]);
            assert_eq!(phase, expected);
        }
    }
}

/// 30 ciphertexts, 61,440 errors of each kind: a variance is known to 0.6 %, the tolerance is six
/// of these. No two ciphertexts have the same u, whose bits are set half the time (six deviations).
#[test]
fn every_error_is_as_wide_as_the_set_says() {
    let mut generator = Generator::from_key([72; 32]);
    let (mut firsts, mut seconds, mut ones) = (Samples::default(), Samples::default(), 0.0);
    let mut own = Samples::default();
    let mut factors = Vec::new();
    for seed in 0..30 {
        let pair = Pair::new(P16, &mut generator);
        pair.error().iter().for_each(|&e| own.add(e));
        let (factor, first, second, _) = parts(&pair, seed);
        first.iter().for_each(|&e| firsts.add(e));
        second.iter().for_each(|&e| seconds.add(e));
        ones += factor.iter().map(|&bit| f64::from(bit)).sum::<f64>();
        assert!(!factors.contains(&factor));
        factors.push(factor);
    }
    let fresh = NoiseBudget::new(&P16).fresh;
    let of = conditions(&P16);
    own.assert(of, "public key: error", fresh, 0.036);
    firsts.assert(of, "public encryption: mask", fresh, 0.036);
    seconds.assert(of, "public encryption: body", fresh, 0.036);
    let count = firsts.count;
    assert!(
        (ones - count / 2.0).abs() < 6.0 * (count / 4.0).sqrt(),
        "{ones}"
    );
}

/// One bit of each of `count` pairs: bits of one ciphertext, and ciphertexts of one key, have noise
/// in common.
fn public_encryption(parameters: Parameters, seed: u8, count: usize, tolerance: f64) {
    let mut generator = Generator::from_key([seed; 32]);
    let mut samples = Samples::default();
    for index in 0..count {
        let pair = Pair::new(parameters, &mut generator);
        let bits = vec![index % 3 == 0; 1 + index % 40];
        let inputs = pair.public.encrypt(&bits, &mut generator).unwrap().unpack();
        let message = u64::from(bits[0]) * BIT_SCALE;
        let last = inputs.last().unwrap();
        samples.add(pair.secret.phase(last).unwrap().wrapping_sub(message));
    }
    let budget = NoiseBudget::new(&parameters);
    samples.assert(
        conditions(&parameters),
        "public encryption",
        budget.public,
        tolerance,
    );
}

/// 600 samples: √(2/600) = 5.8 %, the tolerance is five of these: a false alarm in 10^6.
#[test]
#[ignore = "slow: 3 s"]
fn p16_public_encryption() {
    public_encryption(P16, 73, 600, 0.29);
}

/// 10,000 samples of either set: 1.4 %, the tolerance is six of these.
#[test]
#[ignore = "20,000 key pairs, a minute"]
fn public_encryption_10000() {
    public_encryption(P16, 74, 10_000, 0.085);
    public_encryption(P16_UNIFORM, 75, 10_000, 0.085);
}
