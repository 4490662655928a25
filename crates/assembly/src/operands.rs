//! The instructions' operands: which each takes, and what they are.

use super::MEMORY;
use super::check::{Checker, Meaning};
use super::diagnostic::{Diagnostic, Problem};
use super::mnemonic::{Mnemonic, Verb};
use super::place::{Located, Position};
use super::source::{Code, Index, Number, Operand};
use super::unit::{Action, Binary, Cell, Target, Unary, Value};
use a32::Condition;
use a32::SetFlags;
use a32::ShiftKind;
use a32::Signedness;

type Checked<T> = Result<T, Diagnostic>;

/// Ends with a problem at a place.
fn fail<T>(problem: Problem, at: Position) -> Checked<T> {
    Err(Diagnostic { problem, at })
}

/// Refuses an operand of the wrong kind.
fn unexpected<T>(expected: &'static str, operand: &Located<Operand>) -> Checked<T> {
    let found = match &operand.node {
        Operand::Name(name) => format!("'{name}'"),
        other => other.to_string(),
    };
    let found = Some(found);
    fail(Problem::Expected { expected, found }, operand.at)
}

impl Checker {
    /// What an instruction does.
    pub(super) fn action(&mut self, code: &Code) -> Checked<Action> {
        match code.mnemonic.node {
            Mnemonic::Branch => self.branch(code, Condition::Always),
            Mnemonic::BranchIf(condition) => self.branch(code, condition),
            Mnemonic::Plain(verb) => self.verb(code, verb, SetFlags::No),
            Mnemonic::Flags(verb) => self.verb(code, verb, SetFlags::Yes),
        }
    }

    fn verb(&mut self, code: &Code, verb: Verb, set_flags: SetFlags) -> Checked<Action> {
        match verb {
            Verb::Load => {
                let [to, from] = operands(code, "a register and an address")?;
                let to = self.register(to)?;
                let from = self.cell(from)?;
                Ok(Action::Load { to, from })
            }
            Verb::Store => {
                let [from, to] = operands(code, "a register and an address")?;
                let from = self.register(from)?;
                let to = self.cell(to)?;
                Ok(Action::Store { from, to })
            }
            Verb::Mov => {
                let (to, source) = match code.operands.as_slice() {
                    // As the paper writes it, with the destination where others have a source.
                    [to, same, source] => {
                        self.register(same)?;
                        (to, source)
                    }
                    _ => {
                        let [to, source] = operands(code, "a register and a source")?;
                        (to, source)
                    }
                };
                self.unary(Unary::Copy, set_flags, to, source)
            }
            Verb::Not => self.one_source(code, Unary::Not, set_flags),
            Verb::Rbit => self.one_source(code, Unary::ReverseBits, set_flags),
            Verb::Rev => self.one_source(code, Unary::ReverseBytes, set_flags),
            Verb::Mul => self.multiply(code, Signedness::Unsigned, set_flags),
            Verb::Smul => self.multiply(code, Signedness::Signed, set_flags),
            Verb::Add => self.two_sources(code, Binary::Add, set_flags),
            Verb::Sub => self.two_sources(code, Binary::Subtract, set_flags),
            Verb::Div => self.two_sources(code, Binary::Divide(Signedness::Unsigned), set_flags),
            Verb::Sdiv => self.two_sources(code, Binary::Divide(Signedness::Signed), set_flags),
            Verb::And => self.two_sources(code, Binary::And, set_flags),
            Verb::Or => self.two_sources(code, Binary::Or, set_flags),
            Verb::Xor => self.two_sources(code, Binary::Xor, set_flags),
            Verb::Orn => self.two_sources(code, Binary::OrNot, set_flags),
            Verb::Lls => self.shift(code, ShiftKind::Left),
            Verb::Lrs => self.shift(code, ShiftKind::LogicalRight),
            Verb::Ars => self.shift(code, ShiftKind::ArithmeticRight),
            Verb::Bfc => {
                let [to, lowest, width] = operands(code, "a register, a lowest bit and a width")?;
                let to = self.register(to)?;
                let (lowest, width) = self.field(lowest, width)?;
                let source = None;
                Ok(Action::Field {
                    to,
                    source,
                    lowest,
                    width,
                })
            }
            Verb::Bfi => {
                let takes = "a register, a source, a lowest bit and a width";
                let [to, source, lowest, width] = operands(code, takes)?;
                let to = self.register(to)?;
                let source = Some(self.value(source)?);
                let (lowest, width) = self.field(lowest, width)?;
                Ok(Action::Field {
                    to,
                    source,
                    lowest,
                    width,
                })
            }
            Verb::Cmp => {
                let [a, b] = operands(code, "two sources")?;
                let (a, b) = (self.value(a)?, self.value(b)?);
                Ok(Action::Compare { a, b })
            }
            Verb::Nop => operands(code, "no operands").map(|[]| Action::Nop),
            Verb::Halt => operands(code, "no operands").map(|[]| Action::Halt),
        }
    }

    fn one_source(&self, code: &Code, op: Unary, set_flags: SetFlags) -> Checked<Action> {
        let [to, source] = operands(code, "a register and a source")?;
        self.unary(op, set_flags, to, source)
    }

    fn unary(
        &self,
        op: Unary,
        set_flags: SetFlags,
        to: &Located<Operand>,
        source: &Located<Operand>,
    ) -> Checked<Action> {
        let (to, source) = (self.register(to)?, self.value(source)?);
        Ok(Action::Unary {
            op,
            set_flags,
            to,
            source,
        })
    }

    fn two_sources(&self, code: &Code, op: Binary, set_flags: SetFlags) -> Checked<Action> {
        let [to, a, b] = operands(code, "a register and two sources")?;
        let (to, a, b) = (self.register(to)?, self.value(a)?, self.value(b)?);
        Ok(Action::Binary {
            op,
            set_flags,
            to,
            a,
            b,
        })
    }

    fn shift(&self, code: &Code, kind: ShiftKind) -> Checked<Action> {
        let action = self.two_sources(code, Binary::Shift(kind), SetFlags::No)?;
        if let [.., amount] = code.operands.as_slice()
            && let Operand::Number(number) = amount.node
        {
            let most = i64::from(self.unit.width.bits()) - 1;
            range(number.value, "a shift's amount", 0, most, amount.at)?;
        }
        Ok(action)
    }

    fn multiply(
        &self,
        code: &Code,
        signedness: Signedness,
        set_flags: SetFlags,
    ) -> Checked<Action> {
        let [low, high, a, b] = match code.operands.as_slice() {
            // The low half does not depend on how the factors are read.
            [_, _, _] => return self.two_sources(code, Binary::Multiply, set_flags),
            _ => operands(
                code,
                "a register and two sources, or two registers (low half, high half) and two sources",
            )?,
        };
        let (low, high) = (self.register(low)?, self.register(high)?);
        if low == high {
            return fail(Problem::SameRegister(low), code.at());
        }
        let (a, b) = (self.value(a)?, self.value(b)?);
        Ok(Action::MultiplyLong {
            signedness,
            set_flags,
            low,
            high,
            a,
            b,
        })
    }

    fn branch(&mut self, code: &Code, condition: Condition) -> Checked<Action> {
        let [label] = operands(code, "a label")?;
        let Operand::Name(name) = &label.node else {
            return unexpected("a label", label);
        };
        let target = match self.meaning(name) {
            Some(Meaning::Label(index)) => Target::Label(index),
            None => Target::Undefined(self.undefined_label(name, label.at)),
            Some(Meaning::Datum(_)) => {
                return fail(wrong_kind(name, "data", "a label"), label.at);
            }
        };
        Ok(Action::Branch { condition, target })
    }

    fn register(&self, operand: &Located<Operand>) -> Checked<u16> {
        match operand.node {
            Operand::Register(number) => self.register_number(number, operand.at),
            _ => unexpected("a register", operand),
        }
    }

    fn register_number(&self, number: u32, at: Position) -> Checked<u16> {
        let registers = self.unit.registers;
        match u16::try_from(number) {
            Ok(number) if number < registers => Ok(number),
            _ => fail(Problem::Register { number, registers }, at),
        }
    }

    fn value(&self, operand: &Located<Operand>) -> Checked<Value> {
        match operand.node {
            Operand::Register(number) => self
                .register_number(number, operand.at)
                .map(Value::Register),
            Operand::Number(number) => self.constant(number, operand.at).map(Value::Constant),
            _ => unexpected("a register or a number", operand),
        }
    }

    /// A constant's bits: from the least signed to the greatest unsigned number of the width.
    pub(super) fn constant(&self, number: Number, at: Position) -> Checked<u32> {
        let width = self.unit.width;
        let what = match width.bits() {
            16 => "a number of 16 bits",
            _ => "a number of 32 bits",
        };
        let (least, most) = (-1 << (width.bits() - 1), i64::from(width.mask()));
        range(number.value, what, least, most, at)?;
        Ok(number.value as u32 & width.mask())
    }

    /// A field's lowest bit and width.
    fn field(&self, lowest: &Located<Operand>, width: &Located<Operand>) -> Checked<(u8, u8)> {
        let bits = self.unit.width.bits();
        let number = |operand: &Located<Operand>, what, least, most: u32| match operand.node {
            Operand::Number(number) => {
                range(number.value, what, least, most.into(), operand.at)?;
                Ok(number.value as u32)
            }
            _ => unexpected("a number", operand),
        };
        let at = width.at;
        let lowest = number(lowest, "a field's lowest bit", 0, bits - 1)?;
        let width = number(width, "a field's width", 1, bits)?;
        if lowest + width > bits {
            let problem = Problem::Field {
                lowest,
                width,
                bits,
            };
            return fail(problem, at);
        }
        Ok((lowest as u8, width as u8))
    }

    /// The word that an address names.
    fn cell(&mut self, operand: &Located<Operand>) -> Checked<Cell> {
        let at = operand.at;
        let (name, index) = match &operand.node {
            Operand::Name(name) => {
                let datum = match self.meaning(name) {
                    Some(Meaning::Datum(datum)) => datum,
                    None => self.undeclared_word(name, at),
                    Some(Meaning::Label(_)) => {
                        return fail(wrong_kind(name, "a label", "data"), at);
                    }
                };
                let index = Value::Constant(0);
                return Ok(Cell { datum, index });
            }
            Operand::Number(number) => {
                let index = Index::Number(*number);
                (None, Located { node: index, at })
            }
            Operand::Indexed(name, index) => (name.as_deref(), *index),
            Operand::Register(_) => return unexpected("an address", operand),
        };
        let datum = match (self.meaning(name.unwrap_or(MEMORY)), name) {
            (Some(Meaning::Datum(datum)), _) => datum,
            (Some(Meaning::Label(_)), Some(name)) => {
                return fail(wrong_kind(name, "a label", "data"), at);
            }
            (None, Some(name)) => return fail(Problem::UndeclaredArray(name.to_owned()), at),
            (_, None) => return fail(Problem::NoMemory, at),
        };
        let index = match index.node {
            Index::Register(number) => Value::Register(self.register_number(number, index.at)?),
            Index::Number(number) => {
                let array = &self.unit.data[datum];
                match u32::try_from(number.value) {
                    Ok(word) if word < array.count => Value::Constant(word),
                    _ => {
                        let (name, count) = (array.name.clone(), array.count);
                        return fail(Problem::OutOfArray { name, count }, index.at);
                    }
                }
            }
        };
        Ok(Cell { datum, index })
    }
}

/// Exactly as many operands as there are to be.
fn operands<'c, const N: usize>(
    code: &'c Code,
    takes: &'static str,
) -> Checked<[&'c Located<Operand>; N]> {
    let all: Vec<&Located<Operand>> = code.operands.iter().collect();
    all.try_into().map_err(|_| Diagnostic {
        problem: Problem::Operands {
            mnemonic: code.mnemonic.node.to_string(),
            takes,
        },
        at: code.at(),
    })
}

fn wrong_kind(name: &str, is: &'static str, wanted: &'static str) -> Problem {
    Problem::WrongKind {
        name: name.to_owned(),
        is,
        wanted,
    }
}

fn range(value: i64, what: &'static str, least: i64, most: i64, at: Position) -> Checked<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let problem = Problem::Range {
        value,
        what,
        least,
        most,
    };
    fail(problem, at)
}
