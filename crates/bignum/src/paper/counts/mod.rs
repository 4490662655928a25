//! The paper's table I: instructions for one modular product by three methods, counted and not
//! estimated.
//!
//! The algorithms are written over a unit that counts what it does ([`alu`](Counts)), in the
//! instructions that the paper counts: those of a 64-bit MIPS without loads, stores, addresses and
//! branches. Each result is a right one, which tests compare with the plain product's.
//!
//! - [`Method::Interleaved`]: Montgomery's reduction interleaved with a schoolbook product, two
//!   rows of `n` words for each word of an operand.
//! - [`Method::Karatsuba`]: three products, `a·b`, its lower half by `−1/m`, and that by `m`;
//!   Karatsuba down to three words, then schoolbook.
//! - [`Method::Transform`]: the same three products, each by the paper's transform, nine transforms
//!   in all.
//!
//! The modulus leaves two bits of its words free, so that results below twice the modulus need no
//! final subtraction (the paper's first column has none either).

mod alu;
mod transform;
mod words;

pub use alu::Counts;

use alu::Alu;

/// How a modular product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Schoolbook and Montgomery's reduction, row by row.
    Interleaved,
    /// Three products by Karatsuba.
    Karatsuba,
    /// Three products by the transform.
    Transform,
}

impl Method {
    /// The columns of the table.
    pub const ALL: [Self; 3] = [Self::Interleaved, Self::Karatsuba, Self::Transform];

    /// The paper's name of the column.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interleaved => "Interleaved Montgomery",
            Self::Karatsuba => "Karatsuba",
            Self::Transform => "FFT",
        }
    }
}

/// The sizes at which the transform has no point to spare: 256, 4,096 and 65,536 points, the last
/// the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 3,072 bits.
    Bits3072,
    /// 49,152 bits.
    Bits49152,
    /// 786,432 bits.
    Bits786432,
}

impl Size {
    /// From the least.
    pub const ALL: [Self; 3] = [Self::Bits3072, Self::Bits49152, Self::Bits786432];

    /// Points of the transform.
    pub const fn points(self) -> usize {
        match self {
            Self::Bits3072 => 256,
            Self::Bits49152 => 4096,
            Self::Bits786432 => 65_536,
        }
    }

    /// Words of the modulus.
    pub const fn limbs(self) -> usize {
        transform::limbs(self.points())
    }

    /// Bits of that.
    pub const fn bits(self) -> usize {
        64 * self.limbs()
    }
}

/// Counts the instructions of one modular product. The operands are fixed; counts depend on them
/// only where a carry runs on beyond the next word. The largest takes some seconds for
/// [`Method::Interleaved`] and less than one for the others.
pub fn count(method: Method, size: Size) -> Counts {
    let case = Case::new(size);
    let mut alu = Alu::default();
    case.run(&mut alu, method);
    alu.counts
}

/// A modulus with its constants, and two operands.
struct Case {
    size: Size,
    a: Vec<u64>,
    b: Vec<u64>,
    modulus: Vec<u64>,
    /// `−1/modulus` modulo `2^(64·n)`.
    inverse: Vec<u64>,
}

impl Case {
    fn new(size: Size) -> Self {
        let n = size.limbs();
        let number = |seed: u64| -> Vec<u64> {
            let step = |x: &u64| Some(x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
            let words = std::iter::successors(Some(seed), step).skip(9);
            let mut words: Vec<u64> = words.map(|x| x ^ x >> 29).take(n).collect();
            // Below 2^(64·n − 3), the modulus between that and twice that.
            words[n - 1] >>= 3;
            words
        };
        let mut modulus = number(3);
        modulus[0] |= 1;
        modulus[n - 1] |= 1 << 61;
        Self {
            size,
            a: number(1),
            b: number(2),
            inverse: minus_inverse(&modulus),
            modulus,
        }
    }

    /// `a·b/2^(64·n)`, below twice the modulus.
    fn run(&self, alu: &mut Alu, method: Method) -> Vec<u64> {
        let points = self.size.points();
        match method {
            Method::Interleaved => self.interleaved(alu),
            Method::Karatsuba => self.three_products(alu, words::karatsuba),
            Method::Transform => self.three_products(alu, |alu, out, a, b| {
                transform::product(alu, out, a, b, points);
            }),
        }
    }

    /// For each word of `b` a row of `a`, and one of the modulus that makes the lowest word zero.
    fn interleaved(&self, alu: &mut Alu) -> Vec<u64> {
        let n = self.modulus.len();
        let mut sum = vec![0; n];
        for (number, &b) in self.b.iter().enumerate() {
            // The first row has nothing to be added to.
            let top = row(alu, &mut sum, b, &self.a, number > 0);
            let factor = alu.multiply_low(sum[0], self.inverse[0]);
            let carry = row(alu, &mut sum, factor, &self.modulus, true);
            // The lowest word is zero; what is above the sum fits a word, as it is below twice the
            // modulus.
            sum.rotate_left(1);
            sum[n - 1] = alu.add(top, carry);
        }
        sum
    }

    /// The noninterleaved form, with products by any method.
    fn three_products(
        &self,
        alu: &mut Alu,
        product: impl Fn(&mut Alu, &mut [u64], &[u64], &[u64]),
    ) -> Vec<u64> {
        let n = self.modulus.len();
        let [mut sum, mut factor, mut multiple] = [(); 3].map(|()| vec![0; 2 * n]);
        product(alu, &mut sum, &self.a, &self.b);
        product(alu, &mut factor, &sum[..n], &self.inverse);
        product(alu, &mut multiple, &factor[..n], &self.modulus);
        words::add_assign(alu, &mut sum, &multiple);
        sum.split_off(n)
    }
}

/// `sum += factor·words`, or `=` if nothing is accumulated; returns the word above.
fn row(alu: &mut Alu, sum: &mut [u64], factor: u64, words: &[u64], accumulate: bool) -> u64 {
    let mut carry = None;
    for (sum, &word) in sum.iter_mut().zip(words) {
        let (mut low, mut high) = alu.multiply(factor, word);
        if accumulate {
            let (added, more) = alu.add_carry(low, *sum);
            low = added;
            high = alu.add(high, more);
        }
        if let Some(carry) = carry {
            let (added, more) = alu.add_carry(low, carry);
            low = added;
            high = alu.add(high, more);
        }
        *sum = low;
        carry = Some(high);
    }
    carry.unwrap_or(0)
}

/// `−1/x` modulo `2^(64·n)` for odd `x`, by Newton's iteration `y ← y·(2 + x·y)` with doubling
/// length.
fn minus_inverse(x: &[u64]) -> Vec<u64> {
    let n = x.len();
    let mut y = vec![0; n];
    // Right to five bits, as x² = 1 modulo 8; then to 10, 20, 40, 80.
    let mut word = x[0].wrapping_mul(3) ^ 2;
    for _ in 0..4 {
        word = word.wrapping_mul(2u64.wrapping_sub(x[0].wrapping_mul(word)));
    }
    y[0] = word.wrapping_neg();
    let mut length = 1;
    while length < n {
        length = (2 * length).min(n);
        let mut product = low_product(&x[..length], &y[..length]);
        let two = [2];
        words::add_assign(&mut Alu::default(), &mut product, &two);
        let next = low_product(&product, &y[..length]);
        y[..length].copy_from_slice(&next);
    }
    y
}

/// The lower half of a product of operands of the same length.
fn low_product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut out = vec![0; 2 * a.len()];
    words::karatsuba(&mut Alu::default(), &mut out, a, b);
    out.truncate(a.len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `result·2^(64·n)` is the product modulo the modulus.
    fn check(case: &Case, result: &[u64]) {
        let n = case.modulus.len();
        let remainder = |number: &[u64]| {
            let mut quotient = vec![0; number.len()];
            let mut remainder = vec![0; n];
            crate::divide(&mut quotient, &mut remainder, number, &case.modulus).unwrap();
            remainder
        };
        let mut product = vec![0; 2 * n];
        crate::multiply(&mut product, &case.a, &case.b).unwrap();
        let mut shifted = vec![0; n];
        shifted.extend_from_slice(result);
        assert_eq!(remainder(&shifted), remainder(&product));
    }

    #[test]
    fn every_method_computes_the_same() {
        let case = Case::new(Size::Bits3072);
        for method in Method::ALL {
            let result = case.run(&mut Alu::default(), method);
            check(&case, &result);
        }
    }

    #[test]
    fn the_interleaved_column_is_the_papers() {
        // 2·n² + n products, 8·n² − 5·n sums and 4·n² − 3·n comparisons: with the paper's 12,288
        // words those are its figures, to the last digit.
        let of = |n: u64| Counts {
            products: 2 * n * n + n,
            halves: 4 * n * n + n,
            sums: 8 * n * n - 5 * n,
            comparisons: 4 * n * n - 3 * n,
            ..Counts::default()
        };
        for size in [Size::Bits3072, Size::Bits49152] {
            assert_eq!(count(Method::Interleaved, size), of(size.limbs() as u64));
        }
        let paper = Counts {
            products: 302_002_176,
            halves: 603_992_064,
            sums: 1_207_898_112,
            comparisons: 603_942_912,
            ..Counts::default()
        };
        assert_eq!(of(12_288), paper);
    }

    #[test]
    #[ignore = "slow: 3 s"]
    fn karatsubas_products_are_the_papers() {
        let counts = count(Method::Karatsuba, Size::Bits786432);
        assert_eq!(counts.products, 26_138_787);
        assert_eq!(counts.halves, 52_277_574);
    }

    #[test]
    #[ignore = "slow: 2 s"]
    fn products_of_the_transform_are_factors_and_components() {
        let counts = count(Method::Transform, Size::Bits786432);
        // Of stages of 65,536, 4,096 and 256 points, those where neither index is zero.
        let factors = 15 * 4095 + 16 * (15 * 255) + 256 * (15 * 15);
        assert_eq!(counts.constants, 9 * factors);
        assert_eq!(counts.products, 9 * factors + 3 * 65_536);
    }
}
