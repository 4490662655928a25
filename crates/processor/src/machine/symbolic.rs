//! The state behind the meanings of instructions: clear operands at once, secret ones as nodes.

use std::rc::Rc;

use a32::{
    Alignment, Condition, Entry, Flag, FloatFlag, FloatOperation, FloatWord, Machine, Register,
    SEMIHOSTING, ShiftKind, Signedness, Size, Sum, Trap,
};
use circuits::Wire;

use super::memory::Loaded;
use super::{
    Byte, Choice, Fault, Flow, SecretAddresses, Symbolic, Word, Zero, flow, repeats, units,
};
use crate::error::Access;

impl Symbolic {
    pub(super) fn predicated_bit(&mut self, new: Wire, old: Wire) -> Wire {
        match self.predicate {
            None => new,
            Some(condition) => self.builder.mux(condition, new, old),
        }
    }

    pub(super) fn choose(&mut self, condition: Wire, then: &Word, otherwise: &Word) -> Word {
        match (condition.as_constant(), then, otherwise) {
            (Some(true), ..) => return then.clone(),
            (Some(false), ..) => return otherwise.clone(),
            (None, Word::Clear(a), Word::Clear(b)) if a == b => return Word::Clear(*a),
            _ => {}
        }
        // Each side where it is taken.
        let numbers = [(condition, then), (!condition, otherwise)]
            .map(|(condition, word)| self.compared.under(condition, word));
        let then = numbers[0].as_ref().unwrap_or(then);
        let otherwise = numbers[1].as_ref().unwrap_or(otherwise);
        let chosen = self.chosen(condition, then, otherwise);
        self.note_choice(condition, then, otherwise, &chosen);
        self.note_numbers(&chosen, &[then, otherwise]);
        chosen
    }

    fn zip(
        &mut self,
        a: &Word,
        b: &Word,
        mut gate: impl FnMut(&mut circuits::Builder, Wire, Wire) -> Wire,
    ) -> Word {
        let (a, b) = (a.wires(), b.wires());
        Word::from_wires(std::array::from_fn(|i| gate(&mut self.builder, a[i], b[i])))
    }

    /// The address of an access, if it may be one.
    #[inline]
    fn address(address: &Word, alignment: Alignment, access: Access) -> Result<u32, Fault> {
        // Secret addresses went another way.
        let address = address.clear().ok_or(Fault::SecretAddress(access))?;
        match alignment {
            Alignment::Word if !address.is_multiple_of(4) => {
                Err(Fault::Unaligned { access, address })
            }
            _ => Ok(address),
        }
    }

    /// `svc #1`: the bytes at r0, as many as r1 says.
    fn say(&mut self) -> Result<(), Fault> {
        let [address, length, ..] = &self.registers;
        let (Some(address), Some(length)) = (address.clear(), length.clear()) else {
            return Err(Fault::SecretArgument);
        };
        self.write_bytes_out(address, length)
    }

    /// Writes so many bytes at an address out.
    pub(super) fn write_bytes_out(&mut self, address: u32, length: u32) -> Result<(), Fault> {
        if length > 0 && !self.memory.contains(address, length) {
            return Err(Fault::OutOfRange {
                access: Access::Load,
                address,
                size: length,
            });
        }
        let mut bytes = Vec::with_capacity(length as usize);
        for address in (0..length).map(|i| address.wrapping_add(i)) {
            match self.memory.load(address, 1)? {
                Loaded::Clear(byte) => bytes.push(byte as u8),
                Loaded::Secret(_) => return Err(Fault::SecretWrite { address }),
            }
        }
        self.written = Some(bytes);
        Ok(())
    }

    /// Whether an access was refused for want of an object, and is noted instead.
    fn is_noted<T>(&mut self, outcome: &Result<T, Fault>) -> bool {
        let Err(Fault::SecretAddress(access)) = outcome else {
            return false;
        };
        let notes = self.secret_addresses == SecretAddresses::Note;
        if notes && self.noted_at.insert(self.pc) {
            self.noted.push((self.pc, *access));
        }
        notes
    }

    /// Refuses a store to what is read-only; forgets instructions that it overwrites.
    #[inline]
    pub(super) fn allow_store(&mut self, address: u32, size: u32) -> Result<(), Fault> {
        if self.memory.writable(address, size)? {
            if self.memory.is_journaled() && self.code.holds(address, size) {
                return Err(Fault::CodeStore { address });
            }
            self.code.invalidate(address, size);
        }
        Ok(())
    }

    /// A store of anything but clear bytes under a clear condition: byte by byte.
    fn store_bits(&mut self, address: u32, size: u32, value: &Word) -> Result<(), Fault> {
        let wires = value.wires();
        for i in 0..size {
            let at = address.wrapping_add(i);
            let mut byte: Byte = std::array::from_fn(|bit| wires[8 * i as usize + bit]);
            if let Some(condition) = self.predicate {
                let old = self.memory.byte(at);
                for (new, old) in byte.iter_mut().zip(old) {
                    *new = self.builder.mux(condition, *new, old);
                }
            }
            self.memory.store_byte(at, byte)?;
        }
        Ok(())
    }
}

impl Machine for Symbolic {
    type Word = Word;
    type Bit = Wire;
    type Error = Fault;

    #[inline]
    fn word(&mut self, value: u32) -> Word {
        Word::Clear(value)
    }

    #[inline]
    fn bit(&mut self, value: bool) -> Wire {
        Wire::constant(value)
    }

    #[inline]
    fn register(&mut self, register: Register) -> Word {
        let Some(word) = self.registers.get(register.index()) else {
            return Word::Clear(self.pc.wrapping_add(8));
        };
        let chosen = match (self.predicate, &self.choices[register.index()]) {
            (_, None) => None,
            (Some(condition), Some(choice)) => choice.under(condition),
            (None, Some(choice)) if !self.known.is_empty() => {
                let known = self.known.value(choice.condition);
                known.map(|holds| if holds { &choice.new } else { &choice.old })
            }
            (None, Some(_)) => None,
        };
        let word = chosen.unwrap_or(word);
        self.touched |= word.is_secret();
        word.clone()
    }

    #[inline]
    fn set_register(&mut self, register: Register, value: Word) -> Result<(), Fault> {
        let number = register.index() % 15;
        let Some(condition) = self.predicate else {
            if number == 13 {
                self.objects.stack_moved(value.clear());
            }
            self.registers[number] = value;
            self.choices[number] = None;
            return Ok(());
        };
        let before = match &self.choices[number] {
            Some(choice) => choice.under(!condition).cloned(),
            None => None,
        };
        let old = before.unwrap_or_else(|| self.registers[number].clone());
        self.registers[number] = self.choose(condition, &value, &old);
        self.choices[number] = Some(Rc::new(Choice {
            condition,
            new: value,
            old,
        }));
        Ok(())
    }

    #[inline]
    fn flag(&mut self, flag: Flag) -> Wire {
        match flag {
            Flag::Negative => self.negative,
            Flag::Zero => self.zero_flag(),
            Flag::Carry => {
                self.compared.note_carry_asked(self.carry);
                self.carry
            }
            Flag::Overflow => self.overflow,
            Flag::Saturation => self.saturation,
            Flag::GreaterOrEqual(lane) => self.greater_or_equal[lane.index()],
        }
    }

    fn decided(&mut self, condition: Condition) -> Option<Wire> {
        self.order_of_flags(condition)
    }

    #[inline]
    fn set_flag(&mut self, flag: Flag, value: Wire) {
        match flag {
            Flag::Negative => self.negative = self.predicated_bit(value, self.negative),
            Flag::Carry => self.carry = self.predicated_bit(value, self.carry),
            Flag::Overflow => {
                self.overflow = self.predicated_bit(value, self.overflow);
                self.note_flags();
                self.note_second();
            }
            Flag::Saturation => self.saturation = self.predicated_bit(value, self.saturation),
            Flag::GreaterOrEqual(lane) => {
                let old = self.greater_or_equal[lane.index()];
                self.greater_or_equal[lane.index()] = self.predicated_bit(value, old);
            }
            Flag::Zero => {
                self.compared.forget_zero_before();
                let old = if self.predicate.is_some() {
                    self.zero_flag()
                } else {
                    value
                };
                self.zero = Zero::Known(self.predicated_bit(value, old));
            }
        }
    }

    #[inline]
    fn set_zero_of(&mut self, words: &[Word]) {
        let new = match words {
            [Word::Clear(value)] => Zero::Known(Wire::constant(*value == 0)),
            [word] => Zero::Of(word.clone(), Word::Clear(0)),
            [Word::Clear(low), Word::Clear(high)] => {
                Zero::Known(Wire::constant(*low == 0 && *high == 0))
            }
            [low, high] => Zero::Of(low.clone(), high.clone()),
            _ => Zero::Known(Wire::TRUE),
        };
        if self.predicate.is_some() {
            let old = self.zero_flag();
            self.note_zero_before(old, words);
            self.zero = new;
            let new = self.zero_flag();
            self.zero = Zero::Known(self.predicated_bit(new, old));
        } else {
            self.zero = new;
        }
    }

    fn monitor(&mut self) -> Wire {
        self.monitor
    }

    fn set_monitor(&mut self, open: Wire) {
        self.monitor = self.predicated_bit(open, self.monitor);
    }

    fn thread_pointer(&mut self) -> Word {
        Word::Clear(self.thread_pointer)
    }

    #[inline]
    fn load(&mut self, address: &Word, size: Size, alignment: Alignment) -> Result<Word, Fault> {
        if let Word::Secret(address) = address {
            let loaded = self.load_selected(address, size.bytes(), alignment);
            if self.is_noted(&loaded) {
                let unknown = self.inputs(8 * size.bytes() as usize);
                return Ok(Word::from_slice(&unknown));
            }
            return loaded;
        }
        let address = Self::address(address, alignment, Access::Load)?;
        Ok(match self.memory.load(address, size.bytes())? {
            Loaded::Clear(value) => Word::Clear(value),
            Loaded::Secret(wires) => {
                self.touched = true;
                Word::from_wires(wires)
            }
        })
    }

    #[inline]
    fn store(
        &mut self,
        address: &Word,
        size: Size,
        alignment: Alignment,
        value: &Word,
    ) -> Result<(), Fault> {
        let size = size.bytes();
        if let Word::Secret(address) = address {
            let stored = self.store_selected(address, size, alignment, value);
            return if self.is_noted(&stored) {
                Ok(())
            } else {
                stored
            };
        }
        let address = Self::address(address, alignment, Access::Store)?;
        self.allow_store(address, size)?;
        self.objects.stored(address, self.registers[13].clear());
        match (value, self.predicate) {
            (Word::Clear(value), None) => self.memory.store_clear(address, size, *value),
            _ => self.store_bits(address, size, value),
        }
    }

    #[inline]
    fn branch(&mut self, target: &Word) -> Result<(), Fault> {
        if self.predicate.is_some() {
            return Err(Fault::SecretBranch);
        }
        let Some(target) = target.clear() else {
            if !self.secret_targets {
                return Err(Fault::SecretTarget);
            }
            self.secret_target = Some(target.clone());
            return Ok(());
        };
        let target = self.detours.target(target);
        if target & 1 == 1 {
            return Err(Fault::Thumb {
                target: target & !1,
            });
        }
        if target & 2 == 2 {
            return Err(Fault::Unaligned {
                access: Access::Execute,
                address: target,
            });
        }
        if target == self.pc && self.code.find(target).is_none_or(|found| repeats(&found)) {
            return Err(Fault::EndlessLoop);
        }
        self.target = Some(target);
        Ok(())
    }

    fn supervisor_call(&mut self, number: u32) -> Result<(), Fault> {
        if self.predicate.is_some() {
            return Err(Fault::SecretBranch);
        }
        match number {
            0 => {
                self.finished = true;
                Ok(())
            }
            1 => self.say(),
            SEMIHOSTING => self.call_debugger(),
            _ => Err(Fault::UnknownCall { number }),
        }
    }

    fn trap(&mut self, _: Trap) -> Result<(), Fault> {
        Err(Fault::Trap)
    }

    #[inline]
    fn enter(&mut self, condition: Wire) -> Result<Entry, Fault> {
        Ok(match self.known.value(condition) {
            Some(true) => Entry::Always,
            Some(false) => Entry::Skip,
            None => {
                self.touched = true;
                let instruction = self.code.find(self.pc);
                if instruction.is_some_and(|found| flow(&found, self.pc) != Flow::On) {
                    return Err(Fault::SecretCondition(condition));
                }
                self.predicate = Some(condition);
                Entry::Predicated
            }
        })
    }

    #[inline]
    fn leave(&mut self) {
        self.predicate = None;
    }

    #[inline]
    fn bit_and(&mut self, a: &Wire, b: &Wire) -> Wire {
        self.builder.and(*a, *b)
    }

    #[inline]
    fn bit_or(&mut self, a: &Wire, b: &Wire) -> Wire {
        self.builder.or(*a, *b)
    }

    #[inline]
    fn bit_xor(&mut self, a: &Wire, b: &Wire) -> Wire {
        self.builder.xor(*a, *b)
    }

    #[inline]
    fn bit_not(&mut self, a: &Wire) -> Wire {
        !*a
    }

    #[inline]
    fn bit_at(&mut self, a: &Word, index: u32) -> Wire {
        a.bit(index)
    }

    fn any(&mut self, a: &Word) -> Wire {
        match a {
            Word::Clear(value) => Wire::constant(*value != 0),
            Word::Secret(wires) => self.builder.any(&**wires),
        }
    }

    #[inline]
    fn and(&mut self, a: &Word, b: &Word) -> Word {
        match (a, b) {
            (Word::Clear(a), Word::Clear(b)) => Word::Clear(a & b),
            _ => match self.multiple_of_mask(a, b) {
                Some(multiple) => multiple,
                None => self.zip(a, b, circuits::Builder::and),
            },
        }
    }

    #[inline]
    fn or(&mut self, a: &Word, b: &Word) -> Word {
        match (a, b) {
            (Word::Clear(a), Word::Clear(b)) => Word::Clear(a | b),
            _ => self.zip(a, b, circuits::Builder::or_or_mux),
        }
    }

    #[inline]
    fn xor(&mut self, a: &Word, b: &Word) -> Word {
        match (a, b) {
            (Word::Clear(a), Word::Clear(b)) => Word::Clear(a ^ b),
            _ => self.zip(a, b, circuits::Builder::xor_or_mux),
        }
    }

    #[inline]
    fn not(&mut self, a: &Word) -> Word {
        match a {
            Word::Clear(value) => Word::Clear(!value),
            Word::Secret(wires) => Word::from_wires(wires.map(|wire| !wire)),
        }
    }

    #[inline]
    fn select(&mut self, condition: &Wire, then: &Word, otherwise: &Word) -> Word {
        self.touched |= condition.as_constant().is_none();
        self.choose(*condition, then, otherwise)
    }

    #[inline]
    fn add_with_carry(&mut self, a: &Word, b: &Word, carry: &Wire) -> Sum<Word, Wire> {
        self.compared.forget_last();
        if let (Word::Clear(a), Word::Clear(b), Some(carry)) = (a, b, carry.as_constant()) {
            let (sum, first) = a.overflowing_add(*b);
            let (sum, second) = sum.overflowing_add(u32::from(carry));
            return Sum {
                result: Word::Clear(sum),
                carry: Wire::constant(first | second),
                overflow: Wire::constant((a ^ sum) & (b ^ sum) & (1 << 31) != 0),
            };
        }
        self.touched = true;
        let mut sum = units::add_with_carry(&mut self.builder, a, b, *carry);
        if let Some(divided) = self.division_of_sum(a, b, *carry, &sum.result) {
            sum.result = divided;
            self.note_addition(a, b, *carry, &sum);
            return sum;
        }
        self.note_addition(a, b, *carry, &sum);
        match b {
            _ if *carry == Wire::TRUE => self.note_difference(a, b, &sum),
            // `cmn` with a number, as compilers compare with numbers near 2³²: a + b = a + (b − 1) + 1 = a − (−b).
            // The carry is the same but for 0, which never gives one as a sum and always does as a difference,
            // and the overflow but for the least number, which has no opposite.
            Word::Clear(number) if *carry == Wire::FALSE && !matches!(number, 0 | 0x8000_0000) => {
                self.note_difference(a, &Word::Clear(number - 1), &sum);
            }
            _ => {}
        }
        self.note_sum(a, b, *carry, &sum.result);
        self.inverses.note_sum(a, b, *carry, &sum.result);
        self.note_known([a, b], &sum.result, |build, [a, b]| {
            units::add_with_carry(build, a, b, *carry).result
        });
        sum
    }

    #[inline]
    fn shift_by(
        &mut self,
        kind: ShiftKind,
        a: &Word,
        amount: u32,
        carry_in: &Wire,
    ) -> (Word, Wire) {
        match a {
            _ if amount == 0 => (a.clone(), *carry_in),
            Word::Clear(value) => units::shift_clear(kind, *value, amount),
            Word::Secret(wires) if (kind, amount) == (ShiftKind::LogicalRight, 5) => {
                let (moved, carry) = units::shift_wires(kind, wires, amount);
                let found = self.is_all_leading_zeros(wires);
                let found = found.or_else(|| self.quotient_of_shift(kind, wires, amount, &moved));
                (found.unwrap_or(moved), carry)
            }
            Word::Secret(wires) => {
                let (moved, carry) = units::shift_wires(kind, wires, amount);
                let quotient = self.quotient_of_shift(kind, wires, amount, &moved);
                (quotient.unwrap_or(moved), carry)
            }
        }
    }

    fn shift(&mut self, kind: ShiftKind, a: &Word, amount: &Word, carry_in: &Wire) -> (Word, Wire) {
        let amount = self.and(amount, &Word::Clear(0xff));
        match amount.clear() {
            Some(amount) => self.shift_by(kind, a, units::at_most_32(kind, amount), carry_in),
            None => units::shift(&mut self.builder, kind, a, &amount, *carry_in),
        }
    }

    fn rotate_right_extended(&mut self, a: &Word, carry_in: &Wire) -> (Word, Wire) {
        self.touched |= carry_in.as_constant().is_none();
        let mut wires = a.wires();
        let out = wires[0];
        wires.rotate_left(1);
        wires[31] = *carry_in;
        (Word::from_wires(wires), out)
    }

    fn multiply(&mut self, a: &Word, b: &Word) -> Word {
        match (a, b) {
            (Word::Clear(a), Word::Clear(b)) => Word::Clear(a.wrapping_mul(*b)),
            _ => {
                let product = units::multiply(&mut self.builder, a, b);
                self.note_product(a, b, &product);
                self.note_lower_product(a, b, &product);
                self.note_known([a, b], &product, |build, [a, b]| {
                    units::multiply(build, a, b)
                });
                product
            }
        }
    }

    fn multiply_long(&mut self, signedness: Signedness, a: &Word, b: &Word) -> (Word, Word) {
        match (a, b) {
            (Word::Clear(a), Word::Clear(b)) => {
                let product = units::long_product(signedness, *a, *b);
                (
                    Word::Clear(product as u32),
                    Word::Clear((product >> 32) as u32),
                )
            }
            _ => {
                let (low, high) = units::multiply_long(&mut self.builder, signedness, a, b);
                let quotient = self.quotient_of_upper(signedness, a, b, &high);
                (low, quotient.unwrap_or(high))
            }
        }
    }

    fn divide(&mut self, signedness: Signedness, a: &Word, b: &Word) -> Word {
        match (a, b, signedness) {
            (_, Word::Clear(0), _) => Word::Clear(0),
            (Word::Clear(a), Word::Clear(b), Signedness::Unsigned) => Word::Clear(a / b),
            (Word::Clear(a), Word::Clear(b), Signedness::Signed) => Word::Clear(
                a.cast_signed()
                    .wrapping_div(b.cast_signed())
                    .cast_unsigned(),
            ),
            _ => {
                let quotient = units::divide(&mut self.builder, signedness, a, b);
                if let Word::Clear(divisor) = b {
                    self.note_quotient(signedness, a, *divisor, &quotient);
                }
                self.note_known([a, b], &quotient, |build, [a, b]| {
                    units::divide(build, signedness, a, b)
                });
                quotient
            }
        }
    }

    fn count_leading_zeros(&mut self, a: &Word) -> Word {
        match a {
            Word::Clear(value) => Word::Clear(value.leading_zeros()),
            Word::Secret(wires) => {
                let count = units::count_leading_zeros(&mut self.builder, a);
                self.note_leading_zeros(wires, &count);
                count
            }
        }
    }

    fn float_word(&mut self, word: FloatWord) -> Word {
        self.read_float_word(word)
    }

    fn set_float_word(&mut self, word: FloatWord, value: Word) -> Result<(), Fault> {
        self.write_float_word(word, value);
        Ok(())
    }

    fn float_flag(&mut self, flag: FloatFlag) -> Wire {
        self.read_float_flag(flag)
    }

    fn set_float_flag(&mut self, flag: FloatFlag, value: Wire) {
        self.write_float_flag(flag, value);
    }

    fn float_mode(&mut self) -> Word {
        self.floats.mode.clone()
    }

    fn set_float_mode(&mut self, status: &Word) -> Result<(), Fault> {
        self.write_float_mode(status)
    }

    fn float(&mut self, operation: FloatOperation, operands: &[Word]) -> Result<[Word; 2], Fault> {
        self.compute_float(operation, operands)
    }

    fn multiply_accumulate(&mut self, a: &Word, b: &Word, addend: &Word) -> Word {
        match (a, b, addend) {
            (Word::Clear(a), Word::Clear(b), Word::Clear(addend)) => {
                Word::Clear(a.wrapping_mul(*b).wrapping_add(*addend))
            }
            _ => {
                let sum = units::multiply_accumulate(&mut self.builder, a, b, addend);
                self.inverses.note_accumulated(a, b, addend, &sum);
                if self.is_address(addend) {
                    // Only an access at this address reads the product by itself.
                    let product = self.multiply(a, b);
                    self.note_sum(&product, addend, Wire::FALSE, &sum);
                }
                self.note_known([a, b, addend], &sum, |build, [a, b, addend]| {
                    units::multiply_accumulate(build, a, b, addend)
                });
                sum
            }
        }
    }

    fn multiply_long_accumulate(
        &mut self,
        signedness: Signedness,
        a: &Word,
        b: &Word,
        addend: (&Word, &Word),
    ) -> (Word, Word) {
        match (a, b, addend) {
            (Word::Clear(a), Word::Clear(b), (Word::Clear(low), Word::Clear(high))) => {
                let addend = u64::from(*high) << 32 | u64::from(*low);
                let sum = units::long_product(signedness, *a, *b).wrapping_add(addend);
                (Word::Clear(sum as u32), Word::Clear((sum >> 32) as u32))
            }
            (_, _, (Word::Clear(0), Word::Clear(0))) => self.multiply_long(signedness, a, b),
            (_, _, (low, high)) => {
                let sum =
                    units::multiply_long_accumulate(&mut self.builder, signedness, a, b, low, high);
                if *low == Word::Clear(0) && signedness == Signedness::Signed {
                    self.note_completed_upper(a, b, high, &sum.1);
                }
                sum
            }
        }
    }
}
