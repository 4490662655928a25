//! Evaluation: linear form → modulus switch → blind rotation of the constant 1/8 →
//! extraction of coefficient 0 → key switch.
//!
//! The constant polynomial 1/8·ΣX^i, rotated by a phase φ·2N, has 1/8 as its
//! coefficient 0 for φ in 0..1/2 and −1/8 otherwise: the sign. The modulus switch is
//! mean-compensated (`modulus_switch`), which costs nothing and halves its
//! variance against the papers'.
//!
//! A batch of independent gates passes over both keys together.

use crate::error::TfheError;
use crate::extraction::{double_reversed, extract};
use crate::modulus_switch::modulus_switch;

use super::ciphertext::GateCiphertext;
use super::gates::{Form, Gate, GateJob};
use super::server_key::{GateScratch, GateServerKey};

/// 1/8 of the torus in units of 2^-64.
const EIGHTH_WIDE: u64 = 1 << 61;

impl GateServerKey {
    /// Evaluates independent gates, one answer for each in order.
    ///
    /// They pass over the key together, at most [`GateScratch::batch`] rotations at
    /// a time, on the calling thread. Running time depends on the number and the
    /// kinds of gates and, in the key switch, on ciphertexts.
    ///
    /// # Errors
    /// [`TfheError::WrongKey`] or [`TfheError::WrongLength`] for a strange
    /// ciphertext, [`TfheError::WrongScratch`] for strange buffers; nothing is
    /// computed then.
    ///
    /// ```
    /// use random::Generator;
    /// use blindcore_tfhe::gate::{Gate, GateJob, GateSecretKey, GateServerKey, SeededGateServerKey, TOY_GATE};
    ///
    /// let mut generator = Generator::from_key([1; 32]);
    /// let secret = GateSecretKey::generate(TOY_GATE, &mut generator)?;
    /// let seeded = SeededGateServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// let server = GateServerKey::expand(&seeded, 1, &|_, _| {})?;
    /// let bits = secret.encrypt(&[true, false], &mut generator);
    /// let jobs = [
    ///     GateJob::Two(Gate::Nand, &bits[0], &bits[1]),
    ///     GateJob::Mux { select: &bits[1], then: &bits[0], otherwise: &bits[1] },
    /// ];
    /// let results = server.gates(&mut server.scratch(8), &jobs)?;
    /// assert_eq!(secret.decrypt(&results[0])?, true);
    /// assert_eq!(secret.decrypt(&results[1])?, false);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn gates(
        &self,
        scratch: &mut GateScratch,
        jobs: &[GateJob<'_>],
    ) -> Result<Vec<GateCiphertext>, TfheError> {
        self.check_scratch(scratch)?;
        for bit in jobs.iter().flat_map(GateJob::operands) {
            bit.check(self.parameters(), self.key_id())?;
        }
        let mut outputs = Vec::with_capacity(jobs.len());
        let mut left = jobs;
        while !left.is_empty() {
            let (now, later) = left.split_at(fitting(left, scratch.batch));
            self.pass(scratch, now, &mut outputs);
            left = later;
        }
        Ok(outputs)
    }

    /// A gate of two inputs, alone.
    ///
    /// # Errors
    /// As [`GateServerKey::gates`].
    pub fn gate(
        &self,
        scratch: &mut GateScratch,
        gate: Gate,
        a: &GateCiphertext,
        b: &GateCiphertext,
    ) -> Result<GateCiphertext, TfheError> {
        self.one(scratch, GateJob::Two(gate, a, b))
    }

    /// A multiplexer, alone: see [`GateJob::Mux`].
    ///
    /// # Errors
    /// As [`GateServerKey::gates`].
    pub fn mux(
        &self,
        scratch: &mut GateScratch,
        select: &GateCiphertext,
        then: &GateCiphertext,
        otherwise: &GateCiphertext,
    ) -> Result<GateCiphertext, TfheError> {
        let job = GateJob::Mux {
            select,
            then,
            otherwise,
        };
        self.one(scratch, job)
    }

    /// The same bit with fresh noise.
    ///
    /// # Errors
    /// As [`GateServerKey::gates`].
    pub fn refresh(
        &self,
        scratch: &mut GateScratch,
        a: &GateCiphertext,
    ) -> Result<GateCiphertext, TfheError> {
        self.one(scratch, GateJob::Refresh(a))
    }

    fn check_scratch(&self, scratch: &GateScratch) -> Result<(), TfheError> {
        let (expected, found) = if scratch.parameters != *self.parameters() {
            (self.parameters().name(), scratch.parameters.name())
        } else if scratch.fft != self.fft() {
            (self.fft().name(), scratch.fft.name())
        } else {
            return Ok(());
        };
        Err(TfheError::WrongScratch { expected, found })
    }

    fn one(
        &self,
        scratch: &mut GateScratch,
        job: GateJob<'_>,
    ) -> Result<GateCiphertext, TfheError> {
        match self.gates(scratch, &[job])?.pop() {
            Some(bit) => Ok(bit),
            None => unreachable!("one gate has one result"),
        }
    }

    /// Gates whose rotations fit one batch.
    fn pass(
        &self,
        scratch: &mut GateScratch,
        jobs: &[GateJob<'_>],
        outputs: &mut Vec<GateCiphertext>,
    ) {
        let forms: Vec<Form<'_>> = jobs.iter().flat_map(GateJob::forms).flatten().collect();
        self.rotate(scratch, &forms);
        let size = self.parameters().polynomial_size().get();
        let words = self.parameters().lwe_dimension().get() + 1;
        let mut rotation = 0;
        for (job, big) in jobs.iter().zip(scratch.big.chunks_exact_mut(size + 1)) {
            let rotations = job.forms().iter().flatten().count();
            for added in 0..rotations {
                let (mask, body) = scratch.rotations.accumulator(rotation);
                double_reversed(mask, &mut scratch.doubled);
                let sign = extract(&scratch.doubled, body, 0);
                if added == 0 {
                    big.copy_from_slice(&sign);
                } else {
                    big.iter_mut()
                        .zip(&sign)
                        .for_each(|(sum, x)| *sum = sum.wrapping_add(*x));
                    big[size] = big[size].wrapping_add(EIGHTH_WIDE);
                }
                rotation += 1;
            }
        }
        let big = &scratch.big[..jobs.len() * (size + 1)];
        let small = &mut scratch.small[..jobs.len() * words];
        self.key_switch.switch(big, small);
        outputs.extend(
            small
                .chunks_exact(words)
                .map(|elements| GateCiphertext::from_elements(self.key_id(), elements.into())),
        );
    }

    /// From forms to rotated accumulators, for at most `scratch.batch` of them.
    pub(super) fn rotate(&self, scratch: &mut GateScratch, forms: &[Form<'_>]) {
        let words = scratch.sum.len();
        let bits = self.parameters().log2_rotations();
        for (form, switched) in forms.iter().zip(scratch.switched.chunks_exact_mut(words)) {
            form.write(&mut scratch.sum);
            modulus_switch(&scratch.sum, 1, bits, switched);
        }
        let switched: Vec<&[u16]> = scratch
            .switched
            .chunks_exact(words)
            .take(forms.len())
            .collect();
        self.bootstrap.rotate(&switched, &mut scratch.rotations);
    }
}

/// How many of the first gates fit a batch of rotations; at least one, and if
/// several passes are due anyway, about an equal share: a pass of one rotation
/// pays the whole stream of the key.
fn fitting(jobs: &[GateJob<'_>], batch: usize) -> usize {
    let rotations = |job: &GateJob<'_>| job.forms().iter().flatten().count();
    let total: usize = jobs.iter().map(rotations).sum();
    let share = total.div_ceil(total.div_ceil(batch).max(1));
    let mut room = share.max(2).min(batch);
    let fits = jobs.iter().take_while(|job| {
        let left = room.checked_sub(rotations(job));
        room = left.unwrap_or(0);
        left.is_some()
    });
    fits.count().max(1)
}
