//! What bits can be, by function: ordered binary decision diagrams of what a [`Builder`] has
//! recorded (R. Bryant, "Graph-based algorithms for Boolean function manipulation", 1986).
//!
//! Folding while a circuit is recorded sees a gate and its operands. That two comparisons exclude
//! each other, that `0 > x` never holds, or which values an index has below a bound is seen only
//! where functions have one form each. Here they have: equal functions are the same [`Function`].
//!
//! Diagrams are exact but may be large, so they are given up where they grow: a signal of which the
//! function is larger than [`SIZE`] is a variable of its own from there on, and so is a selection's
//! condition larger than [`CONDITION`]. What is then said of a function holds for the circuit too:
//! a function that is constant whatever its variables are is constant. The converse need not hold.
//!
//! Cost: a signal is looked at once, and takes as many steps as its function has nodes, for a
//! lookup times the values of its sum. A question looks at [`CONE`] signals at most.

mod compact;
mod cone;
mod hashing;

use crate::ir::Signal;
use crate::{Builder, Wire};
use hashing::Map;

/// The most nodes of a signal's function.
const SIZE: usize = 128;

/// The most nodes of the function of a selection's condition.
const CONDITION: usize = 64;

/// The most nodes of a function that several were combined to.
const COMBINED: usize = 1024;

/// The most steps of one operation on functions.
const STEPS: usize = 1 << 12;

/// The most pairs of nodes that are looked at to see whether functions exclude each other.
const PAIRS: usize = 1 << 10;

/// The most steps of one question, and of one signal of its cone.
const WORK: usize = 1 << 14;
const EACH: usize = 1 << 11;

/// The most signals that one question looks at for the first time.
const CONE: usize = 160;

/// The most nodes of all functions.
const NODES: usize = 1 << 20;

/// A function of circuits' bits; equal ones are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function(u32);

impl Function {
    /// It never holds.
    pub const FALSE: Self = Self(0);
    /// It always holds.
    pub const TRUE: Self = Self(1);
}

/// Its value where a variable is 1, and where it is 0; both depend on later variables only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    holds: Function,
    fails: Function,
}

/// Functions of one builder's signals.
///
/// ```
/// use blindcore_circuits::diagrams::{Diagrams, Function};
/// use blindcore_circuits::{Builder, Profile, library};
///
/// let mut build = Builder::new(&Profile::lookup_simulation());
/// let word = build.inputs(8);
/// // Below ten, and above twelve.
/// let constant = |value: u32| library::constant(value.into(), 8);
/// let small = library::less_than_unsigned(&mut build, &word, &constant(10));
/// let large = library::less_than_unsigned(&mut build, &constant(12), &word);
///
/// let mut diagrams = Diagrams::default();
/// let small = diagrams.of(&build, small).unwrap();
/// let large = diagrams.of(&build, large).unwrap();
/// assert_eq!(diagrams.and(small, large), Some(Function::FALSE));
/// assert!(diagrams.exclude(small, large));
/// let values: Vec<u32> = (0..10).collect();
/// assert_eq!(diagrams.values(&build, &word, small, 16), Some(values));
/// ```
#[derive(Clone, Debug)]
pub struct Diagrams {
    nodes: Vec<Node>,
    unique: Map<Node, Function>,
    /// What `if a { b } else { c }` came to.
    chosen: Map<[Function; 3], Function>,
    functions: Map<Signal, Function>,
    variables: u32,
    /// Steps that the operation in progress may still take.
    steps: usize,
    /// By node: the last count that came by it.
    counted: Vec<u32>,
    counts: u32,
    /// With more nodes than this, some should be forgotten.
    crowded: usize,
}

impl Default for Diagrams {
    fn default() -> Self {
        // The constants' nodes are never looked into.
        let constant = |function| Node {
            variable: u32::MAX,
            holds: function,
            fails: function,
        };
        Self {
            nodes: vec![constant(Function::FALSE), constant(Function::TRUE)],
            unique: Map::default(),
            chosen: Map::default(),
            functions: Map::default(),
            variables: 0,
            steps: 0,
            counted: Vec::new(),
            counts: 0,
            crowded: NODES / 2,
        }
    }
}

impl Diagrams {
    /// The function of a wire; nothing where there is no room for more. The wire must be one of the
    /// builder that the diagrams were asked about before.
    pub fn of(&mut self, builder: &Builder, wire: Wire) -> Option<Function> {
        if let Some(value) = wire.as_constant() {
            return Some(constant(value));
        }
        if !self.functions.contains_key(&wire.signal()) {
            if self.nodes.len() > NODES {
                return None;
            }
            self.explore(builder, wire.signal());
        }
        self.read(wire)
    }

    /// As [`of`](Self::of), for a wire that much is selected by: a large function of it is a
    /// variable from here on.
    pub fn of_condition(&mut self, builder: &Builder, wire: Wire) -> Option<Function> {
        let function = self.of(builder, wire)?;
        if self.is_within(function, CONDITION) {
            return Some(function);
        }
        let variable = self.variable();
        self.functions.insert(wire.signal(), variable);
        self.read(wire)
    }

    /// As [`of_condition`](Self::of_condition), for what compares a word with a number: a large
    /// function is told by the word's bits, which are variables from here on.
    pub fn of_comparison(
        &mut self,
        builder: &Builder,
        wire: Wire,
        word: &[Wire],
    ) -> Option<Function> {
        let function = self.of(builder, wire)?;
        if !self.is_within(function, CONDITION) {
            self.free(builder, wire.signal(), word);
        }
        self.of_condition(builder, wire)
    }

    /// The function of a wire that was looked at.
    fn read(&mut self, wire: Wire) -> Option<Function> {
        if let Some(value) = wire.as_constant() {
            return Some(constant(value));
        }
        let function = *self.functions.get(&wire.signal())?;
        match wire.is_inverted() {
            true => self.not(function),
            false => Some(function),
        }
    }

    /// Where both hold; nothing where that is too large.
    pub fn and(&mut self, a: Function, b: Function) -> Option<Function> {
        self.combined(a, b, Function::FALSE)
    }

    /// Whether they never hold both, as far as that is seen with few steps. Nothing is kept.
    #[must_use]
    pub fn exclude(&self, a: Function, b: Function) -> bool {
        let mut seen: Map<[Function; 2], ()> = Map::default();
        let mut open = vec![[a, b]];
        while let Some(pair) = open.pop() {
            let [a, b] = pair;
            if a == Function::FALSE || b == Function::FALSE {
                continue;
            }
            if a == Function::TRUE || b == Function::TRUE || a == b || seen.len() == PAIRS {
                return false;
            }
            if seen.insert(pair, ()).is_none() {
                let nodes = pair.map(|function| self.nodes[function.0 as usize]);
                let variable = nodes[0].variable.min(nodes[1].variable);
                let side = |at: usize, holds: bool| match (nodes[at].variable == variable, holds) {
                    (false, _) => pair[at],
                    (true, true) => nodes[at].holds,
                    (true, false) => nodes[at].fails,
                };
                open.extend([true, false].map(|holds| [side(0, holds), side(1, holds)]));
            }
        }
        true
    }

    /// Whether a wire's function is known, or takes no work.
    #[must_use]
    pub fn knows(&self, wire: Wire) -> bool {
        wire.as_constant().is_some() || self.functions.contains_key(&wire.signal())
    }

    /// Where one of both holds; nothing where that is too large.
    pub fn or(&mut self, a: Function, b: Function) -> Option<Function> {
        self.combined(a, Function::TRUE, b)
    }

    /// Where the first holds and the second does not; nothing where that is too large.
    pub fn without(&mut self, a: Function, b: Function) -> Option<Function> {
        self.combined(b, Function::FALSE, a)
    }

    fn combined(&mut self, a: Function, b: Function, c: Function) -> Option<Function> {
        self.steps = STEPS;
        let function = self.choose(a, b, c)?;
        self.is_within(function, COMBINED).then_some(function)
    }

    /// Where it does not hold; nothing where that is too large.
    pub fn not(&mut self, function: Function) -> Option<Function> {
        self.steps = STEPS;
        self.choose(function, Function::FALSE, Function::TRUE)
    }

    /// The values that a word (the lowest bit first) can have where `care` holds, and perhaps more,
    /// ascending; nothing if they are more than `limit`, or if that is too much work.
    pub fn values(
        &mut self,
        builder: &Builder,
        word: &[Wire],
        care: Function,
        limit: usize,
    ) -> Option<Vec<u32>> {
        let bits: Option<Vec<Function>> = word.iter().map(|bit| self.of(builder, *bit)).collect();
        let bits = bits?;
        let mut found = Vec::new();
        let mut open = vec![(care, bits.len(), 0u32)];
        let mut left_over = 2 * (limit + 1) * (bits.len() + 1);
        while let Some((care, left, value)) = open.pop() {
            left_over = left_over.checked_sub(1)?;
            if care == Function::FALSE {
                continue;
            }
            let Some(bit) = left.checked_sub(1) else {
                if found.len() == limit {
                    return None;
                }
                found.push(value);
                continue;
            };
            // The last in is looked at first: ascending values.
            let one = self.and(care, bits[bit]).unwrap_or(care);
            open.push((one, bit, value | 1 << bit));
            let zero = self.without(care, bits[bit]).unwrap_or(care);
            open.push((zero, bit, value));
        }
        Some(found)
    }

    /// Whether it has at most so many nodes.
    fn is_within(&mut self, function: Function, limit: usize) -> bool {
        self.counts += 1;
        self.counted.resize(self.nodes.len(), 0);
        let mut count = 1;
        let mut open = vec![function];
        while let Some(next) = open.pop() {
            if count > limit {
                return false;
            }
            let Node { holds, fails, .. } = self.nodes[next.0 as usize];
            for side in [holds, fails] {
                let last = &mut self.counted[side.0 as usize];
                if side.0 > 1 && *last != self.counts {
                    *last = self.counts;
                    count += 1;
                    open.push(side);
                }
            }
        }
        true
    }

    /// A variable that is none of those before.
    fn variable(&mut self) -> Function {
        let variable = self.variables;
        self.variables += 1;
        self.node(variable, Function::TRUE, Function::FALSE)
    }

    fn node(&mut self, variable: u32, holds: Function, fails: Function) -> Function {
        if holds == fails {
            return holds;
        }
        let node = Node {
            variable,
            holds,
            fails,
        };
        let nodes = &mut self.nodes;
        *self.unique.entry(node).or_insert_with(|| {
            nodes.push(node);
            Function(nodes.len() as u32 - 1)
        })
    }

    /// `b` where `a` holds and `c` elsewhere; nothing when its steps are used up. As deep as the
    /// functions have variables, which their size bounds.
    fn choose(&mut self, a: Function, b: Function, c: Function) -> Option<Function> {
        match (a, b, c) {
            (Function::TRUE, ..) => return Some(b),
            (Function::FALSE, ..) => return Some(c),
            (_, Function::TRUE, Function::FALSE) => return Some(a),
            _ if b == c => return Some(b),
            _ => {}
        }
        if let Some(known) = self.chosen.get(&[a, b, c]) {
            return Some(*known);
        }
        self.steps = self.steps.checked_sub(1)?;
        let top = |function: Function| self.nodes[function.0 as usize].variable;
        let variable = top(a).min(top(b)).min(top(c));
        let side = |function: Function, holds: bool| {
            let node = self.nodes[function.0 as usize];
            match (node.variable == variable, holds) {
                (false, _) => function,
                (true, true) => node.holds,
                (true, false) => node.fails,
            }
        };
        let [ones, zeros] = [true, false].map(|value| [a, b, c].map(|of| side(of, value)));
        let holds = self.choose(ones[0], ones[1], ones[2])?;
        let fails = self.choose(zeros[0], zeros[1], zeros[2])?;
        let chosen = self.node(variable, holds, fails);
        self.chosen.insert([a, b, c], chosen);
        Some(chosen)
    }
}

fn constant(value: bool) -> Function {
    if value {
        Function::TRUE
    } else {
        Function::FALSE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, sim};

    /// The values of a function, by lane, where variables have these.
    fn values(diagrams: &Diagrams, function: Function, of: &HashMapOfLanes) -> u64 {
        match function {
            Function::FALSE => 0,
            Function::TRUE => u64::MAX,
            Function(number) => {
                let node = diagrams.nodes[number as usize];
                let lanes = of[&node.variable];
                let (holds, fails) = (
                    values(diagrams, node.holds, of),
                    values(diagrams, node.fails, of),
                );
                lanes & holds | !lanes & fails
            }
        }
    }

    type HashMapOfLanes = std::collections::HashMap<u32, u64>;

    /// Random circuits of six bits, at all their values: each function is what the simulator says,
    /// and a function is constant exactly where all lanes agree.
    #[test]
    fn functions_are_what_the_circuit_computes() {
        let mut state = 1u64;
        let mut random = move |limit: usize| {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) as usize % limit
        };
        let (mut constants, mut compared) = (0, 0);
        for profile in [Profile::lookup_simulation(), Profile::gate_simulation()] {
            for _ in 0..60 {
                let mut build = Builder::new(&profile);
                let inputs = build.inputs(6);
                let mut wires = inputs.clone();
                for _ in 0..40 {
                    let mut pick = || {
                        let from = wires.len().saturating_sub(14);
                        let at = if random(3) == 0 {
                            random(6)
                        } else {
                            from + random(wires.len() - from)
                        };
                        wires[at].invert_if(random(2) == 1)
                    };
                    let (a, b, c, d) = (pick(), pick(), pick(), pick());
                    let mask = random(1 << 16) as u16;
                    let made = match random(6) {
                        0 => build.and(a, b),
                        1 => build.xor(a, b),
                        2 => build.mux(a, b, c),
                        3 => build.parity(&[a, b, c, d, !a]),
                        4 => build.any(&[a, b, c, d]),
                        _ => build.lookup(&[(a, 1), (b, 2), (c, 4), (d, 8)], 0, &[mask])[0],
                    };
                    wires.push(made);
                }
                let mut diagrams = Diagrams::default();
                let functions: Vec<Function> = wires
                    .iter()
                    .map(|wire| diagrams.of(&build, *wire).unwrap())
                    .collect();
                let lanes: Vec<u64> = (0..6)
                    .map(|bit| (0..64).fold(0, |all, lane| all | (lane >> bit & 1) << lane))
                    .collect();
                let variables = inputs.iter().zip(&lanes).map(|(input, lanes)| {
                    let Function(number) = diagrams.of(&build, *input).unwrap();
                    (diagrams.nodes[number as usize].variable, *lanes)
                });
                let variables: HashMapOfLanes = variables.collect();
                for wire in &wires {
                    build.output(*wire);
                }
                let expected = sim::evaluate(&build.finish(), &lanes).unwrap();
                for (function, expected) in functions.into_iter().zip(expected) {
                    assert_eq!(values(&diagrams, function, &variables), expected);
                    let is_constant = expected == 0 || expected == u64::MAX;
                    assert_eq!(
                        function == Function::FALSE || function == Function::TRUE,
                        is_constant
                    );
                    constants += usize::from(is_constant);
                    compared += 1;
                }
            }
        }
        assert!(constants > 50 && compared > 5000, "{constants} {compared}");
    }

    /// What is kept means what it meant, and takes less room.
    #[test]
    fn compaction_keeps_functions() {
        let mut build = Builder::new(&Profile::lookup_simulation());
        let (a, b) = (build.inputs(8), build.inputs(8));
        let mut diagrams = Diagrams::default();
        let less = crate::library::less_than_unsigned(&mut build, &a, &b);
        let sum = crate::library::add(&mut build, &a, &b);
        let before: Vec<Function> = sum
            .iter()
            .filter_map(|bit| diagrams.of(&build, *bit))
            .collect();
        let mut held = diagrams.of(&build, less).unwrap();
        let mut outside = diagrams.without(before[3], held).unwrap();
        let many = diagrams.nodes.len();
        diagrams.compact(&mut [&mut held, &mut outside]);
        assert!(diagrams.nodes.len() < many && diagrams.chosen.is_empty());
        assert_eq!(diagrams.of(&build, less), Some(held));
        let bit = diagrams.of(&build, sum[3]).unwrap();
        assert_eq!(diagrams.without(bit, held), Some(outside));
        let lanes: HashMapOfLanes = (0..16)
            .map(|bit| (bit, 0x9e37_79b9_7f4a_7c15u64.rotate_left(7 * bit)))
            .collect();
        let of_both = values(&diagrams, bit, &lanes) & !values(&diagrams, held, &lanes);
        assert_eq!(values(&diagrams, outside, &lanes), of_both);
    }

    /// Where more is held than there should be, not every question forgets something again.
    #[test]
    fn what_is_held_does_not_crowd() {
        let mut diagrams = Diagrams::default();
        let variables: Vec<Function> = (0..32).map(|_| diagrams.variable()).collect();
        let mut held = vec![Function::TRUE];
        for number in 1u32.. {
            if diagrams.is_crowded() {
                break;
            }
            // Each a product of its own; none is forgotten.
            let bits = variables.iter().enumerate();
            let product = bits.fold(Function::TRUE, |product, (at, variable)| {
                let one = number.wrapping_mul(0x9e37_79b9) >> at & 1 == 1;
                match one {
                    true => diagrams.and(product, *variable).unwrap(),
                    false => diagrams.without(product, *variable).unwrap(),
                }
            });
            held.push(product);
        }
        let many = held.len();
        diagrams.compact(&mut held.iter_mut().collect::<Vec<_>>());
        assert!(!diagrams.is_crowded());
        held.sort_by_key(|function| function.0);
        held.dedup();
        assert_eq!(held.len(), many);
    }

    /// Work on the widest circuit ends.
    #[test]
    fn there_is_an_end_to_it() {
        let mut build = Builder::new(&Profile::lookup_simulation());
        let mut diagrams = Diagrams::default();
        let (mut a, b) = (build.inputs(32), build.inputs(32));
        for _ in 0..20 {
            a = crate::library::multiply(&mut build, &a, &b);
            let odd = crate::library::less_than_unsigned(&mut build, &a, &b);
            assert!(diagrams.of_condition(&build, odd).is_some());
        }
        assert!(diagrams.nodes.len() < 20 * 4 * WORK);
    }
}
