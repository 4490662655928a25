//! The functional units for secret operands: [`circuits::library`] behind words of 32 wires.

use a32::{ShiftKind, Signedness, Sum};
use circuits::library;
use circuits::{Builder, Wire};

use super::word::{Wires, Word};

pub(super) fn add_with_carry(
    build: &mut Builder,
    a: &Word,
    b: &Word,
    carry: Wire,
) -> Sum<Word, Wire> {
    // `a + b + 1` is `a − ¬b`, which is how ARM defines its subtractions.
    let added = match carry {
        Wire::TRUE => library::subtract_with_carry(build, &a.wires(), &library::not(&b.wires())),
        _ => library::add_with_carry(build, &a.wires(), &b.wires(), carry),
    };
    Sum {
        result: Word::from_slice(&added.sum),
        carry: added.carry,
        overflow: added.overflow,
    }
}

/// An amount of 0 ..= 255 as one of 0 ..= 32 that does the same, carry included.
///
/// Shifts to the left or logically to the right by more than 32 are not among them: their carry
/// is 0 where that of 32 is a bit of the value; they come back as 33, which the shifts below know.
pub(super) fn at_most_32(kind: ShiftKind, amount: u32) -> u32 {
    match kind {
        ShiftKind::RotateRight if amount > 32 => (amount - 1) % 32 + 1,
        ShiftKind::RotateRight => amount,
        ShiftKind::ArithmeticRight => amount.min(32),
        ShiftKind::Left | ShiftKind::LogicalRight => amount.min(33),
    }
}

/// Shifts a known value by 1 ..= 33.
#[inline]
pub(super) fn shift_clear(kind: ShiftKind, value: u32, amount: u32) -> (Word, Wire) {
    let carry = |index: u32| Wire::constant(index < 32 && (value >> index) & 1 == 1);
    match kind {
        ShiftKind::Left => {
            let result = value.checked_shl(amount).unwrap_or(0);
            (Word::Clear(result), carry(32u32.wrapping_sub(amount)))
        }
        ShiftKind::LogicalRight => (
            Word::Clear(value.checked_shr(amount).unwrap_or(0)),
            carry(amount - 1),
        ),
        ShiftKind::ArithmeticRight => {
            let result = (value.cast_signed() >> amount.min(31)).cast_unsigned();
            (Word::Clear(result), carry((amount - 1).min(31)))
        }
        ShiftKind::RotateRight => {
            let result = value.rotate_right(amount % 32);
            (Word::Clear(result), Wire::constant(result >> 31 == 1))
        }
    }
}

/// Shifts wires by 1 ..= 33: no gate, only other places.
pub(super) fn shift_wires(kind: ShiftKind, wires: &Wires, amount: u32) -> (Word, Wire) {
    let amount = amount as usize;
    let at = |index: usize| wires.get(index).copied().unwrap_or(Wire::FALSE);
    let sign = wires[31];
    match kind {
        ShiftKind::Left => {
            let moved = |i: usize| i.checked_sub(amount).map_or(Wire::FALSE, at);
            (
                word(moved),
                32usize.checked_sub(amount).map_or(Wire::FALSE, at),
            )
        }
        ShiftKind::LogicalRight => (word(|i| at(i + amount)), at(amount - 1)),
        ShiftKind::ArithmeticRight => {
            let at = |index: usize| wires.get(index).copied().unwrap_or(sign);
            (word(|i| at(i + amount)), at(amount - 1))
        }
        ShiftKind::RotateRight => (word(|i| at((i + amount) % 32)), at((amount + 31) % 32)),
    }
}

fn word(bit: impl FnMut(usize) -> Wire) -> Word {
    Word::from_wires(std::array::from_fn(bit))
}

/// Shifts by a secret amount of 0 ..= 255.
pub(super) fn shift(
    build: &mut Builder,
    kind: ShiftKind,
    a: &Word,
    amount: &Word,
    carry_in: Wire,
) -> (Word, Wire) {
    let kind = match kind {
        ShiftKind::Left => library::Shift::Left,
        ShiftKind::LogicalRight => library::Shift::LogicalRight,
        ShiftKind::ArithmeticRight => library::Shift::ArithmeticRight,
        ShiftKind::RotateRight => library::Shift::RotateRight,
    };
    let (word, carry) = library::shift(build, kind, &a.wires(), &amount.wires()[..8], carry_in);
    (Word::from_slice(&word), carry)
}

pub(super) fn multiply(build: &mut Builder, a: &Word, b: &Word) -> Word {
    Word::from_slice(&library::multiply(build, &a.wires(), &b.wires()))
}

pub(super) fn multiply_accumulate(build: &mut Builder, a: &Word, b: &Word, addend: &Word) -> Word {
    Word::from_slice(&library::multiply_add(
        build,
        &a.wires(),
        &b.wires(),
        &addend.wires(),
    ))
}

/// A known product in full.
pub(super) fn long_product(signedness: Signedness, a: u32, b: u32) -> u64 {
    match signedness {
        Signedness::Unsigned => u64::from(a) * u64::from(b),
        Signedness::Signed => {
            (i64::from(a.cast_signed()) * i64::from(b.cast_signed())).cast_unsigned()
        }
    }
}

/// The low and the high word of a product.
pub(super) fn multiply_long(
    build: &mut Builder,
    signedness: Signedness,
    a: &Word,
    b: &Word,
) -> (Word, Word) {
    halves(&library::multiply_long(
        build,
        signed(signedness),
        &a.wires(),
        &b.wires(),
    ))
}

/// The low and the high word of a product plus a long addend, whose words are `low` and `high`.
pub(super) fn multiply_long_accumulate(
    build: &mut Builder,
    signedness: Signedness,
    a: &Word,
    b: &Word,
    low: &Word,
    high: &Word,
) -> (Word, Word) {
    let addend = [low.wires(), high.wires()].concat();
    let signedness = signed(signedness);
    halves(&library::multiply_add_long(
        build,
        signedness,
        &a.wires(),
        &b.wires(),
        &addend,
    ))
}

pub(super) fn divide(build: &mut Builder, signedness: Signedness, a: &Word, b: &Word) -> Word {
    let divided = library::divide(build, signed(signedness), &a.wires(), &b.wires());
    Word::from_slice(&divided.quotient)
}

pub(super) fn count_leading_zeros(build: &mut Builder, a: &Word) -> Word {
    Word::from_slice(&library::count_leading_zeros(build, &a.wires()))
}

fn halves(wires: &[Wire]) -> (Word, Word) {
    let (low, high) = wires.split_at(wires.len().min(32));
    (Word::from_slice(low), Word::from_slice(high))
}

pub(super) fn signed(signedness: Signedness) -> library::Signedness {
    match signedness {
        Signedness::Unsigned => library::Signedness::Unsigned,
        Signedness::Signed => library::Signedness::Signed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One step at a time: the definition.
    fn stepwise(kind: ShiftKind, mut value: u32, amount: u32) -> (u32, bool) {
        let mut carry = false;
        for _ in 0..amount {
            carry = match kind {
                ShiftKind::Left => value >> 31 == 1,
                _ => value & 1 == 1,
            };
            value = match kind {
                ShiftKind::Left => value << 1,
                ShiftKind::LogicalRight => value >> 1,
                ShiftKind::ArithmeticRight => (value.cast_signed() >> 1).cast_unsigned(),
                ShiftKind::RotateRight => value.rotate_right(1),
            };
        }
        (value, carry)
    }

    #[test]
    fn shifts_by_known_amounts_are_their_steps() {
        use ShiftKind::{ArithmeticRight, Left, LogicalRight, RotateRight};
        for kind in [Left, LogicalRight, ArithmeticRight, RotateRight] {
            for amount in 1..=255 {
                for value in [
                    0x8000_0001u32,
                    0x4000_0002,
                    0x7fff_fffe,
                    0x1234_5678,
                    u32::MAX,
                ] {
                    let (word, carry) = stepwise(kind, value, amount);
                    let reduced = at_most_32(kind, amount);
                    assert!((1..=33).contains(&reduced));
                    let wires = Word::Clear(value).wires();
                    for (found, out) in [
                        shift_clear(kind, value, reduced),
                        shift_wires(kind, &wires, reduced),
                    ] {
                        let found = (found.clear(), out.as_constant());
                        assert_eq!(
                            found,
                            (Some(word), Some(carry)),
                            "{kind:?} {value:#x} {amount}"
                        );
                    }
                }
            }
        }
    }

    /// Nodes of `a − b` as ARM has it: `a + ¬b + 1`.
    fn subtraction(forced: Option<library::Subtractor>) -> usize {
        let mut profile = circuits::Profile::lookup_simulation();
        profile.architectures.subtractor = forced;
        let mut build = Builder::new(&profile);
        let (a, b) = (build.inputs(32), library::not(&build.inputs(32)));
        let before = build.len();
        let (a, b) = (Word::from_slice(&a), Word::from_slice(&b));
        add_with_carry(&mut build, &a, &b, Wire::TRUE);
        build.len() - before
    }

    #[test]
    fn a_forced_subtractor_is_what_subtractions_are_built_of() {
        // Eleven slices of three columns, or gates: an AND and up to four XORs for each column.
        assert_eq!(subtraction(None), 11);
        assert!(subtraction(Some(library::Subtractor::Borrow)) > 4 * 31);
    }
}
