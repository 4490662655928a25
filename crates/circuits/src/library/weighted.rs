//! Functions of a weighted sum of bits, written as arithmetic instead of truth tables.
//!
//! One lookup answers any number of functions of one sum that takes at most sixteen values. Clear
//! bits take none of that range: their weights go into the tables, not into the sum.

use crate::ir::table::is_negacyclic;
use crate::{Builder, Wire};

/// The smallest sum for which lookups beat gates: a full adder's.
const FULL_ADDER: u8 = 3;

/// Whether sums up to 31 have lookups of negacyclic functions.
pub(super) fn has_negacyclic(b: &Builder) -> bool {
    b.profile().largest_sum().is_some_and(is_negacyclic)
}

/// Whether a sum is quiet enough for weights of 8, and stays so.
pub(super) fn is_quiet_at_large_weights(b: &Builder, terms: &[(Wire, i8)]) -> bool {
    let may_get_noisier = |&(wire, _): &(Wire, i8)| b.may_get_noisier(wire);
    b.is_quiet(terms) && !terms.iter().any(may_get_noisier)
}

/// The largest sum that one native lookup takes, `None` where units should use gates.
pub(super) fn capacity(b: &Builder) -> Option<u32> {
    b.profile()
        .max_value()
        .filter(|&max| max >= FULL_ADDER)
        .map(u32::from)
}

/// `count` functions of `Σ weight·bit`: bit `j` of `f(sum)` is the output `j`.
///
/// The weights of the bits that are not clear must span at most 15.
pub(super) fn functions(
    b: &mut Builder,
    terms: &[(Wire, i8)],
    count: usize,
    f: impl Fn(i32) -> u32,
) -> Vec<Wire> {
    let (secret, least, tables) = narrow_tables(terms, count, f);
    b.lookup(&secret, -least, &tables)
}

/// The same of a sum of at most 32 values, for functions that are negacyclic: `f(t + 16) = ¬f(t)`.
/// `None` where the target has no such lookups, or a function is none.
pub(super) fn negacyclic_functions(
    b: &mut Builder,
    terms: &[(Wire, i8)],
    count: usize,
    f: impl Fn(i32) -> u32,
) -> Option<Vec<Wire>> {
    let (secret, least, tables) = tables(terms, count, f);
    b.lookup_negacyclic(&secret, -least, &tables)
}

/// The same; where all bits come from one lookup, as further answers of that one. Where the bits
/// are to be renewed, [`functions`] is what does it.
pub(super) fn functions_inside(
    b: &mut Builder,
    terms: &[(Wire, i8)],
    count: usize,
    f: impl Fn(i32) -> u32,
) -> Vec<Wire> {
    let (secret, least, tables) = narrow_tables(terms, count, f);
    match b.lookup_inside(&secret, -least, &tables) {
        Some(made) => made,
        None => b.lookup(&secret, -least, &tables),
    }
}

/// Those of sums of at most sixteen values.
fn narrow_tables(
    terms: &[(Wire, i8)],
    count: usize,
    f: impl Fn(i32) -> u32,
) -> (Vec<(Wire, i8)>, i8, Vec<u16>) {
    let (secret, least, tables) = tables(terms, count, f);
    (
        secret,
        least,
        tables.into_iter().map(|table| table as u16).collect(),
    )
}

/// The secret bits, the least value of their sum, and the functions as tables above it.
fn tables(
    terms: &[(Wire, i8)],
    count: usize,
    f: impl Fn(i32) -> u32,
) -> (Vec<(Wire, i8)>, i8, Vec<u32>) {
    let mut clear = 0;
    let mut secret = Vec::with_capacity(terms.len());
    let (mut low, mut high) = (0, 0);
    for &(wire, weight) in terms {
        match wire.as_constant() {
            Some(value) => clear += i32::from(value) * i32::from(weight),
            None => {
                secret.push((wire, weight));
                low += i32::from(weight.min(0));
                high += i32::from(weight.max(0));
            }
        }
    }
    let mut tables = vec![0u32; count];
    for value in low..=high {
        let bits = f(value + clear);
        for (at, table) in tables.iter_mut().enumerate() {
            *table |= (bits >> at & 1) << (value - low);
        }
    }
    (secret, low as i8, tables)
}
