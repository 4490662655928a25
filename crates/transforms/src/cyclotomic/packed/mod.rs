//! Rows of residues in as many bits as their modulus has.
//!
//! **What.** A [`Packed`] row holds words below a number `q` of `b` bits, `b` of them a word instead
//! of 64, and is added to another one as it is. What is only added and kept is bound by memory: a
//! sum of rows in words of 64 bits takes as long as its words take to come and go, and primes have
//! 33 to 50 bits.
//!
//! **How.** Words go by chunks of 512. A chunk is 32 lines of 64 bytes with the lower halves of its
//! words, in order, and then a line for each bit above them: bit `i` of the line for bit `32 + j` is
//! that bit of word `i`. Comparisons of lower halves give carries as masks, one bit a word, in just
//! this form, so that the upper bits are added by three logical operations for 512 words and bit
//! each, and no number has to be put together or taken apart. The last chunk is filled up with
//! zeros.
//!
//! **Cost.** With AVX-512 a sum takes about eight instructions for sixteen words, and five for 512
//! words and each bit above the 32nd, besides loads and stores: it waits for memory. Between words
//! of 64 bits and this form stand transpositions of eight by eight bits, about an instruction for a
//! word either way. The example `cyclotomic` prints times.
//!
//! Time depends on lengths and moduli, never on values.

#[allow(unsafe_code)]
mod arch;
mod convert;
mod sum;

#[cfg(test)]
mod tests;

use super::moduli::MOST_BITS;
use crate::InstructionSet;
pub(super) use arch::Machine;
use arch::{LOWS, Line};
use convert::{Pack, Unpack};
use sum::Sum;

/// Words of a chunk.
const CHUNK: usize = 512;
/// Bits of a word that stand together.
const LOW_BITS: u32 = u32::BITS;
/// The most lines of bits above these.
const MOST_PLANES: usize = (MOST_BITS - LOW_BITS) as usize;

/// A row of residues below a number of at most 50 bits.
///
/// Two are equal if their moduli and all residues are.
#[derive(Clone, Debug)]
pub struct Packed {
    q: u64,
    length: usize,
    machine: Machine,
    /// Chunks, each of [`LOWS`] lines and one for each bit above.
    lines: Vec<Line>,
}

impl PartialEq for Packed {
    fn eq(&self, other: &Self) -> bool {
        (self.q, self.length) == (other.q, other.length) && self.lines == other.lines
    }
}

impl Eq for Packed {}

impl Packed {
    /// Packs words below `q`, with the fastest instructions of this machine.
    ///
    /// # Panics
    /// For a `q` of more than 50 bits.
    #[must_use]
    pub fn new(words: &[u64], q: u64) -> Self {
        Self::on(Machine::up_to(InstructionSet::detect()), words, q)
    }

    pub(super) fn on(machine: Machine, words: &[u64], q: u64) -> Self {
        assert!(q >> MOST_BITS == 0, "{q} has more than {MOST_BITS} bits");
        let chunk = LOWS + planes(q);
        let mut lines = Vec::with_capacity(words.len().div_ceil(CHUNK) * chunk);
        machine.dispatch(Pack {
            words,
            planes: planes(q),
            lines: &mut lines,
        });
        Self {
            q,
            length: words.len(),
            machine,
            lines,
        }
    }

    /// What all words are below.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.q
    }

    /// How many words there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Bytes that it takes in memory, the zeros at its end included.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of_val(self.lines.as_slice())
    }

    /// Bytes that a row of so many words below a number takes.
    #[must_use]
    pub fn size_of(length: usize, q: u64) -> usize {
        length.div_ceil(CHUNK) * (LOWS + planes(q)) * size_of::<Line>()
    }

    /// One of the words.
    ///
    /// # Panics
    /// Beyond the last one.
    #[must_use]
    pub fn word(&self, number: usize) -> u64 {
        assert!(number < self.length, "word {number} of {}", self.length);
        let size = LOWS + planes(self.q);
        let place = number % CHUNK;
        let (low, upper) = self.lines[number / CHUNK * size..][..size].split_at(LOWS);
        // Places are those of bits in lines of 512, whether a word has 32 of them there or one.
        let from = |line: &Line, place: usize| line.0[place / 64] >> (place % 64);
        let low = from(&low[place / 16], place % 16 * 32) & u64::from(u32::MAX);
        upper.iter().enumerate().fold(low, |word, (j, line)| {
            word | (from(line, place) & 1) << (LOW_BITS as usize + j)
        })
    }

    /// The words.
    #[must_use]
    pub fn unpack(&self) -> Vec<u64> {
        let mut words = vec![0; self.length];
        self.unpack_into(&mut words);
        words
    }

    /// Writes the words.
    ///
    /// # Panics
    /// Unless there is room for just as many.
    pub fn unpack_into(&self, words: &mut [u64]) {
        assert_eq!(words.len(), self.length, "words of a packed row");
        self.machine.dispatch(Unpack {
            lines: &self.lines,
            planes: planes(self.q),
            words,
        });
    }

    /// Adds another row, word by word modulo `q`.
    ///
    /// # Panics
    /// If it has another length or modulus.
    pub fn add(&mut self, other: &Self) {
        assert_eq!(
            (other.q, other.length),
            (self.q, self.length),
            "modulus and words of a packed row"
        );
        self.machine.dispatch(Sum {
            a: &mut self.lines,
            b: &other.lines,
            planes: planes(self.q),
            q: self.q,
        });
    }
}

/// A count that the compiler does not know: loops over a chunk that are unrolled as a whole have all
/// their registers on the stack.
#[inline(always)]
fn rolled(count: usize) -> usize {
    std::hint::black_box(count)
}

/// Bits of words below a number above those that stand together.
fn planes(q: u64) -> usize {
    (u64::BITS - q.leading_zeros()).saturating_sub(LOW_BITS) as usize
}
