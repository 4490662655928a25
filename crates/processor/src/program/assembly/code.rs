//! Checked instructions to A32 words.
//!
//! A register of the source is a word of memory, so that there may be thousands and each is a
//! variable with a name. An instruction loads its sources into `r0` and `r1`, computes, and stores
//! `r0`: loads and stores at known addresses only pass bits on, so on ciphertexts the instruction
//! costs what the computation between them does. `r12` holds addresses, `r2` an index, `r3` what
//! else is needed; nothing but memory and the flags lives from one instruction to the next.
//!
//! With 16 bits, memory holds halves: a load extends by zeros, a store drops what lies above, and
//! bits that nobody reads are never evaluated. Where flags follow, the operands stand in the upper
//! half of the words, so that bit 31, the carry and the overflow are the 16-bit ones.

use a32::{SetFlags, ShiftKind, Signedness};
use assembly::{Action, Binary, Cell, Target, Unary, Unit, Value, Width};

use super::layout::Layout;
use super::words::{self, Direction, R};

/// The code of a unit.
pub(super) struct Code {
    pub(super) words: Vec<u32>,
    /// Where the code of each step begins, and where the last one ends: indices into `words`.
    pub(super) starts: Vec<usize>,
}

/// Translates every instruction; the program ends behind the last one.
pub(super) fn translate(unit: &Unit, layout: &Layout) -> Code {
    let mut writer = Writer {
        unit,
        layout,
        words: Vec::new(),
        base: None,
    };
    let mut starts = Vec::with_capacity(unit.steps.len() + 1);
    // Branches, by where they stand: their distance is known when everything has its place.
    let mut branches = Vec::new();
    for step in &unit.steps {
        starts.push(writer.words.len());
        // Somebody may come here from elsewhere.
        writer.base = None;
        match step.action {
            Action::Branch { condition, target } => {
                branches.push((writer.words.len(), condition, target));
                writer.words.push(0);
            }
            action => writer.action(action),
        }
    }
    let mut words = writer.words;
    starts.push(words.len());
    words.push(words::BX_LR);
    for (at, condition, target) in branches {
        let to = match target {
            // Labels are as many as the unit says, and each stands before a step or the end.
            Target::Label(label) => {
                let label = unit.labels.get(label);
                4 * label
                    .and_then(|l| starts.get(l.step))
                    .map_or(0, |start| *start as i64)
            }
            Target::Undefined(label) => layout.undefined(words.len(), label),
        };
        words[at] = words::b(condition, to - 4 * at as i64);
    }
    Code { words, starts }
}

const A: R = 0;
const B: R = 1;
const INDEX: R = 2;
const OTHER: R = 3;
const BASE: R = 12;

struct Writer<'u> {
    unit: &'u Unit,
    layout: &'u Layout,
    words: Vec<u32>,
    /// What `r12` holds.
    base: Option<u32>,
}

impl Writer<'_> {
    fn put(&mut self, word: u32) {
        self.words.push(word);
    }

    fn is_half(&self) -> bool {
        self.unit.width == Width::Half
    }

    /// `rd` becomes a constant.
    fn constant(&mut self, rd: R, value: u32) {
        self.put(words::movw(rd, value));
        if value > 0xffff {
            self.put(words::movt(rd, value));
        }
    }

    /// Loads or stores `rt` at an address.
    fn access(&mut self, direction: Direction, rt: R, address: u32) {
        let half = self.is_half();
        let reach = if half { 255 } else { 4095 };
        let near = self.base.filter(|base| base.abs_diff(address) <= reach);
        let base = near.unwrap_or_else(|| {
            self.constant(BASE, address);
            self.base = Some(address);
            address
        });
        let offset = address.wrapping_sub(base).cast_signed();
        self.put(if half {
            words::half(direction, rt, BASE, offset)
        } else {
            words::word(direction, rt, BASE, offset)
        });
    }

    /// Loads or stores `rt` at a word of the data memory.
    fn cell(&mut self, direction: Direction, rt: R, cell: Cell) {
        let address = self.layout.datum(cell.datum);
        match cell.index {
            Value::Constant(index) => {
                let address = address + index * self.unit.width.bytes();
                self.access(direction, rt, address);
            }
            Value::Register(register) => {
                self.load(INDEX, Value::Register(register));
                // The object is what the known base points into, for every index.
                self.constant(BASE, address);
                self.base = Some(address);
                if self.is_half() {
                    let doubled = words::shifted(INDEX, ShiftKind::Left, 1);
                    self.put(words::mov(INDEX, doubled));
                    self.put(words::half_indexed(direction, rt, BASE, INDEX));
                } else {
                    self.put(words::word_indexed(direction, rt, BASE, INDEX));
                }
            }
        }
    }

    fn load(&mut self, rd: R, value: Value) {
        match value {
            Value::Register(number) => {
                self.access(Direction::Load, rd, self.layout.register(number));
            }
            Value::Constant(value) => self.constant(rd, value),
        }
    }

    fn store(&mut self, rt: R, register: u16) {
        self.access(Direction::Store, rt, self.layout.register(register));
    }

    /// N and Z of a register's bits; C and V stay.
    fn sign_and_zero(&mut self, rd: R) {
        if self.is_half() {
            self.put(words::mov(OTHER, words::shifted(rd, ShiftKind::Left, 16)));
            self.put(words::tst(OTHER, OTHER));
        } else {
            self.put(words::tst(rd, rd));
        }
    }

    /// Extends a half by its sign, where registers are halves.
    fn extend(&mut self, rd: R) {
        if self.is_half() {
            self.put(words::sxth(rd, rd));
        }
    }

    fn action(&mut self, action: Action) {
        match action {
            Action::Load { to, from } => {
                self.cell(Direction::Load, A, from);
                self.store(A, to);
            }
            Action::Store { from, to } => {
                self.load(A, Value::Register(from));
                self.cell(Direction::Store, A, to);
            }
            Action::Unary {
                op,
                set_flags,
                to,
                source,
            } => {
                self.load(A, source);
                self.unary(op);
                if set_flags == SetFlags::Yes {
                    self.sign_and_zero(A);
                }
                self.store(A, to);
            }
            Action::Binary {
                op,
                set_flags,
                to,
                a,
                b,
            } => {
                self.load(A, a);
                self.binary(op, set_flags == SetFlags::Yes, b);
                self.store(A, to);
            }
            Action::MultiplyLong {
                signedness,
                set_flags,
                low,
                high,
                a,
                b,
            } => {
                self.load(A, a);
                self.load(B, b);
                let signed = signedness == Signedness::Signed;
                self.multiply_long(signed, set_flags == SetFlags::Yes);
                self.store(A, low);
                self.store(OTHER, high);
            }
            Action::Field {
                to,
                source,
                lowest,
                width,
            } => {
                self.load(A, Value::Register(to));
                if let Some(source) = source {
                    self.load(B, source);
                }
                let source = source.map(|_| B);
                self.put(words::bfi(A, source, lowest.into(), width.into()));
                self.store(A, to);
            }
            Action::Compare { a, b } => {
                self.load(A, a);
                self.load(B, b);
                let b = self.raised();
                self.put(words::cmp(A, b));
            }
            Action::Nop => self.put(words::NOP),
            Action::Halt => self.put(words::BX_LR),
            // `translate` has them.
            Action::Branch { .. } => {}
        }
    }

    fn unary(&mut self, op: Unary) {
        match (op, self.unit.width) {
            (Unary::Copy, _) => {}
            (Unary::Not, _) => self.put(words::mvn(A, A)),
            (Unary::ReverseBits, Width::Word) => self.put(words::rbit(A, A)),
            (Unary::ReverseBits, Width::Half) => {
                self.put(words::rbit(A, A));
                self.put(words::mov(
                    A,
                    words::shifted(A, ShiftKind::LogicalRight, 16),
                ));
            }
            (Unary::ReverseBytes, Width::Word) => self.put(words::rev(A, A)),
            (Unary::ReverseBytes, Width::Half) => self.put(words::rev16(A, A)),
        }
    }

    /// Brings halves to the upper half of their words: `A` itself, and `B` as an operand.
    fn raised(&mut self) -> u32 {
        if self.is_half() {
            self.put(words::mov(A, words::shifted(A, ShiftKind::Left, 16)));
            words::shifted(B, ShiftKind::Left, 16)
        } else {
            B
        }
    }

    /// `A` and `b` into `A`.
    fn binary(&mut self, op: Binary, set_flags: bool, b: Value) {
        if let Binary::Shift(kind) = op {
            return self.shift(kind, b);
        }
        self.load(B, b);
        match op {
            Binary::Add | Binary::Subtract => {
                let word = match op {
                    Binary::Add => words::add,
                    _ => words::sub,
                };
                let operand = if set_flags { self.raised() } else { B };
                self.put(word(set_flags, A, A, operand));
                if set_flags && self.is_half() {
                    self.put(words::mov(
                        A,
                        words::shifted(A, ShiftKind::LogicalRight, 16),
                    ));
                }
                return;
            }
            Binary::Divide(signedness) => {
                let signed = signedness == Signedness::Signed;
                if signed {
                    self.extend(A);
                    self.extend(B);
                }
                self.put(words::div(signed, A, A, B));
            }
            Binary::Multiply => self.put(words::mul(false, A, A, B)),
            Binary::And => self.put(words::and(A, A, B)),
            Binary::Or => self.put(words::orr(A, A, B)),
            Binary::Xor => self.put(words::eor(A, A, B)),
            Binary::OrNot => {
                self.put(words::mvn(B, B));
                self.put(words::orr(A, A, B));
            }
            Binary::Shift(_) => {}
        }
        if set_flags {
            self.sign_and_zero(A);
        }
    }

    fn shift(&mut self, kind: ShiftKind, amount: Value) {
        if kind == ShiftKind::ArithmeticRight {
            self.extend(A);
        }
        match amount {
            Value::Constant(0) => {}
            Value::Constant(amount) => self.put(words::mov(A, words::shifted(A, kind, amount))),
            Value::Register(_) => {
                self.load(B, amount);
                self.put(words::and_constant(B, B, self.unit.width.bits() - 1));
                self.put(words::mov(A, words::shifted_by(A, kind, B)));
            }
        }
    }

    /// The product of `A` and `B`: its low half into `A`, its high half into `OTHER`.
    fn multiply_long(&mut self, signed: bool, set_flags: bool) {
        if !self.is_half() {
            return self.put(words::mull(signed, set_flags, A, OTHER, A, B));
        }
        if signed {
            self.extend(A);
            self.extend(B);
        }
        // The product of two halves is a word, whose sign and zero are those of all its bits.
        self.put(words::mul(set_flags, A, A, B));
        self.put(words::mov(
            OTHER,
            words::shifted(A, ShiftKind::LogicalRight, 16),
        ));
    }
}
