//! Questions: somebody with the secret key says where the program goes on.
//!
//! A question ends a window: its bits leave the circuit beside the state, are part of the state
//! that a checkpoint holds ([`Symbolic::pending`](crate::machine::Symbolic)), and are asked about
//! from there. So a run that was resumed asks the same question about the same ciphertexts.
//! Afterwards what was answered is known: the bit is a constant wherever the state has it.
//!
//! The client-held program counter (paper §VII-C) asks about what the flags come from. The flags
//! themselves are then rebuilt in the next window, where nothing of them is evaluated unless
//! somebody reads it.

use a32::{Instruction, Machine};
use circuits::Wire;

use super::{Decided, Flow, PlanEnd, flow};
use crate::error::{RunError, Site};
use crate::execution::{Evaluate, Execution, Pause};
use crate::host::{Answer, Asked, Operands};
use crate::machine::Word;
use crate::plan::PlannedQuestion;

/// A bit of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryBit {
    Clear(bool),
    /// What the window before left, by its number, perhaps inverted.
    Secret {
        number: usize,
        inverted: bool,
    },
}

/// A question for the evaluator.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) number: u64,
    pub(crate) site: Site,
    pub(crate) address: u32,
    pub(crate) asked: Asked,
    pub(crate) bits: Vec<QueryBit>,
}

impl Execution<'_> {
    /// Evaluates the bits of the pending question, and asks it.
    pub(super) fn ask(&mut self, evaluate: &mut dyn Evaluate) -> Result<Decided, Pause> {
        self.cut(evaluate)?;
        self.answer(evaluate)
    }

    /// Asks the pending question, at the beginning of a window.
    pub(in crate::execution) fn answer(
        &mut self,
        evaluate: &mut dyn Evaluate,
    ) -> Result<Decided, Pause> {
        let pc = self.machine.pc;
        let instruction = self.instruction(pc)?;
        let pending = std::mem::take(&mut self.machine.pending);
        if let [condition] = pending[..]
            && let Some(value) = condition.as_constant()
        {
            // Preparing the circuit found what it is.
            return self.go(pc, instruction, value);
        }
        self.machine.sum_flags(&pending);
        let mut condition = None;
        let asked = if pending.len() == 32 {
            Asked::Target
        } else {
            let wire = self.machine.condition(&instruction);
            let wire = wire.map_err(|fault| self.explain(fault))?;
            if let Some(value) = wire.as_constant() {
                return self.go(pc, instruction, value);
            }
            condition = Some(wire);
            match pending.len() {
                1 => Asked::Condition(instruction.condition),
                count => Asked::Operands {
                    condition: instruction.condition,
                    of: match count {
                        4 => Operands::Flags,
                        _ => Operands::Sum,
                    },
                    holds: self.leads_to(pc, instruction),
                    fails: pc.wrapping_add(4),
                },
            }
        };
        let query = Query {
            number: self.questions,
            site: self.site(pc),
            address: pc,
            asked,
            bits: pending.iter().map(|bit| self.query_bit(*bit)).collect(),
        };
        let site = query.site.clone();
        let Some(answer) = evaluate.ask(query)? else {
            let question = PlannedQuestion { site, asked };
            return Ok(Decided::Ends(PlanEnd::Question(question)));
        };
        self.questions += 1;
        let unfit = || {
            Pause::Error(RunError::Answer {
                site: Box::new(site.clone()),
                asked,
                answer,
            })
        };
        let holds = match (asked, answer) {
            (Asked::Condition(_), Answer::Holds(value)) => value,
            (Asked::Operands { holds, .. }, Answer::Next(next)) if next == holds => true,
            (Asked::Operands { fails, .. }, Answer::Next(next)) if next == fails => false,
            (Asked::Target, Answer::Next(next)) => {
                for (i, bit) in pending.iter().enumerate() {
                    if bit
                        .as_constant()
                        .is_some_and(|known| known != (next >> i & 1 == 1))
                    {
                        return Err(unfit());
                    }
                    self.machine.reveal(*bit, next >> i & 1 == 1);
                }
                return self.jump(next).map(|()| Decided::On);
            }
            _ => return Err(unfit()),
        };
        if let [bit] = pending[..] {
            self.machine.reveal(bit, holds);
        }
        if let Some(condition) = condition {
            self.machine.reveal(condition, holds);
        }
        self.go(pc, instruction, holds)
    }

    /// Goes on behind a branch whose condition is known.
    pub(super) fn go(
        &mut self,
        pc: u32,
        instruction: Instruction,
        holds: bool,
    ) -> Result<Decided, Pause> {
        if holds {
            self.take(pc, instruction)?;
        } else {
            self.executed += 1;
            self.secret += 1;
            self.machine.code.mark(pc, true);
            self.machine.pc = pc.wrapping_add(4);
        }
        Ok(Decided::On)
    }

    /// Jumps to where the client said.
    fn jump(&mut self, next: u32) -> Result<(), Pause> {
        let jumped = self.machine.branch(&Word::Clear(next));
        jumped.map_err(|fault| self.explain(fault))?;
        self.arrive(self.machine.pc)?;
        Ok(())
    }

    fn query_bit(&self, wire: Wire) -> QueryBit {
        match (wire.as_constant(), self.machine.input_number(wire)) {
            (Some(value), _) => QueryBit::Clear(value),
            (None, number) => QueryBit::Secret {
                number: number.unwrap_or(usize::MAX),
                inverted: wire.is_inverted(),
            },
        }
    }

    /// The next instruction after one whose condition holds; its own address where that cannot be
    /// said, as for a supervisor call.
    fn leads_to(&mut self, pc: u32, instruction: Instruction) -> u32 {
        if let Flow::Jump(target) = flow(&instruction, pc) {
            return target;
        }
        let before = self.machine.snapshot();
        self.machine.memory.open_journal();
        let taken = Instruction {
            condition: a32::Condition::Always,
            ..instruction
        };
        let executed = a32::execute(&mut self.machine, &taken);
        let target = self.machine.target.take().filter(|_| executed.is_ok());
        self.machine.secret_target = None;
        self.machine.roll_back();
        self.machine.reinstate(&before);
        target.unwrap_or(pc)
    }
}
