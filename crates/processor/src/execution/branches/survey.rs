//! Going on where a plan would end: to every branch, loop and address that depends on a secret.
//!
//! Paths are joined as they are for a run of which both are executed. What a run would be refused
//! for is noted, and execution goes on past it:
//!
//! - a loop that only a secret ends is found where the paths have become too long: it is the one
//!   that has gone round most often. It gets a bound of a few rounds, and the region begins again;
//! - the two paths of a branch that do not meet are followed one after the other, each to the
//!   program's end, and every side of every branch once;
//! - an access to an unknown object gives an unknown value, a jump to a secret address goes to each
//!   entry of the table behind it, and a call that cannot be made is left out.
//!
//! Values are right as far as nothing of that happened. Code that was not come to after a loop was
//! left early, or after a limit was reached, is named: it may have more.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use a32::{Instruction, Operation, Register};
use circuits::Wire;
use circuits::exec::Cancel;

use super::super::{CANCEL_INTERVAL, Evaluate, Execution, Pause, Window, alive};
use super::ask::Query;
use super::order::Order;
use super::{Decided, Flow, PlanEnd, flow};
use crate::error::{Access, Obstacle, RunError, Unmerged};
use crate::host::Answer;
use crate::machine::{Selected, Symbolic, Word};
use crate::plan::Finding;
use crate::survey::Comparison;

/// Rounds that a loop is explored for that only a secret ends.
const ROUNDS: u64 = 4;
/// Rounds at the second time, if the first left code of loops that was not come to.
const MORE_ROUNDS: u64 = 36;
/// The most instructions that are explored.
const BUDGET: u64 = 2_000_000;
/// The most operations that are recorded while paths are under way.
const OPERATIONS: usize = 1 << 20;
/// The most instructions of all paths together: fewer than in a run, since each loop without an end
/// goes up to here.
pub(crate) const MERGE_LIMIT: u64 = 10_000;
/// The most paths that wait to be followed.
const PATHS: usize = 64;
/// How often one path passes the same branch whose paths do not meet.
const PASSES: u32 = 8;
/// The most entries of a table of jumps.
const ENTRIES: u32 = 512;

/// What was found so far.
#[derive(Default)]
pub(in crate::execution) struct Explored {
    pub(in crate::execution) branches: BTreeMap<u32, Seen>,
    /// Loops and functions that only a secret ends, by head, and the rounds that they get here.
    pub(in crate::execution) bounds: BTreeMap<u32, u64>,
    /// Branches whose paths do not meet.
    pub(in crate::execution) apart: BTreeMap<u32, Unmerged>,
    /// Jumps to secret addresses.
    pub(in crate::execution) targets: BTreeMap<u32, Jump>,
    /// Accesses to unknown objects.
    pub(in crate::execution) unknown: BTreeMap<u32, Access>,
    /// Accesses to known ones.
    pub(in crate::execution) selected: BTreeMap<(u32, Access), Selected>,
    /// Everything else that a run would end with, by the instruction.
    pub(in crate::execution) errors: BTreeMap<u32, RunError>,
    /// Where paths were left that might have gone on, and why.
    pub(in crate::execution) left: BTreeMap<u32, &'static str>,
    /// Executed addresses.
    pub(in crate::execution) visited: BTreeSet<u32>,
    pub(in crate::execution) instructions: u64,
    /// The loop for which the last region was given up.
    blamed: Option<u32>,
    /// Sides of branches that were begun: where from, and which.
    begun: HashSet<(u32, u32)>,
    rounds: u64,
}

/// A secret branch.
#[derive(Clone, Debug)]
pub(in crate::execution) struct Seen {
    /// The head of the loop that it leaves, if it does, and the most rounds that this leaves.
    pub(in crate::execution) leaves: Option<(u32, u64)>,
    pub(in crate::execution) compared: Option<Comparison>,
    pub(in crate::execution) times: u64,
}

/// How often a path went each way where paths do not meet: from where, and to which side or entry.
type Passes = BTreeMap<(u32, u32), u32>;

/// A path that waits to be followed.
struct Path {
    machine: Symbolic,
    passes: Passes,
}

/// Nothing is evaluated.
struct Nothing;

impl Evaluate for Nothing {
    fn window(&mut self, _: Window) -> Result<(), RunError> {
        Ok(())
    }

    fn ask(&mut self, _: Query) -> Result<Option<Answer>, RunError> {
        Ok(None)
    }

    fn write(&mut self, _: &[u8]) -> Result<(), RunError> {
        Ok(())
    }
}

/// Where a jump to a secret address leads.
#[derive(Clone, Copy, Debug)]
pub(in crate::execution) struct Jump {
    /// How many places it is known to lead to.
    pub(in crate::execution) entries: usize,
    /// Whether each of them was a path.
    pub(in crate::execution) is_followed: bool,
}

/// What comes of a pause.
enum Next {
    /// The path goes on, perhaps with another pause.
    On(Result<(), Pause>),
    Ends,
}

impl Execution<'_> {
    /// Explores everything that can be come to.
    pub(crate) fn explore(&mut self, cancel: &Cancel) -> Result<(), RunError> {
        self.cancel = cancel.clone();
        self.survey = Some(Box::new(Explored {
            rounds: ROUNDS,
            ..Explored::default()
        }));
        let start = self.machine.clone();
        self.follow_all(start.clone())?;
        if !self.behind_loops().is_empty() {
            let short = self.short_loops();
            if let Some(survey) = self.survey.as_deref_mut() {
                let bounds = survey.bounds.iter_mut();
                let short = bounds.filter(|(head, _)| short.contains(head));
                short.for_each(|(_, rounds)| *rounds = MORE_ROUNDS);
                survey.begun.clear();
            }
            self.follow_all(start)?;
        }
        Ok(())
    }

    pub(in crate::execution) fn survey_ref(&self) -> Option<&Explored> {
        self.survey.as_deref()
    }

    /// Follows a path to its end, and all that it leaves to be followed.
    fn follow_all(&mut self, start: Symbolic) -> Result<(), RunError> {
        let mut waiting = vec![Path {
            machine: start,
            passes: Passes::new(),
        }];
        while let Some(path) = waiting.pop() {
            self.machine = path.machine;
            self.paths.region = None;
            let mut passes = path.passes;
            let followed = self.follow_path(&mut passes, &mut waiting);
            self.gather();
            if !followed? {
                break;
            }
        }
        self.paths.region = None;
        Ok(())
    }

    /// Follows the present path to its end; says whether there is budget left.
    fn follow_path(
        &mut self,
        passes: &mut Passes,
        waiting: &mut Vec<Path>,
    ) -> Result<bool, RunError> {
        (self.executed, self.secret) = (0, 0);
        let mut next = Ok(());
        loop {
            if self.paths.are_open() && next.is_ok() {
                next = self.settle();
            }
            if let Err(pause) = next {
                match self.pass(pause, passes, waiting)? {
                    Next::On(on) => next = on,
                    Next::Ends => return Ok(true),
                }
                continue;
            }
            if self.machine.pc == self.sentinel || self.machine.finished {
                return Ok(true);
            }
            // What was given up counts as well, until the circuit is forgotten.
            let many = self.limits.window.min(OPERATIONS / 4);
            if !self.paths.are_open() && self.machine.nodes() >= many {
                self.forget_circuit()?;
            }
            next = self.step();
            let pc = self.machine.pc;
            let Some(survey) = self.survey.as_deref_mut() else {
                return Ok(false);
            };
            survey.instructions += 1;
            if survey.instructions >= BUDGET {
                survey.left.insert(pc, "too much was explored before it");
                return Ok(false);
            }
            if survey.instructions.is_multiple_of(CANCEL_INTERVAL) || self.machine.touched {
                alive(&self.cancel)?;
            }
        }
    }

    /// What a path leaves behind.
    fn gather(&mut self) {
        let Some(survey) = self.survey.as_deref_mut() else {
            return;
        };
        survey
            .visited
            .extend(self.machine.code.touched().map(|(pc, _)| pc));
        survey.unknown.extend(self.machine.noted.iter().copied());
        for (at, selected) in &self.machine.selected {
            survey
                .selected
                .entry(*at)
                .or_insert_with(|| selected.clone());
        }
    }

    /// The circuit so far is of no use: what it computed are new secrets.
    fn forget_circuit(&mut self) -> Result<(), RunError> {
        let cut = self
            .machine
            .cut(|circuit, _, _| Ok::<_, RunError>(circuit.clone()));
        cut.map(|_| ())
    }

    /// Goes on past what a run may be refused for.
    fn pass(
        &mut self,
        pause: Pause,
        passes: &mut Passes,
        waiting: &mut Vec<Path>,
    ) -> Result<Next, RunError> {
        let pc = self.machine.pc;
        let is_open = self.paths.are_open();
        let is_apart = self
            .survey_ref()
            .is_some_and(|survey| survey.apart.contains_key(&pc));
        match pause {
            Pause::Error(RunError::Cancelled) => return Err(RunError::Cancelled),
            Pause::Error(RunError::InstructionLimit { .. }) => {
                self.leave(pc, "too many instructions were executed before it");
                return Ok(Next::Ends);
            }
            Pause::Condition(condition) if !is_open && is_apart => {
                return Ok(self.split(condition, passes, waiting));
            }
            Pause::Target => {
                let found = self.jump_table(pc);
                if let Some(survey) = self.survey.as_deref_mut() {
                    let jump = Jump {
                        entries: found.len(),
                        is_followed: false,
                    };
                    survey.targets.insert(pc, jump);
                }
                if !is_open {
                    return Ok(self.scatter(pc, &found, passes, waiting));
                }
            }
            Pause::Error(error) if may_be_left_out(&error, is_open) => {
                self.note_error(pc, error);
                return Ok(Next::On(self.leave_out(pc)));
            }
            Pause::Error(error) if !is_open && (is_apart || !self.may_be_undone(&error)) => {
                self.note_error(pc, error);
                return Ok(Next::Ends);
            }
            pause => return self.resolve_here(pause),
        }
        self.resolve_here(Pause::Target)
    }

    /// Lets paths go on as they do in a run; where they do not meet, says so and begins again.
    fn resolve_here(&mut self, pause: Pause) -> Result<Next, RunError> {
        match self.resolve(pause, &mut Nothing) {
            Ok(Decided::On) => Ok(Next::On(Ok(()))),
            Ok(Decided::Ends(PlanEnd::Finding(Finding::Unmerged(_, unmerged)))) => {
                let pc = self.machine.pc;
                if let Some(survey) = self.survey.as_deref_mut() {
                    match survey.blamed.take() {
                        // Loops in loops may be too much together, few rounds as each has.
                        Some(head) => {
                            let rounds = survey.bounds.get(&head).map(|rounds| rounds / 2);
                            survey.bounds.insert(head, rounds.unwrap_or(survey.rounds));
                        }
                        None => {
                            survey.apart.entry(pc).or_insert(unmerged);
                        }
                    }
                }
                // The state is that of the first branch, which is come to again.
                Ok(Next::On(Ok(())))
            }
            Ok(Decided::Ends(_)) => Ok(Next::Ends),
            Err(RunError::Cancelled) => Err(RunError::Cancelled),
            Err(error) => {
                self.note_error(self.machine.pc, error);
                Ok(Next::Ends)
            }
        }
    }

    /// Notes a jump of which every target is a path.
    pub(super) fn note_jump(&mut self, pc: u32, entries: usize) {
        if let Some(survey) = self.survey.as_deref_mut() {
            let jump = Jump {
                entries,
                is_followed: true,
            };
            let noted = survey.targets.entry(pc).or_insert(jump);
            noted.entries = noted.entries.max(entries);
        }
    }

    fn leave(&mut self, pc: u32, why: &'static str) {
        if let Some(survey) = self.survey.as_deref_mut() {
            survey.left.entry(pc).or_insert(why);
        }
    }

    fn note_error(&mut self, pc: u32, error: RunError) {
        if let Some(survey) = self.survey.as_deref_mut() {
            survey.errors.entry(pc).or_insert(error);
        }
    }

    /// Goes on behind an instruction that is not executed.
    fn leave_out(&mut self, pc: u32) -> Result<(), Pause> {
        let instruction = self.instruction(pc)?;
        self.machine.drop_instruction();
        self.machine.pc = pc.wrapping_add(4);
        self.executed += 1;
        self.machine.code.mark(pc, true);
        self.follow(pc, &instruction)
    }

    /// Takes one side of a branch whose paths do not meet, and leaves the other to be followed.
    fn split(&mut self, condition: Wire, passes: &mut Passes, waiting: &mut Vec<Path>) -> Next {
        let pc = self.machine.pc;
        self.note_branch(pc);
        let decoded = self.decoded(pc);
        let is_jump = decoded.is_some_and(|found| flow(&found, pc) == Flow::Computed);
        let taken = [0, 1].map(|side| passes.get(&(pc, side)).copied().unwrap_or(0));
        let Some(survey) = self.survey.as_deref_mut() else {
            return Next::Ends;
        };
        if taken.iter().sum::<u32>() >= PASSES {
            survey
                .left
                .entry(pc)
                .or_insert("its paths do not meet, and come back to it");
            return Next::Ends;
        }
        let is_new = [false, true].map(|side| !survey.begun.contains(&(pc, side.into())));
        // Of a jump by a table the way into the table leads further.
        let side = match is_new {
            [false, true] => true,
            [true, false] => false,
            _ if is_jump => taken[1] + 1 < PASSES,
            _ => taken[1] <= taken[0],
        };
        if is_new == [false; 2] {
            survey
                .left
                .entry(pc)
                .or_insert("its paths do not meet, and not all ways on from it were followed");
        }
        survey.begun.insert((pc, side.into()));
        let before = passes.clone();
        *passes.entry((pc, side.into())).or_insert(0) += 1;
        let other = !side;
        if is_new[usize::from(other)] {
            if waiting.len() < PATHS {
                survey.begun.insert((pc, other.into()));
                let mut passes = before;
                *passes.entry((pc, other.into())).or_insert(0) += 1;
                let here = self.machine.clone();
                let gone = self.take_side(pc, condition, other);
                let machine = std::mem::replace(&mut self.machine, here);
                if gone.is_ok() {
                    waiting.push(Path { machine, passes });
                }
            } else {
                survey.left.entry(pc).or_insert("too many paths wait");
            }
        }
        Next::On(self.take_side(pc, condition, side))
    }

    fn take_side(&mut self, pc: u32, condition: Wire, side: bool) -> Result<(), Pause> {
        let instruction = self.instruction(pc)?;
        self.machine.reveal(condition, side);
        self.go(pc, instruction, side).map(|_| ())
    }

    /// Leaves every entry of a table of jumps to be followed, and goes on at the one that this path
    /// took least often.
    fn scatter(
        &mut self,
        pc: u32,
        entries: &[u32],
        passes: &mut Passes,
        waiting: &mut Vec<Path>,
    ) -> Next {
        let Some(survey) = self.survey.as_deref_mut() else {
            return Next::Ends;
        };
        self.machine.drop_instruction();
        let taken = |to: u32| passes.get(&(pc, to)).copied().unwrap_or(0);
        let Some(next) = entries.iter().copied().min_by_key(|to| taken(*to)) else {
            return Next::On(self.go_past(pc));
        };
        if taken(next) >= 2 {
            survey.left.entry(pc).or_insert("paths come back to it");
            return Next::Ends;
        }
        let link = self
            .decoded(pc)
            .is_some_and(|found| flow(&found, pc) == Flow::Call);
        if link {
            self.machine.place(14, Word::Clear(pc.wrapping_add(4)));
        }
        let Some(survey) = self.survey.as_deref_mut() else {
            return Next::Ends;
        };
        survey.begun.insert((pc, next));
        for target in entries {
            if *target == next || !survey.begun.insert((pc, *target)) {
                continue;
            }
            if waiting.len() >= PATHS {
                survey.left.entry(pc).or_insert("too many paths wait");
                break;
            }
            let mut machine = self.machine.clone();
            machine.pc = *target;
            let mut passes = passes.clone();
            *passes.entry((pc, *target)).or_insert(0) += 1;
            waiting.push(Path { machine, passes });
        }
        *passes.entry((pc, next)).or_insert(0) += 1;
        self.machine.pc = next;
        Next::On(Ok(()))
    }

    /// Goes on behind a call of which nothing is known, as if it had returned anything.
    fn go_past(&mut self, pc: u32) -> Result<(), Pause> {
        let instruction = self.instruction(pc)?;
        if flow(&instruction, pc) != Flow::Call {
            // Nothing tells where a jump leads.
            self.leave(pc, "it is not known where it leads");
            self.machine.finished = true;
            return Ok(());
        }
        for register in [0, 1, 2, 3, 12] {
            let unknown = self.machine.inputs(32);
            self.machine.place(register, Word::from_slice(&unknown));
        }
        self.leave(pc, "it is not known which function is called");
        self.leave_out(pc)
    }

    /// The entries of the table that a jump goes by, as compilers lay it behind the jump: addresses,
    /// or branches.
    fn jump_table(&self, pc: u32) -> Vec<u32> {
        let word = |address: u32| self.machine.memory.fetch(address).flatten();
        let Some(Ok(instruction)) = word(pc).map(a32::decode) else {
            return Vec::new();
        };
        if let Operation::BranchExchange { rm, .. } = instruction.operation {
            // A pointer that was chosen among some.
            let functions = self.program.functions().iter();
            let entries: Vec<u32> = functions.map(|function| function.address).collect();
            let mut chosen = self.machine.pointers_in(rm.index());
            chosen.retain(|pointer| entries.contains(pointer));
            return chosen;
        }
        let function = self.program.place(pc).symbol;
        let functions = self.program.functions().iter();
        let mut own =
            functions.filter(|f| function.as_ref().is_some_and(|(name, _)| *name == f.name));
        let Some(own) = own.find(|f| pc.wrapping_sub(f.address) < f.size) else {
            return Vec::new();
        };
        let within = |address: u32| {
            address.is_multiple_of(4) && address.wrapping_sub(own.address) < own.size
        };
        let places = (0..ENTRIES).map(|entry| pc.wrapping_add(8 + 4 * entry));
        let places = places.take_while(|place| within(*place));
        let mut found: Vec<u32> = match instruction.operation {
            Operation::Load { rt, address, .. }
                if rt == Register::PC && address.base == Register::PC =>
            {
                places
                    .map_while(word)
                    .take_while(|to| within(*to))
                    .collect()
            }
            Operation::Alu { rd, rn, .. } if rd == Register::PC && rn == Register::PC => places
                .take_while(|place| {
                    let decoded = word(*place).map(a32::decode);
                    matches!(
                        decoded,
                        Some(Ok(Instruction {
                            operation: Operation::Branch { .. },
                            ..
                        }))
                    )
                })
                .collect(),
            _ => Vec::new(),
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Notes a secret branch: which loop it leaves, and what was compared before it.
    pub(super) fn note_branch(&mut self, pc: u32) {
        if self.survey.is_none() {
            return;
        }
        let Ok(instruction) = self.instruction(pc) else {
            return;
        };
        let flow = flow(&instruction, pc);
        if flow == Flow::On {
            return;
        }
        let leaves = self.left_loop(pc, flow);
        let known = self
            .survey_ref()
            .and_then(|survey| survey.branches.get(&pc));
        let compared = match known {
            Some(seen) => seen.compared.clone(),
            None => self.comparison(pc),
        };
        let Some(survey) = self.survey.as_deref_mut() else {
            return;
        };
        let seen = survey.branches.entry(pc).or_insert(Seen {
            leaves: None,
            compared,
            times: 0,
        });
        seen.times += 1;
        seen.leaves = match (seen.leaves, leaves) {
            (Some((head, rounds)), Some((_, more))) => Some((head, rounds.max(more))),
            (known, new) => known.or(new),
        };
    }

    /// The innermost loop that a branch leaves on one side only, and how often it went round.
    fn left_loop(&mut self, pc: u32, flow: Flow) -> Option<(u32, u64)> {
        let taken = match flow {
            Flow::Jump(target) => Some(target),
            Flow::Return | Flow::Computed => None,
            _ => return None,
        };
        let next = pc.wrapping_add(4);
        let (entry, rounds) = match self.paths.region.as_deref() {
            Some(region) => {
                let frame = region.point.frame()?;
                (frame.entry, frame.rounds.clone())
            }
            None => return None,
        };
        let order = self.order(entry);
        rounds.iter().rev().find_map(|(head, rounds)| {
            let is_in = |address| order.is_in(address, *head);
            let (goes_on, ends) = (taken.is_some_and(is_in), is_in(next));
            // This round ends with the branch, or it begins; where it stands at the end, another
            // one begins.
            let again = if goes_on { taken } else { Some(next) };
            let more = 1 + u64::from(again == Some(*head));
            (goes_on != ends).then_some((*head, rounds + more))
        })
    }

    /// The rounds that a loop gets here that only a secret ends.
    pub(super) fn explored_rounds(&self, head: u32) -> Option<u64> {
        self.survey_ref()?.bounds.get(&head).copied()
    }

    /// The most operations that are recorded while paths are under way.
    pub(super) fn operations_limit(&self, of_a_run: usize) -> usize {
        match self.survey {
            Some(_) => OPERATIONS,
            None => of_a_run,
        }
    }

    /// The bound of the loop with this head, if the task or the source has one.
    pub(in crate::execution) fn bound_of(&mut self, pc: u32, head: u32) -> Option<u64> {
        let order = self.order_around(pc);
        self.bound(&order, pc, head)
    }

    /// Before paths are given up: looks for the loop that is the reason.
    pub(super) fn blame(&mut self, obstacle: &Obstacle) {
        if !matches!(obstacle, Obstacle::Limit { .. } | Obstacle::Size { .. }) {
            return;
        }
        let (Some(survey), Some(region)) =
            (self.survey.as_deref_mut(), self.paths.region.as_deref())
        else {
            return;
        };
        let ended: HashSet<u32> = survey
            .branches
            .values()
            .filter_map(|seen| Some(seen.leaves?.0))
            .collect();
        let points = region.waiting.iter().map(|path| &path.point);
        let frames = points
            .chain([&region.point])
            .flat_map(|point| &point.frames);
        let loops = frames.flat_map(|frame| &frame.rounds);
        let bound = |head: &u32| survey.bounds.get(head).copied();
        let loops = loops.filter(|(head, rounds)| {
            *rounds > 0 && ended.contains(head) && bound(head).is_none_or(|rounds| rounds > 1)
        });
        // One that has no bound yet comes first.
        let most = loops.max_by_key(|(head, rounds)| (bound(head).is_none(), *rounds));
        let most = most.map(|(head, rounds)| (*head, *rounds));
        // A function that calls itself again and again.
        let mut depths: HashMap<u32, u64> = HashMap::new();
        for frame in &region.point.frames {
            *depths.entry(frame.entry).or_insert(0) += 1;
        }
        let deep = depths
            .into_iter()
            .filter(|(entry, depth)| *depth > 1 && bound(entry).is_none_or(|rounds| rounds > 1));
        let deep = deep.max_by_key(|(entry, depth)| (*depth, *entry));
        let most = most.into_iter().chain(deep);
        let most = most.max_by_key(|(head, rounds)| (bound(head).is_none(), *rounds));
        survey.blamed = most.map(|(head, _)| head);
    }

    /// Instructions of the loops that were left early which were not come to.
    pub(in crate::execution) fn behind_loops(&mut self) -> Vec<u32> {
        let short = self.short_loops();
        let missed: BTreeSet<u32> = short
            .into_iter()
            .flat_map(|head| self.missed_in(head))
            .collect();
        missed.into_iter().collect()
    }

    /// The loops that were left early and have code that was not come to.
    fn short_loops(&mut self) -> Vec<u32> {
        let mut heads: Vec<u32> = match self.survey_ref() {
            Some(survey) => survey.bounds.keys().copied().collect(),
            None => return Vec::new(),
        };
        heads.retain(|head| !self.missed_in(*head).is_empty());
        heads
    }

    fn missed_in(&mut self, head: u32) -> Vec<u32> {
        let order = self.order_around(head);
        let Some(survey) = self.survey_ref() else {
            return Vec::new();
        };
        let inside = order.addresses().filter(|pc| order.is_in(*pc, head));
        inside.filter(|pc| !survey.visited.contains(pc)).collect()
    }

    /// Instructions of the functions that were executed which were not come to, though the code
    /// leads there.
    pub(in crate::execution) fn not_come_to(&mut self) -> Vec<u32> {
        let Some(survey) = self.survey_ref() else {
            return Vec::new();
        };
        let mut entries = BTreeSet::new();
        for pc in &survey.visited {
            let symbol = self.program.place(*pc).symbol;
            entries.extend(symbol.map(|(_, offset)| pc.wrapping_sub(offset)));
        }
        let mut missed = BTreeSet::new();
        for entry in entries {
            let order = self.order(entry);
            let visited = self.survey_ref().map(|survey| &survey.visited);
            missed.extend(
                order
                    .addresses()
                    .filter(|pc| visited.is_some_and(|v| !v.contains(pc))),
            );
        }
        missed.into_iter().collect()
    }

    /// The order of the function around an instruction.
    fn order_around(&mut self, pc: u32) -> Rc<Order> {
        let symbol = self.program.place(pc).symbol;
        let entry = symbol.map_or(pc, |(_, offset)| pc.wrapping_sub(offset));
        self.order(entry)
    }
}

/// Whether an instruction that cannot be executed can be left out, to see what comes after it. An
/// access outside of its object ends a path as it does in a run.
fn may_be_left_out(error: &RunError, on_a_path: bool) -> bool {
    match error {
        RunError::SecretArgument { .. }
        | RunError::SecretWrite { .. }
        | RunError::SecretFloatMode { .. }
        | RunError::LargeObject { .. } => true,
        RunError::OutsideObject { .. } => !on_a_path,
        _ => false,
    }
}
