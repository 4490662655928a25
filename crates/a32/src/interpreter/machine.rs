//! The interpreter as a [`Machine`]: every primitive on plain numbers.

use super::float::FLAGS;
use super::{Access, Fault, Interpreter, arithmetic};
use crate::float::{FloatFlag, FloatMode, FloatOperation, FloatWord};
use crate::instruction::Trap;
use crate::machine::{Alignment, Entry, Flag, Machine, Signedness, Size, Sum};
use crate::operand::ShiftKind;
use crate::register::Register;
use crate::semihosting::SEMIHOSTING;

impl Machine for Interpreter {
    type Word = u32;
    type Bit = bool;
    type Error = Fault;

    #[inline]
    fn word(&mut self, value: u32) -> u32 {
        value
    }

    #[inline]
    fn bit(&mut self, value: bool) -> bool {
        value
    }

    #[inline]
    fn register(&mut self, register: Register) -> u32 {
        self.registers[register.index()]
    }

    #[inline]
    fn set_register(&mut self, register: Register, value: u32) -> Result<(), Fault> {
        self.registers[register.index()] = value;
        Ok(())
    }

    #[inline]
    fn flag(&mut self, flag: Flag) -> bool {
        self.read_flag(flag)
    }

    #[inline]
    fn set_flag(&mut self, flag: Flag, value: bool) {
        self.write_flag(flag, value);
    }

    #[inline]
    fn set_zero_of(&mut self, words: &[u32]) {
        self.zero = words.iter().all(|&word| word == 0);
    }

    fn monitor(&mut self) -> bool {
        self.monitor
    }

    fn set_monitor(&mut self, open: bool) {
        self.monitor = open;
    }

    fn thread_pointer(&mut self) -> u32 {
        self.thread_pointer
    }

    #[inline]
    fn load(&mut self, &address: &u32, size: Size, alignment: Alignment) -> Result<u32, Fault> {
        self.memory.load(address, size, alignment)
    }

    #[inline]
    fn store(
        &mut self,
        &address: &u32,
        size: Size,
        alignment: Alignment,
        &value: &u32,
    ) -> Result<(), Fault> {
        self.memory.store(address, size, alignment, value)?;
        if let Some(stores) = &mut self.stores {
            stores.push((address, size.bytes()));
        }
        Ok(())
    }

    #[inline]
    fn branch(&mut self, &target: &u32) -> Result<(), Fault> {
        let target = self.memory.detours.target(target);
        if target & 1 == 1 {
            return Err(Fault::Thumb { target });
        }
        if target & 2 == 2 {
            return Err(Fault::Misaligned {
                access: Access::Fetch,
                address: target,
            });
        }
        self.next = target;
        Ok(())
    }

    fn supervisor_call(&mut self, number: u32) -> Result<(), Fault> {
        match number {
            0 => self.exited = true,
            1 => {
                let [address, count] = [self.registers[0], self.registers[1]];
                self.memory.read_into(&mut self.written, address, count)?;
            }
            SEMIHOSTING => self.call_debugger()?,
            _ => return Err(Fault::UnknownCall { number }),
        }
        Ok(())
    }

    fn trap(&mut self, trap: Trap) -> Result<(), Fault> {
        Err(Fault::Trap { trap })
    }

    #[inline]
    fn enter(&mut self, condition: bool) -> Result<Entry, Fault> {
        Ok(if condition {
            Entry::Always
        } else {
            Entry::Skip
        })
    }

    #[inline]
    fn leave(&mut self) {}

    #[inline]
    fn bit_and(&mut self, a: &bool, b: &bool) -> bool {
        *a & *b
    }

    #[inline]
    fn bit_or(&mut self, a: &bool, b: &bool) -> bool {
        *a | *b
    }

    #[inline]
    fn bit_xor(&mut self, a: &bool, b: &bool) -> bool {
        *a ^ *b
    }

    #[inline]
    fn bit_not(&mut self, a: &bool) -> bool {
        !*a
    }

    #[inline]
    fn bit_at(&mut self, a: &u32, index: u32) -> bool {
        a.checked_shr(index).is_some_and(|shifted| shifted & 1 == 1)
    }

    #[inline]
    fn any(&mut self, a: &u32) -> bool {
        *a != 0
    }

    #[inline]
    fn and(&mut self, a: &u32, b: &u32) -> u32 {
        a & b
    }

    #[inline]
    fn or(&mut self, a: &u32, b: &u32) -> u32 {
        a | b
    }

    #[inline]
    fn xor(&mut self, a: &u32, b: &u32) -> u32 {
        a ^ b
    }

    #[inline]
    fn not(&mut self, a: &u32) -> u32 {
        !a
    }

    #[inline]
    fn select(&mut self, condition: &bool, then: &u32, otherwise: &u32) -> u32 {
        if *condition { *then } else { *otherwise }
    }

    #[inline]
    fn add_with_carry(&mut self, &a: &u32, &b: &u32, &carry: &bool) -> Sum<u32, bool> {
        arithmetic::add_with_carry(a, b, carry)
    }

    #[inline]
    fn shift_by(&mut self, kind: ShiftKind, &a: &u32, amount: u32, &carry: &bool) -> (u32, bool) {
        arithmetic::shift(kind, a, amount, carry)
    }

    #[inline]
    fn shift(&mut self, kind: ShiftKind, &a: &u32, amount: &u32, &carry: &bool) -> (u32, bool) {
        arithmetic::shift(kind, a, amount & 0xff, carry)
    }

    #[inline]
    fn rotate_right_extended(&mut self, &a: &u32, &carry: &bool) -> (u32, bool) {
        (a >> 1 | u32::from(carry) << 31, a & 1 == 1)
    }

    #[inline]
    fn multiply(&mut self, a: &u32, b: &u32) -> u32 {
        a.wrapping_mul(*b)
    }

    #[inline]
    fn multiply_long(&mut self, signedness: Signedness, &a: &u32, &b: &u32) -> (u32, u32) {
        arithmetic::multiply_long(signedness, a, b)
    }

    #[inline]
    fn divide(&mut self, signedness: Signedness, &a: &u32, &b: &u32) -> u32 {
        arithmetic::divide(signedness, a, b)
    }

    #[inline]
    fn count_leading_zeros(&mut self, a: &u32) -> u32 {
        a.leading_zeros()
    }
    #[inline]
    fn float_word(&mut self, word: FloatWord) -> u32 {
        self.read_float_word(word)
    }

    #[inline]
    fn set_float_word(&mut self, word: FloatWord, value: u32) -> Result<(), Fault> {
        self.write_float_word(word, value);
        Ok(())
    }

    #[inline]
    fn float_flag(&mut self, flag: FloatFlag) -> bool {
        self.float_status >> flag.bit() & 1 == 1
    }

    #[inline]
    fn set_float_flag(&mut self, flag: FloatFlag, value: bool) {
        let others = self.float_status & !(1 << flag.bit());
        self.float_status = others | u32::from(value) << flag.bit();
    }

    #[inline]
    fn float_mode(&mut self) -> u32 {
        self.float_status & FloatMode::MASK
    }

    fn set_float_mode(&mut self, &status: &u32) -> Result<(), Fault> {
        self.write_float_status(status & !FLAGS | self.float_status & FLAGS)
    }

    fn float(&mut self, operation: FloatOperation, operands: &[u32]) -> Result<[u32; 2], Fault> {
        let outcome = operation.compute(FloatMode::of(self.float_status), operands);
        self.float_status |= outcome.exceptions;
        Ok(outcome.words)
    }
}
