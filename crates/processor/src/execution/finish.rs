//! After the last instruction: which outputs, and which wires leave the last circuit for them.
//!
//! Outputs have names of their own: a file of results could not hold two of one name. The call's
//! result keeps the function's name; of variables a global one keeps its name, else the first, and
//! the others are called `state@0x00009078`, as [`Program::variable`](crate::Program::variable)
//! takes them.

use std::collections::{BTreeSet, HashMap, HashSet};

use circuits::Wire;

use super::{CallResult, EndBit, EndOutput, Execution};
use crate::numbering::Numbering;
use crate::program::Variable;
use crate::task::{ASTRAY, EXCEEDED, FAULTED, Wanted};
use values::{Element, Type};

impl<'p> Execution<'p> {
    /// The wanted outputs, and the wires that the last circuit gives for their secret bits.
    pub(super) fn outputs(&mut self) -> (Vec<EndOutput>, Vec<Wire>) {
        let mut collector = Collector::default();
        let variables: Vec<&Variable> = match self.wanted {
            Wanted::Variables(variables) => variables.iter().collect(),
            Wanted::Written => self.written(),
        };
        let result = self.result.as_ref().map(|result| result.name.as_str());
        for (name, variable) in named(&variables, result) {
            let bytes = (0..variable.size).map(|i| variable.address.wrapping_add(i));
            let wires = bytes.flat_map(|address| self.machine.memory.byte(address));
            let wires = wires
                .skip(usize::from(variable.shift))
                .take(variable.bits());
            collector.add(name, variable.type_or_bytes(), wires);
        }
        if let Some(CallResult { name, ty }) = &self.result {
            let words = (0..2).flat_map(|number| self.machine.peek(number).wires());
            let wires = words.take(ty.bits());
            collector.add(name.clone(), ty.clone(), wires);
        }
        for (name, bit) in [
            (ASTRAY, self.machine.astray()),
            (FAULTED, self.machine.faulted()),
            (EXCEEDED, self.machine.exceeded()),
        ] {
            if bit != Wire::FALSE {
                let wires = [bit].into_iter().chain([Wire::FALSE; 7]);
                collector.add(name.to_owned(), Type::scalar(Element::Boolean), wires);
            }
        }
        (collector.outputs, collector.wires)
    }

    /// The variables that the program wrote to, of aliases the first. A program in assembly leaves
    /// its results in data memory; one that wrote nothing there gives its registers.
    fn written(&self) -> Vec<&'p Variable> {
        let mut seen = BTreeSet::new();
        let memory = &self.machine.memory;
        let mut written: Vec<&Variable> = self
            .program
            .variables()
            .iter()
            .filter(|variable| {
                memory.contains(variable.address, variable.size)
                    && memory.was_written(variable.address, variable.size)
                    && seen.insert(variable.address)
            })
            .collect();
        let is_register = |variable: &Variable| self.program.is_register(variable);
        if !written.iter().all(|variable| is_register(variable)) {
            written.retain(|variable| !is_register(variable));
        }
        written
    }
}

/// The leaves of variables, each with a name that neither another nor the result has.
fn named<'v>(variables: &[&'v Variable], result: Option<&str>) -> Vec<(String, &'v Variable)> {
    let leaves = || {
        let pairs = variables.iter().enumerate();
        pairs.flat_map(|(number, variable)| variable.leaves().iter().map(move |l| (number, l)))
    };
    // By name: the variable that keeps it.
    let mut owners: HashMap<&str, usize> = HashMap::new();
    for (number, leaf) in leaves() {
        let owner = owners.entry(&leaf.name).or_insert(number);
        if variables[number].global && !variables[*owner].global {
            *owner = number;
        }
    }
    let mut taken: HashSet<String> = result.map(str::to_owned).into_iter().collect();
    let mut outputs = Vec::new();
    for (number, leaf) in leaves() {
        let owned = owners.get(leaf.name.as_str()) == Some(&number);
        let mut name = leaf.name.clone();
        if !owned || taken.contains(&name) {
            name = leaf.name_with_address();
        }
        // One variable wanted again and again is one output.
        if taken.insert(name.clone()) {
            outputs.push((name, leaf));
        }
    }
    outputs
}

/// Gathers output bits; each wire leaves the circuit once.
#[derive(Default)]
struct Collector {
    outputs: Vec<EndOutput>,
    wires: Vec<Wire>,
    places: Numbering,
}

impl Collector {
    fn add(&mut self, name: String, ty: Type, wires: impl Iterator<Item = Wire>) {
        let mut bits = Vec::new();
        for wire in wires {
            if let Some(value) = wire.as_constant() {
                bits.push(EndBit::Clear(value));
                continue;
            }
            let key = 2 * wire.signal().index() + usize::from(wire.is_inverted());
            let number = self.places.number(key);
            if number == self.wires.len() {
                self.wires.push(wire);
            }
            bits.push(EndBit::Secret(number));
        }
        self.outputs.push(EndOutput { name, ty, bits });
    }
}
