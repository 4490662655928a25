//! A server's key of either engine as it is used.

use std::fmt;

use random::KeyId;
use transforms::torus::Fft;

use crate::blind_rotation::BootstrapKey;
use crate::parameters::{Literal, Set};

/// The server's key, ready to compute: [`ServerKey`](crate::ServerKey) for lookups,
/// [`GateServerKey`](crate::gate::GateServerKey) for gates. It holds no secret, and is shared
/// between threads; whoever computes brings work buffers.
///
/// `L` describes the parameters, `K` is the key-switching key.
///
/// ```
/// # use random::Generator;
/// use blindcore_tfhe::gate::{
///     GateKeySwitchKey, GateLiteral, GateSecretKey, GateServerKey, SeededGateServerKey, TOY_GATE,
/// };
/// use blindcore_tfhe::{Expanded, KeySwitchKey, ParameterLiteral, ServerKey, TOY_BLOCK};
///
/// # let mut generator = Generator::from_key([1; 32]);
/// # let secret = GateSecretKey::generate(TOY_GATE, &mut generator)?;
/// # let seeded = SeededGateServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
/// // The same of both engines, but for what describes their sets and what switches their keys.
/// let lookups: Expanded<ParameterLiteral, KeySwitchKey> = ServerKey::for_timing(TOY_BLOCK)?;
/// let gates: Expanded<GateLiteral, GateKeySwitchKey> = GateServerKey::expand(&seeded, 1, &|_, _| {})?;
/// assert_eq!((lookups.parameters(), gates.parameters()), (&TOY_BLOCK, &TOY_GATE));
/// assert_eq!((lookups.fft(), gates.key_id()), (gates.fft(), seeded.key_id()));
/// # Ok::<(), blindcore_tfhe::TfheError>(())
/// ```
pub struct Expanded<L, K> {
    pub(crate) parameters: Set<L>,
    pub(crate) key_id: KeyId,
    pub(crate) bootstrap: BootstrapKey,
    pub(crate) key_switch: K,
}

/// Name and key only: the content is megabytes long.
impl<L: Literal, K> fmt::Debug for Expanded<L, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expanded")
            .field("parameters", &self.parameters.name())
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

impl<L, K> Expanded<L, K> {
    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Set<L> {
        &self.parameters
    }

    /// The public name of the key pair.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The FFT processor that computes with it.
    #[must_use]
    pub fn fft(&self) -> Fft {
        self.bootstrap.fft()
    }
}
