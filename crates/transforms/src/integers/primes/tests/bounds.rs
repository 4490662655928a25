//! Bounds of lazily reduced sums: every pass of every length on words that are bounds instead of
//! residues, as multiples of the prime. What a step would exceed is an assertion, not a rare wrong
//! product.

use crate::InstructionSet;
use crate::integers::primes::arch::{Factor, FoldingKernel, Kernel, Machine, Modulus, Residues};
use crate::integers::primes::butterfly::{EachLayer, EachPass, Folding, Never};
use crate::integers::primes::field::{Field, Primes};
use crate::integers::primes::forward::{First, Inner, Root, columns};
use crate::integers::primes::inverse::{InnerBack, Last};
use crate::integers::primes::product::{Multiply, MultiplyAdd};
use crate::integers::primes::shape::{Shape, VECTOR};
use crate::integers::primes::tables::{Ring, Tables};

/// The lower half of a word is the smallest multiple of the prime that a residue is below, the
/// upper half one that it is not below.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) limit: u64,
}

fn bounds(least: u64, most: u64) -> u64 {
    least << 32 | most
}

fn least(x: u64) -> u64 {
    x >> 32
}

fn most(x: u64) -> u64 {
    x & 0xffff_ffff
}

impl Residues for Bounds {
    const LANES: usize = 1;
    const RADIX: u32 = 52;
    const SUMMANDS: usize = 3;
    type Word = u64;
    type Words = u64;
    type Prime = ();
    type Sum = u64;

    fn vectorize<K: Kernel>(self, kernel: K) {
        kernel.run(self);
    }
    fn prime(self, _: &Modulus) {}
    fn vectors(self, words: &[u64]) -> &[u64] {
        words
    }
    fn vectors_mut(self, words: &mut [u64]) -> &mut [u64] {
        words
    }
    fn load(self, from: &u64) -> u64 {
        *from
    }
    fn store(self, into: &mut u64, x: u64) {
        assert!(most(x) <= self.limit, "{} is stored", most(x));
        *into = x;
    }
    fn splat(self, _: u64) -> u64 {
        0
    }
    fn add(self, x: u64, y: u64) -> u64 {
        x + y
    }
    fn sub<const BIAS: u64>(self, (): (), x: u64, y: u64) -> u64 {
        assert!(
            least(x) + BIAS >= most(y),
            "{} is subtracted from {} and {BIAS}",
            most(y),
            least(x)
        );
        bounds(least(x) + BIAS - most(y), most(x) + BIAS - least(y))
    }
    fn mul(self, (): (), y: u64, _: Factor<Self>) -> u64 {
        assert!(most(y) <= self.limit, "{} is multiplied", most(y));
        2
    }
    fn mul_add(self, (): (), x: u64, y: u64, factor: Factor<Self>) -> u64 {
        x + self.mul((), y, factor)
    }
    fn fold(self, (): (), x: u64) -> u64 {
        assert!(most(x) <= self.limit, "{} is folded", most(x));
        self.limit / 2
    }
    fn clean(self, x: u64) -> u64 {
        x
    }
    fn canonical(self, (): (), x: u64) -> u64 {
        assert!(most(x) <= 2, "{} is reduced", most(x));
        1
    }
    fn collect(self, (): (), x: u64) -> u64 {
        assert!(most(x) <= 2 * (3 + 1), "{} is collected", most(x));
        2
    }
    fn read(self, (): (), _: u64) -> u64 {
        2
    }
    fn product(self, (): (), a: u64, b: u64) -> u64 {
        let largest = most(a).max(most(b));
        assert!(largest <= self.limit, "{largest} is multiplied");
        self.limit / 2
    }
    fn reduce(self, (): (), x: u64) -> u64 {
        assert!(most(x) <= self.limit, "{} is reduced", most(x));
        2
    }
    fn enter(self, _: u64) -> u64 {
        1
    }
    fn leave(self, x: u64) -> u64 {
        assert!(x <= 1, "{x} is left");
        x
    }
    fn no_products(self) -> u64 {
        0
    }
    fn accumulate(self, (): (), sum: u64, a: u64, b: u64) -> u64 {
        assert!(a <= 1 && b <= 1, "{a} times {b} is added");
        sum + 1
    }
    fn settle(self, (): (), sum: u64) -> u64 {
        assert!(sum <= 15, "{sum} products are added");
        2
    }
    fn where_above(self, _: u64, _: u64, value: u64) -> u64 {
        value
    }
    fn add_fraction(self, sum: u64, _: u64, _: f64) -> u64 {
        sum
    }
    fn nearest(self, sum: u64) -> u64 {
        sum
    }
    fn parity(self, _: u64, _: u64) -> u64 {
        1
    }
    fn interleave(self, rows: [u64; 8]) -> [u64; 8] {
        rows
    }
    fn separate(self, words: [u64; 8]) -> [u64; 8] {
        words
    }
}

fn all_passes<F: Folding>(shape: &Shape, tables: &Tables, limit: u64, limbs: usize) {
    let v = Bounds { limit };
    let mut data = vec![0; shape.words()];
    let limbs = vec![0; limbs];
    for (number, column) in columns(shape, &mut data, 8).iter_mut().enumerate() {
        let start = 8 * number;
        First {
            shape,
            tables,
            limbs: &limbs,
            start,
            column,
        }
        .run::<_, F>(v);
        Root {
            shape,
            tables,
            column,
        }
        .run::<_, F>(v);
    }
    let mut block = data[..shape.block * VECTOR].to_vec();
    let mut blocks = 1;
    for (&radix, factors) in shape.inner.iter().zip(&tables.inner) {
        Inner {
            tables,
            radix,
            factors: &factors[..blocks * (radix - 1)],
            data: &mut block,
        }
        .run::<_, F>(v);
        blocks *= radix;
    }
    let mut sum = block.clone();
    for add in [false, true, true] {
        let multiply = Multiply {
            tables,
            sum: &mut sum,
            a: &block,
            b: &block,
        };
        if add {
            MultiplyAdd(multiply).run(v);
        } else {
            multiply.run(v);
        }
    }
    for (&radix, factors) in shape.inner.iter().zip(&tables.inner_back).rev() {
        InnerBack {
            tables,
            radix,
            factors,
            data: &mut sum,
        }
        .run::<_, F>(v);
    }
    // Any block can have the largest bounds.
    data.fill(sum.iter().map(|&x| most(x)).max().unwrap());
    for (number, column) in columns(shape, &mut data, 8).iter_mut().enumerate() {
        let start = 8 * number;
        Last {
            shape,
            tables,
            start,
            column,
        }
        .run::<_, F>(v);
    }
    for block in data.chunks_exact(shape.stride * VECTOR) {
        assert!(
            block[..shape.block * VECTOR]
                .iter()
                .all(|&bound| bound == 1)
        );
    }
}

#[test]
fn no_sum_exceeds_its_limit() {
    let machine = Machine::new(InstructionSet::Scalar).unwrap();
    for points in super::lengths(1 << 13) {
        let shape = Shape::covering(points).unwrap();
        for ring in [Ring::Cyclic, Ring::Negacyclic] {
            let p = Primes::Narrow.moduli()[0];
            let modulus = machine.modulus(Primes::Narrow, p);
            let tables = Tables::new(machine, &shape, ring, Field::new(p), modulus, 1);
            for limbs in [points, points / 2] {
                all_passes::<Never>(&shape, &tables, 1 << 10, limbs);
                all_passes::<EachPass>(&shape, &tables, 16, limbs);
                all_passes::<EachLayer>(&shape, &tables, 4, limbs);
            }
        }
    }
}
