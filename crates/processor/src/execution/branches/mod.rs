//! What happens at a branch on a secret.
//!
//! With [`Branches::both`](crate::Branches) both paths are executed, one instruction at a time of
//! whichever is behind ([`paths`]), until they stand at the same instruction: there everything that
//! differs is selected by the condition. Branches within a path do the same, so that what is under
//! way is a tree of conditions ([`tree`]) with a path at each leaf. Each path has registers and a
//! journal of what it stored; the one that is carried on has its stores in memory. No window is cut
//! meanwhile. Where paths do not come together all of it is undone, back to the first branch; its
//! nodes have no reader and are never evaluated.
//!
//! A path that faults ends there. Whether it was the one that is taken is an encrypted bit, an
//! output of its own ([`FAULTED`](crate::FAULTED)); likewise whether a loop would have gone on
//! beyond its bound ([`EXCEEDED`](crate::EXCEEDED)).
//!
//! Where that fails or is not wanted, [`ask`] lets somebody with the secret key decide.
//!
//! Cost of joining: the instructions of both paths, and one selection for each bit that differs.
//! Which instructions are executed depends on the program and its clear data only.

pub(super) mod ask;
mod compared;
mod order;
mod paths;
mod region;
mod survey;
mod targets;
mod tree;
#[cfg(test)]
mod undone;

use std::collections::HashSet;

use a32::{Condition, Instruction};
use circuits::Wire;

use super::{Evaluate, Execution, Pause, alive};
use crate::error::{Obstacle, RunError, Site, Unmerged};
use crate::machine::{Flow, flow};
use crate::task::Otherwise;
use order::Successors;
use paths::{Functions, Region};
use region::Ended;
pub(crate) use survey::MERGE_LIMIT;
pub(super) use survey::{Explored, Seen};

/// The branches whose paths are under way, and what is known of the code.
#[derive(Default)]
pub(super) struct Paths {
    region: Option<Box<Region>>,
    functions: Functions,
    /// Where a path ended that cannot go on, and why.
    pub(super) faults: Vec<(Site, String)>,
    /// Loops that ended at their bound, by the address of the branch.
    pub(super) bounded: HashSet<u32>,
    /// After how many instructions there was a jump whose paths were given up.
    given_up: Option<u64>,
}

impl Paths {
    /// Whether some branch's paths are under way.
    #[inline]
    pub(super) fn are_open(&self) -> bool {
        self.region.is_some()
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
            self.make_room();
            if let Pause::Condition(condition) = pause
                && let Some(holds) = self.machine.decided(condition)
            {
                match self.pass_or_leave(condition, holds) {
                    Ok(()) => return Ok(Decided::On),
                    Err(next) => {
                        pause = next;
                        continue;
                    }
                }
            }
            let (condition, unmerged) = match pause {
                // These end a run wherever it is.
                Pause::Error(error @ (RunError::InstructionLimit { .. } | RunError::Cancelled)) => {
                    return Err(error);
                }
                Pause::Error(error) if self.may_be_undone(&error) => match self.fork_predicated() {
                    Ok(()) => return Ok(Decided::On),
                    Err(next) => {
                        pause = next;
                        continue;
                    }
                },
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
                Pause::Error(error) if ends_path(&error) => {
                    match self.end_path(Ended::Fault(&error)) {
                        Ok(()) => return Ok(Decided::On),
                        Err(next) => {
                            pause = next;
                            continue;
                        }
                    }
                }
                Pause::Exceeded => match self.end_path(Ended::Exceeded) {
                    Ok(()) => return Ok(Decided::On),
                    Err(next) => {
                        pause = next;
                        continue;
                    }
                },
                Pause::Error(error) => self.abandon(Obstacle::Fault {
                    message: error.to_string(),
                }),
                Pause::Unmerged(obstacle) => {
                    self.blame(&obstacle);
                    self.abandon(obstacle)
                }
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
            // The paths of a jump were given up: now it is asked about.
            (Otherwise::ClientHeld, None) if self.machine.secret_target.is_none() => {
                self.paths.given_up = Some(self.executed);
                Ok(Decided::On)
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
}

impl Execution<'_> {
    /// Whether an instruction that stands under a secret condition failed before it changed
    /// anything, so that it can be a branch around what fails.
    fn may_be_undone(&mut self, error: &RunError) -> bool {
        let both = self.branches.both.is_some_and(|limit| limit > 0) || self.paths.are_open();
        both && self.machine.is_predicated()
            && ends_path(error)
            && self.instruction(self.machine.pc).is_ok_and(|instruction| {
                use a32::Operation::{Load, LoadDual, LoadMultiple, Store};
                let operation = instruction.operation;
                matches!(
                    operation,
                    Load { .. } | Store { .. } | LoadDual { .. } | LoadMultiple(_)
                )
            })
    }

    /// Splits the path at an instruction that stands under a secret condition.
    fn fork_predicated(&mut self) -> Result<(), Pause> {
        match self.machine.drop_instruction() {
            Some(condition) => self.fork(condition),
            None => Err(Pause::Unmerged(Obstacle::System)),
        }
    }
}

/// Whether an error is one of the program, so that a path on which it happens is not meant to be
/// taken; what this processor cannot do is no such error.
fn ends_path(error: &RunError) -> bool {
    matches!(
        error,
        RunError::OutOfRange { .. }
            | RunError::ReadOnly { .. }
            | RunError::Unaligned { .. }
            | RunError::NotExecutable { .. }
            | RunError::Trap { .. }
            | RunError::EndlessLoop { .. }
            | RunError::OutsideObject { .. }
    )
}

/// Where an instruction may lead within its function.
fn successors(instruction: &Instruction, address: u32) -> Successors {
    let next = Some(address.wrapping_add(4));
    let conditional = instruction.condition != Condition::Always;
    let after = next.filter(|_| conditional);
    match flow(instruction, address) {
        Flow::On | Flow::Call => [next, None],
        Flow::Jump(target) => [Some(target), after],
        Flow::Return | Flow::Computed | Flow::System(0) | Flow::Trap => [after, None],
        Flow::System(_) => [next, None],
    }
}
