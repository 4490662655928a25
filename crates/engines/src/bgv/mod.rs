//! BGV: a ciphertext is a vector of bits, one in each slot, so that one evaluation of a circuit
//! serves hundreds to thousands of instances of it.
//!
//! An XOR is an addition; an AND is a product with key switching, and costs a level, of which
//! parameters have so many and no more: there is no refresh. So circuits are written for the least
//! multiplicative depth, selections and lookups included, and rebalanced
//! ([`reduce_depth`](circuits::passes::reduce_depth)); [`forecast`] goes through one with the
//! estimates that ciphertexts carry, and refuses what is too deep before anything is evaluated;
//! [`choose`] finds the parameters for one.
//!
//! The level of a product is the lower one of its operands', so a ciphertext that several gates
//! read at lower levels is switched down for each of them: the last switched form is kept beside
//! it.
//!
//! Gates that do not depend on each other go to the scheduler's threads; one gate runs on one.

mod calibrate;
mod choice;
mod forecast;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use bgv::{Ciphertext, Error, EvaluationKey, Evaluator, Level, Parameters};
use circuits::{GateByGate, Gates, Job, OperationCosts, Profile};

pub use calibrate::{Calibration, calibrate};
pub use choice::{Choice, choose, choose_in};
pub use forecast::{CircuitForecast, TooDeep, forecast, forecast_of};

/// Why a gate was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// The circuit asks for a refresh.
    #[error("BGV has no refresh: the circuit must fit the levels that the key has")]
    NoRefresh,
    /// The scheme's reason.
    #[error(transparent)]
    Scheme(#[from] Error),
}

/// An encrypted vector of bits, with the last form of it that was switched to a lower level.
pub struct Vector {
    ciphertext: Arc<Ciphertext>,
    switched: Mutex<Option<Arc<Ciphertext>>>,
}

impl Vector {
    /// The ciphertext.
    #[must_use]
    pub fn ciphertext(&self) -> &Ciphertext {
        &self.ciphertext
    }
}

impl From<Ciphertext> for Vector {
    fn from(ciphertext: Ciphertext) -> Self {
        Self {
            ciphertext: Arc::new(ciphertext),
            switched: Mutex::new(None),
        }
    }
}

/// The engine: an evaluation key and what circuits have to know of it.
#[derive(Clone)]
pub struct Bgv {
    evaluator: Arc<Evaluator>,
    profile: Profile,
}

impl Bgv {
    /// An engine on a key, for circuits of a profile: [`profile()`] of the key's parameters.
    ///
    /// # Errors
    /// [`Error::NoThreads`].
    pub fn new(key: &Arc<EvaluationKey>, profile: Profile) -> Result<Self, Error> {
        Ok(Self {
            profile,
            evaluator: Arc::new(Evaluator::new(key, NonZeroUsize::MIN)?),
        })
    }

    /// What computes.
    #[must_use]
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The same bits at the lowest level that holds their noise: the smallest ciphertext there is
    /// of them, for whoever stores or sends a result.
    ///
    /// # Errors
    /// [`GateError::Scheme`].
    pub fn shrink(&self, a: &Vector) -> Result<Ciphertext, GateError> {
        let (own, parameters) = (a.ciphertext.forecast(), self.evaluator.parameters());
        let levels = Level::LEAST.number()..own.level().number();
        let lowest = levels
            .map(Level::from_number)
            .find(|&level| own.switch_to(level, parameters).is_ok());
        let level = lowest.unwrap_or(own.level());
        Ok(self.evaluator.switch_to(&a.ciphertext, level)?)
    }

    /// A vector at a level, from the form that is kept where that is no lower.
    fn at(&self, a: &Vector, level: Level) -> Result<Arc<Ciphertext>, GateError> {
        if a.ciphertext.level() <= level {
            return Ok(Arc::clone(&a.ciphertext));
        }
        let mut kept = a.switched.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(lower) if lower.level() == level => Ok(Arc::clone(lower)),
            _ => {
                let lower = Arc::new(self.evaluator.switch_to(&a.ciphertext, level)?);
                *kept = Some(Arc::clone(&lower));
                Ok(lower)
            }
        }
    }
}

/// Nanoseconds that a word takes in a transform.
const NANOSECONDS_PER_WORD: f64 = 10.0;
/// How many sums take the time of a product. One figure for all sets, so that a circuit is drawn
/// the same before there are parameters and after.
const SUMS_PER_PRODUCT: f64 = 500.0;

/// What circuits have to know of a parameter set: depth has a price, and there is no refresh. How
/// many levels there are is not said: circuits are to be as shallow as pays, whatever the key, so
/// that plans and runs draw the same one; [`forecast`] says whether it fits.
#[must_use]
pub fn profile(parameters: &Parameters) -> Profile {
    // A product in the middle of the chain stands for all.
    let middle = Level::from_number((parameters.top().number() / 2).max(Level::LEAST.number()));
    let words = parameters.transforms_of_product(middle) * parameters.degree();
    let and = words as f64 * NANOSECONDS_PER_WORD;
    let mut profile = profile_of_products(format!("BGV, {}", parameters.name()), and);
    profile.bytes_per_bit = parameters.ciphertext_size(parameters.top()) as u64;
    profile
}

/// What circuits have to know before there are parameters.
#[must_use]
pub fn profile_without_parameters() -> Profile {
    profile_of_products("BGV".to_owned(), 1e7)
}

fn profile_of_products(name: String, and: f64) -> Profile {
    let xor = and / SUMS_PER_PRODUCT;
    let mut profile = Profile::levelled_simulation();
    profile.name = name;
    profile.cost = OperationCosts {
        and,
        xor,
        // Written with AND and XOR.
        mux: and + 2.0 * xor,
        lookup: 0.0,
        lookup_alone: 0.0,
        refresh: f64::INFINITY,
    };
    profile
}

impl Gates for Bgv {
    type Bit = Vector;
    type Scratch = ();
    type Error = GateError;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn scratch(&self) {}

    fn constant(&self, value: bool) -> Vector {
        self.evaluator.constant(value).into()
    }

    fn not(&self, a: &Vector) -> Vector {
        // A ciphertext of another key is refused where it is added or multiplied, and comes through
        // here as it is.
        let inverted = self.evaluator.not(&a.ciphertext);
        inverted.map_or_else(|_| (*a.ciphertext).clone().into(), Vector::from)
    }

    fn apply_many(
        &self,
        (): &mut (),
        jobs: &[Job<'_, Vector>],
    ) -> Vec<Result<Vec<Vector>, GateError>> {
        self.one_by_one(&mut (), jobs)
    }
}

impl GateByGate for Bgv {
    fn and(&self, (): &mut (), a: &Vector, b: &Vector) -> Result<Vector, GateError> {
        let (own, other) = (a.ciphertext.forecast(), b.ciphertext.forecast());
        let level = own.level_of_product(&other, self.evaluator.parameters());
        let (a, b) = (self.at(a, level)?, self.at(b, level)?);
        Ok(self.evaluator.and(&a, &b)?.into())
    }

    fn xor(&self, (): &mut (), a: &Vector, b: &Vector) -> Result<Vector, GateError> {
        let level = a.ciphertext.level().min(b.ciphertext.level());
        let (a, b) = (self.at(a, level)?, self.at(b, level)?);
        Ok(self.evaluator.xor(&a, &b)?.into())
    }

    fn refresh(&self, (): &mut (), _: &Vector) -> Result<Vector, GateError> {
        Err(GateError::NoRefresh)
    }
}
