//! The public key, made from the owner's: one encryption of zero.

use random::{Generator, MaskGenerator};

use crate::public_key::{MASK_STREAM, PublicKey};

use super::key::SecretKey;

impl PublicKey {
    /// The public key of a secret one: b = a·s + e. Every call gives another one of
    /// the same key pair.
    ///
    /// Running time depends on the drawn errors by what the crate `random` says.
    ///
    /// ```
    /// use random::Generator;
    /// use blindcore_tfhe::{PublicKey, SecretKey, TOY_BLOCK};
    /// let mut generator = Generator::from_entropy()?;
    /// let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// let public = PublicKey::generate(&secret, &mut generator);
    /// let bits = public.encrypt(&[true, false], &mut generator)?.unpack();
    /// assert_eq!(secret.decrypt(&bits[0])?, true);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn generate(secret: &SecretKey, generator: &mut Generator) -> Self {
        let parameters = *secret.parameters();
        let seed = generator.seed();
        let n = parameters.polynomial_size().get();
        let mut mask = vec![0; n];
        MaskGenerator::new(&seed, MASK_STREAM).fill(&mut mask);
        let mut body = vec![0; n];
        let ring = secret.ring();
        ring.add_product(&mut body, &mask, secret.big_spectrum(), &mut ring.work());
        generator.add_gaussian(&mut body, parameters.glwe_deviation());
        Self {
            parameters,
            key_id: secret.key_id(),
            seed,
            body,
        }
    }
}
