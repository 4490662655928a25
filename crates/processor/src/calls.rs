//! Calls by the AAPCS (ARM IHI 0042, §6.5): where arguments go.
//!
//! Words in r0–r3, then on the stack; a 64-bit argument begins at an even register, or at a
//! multiple of eight on the stack, and is never split. What comes after the first stack argument
//! stays on the stack. Narrow values are extended to a word by the caller.

use values::Element;

/// Where an argument's low word goes; a 64-bit one's high word follows at the next place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// This register.
    Register(usize),
    /// This many bytes above the stack pointer.
    Stack(u32),
}

/// The places of arguments and the bytes of stack they take, a multiple of eight.
pub(crate) fn arrange(arguments: impl IntoIterator<Item = Element>) -> (Vec<Location>, u32) {
    let mut register = 0;
    let mut stack = 0u32;
    let mut locations = Vec::new();
    for element in arguments {
        let words = if element.bits() > 32 { 2 } else { 1 };
        if words == 2 {
            register += register % 2;
        }
        if register + words <= 4 {
            locations.push(Location::Register(register));
            register += words;
        } else {
            register = 4;
            if words == 2 {
                stack = stack.next_multiple_of(8);
            }
            locations.push(Location::Stack(stack));
            stack += 4 * words as u32;
        }
    }
    (locations, stack.next_multiple_of(8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(types: &str) -> (Vec<Location>, u32) {
        arrange(types.split_whitespace().map(|ty| ty.parse().unwrap()))
    }

    #[test]
    fn words_fill_registers_then_the_stack() {
        use Location::{Register, Stack};
        assert_eq!(places(""), (vec![], 0));
        let (five, bytes) = places("i32 u8 i16 bool u32");
        assert_eq!(
            five,
            [Register(0), Register(1), Register(2), Register(3), Stack(0)]
        );
        assert_eq!(bytes, 8);
    }

    #[test]
    fn doubles_begin_at_even_places() {
        use Location::{Register, Stack};
        assert_eq!(places("u32 u64").0, [Register(0), Register(2)]);
        assert_eq!(
            places("u64 u32 u32").0,
            [Register(0), Register(2), Register(3)]
        );
        // The gap at r3 is not filled by what comes later.
        let (mixed, bytes) = places("u32 u32 u32 u64 u32");
        assert_eq!(
            mixed,
            [Register(0), Register(1), Register(2), Stack(0), Stack(8)]
        );
        assert_eq!(bytes, 16);
        assert_eq!(
            places("u32 u32 u32 u32 u32 u64").0[4..],
            [Stack(0), Stack(8)]
        );
    }
}
