//! A netlist while a file is read: nets by number, gates in any order.
//!
//! Nets appear when they are named, so that nothing is as large as a file says and everything as
//! large as it is. [`Draft::finish`] sorts the gates so that each reads what is before it
//! (depth-first, without recursion: a chain may be as long as the file), linear in the file.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::ir::{Signal, Wire};

use super::netlist::{Function, Gate, Netlist};
use super::{FormatError, Interface, Place, Problem};

/// The number of a net.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Net(pub(super) u32);

/// A net as it is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Read {
    /// A known bit.
    Constant(bool),
    /// The net, or its inverse.
    Net { net: Net, inverted: bool },
}

impl Read {
    pub(super) fn invert_if(self, condition: bool) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(value ^ condition),
            Self::Net { net, inverted } => Self::Net {
                net,
                inverted: inverted ^ condition,
            },
        }
    }
}

impl From<Net> for Read {
    fn from(net: Net) -> Self {
        Self::Net {
            net,
            inverted: false,
        }
    }
}

/// What drives a net.
#[derive(Clone, Debug)]
enum Driver {
    Nothing,
    Input,
    Gate {
        function: Function,
        operands: Range<usize>,
        /// The net is the gate's inverse.
        inverted: bool,
    },
}

/// Where something was said, as compactly as millions of gates ask for; the reader knows what the
/// number means.
pub(super) type Mark = u32;

struct Entry {
    driver: Driver,
    mark: Mark,
}

/// Nets and gates so far.
#[derive(Default)]
pub(super) struct Draft {
    nets: Vec<Entry>,
    operands: Vec<Read>,
    tables: Vec<bool>,
    inputs: Vec<Net>,
    kinds: BTreeMap<String, usize>,
}

/// How a reader names what it numbered.
pub(super) trait Names {
    fn net(&self, net: Net) -> String;
    fn place(&self, mark: Mark) -> Place;
}

impl Draft {
    /// A net that nothing drives yet.
    pub(super) fn net(&mut self) -> Net {
        self.nets.push(Entry {
            driver: Driver::Nothing,
            mark: 0,
        });
        Net(self.nets.len() as u32 - 1)
    }

    /// Counts a gate of the file.
    pub(super) fn count(&mut self, kind: &str) {
        match self.kinds.get_mut(kind) {
            Some(count) => *count += 1,
            None => _ = self.kinds.insert(kind.to_owned(), 1),
        }
    }

    /// Declares that a net is the next bit of the inputs.
    pub(super) fn input(
        &mut self,
        net: Net,
        mark: Mark,
        names: &dyn Names,
    ) -> Result<(), FormatError> {
        self.drive_by(net, Driver::Input, mark, names)?;
        self.inputs.push(net);
        Ok(())
    }

    /// Declares that a gate, or its inverse, drives a net.
    pub(super) fn drive(
        &mut self,
        net: Net,
        (function, inverted): (Function, bool),
        operands: impl IntoIterator<Item = Read>,
        mark: Mark,
        names: &dyn Names,
    ) -> Result<(), FormatError> {
        let first = self.operands.len();
        self.operands.extend(operands);
        let operands = first..self.operands.len();
        let driver = Driver::Gate {
            function,
            operands,
            inverted,
        };
        self.drive_by(net, driver, mark, names)
    }

    /// A gate that drives a net of no name.
    pub(super) fn inner(
        &mut self,
        function: Function,
        operands: impl IntoIterator<Item = Read>,
        mark: Mark,
    ) -> Read {
        let first = self.operands.len();
        self.operands.extend(operands);
        let operands = first..self.operands.len();
        self.nets.push(Entry {
            driver: Driver::Gate {
                function,
                operands,
                inverted: false,
            },
            mark,
        });
        Read::from(Net(self.nets.len() as u32 - 1))
    }

    /// The entries of a table.
    pub(super) fn table(&mut self, entries: impl IntoIterator<Item = bool>) -> Function {
        let first = self.tables.len();
        self.tables.extend(entries);
        Function::Table(first..self.tables.len())
    }

    fn drive_by(
        &mut self,
        net: Net,
        driver: Driver,
        mark: Mark,
        names: &dyn Names,
    ) -> Result<(), FormatError> {
        let entry = &mut self.nets[net.0 as usize];
        if !matches!(entry.driver, Driver::Nothing) {
            let problem = Problem::DrivenTwice {
                net: names.net(net),
                first: names.place(entry.mark),
            };
            return Err(problem.at(names.place(mark)));
        }
        *entry = Entry { driver, mark };
        Ok(())
    }

    /// The netlist; `outputs` are the bits of the interface's outputs, with the places that say so.
    pub(super) fn finish(
        self,
        interface: Interface,
        outputs: &[(Read, Mark)],
        names: &dyn Names,
    ) -> Result<Netlist, FormatError> {
        interface.moderate()?;
        let mut sort = Sort {
            wires: vec![None; self.nets.len()],
            waiting: vec![false; self.nets.len()],
            stack: Vec::new(),
            netlist: Netlist {
                interface,
                gates: Vec::with_capacity(self.nets.len()),
                operands: Vec::with_capacity(self.operands.len()),
                tables: Vec::new(),
                outputs: Vec::with_capacity(outputs.len()),
                kinds: BTreeMap::new(),
            },
            inputs: self.inputs.len(),
            draft: &self,
            names,
        };
        for (position, net) in self.inputs.iter().enumerate() {
            sort.wires[net.0 as usize] = Some(Wire::from(Signal(position as u32 + 1)));
        }
        for number in 0..self.nets.len() as u32 {
            if !matches!(self.nets[number as usize].driver, Driver::Nothing) {
                sort.visit(Net(number))?;
            }
        }
        let mut bits = Vec::with_capacity(outputs.len());
        for &(read, mark) in outputs {
            bits.push(sort.wire(read).ok_or_else(|| sort.undriven(read, mark))?);
        }
        let mut netlist = sort.netlist;
        netlist.outputs = bits;
        netlist.tables = self.tables;
        netlist.kinds = self.kinds;
        Ok(netlist)
    }
}

/// The depth-first walk.
struct Sort<'a> {
    draft: &'a Draft,
    names: &'a dyn Names,
    /// By net, once it is placed.
    wires: Vec<Option<Wire>>,
    /// By net: whether it is on the stack, or was.
    waiting: Vec<bool>,
    /// Nets that wait for operands, each with the number of those that are placed.
    stack: Vec<(Net, usize)>,
    netlist: Netlist,
    inputs: usize,
}

impl Sort<'_> {
    fn wire(&self, read: Read) -> Option<Wire> {
        match read {
            Read::Constant(value) => Some(Wire::constant(value)),
            Read::Net { net, inverted } => {
                self.wires[net.0 as usize].map(|wire| wire.invert_if(inverted))
            }
        }
    }

    fn undriven(&self, read: Read, mark: Mark) -> FormatError {
        let net = match read {
            Read::Constant(value) => u8::from(value).to_string(),
            Read::Net { net, .. } => self.names.net(net),
        };
        Problem::Undriven { net }.at(self.names.place(mark))
    }

    /// Places a net and all that it needs.
    fn visit(&mut self, net: Net) -> Result<(), FormatError> {
        if self.wires[net.0 as usize].is_some() {
            return Ok(());
        }
        self.stack.push((net, 0));
        self.waiting[net.0 as usize] = true;
        while let Some(&(net, next)) = self.stack.last() {
            let entry = &self.draft.nets[net.0 as usize];
            let Driver::Gate {
                function,
                operands,
                inverted,
            } = &entry.driver
            else {
                return Err(self.undriven(Read::from(net), entry.mark));
            };
            let own = &self.draft.operands[operands.clone()];
            let waits = own.iter().enumerate().skip(next);
            let waits = waits.filter_map(|(at, read)| match *read {
                Read::Net { net, .. } if self.wires[net.0 as usize].is_none() => Some((at, net)),
                _ => None,
            });
            if let Some((at, before)) = waits.into_iter().next() {
                let mark = entry.mark;
                if matches!(self.draft.nets[before.0 as usize].driver, Driver::Nothing) {
                    return Err(self.undriven(Read::from(before), mark));
                }
                if std::mem::replace(&mut self.waiting[before.0 as usize], true) {
                    let net = self.names.net(before);
                    return Err(Problem::Cycle { net }.at(self.names.place(mark)));
                }
                if let Some(top) = self.stack.last_mut() {
                    top.1 = at;
                }
                self.stack.push((before, 0));
                continue;
            }
            let first = self.netlist.operands.len();
            for &read in own {
                let wire = self.wire(read).unwrap_or(Wire::FALSE);
                self.netlist.operands.push(wire);
            }
            self.netlist.gates.push(Gate {
                function: function.clone(),
                operands: first..self.netlist.operands.len(),
            });
            let signal = Signal((self.inputs + self.netlist.gates.len()) as u32);
            self.wires[net.0 as usize] = Some(Wire::from(signal).invert_if(*inverted));
            self.stack.pop();
        }
        Ok(())
    }
}
