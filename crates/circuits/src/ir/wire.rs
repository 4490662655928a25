//! A wire is a signal and an inversion in 32 bits: negation is free in every scheme, so it is
//! written on the edge and never costs a node.

use std::fmt;
use std::ops::Not;

/// The number of a signal within one builder or one circuit. Signal 0 is the constant `false`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal(pub(crate) u32);

impl Signal {
    /// The constant `false`.
    pub const FALSE: Self = Self(0);

    /// The position of this signal in arrays that hold one entry for each signal.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One bit of a circuit: a [`Signal`], read as it is or inverted.
///
/// Wires belong to the builder or the circuit that made them; [`Builder::finish`] and the passes
/// renumber, so a wire of a builder means nothing in the finished circuit. Equal wires carry equal
/// bits, and because the builder shares equal nodes the converse often holds.
///
/// [`Builder::finish`]: crate::Builder::finish
///
/// ```
/// use blindcore_circuits::{Builder, Profile, Wire, ir::Signal};
///
/// let mut build = Builder::new(&Profile::gate_simulation());
/// let a = build.input();
/// assert!((!a).is_inverted());
/// assert_eq!((!a).signal(), a.signal());
/// assert_eq!((!a).positive(), a);
/// assert_eq!(a.invert_if(true), !a);
/// // Signal 0 is the constant, so that the first input is signal 1.
/// assert_eq!((Wire::FALSE.signal(), a.signal().index()), (Signal::FALSE, 1));
/// assert_eq!((!Wire::FALSE).as_constant(), Some(true));
/// assert_eq!(a.as_constant(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wire(u32);

impl Wire {
    /// The constant 0.
    pub const FALSE: Self = Self(0);
    /// The constant 1.
    pub const TRUE: Self = Self(1);

    /// The wire of a constant.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        Self(u32::from(value))
    }

    /// The value of a constant wire, `None` for one that depends on inputs.
    #[must_use]
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }

    /// Its signal and its inversion as one number.
    pub(crate) fn code(self) -> u32 {
        self.0
    }

    /// Whether the signal is read inverted.
    #[must_use]
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// The signal that is read.
    #[must_use]
    pub fn signal(self) -> Signal {
        Signal(self.0 >> 1)
    }

    /// This wire, inverted if `condition` holds.
    #[must_use]
    pub fn invert_if(self, condition: bool) -> Self {
        Self(self.0 ^ u32::from(condition))
    }

    /// The same signal, not inverted.
    #[must_use]
    pub fn positive(self) -> Self {
        Self(self.0 & !1)
    }
}

impl From<Signal> for Wire {
    fn from(signal: Signal) -> Self {
        Self(signal.0 << 1)
    }
}

impl Not for Wire {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_constant() {
            Some(value) => write!(f, "{}", u8::from(value)),
            None => write!(
                f,
                "{}w{}",
                if self.is_inverted() { "!" } else { "" },
                self.0 >> 1
            ),
        }
    }
}
