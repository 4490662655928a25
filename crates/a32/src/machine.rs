//! What an instruction needs of the machine that holds the state.
//!
//! The meanings in [`execute`](crate::execute()) are written once, against this trait. The plain
//! [`Interpreter`](crate::Interpreter) implements it with `u32` and `bool`; a symbolic processor
//! implements it with words whose bits are known or are wires of a circuit. That only works if the
//! meanings never look at a value, so the trait has no way to do so: whatever an instruction
//! decides by data is an arithmetic primitive's business, a [`select`](Machine::select), or the one
//! question [`enter`](Machine::enter).
//!
//! Two promises that [`execute`](crate::execute()) makes to an implementation:
//!
//! - All operands are read before the first register, flag or branch is written, so that a
//!   write never changes what the same instruction reads.
//! - Field instructions (`UBFX`, `BFI`, `SXTB`, `REV`, `RBIT`, `MOVT`, …) are composed from
//!   [`shift_by`](Machine::shift_by), [`and`](Machine::and) and [`or`](Machine::or) with masks made
//!   by [`word`](Machine::word). Where a machine folds known bits, they cost no gates.
//!
//! Source: ARM Architecture Reference Manual, ARMv7-A edition (DDI 0406C), §A2 and §A8.

use crate::condition::Condition;
use crate::float::{FloatFlag, FloatOperation, FloatWord};
use crate::instruction::Trap;
use crate::operand::ShiftKind;
use crate::register::Register;

/// One of the four bytes of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Bits 0 ..= 7.
    Byte0,
    /// Bits 8 ..= 15.
    Byte1,
    /// Bits 16 ..= 23.
    Byte2,
    /// Bits 24 ..= 31.
    Byte3,
}

impl Lane {
    /// All four, the least significant first.
    pub const ALL: [Lane; 4] = [Lane::Byte0, Lane::Byte1, Lane::Byte2, Lane::Byte3];

    /// 0 ..= 3, the least significant byte first.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A flag of the application status register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flag {
    /// Negative: bit 31 of the result.
    Negative,
    /// Zero: the result is zero.
    Zero,
    /// Carry out of an addition, *not borrow* of a subtraction, last bit shifted out.
    Carry,
    /// Signed overflow of an addition or subtraction.
    Overflow,
    /// Q: some result since the flag was last written did not fit and was saturated, or some
    /// accumulation of halves overflowed. It stays set until `MSR` clears it.
    Saturation,
    /// GE: what a parallel addition or subtraction says of a byte, and `SEL` chooses by.
    GreaterOrEqual(Lane),
}

impl Flag {
    /// All nine: N, Z, C, V, Q and GE from byte 0 up.
    pub const ALL: [Flag; 9] = [
        Flag::Negative,
        Flag::Zero,
        Flag::Carry,
        Flag::Overflow,
        Flag::Saturation,
        Flag::GreaterOrEqual(Lane::Byte0),
        Flag::GreaterOrEqual(Lane::Byte1),
        Flag::GreaterOrEqual(Lane::Byte2),
        Flag::GreaterOrEqual(Lane::Byte3),
    ];

    /// Its bit in the status register: N 31, Z 30, C 29, V 28, Q 27, GE 16 ..= 19.
    #[must_use]
    pub const fn bit(self) -> u32 {
        match self {
            Flag::Negative => 31,
            Flag::Zero => 30,
            Flag::Carry => 29,
            Flag::Overflow => 28,
            Flag::Saturation => 27,
            Flag::GreaterOrEqual(lane) => 16 + lane as u32,
        }
    }
}

/// The width of one memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// 8 bits.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
}

impl Size {
    /// The number of bytes accessed: 1, 2 or 4.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Size::Byte => 1,
            Size::Half => 2,
            Size::Word => 4,
        }
    }
}

/// What an access demands of its address (ARMv7 with `SCTLR.A = 0`, so with unaligned support).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alignment {
    /// Any address: `LDR`, `LDRH` and their relatives.
    Any,
    /// A multiple of four, else an alignment fault: `LDM`, `STM`, `LDRD`, `STRD`, `LDR pc`.
    Word,
}

/// Whether a product or a quotient reads its operands as unsigned or two's-complement numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    /// 0 ..= 2³² − 1.
    Unsigned,
    /// −2³¹ ..= 2³¹ − 1.
    Signed,
}

/// A machine's answer to an instruction's condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// The condition is known to fail: the instruction does nothing.
    Skip,
    /// The condition is known to pass.
    Always,
    /// The condition is not known: the instruction's effects are selected by it, until
    /// [`Machine::leave`].
    Predicated,
}

/// The three results of the architecture's `AddWithCarry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum<W, B> {
    /// The low 32 bits of `a + b + carry`.
    pub result: W,
    /// Whether the unsigned sum exceeds 32 bits (flag C).
    pub carry: B,
    /// Whether the signed sum exceeds 32 bits (flag V).
    pub overflow: B,
}

/// A state and an arithmetic over which [`execute`](crate::execute()) gives every instruction its
/// meaning.
///
/// After an `Err` the machine's state is whatever the steps so far have made of it, and a
/// predicated section may still be open; a machine that wants to go on must restore its own state.
pub trait Machine {
    /// A 32-bit value.
    type Word: Clone;
    /// One bit.
    type Bit: Clone;
    /// What can go wrong: memory faults, refused branches, unknown supervisor calls.
    type Error;

    // ---- constants

    /// The word of a known value.
    fn word(&mut self, value: u32) -> Self::Word;
    /// The bit of a known value.
    fn bit(&mut self, value: bool) -> Self::Bit;

    // ---- state

    /// Reads a register. `r15` reads as the address of the instruction plus 8.
    fn register(&mut self, register: Register) -> Self::Word;
    /// Writes a register, never `r15`: those writes arrive at [`branch`](Machine::branch).
    ///
    /// # Errors
    /// As the machine decides.
    fn set_register(&mut self, register: Register, value: Self::Word) -> Result<(), Self::Error>;
    /// Reads a flag.
    fn flag(&mut self, flag: Flag) -> Self::Bit;
    /// Writes a flag. The zero test of a result comes through
    /// [`set_zero_of`](Machine::set_zero_of) instead.
    fn set_flag(&mut self, flag: Flag, value: Self::Bit);

    /// Whether a condition holds, where the machine knows a cheaper way to that than by the flags. It is
    /// asked for `hi`, `lt` and `le`, which several flags decide, and for `cs`.
    fn decided(&mut self, condition: Condition) -> Option<Self::Bit> {
        let _ = condition;
        None
    }

    /// Sets Z to "all of these words are zero". The words come unreduced (one, or two for a long
    /// product, low word first), so that a lazy machine may keep them until somebody reads Z.
    fn set_zero_of(&mut self, words: &[Self::Word]);

    /// Whether an exclusive load opened the monitor and nothing closed it since.
    fn monitor(&mut self) -> Self::Bit;
    /// Opens or closes the monitor.
    fn set_monitor(&mut self, open: Self::Bit);
    /// The address of the thread's own variables (TPIDRURO).
    fn thread_pointer(&mut self) -> Self::Word;

    // ---- memory

    /// Loads a little-endian value, zero-extended to a word. Sign extension is composed outside.
    ///
    /// Under [`Entry::Predicated`] the load happens before the condition is known; what an
    /// inaccessible address yields there is the machine's choice.
    ///
    /// # Errors
    /// A fault at this address.
    fn load(
        &mut self,
        address: &Self::Word,
        size: Size,
        alignment: Alignment,
    ) -> Result<Self::Word, Self::Error>;
    /// Stores the low `size` bytes of a value, little-endian.
    ///
    /// # Errors
    /// A fault at this address.
    fn store(
        &mut self,
        address: &Self::Word,
        size: Size,
        alignment: Alignment,
        value: &Self::Word,
    ) -> Result<(), Self::Error>;

    // ---- control

    /// Continues at `target` instead of at the next instruction; called at most once per
    /// instruction, for branches and for every write to `r15`. An odd target asks for the Thumb
    /// state and a target with low bits `10` is unpredictable: both are errors to report. Direct
    /// branches always come aligned. The driver of the machine advances past an instruction that
    /// did not branch.
    ///
    /// # Errors
    /// The target is not acceptable, or the branch stands under a condition that is not known.
    fn branch(&mut self, target: &Self::Word) -> Result<(), Self::Error>;
    /// `SVC #number`.
    ///
    /// # Errors
    /// The machine knows no such call, or it stands under a condition that is not known.
    fn supervisor_call(&mut self, number: u32) -> Result<(), Self::Error>;
    /// `BKPT` and `UDF`, which never stand under a condition.
    ///
    /// # Errors
    /// Always, unless the machine takes part in some protocol of breakpoints.
    fn trap(&mut self, trap: Trap) -> Result<(), Self::Error>;
    /// Decides the condition of one instruction; not asked for `AL`. After
    /// [`Entry::Predicated`], and until [`leave`](Machine::leave), every `set_register`,
    /// `set_flag`, `set_zero_of`, `set_monitor`, `store`, `set_float_word`, `set_float_flag` and every exception
    /// of `float` keeps the old value where the condition is false.
    ///
    /// # Errors
    /// As the machine decides.
    fn enter(&mut self, condition: Self::Bit) -> Result<Entry, Self::Error>;
    /// Ends the section that an [`Entry::Predicated`] began; called for no other entry.
    fn leave(&mut self);

    // ---- bits

    /// `a ∧ b`.
    fn bit_and(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit;
    /// `a ∨ b`.
    fn bit_or(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit;
    /// `a ⊕ b`.
    fn bit_xor(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit;
    /// `¬a`.
    fn bit_not(&mut self, a: &Self::Bit) -> Self::Bit;
    /// Bit `index` of a word, 0 (least significant) ..= 31.
    fn bit_at(&mut self, a: &Self::Word, index: u32) -> Self::Bit;
    /// Whether any bit of a word is 1.
    fn any(&mut self, a: &Self::Word) -> Self::Bit;

    // ---- words

    /// Bitwise `a ∧ b`.
    fn and(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Bitwise `a ∨ b`.
    fn or(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Bitwise `a ⊕ b`.
    fn xor(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Bitwise complement.
    fn not(&mut self, a: &Self::Word) -> Self::Word;
    /// `then` where `condition` holds, else `otherwise`.
    fn select(
        &mut self,
        condition: &Self::Bit,
        then: &Self::Word,
        otherwise: &Self::Word,
    ) -> Self::Word;
    /// The architecture's `AddWithCarry(a, b, carry)`. A subtraction `a − b` arrives as
    /// `(a, ¬b, 1)`.
    fn add_with_carry(
        &mut self,
        a: &Self::Word,
        b: &Self::Word,
        carry: &Self::Bit,
    ) -> Sum<Self::Word, Self::Bit>;
    /// Shifts by a known amount, 0 ..= 32; gives the result and the last bit shifted out, which is
    /// `carry_in` for amount 0.
    fn shift_by(
        &mut self,
        kind: ShiftKind,
        a: &Self::Word,
        amount: u32,
        carry_in: &Self::Bit,
    ) -> (Self::Word, Self::Bit);
    /// Shifts by the low byte of `amount`, 0 ..= 255, with the architecture's carry: amount 0
    /// leaves `carry_in`; `LSL` and `LSR` by 32 give 0 and carry out bit 0 or bit 31, by more give
    /// 0 and 0; `ASR` by 32 or more gives copies of bit 31, carry too; `ROR` by a non-zero multiple
    /// of 32 leaves the value and carries out bit 31.
    fn shift(
        &mut self,
        kind: ShiftKind,
        a: &Self::Word,
        amount: &Self::Word,
        carry_in: &Self::Bit,
    ) -> (Self::Word, Self::Bit);
    /// `RRX`: shifts right by one, `carry_in` into bit 31; gives the result and the old bit 0.
    fn rotate_right_extended(
        &mut self,
        a: &Self::Word,
        carry_in: &Self::Bit,
    ) -> (Self::Word, Self::Bit);
    /// The low 32 bits of `a · b`.
    fn multiply(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// All 64 bits of `a · b`: low word, high word.
    fn multiply_long(
        &mut self,
        signedness: Signedness,
        a: &Self::Word,
        b: &Self::Word,
    ) -> (Self::Word, Self::Word);
    /// `a / b` rounded towards zero; `x / 0 = 0`, and `−2³¹ / −1 = −2³¹`.
    fn divide(&mut self, signedness: Signedness, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// The number of zero bits above the highest one, 32 for zero.
    fn count_leading_zeros(&mut self, a: &Self::Word) -> Self::Word;

    // ---- floating point

    /// Reads a word of the floating-point registers.
    fn float_word(&mut self, word: FloatWord) -> Self::Word;
    /// Writes a word of the floating-point registers.
    ///
    /// # Errors
    /// As the machine decides.
    fn set_float_word(&mut self, word: FloatWord, value: Self::Word) -> Result<(), Self::Error>;
    /// Reads a flag of FPSCR.
    fn float_flag(&mut self, flag: FloatFlag) -> Self::Bit;
    /// Writes a flag of FPSCR.
    fn set_float_flag(&mut self, flag: FloatFlag, value: Self::Bit);
    /// The mode in its places in FPSCR ([`FloatMode::MASK`](crate::FloatMode::MASK)), zeros
    /// elsewhere.
    fn float_mode(&mut self) -> Self::Word;
    /// Takes the mode from a value of FPSCR. Bits that are neither mode nor flags read as zero and
    /// ignore writes, but for those that ask for short vectors.
    ///
    /// # Errors
    /// The value asks for short vectors ([`FloatMode::VECTORS`](crate::FloatMode::VECTORS)); or as
    /// the machine decides.
    fn set_float_mode(&mut self, status: &Self::Word) -> Result<(), Self::Error>;
    /// Computes in the current mode: the words of all operands in order, the low word of each
    /// first; gives the words of the result, the second of which nobody reads where it has one
    /// word. The operation's exceptions are added to the flags of FPSCR by the machine itself, so
    /// that one which knows that nobody reads them need not compute them.
    ///
    /// # Errors
    /// As the machine decides.
    fn float(
        &mut self,
        operation: FloatOperation,
        operands: &[Self::Word],
    ) -> Result<[Self::Word; 2], Self::Error>;

    // ---- provided: correct as they stand; a machine that can fuse them does

    /// The low 32 bits of `a · b + addend`.
    fn multiply_accumulate(
        &mut self,
        a: &Self::Word,
        b: &Self::Word,
        addend: &Self::Word,
    ) -> Self::Word {
        let product = self.multiply(a, b);
        let zero = self.bit(false);
        self.add_with_carry(&product, addend, &zero).result
    }

    /// The low 64 bits of `a · b + addend`, the addend and the result as (low word, high word).
    fn multiply_long_accumulate(
        &mut self,
        signedness: Signedness,
        a: &Self::Word,
        b: &Self::Word,
        addend: (&Self::Word, &Self::Word),
    ) -> (Self::Word, Self::Word) {
        let (low, high) = self.multiply_long(signedness, a, b);
        let zero = self.bit(false);
        let low = self.add_with_carry(&low, addend.0, &zero);
        let high = self.add_with_carry(&high, addend.1, &low.carry);
        (low.result, high.result)
    }
}
