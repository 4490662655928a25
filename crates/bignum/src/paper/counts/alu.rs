//! An arithmetic unit that counts: the integer instructions of a 64-bit MIPS, which the paper
//! counts too.

use std::ops::{Add, AddAssign};

/// How many instructions of each kind, by the rows of the paper's table I.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// `dmultu`: products of 64 by 64 bits.
    pub products: u64,
    /// `mflo`, `mfhi`: halves of products that are fetched.
    pub halves: u64,
    /// `daddu`, `dsubu`.
    pub sums: u64,
    /// `dsll`, `dsrl`.
    pub shifts: u64,
    /// `and`, `or`.
    pub masks: u64,
    /// `sltu`: carries and borrows.
    pub comparisons: u64,
    /// `movz`, `movn`: choices.
    pub choices: u64,
    /// Constants that are loaded: here twiddle factors.
    pub constants: u64,
}

impl Counts {
    /// The rows with the paper's names for them.
    pub const fn rows(&self) -> [(&'static str, u64); 8] {
        [
            ("dmultu", self.products),
            ("mflo/mfhi", self.halves),
            ("daddu/dsubu", self.sums),
            ("dsll/dsrl", self.shifts),
            ("and/or", self.masks),
            ("sltu", self.comparisons),
            ("movz/movn", self.choices),
            ("load_immediate", self.constants),
        ]
    }

    /// All instructions.
    pub fn total(&self) -> u64 {
        self.rows().iter().map(|(_, count)| count).sum()
    }
}

impl Add for Counts {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            products: self.products + other.products,
            halves: self.halves + other.halves,
            sums: self.sums + other.sums,
            shifts: self.shifts + other.shifts,
            masks: self.masks + other.masks,
            comparisons: self.comparisons + other.comparisons,
            choices: self.choices + other.choices,
            constants: self.constants + other.constants,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// The unit: every operation is done and counted. Loads, stores, addresses and branches are not its
/// business, nor the paper's.
#[derive(Debug, Default)]
pub(super) struct Alu {
    pub(super) counts: Counts,
}

impl Alu {
    /// The product, lower half first.
    #[inline]
    pub(super) fn multiply(&mut self, a: u64, b: u64) -> (u64, u64) {
        self.counts.products += 1;
        self.counts.halves += 2;
        let product = u128::from(a) * u128::from(b);
        (product as u64, (product >> 64) as u64)
    }

    /// Its lower half.
    #[inline]
    pub(super) fn multiply_low(&mut self, a: u64, b: u64) -> u64 {
        self.counts.products += 1;
        self.counts.halves += 1;
        a.wrapping_mul(b)
    }

    #[inline]
    pub(super) fn add(&mut self, a: u64, b: u64) -> u64 {
        self.counts.sums += 1;
        a.wrapping_add(b)
    }

    #[inline]
    pub(super) fn sub(&mut self, a: u64, b: u64) -> u64 {
        self.counts.sums += 1;
        a.wrapping_sub(b)
    }

    #[inline]
    pub(super) fn shift_left(&mut self, a: u64, bits: u32) -> u64 {
        self.counts.shifts += 1;
        a << bits
    }

    #[inline]
    pub(super) fn shift_right(&mut self, a: u64, bits: u32) -> u64 {
        self.counts.shifts += 1;
        a >> bits
    }

    #[inline]
    pub(super) fn and(&mut self, a: u64, b: u64) -> u64 {
        self.counts.masks += 1;
        a & b
    }

    #[inline]
    pub(super) fn or(&mut self, a: u64, b: u64) -> u64 {
        self.counts.masks += 1;
        a | b
    }

    /// 1 if `a < b`.
    #[inline]
    pub(super) fn less(&mut self, a: u64, b: u64) -> u64 {
        self.counts.comparisons += 1;
        u64::from(a < b)
    }

    /// `yes` if the condition is not 0, else `no`.
    #[inline]
    pub(super) fn choose(&mut self, condition: u64, yes: u64, no: u64) -> u64 {
        self.counts.choices += 1;
        if condition == 0 { no } else { yes }
    }

    /// A constant out of a table.
    #[inline]
    pub(super) fn constant(&mut self, constant: u64) -> u64 {
        self.counts.constants += 1;
        constant
    }

    /// `a + b`, and the carry.
    #[inline]
    pub(super) fn add_carry(&mut self, a: u64, b: u64) -> (u64, u64) {
        let sum = self.add(a, b);
        (sum, self.less(sum, b))
    }

    /// `a − b`, and the borrow.
    #[inline]
    pub(super) fn sub_borrow(&mut self, a: u64, b: u64) -> (u64, u64) {
        let borrow = self.less(a, b);
        (self.sub(a, b), borrow)
    }
}
