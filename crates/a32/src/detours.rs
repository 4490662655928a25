//! Routines in whose place a machine carries out others.

use std::collections::BTreeMap;

use crate::condition::Condition;
use crate::decode::decode;
use crate::error::DecodeError;
use crate::instruction::{Instruction, Link, Operation};

/// Where code goes instead of where it says: from the addresses of routines to those of others that
/// do the same. Bit 0 of an address is set where the routine is Thumb code, as in a symbol table;
/// what stands in for it is A32 code.
///
/// ```
/// use blindcore_a32::Detours;
///
/// let mut detours = Detours::default();
/// detours.insert(0x9001, 0x2_0000);
/// assert_eq!(detours.target(0x9001), 0x2_0000);
/// assert_eq!(detours.target(0x9000), 0x9000);
/// // At 0x8000, `blx 0x9000`, which by itself is refused, becomes `bl 0x20000`.
/// let call = detours.decode(0x8000, 0xfa00_03fe)?;
/// assert_eq!(call.at(0x8000).to_string(), "bl 0x20000");
/// # Ok::<(), blindcore_a32::DecodeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Detours {
    places: BTreeMap<u32, u32>,
}

impl Detours {
    /// Goes to `to` in place of `from`.
    pub fn insert(&mut self, from: u32, to: u32) {
        self.places.insert(from, to);
    }

    /// Whether everything goes where it says.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Where a branch to an address goes.
    #[must_use]
    pub fn target(&self, target: u32) -> u32 {
        self.places.get(&target).copied().unwrap_or(target)
    }

    /// The instruction at an address: a branch where a routine begins in whose place there is
    /// another, and where Thumb code of this kind is called.
    ///
    /// # Errors
    /// As [`decode()`].
    pub fn decode(&self, address: u32, word: u32) -> Result<Instruction, DecodeError> {
        let branch = |link, to: u32| Instruction {
            condition: Condition::Always,
            operation: Operation::Branch {
                link,
                offset: to.wrapping_sub(address).wrapping_sub(8).cast_signed(),
            },
        };
        if let Some(&to) = self.places.get(&address) {
            return Ok(branch(Link::No, to));
        }
        let refused = match decode(word) {
            Err(refused @ DecodeError::Thumb { .. }) => refused,
            decoded => return decoded,
        };
        // DDI 0406C §A8.8.25, encoding A2: bit 24 is bit 1 of the offset.
        let offset = (word << 8).cast_signed() >> 6;
        let offset = offset.cast_unsigned() | word >> 23 & 2;
        let called = address.wrapping_add(8).wrapping_add(offset) | 1;
        let to = self.places.get(&called).ok_or(refused)?;
        Ok(branch(Link::Yes, *to))
    }
}
