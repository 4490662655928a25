//! What happens at a branch on a secret.
//!
//! With [`Branches::both`](crate::Branches) the paths are executed one after the other and joined
//! where they meet ([`join`]): the first under an undo journal of memory, which is rolled back
//! while what it did is gathered, the second on the same state; then everything that differs is
//! selected by the condition. Branches within a path do the same, so that what stands open is a
//! stack of [`Fork`]s, on the heap: a loop of n rounds with a secret `break` opens n of them and
//! closes them behind the loop, the innermost first. No window is cut meanwhile. What cannot be
//! joined is rolled back as a whole, to the outermost branch; its nodes have no reader and are
//! never evaluated.
//!
//! Where that fails or is not wanted, [`ask`] lets somebody with the secret key decide.
//!
//! Cost of joining: the instructions of both paths, and one selection for each bit that differs.
//! Which instructions are executed depends on the program and its clear data only.

pub(super) mod ask;
mod join;
#[cfg(test)]
mod undone;

use std::collections::HashMap;

use a32::{Condition, Instruction};
use circuits::Wire;

use super::{Evaluate, Execution, Pause};
use crate::error::{Obstacle, RunError, Unmerged};
use crate::machine::{Changes, Flow, Snapshot, flow};
use crate::task::Otherwise;
use join::{Successors, join};

/// A branch whose paths are under way.
struct Fork {
    condition: Wire,
    /// The state at the branch.
    before: Snapshot,
    /// Where the paths meet; `None` for where both return.
    join: Option<u32>,
    /// Where the calls that the present path has made return to.
    calls: Vec<u32>,
    /// Where the path that takes the branch came to, once it did.
    first: Option<(Snapshot, Changes)>,
}

/// The branches whose paths are under way, and what is known about where paths meet.
#[derive(Default)]
pub(super) struct Paths {
    forks: Vec<Fork>,
    /// The last instruction returned from the function that the innermost branch is in.
    returned: bool,
    /// Instructions executed before the outermost branch.
    executed_before: u64,
    /// Those of them that touched secrets.
    secret_before: u64,
    /// Where paths meet, by the branch's address.
    joins: HashMap<u32, Option<u32>>,
    /// The state of the code that `joins` holds for.
    generation: u64,
}

impl Paths {
    /// Whether some branch's paths are under way.
    #[inline]
    pub(super) fn are_open(&self) -> bool {
        !self.forks.is_empty()
    }
}

/// What comes of a secret branch.
pub(super) enum Decided {
    /// Execution goes on.
    On,
    /// A plan ends here.
    Ends(PlanEnd),
}

/// Why a plan ends before the program.
pub(super) enum PlanEnd {
    Finding(crate::plan::Finding),
    Question(crate::plan::PlannedQuestion),
}

impl Execution<'_> {
    /// Deals with what an instruction could not do by itself.
    pub(super) fn resolve(
        &mut self,
        pause: Pause,
        evaluate: &mut dyn Evaluate,
    ) -> Result<Decided, RunError> {
        let mut pause = pause;
        loop {
            let (condition, unmerged) = match pause {
                // These end a run wherever it is.
                Pause::Error(error @ (RunError::InstructionLimit { .. } | RunError::Cancelled)) => {
                    return Err(error);
                }
                Pause::Error(error) if !self.paths.are_open() => return Err(error),
                Pause::Condition(condition) => match self.branches.both {
                    Some(limit) if limit > 0 || self.paths.are_open() => match self.fork(condition)
                    {
                        Ok(()) => return Ok(Decided::On),
                        Err(next) => {
                            pause = next;
                            continue;
                        }
                    },
                    _ => (Some(condition), None),
                },
                Pause::Written(bytes) => {
                    evaluate.write(&bytes)?;
                    self.written += bytes.len() as u64;
                    return Ok(Decided::On);
                }
                Pause::Target if !self.paths.are_open() => (None, None),
                Pause::Target => self.abandon(Obstacle::Target),
                Pause::Error(error) => self.abandon(Obstacle::Fault {
                    message: error.to_string(),
                }),
                Pause::Unmerged(obstacle) => self.abandon(obstacle),
            };
            match self.otherwise(condition, unmerged, evaluate) {
                Ok(decided) => return Ok(decided),
                Err(next) => pause = next,
            }
        }
    }

    /// Somebody else decides, or nobody.
    fn otherwise(
        &mut self,
        condition: Option<Wire>,
        unmerged: Option<Unmerged>,
        evaluate: &mut dyn Evaluate,
    ) -> Result<Decided, Pause> {
        match (self.branches.otherwise, condition) {
            (Otherwise::Refuse, _) | (Otherwise::Ask, None) => {
                self.refuse(condition.is_none(), unmerged)
            }
            (Otherwise::Ask, Some(condition)) => {
                self.machine.pending = vec![condition];
                self.ask(evaluate)
            }
            (Otherwise::ClientHeld, Some(_)) => {
                self.machine.pending = self.machine.take_flags();
                self.ask(evaluate)
            }
            (Otherwise::ClientHeld, None) => {
                let target = self.machine.secret_target.take();
                self.machine.pending = target.map(|word| word.wires().to_vec()).unwrap_or_default();
                self.ask(evaluate)
            }
        }
    }

    /// An error, or what a plan says instead.
    fn refuse(&self, target: bool, unmerged: Option<Unmerged>) -> Result<Decided, Pause> {
        use crate::plan::Finding;
        let site = self.site(self.machine.pc);
        let finding = match unmerged {
            Some(unmerged) => Finding::Unmerged(site, unmerged),
            None if target => Finding::Target(site),
            None => Finding::Branch(site),
        };
        if self.note {
            Ok(Decided::Ends(PlanEnd::Finding(finding)))
        } else {
            Err(Pause::Error(finding.into_error()))
        }
    }

    /// Begins the path on which the condition holds.
    fn fork(&mut self, condition: Wire) -> Result<(), Pause> {
        let pc = self.machine.pc;
        let instruction = self.instruction(pc)?;
        let join = self.join(pc);
        if !self.paths.are_open() {
            self.paths.executed_before = self.executed;
            self.paths.secret_before = self.secret;
            self.paths.returned = false;
        }
        self.paths.forks.push(Fork {
            condition,
            before: self.machine.snapshot(),
            join,
            calls: Vec::new(),
            first: None,
        });
        self.machine.memory.open_journal();
        self.machine.assume(condition, true);
        self.take(pc, instruction)
    }

    /// Executes a conditional instruction whose condition holds.
    fn take(&mut self, pc: u32, instruction: Instruction) -> Result<(), Pause> {
        let taken = Instruction {
            condition: Condition::Always,
            ..instruction
        };
        // A branch on a secret is an instruction on a secret, however it was decided.
        self.machine.touched = true;
        self.perform(pc, &taken)
    }

    /// Follows an instruction on a path: which function it is in, and what it must not do.
    pub(super) fn follow(&mut self, pc: u32, instruction: &Instruction) -> Result<(), Pause> {
        let destination = self.machine.pc;
        let Some(fork) = self.paths.forks.last_mut() else {
            return Ok(());
        };
        let flow = flow(instruction, pc);
        if self.machine.finished || self.machine.written.is_some() {
            return Err(Pause::Unmerged(Obstacle::System));
        }
        if destination == pc.wrapping_add(4) {
            return Ok(());
        }
        match flow {
            Flow::Call => fork.calls.push(pc.wrapping_add(4)),
            Flow::Return | Flow::Computed if fork.calls.last() == Some(&destination) => {
                fork.calls.pop();
            }
            Flow::Return if fork.calls.is_empty() => self.paths.returned = true,
            _ => {}
        }
        Ok(())
    }

    /// Closes the branches whose paths have met, and turns to the other path where one is done.
    pub(super) fn settle(&mut self) -> Result<(), Pause> {
        while let Some(fork) = self.paths.forks.last_mut() {
            let arrived = match fork.join {
                _ if self.paths.returned && fork.join.is_some() => {
                    return Err(Pause::Unmerged(Obstacle::Leaves));
                }
                Some(address) => self.machine.pc == address && fork.calls.is_empty(),
                None => self.paths.returned,
            };
            if !arrived {
                break;
            }
            self.paths.returned = false;
            match fork.first.take() {
                None => {
                    let changes = self.machine.roll_back();
                    fork.first = Some((self.machine.snapshot(), changes));
                    fork.calls.clear();
                    self.machine.reinstate(&fork.before);
                    self.machine.memory.open_journal();
                    self.machine.assume(fork.condition, false);
                    self.machine.pc = fork.before.pc.wrapping_add(4);
                }
                Some((first, changes)) => {
                    if first.pc != self.machine.pc {
                        return Err(Pause::Unmerged(Obstacle::Apart {
                            holds: first.pc,
                            fails: self.machine.pc,
                        }));
                    }
                    if first.stack_pointer() != self.machine.peek(13) {
                        return Err(Pause::Unmerged(Obstacle::Stack));
                    }
                    let (condition, returns) = (fork.condition, fork.join.is_none());
                    self.paths.forks.pop();
                    self.machine.forget(condition);
                    self.machine.merge(condition, first, &changes);
                    if returns {
                        self.leave_function();
                    }
                }
            }
        }
        let limit = self.branches.both.unwrap_or(0);
        if self.paths.are_open() {
            if self.executed - self.paths.executed_before >= limit {
                return Err(Pause::Unmerged(Obstacle::Limit { limit }));
            }
            if self.machine.pc == self.sentinel {
                return Err(Pause::Unmerged(Obstacle::Ends));
            }
        }
        Ok(())
    }

    /// Both paths of a branch have returned: so has the path that they stand in.
    fn leave_function(&mut self) {
        let Some(outer) = self.paths.forks.last_mut() else {
            return;
        };
        if outer.calls.last() == Some(&self.machine.pc) {
            outer.calls.pop();
        } else if outer.calls.is_empty() {
            self.paths.returned = true;
        }
    }

    /// Makes the state what it was at the outermost branch; gives its condition.
    fn abandon(&mut self, obstacle: Obstacle) -> (Option<Wire>, Option<Unmerged>) {
        let at = Box::new(self.site(self.machine.pc));
        let forks = std::mem::take(&mut self.paths.forks);
        for fork in &forks {
            self.machine.roll_back();
            self.machine.forget(fork.condition);
        }
        if let Some(outermost) = forks.first() {
            self.machine.reinstate(&outermost.before);
            self.machine.secret_target = None;
            self.executed = self.paths.executed_before;
            self.secret = self.paths.secret_before;
        }
        self.paths.returned = false;
        let condition = forks.first().map(|fork| fork.condition);
        (condition, Some(Unmerged { at, obstacle }))
    }

    /// Where the paths of the branch at `pc` meet.
    fn join(&mut self, pc: u32) -> Option<u32> {
        let generation = self.machine.code.generation();
        if self.paths.generation != generation {
            self.paths.joins.clear();
            self.paths.generation = generation;
        }
        if let Some(join) = self.paths.joins.get(&pc) {
            return *join;
        }
        let found = join(pc, |address| match self.instruction(address) {
            Ok(instruction) => successors(&instruction, address),
            Err(_) => Successors {
                leaves: true,
                ..Successors::default()
            },
        });
        self.paths.joins.insert(pc, found);
        found
    }
}

/// Where an instruction may lead within its function.
fn successors(instruction: &Instruction, address: u32) -> Successors {
    let next = Some(address.wrapping_add(4));
    let conditional = instruction.condition != Condition::Always;
    let after = next.filter(|_| conditional);
    let leaving = Successors {
        next: [after, None],
        leaves: true,
    };
    match flow(instruction, address) {
        Flow::On | Flow::Call => Successors {
            next: [next, None],
            leaves: false,
        },
        Flow::Jump(target) => Successors {
            next: [Some(target), after],
            leaves: false,
        },
        Flow::Return | Flow::Computed | Flow::System(0) | Flow::Trap => leaving,
        Flow::System(_) => Successors {
            next: [next, None],
            leaves: false,
        },
    }
}
