//! The server's key as it is used: masks expanded, everything transformed, laid
//! out in the order in which a lookup reads it.

use random::{MaskGenerator, Seed};
use transforms::torus::Fft;

use crate::blind_rotation::BootstrapKey;
use crate::error::TfheError;
use crate::expanded::Expanded;
use crate::key_switch::KeySwitchKey;
use crate::lwe::LweCiphertext;
use crate::parallel::Progress;
use crate::parameters::{ParameterLiteral, Parameters};
use crate::scratch::Scratch;
use crate::seeded_server_key::{Layout, SeededServerKey, rotation_shape};
use random::KeyId;

/// The server's key of the lookups, ready to compute: 58.7 MB + 1 MB for P16. See [`Expanded`].
pub type ServerKey = Expanded<ParameterLiteral, KeySwitchKey>;

impl ServerKey {
    /// Expands a stored key on `threads` threads (at least one), reporting
    /// parts done and parts in all, for this machine's fastest FFT processor.
    ///
    /// # Errors
    /// [`TfheError::NoTransform`] if a ring has no transform.
    pub fn expand(
        seeded: &SeededServerKey,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Self, TfheError> {
        Self::expand_for(seeded, Fft::detect(), threads, progress)
    }

    /// As [`ServerKey::expand`], for an FFT processor of the caller's choice:
    /// for comparing them. Results differ in rounding errors, which the noise
    /// budget counts, and in speed; the expanded key of some is larger.
    ///
    /// # Errors
    /// [`TfheError::NoTransform`] also if this machine cannot run the processor.
    pub fn expand_for(
        seeded: &SeededServerKey,
        fft: Fft,
        threads: usize,
        progress: Progress<'_>,
    ) -> Result<Self, TfheError> {
        let parameters = *seeded.parameters();
        Ok(Self {
            parameters,
            key_id: seeded.key_id(),
            bootstrap: BootstrapKey::expand(
                rotation_shape(&parameters),
                seeded.seed(),
                seeded.bootstrap_bodies(),
                fft,
                threads,
                progress,
            )?,
            key_switch: KeySwitchKey::expand(seeded, fft)?,
        })
    }

    /// A key of the right shape, filled with pseudo-random words that encrypt
    /// nothing: for measuring how long lookups take on a machine without making
    /// a key. Its outputs decrypt to nothing.
    ///
    /// # Errors
    /// As [`ServerKey::expand`].
    ///
    /// ```
    /// use random::Seed;
    /// use blindcore_tfhe::{Fft, Lookup, PackedInputs, ServerKey, TOY_BLOCK, TruthTable};
    /// let key = ServerKey::for_timing(TOY_BLOCK)?;
    /// // Any bodies under any seed: masks as uniform as those of real ciphertexts.
    /// let seed = Seed::from_bytes([1; 32]);
    /// let bits = PackedInputs::from_parts(TOY_BLOCK, key.key_id(), seed, vec![0]).unpack();
    /// let (terms, tables) = ([(&bits[0], 1)], [TruthTable::of(|t| t == 1)]);
    /// let lookup = Lookup { terms: &terms, constant: 0, tables: &tables };
    /// let start = std::time::Instant::now();
    /// key.lookup_many(&mut key.scratch(1), &[lookup])?;
    /// println!("{:?}", start.elapsed());
    /// // Another processor, to compare with.
    /// assert_eq!(ServerKey::for_timing_on(TOY_BLOCK, Fft::Ntt)?.fft(), Fft::Ntt);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn for_timing(parameters: Parameters) -> Result<Self, TfheError> {
        Self::for_timing_on(parameters, Fft::detect())
    }

    /// As [`ServerKey::for_timing`], for an FFT processor of the caller's choice.
    ///
    /// # Errors
    /// As [`ServerKey::expand_for`].
    pub fn for_timing_on(parameters: Parameters, fft: Fft) -> Result<Self, TfheError> {
        let (bootstrap, key_switch) = SeededServerKey::body_counts(&parameters);
        let seed = Seed::from_bytes([0; Seed::LENGTH]);
        let fill = |length, stream| {
            let mut words = vec![0; length];
            MaskGenerator::new(&seed, stream).fill(&mut words);
            words
        };
        let streams = Layout::new(&parameters).streams();
        let seeded = SeededServerKey::from_parts(
            parameters,
            KeyId::from_bytes([0; KeyId::LENGTH]),
            seed,
            fill(bootstrap, streams),
            fill(key_switch, streams + 1),
        )?;
        Self::expand_for(&seeded, fft, 1, &|_, _| {})
    }

    /// Work buffers for this key, for batches of at most `batch` lookups (at
    /// least one): about 0.1 MB a lookup for P16.
    #[must_use]
    pub fn scratch(&self, batch: usize) -> Scratch {
        Scratch::new(self, batch)
    }

    /// A known bit as a ciphertext of this key; no noise, no secrecy.
    #[must_use]
    pub fn constant(&self, bit: bool) -> LweCiphertext {
        LweCiphertext::trivial(&self.parameters, self.key_id, bit)
    }

    /// The sum of bits of which at most one is 1: their OR, without any rotation. The variances of
    /// bits from different rotations add up. Where several bits are 1 the result is no bit.
    ///
    /// # Errors
    /// [`TfheError::WrongKey`] or [`TfheError::WrongLength`] for a strange ciphertext.
    ///
    /// ```
    /// # use random::Generator;
    /// # use blindcore_tfhe::{SecretKey, SeededServerKey, ServerKey, TOY_BLOCK};
    /// # let mut generator = Generator::from_key([1; 32]);
    /// # let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// # let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// let server = ServerKey::expand(&seeded, 1, &|_, _| {})?;
    /// let bits = secret.encrypt(&[false, true, false], &mut generator).unpack();
    /// let any = server.sum(&bits.iter().collect::<Vec<_>>())?;
    /// assert_eq!(secret.decrypt(&any)?, true);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn sum(&self, bits: &[&LweCiphertext]) -> Result<LweCiphertext, TfheError> {
        let mut sum = vec![0_u64; self.parameters.big_lwe_dimension().get() + 1];
        for bit in bits {
            bit.check_whole(&self.parameters, self.key_id)?;
            for (sum, x) in sum.iter_mut().zip(&*bit.elements()) {
                *sum = sum.wrapping_add(*x);
            }
        }
        Ok(LweCiphertext::from_elements(
            self.key_id,
            sum.into_boxed_slice(),
        ))
    }

    /// Whether an odd number of bits, of either scale, is 1: their sum at scale 1/2, without any
    /// rotation. Variances add up; those of bits at scale 1/32 count 256 times, as their scale does
    /// beside 1/2.
    ///
    /// # Errors
    /// [`TfheError::WrongKey`] or [`TfheError::WrongLength`] for a strange ciphertext.
    ///
    /// ```
    /// # use random::Generator;
    /// # use blindcore_tfhe::{SecretKey, SeededServerKey, ServerKey, TOY_BLOCK};
    /// # let mut generator = Generator::from_key([1; 32]);
    /// # let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// # let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// let server = ServerKey::expand(&seeded, 1, &|_, _| {})?;
    /// let bits = secret.encrypt(&[true, true, false, true], &mut generator).unpack();
    /// let odd = server.sum_modulo_2(&bits.iter().collect::<Vec<_>>())?;
    /// assert!(odd.is_half() && odd.not().is_half());
    /// assert_eq!((secret.decrypt(&odd)?, secret.decrypt(&odd.not())?), (true, false));
    /// // As it is, it cannot be looked up.
    /// assert!(server.sum(&[&odd]).is_err());
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn sum_modulo_2(&self, bits: &[&LweCiphertext]) -> Result<LweCiphertext, TfheError> {
        let mut sum = vec![0_u64; self.parameters.big_lwe_dimension().get() + 1];
        for bit in bits {
            bit.check(&self.parameters, self.key_id)?;
        }
        crate::lookup::half_scale_sum(bits, &mut sum);
        let sum = sum.into_boxed_slice();
        Ok(LweCiphertext::half_from_elements(self.key_id, sum))
    }
}
