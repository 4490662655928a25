//! The estimate of noise against the noise there is, on both sides.
//!
//! A measured deviation is the root of a mean over φ/2 independent complex coordinates whose
//! squares are nearly exponential (of a product of three such, nearly the cube of one); with φ =
//! 128 the mean of one sample has a relative deviation of 1/8 to 1/2. Each figure below is the mean
//! over samples, and over keys, since what depends on the secret's coordinates is common to all
//! samples of a key.
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use blindcore_bgv::{Ciphertext, Evaluator, Keys, Level, Parameters, SecretKey};
use random::Generator;

/// Bits by which a mean may differ from the estimate. Ten keys of degree 128: the mean of the
/// fourth powers of the secret's coordinates, on which a product's variance depends, has a relative
/// deviation of √20/√(10·64) = 0.18, 0.13 bits of deviation; about two of these. Generators are
/// seeded, so that nothing varies from run to run.
const TOLERANCE: f64 = 0.25;
/// Keys of the toy ring.
const KEYS: u8 = 10;

struct Lab {
    keys: Keys,
    evaluator: Evaluator,
    generator: Generator,
}

impl Lab {
    fn new(parameters: &Parameters, rotations: &[u32], seed: u8) -> Self {
        let one = NonZeroUsize::MIN;
        let mut generator = Generator::from_key([seed; 32]);
        let watch = &|_| ControlFlow::Continue(());
        let keys = SecretKey::generate(parameters, rotations, &mut generator, one, watch).unwrap();
        Self {
            evaluator: Evaluator::new(&keys.evaluation, one).unwrap(),
            keys,
            generator,
        }
    }

    fn fresh(&mut self) -> Ciphertext {
        let count = self.evaluator.parameters().slots();
        let bits = self.generator.binary_secret(count);
        let bits: Vec<bool> = bits.expose().iter().map(|bit| *bit == 1).collect();
        self.keys
            .public
            .encrypt(&bits, &mut self.generator)
            .unwrap()
    }

    /// Measured variance over estimated variance.
    fn ratio(&self, a: &Ciphertext) -> f64 {
        let measured = self.keys.secret.noise(a).unwrap();
        (2.0 * (measured - a.noise().log2_deviation())).exp2()
    }
}

/// The mean over keys and samples of measured over estimated, in bits of deviation.
fn bits_off(rotations: &[u32], samples: u32, make: impl Fn(&mut Lab) -> Ciphertext) -> f64 {
    let parameters = Parameters::named("TOY_255").unwrap();
    let mut sum = 0.0;
    for key in 0..KEYS {
        let mut lab = Lab::new(&parameters, rotations, key);
        for _ in 0..samples {
            let made = make(&mut lab);
            sum += lab.ratio(&made);
        }
    }
    0.5 * (sum / f64::from(samples * u32::from(KEYS))).log2()
}

fn assert_near(what: &str, off: f64) {
    println!("{what}: measured {off:+.2} bits beside the estimate");
    assert!(off.abs() < TOLERANCE, "{what}: {off:+.3} bits");
}

#[test]
fn encryptions() {
    assert_near("public encryption", bits_off(&[], 20, Lab::fresh));
    let secret = bits_off(&[], 20, |lab| {
        lab.keys
            .secret
            .encrypt(&[true], &mut lab.generator)
            .unwrap()
    });
    assert_near("secret encryption", secret);
}

#[test]
fn sums_and_switches() {
    let sum = bits_off(&[], 10, |lab| {
        let terms: Vec<Ciphertext> = (0..8).map(|_| lab.fresh()).collect();
        let terms: Vec<&Ciphertext> = terms.iter().collect();
        lab.evaluator.xor_all(&terms).unwrap()
    });
    assert_near("sum of eight", sum);
    for to in [1, 2, 3, 4, 5, 11] {
        let switched = bits_off(&[], 10, |lab| {
            let fresh = lab.fresh();
            let level = Level::from_number(to);
            lab.evaluator.switch_to(&fresh, level).unwrap()
        });
        assert_near(&format!("switch to level {to}"), switched);
    }
}

#[test]
fn products() {
    let product = bits_off(&[], 10, |lab| {
        let (a, b) = (lab.fresh(), lab.fresh());
        lab.evaluator.multiply(&a, &b).unwrap()
    });
    assert_near("product", product);
    // To the fourth power of the secret.
    let four = bits_off(&[], 20, |lab| {
        let level = lab.evaluator.parameters().top();
        let terms = [lab.fresh(), lab.fresh(), lab.fresh(), lab.fresh()];
        let [a, b] = [0, 2].map(|i| {
            let product = lab.evaluator.multiply(&terms[i], &terms[i + 1]).unwrap();
            lab.evaluator.relinearise_to(&product, level).unwrap()
        });
        lab.evaluator.multiply(&a, &b).unwrap()
    });
    assert_near("product of products at one level", four);
    let sum = bits_off(&[], 10, |lab| {
        let a = [lab.fresh(), lab.fresh(), lab.fresh(), lab.fresh()];
        let pairs = [(&a[0], &a[1]), (&a[2], &a[3])];
        lab.evaluator.sum_of_products(&pairs).unwrap()
    });
    assert_near("sum of products", sum);
    let and = bits_off(&[], 10, |lab| {
        let (a, b) = (lab.fresh(), lab.fresh());
        lab.evaluator.and(&a, &b).unwrap()
    });
    assert_near("relinearised product", and);
}

/// With special primes far shorter than digits, the noise of key switching is all there is.
#[test]
fn key_switching() {
    let mut literal = Parameters::named("TOY_255").unwrap().literal();
    literal.special_bits = 30;
    for digit in [1, 2] {
        literal.digit = digit;
        let parameters = Parameters::new(literal).unwrap();
        let mut sum = 0.0;
        for key in 0..KEYS {
            let mut lab = Lab::new(&parameters, &[7], key);
            let fresh = lab.fresh();
            let level = fresh.level();
            let product = lab.evaluator.multiply(&fresh, &fresh).unwrap();
            let relinearised = lab.evaluator.relinearise_to(&product, level).unwrap();
            assert!(relinearised.noise().log2_deviation() > 20.0);
            sum += lab.ratio(&relinearised);
            let turned = lab.evaluator.rotate(&fresh, 7).unwrap();
            sum += lab.ratio(&turned);
        }
        let off = 0.5 * (sum / f64::from(2 * KEYS)).log2();
        assert_near(&format!("key switching, {digit} primes a digit"), off);
    }
}

#[test]
fn chains() {
    for depth in [2, 4, 6] {
        let chain = bits_off(&[], 6, |lab| {
            let mut chain = lab.fresh();
            for _ in 0..depth {
                let next = lab.fresh();
                chain = lab.evaluator.and(&chain, &next).unwrap();
            }
            chain
        });
        assert_near(&format!("chain of {depth} products"), chain);
    }
}

/// u ← u ⊕ v, v ← v ⊕ u: integers of the Fibonacci sequence, not the roots of their sums.
#[test]
fn sums_count_what_occurs_in_them_twice() {
    for steps in [1, 4, 20] {
        let chain = bits_off(&[], 6, |lab| {
            let (mut u, mut v) = (lab.fresh(), lab.fresh());
            for _ in 0..steps {
                u = lab.evaluator.xor(&u, &v).unwrap();
                v = lab.evaluator.xor(&v, &u).unwrap();
            }
            v
        });
        assert_near(&format!("chain of {} sums", 2 * steps), chain);
    }
    // Roundings: one ciphertext switched to one level twice has the same, which counts twice, and
    // has another at another level.
    let switched = bits_off(&[], 10, |lab| {
        let fresh = lab.fresh();
        let [a, b, c] = [3, 3, 5].map(|level| {
            let level = Level::from_number(level);
            lab.evaluator.switch_to(&fresh, level).unwrap()
        });
        let sum = lab.evaluator.xor(&a, &b).unwrap();
        lab.evaluator.xor(&sum, &c).unwrap()
    });
    assert_near("sum of one ciphertext's switched forms", switched);
}

/// Beyond this many sums of sums a ciphertext would not decrypt: what does not fit is refused.
#[test]
fn chains_of_sums_are_refused_before_they_overflow() {
    let parameters = Parameters::named("TOY_255").unwrap();
    let mut lab = Lab::new(&parameters, &[], 1);
    let (mut u, mut v) = (lab.fresh(), lab.fresh());
    let [mut x, mut y] = [&u, &v].map(|a| lab.keys.secret.decrypt(a).unwrap());
    let steps = (0..10_000).find(|_| {
        let Ok(sum) = lab.evaluator.xor(&u, &v) else {
            return true;
        };
        (u, v) = (v.clone(), sum);
        let sum = x.iter().zip(&y).map(|(x, y)| x ^ y).collect();
        (x, y) = (std::mem::take(&mut y), sum);
        assert_eq!(lab.keys.secret.decrypt(&v).unwrap(), y);
        // By coefficients, all of which have to fit: nearer than forecast by nothing.
        let room = v.forecast().room(&parameters);
        assert!(lab.keys.secret.room(&v).unwrap() > room, "{room}");
        false
    });
    // Fibonacci's numbers have 0.69 bits for each step.
    let steps = steps.unwrap() as f64;
    let bits = parameters.modulus_bits(parameters.top());
    assert!((0.8 * bits..1.5 * bits).contains(&steps), "{steps} {bits}");
}

/// More origins than are kept, and ciphertexts from files, of whose origins nothing is known:
/// bounds hold.
#[test]
fn what_is_not_known_of_origins_is_bounded() {
    let parameters = Parameters::named("TOY_255").unwrap();
    let mut lab = Lab::new(&parameters, &[], 2);
    let mut sum = lab.fresh();
    let mut total = sum.clone();
    for _ in 0..400 {
        let next = lab.fresh();
        lab.evaluator.xor_assign(&mut sum, &next).unwrap();
        lab.evaluator.xor_assign(&mut total, &sum).unwrap();
        for found in [&sum, &total] {
            let measured = lab.keys.secret.noise(found).unwrap();
            assert!(measured < found.noise().log2_bound());
        }
    }
    let (a, b) = (lab.fresh(), lab.fresh());
    let product = lab.evaluator.and(&a, &b).unwrap();
    let read = |a: &Ciphertext| {
        let (id, level, parts) = (a.key_id(), a.level(), a.parts());
        Ciphertext::from_parts(&parameters, id, level, a.noise(), parts).unwrap()
    };
    let (one, other) = (read(&product), read(&product));
    assert_eq!(one, product);
    let doubled = lab.evaluator.xor(&one, &other).unwrap();
    let bound = doubled.noise().log2_bound();
    assert!((bound - product.noise().log2_bound() - 1.0).abs() < 1e-9);
    // An encryption is its own origin wherever it is read.
    let doubled = lab.evaluator.xor(&read(&a), &a).unwrap();
    let bound = doubled.noise().log2_bound();
    assert!((bound - a.noise().log2_bound() - 1.0).abs() < 1e-9);
    let two = lab.evaluator.xor(&read(&a), &read(&b)).unwrap();
    let bound = two.noise().log2_bound();
    assert!(
        (bound - a.noise().log2_bound() - 0.5).abs() < 0.1,
        "{bound}"
    );
}
