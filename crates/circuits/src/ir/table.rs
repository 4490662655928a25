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

/// Table entries of a lookup: values of `t` are 0 to 15.
pub(crate) const ENTRIES: usize = 16;

/// The set of values (bit `t` for value `t`) that `Σ weight·bit + constant` takes when its bits
/// are free. Values outside 0 to 15 are left out.
#[must_use]
pub(crate) fn reachable(weights: impl IntoIterator<Item = i8>, constant: i8) -> u16 {
    // Value t is bit t + OFFSET; the weights of a sum within 0..=15 add up to at most 15 either
    // way, and a promised sum that leaves the window is answered with "everything".
    const OFFSET: i32 = 64;
    const LOW: i32 = -OFFSET + 1;
    const HIGH: i32 = 127 - OFFSET;
    let (mut low, mut high) = (i32::from(constant), i32::from(constant));
    if !(LOW..=HIGH).contains(&low) {
        return u16::MAX;
    }
    let mut set = 1u128 << (low + OFFSET);
    for weight in weights {
        let weight = i32::from(weight);
        (low, high) = (low + weight.min(0), high + weight.max(0));
        if low < LOW || high > HIGH {
            return u16::MAX;
        }
        set |= if weight < 0 {
            set >> -weight
        } else {
            set << weight
        };
    }
    (set >> OFFSET) as u16
}

/// The values from 0 to `max` as a set.
#[must_use]
pub(crate) fn up_to(max: u8) -> u16 {
    if max >= 15 {
        u16::MAX
    } else {
        (1 << (max + 1)) - 1
    }
}

/// The normal form of a table of which only the entries in `care` matter: the mask, 0 at the
/// first entry that matters, and whether the output has to be inverted to compensate. Entries
/// that do not matter repeat their predecessor, and are 0 after the last that does: no other
/// choice has fewer changes, that is less `‖v‖²`.
#[must_use]
pub(crate) fn normalise(mask: u16, care: u16) -> (u16, bool) {
    if care == 0 {
        return (0, false);
    }
    let inverted = mask >> care.trailing_zeros() & 1 == 1;
    let mask = if inverted { !mask } else { mask };
    let last = 15 - care.leading_zeros();
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
    fn normal_form_has_the_least_norm() {
        // Every table of up to seven entries against all completions, both polarities. (A
        // completion above `max` that matters is determined by where it stops.)
        for max in 0..7u8 {
            for mask in 0..1u16 << (max + 1) {
                let (normal, inverted) = normalise(mask, up_to(max));
                let value = if inverted { !normal } else { normal };
                assert_eq!((value ^ mask) & up_to(max), 0);
                for upper in 0..1u16 << (15 - max) {
                    let completed = mask | upper << (max + 1);
                    assert!(variance(normal) <= variance(completed));
                    assert!(variance(normal) <= variance(!completed));
                }
            }
        }
    }

    #[test]
    fn reachable_sets() {
        assert_eq!(reachable([1, 1, 3, 3], 0), 0x1ff);
        assert_eq!(reachable([4], 0), 0b10001);
        assert_eq!(reachable([-1, 2], 1), 0b1111);
        assert_eq!(reachable([100, -100], 0), u16::MAX);
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
