//! Who is charged for what is recorded: the instruction, and the calls that led to it. Only where
//! somebody wants to know; a run does not.
//!
//! Calls are a tree, each node the entry of a function and the call that led there. A branch with
//! link goes down in it, a jump to where one of the calls under way returns goes up; a jump to
//! another function's entry is a call in the place of the present one. Each path of a secret branch
//! has a place of its own in the tree, as it has registers of its own.

use std::collections::{HashMap, HashSet};

use a32::Register;
use circuits::{Cause, Wire};

use super::{Flow, Symbolic, Word};

/// A call: which function, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    /// Where the function begins.
    pub(crate) entry: u32,
    /// The calling call and the address of its instruction; `None` for the outermost.
    pub(crate) caller: Option<(u32, u32)>,
}

/// An instruction in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub(crate) call: u32,
    pub(crate) address: u32,
}

/// All calls and sites so far.
#[derive(Clone, Debug)]
pub(crate) struct Callers {
    /// Where functions begin, as far as symbols tell.
    entries: HashSet<u32>,
    calls: Vec<Call>,
    numbers: HashMap<Call, u32>,
    /// By the number of a [`Cause`].
    sites: Vec<Site>,
    causes: HashMap<Site, u32>,
    /// By cause: how often the instruction worked on secret data.
    times: Vec<u64>,
    /// By condition: the branch whose paths it tells apart.
    branches: HashMap<Wire, Cause>,
}

impl Callers {
    fn new(entry: u32, entries: HashSet<u32>) -> Self {
        let outermost = Call {
            entry,
            caller: None,
        };
        let mut callers = Self {
            entries,
            calls: vec![outermost],
            numbers: HashMap::from([(outermost, 0)]),
            sites: Vec::new(),
            causes: HashMap::new(),
            times: Vec::new(),
            branches: HashMap::new(),
        };
        callers.cause(0, entry);
        callers
    }

    pub(crate) fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The sites, and how often each worked on secret data, by the number of their cause.
    pub(crate) fn sites(&self) -> impl Iterator<Item = (Site, u64)> + '_ {
        self.sites.iter().copied().zip(self.times.iter().copied())
    }

    fn cause(&mut self, call: u32, address: u32) -> Cause {
        let site = Site { call, address };
        let sites = &mut self.sites;
        let times = &mut self.times;
        Cause(*self.causes.entry(site).or_insert_with(|| {
            sites.push(site);
            times.push(0);
            sites.len() as u32 - 1
        }))
    }

    fn enter(&mut self, call: Call) -> u32 {
        let calls = &mut self.calls;
        *self.numbers.entry(call).or_insert_with(|| {
            calls.push(call);
            calls.len() as u32 - 1
        })
    }

    fn call(&self, number: u32) -> Option<Call> {
        self.calls.get(number as usize).copied()
    }

    /// Who goes on at `to`, if a call under way returns there.
    fn returned(&self, mut number: u32, to: u32) -> Option<u32> {
        loop {
            let (caller, at) = self.call(number)?.caller?;
            if at.wrapping_add(4) == to {
                return Some(caller);
            }
            number = caller;
        }
    }

    /// The call in which execution goes on at `to`, behind an instruction at `pc` of a call.
    fn follow(&mut self, number: u32, flow: Flow, pc: u32, to: u32, links: bool) -> u32 {
        let next = pc.wrapping_add(4);
        if to == next {
            return number;
        }
        let called = Call {
            entry: to,
            caller: Some((number, pc)),
        };
        match flow {
            Flow::Call => return self.enter(called),
            Flow::Return | Flow::Computed => {
                if let Some(caller) = self.returned(number, to) {
                    return caller;
                }
                if links && self.entries.contains(&to) {
                    return self.enter(called);
                }
            }
            Flow::Jump(_) => {}
            _ => return number,
        }
        match self.call(number) {
            Some(own) if own.entry != to && self.entries.contains(&to) => {
                self.enter(Call { entry: to, ..own })
            }
            _ => number,
        }
    }
}

impl Symbolic {
    /// From here on everything is charged to instructions and calls, the outermost of which begins
    /// at `entry`; `entries` are where functions begin.
    pub(crate) fn charge_from(&mut self, entry: u32, entries: HashSet<u32>) {
        self.call = 0;
        self.callers = Some(Box::new(Callers::new(entry, entries)));
        self.charge(entry);
    }

    /// What was charged for.
    pub(crate) fn into_callers(self) -> Callers {
        match self.callers {
            Some(callers) => *callers,
            None => Callers::new(self.pc, HashSet::new()),
        }
    }

    /// The instruction at `pc` pays for what is recorded from here on.
    #[inline]
    pub(crate) fn charge(&mut self, pc: u32) {
        if let Some(callers) = &mut self.callers {
            self.builder.attribute_to(callers.cause(self.call, pc));
        }
    }

    /// The instruction at `pc` was executed.
    #[inline]
    pub(crate) fn charged(&mut self, flow: impl FnOnce() -> Flow, pc: u32) {
        let Some(callers) = &mut self.callers else {
            return;
        };
        if self.touched {
            let cause = callers.cause(self.call, pc);
            if let Some(times) = callers.times.get_mut(cause.0 as usize) {
                *times += 1;
            }
        }
        let next = pc.wrapping_add(4);
        let links = self.registers[Register::LR.index()] == Word::Clear(next);
        self.call = callers.follow(self.call, flow(), pc, self.pc, links);
    }

    /// The instruction in progress splits the path by this condition: it pays where the paths
    /// become one.
    pub(crate) fn charge_branch(&mut self, condition: Wire, pc: u32) {
        if let Some(callers) = &mut self.callers {
            let cause = callers.cause(self.call, pc);
            callers.branches.insert(condition.positive(), cause);
        }
    }

    /// What is recorded from here on selects by this condition.
    pub(crate) fn charge_selection(&mut self, condition: Wire) {
        if let Some(callers) = &self.callers
            && let Some(cause) = callers.branches.get(&condition.positive())
        {
            self.builder.attribute_to(*cause);
        }
    }

    /// What is recorded from here on belongs to what made this bit.
    pub(super) fn charge_maker(&mut self, wire: Wire) {
        if let Some(cause) = self.builder.cause(wire) {
            self.builder.attribute_to(cause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_returns_and_jumps_to_other_functions() {
        let entries = HashSet::from([0x100, 0x200, 0x300]);
        let mut callers = Callers::new(0x100, entries);
        let entry = |callers: &Callers, number| callers.call(number).map(|call| call.entry);
        let f = callers.follow(0, Flow::Call, 0x110, 0x200, false);
        assert_eq!(entry(&callers, f), Some(0x200));
        // A call that was not made, and a jump within the function.
        assert_eq!(callers.follow(f, Flow::Call, 0x204, 0x208, false), f);
        assert_eq!(callers.follow(f, Flow::Jump(0x240), 0x204, 0x240, false), f);
        // To its beginning: a loop. To another's: that one returns for it.
        assert_eq!(callers.follow(f, Flow::Jump(0x200), 0x240, 0x200, false), f);
        let tail = callers.follow(f, Flow::Jump(0x300), 0x244, 0x300, false);
        assert_eq!(callers.call(tail).map(|c| c.caller), Some(Some((0, 0x110))));
        assert_eq!(callers.follow(tail, Flow::Return, 0x310, 0x114, false), 0);
        // Recursion goes down and comes up one by one; a return over two calls goes up both.
        let again = callers.follow(f, Flow::Call, 0x220, 0x200, false);
        let third = callers.follow(again, Flow::Call, 0x220, 0x200, false);
        assert_eq!(
            callers.follow(third, Flow::Return, 0x230, 0x224, false),
            again
        );
        assert_eq!(callers.follow(third, Flow::Return, 0x230, 0x114, false), 0);
        // The same call again is the same call.
        assert_eq!(callers.follow(0, Flow::Call, 0x110, 0x200, false), f);
        // Through a register, with the return address in lr.
        let computed = callers.follow(0, Flow::Computed, 0x120, 0x300, true);
        assert_eq!(
            callers.call(computed).map(|c| c.caller),
            Some(Some((0, 0x120)))
        );
    }
}
