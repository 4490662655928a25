//! Slots: vectors of bits as plaintexts.
//!
//! Modulo 2 the m-th cyclotomic ring is a product of fields of 2^d elements, d the order of 2
//! modulo m, one for each class h of (Z/m)*/⟨2⟩: the slot h of a plaintext is its value at ω^h, ω a
//! primitive m-th root of unity in that field. A plaintext whose slots are bits is one that
//! squaring fixes, which permutes the normal basis: its coefficients are constant on the classes of
//! exponents. So with τ(e) = Σᵢ ω^(e·2^i), a bit,
//!
//! slot_h = Σ_o a_o·τ(oh)  and  a_o = Σ_h slot_h·τ*(oh),
//!
//! o running through the classes. The dual of the basis element ζ^e is Π_p (ζ_p^(−e) − 1)/p along
//! the primes p of m, hence τ*(x) = Tr Π_p (ω_p^(−x) + 1). Both are products of a bit matrix and a
//! bit vector, and all rows of a matrix are one function on a group: m/d·2 bits say everything. The
//! matrices are stored, 1 MB at 2,048 slots, so that packing 2,048 bits takes 65,536 operations on
//! words.
//!
//! Slots are numbered so that rotations act simply. (Z/m)*/⟨2⟩ has generators g₁, g₂, …, the first
//! of the largest order n₁, and slot number i₁ + n₁·(i₂ + n₂·…) is the class g₁^i₁·g₂^i₂·…: the
//! automorphism ζ → ζ^g₁ moves every slot to the number before it, within cycles of n₁.

mod field;

use std::sync::Arc;

use transforms::cyclotomic::Index;
use zeroize::Zeroizing;

use crate::Error;
use field::Field;

/// How the bits of a vector are packed into a plaintext. See the module's notes.
pub struct Slots {
    index: Arc<Index>,
    /// For each position of the basis, the class of its exponent.
    classes: Vec<u32>,
    /// A position of each class.
    positions: Vec<u32>,
    /// Row o, bit h: τ*(oh).
    pack: Matrix,
    /// Row h, bit o: τ(oh).
    unpack: Matrix,
    /// Generators and the lengths of their cycles.
    generators: Vec<(u32, usize)>,
}

/// A square matrix of bits, by rows of words.
struct Matrix {
    words: usize,
    bits: Vec<u64>,
}

impl Matrix {
    fn new(size: usize, entry: impl Fn(usize, usize) -> bool) -> Self {
        let words = size.div_ceil(64);
        let mut bits = vec![0; words * size];
        for (row, bits) in bits.chunks_exact_mut(words).enumerate() {
            for column in 0..size {
                bits[column / 64] |= u64::from(entry(row, column)) << (column % 64);
            }
        }
        Self { words, bits }
    }

    /// The product with a vector, one byte a bit.
    fn apply(&self, vector: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut packed = Zeroizing::new(vec![0_u64; self.words]);
        for (place, bit) in vector.iter().enumerate() {
            packed[place / 64] |= u64::from(*bit) << (place % 64);
        }
        let rows = self.bits.chunks_exact(self.words);
        let parities = rows.map(|row| {
            let pairs = row.iter().zip(packed.iter());
            let common = pairs.fold(0, |sum, (a, b)| sum ^ (a & b));
            (common.count_ones() & 1) as u8
        });
        Zeroizing::new(parities.collect())
    }
}

impl Slots {
    pub(crate) fn new(index: &Arc<Index>) -> Self {
        let m = u64::from(index.m());
        let times = |a: u32, b: u32| (u64::from(a) * u64::from(b) % m) as u32;
        let (generators, representatives, class_of) = numbering(index);
        let classes: Vec<u32> = (0..index.degree())
            .map(|position| class_of[index.exponent(position) as usize])
            .collect();
        let positions = representatives
            .iter()
            .map(|&exponent| index.position(exponent).unwrap_or_default() as u32)
            .collect();

        let field = Field::new(index.order_of_two() as u32);
        let root = field.root_of_unity(index.m(), &index.primes());
        let tau: Vec<bool> = representatives
            .iter()
            .map(|&e| field.trace(field.power(root, e.into())) == 1)
            .collect();
        let dual: Vec<bool> = representatives
            .iter()
            .map(|&e| {
                let factors = index.primes().into_iter().map(|p| {
                    // ω_p is the power of ω that is 1 modulo p and 0 modulo the rest: ζ^e is the
                    // product of its axes only with this choice.
                    let idempotent = idempotent(m, p.into());
                    let exponent = idempotent * (m - u64::from(e)) % m;
                    field.power(root, exponent) ^ 1
                });
                let product = factors.fold(1, |product, factor| field.multiply(product, factor));
                field.trace(product) == 1
            })
            .collect();
        let size = representatives.len();
        let entry = |function: &[bool], a: usize, b: usize| {
            function[class_of[times(representatives[a], representatives[b]) as usize] as usize]
        };
        Self {
            index: Arc::clone(index),
            classes,
            positions,
            pack: Matrix::new(size, |o, h| entry(&dual, o, h)),
            unpack: Matrix::new(size, |h, o| entry(&tau, h, o)),
            generators,
        }
    }

    /// How many bits a plaintext holds.
    #[must_use]
    pub fn count(&self) -> usize {
        self.positions.len()
    }

    /// The generators of the group that permutes the slots, each with the length of its cycles,
    /// their product being [`count`](Self::count). ζ → ζ^g for the first generator moves the bit of
    /// slot i to slot i − 1 within each cycle.
    #[must_use]
    pub fn generators(&self) -> &[(u32, usize)] {
        &self.generators
    }

    /// Where an automorphism ζ → ζ^exponent takes each slot from: slot i of the result is slot
    /// `from[i]`.
    ///
    /// # Errors
    /// [`Error::NotAnAutomorphism`].
    pub fn permutation(&self, exponent: u32) -> Result<Vec<usize>, Error> {
        let exponent = exponent % self.index.m();
        let wrong = || Error::NotAnAutomorphism {
            exponent,
            index: self.index.m(),
        };
        self.index.position(exponent).ok_or_else(wrong)?;
        let m = u64::from(self.index.m());
        let positions = self.positions.iter();
        positions
            .map(|&position| {
                let h = u64::from(self.index.exponent(position as usize));
                let image = (h * u64::from(exponent) % m) as u32;
                let position = self.index.position(image).ok_or_else(wrong)?;
                Ok(self.classes[position] as usize)
            })
            .collect()
    }

    /// Packs bits, the missing ones 0: coefficients 0 and 1 in the normal basis. Running time does
    /// not depend on the bits, nor does that of [`decode`](Self::decode).
    ///
    /// # Errors
    /// [`Error::TooManyBits`].
    pub fn encode(&self, bits: &[bool]) -> Result<Plaintext, Error> {
        if bits.len() > self.count() {
            return Err(Error::TooManyBits {
                bits: bits.len(),
                slots: self.count(),
            });
        }
        // Of its full length at once: what grows leaves copies behind.
        let mut vector = Zeroizing::new(vec![0_u8; self.count()]);
        for (place, &bit) in vector.iter_mut().zip(bits) {
            *place = bit.into();
        }
        let constants = self.pack.apply(&vector);
        let coefficients = self.classes.iter().map(|&class| constants[class as usize]);
        Ok(Plaintext {
            coefficients: coefficients.collect(),
        })
    }

    /// The bits of a plaintext.
    ///
    /// # Errors
    /// [`Error::NotBits`] unless every slot is a bit.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<bool>, Error> {
        let coefficients = &plaintext.coefficients;
        if coefficients.len() != self.classes.len() {
            return Err(Error::NotBits);
        }
        let constants = self
            .positions
            .iter()
            .map(|&position| coefficients[position as usize]);
        let constants: Zeroizing<Vec<u8>> = Zeroizing::new(constants.collect());
        // All are compared, so that how long it takes does not depend on where they differ.
        let pairs = coefficients.iter().zip(&self.classes);
        let differing = pairs.fold(0, |differing, (coefficient, &class)| {
            differing | (coefficient ^ constants[class as usize])
        });
        if differing != 0 {
            return Err(Error::NotBits);
        }
        let bits = self.unpack.apply(&constants);
        Ok(bits.iter().map(|&bit| bit == 1).collect())
    }
}

/// A vector of bits in packed form: coefficients modulo 2 in the normal basis.
#[derive(Clone, PartialEq, Eq)]
pub struct Plaintext {
    coefficients: Vec<u8>,
}

impl Plaintext {
    #[cfg(feature = "secret")]
    pub(crate) fn from_coefficients(coefficients: Vec<u8>) -> Self {
        Self { coefficients }
    }

    /// The coefficients, each 0 or 1, in the order of [`Index`].
    #[must_use]
    pub fn coefficients(&self) -> &[u8] {
        &self.coefficients
    }
}

impl Drop for Plaintext {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.coefficients);
    }
}

/// The number modulo m that is 1 modulo p and 0 modulo m/p.
fn idempotent(m: u64, p: u64) -> u64 {
    let cofactor = m / p;
    (0..p)
        .map(|multiple| multiple * cofactor)
        .find(|number| number % p == 1)
        .unwrap_or(1)
}

/// Generators of (Z/m)*/⟨2⟩ with lengths of their cycles, a representative of each class by number,
/// and the class of every unit modulo m.
fn numbering(index: &Index) -> (Vec<(u32, usize)>, Vec<u32>, Vec<u32>) {
    const NONE: u32 = u32::MAX;
    let m = index.m();
    let times = |a: u32, b: u32| (u64::from(a) * u64::from(b) % u64::from(m)) as u32;
    let mut generators: Vec<(u32, usize)> = Vec::new();
    let mut representatives = vec![1_u32];
    let mut class_of = vec![NONE; m as usize];
    loop {
        class_of.fill(NONE);
        for (class, &representative) in representatives.iter().enumerate() {
            let mut unit = representative;
            for _ in 0..index.order_of_two() {
                class_of[unit as usize] = class as u32;
                unit = times(unit, 2);
            }
        }
        if representatives.len() == index.slots() {
            return (generators, representatives, class_of);
        }
        // The unit whose powers stay outside of what is generated for the longest time.
        let order = |unit: u32| {
            let mut power = unit;
            let mut order = 1;
            while class_of[power as usize] == NONE {
                power = times(power, unit);
                order += 1;
            }
            order
        };
        let units = (2..m).filter(|&unit| index.position(unit).is_some());
        let most = index.slots() / representatives.len();
        let mut best = (1, 1);
        for unit in units {
            let found = order(unit);
            if found > best.1 {
                best = (unit, found);
            }
            if found == most {
                break;
            }
        }
        let (generator, length) = best;
        let before = representatives.clone();
        let mut factor = 1;
        for _ in 1..length {
            factor = times(factor, generator);
            representatives.extend(before.iter().map(|&unit| times(unit, factor)));
        }
        generators.push(best);
    }
}

#[cfg(test)]
mod tests;
