//! The functions of signals from those of the signals that they are made of.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::{CONDITION, CONE, Diagrams, EACH, Function, SIZE, WORK, constant};
use crate::ir::table::{self, is_negacyclic};
use crate::ir::{Op, Signal, Term};
use crate::{Builder, Wire};

impl Diagrams {
    /// Works out a signal's function, the newest of what it is made of first: what is older than
    /// the first [`CONE`] signals is a variable.
    pub(super) fn explore(&mut self, builder: &Builder, signal: Signal) {
        let mut heap = BinaryHeap::from([signal]);
        let mut found: BTreeSet<Signal> = BTreeSet::new();
        while let Some(next) = heap.pop() {
            if found.len() == CONE {
                break;
            }
            if self.functions.contains_key(&next) || !found.insert(next) {
                continue;
            }
            let (node, _) = builder.signal(next.index());
            let operands = builder.op(node).operands();
            heap.extend(operands.map(Wire::signal).filter(|s| *s != Signal::FALSE));
        }
        let mut work = WORK;
        for signal in found {
            let (node, mask) = builder.signal(signal.index());
            let steps = work.min(EACH);
            self.steps = steps;
            let function = match builder.op(node) {
                // A variable when it is first read, so that what belongs together is together.
                Op::Input(_) => continue,
                op => self.computed(&op, mask),
            };
            work -= steps - self.steps;
            let function = match function {
                Some(function) if self.is_within(function, SIZE) => function,
                _ => self.variable(),
            };
            self.functions.insert(signal, function);
        }
        if !self.functions.contains_key(&signal) {
            self.named(signal);
        }
    }

    /// Makes the bits of a word variables, and forgets the functions of what lies between them and
    /// a signal that is made of them.
    pub(super) fn free(&mut self, builder: &Builder, signal: Signal, word: &[Wire]) {
        let bits = word.iter().filter(|bit| bit.as_constant().is_none());
        let bits: BTreeSet<Signal> = bits.map(|bit| bit.signal()).collect();
        let Some(oldest) = bits.first().copied() else {
            return;
        };
        let mut open = vec![signal];
        let mut between = BTreeSet::new();
        while let Some(next) = open.pop() {
            let is_between = next > oldest && !bits.contains(&next);
            if !is_between || between.len() == CONE || !between.insert(next) {
                continue;
            }
            let (node, _) = builder.signal(next.index());
            open.extend(builder.op(node).operands().map(Wire::signal));
        }
        for signal in between {
            self.functions.remove(&signal);
        }
        for bit in bits {
            let is_free = self
                .functions
                .get(&bit)
                .is_some_and(|f| self.is_variable(*f));
            if !is_free {
                let variable = self.variable();
                self.functions.insert(bit, variable);
            }
        }
    }

    pub(super) fn is_variable(&self, function: Function) -> bool {
        let node = self.nodes[function.0 as usize];
        (node.holds, node.fails) == (Function::TRUE, Function::FALSE)
    }

    /// The function of a signal, a variable if it has none yet.
    fn named(&mut self, signal: Signal) -> Function {
        if let Some(function) = self.functions.get(&signal) {
            return *function;
        }
        let variable = self.variable();
        self.functions.insert(signal, variable);
        variable
    }

    fn operand(&mut self, wire: Wire) -> Option<Function> {
        if let Some(value) = wire.as_constant() {
            return Some(constant(value));
        }
        let function = self.named(wire.signal());
        match wire.is_inverted() {
            true => self.choose(function, Function::FALSE, Function::TRUE),
            false => Some(function),
        }
    }

    /// What an operation makes of its operands, whose functions are known.
    fn computed(&mut self, op: &Op<'_>, mask: u16) -> Option<Function> {
        match *op {
            Op::Input(_) | Op::Load(_) | Op::Store(_) => None,
            Op::Refresh(a) => self.operand(a),
            Op::And(a, b) => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                self.choose(a, b, Function::FALSE)
            }
            Op::Xor(a, b) => {
                let (a, b) = (self.operand(a)?, self.operand(b)?);
                self.differ(a, b)
            }
            Op::Mux {
                select,
                then,
                otherwise,
            }
            | Op::Choose {
                select,
                then,
                otherwise,
            } => {
                let mut condition = self.operand(select)?;
                if !self.is_within(condition, CONDITION) {
                    let variable = self.variable();
                    self.functions.insert(select.signal(), variable);
                    condition = self.operand(select)?;
                }
                let (then, otherwise) = (self.operand(then)?, self.operand(otherwise)?);
                self.choose(condition, then, otherwise)
            }
            Op::Lookup { sum, .. } | Op::Selector { sum, .. } => {
                let function = table::Function {
                    mask,
                    is_negacyclic: is_negacyclic(sum.max),
                };
                self.looked_up(sum.terms, sum.constant, function)
            }
            Op::Parity { terms } | Op::Subtotal { terms } | Op::Linear { terms } => {
                terms.iter().try_fold(Function::FALSE, |odd, term| {
                    let bit = self.operand(term.wire)?;
                    self.differ(odd, bit)
                })
            }
            Op::Disjoint { terms } => terms.iter().try_fold(Function::FALSE, |any, term| {
                let bit = self.operand(term.wire)?;
                self.choose(bit, Function::TRUE, any)
            }),
        }
    }

    fn differ(&mut self, a: Function, b: Function) -> Option<Function> {
        let opposite = self.choose(b, Function::FALSE, Function::TRUE)?;
        self.choose(a, opposite, b)
    }

    /// A table of a weighted sum, bit by bit: what it comes to for each value that the sum of the
    /// bits before can have. A value that the author promised not to occur is as good as any.
    fn looked_up(
        &mut self,
        terms: &[Term],
        constant_term: i8,
        function: table::Function,
    ) -> Option<Function> {
        let mut reached = vec![BTreeSet::from([i32::from(constant_term)])];
        for term in terms {
            let before = reached.last()?;
            let weight = i32::from(term.weight);
            reached.push(before.iter().flat_map(|t| [*t, t + weight]).collect());
        }
        let value = |t: i32| constant(function.at(t));
        let last = reached.pop()?;
        let mut after: BTreeMap<i32, Function> = last.into_iter().map(|t| (t, value(t))).collect();
        for (term, sums) in terms.iter().zip(reached).rev() {
            let bit = self.operand(term.wire)?;
            let weight = i32::from(term.weight);
            let mut here = BTreeMap::new();
            for t in sums {
                let (one, zero) = (*after.get(&(t + weight))?, *after.get(&t)?);
                here.insert(t, self.choose(bit, one, zero)?);
            }
            after = here;
        }
        after.into_values().next()
    }
}
