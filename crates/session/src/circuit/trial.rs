//! A circuit evaluated on ciphertexts of a key pair that lives as long as the evaluation: whether
//! it does encrypted what it does in the clear, and how long it takes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use circuits::Gates;
use circuits::formats::Netlist;
use engines::tfhe_lookup::{self, TfheLookup};
use processor::Bit;
use random::Generator;
use tfhe::{Parameters, SecretKey, SeededServerKey};

use super::Mapped;
use crate::control::Control;
use crate::error::{Error, ErrorKind};
use crate::evaluator::Target;
use crate::schemes::tfhe::expand;

/// What an evaluation gave.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The outputs, decrypted.
    pub outputs: Vec<bool>,
    /// Time of the evaluation alone.
    pub time: Duration,
}

impl Trial {
    /// Makes keys, encrypts, evaluates, decrypts.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`]; others are defects.
    pub fn new(
        netlist: &Netlist,
        inputs: &[bool],
        parameters: Parameters,
        target: &Target,
        control: &Control,
    ) -> Result<Self, Error> {
        let alive = || match control.cancel.is_cancelled() {
            true => Err(Error::interrupted()),
            false => Ok(()),
        };
        let mut generator = Generator::from_entropy().map_err(Error::internal)?;
        let secret = SecretKey::generate(parameters, &mut generator).map_err(Error::internal)?;
        let threads = control.threads.get();
        let seeded = SeededServerKey::generate(&secret, &mut generator, threads, &|_, _| {})
            .map_err(Error::internal)?;
        alive()?;
        let key = expand(&seeded, target.fft, control.threads)
            .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
        let profile = tfhe_lookup::profile(&parameters).with_cores(threads);
        let engine = TfheLookup::new(key, profile);
        let mapped = Mapped::new(netlist, engine.profile());
        let bits = secret.encrypt(inputs, &mut generator).unpack();
        let bits: Vec<_> = bits.into_iter().map(Arc::new).collect();
        alive()?;
        let begin = Instant::now();
        let outputs = mapped.evaluate(&engine, &bits, control)?;
        let time = begin.elapsed();
        let values = outputs.iter().map(|bit| match bit {
            Bit::Secret(bit) => secret.decrypt(bit),
            Bit::Clear(value) => Ok(*value),
        });
        let outputs = values.collect::<Result<_, _>>().map_err(Error::internal)?;
        Ok(Self { outputs, time })
    }
}
