//! After the last instruction: which outputs, and which wires leave the last circuit for them.

use std::collections::{BTreeSet, HashMap};

use circuits::Wire;

use super::{CallResult, EndBit, EndOutput, Execution};
use crate::program::Variable;
use crate::task::Wanted;
use crate::values::Type;

impl<'p> Execution<'p> {
    /// The wanted outputs, and the wires that the last circuit gives for their secret bits.
    pub(super) fn outputs(&self) -> (Vec<EndOutput>, Vec<Wire>) {
        let mut collector = Collector::default();
        let written;
        let variables: Vec<&Variable> = match self.wanted {
            Wanted::Variables(variables) => variables.iter().flat_map(Variable::leaves).collect(),
            Wanted::Written => {
                written = self.written();
                written.into_iter().flat_map(Variable::leaves).collect()
            }
        };
        for variable in variables {
            let bytes = (0..variable.size).map(|i| variable.address.wrapping_add(i));
            let wires = bytes.flat_map(|address| self.machine.memory.byte(address));
            collector.add(variable.name.clone(), variable.type_or_bytes(), wires);
        }
        if let Some(CallResult { name, element }) = &self.result {
            let words = (0..2).flat_map(|number| self.machine.peek(number).wires());
            let wires = words.take(element.bits() as usize);
            collector.add(name.clone(), Type::scalar(*element), wires);
        }
        (collector.outputs, collector.wires)
    }

    /// The variables that the program wrote to, of aliases the first.
    fn written(&self) -> Vec<&'p Variable> {
        let mut seen = BTreeSet::new();
        let memory = &self.machine.memory;
        self.program
            .variables()
            .iter()
            .filter(|variable| {
                memory.contains(variable.address, variable.size)
                    && memory.was_written(variable.address, variable.size)
                    && seen.insert(variable.address)
            })
            .collect()
    }
}

/// Gathers output bits; each wire leaves the circuit once.
#[derive(Default)]
struct Collector {
    outputs: Vec<EndOutput>,
    wires: Vec<Wire>,
    places: HashMap<Wire, usize>,
}

impl Collector {
    fn add(&mut self, name: String, ty: Type, wires: impl Iterator<Item = Wire>) {
        let mut bits = Vec::new();
        for wire in wires {
            bits.push(match wire.as_constant() {
                Some(value) => EndBit::Clear(value),
                None => EndBit::Secret(*self.places.entry(wire).or_insert_with(|| {
                    self.wires.push(wire);
                    self.wires.len() - 1
                })),
            });
        }
        self.outputs.push(EndOutput { name, ty, bits });
    }
}
