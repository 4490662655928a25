//! Making keys.

use std::num::NonZeroUsize;
use std::sync::Arc;

use random::{Generator, SecretBuffer, Seed};
use transforms::cyclotomic::rotate;
use zeroize::Zeroizing;

use super::SecretKey;
use super::embedding::largest_square;
use crate::evaluation_key::{RELINEARISATION, check_automorphism, rotation_kind};
use crate::key_switch::{places, stream};
use crate::noise::worst_secret;
use crate::ring::Ring;
use crate::sampling::{error, residues, ternary, uniform};
use crate::stage::{Stage, Watch};
use crate::{Error, EvaluationKey, KeyId, Parameters, PublicKey, residue};
use work::Counter;
use work::Threads;

/// What key generation gives.
pub struct Keys {
    /// To be kept by the owner.
    pub secret: SecretKey,
    /// For whoever encrypts.
    pub public: PublicKey,
    /// For whoever computes.
    pub evaluation: Arc<EvaluationKey>,
}

impl SecretKey {
    /// Makes a secret, its public key, and its evaluation key with a rotation for each exponent
    /// (see [`Slots::generators`](crate::Slots::generators)). Running time says how many secrets
    /// were drawn before the one that is used, and of drawn errors what the crate `random` says.
    ///
    /// # Errors
    /// [`Error::NotAnAutomorphism`], [`Error::Interrupted`] by the watch, [`Error::NoThreads`],
    /// [`Error::Ring`].
    pub fn generate(
        parameters: &Parameters,
        rotations: &[u32],
        generator: &mut Generator,
        threads: NonZeroUsize,
        watch: Watch<'_>,
    ) -> Result<Keys, Error> {
        for &exponent in rotations {
            check_automorphism(parameters, exponent)?;
        }
        let threads = Threads::new(threads)?;
        let tables = Counter::new(watch, Stage::Tables, 1);
        let ring = Ring::new(parameters)?;
        tables.step()?;

        let counter = Counter::new(watch, Stage::Keys, 2);
        let key_id = KeyId::random(generator);
        let secret = SecretKey::new(&ring, key_id, coefficients(&ring, generator));
        counter.step()?;
        let public = public_key(&ring, &secret, generator);
        counter.step()?;

        let seed = generator.seed();
        let square = |number: usize| {
            let mut row = secret.row(number).to_vec();
            ring.plan(number).multiply(&mut row, secret.row(number));
            row
        };
        let maker = Maker {
            ring: &ring,
            secret: &secret,
            seed,
            threads: &threads,
        };
        let one = Counter::new(watch, Stage::Relinearisation, maker.steps());
        let relinearisation = maker.bodies(RELINEARISATION, square, generator, &one)?;

        let many = Counter::new(watch, Stage::Rotations, maker.steps() * rotations.len());
        let mut moved = Vec::with_capacity(rotations.len());
        for &exponent in rotations {
            let image = |number: usize| {
                let mut row = ring.zero();
                rotate(parameters.index(), exponent, secret.row(number), &mut row);
                row
            };
            let kind = rotation_kind(exponent);
            moved.push((exponent, maker.bodies(kind, image, generator, &many)?));
        }
        let evaluation =
            EvaluationKey::expand(&ring, key_id, seed, relinearisation, moved, &threads)?;
        Ok(Keys {
            secret,
            public,
            evaluation: Arc::new(evaluation),
        })
    }
}

/// Uniform ternary ones, none of whose coordinates exceeds what bounds of noise assume.
fn coefficients(ring: &Ring, generator: &mut Generator) -> SecretBuffer<i8> {
    loop {
        let drawn = ternary(generator, ring.degree());
        let largest = largest_square(ring.parameters().index(), drawn.expose());
        if largest <= worst_secret(ring.degree()) {
            return drawn;
        }
    }
}

/// An encryption of 0 modulo the top level's primes and the special ones.
fn public_key(ring: &Arc<Ring>, secret: &SecretKey, generator: &mut Generator) -> PublicKey {
    let seed = generator.seed();
    let error = error(generator, ring.parameters().index());
    let chosen = PublicKey::rows_of(ring.parameters());
    let rows = chosen.iter().enumerate().map(|(place, &number)| {
        let mask = PublicKey::mask_row(ring, &seed, place, number);
        body(ring, secret, number, &mask, &error)
    });
    let rows = rows.collect();
    PublicKey::new(ring, secret.key_id(), seed, rows)
}

/// −a·s + 2e modulo a prime, in evaluated form.
fn body(
    ring: &Ring,
    secret: &SecretKey,
    number: usize,
    mask: &[u64],
    error: &SecretBuffer<i64>,
) -> Vec<u64> {
    let plan = ring.plan(number);
    let negative = error.expose().iter().map(|&e| -2 * e);
    let mut row = residues(negative, plan.modulus());
    plan.evaluate(&mut row);
    plan.multiply_add(&mut row, mask, secret.row(number));
    plan.negate(&mut row);
    row
}

/// Makes keys of key switching.
struct Maker<'a> {
    ring: &'a Ring,
    secret: &'a SecretKey,
    seed: Seed,
    threads: &'a Threads,
}

impl Maker<'_> {
    /// Rows of one key.
    fn steps(&self) -> usize {
        self.ring.parameters().switch_rows().sum()
    }

    /// The bodies of a key that takes a polynomial, given modulo each prime, to the secret.
    fn bodies(
        &self,
        kind: u64,
        polynomial: impl Fn(usize) -> Vec<u64> + Sync,
        generator: &mut Generator,
        counter: &Counter<'_, Stage>,
    ) -> Result<Vec<Vec<Vec<u64>>>, Error> {
        let parameters = self.ring.parameters();
        let places = places(parameters);
        let keys = generator.fork_keys(places.len());
        let specials = parameters.special_primes();
        let jobs = (0..places.len()).collect();
        self.threads.try_map(jobs, |job: usize| {
            let place = &places[job];
            let mut generator = Generator::from_key(keys.expose()[job]);
            let error = error(&mut generator, parameters.index());
            let rows = place.rows.iter().enumerate().map(|(row, &number)| {
                let plan = self.ring.plan(number);
                let q = plan.modulus();
                let number_of = stream(kind, place.shape, place.digit, row);
                let mask = uniform(&self.seed, number_of, q, self.ring.degree());
                let mut body = body(self.ring, self.secret, number, &mask, &error);
                // P·g_j·s': g_j is 1 modulo the digit's own primes and 0 modulo the others.
                if place.primes.contains(&number) {
                    let factor = specials.iter().map(|&p| parameters.primes()[p]);
                    let scaled = Zeroizing::new(polynomial(number));
                    plan.scale_add(&mut body, &scaled, residue::product(factor, q));
                }
                counter.step()?;
                Ok(body)
            });
            rows.collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_no_coordinate_beyond_the_bound() {
        let ring = Ring::new(&Parameters::named("TOY_255").unwrap()).unwrap();
        let index = ring.parameters().index();
        let exceeds = |secret: &SecretBuffer<i8>| {
            largest_square(index, secret.expose()) > worst_secret(ring.degree())
        };
        let mut generator = Generator::from_key([3; 32]);
        let drawn = (0..500).filter(|_| exceeds(&ternary(&mut generator, ring.degree())));
        assert!(drawn.count() > 0);
        assert!((0..500).all(|_| !exceeds(&coefficients(&ring, &mut generator))));
    }
}
