//! Register numbers and lists of them.

use std::fmt;

/// One of the sixteen registers `r0` ..= `r15`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(u8);

impl Register {
    /// `r0`, first argument and result of a call.
    pub const R0: Register = Register(0);
    /// `r1`, second argument of a call, high word of a 64-bit result.
    pub const R1: Register = Register(1);
    /// `r2`, third argument of a call.
    pub const R2: Register = Register(2);
    /// `r3`, fourth argument of a call.
    pub const R3: Register = Register(3);
    /// `r13`, the stack pointer.
    pub const SP: Register = Register(13);
    /// `r14`, the link register: where a call returns to.
    pub const LR: Register = Register(14);
    /// `r15`, the program counter.
    pub const PC: Register = Register(15);

    /// The register of a number, if there is one.
    #[must_use]
    pub const fn new(number: u8) -> Option<Register> {
        if number < 16 {
            Some(Register(number))
        } else {
            None
        }
    }

    /// All sixteen, in order.
    pub fn all() -> impl Iterator<Item = Register> {
        (0..16).map(Register)
    }

    /// The register named by the four bits of `word` from `lsb` up.
    pub(crate) const fn field(word: u32, lsb: u32) -> Register {
        Register((word >> lsb & 15) as u8)
    }

    /// The register after this one, after `r15` again `r0`. `LDRD` names its second register so.
    #[must_use]
    pub const fn next(self) -> Register {
        Register((self.0 + 1) & 15)
    }

    /// 0 ..= 15.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// 0 ..= 15, for a table of sixteen.
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 16] = [
            "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp",
            "lr", "pc",
        ];
        f.write_str(NAMES[self.index()])
    }
}

impl fmt::Debug for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of registers, as `LDM` and `STM` name it: bit `i` stands for `rᵢ`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegisterList(u16);

impl RegisterList {
    /// The set whose members are the one bits of `mask`.
    #[must_use]
    pub const fn from_mask(mask: u16) -> RegisterList {
        RegisterList(mask)
    }

    /// Bit `i` set for each member `rᵢ`.
    #[must_use]
    pub const fn mask(self) -> u16 {
        self.0
    }

    /// Whether the register is a member.
    #[must_use]
    pub const fn contains(self, register: Register) -> bool {
        self.0 >> register.number() & 1 == 1
    }

    /// The number of members, 0 ..= 16.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there are no members.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The member with the lowest number.
    #[must_use]
    pub fn lowest(self) -> Option<Register> {
        self.iter().next()
    }

    /// The members in ascending order, which is their order in memory.
    pub fn iter(self) -> impl Iterator<Item = Register> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lowest = (rest != 0).then(|| Register(rest.trailing_zeros() as u8));
            rest &= rest.wrapping_sub(1);
            lowest
        })
    }
}

impl fmt::Display for RegisterList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (position, register) in self.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{register}")?;
        }
        f.write_str("}")
    }
}

impl fmt::Debug for RegisterList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
