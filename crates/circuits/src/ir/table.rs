//! Truth tables of lookups: which entries matter, their normal form, and how much noise it has.
//!
//! Multi-value bootstrapping (Carpov, Izabachène, Mollimard, CT-RSA 2019) rotates one constant
//! test polynomial and takes for each function `f` the combination of its window edges that the
//! integer vector `v` names: `v[0] = f(0) + f(15)` (the wrap is negacyclic) and
//! `v[e] = f(e) − f(e−1)`. Were the coefficients of a rotation independent, the variance of that
//! output would be `‖v‖²` times one coefficient's; a share of it may be common to all
//! (see [`NoiseModel::common`](crate::NoiseModel)) and counts `4·mean(f²)` instead.
//!
//! With `f(0) = 0`, and 0 wherever no assignment leads above `max`, `‖v‖²` is the number of times
//! that `f` changes on the circle `0, 1, …, max, 0`, which is least among all completions and both
//! polarities: a table that starts with 1 pays at least as much. So that is the normal form. One
//! form for a function and its complement is what sharing needs, and it is chosen by `‖v‖²` alone:
//! where noise is common the other polarity can be quieter (`t ≥ 1` has 4·15/16 = 3.75 and its
//! complement 0.25, with the same `‖v‖²`). The noise that is computed is that
//! of the form that is evaluated, either way.
//!
//! The ring turns the sign by itself half way round. A function of the whole torus, `t` from 0 to 31, of
//! which `f(t + 16) = ¬f(t)`, is `1/2` more than `g = f − 1/2`, for which that is `g(t + 16) = −g(t)`:
//! only `v[0]` differs, it is `f(0) + f(15) − 1`, and common noise counts `4·mean(g²) = 1`. Such
//! functions are the carry of a sum of 32 values, and each of its other bits XOR the carry.

/// Table entries of a lookup: values of `t` are 0 to 15.
pub(crate) const ENTRIES: usize = 16;

/// The largest sum of which any function can be looked up.
pub const LARGEST: u8 = 15;

/// The largest sum of which negacyclic functions can.
pub const LARGEST_NEGACYCLIC: u8 = 31;

/// A lookup's output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Function {
    /// Its values from 0 to 15.
    pub(crate) mask: u16,
    /// Whether it goes on to 31 as `f(t + 16) = ¬f(t)`; otherwise sums stop at 15.
    pub(crate) is_negacyclic: bool,
}

impl Function {
    /// One of sums that stop at 15.
    pub(crate) fn plain(mask: u16) -> Self {
        Self {
            mask,
            is_negacyclic: false,
        }
    }

    /// The combination `v` of window edges that makes it from one rotation.
    pub(crate) fn edges(self) -> [i32; ENTRIES] {
        let mut edges = edges(self.mask);
        edges[0] -= i32::from(self.is_negacyclic);
        edges
    }

    /// Its value at `t`; 0 where it has none.
    pub(crate) fn at(self, t: i32) -> bool {
        match t {
            0..16 => self.mask >> t & 1 == 1,
            16..32 => self.is_negacyclic && self.mask >> (t - 16) & 1 == 0,
            _ => false,
        }
    }

    /// `‖v‖²`.
    pub(crate) fn variance(self) -> u32 {
        let edges = self.edges().into_iter();
        edges.map(|v| v.unsigned_abs().pow(2)).sum()
    }

    /// `‖v‖²`, and the sum of the squares of [`centred`](Self::centred).
    pub(crate) fn squares(self) -> (i32, i32) {
        let shift = i32::from(self.is_negacyclic);
        let changes = ((self.mask ^ (self.mask << 1)) >> 1).count_ones() as i32;
        let ones = self.mask.count_ones() as i32;
        let wrap = i32::from(self.mask & 1) + i32::from(self.mask >> 15) - shift;
        let centred = match self.is_negacyclic {
            true => ENTRIES as i32,
            false => 4 * ones,
        };
        (changes + wrap * wrap, centred)
    }

    /// Twice its value at `t`, less 1 if it is negacyclic: what the noise that a rotation's
    /// coefficients have in common is multiplied by.
    pub(crate) fn centred(self, t: usize) -> i32 {
        2 * i32::from(self.mask >> t & 1) - i32::from(self.is_negacyclic)
    }
}

/// Whether a sum that goes up to `max` is of the whole torus, and its functions negacyclic.
#[must_use]
pub fn is_negacyclic(max: u8) -> bool {
    max > LARGEST
}

/// The table up to 15 of a negacyclic function of which the values up to 31 in `care` matter, and
/// those of its entries that do; `None` if it is none.
#[must_use]
pub(crate) fn negacyclic(values: u32, care: u32) -> Option<(u16, u16)> {
    let half = |all: u32, at: u32| (all >> (16 * at)) as u16;
    let [low, high] = [0, 1].map(|at| half(care, at));
    let mask = half(values, 0) & low | !half(values, 1) & high & !low;
    let is_opposite = (half(values, 0) ^ !half(values, 1)) & low & high == 0;
    is_opposite.then_some((mask, low | high))
}

/// The set of values (bit `t` for value `t`) that `Σ weight·bit + constant` takes when its bits
/// are free. Values outside 0 to 31 are left out.
#[must_use]
pub(crate) fn reachable(weights: impl IntoIterator<Item = i8>, constant: i8) -> u32 {
    // Value t is bit t + OFFSET; the weights of a sum within 0..=31 add up to at most 31 either
    // way, and a promised sum that leaves the window is answered with "everything".
    const OFFSET: i32 = 64;
    const LOW: i32 = -OFFSET + 1;
    const HIGH: i32 = 127 - OFFSET;
    let (mut low, mut high) = (i32::from(constant), i32::from(constant));
    if !(LOW..=HIGH).contains(&low) {
        return u32::MAX;
    }
    let mut set = 1u128 << (low + OFFSET);
    for weight in weights {
        let weight = i32::from(weight);
        (low, high) = (low + weight.min(0), high + weight.max(0));
        if low < LOW || high > HIGH {
            return u32::MAX;
        }
        set |= if weight < 0 {
            set >> -weight
        } else {
            set << weight
        };
    }
    (set >> OFFSET) as u32
}

/// The values from 0 to `max` as a set.
#[must_use]
pub(crate) fn up_to(max: u8) -> u32 {
    if max >= LARGEST_NEGACYCLIC {
        u32::MAX
    } else {
        (1 << (max + 1)) - 1
    }
}

/// The normal form of a table of which only the entries in `care` matter: the mask, 0 at the
/// first entry that matters, and whether the output has to be inverted to compensate. Entries
/// that do not matter repeat their predecessor, and are 0 after the last that does (of a negacyclic
/// function they repeat it to the end): no other choice has fewer changes, that is less `‖v‖²`.
#[must_use]
pub(crate) fn normalise(mask: u16, care: u16, is_negacyclic: bool) -> (u16, bool) {
    if care == 0 {
        return (0, false);
    }
    let inverted = mask >> care.trailing_zeros() & 1 == 1;
    let mask = if inverted { !mask } else { mask };
    let last = match is_negacyclic {
        true => 15,
        false => 15 - care.leading_zeros(),
    };
    let (mut filled, mut value) = (0u16, 0u16);
    for entry in 0..=last {
        if care >> entry & 1 == 1 {
            value = mask >> entry & 1;
        }
        filled |= value << entry;
    }
    (filled, inverted)
}

/// The combination `v` of window edges that makes the function from one rotation.
#[must_use]
pub(crate) fn edges(mask: u16) -> [i32; ENTRIES] {
    let at = |entry: usize| i32::from(mask >> entry & 1);
    std::array::from_fn(|entry| match entry.checked_sub(1) {
        Some(before) => at(entry) - at(before),
        None => at(0) + at(ENTRIES - 1),
    })
}

/// `‖v‖²` of one output: its variance where nothing is common.
///
/// ```
/// use blindcore_circuits::ir::table::variance;
///
/// // The function changes twice on the circle of values: at its step, and where the circle closes.
/// assert_eq!(variance(0b1111_1111_0000_0000), 2);
/// // The lowest bit of `t` changes at every value.
/// assert_eq!(variance(0b1010_1010_1010_1010), 16);
/// ```
#[must_use]
pub fn variance(mask: u16) -> u32 {
    let wrap = (mask & 1) + (mask >> 15);
    ((mask ^ (mask << 1)) >> 1).count_ones() + u32::from(wrap * wrap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variance_is_the_norm_of_the_edges() {
        for mask in 0..=u16::MAX {
            let norm: i32 = edges(mask).iter().map(|v| v * v).sum();
            assert_eq!(variance(mask), norm as u32, "{mask:016b}");
        }
    }

    #[test]
    fn squares_are_those_of_edges_and_values() {
        for mask in 0..=u16::MAX {
            for is_negacyclic in [false, true] {
                let function = Function {
                    mask,
                    is_negacyclic,
                };
                let edges: i32 = function.edges().iter().map(|v| v * v).sum();
                let centred: i32 = (0..ENTRIES).map(|t| function.centred(t).pow(2)).sum();
                assert_eq!(function.squares(), (edges, centred), "{mask:016b}");
            }
        }
    }

    #[test]
    fn normal_form_has_the_least_norm() {
        // Every table of up to seven entries against all completions, both polarities. (A
        // completion above `max` that matters is determined by where it stops.)
        for max in 0..7u8 {
            for mask in 0..1u16 << (max + 1) {
                let (normal, inverted) = normalise(mask, up_to(max) as u16, false);
                let value = if inverted { !normal } else { normal };
                assert_eq!((value ^ mask) & up_to(max) as u16, 0);
                for upper in 0..1u16 << (15 - max) {
                    let completed = mask | upper << (max + 1);
                    assert!(variance(normal) <= variance(completed));
                    assert!(variance(normal) <= variance(!completed));
                }
            }
        }
    }

    #[test]
    fn negacyclic_tables_and_their_norms() {
        // The carry of four columns, and bits XOR the carry.
        let bits = |at: u32| (0..32).fold(0u32, |all, t: u32| all | (t >> at & 1) << t);
        assert_eq!(negacyclic(bits(4), u32::MAX), Some((0, u16::MAX)));
        for (at, norm) in [(3, 1), (2, 3), (1, 7), (0, 15)] {
            assert_eq!(negacyclic(bits(at), u32::MAX), None);
            let (mask, care) = negacyclic(bits(at) ^ bits(4), u32::MAX).unwrap();
            assert_eq!(normalise(mask, care, true), (mask, false));
            let function = Function {
                mask,
                is_negacyclic: true,
            };
            assert_eq!(function.variance(), norm);
        }
        // t = 15 of a sum up to 30 is a difference of two of them; only one entry is free.
        let at_least = |least: u32| u32::MAX << least;
        let made = [15, 16].map(|least| negacyclic(at_least(least), u32::MAX >> 1));
        assert_eq!(made, [Some((1 << 15, u16::MAX)), Some((0, u16::MAX))]);
        // What is not reached goes on.
        assert_eq!(normalise(0b0100, 0b0111, true), (0xfffc, false));
        assert_eq!(normalise(0b0001, 0b0111, true), (0xfffe, true));
    }

    #[test]
    fn reachable_sets() {
        assert_eq!(reachable([1, 1, 3, 3], 0), 0x1ff);
        assert_eq!(reachable([4], 0), 0b10001);
        assert_eq!(reachable([-1, 2], 1), 0b1111);
        assert_eq!(
            reachable([8, 8, 15], 0),
            1 << 31 | 1 << 23 | 1 << 16 | 1 << 15 | 1 << 8 | 1
        );
        assert_eq!(reachable([100, -100], 0), u32::MAX);
    }

    #[test]
    fn known_variances() {
        // Bits 0 to 3 of a value of 16 (Carpov et al.): the sum bits of an adder's slice.
        assert_eq!(
            [0xaaaa, 0xcccc, 0xf0f0, 0xff00].map(variance),
            [16, 8, 4, 2]
        );
    }
}
