//! Making keys.
//!
//! 1. A polynomial v of n uniform t-bit coefficients whose sum is odd: modulo 2, x^n + 1 is (x +
//!    1)^n, so d ≡ v(1)^n is odd exactly then.
//! 2. d and two coefficients of w = d/v: `resultant`.
//! 3. If w_1 has an inverse modulo d, then Z[x]/(x^n + 1, v) is cyclic of order d, and r = w_0/w_1
//!    is the image of x: v(r) ≡ 0, r^n ≡ −1, and w_(i+1) = w_i/r.
//! 4. The secret is the first odd w_i.
//! 5. `squashing`, and its indices encrypted under the key itself.
//!
//! v is drawn again if w_1 has no inverse, if d has more bits than the parameters allow, or if some
//! v(ρ) is so small that the margin of everything would suffer (see the notes on noise); one draw
//! in fifty or so.

use std::num::NonZeroUsize;
use std::sync::Arc;

use bignum::{Modulus, Options};
use random::Generator;
use zeroize::Zeroizing;

use super::key::{SecretKey, odd_when_centred};
use super::polynomial::{Polynomial, sign};
use super::resultant::resultant;
use super::squashing;
use crate::encryption::Encryptor;
use crate::noise::KEY_TAIL;
use crate::powers::Root;
use crate::stage::{Stage, Watch};
use crate::{Error, Parameters, PublicKey, limbs};
use work::Counter;
use work::Threads;

/// Bytes of powers at most while indices are encrypted.
const MEMORY: usize = 512 << 20;

/// A key pair and what tests want to know of it.
pub(super) struct Pair {
    pub(super) secret: SecretKey,
    pub(super) public: PublicKey,
    #[cfg(test)]
    pub(super) polynomial: Polynomial,
    #[cfg(test)]
    pub(super) indices: Vec<usize>,
}

/// d, r and w of one polynomial.
struct Ring {
    modulus: Modulus,
    root: Vec<u64>,
    secret: Zeroizing<Vec<u64>>,
}

/// Makes a key pair.
pub(super) fn generate(
    parameters: Parameters,
    generator: &mut Generator,
    threads: NonZeroUsize,
    watch: Watch<'_>,
) -> Result<Pair, Error> {
    let (_polynomial, ring) = loop {
        let v = draw(&parameters, generator);
        if tail(&parameters, &v) > KEY_TAIL {
            continue;
        }
        if let Some(ring) = ring(&parameters, &v, watch)? {
            break (v, ring);
        }
    };
    let (d, part) = (ring.modulus.modulus(), ring.modulus.limbs());
    let squashed = squashing::squash(&parameters, &ring.modulus, &ring.secret, generator)?;

    let bits = squashing::encoded(&parameters, &squashed.indices);
    let root = Root {
        parameters: &parameters,
        modulus: d,
        root: &ring.root,
    };
    let babies = root.babies_for(bits.len(), MEMORY);
    let counter = Counter::new(watch, Stage::Powers, babies - 1);
    let threads = Threads::new(threads)?;
    let encryptor = Encryptor::with_babies(root, babies, threads, Some(&counter))?;
    let counter = Counter::new(watch, Stage::Encryptions, bits.len());
    let encrypted = encryptor.encrypt_watched(&bits, generator, Some(&counter))?;
    drop(encryptor);

    let mut all = Vec::with_capacity(parameters.public_parts() * part);
    all.extend_from_slice(d);
    all.extend_from_slice(&ring.root);
    squashed
        .elements
        .iter()
        .for_each(|x| all.extend_from_slice(x));
    encrypted
        .iter()
        .for_each(|bit| all.extend_from_slice(bit.limbs()));
    Ok(Pair {
        secret: SecretKey::from_parts(
            parameters,
            crate::identity::of_root(&ring.root),
            d.to_vec(),
            ring.secret.to_vec(),
        )?,
        public: PublicKey::from_limbs(parameters, Arc::new(all))?,
        #[cfg(test)]
        polynomial: _polynomial,
        #[cfg(test)]
        indices: squashed.indices.to_vec(),
    })
}

/// n uniform t-bit coefficients of odd sum.
fn draw(parameters: &Parameters, generator: &mut Generator) -> Polynomial {
    let t = parameters.coefficient_bits();
    let width = t / 64 + 1;
    let mut drawn = Vec::with_capacity(parameters.dimension() * width);
    let mut odd = false;
    for _ in 0..parameters.dimension() {
        let begin = drawn.len();
        drawn.extend((0..width).map(|_| generator.uniform()));
        odd ^= drawn[begin] & 1 == 1;
        // Bit t − 1 is the sign, and fills what is above it.
        let top = &mut drawn[begin + (t - 1) / 64..];
        let unused = 63 - (t - 1) % 64;
        top[0] = ((top[0] << unused) as i64 >> unused) as u64;
        let fill = (top[0] as i64 >> 63) as u64;
        top[1..].fill(fill);
    }
    if !odd {
        // To an even coefficient 1 is added by a bit, to an odd one it is taken away: no carry.
        drawn[width] ^= 1;
    }
    Polynomial::new(width, drawn)
}

/// Bits by which the smallest |v(ρ)| lower every margin: see the notes on noise. In floating point,
/// with 2^-t·v: a relative error of 2^-40 does not matter.
fn tail(parameters: &Parameters, v: &Polynomial) -> f64 {
    let n = v.len();
    let scaled: Zeroizing<Vec<f64>> = Zeroizing::new(
        v.coefficients()
            .map(|coefficient| {
                let negative = sign(coefficient) != 0;
                let mut magnitude = Zeroizing::new(coefficient.to_vec());
                if negative {
                    limbs::negate(&mut magnitude);
                }
                let bits = limbs::log2(&magnitude) - parameters.coefficient_bits() as f64;
                if negative { -bits.exp2() } else { bits.exp2() }
            })
            .collect(),
    );
    let angles = (0..2 * n).map(|i| (i as f64 * std::f64::consts::PI / n as f64).sin_cos());
    let circle: Vec<(f64, f64)> = angles.collect();
    // One root of each pair of conjugates: e^(iπ(2k + 1)/n).
    let inverses = (0..n / 2).map(|k| {
        let (mut real, mut imaginary, mut angle) = (0.0, 0.0, 0);
        for coefficient in &*scaled {
            let (sine, cosine) = circle[angle];
            real += coefficient * cosine;
            imaginary += coefficient * sine;
            angle = (angle + 2 * k + 1) & (2 * n - 1);
        }
        1.0 / (real * real + imaginary * imaginary)
    });
    // The mean of 1/|v(ρ)|² over its value for the mean n/12.
    let mean = inverses.sum::<f64>() / (n / 2) as f64;
    (mean * n as f64 / 12.0).log2() / 2.0
}

/// d, r and w, or nothing if this polynomial will not do.
fn ring(parameters: &Parameters, v: &Polynomial, watch: Watch<'_>) -> Result<Option<Ring>, Error> {
    let levels = parameters.log_dimension() as usize;
    let chain = resultant(v, &Counter::new(watch, Stage::Resultant, levels))?;
    let (d, negative) = magnitude(&chain.resultant);
    let d = &d[..limbs::bits(&d).div_ceil(64)];
    if negative || limbs::bits(d) > parameters.largest_modulus_bits() {
        return Ok(None);
    }
    let modulus = Modulus::new(d, Options::default())?;
    let residue = |number: &Polynomial| -> Result<Zeroizing<Vec<u64>>, Error> {
        let (magnitude, negative) = magnitude(number);
        let mut residue = Zeroizing::new(vec![0; d.len()]);
        modulus.reduce(&mut residue, &magnitude)?;
        if negative {
            let copy = residue.clone();
            modulus.negate(&mut residue, &copy)?;
        }
        Ok(residue)
    };
    let [w_0, w_1] = &chain.inverse;
    let (w_0, w_1) = (residue(w_0)?, residue(w_1)?);
    let Some(inverse) = modulus.invert_vartime(&w_1)?.map(Zeroizing::new) else {
        return Ok(None);
    };
    let mut root = vec![0; d.len()];
    modulus.multiply(&mut root, &w_0, &inverse)?;
    let secret = odd_coefficient(parameters, &modulus, &root, [w_0, w_1])?;
    Counter::new(watch, Stage::Root, 1).step()?;
    Ok(secret.map(|secret| Ring {
        modulus,
        root,
        secret,
    }))
}

/// The first of the w_i that is odd as a number between −d/2 and d/2.
fn odd_coefficient(
    parameters: &Parameters,
    modulus: &Modulus,
    root: &[u64],
    first: [Zeroizing<Vec<u64>>; 2],
) -> Result<Option<Zeroizing<Vec<u64>>>, Error> {
    let d = modulus.modulus();
    let [w_0, w_1] = first;
    for w in [&w_0, &w_1] {
        if odd_when_centred(w, d) {
            return Ok(Some(w.clone()));
        }
    }
    // 1/r = −r^(n−1), and r^(n−1) is the product of r^(2^i) for i < log2 n.
    let (mut square, mut next) = (root.to_vec(), vec![0; d.len()]);
    let (mut power, mut product) = (root.to_vec(), vec![0; d.len()]);
    for _ in 1..parameters.log_dimension() {
        modulus.square(&mut next, &square)?;
        std::mem::swap(&mut square, &mut next);
        modulus.multiply(&mut product, &power, &square)?;
        std::mem::swap(&mut power, &mut product);
    }
    modulus.negate(&mut product, &power)?;
    let step = modulus.keep(&product)?;
    let mut w = w_1;
    for _ in 2..parameters.dimension() {
        let mut next = Zeroizing::new(vec![0; d.len()]);
        modulus.multiply_kept(&mut next, &step, &*w)?;
        if odd_when_centred(&next, d) {
            return Ok(Some(next));
        }
        w = next;
    }
    Ok(None)
}

/// The absolute value of a constant polynomial, and whether it is negative.
fn magnitude(constant: &Polynomial) -> (Zeroizing<Vec<u64>>, bool) {
    let mut magnitude = Zeroizing::new(Vec::new());
    for coefficient in constant.coefficients().take(1) {
        magnitude.extend_from_slice(coefficient);
    }
    let negative = sign(&magnitude) != 0;
    if negative {
        limbs::negate(&mut magnitude);
    }
    (magnitude, negative)
}
