//! Parameter sets: a ring, a chain of moduli, special primes, and what follows from them.
//!
//! A [`ParameterLiteral`] holds the numbers that are chosen; [`Parameters::new`] checks them once,
//! finds the primes, and refuses a key modulus that is too long for the security the literal
//! promises. From there on nothing checks again.

mod chain;
mod choice;
mod names;
mod security;
mod sets;

use std::fmt;
use std::sync::Arc;

use transforms::cyclotomic::{Index, Packed, primes};

use crate::Error;
use crate::ciphertext::PackedRows;
use crate::noise::{Noise, bound_for, error_variance, log2_leaves, secret_variance};

pub use chain::Level;
pub(crate) use chain::{SMALLS, Shape};
pub use choice::Demand;
pub use security::Security;

/// log2 of the probability with which a decryption may fail whose noise is at the limit.
pub const FAILURE_LOG2: f64 = -64.0;
/// The largest order of 2 modulo an index: slots are fields whose elements fit a word.
const MOST_ORDER: usize = 60;
/// Bits of deviation that limits leave free: coefficients are sums of coordinates that are bounded,
/// and whatever their distribution, Hoeffding's inequality has at twice the deviations what the
/// normal one promises.
const HEADROOM: f64 = 1.0;

/// What is chosen; everything else follows. Turned into [`Parameters`] by [`Parameters::new`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParameterLiteral {
    /// m: odd and squarefree, at most 2^17, with 2 of an order of at most 60.
    pub index: u32,
    /// β: bits of each big prime of the chain, at most 50.
    pub big_bits: u32,
    /// Bits of each of the chain's four small primes, about 4β/5: at least 20, less than β.
    pub small_bits: u32,
    /// The highest level.
    pub top: Level,
    /// How many special primes multiply the modulus in key switching: 1 to 16.
    pub specials: u32,
    /// Bits of each special prime, 20 to 50.
    pub special_bits: u32,
    /// Digits of key switching have at most this many times β bits: 1 to 16.
    pub digit: u32,
    /// What the set promises, and is checked against.
    pub security: Security,
}

/// A valid parameter set: immutable, cheap to clone.
#[derive(Clone)]
pub struct Parameters(Arc<Inner>);

struct Inner {
    literal: ParameterLiteral,
    index: Arc<Index>,
    /// The chain's big primes, its four small ones, the special ones.
    primes: Vec<u64>,
    bigs: usize,
    /// Standard deviations that a coefficient of the noise must stay below half the modulus by.
    tail: f64,
    /// By number of the level.
    levels: Vec<Figures>,
}

/// What is known of a level.
#[derive(Clone, Copy)]
struct Figures {
    modulus_bits: f64,
    switching_variance: f64,
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.0.literal == other.0.literal
    }
}

impl Eq for Parameters {}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Parameters").field(&self.0.literal).finish()
    }
}

impl Parameters {
    /// Checks a literal and finds its primes.
    ///
    /// # Errors
    /// [`Error::InvalidParameters`], [`Error::Insecure`], and [`Error::Ring`] if the ring or its
    /// primes do not exist.
    pub fn new(literal: ParameterLiteral) -> Result<Self, Error> {
        let index = Arc::new(Index::new(literal.index)?);
        Self::in_ring(&index, literal)
    }

    /// The same where the literal's index is at hand.
    fn in_ring(index: &Arc<Index>, literal: ParameterLiteral) -> Result<Self, Error> {
        let invalid = |reason| Error::InvalidParameters {
            index: literal.index,
            reason,
        };
        if index.order_of_two() > MOST_ORDER {
            return Err(invalid("the order of 2 modulo the index is at most 60"));
        }
        if literal.top < Level::LEAST || literal.top > Level::MOST {
            return Err(invalid("the top level is from 1 to 500"));
        }
        if literal.big_bits > 50 || literal.special_bits > 50 {
            return Err(invalid("primes have at most 50 bits"));
        }
        if literal.small_bits < 20 || literal.special_bits < 20 {
            return Err(invalid("primes have at least 20 bits"));
        }
        if literal.small_bits >= literal.big_bits {
            return Err(invalid("small primes are shorter than big ones"));
        }
        if !(1..=16).contains(&literal.specials) || !(1..=16).contains(&literal.digit) {
            return Err(invalid("special primes and primes of a digit are 1 to 16"));
        }
        let bigs = literal.top.bigs_below();
        let mut all: Vec<u64> = Vec::new();
        for (bits, count) in [
            (literal.big_bits, bigs),
            (literal.small_bits, SMALLS),
            (literal.special_bits, literal.specials as usize),
        ] {
            let found = primes(index, bits, count, &all)?;
            all.extend(found);
        }
        let tail = bound_for(FAILURE_LOG2 - (index.degree() as f64).log2());
        let mut parameters = Self(Arc::new(Inner {
            literal,
            index: Arc::clone(index),
            primes: all,
            bigs,
            tail,
            levels: Vec::new(),
        }));
        let levels = (0..=literal.top.number())
            .map(|number| parameters.figures(Level::from_number(number)))
            .collect();
        if let Some(inner) = Arc::get_mut(&mut parameters.0) {
            inner.levels = levels;
        }
        let found = parameters.key_bits();
        if let Some(most) = literal.security.most_bits(parameters.degree()) {
            if found > f64::from(most) {
                return Err(Error::Insecure {
                    degree: parameters.degree(),
                    found,
                    most,
                    security: literal.security,
                });
            }
        } else if literal.security != Security::Toy {
            return Err(invalid("no bound is known for this degree and security"));
        }
        Ok(parameters)
    }

    /// The numbers that the set was made from: what a file holds of it.
    #[must_use]
    pub fn literal(&self) -> ParameterLiteral {
        self.0.literal
    }

    /// A line that tells this set from every other: `21845-45-30-24-2x50-2-128`.
    #[must_use]
    pub fn name(&self) -> String {
        let literal = self.0.literal;
        format!(
            "{}{}-{}-{}-{}-{}x{}-{}",
            literal.security.prefix(),
            literal.index,
            literal.big_bits,
            literal.small_bits,
            literal.top.number(),
            literal.specials,
            literal.special_bits,
            literal.digit,
        )
    }

    /// What the set promises.
    #[must_use]
    pub fn security(&self) -> Security {
        self.0.literal.security
    }

    /// The ring's index and the order of its basis.
    #[must_use]
    pub fn index(&self) -> &Arc<Index> {
        &self.0.index
    }

    /// φ(m): words of a row.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.0.index.degree()
    }

    /// Bits that a ciphertext holds.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.0.index.slots()
    }

    /// The level of fresh ciphertexts.
    #[must_use]
    pub fn top(&self) -> Level {
        self.0.literal.top
    }

    /// Every prime: the chain's big ones, its four small ones, the special ones.
    #[must_use]
    pub fn primes(&self) -> &[u64] {
        &self.0.primes
    }

    /// Which of [`primes`](Self::primes) a level has, in the order of a ciphertext's rows. Levels
    /// outside of the chain are taken as its nearest.
    #[must_use]
    pub fn primes_of(&self, level: Level) -> Vec<usize> {
        let level = level.clamp(Level::LEAST, self.top());
        let mut chosen: Vec<usize> = (0..level.bigs()).collect();
        chosen.extend(self.0.bigs..self.0.bigs + level.smalls());
        chosen
    }

    /// Which of [`primes`](Self::primes) are special.
    #[must_use]
    pub fn special_primes(&self) -> Vec<usize> {
        (self.0.bigs + SMALLS..self.0.primes.len()).collect()
    }

    /// log2 of the product of some of the primes.
    pub(crate) fn log2_product(&self, chosen: &[usize]) -> f64 {
        chosen
            .iter()
            .map(|&number| (self.0.primes[number] as f64).log2())
            .sum()
    }

    /// log2 of a level's modulus; 0 if there is no such level.
    #[must_use]
    pub fn modulus_bits(&self, level: Level) -> f64 {
        let found = self.0.levels.get(usize::from(level.number()));
        found.map_or(0.0, |figures| figures.modulus_bits)
    }

    /// The variance that key switching at a level adds to a coordinate, before the division by the
    /// special primes is rounded.
    pub(crate) fn switching_variance(&self, level: Level) -> f64 {
        let found = self.0.levels.get(usize::from(level.number()));
        found.map_or(0.0, |figures| figures.switching_variance)
    }

    fn figures(&self, level: Level) -> Figures {
        if level < Level::LEAST {
            return Figures {
                modulus_bits: 0.0,
                switching_variance: 0.0,
            };
        }
        Figures {
            modulus_bits: self.log2_product(&self.primes_of(level)),
            switching_variance: self.compute_switching_variance(level),
        }
    }

    /// log2 of the largest modulus of a key, special primes included: what security depends on.
    #[must_use]
    pub fn key_bits(&self) -> f64 {
        let specials = self.log2_product(&self.special_primes());
        self.tops()
            .map(|top| self.modulus_bits(top) + specials)
            .fold(0.0, f64::max)
    }

    /// The highest level of each shape, the shapes that exist.
    pub(crate) fn tops(&self) -> impl Iterator<Item = Level> {
        Shape::all().filter_map(|shape| self.top().below_of(shape))
    }

    /// The digits of key switching of a shape of level: which primes each has, at the shape's
    /// highest level.
    ///
    /// Primes are taken in turn, small ones first, as many as fit `digit` times β bits.
    pub(crate) fn digits(&self, shape: Shape) -> Vec<Vec<usize>> {
        let Some(top) = self.top().below_of(shape) else {
            return Vec::new();
        };
        let literal = self.0.literal;
        let room = (literal.digit * literal.big_bits) as f64;
        let bigs = self.0.bigs;
        let smalls = bigs..bigs + top.smalls();
        let mut digits: Vec<Vec<usize>> = Vec::new();
        let mut used = f64::INFINITY;
        for number in smalls.chain(0..top.bigs()) {
            let bits = (self.0.primes[number] as f64).log2();
            match digits.last_mut() {
                Some(digit) if used + bits <= room => {
                    digit.push(number);
                    used += bits;
                }
                _ => {
                    digits.push(vec![number]);
                    used = bits;
                }
            }
        }
        digits
    }

    /// See [`switching_variance`](Self::switching_variance).
    ///
    /// A digit has coefficients uniform between −G/2 and G/2, G being the product of its primes; it
    /// multiplies twice an error.
    fn compute_switching_variance(&self, level: Level) -> f64 {
        let present = self.primes_of(level);
        let specials = self.log2_product(&self.special_primes());
        let error = 4.0 * error_variance(self) * self.degree() as f64 / 12.0;
        let digits = self.digits(level.shape()).into_iter().map(|digit| {
            let used: Vec<usize> = digit
                .into_iter()
                .filter(|number| present.contains(number))
                .collect();
            if used.is_empty() {
                0.0
            } else {
                error * (2.0 * (self.log2_product(&used) - specials)).exp2()
            }
        });
        digits.sum()
    }

    /// log2 of the largest bound, as [`Noise::log2_bound`] has it, that the noise of a ciphertext
    /// of this level may have. Were every coordinate as large as that, and normal, it would decrypt
    /// wrongly with probability 2^[`FAILURE_LOG2`] at twice the size.
    #[must_use]
    pub fn most_noise(&self, level: Level) -> f64 {
        self.modulus_bits(level) - 1.0 - self.0.tail.log2() - self.spread() - HEADROOM
    }

    /// log2 of the probability that a ciphertext of this noise and level decrypts wrongly: by the
    /// normal distribution, all coefficients together, with the deviation that independent operands
    /// give.
    #[must_use]
    pub fn failure_log2(&self, level: Level, noise: &Noise) -> f64 {
        let bits = self.modulus_bits(level) - 1.0 - self.spread() - noise.log2_deviation();
        (log2_leaves(bits.exp2()) + (self.degree() as f64).log2()).min(0.0)
    }

    /// log2 of a coefficient's deviation by a coordinate's: √(2^k/m).
    fn spread(&self) -> f64 {
        0.5 * (self.index().primes().len() as f64 - f64::from(self.index().m()).log2())
    }

    /// log2 of the deviation that rounding leaves in a ciphertext of two parts: f² = φ/3·(1 +
    /// 2φ/3).
    #[must_use]
    pub fn rounding_noise(&self) -> f64 {
        let third = self.degree() as f64 / 3.0;
        0.5 * (third * (1.0 + secret_variance(self))).log2()
    }

    /// Bytes of a ciphertext of two parts at a level, in memory.
    #[must_use]
    pub fn ciphertext_size(&self, level: Level) -> usize {
        let numbers = self.primes_of(level).into_iter();
        let rows = numbers.map(|number| Packed::size_of(self.degree(), self.0.primes[number]));
        2 * rows.sum::<usize>()
    }

    /// The same in words of 64 bits, as files have it.
    #[must_use]
    pub fn ciphertext_file_size(&self, level: Level) -> usize {
        2 * self.primes_of(level).len() * self.degree() * size_of::<u64>()
    }

    /// Bytes of an evaluation key with `rotations` rotations, in memory (half of that where masks
    /// are seeds).
    #[must_use]
    pub fn evaluation_key_size(&self, rotations: usize) -> usize {
        let rows: usize = self.switch_rows().sum();
        2 * rows * (1 + rotations) * self.degree() * size_of::<u64>()
    }

    /// Rows of the keys of each shape: digits times primes.
    pub(crate) fn switch_rows(&self) -> impl Iterator<Item = usize> {
        let specials = self.0.literal.specials as usize;
        self.tops()
            .map(move |top| self.digits(top.shape()).len() * (self.primes_of(top).len() + specials))
    }

    pub(crate) fn check_level(&self, level: Level, most: Level) -> Result<(), Error> {
        if (Level::LEAST..=most).contains(&level) {
            Ok(())
        } else {
            Err(Error::LevelOutOfRange {
                level,
                least: Level::LEAST,
                most,
            })
        }
    }

    /// Parts of as many rows, of as many words, as a level has: what operations index without
    /// looking.
    pub(crate) fn check_shape(&self, level: Level, parts: &[PackedRows]) -> Result<(), Error> {
        const WHAT: &str = "ciphertext";
        self.check_level(level, self.top())?;
        let chosen = self.primes_of(level);
        for part in parts {
            check_length(WHAT, chosen.len(), part.len())?;
            for (row, &number) in part.iter().zip(&chosen) {
                check_length(WHAT, self.degree(), row.len())?;
                if row.modulus() != self.0.primes[number] {
                    return Err(Error::NotReduced { what: WHAT });
                }
            }
        }
        Ok(())
    }

    /// Rows of residues below their primes.
    pub(crate) fn check_rows(
        &self,
        what: &'static str,
        chosen: &[usize],
        rows: &[Vec<u64>],
    ) -> Result<(), Error> {
        check_length(what, chosen.len(), rows.len())?;
        for (row, &number) in rows.iter().zip(chosen) {
            check_length(what, self.degree(), row.len())?;
            if row.iter().any(|&word| word >= self.0.primes[number]) {
                return Err(Error::NotReduced { what });
            }
        }
        Ok(())
    }
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found {
        return Ok(());
    }
    Err(Error::WrongLength {
        what,
        expected,
        found,
    })
}
