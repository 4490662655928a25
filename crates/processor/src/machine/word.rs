//! A 32-bit value whose bits are known or are wires.
//!
//! The two forms are kept apart so that clear programs run natively: a [`Word::Clear`] is a
//! `u32`, and every word whose 32 bits turn out to be constants becomes one. The wires of a secret
//! word are shared, since registers are read far more often than bits are rewired.

use std::rc::Rc;

use circuits::Wire;

pub(crate) type Wires = [Wire; 32];

/// A register's or a memory word's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// All bits known.
    Clear(u32),
    /// At least one bit not known; bit 0 first.
    Secret(Rc<Wires>),
}

impl Word {
    /// The word of these bits, in its canonical form.
    pub(crate) fn from_wires(wires: Wires) -> Self {
        let mut value = 0;
        for (i, wire) in wires.iter().enumerate() {
            match wire.as_constant() {
                Some(bit) => value |= u32::from(bit) << i,
                None => return Self::Secret(Rc::new(wires)),
            }
        }
        Self::Clear(value)
    }

    /// The word whose low bits are these; missing ones are 0.
    pub(crate) fn from_slice(low: &[Wire]) -> Self {
        let mut wires = [Wire::FALSE; 32];
        for (wire, bit) in wires.iter_mut().zip(low) {
            *wire = *bit;
        }
        Self::from_wires(wires)
    }

    pub(crate) fn wires(&self) -> Wires {
        match self {
            Self::Clear(value) => std::array::from_fn(|i| Wire::constant((value >> i) & 1 == 1)),
            Self::Secret(wires) => **wires,
        }
    }

    /// Bit `index` modulo 32.
    pub(crate) fn bit(&self, index: u32) -> Wire {
        match self {
            Self::Clear(value) => Wire::constant((value >> (index & 31)) & 1 == 1),
            Self::Secret(wires) => wires[(index & 31) as usize],
        }
    }

    pub(crate) fn clear(&self) -> Option<u32> {
        match self {
            Self::Clear(value) => Some(*value),
            Self::Secret(_) => None,
        }
    }

    pub(crate) fn is_secret(&self) -> bool {
        matches!(self, Self::Secret(_))
    }
}
