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
//! On a path of which much is known ([`known`](super::known)) comparisons are made of what is left of the words
//! there, and what they say is kept with where it holds.
//!
//! The records belong to the circuit that is being recorded, and end with it.

use std::collections::HashMap;
use std::rc::Rc;

use a32::{AluOperation, Condition, Instruction, Operation, SetFlags};
use circuits::{Wire, library};

use super::feasible::Care;
use super::word::Wires;
use super::{Flow, Symbolic, Word, Zero, flow};

/// Instructions after a comparison, and after each branch that follows, that are looked at for what they ask
/// of it.
const AHEAD: u32 = 8;
/// Paths on which they are looked at.
const PATHS: usize = 8;
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
    /// By a condition and a difference: whether it holds, and where that was found by what is known of the words
    /// on a path.
    outcomes: HashMap<(Condition, Flags), Vec<(Care, Wire)>>,
    /// By what was found on a path: the same of the whole words, and where it is the same.
    plain: HashMap<Wire, (Care, Wire)>,
    /// The last carry flag that was asked for by itself.
    carry_asked: Option<Wire>,
    /// The last sum, if it was a difference.
    last: Option<(Wires, Rc<Difference>)>,
    /// Whether the word was zero of which an instruction under a condition replaced the flags, and the word that
    /// they come from since, if it is one secret one.
    zero_before: Option<(Wire, Wires)>,
    /// The last comparison that was made where another one's words differ.
    second: Option<Second>,
}

/// A comparison under `ne`, and the flags afterwards: `x == 9 || y > 5`, as compilers write it.
#[derive(Clone, Debug)]
struct Second {
    differs: Wire,
    word: Wires,
    found: Rc<Difference>,
    flags: [Wire; 4],
}

impl Compared {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Forgets what was found by what is known on paths.
    pub(super) fn forget_paths(&mut self) {
        self.plain.clear();
        for outcomes in self.outcomes.values_mut() {
            outcomes.retain(|(care, _)| *care == Care::ALWAYS);
        }
    }

    /// The next sum is none of those before.
    #[inline]
    pub(super) fn forget_last(&mut self) {
        self.last = None;
    }

    /// The zero flag is no longer that of a word.
    pub(super) fn forget_zero_before(&mut self) {
        self.zero_before = None;
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
        let difference = Rc::new(difference);
        self.compared.last = Some((**wires, Rc::clone(&difference)));
        self.compared.differences.insert(**wires, difference);
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
            let known = self.known_here(word);
            let plain = self.is_zero(word, false);
            if known == word.wires() {
                return plain;
            }
            let zero = library::is_zero(&mut self.builder, &known);
            self.note_plain(zero, plain, self.care);
            return zero;
        };
        let (a, b, care) = self.operands_here(&found);
        let flags = (word.wires(), found.carry, found.overflow);
        if let Some(known) = self.outcome_of(Condition::Equal, flags) {
            return known;
        }
        let is_alone = self.compared.carry_asked != Some(found.carry);
        let plain = self.is_zero(word, is_alone && self.asks_only(is_equality));
        let zero = match care == Care::ALWAYS {
            true => plain,
            false => library::equal(&mut self.builder, &a, &b),
        };
        self.note_plain(zero, plain, care);
        self.note_outcome((Condition::Equal, flags), care, zero);
        zero
    }

    /// The operands of a difference as they are known on the present path, and where, if they are known better
    /// there than elsewhere.
    fn operands_here(&mut self, found: &Difference) -> (Wires, Wires, Care) {
        let (a, b) = (self.known_here(&found.a), self.known_here(&found.b));
        let is_same = a == found.a.wires() && b == found.b.wires();
        (a, b, if is_same { Care::ALWAYS } else { self.care })
    }

    /// What was found before, for the present path or more: a path that comes by again must find the same, and
    /// what it knows of its own conditions is worth more than few bits.
    fn outcome_of(&mut self, condition: Condition, flags: Flags) -> Option<Wire> {
        let outcomes = self.compared.outcomes.get(&(condition, flags))?;
        let mut holds = |care| care == Care::ALWAYS || self.care.implies(&mut self.diagrams, care);
        let found = outcomes.iter().find(|(care, _)| holds(*care));
        found.map(|(_, outcome)| *outcome)
    }

    fn note_plain(&mut self, short: Wire, plain: Wire, care: Care) {
        if short != plain && short.as_constant().is_none() {
            let plain = plain.invert_if(short.is_inverted());
            self.compared.plain.insert(short.positive(), (care, plain));
        }
    }

    /// A condition as it is made of whole words, if it is the same where `care` holds: more is known of those.
    pub(super) fn plain_where(&mut self, care: Care, condition: Wire) -> Wire {
        match self.compared.plain.get(&condition.positive()) {
            Some(&(known, plain)) if care.implies(&mut self.diagrams, known) => {
                plain.invert_if(condition.is_inverted())
            }
            _ => condition,
        }
    }

    fn note_outcome(&mut self, of: (Condition, Flags), care: Care, outcome: Wire) {
        let outcomes = self.compared.outcomes.entry(of).or_default();
        outcomes.push((care, outcome));
    }

    /// Notes that the flags come from a sum under a condition, the last one.
    pub(super) fn note_second(&mut self) {
        let first = self.compared.zero_before.take();
        let last = self.compared.last.take();
        if let (Some(differs), Some((equal, of)), Some((word, found))) =
            (self.predicate, first, last)
            && differs == !equal
            && of == word
            && let Zero::Known(zero) = self.zero
        {
            self.compared.second = Some(Second {
                differs,
                word,
                found,
                flags: [self.negative, zero, self.carry, self.overflow],
            });
        }
    }

    pub(super) fn note_zero_before(&mut self, zero: Wire, words: &[Word]) {
        self.compared.zero_before = match words {
            [Word::Secret(wires)] => Some((zero, **wires)),
            _ => None,
        };
    }

    /// `hi`, `lt` or `le`, by the operands of the comparison that the flags come from, where nothing but that or
    /// its opposite is asked of them; `cs` where it asks for a range.
    pub(super) fn order_of_flags(&mut self, condition: Condition) -> Option<Wire> {
        if let Some(second) = self.second_of_flags() {
            // Where the first comparison's words are the same, zero decides.
            let outcome = match condition {
                Condition::UnsignedHigher => {
                    let higher = self.order_of(condition, second.word, &second.found)?;
                    self.builder.and(second.differs, higher)
                }
                Condition::SignedLessOrEqual => {
                    let at_most = self.order_of(condition, second.word, &second.found)?;
                    !self.builder.and(second.differs, !at_most)
                }
                _ => return None,
            };
            return Some(outcome);
        }
        let (word, found) = self.compared_by_flags()?;
        let is_own = match condition {
            Condition::CarrySet | Condition::UnsignedHigher => found.carry == self.carry,
            _ => found.overflow == self.overflow,
        };
        match is_own {
            true => self.order_of(condition, word, &found),
            false => None,
        }
    }

    fn second_of_flags(&self) -> Option<Second> {
        let Zero::Known(zero) = self.zero else {
            return None;
        };
        let flags = [self.negative, zero, self.carry, self.overflow];
        let second = self.compared.second.as_ref();
        second.filter(|second| second.flags == flags).cloned()
    }

    /// What a comparison says, of a difference and its word.
    fn order_of(&mut self, condition: Condition, word: Wires, found: &Difference) -> Option<Wire> {
        let opposite = match condition {
            Condition::CarrySet => Condition::CarryClear,
            Condition::UnsignedHigher => Condition::UnsignedLowerOrSame,
            Condition::SignedLess => Condition::SignedGreaterOrEqual,
            Condition::SignedLessOrEqual => Condition::SignedGreater,
            _ => return None,
        };
        let is_unsigned = matches!(condition, Condition::CarrySet | Condition::UnsignedHigher);
        let (a, b, care) = self.operands_here(found);
        let flags = (word, found.carry, found.overflow);
        if let Some(known) = self.outcome_of(condition, flags) {
            return Some(known);
        }
        if let Some(remains) = self.asks_for_multiple(condition, found) {
            self.note_outcome((condition, flags), Care::ALWAYS, remains);
            return Some(remains);
        }
        let is_shared = is_unsigned && self.compared.carry_asked == Some(found.carry);
        if is_shared || !self.asks_only(|asked| asked == condition || asked == opposite) {
            return None;
        }
        let range = self.range_of(condition, found);
        let whole = (found.a.wires(), found.b.wires());
        let build = &mut self.builder;
        let mut ordered = |(a, b): (Wires, Wires)| match condition {
            Condition::CarrySet => !library::less_than_unsigned(build, &a, &b),
            Condition::UnsignedHigher => library::less_than_unsigned(build, &b, &a),
            Condition::SignedLess => library::less_than_signed(build, &a, &b),
            _ => !library::less_than_signed(build, &b, &a),
        };
        let short = (care != Care::ALWAYS).then(|| ordered((a, b)));
        let plain = match range {
            Some((word, first, last)) => {
                !library::between(&mut self.builder, &word, first.into(), last.into())
            }
            // Passes make the carry as cheap where nobody reads the difference.
            None if condition == Condition::CarrySet => found.carry,
            None => ordered(whole),
        };
        let outcome = match short {
            Some(short) => {
                self.note_plain(short, plain, care);
                short
            }
            None if range.is_none() && condition == Condition::CarrySet => return None,
            None => plain,
        };
        self.note_outcome((condition, flags), care, outcome);
        Some(outcome)
    }

    /// `cs` or `hi`, if that is whether something has a remainder.
    fn asks_for_multiple(&mut self, condition: Condition, found: &Difference) -> Option<Wire> {
        match (&found.a, &found.b) {
            (word, Word::Clear(number)) => self.is_no_multiple(word, last_of(condition, *number)?),
            // The number is at least the word, or more.
            (Word::Clear(number), word) => {
                let most = match condition {
                    Condition::CarrySet => *number,
                    Condition::UnsignedHigher => number.checked_sub(1)?,
                    _ => return None,
                };
                self.is_no_multiple(word, most).map(|wire| !wire)
            }
            _ => None,
        }
    }

    /// Of a comparison of `word − first` with a number: the word, and the first and the last number for which
    /// the condition, `cs` or `hi`, does not hold. That is how compilers ask whether a word lies between two
    /// numbers; of the difference often nothing else is read.
    fn range_of(&self, condition: Condition, found: &Difference) -> Option<(Wires, u32, u32)> {
        let (Word::Secret(moved), Word::Clear(compared)) = (&found.a, &found.b) else {
            return None;
        };
        let length = last_of(condition, *compared)?;
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

    /// The words that a word is the difference of.
    pub(super) fn operands_of(&self, word: &Wires) -> Option<[Wires; 2]> {
        let found = self.compared.differences.get(word)?;
        Some([found.a.wires(), found.b.wires()])
    }

    fn difference_of_flags(&self, word: &Word) -> Option<Rc<Difference>> {
        match word {
            Word::Secret(wires) => self.compared.differences.get(&**wires).cloned(),
            Word::Clear(_) => None,
        }
    }

    /// Whether the instructions from here on ask of the flags nothing else, until they are set again, on
    /// either side of a branch. They are read from memory, which a run that is resumed has too. Behind calls,
    /// returns and computed jumps nobody is taken to ask. Only what the circuit costs depends on the answer.
    fn asks_only(&self, is_asked: impl Fn(Condition) -> bool) -> bool {
        let mut paths = vec![self.pc];
        let mut begun = 0;
        while let Some(&start) = paths.get(begun) {
            begun += 1;
            let mut at = start;
            for _ in 0..AHEAD {
                let word = self.memory.fetch(at).flatten();
                let Some(found) = word.and_then(|word| a32::decode(word).ok()) else {
                    return false;
                };
                let is_sure = found.condition == Condition::Always;
                if !is_sure && !is_asked(found.condition) || reads_carry(&found) {
                    return false;
                }
                let goes = flow(&found, at);
                if let Flow::Jump(target) = goes
                    && !paths.contains(&target)
                {
                    if paths.len() == PATHS {
                        return false;
                    }
                    paths.push(target);
                }
                if is_sure && goes != Flow::On || sets_flags(&found) {
                    break;
                }
                at = at.wrapping_add(4);
            }
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

/// The largest word for which a comparison with a number, `cs` or `hi`, does not hold.
fn last_of(condition: Condition, number: u32) -> Option<u32> {
    match condition {
        Condition::CarrySet => number.checked_sub(1),
        Condition::UnsignedHigher => Some(number),
        _ => None,
    }
}
