//! The architecture's arithmetic on plain numbers: DDI 0406C §A2.2.1 and §A8.4.3.

use crate::machine::{Signedness, Sum};
use crate::operand::ShiftKind;

/// `AddWithCarry`.
pub(super) fn add_with_carry(a: u32, b: u32, carry: bool) -> Sum<u32, bool> {
    let wide = u64::from(a) + u64::from(b) + u64::from(carry);
    let result = wide as u32;
    // Overflow: both operands have a sign that the result has not.
    Sum {
        result,
        carry: wide >> 32 == 1,
        overflow: ((a ^ result) & (b ^ result)) >> 31 == 1,
    }
}

/// `Shift_C` by any amount but `RRX`: the result and the last bit shifted out.
pub(super) fn shift(kind: ShiftKind, a: u32, amount: u32, carry: bool) -> (u32, bool) {
    if amount == 0 {
        return (a, carry);
    }
    match kind {
        ShiftKind::Left => {
            let wide = u64::from(a).checked_shl(amount).unwrap_or(0);
            (wide as u32, wide >> 32 & 1 == 1)
        }
        ShiftKind::LogicalRight => {
            // One bit of room below keeps the last bit that leaves.
            let wide = (u64::from(a) << 1).checked_shr(amount).unwrap_or(0);
            ((wide >> 1) as u32, wide & 1 == 1)
        }
        ShiftKind::ArithmeticRight => {
            let wide = (i64::from(a.cast_signed()) << 1) >> amount.min(32);
            ((wide >> 1) as u32, wide & 1 == 1)
        }
        ShiftKind::RotateRight => {
            let result = a.rotate_right(amount & 31);
            (result, result >> 31 == 1)
        }
    }
}

/// The low and the high word of a product.
pub(super) fn multiply_long(signedness: Signedness, a: u32, b: u32) -> (u32, u32) {
    let product = match signedness {
        Signedness::Unsigned => u64::from(a) * u64::from(b),
        Signedness::Signed => {
            (i64::from(a.cast_signed()) * i64::from(b.cast_signed())).cast_unsigned()
        }
    };
    (product as u32, (product >> 32) as u32)
}

/// Division as `UDIV` and `SDIV` define it: by zero gives zero.
pub(super) fn divide(signedness: Signedness, a: u32, b: u32) -> u32 {
    match signedness {
        Signedness::Unsigned => a.checked_div(b).unwrap_or(0),
        Signedness::Signed if b == 0 => 0,
        Signedness::Signed => a
            .cast_signed()
            .wrapping_div(b.cast_signed())
            .cast_unsigned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, one bit at a time, of the manual's `LSL_C`, `LSR_C`, `ASR_C`, `ROR_C`.
    fn shift_slowly(kind: ShiftKind, a: u32, amount: u32, carry: bool) -> (u32, bool) {
        let (mut a, mut carry) = (a, carry);
        for _ in 0..amount {
            (a, carry) = match kind {
                ShiftKind::Left => (a << 1, a >> 31 == 1),
                ShiftKind::LogicalRight => (a >> 1, a & 1 == 1),
                ShiftKind::ArithmeticRight => (a >> 1 | a & 0x8000_0000, a & 1 == 1),
                ShiftKind::RotateRight => (a.rotate_right(1), a & 1 == 1),
            };
        }
        (a, carry)
    }

    const PATTERNS: [u32; 9] = [
        0,
        1,
        2,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_ffff,
        0x1234_5678,
        0xdead_beef,
    ];

    #[test]
    fn shifts_by_every_amount_agree_with_single_steps() {
        use ShiftKind::{ArithmeticRight, Left, LogicalRight, RotateRight};
        for kind in [Left, LogicalRight, ArithmeticRight, RotateRight] {
            for a in PATTERNS {
                for (amount, carry) in (0..256).flat_map(|n| [(n, false), (n, true)]) {
                    assert_eq!(
                        shift(kind, a, amount, carry),
                        shift_slowly(kind, a, amount, carry),
                        "{kind:?} {a:#x} {amount} {carry}"
                    );
                }
            }
        }
    }

    #[test]
    fn sums_agree_with_wide_integers() {
        for a in PATTERNS {
            for b in PATTERNS {
                for carry in [false, true] {
                    let sum = add_with_carry(a, b, carry);
                    let unsigned = u64::from(a) + u64::from(b) + u64::from(carry);
                    let signed =
                        i64::from(a.cast_signed()) + i64::from(b.cast_signed()) + i64::from(carry);
                    assert_eq!(sum.result, a.wrapping_add(b).wrapping_add(carry.into()));
                    assert_eq!(sum.carry, u64::from(sum.result) != unsigned);
                    assert_eq!(sum.overflow, i64::from(sum.result.cast_signed()) != signed);
                }
            }
        }
    }

    #[test]
    fn division_has_the_architecture_s_corners() {
        assert_eq!(divide(Signedness::Unsigned, 7, 0), 0);
        assert_eq!(divide(Signedness::Signed, 7, 0), 0);
        assert_eq!(
            divide(Signedness::Signed, 0x8000_0000, 0xffff_ffff),
            0x8000_0000
        );
        assert_eq!(
            divide(Signedness::Signed, 7_u32.wrapping_neg(), 2),
            3_u32.wrapping_neg()
        );
        assert_eq!(
            divide(Signedness::Unsigned, 7_u32.wrapping_neg(), 2),
            0x7fff_fffc
        );
    }
}
