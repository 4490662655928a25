//! What words say of other words: that one is a difference, that a bit is whether two are equal.
//!
//! Compilers write `x == y` as a subtraction and a test of its result, with flags or as `sub`, `clz`,
//! `lsr #5`, and `!!x` as a choice between 1 and x itself. As circuits these are a chain of carries that
//! nobody else reads, and a selection among bits that are known to be zero. So a difference remembers its
//! operands: whether it is zero is whether these are equal, and an order in which equality is the other
//! side (`hi`, `ls`, `gt`, `le`) is the opposite one of the operands exchanged. And a bit that says that a
//! word is some number stands for that number wherever the word is chosen by it. Whether a word lies between
//! two numbers is a difference that is compared with another number: the word is compared itself.
//!
//! The records belong to the circuit that is being recorded, and end with it.

use std::collections::HashMap;
use std::rc::Rc;

use a32::{AluOperation, Condition, Instruction, Operation, SetFlags};
use circuits::{Wire, library};

use super::word::Wires;
use super::{Flow, Symbolic, Word, Zero, flow};

/// Instructions after a comparison that are looked at for what they ask of it.
const AHEAD: u32 = 8;
/// A word is compared with both ends of a range that differ in at most so many bits. Beyond that the
/// difference and one comparison are as cheap, and cheaper where the difference is read anyway.
const RANGE_BITS: u32 = 8;

/// `a − b`, and the flags that came with it.
#[derive(Clone, Debug)]
struct Difference {
    a: Word,
    b: Word,
    carry: Wire,
    overflow: Wire,
}

/// The bits of a difference, its carry and its overflow: differences of other words may have the same bits.
type Flags = (Wires, Wire, Wire);

/// What is known of words and bits.
#[derive(Clone, Debug, Default)]
pub(super) struct Compared {
    /// By the bits of a word: the words that it is the difference of.
    differences: HashMap<Wires, Rc<Difference>>,
    /// By the bits of a word: the word whose leading zeros it counts.
    counts: HashMap<Wires, Wires>,
    /// By a bit: words that are certain numbers where it is 1.
    numbers: HashMap<Wire, Vec<(Wires, u32)>>,
    /// By a condition and a difference: whether it holds, which a path that comes by again must find the same.
    outcomes: HashMap<(Condition, Flags), Wire>,
    /// The last carry flag that was asked for by itself.
    carry_asked: Option<Wire>,
}

impl Compared {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn note_carry_asked(&mut self, carry: Wire) {
        self.carry_asked = Some(carry);
    }

    /// What a word is where a condition holds.
    pub(super) fn under(&self, condition: Wire, word: &Word) -> Option<Word> {
        let Word::Secret(wires) = word else {
            return None;
        };
        let numbers = self.numbers.get(&condition)?;
        let number = numbers.iter().find(|(known, _)| *known == **wires);
        number.map(|(_, number)| Word::Clear(*number))
    }
}

impl Symbolic {
    /// Notes `a + b + 1`, which is `a − ¬b`.
    pub(super) fn note_difference(&mut self, a: &Word, b: &Word, sum: &a32::Sum<Word, Wire>) {
        let Word::Secret(wires) = &sum.result else {
            return;
        };
        let b = match b {
            // A word less 0 is that word, whatever difference it may be.
            Word::Clear(u32::MAX) => return,
            Word::Clear(number) => Word::Clear(!number),
            Word::Secret(wires) => Word::from_wires(wires.map(|wire| !wire)),
        };
        let difference = Difference {
            a: a.clone(),
            b,
            carry: sum.carry,
            overflow: sum.overflow,
        };
        self.compared
            .differences
            .insert(**wires, Rc::new(difference));
    }

    pub(super) fn note_leading_zeros(&mut self, word: &Wires, count: &Word) {
        if let Word::Secret(wires) = count {
            self.compared.counts.insert(**wires, *word);
        }
    }

    /// A count of leading zeros, moved right so far that one bit is left: whether the word is zero.
    pub(super) fn is_all_leading_zeros(&mut self, count: &Wires) -> Option<Word> {
        let counted = *self.compared.counts.get(count)?;
        let zero = self.is_zero(&Word::from_wires(counted), true);
        let mut bits = [Wire::FALSE; 32];
        bits[0] = zero;
        Some(Word::from_wires(bits))
    }

    /// Whether a word is zero; by its operands, if it is a difference and that is wanted.
    pub(super) fn is_zero(&mut self, word: &Word, by_operands: bool) -> Wire {
        let Word::Secret(wires) = word else {
            return self.builder_is_zero(word);
        };
        let difference = self.compared.differences.get(&**wires).cloned();
        let zero = match &difference {
            Some(found) if by_operands => {
                library::equal(&mut self.builder, &found.a.wires(), &found.b.wires())
            }
            _ => self.builder_is_zero(word),
        };
        if zero.as_constant().is_none() {
            let known = self.compared.numbers.entry(zero).or_default();
            let mut note = |wires: &Wires, number: u32| {
                if !known.iter().any(|(other, _)| other == wires) {
                    known.push((*wires, number));
                }
            };
            note(wires, 0);
            if let Some(found) = difference
                && let (Word::Secret(a), Word::Clear(number)) = (&found.a, &found.b)
            {
                note(a, *number);
            }
        }
        zero
    }

    fn builder_is_zero(&mut self, word: &Word) -> Wire {
        library::is_zero(&mut self.builder, &word.wires())
    }

    /// Whether the word is zero that the flags come from: by its operands where the flags are asked for
    /// nothing else.
    pub(super) fn zero_of_flags(&mut self, word: &Word) -> Wire {
        let is_equality = |condition| matches!(condition, Condition::Equal | Condition::NotEqual);
        let Some(found) = self.difference_of_flags(word) else {
            return self.is_zero(word, false);
        };
        let test = (
            Condition::Equal,
            (word.wires(), found.carry, found.overflow),
        );
        if let Some(known) = self.compared.outcomes.get(&test) {
            return *known;
        }
        let is_alone = self.compared.carry_asked != Some(found.carry);
        let zero = self.is_zero(word, is_alone && self.asks_only(is_equality));
        self.compared.outcomes.insert(test, zero);
        zero
    }

    /// `hi`, `lt` or `le`, by the operands of the comparison that the flags come from, where nothing but that or
    /// its opposite is asked of them; `cs` where it asks for a range.
    pub(super) fn order_of_flags(&mut self, condition: Condition) -> Option<Wire> {
        let opposite = match condition {
            Condition::CarrySet => Condition::CarryClear,
            Condition::UnsignedHigher => Condition::UnsignedLowerOrSame,
            Condition::SignedLess => Condition::SignedGreaterOrEqual,
            Condition::SignedLessOrEqual => Condition::SignedGreater,
            _ => return None,
        };
        let is_unsigned = matches!(condition, Condition::CarrySet | Condition::UnsignedHigher);
        let (word, found) = self.compared_by_flags()?;
        let is_own = match is_unsigned {
            true => found.carry == self.carry,
            false => found.overflow == self.overflow,
        };
        if !is_own {
            return None;
        }
        let test = (condition, (word, found.carry, found.overflow));
        if let Some(known) = self.compared.outcomes.get(&test) {
            return Some(*known);
        }
        let is_shared = is_unsigned && self.compared.carry_asked == Some(found.carry);
        if is_shared || !self.asks_only(|asked| asked == condition || asked == opposite) {
            return None;
        }
        let (a, b) = (found.a.wires(), found.b.wires());
        let range = self.range_of(condition, &found);
        let build = &mut self.builder;
        let outcome = match condition {
            _ if let Some((word, first, last)) = range => {
                !library::between(build, &word, first.into(), last.into())
            }
            // By itself the carry is as cheap.
            Condition::CarrySet => return None,
            Condition::UnsignedHigher => library::less_than_unsigned(build, &b, &a),
            Condition::SignedLess => library::less_than_signed(build, &a, &b),
            _ => !library::less_than_signed(build, &b, &a),
        };
        self.compared.outcomes.insert(test, outcome);
        Some(outcome)
    }

    /// Of a comparison of `word − first` with a number: the word, and the first and the last number for which
    /// the condition, `cs` or `hi`, does not hold. That is how compilers ask whether a word lies between two
    /// numbers; of the difference often nothing else is read.
    fn range_of(&self, condition: Condition, found: &Difference) -> Option<(Wires, u32, u32)> {
        let (Word::Secret(moved), Word::Clear(compared)) = (&found.a, &found.b) else {
            return None;
        };
        let length = match condition {
            Condition::CarrySet => compared.checked_sub(1)?,
            Condition::UnsignedHigher => *compared,
            _ => return None,
        };
        let origin = self.compared.differences.get(&**moved)?;
        let (Word::Secret(word), Word::Clear(first)) = (&origin.a, &origin.b) else {
            return None;
        };
        let last = first.checked_add(length)?;
        ((first ^ last) >> RANGE_BITS == 0).then_some((**word, *first, last))
    }

    /// The difference whose flags these are, if nobody asked for its zero yet.
    fn compared_by_flags(&self) -> Option<(Wires, Rc<Difference>)> {
        let Zero::Of(word, Word::Clear(0)) = &self.zero else {
            return None;
        };
        let found = self.difference_of_flags(word)?;
        (self.negative == word.bit(31)).then(|| (word.wires(), found))
    }

    fn difference_of_flags(&self, word: &Word) -> Option<Rc<Difference>> {
        match word {
            Word::Secret(wires) => self.compared.differences.get(&**wires).cloned(),
            Word::Clear(_) => None,
        }
    }

    /// Whether the instructions from here on ask of the flags nothing else, until they are set again. They
    /// are read from memory, which a run that is resumed has too.
    fn asks_only(&self, is_asked: impl Fn(Condition) -> bool) -> bool {
        let mut at = self.pc;
        for _ in 0..AHEAD {
            let word = self.memory.fetch(at).flatten();
            let Some(found) = word.and_then(|word| a32::decode(word).ok()) else {
                return false;
            };
            let is_foreign = found.condition != Condition::Always && !is_asked(found.condition);
            if is_foreign || reads_carry(&found) {
                return false;
            }
            // What a branch asks, both of its paths may ask again.
            let is_branch = flow(&found, at) != Flow::On;
            if sets_flags(&found) || is_branch {
                return !is_branch || found.condition == Condition::Always;
            }
            at = at.wrapping_add(4);
        }
        true
    }
}

fn sets_flags(instruction: &Instruction) -> bool {
    match instruction.operation {
        Operation::Compare { .. } => true,
        Operation::Alu { set_flags, .. }
        | Operation::Move { set_flags, .. }
        | Operation::Multiply { set_flags, .. }
        | Operation::MultiplyAccumulate { set_flags, .. } => set_flags == SetFlags::Yes,
        _ => false,
    }
}

fn reads_carry(instruction: &Instruction) -> bool {
    let is_with_carry = |op| {
        matches!(
            op,
            AluOperation::Adc | AluOperation::Sbc | AluOperation::Rsc
        )
    };
    matches!(instruction.operation, Operation::Alu { op, .. } if is_with_carry(op))
}
