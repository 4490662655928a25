//! Jumps to one of several places, as a secret decides: `switch` by a table of jumps, a function
//! that a table names.
//!
//! Such a jump is a function of one secret register, an index or an address. Where that has few
//! values on the present path ([`Symbolic::feasible`](crate::machine::Symbolic)), they are tried one
//! by one, on known data: so each kind of table is understood, and none by its pattern. Values that
//! lead to the same place are one path, whose condition is that the register has one of them; it
//! costs as much as reading a table of constants at the index. The register itself stays as it is.

use std::collections::BTreeMap;

use a32::{ConstantShift, Instruction, Link, Machine, Offset, Operand, Operation, Register};
use circuits::Wire;

use super::paths::Waiting;
use super::region::{insert, lost};
use super::{Execution, Flow, Pause, flow};
use crate::machine::{Care, Snapshot, Word};

/// The most values that the register of a jump may have.
const VALUES: usize = 256;

/// One of the places that a jump may lead to.
struct Target {
    /// Nothing where the jump is a fault.
    address: Option<u32>,
    /// The values of the register that lead there.
    values: Vec<u32>,
    /// The state there.
    state: Snapshot,
}

impl Execution<'_> {
    /// Splits the path at a jump whose target depends on a secret; does nothing and says so where
    /// it is no such jump or its targets are not known.
    #[inline]
    pub(in crate::execution) fn fork_targets(
        &mut self,
        pc: u32,
        instruction: &Instruction,
    ) -> Result<bool, Pause> {
        match sources(instruction) {
            Some(sources) => self.fork_at_jump(pc, instruction, sources),
            None => Ok(false),
        }
    }

    #[cold]
    fn fork_at_jump(
        &mut self,
        pc: u32,
        instruction: &Instruction,
        sources: [Option<Register>; 2],
    ) -> Result<bool, Pause> {
        let is_allowed = self.branches.both.is_some_and(|limit| limit > 0);
        if !(is_allowed || self.paths.are_open()) || self.paths.given_up == Some(self.executed) {
            return Ok(false);
        }
        let secret = |register: &Register| {
            self.machine.register(*register).is_secret() && *register != Register::PC
        };
        let secrets: Vec<Register> = sources.into_iter().flatten().filter(secret).collect();
        let [register] = secrets[..] else {
            return Ok(false);
        };
        if !matches!(self.machine.condition(instruction), Ok(Wire::TRUE)) {
            return Ok(false);
        }
        self.make_room();
        let Some(targets) = self.targets(instruction, register) else {
            return Ok(false);
        };
        self.note_jump(pc, targets.len());
        self.machine.touched = true;
        self.machine.code.mark(pc, true);
        self.executed += 1;
        self.secret += 1;
        if let [
            Target {
                address: Some(address),
                state,
                ..
            },
        ] = &targets[..]
        {
            self.machine.reinstate(state);
            self.machine.pc = *address;
            self.follow(pc, instruction)?;
            return Ok(true);
        }
        self.split_at_jump(pc, instruction, register, targets)?;
        Ok(true)
    }

    /// Where a jump can lead, and what it leaves there; the state stays.
    fn targets(&mut self, instruction: &Instruction, register: Register) -> Option<Vec<Target>> {
        let word = self.machine.register(register).wires();
        let values = self.machine.feasible(&word, VALUES)?;
        let before = self.machine.snapshot();
        let mut targets: BTreeMap<Option<u32>, Target> = BTreeMap::new();
        for value in values {
            self.machine.place(register.index(), Word::Clear(value));
            let executed = a32::execute(&mut self.machine, instruction);
            let address = self.machine.target.take();
            self.machine.secret_target = None;
            let address = address.filter(|_| executed.is_ok());
            let is_overwritten =
                register == Register::LR && flow(instruction, before.pc) == Flow::Call;
            if !is_overwritten {
                self.machine.put_back(register.index(), &before);
            }
            let target = targets.entry(address).or_insert_with(|| Target {
                address,
                values: Vec::new(),
                state: self.machine.snapshot(),
            });
            target.values.push(value);
            self.machine.resume(&before);
        }
        let leads_somewhere = targets.keys().any(Option::is_some);
        leads_somewhere.then(|| targets.into_values().collect())
    }

    /// One path for each target.
    fn split_at_jump(
        &mut self,
        pc: u32,
        instruction: &Instruction,
        register: Register,
        targets: Vec<Target>,
    ) -> Result<(), Pause> {
        if !self.paths.are_open() {
            self.open_region(None);
            // Where it is given up, the jump has not happened.
            if let Some(region) = &mut self.paths.region {
                region.executed_before -= 1;
                region.secret_before -= 1;
            }
        }
        let flow = flow(instruction, pc);
        if flow == Flow::Computed {
            let functions = &mut self.paths.functions;
            let new = targets
                .iter()
                .filter_map(|target| target.address)
                .fold(false, |new, address| functions.jumped(pc, address) | new);
            if new {
                self.renew_keys();
            }
        }
        let word = self.machine.register(register).wires();
        let values: Vec<&[u32]> = targets.iter().map(|target| &target.values[..]).collect();
        let conditions = self.machine.one_of(&word, &values);
        let changes = std::rc::Rc::new(self.machine.memory.stored());
        let region = self.region()?;
        let (mut rest, from) = (region.path, region.point.clone());
        let steps = region.steps_after(self.executed);
        let last = targets.len() - 1;
        for (number, target) in targets.into_iter().enumerate() {
            let condition = conditions[number];
            let cares = self.machine.cares(condition);
            if cares[0] == Care::NEVER && number != last {
                continue;
            }
            // Faults come first, and never alone.
            let Some(address) = target.address else {
                let site = self.site(pc);
                let machine = &mut self.machine;
                let region = self.paths.region.as_deref_mut().ok_or_else(lost)?;
                let and = |a, b| machine.both(a, b);
                let (path, others) = region.tree.split(rest, condition, cares, and);
                region.fault(path, site, "it jumps to where no code is".to_owned());
                rest = others;
                self.machine.care = cares[1];
                self.machine.know(condition, false);
                continue;
            };
            let mut point = from.clone();
            if point.follow(flow, pc, address)
                && let Some(frame) = point.frame()
            {
                let order = self.order(frame.entry);
                point.go(&order, address);
            }
            let key = self.key(&point);
            let machine = &mut self.machine;
            let region = self.paths.region.as_deref_mut().ok_or_else(lost)?;
            if number == last {
                // It is none of the others.
                machine.reinstate(&target.state);
                machine.pc = address;
                region.path = rest;
                region.point = point;
                break;
            }
            let and = |a, b| machine.both(a, b);
            let (path, others) = region.tree.split(rest, condition, cares, and);
            let mut snapshot = target.state;
            snapshot.pc = address;
            insert(
                &mut region.waiting,
                Waiting {
                    path,
                    point,
                    key,
                    snapshot,
                    changes: std::rc::Rc::clone(&changes),
                    steps,
                    begins: Some((condition, true)),
                },
            );
            rest = others;
            self.machine.care = cares[1];
            self.machine.know(condition, false);
        }
        Ok(())
    }
}

/// The registers that decide where a jump leads, if an instruction is a jump that may be computed.
#[inline]
fn sources(instruction: &Instruction) -> Option<[Option<Register>; 2]> {
    let shifted = |operand: Operand| match operand {
        Operand::Register(register, _) => Some(register),
        _ => None,
    };
    let pc = Register::PC;
    match instruction.operation {
        Operation::BranchExchange { rm, link: Link::No } if rm == Register::LR => None,
        Operation::BranchExchange { rm, .. } => Some([Some(rm), None]),
        Operation::Move { rd, operand, .. } if rd == pc => match operand {
            Operand::Register(Register::LR, ConstantShift::None) => None,
            operand => Some([shifted(operand), None]),
        },
        Operation::Alu {
            rd, rn, operand, ..
        } if rd == pc => Some([Some(rn), shifted(operand)]),
        Operation::Load { rt, address, .. } if rt == pc && !address.writes_back() => {
            let offset = match address.offset {
                Offset::Register(register, _) => Some(register),
                Offset::Immediate(_) => None,
            };
            Some([Some(address.base), offset])
        }
        _ => None,
    }
}
