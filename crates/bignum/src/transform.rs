//! One interface to both families of transforms, and the store of plans.
//!
//! A plan is made for a largest product and keeps the spectra that it computes in, so that
//! neither tables nor pages of memory are made again for the next product of its size.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use transforms::InstructionSet;
use transforms::integers::primes::{self, PrimesError};
use transforms::integers::right_angle::{self, RightAngleError};

use crate::{Error, Route, checksum};

/// Plans that a store holds; the one that was not used for longest makes room.
const PLANS: usize = 32;

/// Limbs from which on two threads are worth to be asked for what takes a quarter of a nanosecond a
/// limb.
const JOINED: usize = 16_384;

/// Which transform, in which ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Certified double precision ([`right_angle`]).
    Float,
    /// Three primes ([`primes`]).
    Exact,
}

/// What a spectrum must have in common with a plan to be used by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    family: Family,
    points: usize,
    /// Of a digit, or of each prime.
    bits: u32,
    modular: bool,
}

#[derive(Debug)]
enum Tables {
    Float(right_angle::Plan),
    Exact(primes::Plan),
}

/// A transformed number or a sum of products.
#[derive(Debug, Clone)]
pub(crate) enum Spectrum {
    Float(right_angle::Spectrum),
    Exact(primes::Spectrum),
}

/// A plan with its working memory.
#[derive(Debug)]
pub(crate) struct Transform {
    tables: Tables,
    key: Key,
    /// Limbs that a product, or a residue but for its top bit, may have.
    limbs: usize,
    store: Mutex<Vec<Work>>,
    memory: Mutex<Vec<Memory>>,
}

/// What products in one go are computed in.
#[derive(Debug)]
enum Memory {
    Float([right_angle::Spectrum; 3]),
    Exact([primes::Spectrum; 3]),
}

/// The second factor of a product in one go.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Factor<'a> {
    /// A number.
    Limbs(&'a [u64]),
    /// A kept one.
    Kept(&'a Spectrum),
    /// The first factor again.
    Same,
}

/// Two operands and a sum.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) first: Spectrum,
    pub(crate) second: Spectrum,
    pub(crate) sum: Spectrum,
}

impl Transform {
    /// For products of `limbs` limbs, or, if `modular`, products modulo `2^(64·n) + 1` with the
    /// least `n` from `limbs` on.
    pub(crate) fn new(
        family: Family,
        modular: bool,
        limbs: usize,
        sums: usize,
        threads: NonZeroUsize,
    ) -> Result<Self, Error> {
        let set = InstructionSet::detect();
        let (tables, points, bits, limbs) = match family {
            Family::Float => {
                let plan = if modular {
                    right_angle::Plan::modulo(limbs, sums, set, threads)
                } else {
                    right_angle::Plan::new(limbs, sums, set, threads)
                }
                .map_err(float_error)?;
                let (points, bits) = (plan.points(), plan.digit_bits());
                let limbs = plan.modulus_bits() / 64;
                (Tables::Float(plan), points, bits, limbs)
            }
            Family::Exact => {
                let plan = if modular {
                    primes::Plan::modulo(limbs, sums, set, threads)
                } else {
                    primes::Plan::new(limbs, sums, set, threads)
                }
                .map_err(exact_error)?;
                let points = plan.points();
                let bits = plan.prime_bits();
                (Tables::Exact(plan), points, bits, points)
            }
        };
        let key = Key {
            family,
            points,
            bits,
            modular,
        };
        Ok(Self {
            tables,
            key,
            limbs,
            store: Mutex::default(),
            memory: Mutex::default(),
        })
    }

    /// Limbs and points of the ring that [`new`](Self::new) makes if it is `modular`.
    pub(crate) fn ring(
        family: Family,
        limbs: usize,
        sums: usize,
        threads: NonZeroUsize,
    ) -> Result<(usize, usize), Error> {
        match family {
            Family::Float => {
                let set = InstructionSet::detect();
                right_angle::Plan::ring(limbs, sums, set, threads).map_err(float_error)
            }
            Family::Exact => {
                let points = primes::Plan::ring(limbs).map_err(exact_error)?;
                Ok((points, points))
            }
        }
    }

    pub(crate) fn key(&self) -> Key {
        self.key
    }

    /// Limbs that a product, or a residue but for its top bit, may have.
    pub(crate) fn limbs(&self) -> usize {
        self.limbs
    }

    /// Runs an operation of several steps on the plan's threads.
    pub(crate) fn within<T: Send>(&self, operation: impl FnOnce() -> T + Send) -> T {
        match &self.tables {
            Tables::Float(plan) => plan.within(operation),
            Tables::Exact(plan) => plan.within(operation),
        }
    }

    /// Two operations that take time linear in `limbs`, at the same time if the plan has threads
    /// and that is worth it.
    pub(crate) fn join<A: Send, B: Send>(
        &self,
        limbs: usize,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match &self.tables {
            _ if limbs < JOINED => (first(), second()),
            Tables::Float(plan) => plan.join(first, second),
            Tables::Exact(plan) => plan.join(first, second),
        }
    }

    /// The number modulo `2^61 − 1`.
    pub(crate) fn residue(&self, a: &[u64]) -> u64 {
        let (low, high) = a.split_at(a.len() / 2 / checksum::PERIOD * checksum::PERIOD);
        let residues = self.join(
            a.len(),
            || checksum::residue(low),
            || checksum::residue(high),
        );
        checksum::add(residues.0, residues.1)
    }

    pub(crate) fn spectrum(&self) -> Spectrum {
        match &self.tables {
            Tables::Float(plan) => Spectrum::Float(plan.spectrum()),
            Tables::Exact(plan) => Spectrum::Exact(plan.spectrum()),
        }
    }

    /// Runs with working memory from the store; its sum is empty.
    pub(crate) fn with_work<T>(
        &self,
        run: impl FnOnce(&mut Work) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let stored = self.lock().pop();
        let mut work = stored.unwrap_or_else(|| Work {
            first: self.spectrum(),
            second: self.spectrum(),
            sum: self.spectrum(),
        });
        match &mut work.sum {
            Spectrum::Float(sum) => sum.clear(),
            Spectrum::Exact(sum) => sum.clear(),
        }
        let result = run(&mut work);
        self.lock().push(work);
        result
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Work>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `out = a·b` in one go; false, with `out` of no meaning, if rounding may have spoilt it.
    pub(crate) fn product(&self, out: &mut [u64], a: &[u64], b: Factor<'_>) -> Result<bool, Error> {
        self.with_memory(|memory| match (&self.tables, memory) {
            (Tables::Float(plan), Memory::Float([pair @ .., single])) => certain(match b {
                Factor::Limbs(b) => plan.multiply(out, a, b, pair),
                Factor::Kept(Spectrum::Float(b)) => plan.multiply_kept(out, b, a, single),
                Factor::Kept(_) => return Err(Error::ForeignOperand),
                Factor::Same => plan.square(out, a, single),
            }),
            (Tables::Exact(plan), Memory::Exact([pair @ .., single])) => match b {
                Factor::Limbs(b) => plan.multiply(out, a, b, pair),
                Factor::Kept(Spectrum::Exact(b)) => plan.multiply_kept(out, a, b, single),
                Factor::Kept(_) => return Err(Error::ForeignOperand),
                Factor::Same => plan.square(out, a, single),
            }
            .map_err(exact_error)
            .map(|()| true),
            _ => Err(Error::ForeignOperand),
        })
    }

    /// `out = a·b + kept·c`, or `a² + kept·c` without a `b`, in one go; false, with `out` of no
    /// meaning, if rounding may have spoilt it.
    pub(crate) fn two_products(
        &self,
        out: &mut [u64],
        (a, b): (&[u64], Option<&[u64]>),
        (kept, c): (&Spectrum, &[u64]),
    ) -> Result<bool, Error> {
        self.with_memory(|memory| match (&self.tables, kept, memory) {
            (Tables::Float(plan), Spectrum::Float(kept), Memory::Float(memory)) => {
                certain(plan.multiply_two(out, a, b, kept, c, memory))
            }
            (Tables::Exact(plan), Spectrum::Exact(kept), Memory::Exact([x, y, sum])) => {
                let mut run = || {
                    plan.forward(a, x)?;
                    match b {
                        Some(b) => {
                            plan.forward(b, y)?;
                            plan.multiply_add(sum, x, y)?;
                        }
                        None => plan.multiply_add(sum, x, x)?,
                    }
                    plan.forward(c, x)?;
                    plan.multiply_add(sum, x, kept)?;
                    plan.inverse(sum, out)
                };
                let done = run();
                if done.is_err() {
                    sum.clear();
                }
                done.map_err(exact_error).map(|()| true)
            }
            _ => Err(Error::ForeignOperand),
        })
    }

    /// Runs with the memory of products in one go, of any content but for the last, which holds
    /// nothing.
    fn with_memory<T>(
        &self,
        run: impl FnOnce(&mut Memory) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let lock = || self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let stored = lock().pop();
        let mut memory = stored.unwrap_or_else(|| match &self.tables {
            Tables::Float(plan) => Memory::Float([(); 3].map(|()| plan.spectrum())),
            Tables::Exact(plan) => Memory::Exact([(); 3].map(|()| plan.spectrum())),
        });
        let result = run(&mut memory);
        lock().push(memory);
        result
    }

    pub(crate) fn forward(&self, limbs: &[u64], into: &mut Spectrum) -> Result<(), Error> {
        match (&self.tables, into) {
            (Tables::Float(plan), Spectrum::Float(into)) => {
                plan.forward(limbs, into).map_err(float_error)
            }
            (Tables::Exact(plan), Spectrum::Exact(into)) => {
                plan.forward(limbs, into).map_err(exact_error)
            }
            _ => Err(Error::ForeignOperand),
        }
    }

    /// `sum += a·b`.
    pub(crate) fn multiply_add(
        &self,
        sum: &mut Spectrum,
        a: &Spectrum,
        b: &Spectrum,
    ) -> Result<(), Error> {
        match (&self.tables, sum, a, b) {
            (Tables::Float(plan), Spectrum::Float(sum), Spectrum::Float(a), Spectrum::Float(b)) => {
                plan.multiply_add(sum, a, b).map_err(float_error)
            }
            (Tables::Exact(plan), Spectrum::Exact(sum), Spectrum::Exact(a), Spectrum::Exact(b)) => {
                plan.multiply_add(sum, a, b).map_err(exact_error)
            }
            _ => Err(Error::ForeignOperand),
        }
    }

    /// The sum's number; false, with `out` unwritten, if rounding may have spoilt it.
    pub(crate) fn inverse(&self, sum: &mut Spectrum, out: &mut [u64]) -> Result<bool, Error> {
        match (&self.tables, sum) {
            (Tables::Float(plan), Spectrum::Float(sum)) => certain(plan.inverse(sum, out)),
            (Tables::Exact(plan), Spectrum::Exact(sum)) => {
                plan.inverse(sum, out).map_err(exact_error)?;
                Ok(true)
            }
            _ => Err(Error::ForeignOperand),
        }
    }
}

fn certain(result: Result<(), RightAngleError>) -> Result<bool, Error> {
    match result {
        Ok(()) => Ok(true),
        Err(RightAngleError::Uncertain(_)) => Ok(false),
        Err(other) => Err(float_error(other)),
    }
}

fn float_error(error: RightAngleError) -> Error {
    let route = Route::Float;
    match error {
        RightAngleError::Unavailable { .. } | RightAngleError::Threads { .. } => {
            Error::Unavailable { route }
        }
        RightAngleError::TooLarge { limbs, .. } => Error::Oversize { route, limbs },
        RightAngleError::OperandTooLong { limbs, capacity } => Error::OperandLength {
            given: limbs,
            largest: capacity,
        },
        _ => Error::ForeignOperand,
    }
}

fn exact_error(error: PrimesError) -> Error {
    let route = Route::Exact;
    match error {
        PrimesError::UnavailableSet { .. } => Error::Unavailable { route },
        PrimesError::UnsupportedLength { limbs, .. } | PrimesError::TooManySums { limbs, .. } => {
            Error::Oversize { route, limbs }
        }
        PrimesError::TooLong { limbs, room } => Error::OperandLength {
            given: limbs,
            largest: room,
        },
        _ => Error::ForeignOperand,
    }
}

/// Plans for single products, by their sizes.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    entries: Mutex<Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    /// The shortest product that this plan was chosen for.
    from: usize,
    transform: Arc<Transform>,
}

impl Plans {
    /// The shortest transform for products of `limbs` limbs.
    pub(crate) fn get(
        &self,
        family: Family,
        limbs: usize,
        threads: NonZeroUsize,
    ) -> Result<Arc<Transform>, Error> {
        // Sixteen sizes in an octave: more than transforms have, so that few plans are made to be
        // found known.
        let step = (limbs.max(1).next_power_of_two() / 32).max(1);
        let mut rounded = limbs.next_multiple_of(step);
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let found = entries.iter().position(|entry| {
            entry.transform.key.family == family
                && entry.from <= rounded
                && limbs <= entry.transform.limbs
        });
        if let Some(at) = found {
            let entry = entries.remove(at);
            let transform = Arc::clone(&entry.transform);
            entries.push(entry);
            return Ok(transform);
        }
        let made = Transform::new(family, false, rounded, 1, threads).or_else(|error| {
            rounded = limbs;
            match error {
                Error::Oversize { .. } => Transform::new(family, false, limbs, 1, threads),
                other => Err(other),
            }
        })?;
        let same = entries.iter().position(|entry| {
            entry.transform.key.family == family
                && entry.transform.key.points == made.key.points
                && limbs <= entry.transform.limbs
        });
        let entry = match same {
            Some(at) => {
                let known = entries.remove(at);
                Entry {
                    from: known.from.min(rounded),
                    ..known
                }
            }
            None => Entry {
                from: rounded,
                transform: Arc::new(made),
            },
        };
        let transform = Arc::clone(&entry.transform);
        entries.push(entry);
        if entries.len() > PLANS {
            entries.remove(0);
        }
        Ok(transform)
    }
}
