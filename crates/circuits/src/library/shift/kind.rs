//! The kinds of shifts.

/// The kind of a shift.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shift {
    /// Towards the top bit, zeros follow (LSL).
    Left,
    /// Towards bit 0, zeros follow (LSR).
    LogicalRight,
    /// Towards bit 0, the sign follows (ASR).
    ArithmeticRight,
    /// Towards bit 0, what leaves comes back at the top (ROR).
    RotateRight,
}
