//! What a node computes, as a borrowed view: circuits keep their nodes in flat arrays, and an
//! [`Op`] is made when somebody looks at one.

use super::{Signal, Wire};

/// One operation of a circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op<'a> {
    /// The input of this number.
    Input(u32),
    /// Both.
    And(Wire, Wire),
    /// Exactly one.
    Xor(Wire, Wire),
    /// `then` where `select` is 1, `otherwise` where it is 0.
    Mux {
        /// The condition.
        select: Wire,
        /// The value where the condition is 1.
        then: Wire,
        /// The value where the condition is 0.
        otherwise: Wire,
    },
    /// Any number of functions of one small weighted sum of bits.
    Lookup {
        /// The sum.
        sum: Sum<'a>,
        /// One function for each output.
        tables: Tables<'a>,
    },
    /// Whether an odd number of bits is 1: of any number of them, where lookups stop at fifteen.
    Parity {
        /// The bits: sorted, distinct, neither constant nor inverted, each of weight 1.
        terms: &'a [Term],
    },
    /// Whether one of several bits is 1, of which the author promises that at most one is: their
    /// sum. Where ciphertexts can be added that is no operation at all; its noise is the sum's.
    Disjoint {
        /// The bits: distinct, not constant, each of weight 1 and read inverted or not. None of
        /// them is such a sum itself.
        terms: &'a [Term],
    },
    /// Part of a parity: bits that are added, for parities alone, which read their sum's lowest bit. Where
    /// ciphertexts can be added that is no operation at all. Inserted by a pass.
    Subtotal {
        /// The bits: sorted, distinct, neither constant nor inverted, each of weight 1. None of them
        /// is a sum itself.
        terms: &'a [Term],
    },
    /// The same bit with as little noise as the scheme can give it. Inserted by a pass.
    Refresh(Wire),
    /// Functions of a small sum, as of a lookup, whose results choose: what [`Op::Choose`] reads.
    /// Inserted by a pass. As bits they have next to no noise.
    Selector {
        /// The sum: at most [`SELECTOR_MAX`].
        sum: Sum<'a>,
        /// One function for each output.
        tables: Tables<'a>,
    },
    /// `then` where `select` is 1, `otherwise` where it is 0, by the product with a selector, which
    /// adds to the noise of the bit that is chosen. Authors write it where a condition may decide
    /// much; where it does not, a pass writes a selection.
    Choose {
        /// The condition: positive, and after the pass a signal of a [`Op::Selector`].
        select: Wire,
        /// The value where the condition is 1.
        then: Wire,
        /// The value where the condition is 0: positive, not both constant.
        otherwise: Wire,
    },
    /// The word of an array that an index names: one output for each of its bits that somebody
    /// reads. Authors write it for arrays of which a whole row of bits may be chosen at once.
    Load(Load<'a>),
    /// Whether an odd number of bits is 1, as a *half*: their sum at scale 1/2, where ciphertexts
    /// can be added no operation at all. Inserted by a pass where all readers can read halves.
    Linear {
        /// The bits: sorted, distinct, neither constant nor inverted, each of weight 1, halves or
        /// not. None of them is such a sum itself.
        terms: &'a [Term],
    },
    /// An array in which the word that an index names was replaced: one output, a half, for each
    /// bit of all its words. Authors write it for arrays of which whole rows may be changed at once.
    Store(Store<'a>),
}

/// A write to an array at a secret index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Store<'a> {
    /// The bits of the index, lowest first; the enabling condition, if there is one; the word;
    /// and the bits of the words.
    pub(crate) terms: &'a [Term],
    pub(crate) index: usize,
    pub(crate) is_conditional: bool,
    pub(crate) width: usize,
}

impl<'a> Store<'a> {
    fn conditions_count(&self) -> usize {
        self.index + usize::from(self.is_conditional)
    }

    /// The bits of the index, lowest first, as those of a [`Load`].
    #[must_use]
    pub fn index(&self) -> &'a [Term] {
        &self.terms[..self.index]
    }

    /// Where it is 0 nothing is stored; always if there is none.
    #[must_use]
    pub fn enable(&self) -> Option<&'a Term> {
        self.terms[self.index..]
            .first()
            .filter(|_| self.is_conditional)
    }

    /// Index and enabling condition: what selectors are made of.
    #[must_use]
    pub fn conditions(&self) -> &'a [Term] {
        &self.terms[..self.conditions_count()]
    }

    /// What is stored, lowest bit first; constants among it.
    #[must_use]
    pub fn word(&self) -> &'a [Term] {
        &self.terms[self.conditions_count()..][..self.width]
    }

    /// Word after word, one for each value of the index; constants among them.
    #[must_use]
    pub fn entries(&self) -> &'a [Term] {
        &self.terms[self.conditions_count() + self.width..]
    }

    /// Bits of a word.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }
}

/// A read of an array at a secret index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Load<'a> {
    /// The bits of the index, lowest first, and then those of the words.
    pub(crate) terms: &'a [Term],
    pub(crate) index: usize,
    /// By output: the number of its bit in a word.
    pub(crate) columns: &'a [u16],
}

impl<'a> Load<'a> {
    /// The bits of the index, lowest first: not constant, read inverted or not, and after the pass
    /// signals of [`Op::Selector`].
    #[must_use]
    pub fn index(&self) -> &'a [Term] {
        &self.terms[..self.index]
    }

    /// Word after word, one for each value of the index; constants among them.
    #[must_use]
    pub fn entries(&self) -> &'a [Term] {
        &self.terms[self.index..]
    }

    /// Bits of a word.
    #[must_use]
    pub fn width(&self) -> usize {
        self.entries().len() >> self.index
    }

    /// By output: the number of its bit in a word.
    #[must_use]
    pub fn columns(&self) -> &'a [u16] {
        self.columns
    }

    /// The words, each of [`width`](Self::width) bits.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &'a [Term]> + use<'a> {
        self.entries().chunks_exact(self.width().max(1))
    }
}

/// The largest sum of which selectors can be made.
pub const SELECTOR_MAX: u8 = 3;

impl Op<'_> {
    /// The table by which a lookup engine evaluates an operation of one output: a gate is a
    /// function of the sum of its operands (each as it is read, inverted or not), a selection one
    /// of `4·select + 2·then + otherwise`, a refresh one of its bit alone. For lookups, parities,
    /// sums and inputs without meaning: 0.
    #[must_use]
    pub(crate) fn rotation_mask(&self) -> u16 {
        match self {
            Self::And(..) => 0b100,
            Self::Xor(..) | Self::Refresh(_) => 0b10,
            Self::Mux { .. } => 0b1100_1010,
            Self::Input(_)
            | Self::Lookup { .. }
            | Self::Parity { .. }
            | Self::Disjoint { .. }
            | Self::Subtotal { .. }
            | Self::Selector { .. }
            | Self::Choose { .. }
            | Self::Load(_)
            | Self::Linear { .. }
            | Self::Store(_) => 0,
        }
    }

    /// The weights of the sum by which a lookup engine evaluates the operation, in the order of
    /// its operands; inverted operands count negative. Choices, loads and stores have none.
    pub(crate) fn rotation_weights(&self) -> impl Iterator<Item = (Wire, i8)> + use<'_> {
        let plain: [i8; 3] = if let Self::Mux { .. } = self {
            [4, 2, 1]
        } else {
            [1, 1, 1]
        };
        let terms: &[Term] = match self {
            Self::Load(_) | Self::Store(_) => &[],
            _ => self.terms(),
        };
        let operands = match self {
            Self::Choose { .. } | Self::Load(_) | Self::Store(_) => Self::Input(0).operands(),
            _ => self.operands(),
        };
        let weights = plain.into_iter().take(3 * usize::from(terms.is_empty()));
        let weights = weights.chain(terms.iter().map(|term| term.weight));
        operands
            .zip(weights)
            .map(|(wire, weight)| match wire.is_inverted() {
                true => (wire.positive(), -weight),
                false => (wire, weight),
            })
    }

    /// Whether evaluating it takes a bootstrap on a target: every operation but sums, choices,
    /// loads and stores where lookups are native, elsewhere a refresh.
    #[must_use]
    pub fn is_bootstrap(&self, target: &crate::Profile) -> bool {
        match self {
            Self::Input(_)
            | Self::Disjoint { .. }
            | Self::Subtotal { .. }
            | Self::Choose { .. }
            | Self::Load(_)
            | Self::Linear { .. }
            | Self::Store(_) => false,
            Self::Refresh(_) => true,
            _ => target.lookup.is_some(),
        }
    }

    /// Whether only a target with selectors evaluates it.
    #[must_use]
    pub fn needs_selectors(&self) -> bool {
        matches!(
            self,
            Self::Selector { .. }
                | Self::Choose { .. }
                | Self::Load(_)
                | Self::Linear { .. }
                | Self::Store(_)
        )
    }

    /// The operation's name as reports print it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::And(..) => "and",
            Self::Xor(..) => "xor",
            Self::Mux { .. } => "mux",
            Self::Lookup { .. } => "lookup",
            Self::Parity { .. } => "parity",
            Self::Disjoint { .. } => "disjoint",
            Self::Subtotal { .. } => "subtotal",
            Self::Refresh(_) => "refresh",
            Self::Selector { .. } => "selector",
            Self::Choose { .. } => "choose",
            Self::Load(_) => "load",
            Self::Linear { .. } => "linear",
            Self::Store(_) => "store",
        }
    }
}

impl<'a> Op<'a> {
    /// The terms of a sum, a load or a store; none of other operations.
    #[must_use]
    #[inline]
    pub(crate) fn terms(&self) -> &'a [Term] {
        match *self {
            Self::Lookup { sum, .. } | Self::Selector { sum, .. } => sum.terms,
            Self::Parity { terms }
            | Self::Disjoint { terms }
            | Self::Subtotal { terms }
            | Self::Linear { terms }
            | Self::Load(Load { terms, .. })
            | Self::Store(Store { terms, .. }) => terms,
            _ => &[],
        }
    }

    /// The wires the operation reads, in order.
    #[must_use]
    #[inline]
    pub fn operands(&self) -> Operands<'a> {
        let (few, count) = match *self {
            Self::And(a, b) | Self::Xor(a, b) => ([a, b, Wire::FALSE], 2),
            Self::Mux {
                select,
                then,
                otherwise,
            }
            | Self::Choose {
                select,
                then,
                otherwise,
            } => ([select, then, otherwise], 3),
            Self::Refresh(a) => ([a, Wire::FALSE, Wire::FALSE], 1),
            _ => ([Wire::FALSE; 3], 0),
        };
        Operands {
            terms: self.terms().iter(),
            few,
            next: 0,
            count,
        }
    }
}

/// The wires that an [`Op`] reads.
#[derive(Clone, Debug)]
pub struct Operands<'a> {
    terms: std::slice::Iter<'a, Term>,
    few: [Wire; 3],
    next: usize,
    count: usize,
}

impl Iterator for Operands<'_> {
    type Item = Wire;

    #[inline]
    fn next(&mut self) -> Option<Wire> {
        if self.next < self.count {
            self.next += 1;
            return Some(self.few[self.next - 1]);
        }
        self.terms.next().map(|term| term.wire)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.count - self.next + self.terms.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Operands<'_> {}

impl Op<'_> {
    /// Whether it can read halves.
    #[must_use]
    pub fn reads_halves(&self) -> bool {
        matches!(
            self,
            Self::Refresh(_)
                | Self::Choose { .. }
                | Self::Load(_)
                | Self::Linear { .. }
                | Self::Store(_)
        )
    }

    /// The operands that choose, which are no halves: of choices, loads and stores.
    #[must_use]
    pub(crate) fn conditions(&self) -> usize {
        match self {
            Self::Choose { .. } => 1,
            Self::Load(load) => load.index,
            Self::Store(store) => store.conditions_count(),
            _ => 0,
        }
    }

    /// Whether its results are halves, where `is_half` says which operands are.
    pub(crate) fn is_half(&self, is_half: impl Fn(Signal) -> bool) -> bool {
        match self {
            Self::Linear { .. } | Self::Store(_) => true,
            Self::Choose { .. } | Self::Load(_) => {
                let data = self.operands().skip(self.conditions());
                data.into_iter().any(|wire| is_half(wire.signal()))
            }
            _ => false,
        }
    }
}

/// One weighted bit of a [`Sum`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    /// The bit; in a circuit not constant, and in a lookup or a parity not inverted.
    pub wire: Wire,
    /// Its weight; in a circuit not zero.
    pub weight: i8,
}

/// `t = Σ weight·bit + constant`, with `0 ≤ t ≤ max` for every assignment that can occur: any
/// function of it where `max` is at most 15, negacyclic ones, `f(t + 16) = ¬f(t)`, up to 31.
///
/// In a circuit the terms are sorted by wire, distinct, not constant and not inverted
/// (`w·(1−x) = w − w·x` moves an inversion into the constant).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sum<'a> {
    /// The weighted bits.
    pub terms: &'a [Term],
    /// What is added to them.
    pub constant: i8,
    /// The largest value that `t` takes.
    pub max: u8,
}

/// The functions of a lookup, one for each output: bit `t` of a mask is the function's value at
/// `t`, and of sums above 15 the opposite of that at `t + 16`. In a circuit every function is 0 at 0 (its complement is the inverted wire), and entries
/// that no assignment reaches are chosen for the least `‖v‖²`: see [`table`](super::table).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tables<'a>(&'a [u16]);

impl<'a> Tables<'a> {
    /// Tables from their masks.
    #[must_use]
    pub fn new(masks: &'a [u16]) -> Self {
        Self(masks)
    }

    /// The masks, one for each output.
    #[must_use]
    pub fn masks(&self) -> &'a [u16] {
        self.0
    }

    /// The number of outputs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no output at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
