//! The two engines as [`Bench`]es, each on a key expanded for one processor.

use std::num::NonZeroUsize;
use std::sync::Arc;

use circuits::Gates as _;
use engines::tfhe_gate::{self, TfheGate};
use engines::tfhe_lookup::{self, TfheLookup};
use random::Generator;
use tfhe::gate::{
    GateCiphertext, GateParameters, GateSecretKey, GateServerKey, SeededGateServerKey,
};
use tfhe::leveled::{LeveledKey, SeededLeveledKey};
use tfhe::{Fft, LweCiphertext, Parameters, SecretKey, SeededServerKey, ServerKey};
use values::{Element, Type};
use wire::{Inputs, Variable};

use super::Bench;
use crate::error::{PapersError, internal};

/// A key pair of the gate engine.
pub(crate) struct GateKeys {
    secret: GateSecretKey,
    server: SeededGateServerKey,
}

impl GateKeys {
    pub(crate) fn generate(
        parameters: GateParameters,
        generator: &mut Generator,
        threads: NonZeroUsize,
    ) -> Result<Self, PapersError> {
        let secret = GateSecretKey::generate(parameters, generator).map_err(internal)?;
        let server = SeededGateServerKey::generate(&secret, generator, threads.get(), &|_, _| {})
            .map_err(internal)?;
        Ok(Self { secret, server })
    }

    /// The server's key as it would travel.
    pub(crate) fn server_bytes(&self) -> u64 {
        self.server.bytes() as u64
    }

    pub(crate) fn bench(
        &self,
        fft: Fft,
        threads: NonZeroUsize,
    ) -> Result<GateBench<'_>, PapersError> {
        let key = GateServerKey::expand_for(&self.server, fft, threads.get(), &|_, _| {})
            .map_err(internal)?;
        let profile = tfhe_gate::profile(key.parameters());
        Ok(GateBench {
            secret: &self.secret,
            engine: TfheGate::new(Arc::new(key), profile),
            fft,
        })
    }
}

impl GateBench<'_> {
    /// The same with the times of batches measured on up to `threads` threads.
    pub(crate) fn calibrated(mut self, threads: usize) -> Result<Self, PapersError> {
        let calibration = self.engine.calibrate(threads).map_err(internal)?;
        let mut profile = self.engine.profile().clone();
        calibration.apply(&mut profile);
        self.engine = TfheGate::new(Arc::clone(self.engine.key()), profile);
        Ok(self)
    }
}

/// The gate engine on one processor.
pub(crate) struct GateBench<'a> {
    secret: &'a GateSecretKey,
    engine: TfheGate,
    fft: Fft,
}

impl Bench for GateBench<'_> {
    type Engine = TfheGate;

    fn engine(&self) -> &TfheGate {
        &self.engine
    }

    fn encrypt(&self, bits: &[bool], generator: &mut Generator) -> Vec<Arc<GateCiphertext>> {
        let bits = self.secret.encrypt(bits, generator);
        bits.into_iter().map(Arc::new).collect()
    }

    fn decrypt(&self, bit: &GateCiphertext) -> Result<bool, PapersError> {
        self.secret.decrypt(bit).map_err(internal)
    }

    fn name(&self) -> String {
        format!("{} on {}", self.secret.parameters().name(), self.fft)
    }
}

/// A key pair of the lookup engine.
pub(crate) struct LookupKeys {
    secret: SecretKey,
    server: SeededServerKey,
}

impl LookupKeys {
    pub(crate) fn generate(
        parameters: Parameters,
        generator: &mut Generator,
        threads: NonZeroUsize,
    ) -> Result<Self, PapersError> {
        let secret = SecretKey::generate(parameters, generator).map_err(internal)?;
        let server = SeededServerKey::generate(&secret, generator, threads.get(), &|_, _| {})
            .map_err(internal)?;
        Ok(Self { secret, server })
    }

    /// The size of the server's key as a file.
    pub(crate) fn server_bytes(&self) -> Result<u64, PapersError> {
        let file = wire::encode(&self.server).map_err(internal)?;
        Ok(file.len() as u64)
    }

    /// The size of a file of `operands` encrypted numbers of 32 bits.
    pub(crate) fn input_bytes(
        &self,
        operands: usize,
        generator: &mut Generator,
    ) -> Result<u64, PapersError> {
        let bits = self.secret.encrypt(&vec![true; operands * 32], generator);
        let variable = Variable {
            name: "operands".to_owned(),
            kind: Type::array(Element::U32, vec![operands as u32]).map_err(internal)?,
        };
        let inputs = Inputs::new(vec![variable], bits).map_err(internal)?;
        let file = wire::encode(&inputs).map_err(internal)?;
        Ok(file.len() as u64)
    }

    pub(crate) fn bench(
        &self,
        fft: Fft,
        threads: NonZeroUsize,
    ) -> Result<LookupBench<'_>, PapersError> {
        let key = ServerKey::expand_for(&self.server, fft, threads.get(), &|_, _| {})
            .map_err(internal)?;
        let profile = tfhe_lookup::profile(key.parameters()).with_cores(threads.get());
        Ok(LookupBench {
            secret: &self.secret,
            engine: TfheLookup::new(Arc::new(key), profile),
            fft,
        })
    }
}

impl LookupBench<'_> {
    /// The same with the times of batches measured on up to `threads` threads.
    pub(crate) fn calibrated(mut self, threads: usize) -> Result<Self, PapersError> {
        let mut profile = self.engine.profile().clone();
        profile.set_timing(self.engine.timing(threads).map_err(internal)?);
        self.engine = TfheLookup::new(Arc::clone(self.engine.key()), profile);
        Ok(self)
    }

    /// The same with a selector key.
    pub(crate) fn with_selectors(
        &self,
        generator: &mut Generator,
        threads: NonZeroUsize,
    ) -> Result<Self, PapersError> {
        let (key, threads) = (self.engine.key(), threads.get());
        let seeded = SeededLeveledKey::generate(self.secret, generator, threads, &|_, _| {})
            .map_err(internal)?;
        let leveled = LeveledKey::expand(&seeded, key, threads, &|_, _| {}).map_err(internal)?;
        let profile = self.engine.profile().clone();
        let profile = tfhe_lookup::with_selectors(profile, key.parameters());
        let engine = TfheLookup::new(Arc::clone(key), profile);
        Ok(Self {
            secret: self.secret,
            engine: engine.with_leveled(Arc::new(leveled)),
            fft: self.fft,
        })
    }
}

/// The lookup engine on one processor.
pub(crate) struct LookupBench<'a> {
    secret: &'a SecretKey,
    engine: TfheLookup,
    fft: Fft,
}

impl Bench for LookupBench<'_> {
    type Engine = TfheLookup;

    fn engine(&self) -> &TfheLookup {
        &self.engine
    }

    fn encrypt(&self, bits: &[bool], generator: &mut Generator) -> Vec<Arc<LweCiphertext>> {
        let packed = self.secret.encrypt(bits, generator);
        packed.unpack().into_iter().map(Arc::new).collect()
    }

    fn decrypt(&self, bit: &LweCiphertext) -> Result<bool, PapersError> {
        self.secret.decrypt(bit).map_err(internal)
    }

    fn name(&self) -> String {
        format!("{} on {}", self.secret.parameters().name(), self.fft)
    }
}
