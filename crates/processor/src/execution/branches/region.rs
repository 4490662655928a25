//! Carrying paths on until they are one.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use a32::{Condition, Instruction};
use circuits::Wire;

use super::order::Order;
use super::paths::{Key, Point, Region, Waiting};
use super::tree::{self, PathId, Step, Tree};
use super::{Execution, Flow, Pause, alive, flow, successors};
use crate::error::{Apart, Obstacle, RunError, Site, Unmerged};
use crate::machine::{Care, Changes, Snapshot};
use crate::task::Bound;

/// The most paths that wait for each other.
const WAITING: usize = 1 << 14;

/// The most operations that are recorded while paths are under way: about a gigabyte.
const OPERATIONS: usize = 1 << 24;

/// Paths that ended and are named, at most.
const NAMED_FAULTS: usize = 8;

impl Execution<'_> {
    /// Splits the path at a secret branch; where a loop is at its bound, it ends there.
    pub(super) fn fork(&mut self, condition: Wire) -> Result<(), Pause> {
        let pc = self.machine.pc;
        if let Some(holds) = self.machine.decided(condition) {
            return self.pass_or_leave(condition, holds);
        }
        let instruction = self.instruction(pc)?;
        if !self.paths.are_open() {
            self.open_region(Some(condition));
        }
        self.note_branch(pc);
        if let Some(region) = &mut self.paths.region {
            region.forked.insert(pc);
        }
        if let Some(goes_on) = self.goes_on_beyond_its_bound(pc, &instruction) {
            return self.leave_loop(condition, goes_on);
        }
        let next = pc.wrapping_add(4);
        let mut point = self.region()?.point.clone();
        if let Some(frame) = point.frame() {
            let order = self.order(frame.entry);
            point.go(&order, next);
        }
        let key = self.key(&point);
        self.machine.charge_branch(condition, pc);
        let mut snapshot = self.machine.snapshot();
        snapshot.pc = next;
        let changes = Rc::new(self.machine.memory.stored());
        let executed = self.executed;
        let region = self.paths.region.as_deref_mut().ok_or_else(lost)?;
        let steps = region.steps_after(executed);
        let machine = &mut self.machine;
        let cares = machine.cares(condition);
        let and = |a, b| machine.both(a, b);
        let (holds, fails) = region.tree.split(region.path, condition, cares, and);
        region.path = holds;
        self.machine.care = cares[0];
        insert(
            &mut region.waiting,
            Waiting {
                path: fails,
                point,
                key,
                snapshot,
                changes,
                steps,
                begins: Some((condition, false)),
            },
        );
        self.machine.assume(condition, true);
        self.take(pc, instruction)
    }

    pub(super) fn region(&self) -> Result<&Region, Pause> {
        self.paths.region.as_deref().ok_or_else(lost)
    }

    pub(super) fn open_region(&mut self, condition: Option<Wire>) {
        let pc = self.machine.pc;
        self.paths.functions.keep(self.machine.code.generation());
        // The function around the branch, if it is known and leads here.
        let known = self.program.place(pc).symbol;
        let known = known.map(|(_, offset)| pc.wrapping_sub(offset));
        let entry = known.filter(|entry| self.order(*entry).place(pc).is_some());
        let entry = entry.unwrap_or(pc);
        let mut point = Point::new(entry, pc);
        point.go(&self.order(entry), pc);
        self.paths.region = Some(Box::new(Region {
            before: self.machine.snapshot(),
            condition,
            executed_before: self.executed,
            secret_before: self.secret,
            tree: Tree::new(),
            path: 0,
            point,
            steps: 0,
            since: self.executed,
            waiting: Vec::new(),
            faults: Vec::new(),
            exceeded: Vec::new(),
            ended: Vec::new(),
            bounded: Vec::new(),
            forked: HashSet::new(),
        }));
        self.machine.memory.open_journal();
    }

    /// The order of the function with this entry.
    pub(super) fn order(&mut self, entry: u32) -> Rc<Order> {
        let mut functions = std::mem::take(&mut self.paths.functions);
        let order = functions.order(entry, |address| match self.instruction(address) {
            Ok(instruction) => successors(&instruction, address),
            Err(_) => [None, None],
        });
        self.paths.functions = functions;
        order
    }

    pub(super) fn key(&mut self, point: &Point) -> Key {
        if let Some(address) = point.returned {
            return vec![(u32::MAX, address.into())];
        }
        let mut key = Key::new();
        for frame in &point.frames {
            let order = self.order(frame.entry);
            let position = |address: u32| order.place(address).map(|place| place.position);
            if !key.is_empty() {
                key.push((frame.entry, 0));
            }
            for (head, rounds) in &frame.rounds {
                key.push((position(*head).unwrap_or(u32::MAX - 1), *rounds));
            }
            key.push(match position(frame.at) {
                Some(position) => (position, 0),
                None => (u32::MAX - 1, frame.at.into()),
            });
        }
        key
    }

    /// If the branch at `pc` leaves a loop that is at its bound on one side only: whether it goes on
    /// where the condition holds.
    fn goes_on_beyond_its_bound(&mut self, pc: u32, instruction: &Instruction) -> Option<bool> {
        let next = pc.wrapping_add(4);
        let taken = match flow(instruction, pc) {
            Flow::Jump(target) => Some(target),
            Flow::Return | Flow::Computed => None,
            _ => return None,
        };
        let frame = self.region().ok()?.point.frame()?.clone();
        let order = self.order(frame.entry);
        let (head, rounds, goes_on) = frame.rounds.iter().rev().find_map(|(head, rounds)| {
            let is_in = |address| order.is_in(address, *head);
            let (taken, next) = (taken.is_some_and(is_in), is_in(next));
            (taken != next).then_some((*head, *rounds, taken))
        })?;
        let bound = self.bound(&order, pc, head)?;
        // At the end of a round another one would begin, at its beginning this one.
        let target = if goes_on { taken } else { Some(next) };
        let rounds = rounds + u64::from(target == Some(head));
        (rounds >= bound).then_some(goes_on)
    }

    /// The bound of the loop with this head that the branch at `pc` leaves: that of the smallest
    /// range that holds either, else the one that stands in the source, else the one of all.
    pub(super) fn bound(&self, order: &Order, pc: u32, head: u32) -> Option<u64> {
        let bounds = self.bounds.iter();
        let here = bounds.filter(|bound| bound.holds(pc) || bound.holds(head));
        let smallest = here.min_by_key(|bound| bound.size);
        let (all, one) = match smallest {
            Some(bound) if *bound == Bound::of_all(bound.rounds) => (Some(bound.rounds), None),
            other => (None, other.map(|bound| bound.rounds)),
        };
        let named = one.or_else(|| self.marked_bound(order, head)).or(all);
        let explored = self.explored_rounds(head);
        named.into_iter().chain(explored).min()
    }

    /// The bound that stands in the source: within the loop and within no loop in it. A function
    /// that calls itself is its own head, and its bound stands in no loop. A compiler that copies a
    /// loop's body copies its mark, so the largest one counts.
    fn marked_bound(&self, order: &Order, head: u32) -> Option<u64> {
        let marks = self.program.bounds().iter();
        let here = marks.filter(|mark| {
            order
                .place(mark.address)
                .is_some_and(|place| place.loops.last().copied().unwrap_or(order.entry()) == head)
        });
        here.map(|mark| mark.rounds).max()
    }

    /// Ends a loop that would go on where the condition is `goes_on`.
    fn leave_loop(&mut self, condition: Wire, goes_on: bool) -> Result<(), Pause> {
        let pc = self.machine.pc;
        let instruction = self.instruction(pc)?;
        let region = self.paths.region.as_deref_mut().ok_or_else(lost)?;
        region.bounded.push(pc);
        let reached = region.tree.reached(region.path);
        let stays = if goes_on { condition } else { !condition };
        let exceeded = self.machine.both(reached, stays);
        region.exceeded.push(exceeded);
        // Where it would go on, the run means nothing: nothing has to be right there.
        let care = self.machine.cares(condition)[usize::from(goes_on)];
        if care != Care::NEVER {
            self.machine.care = care;
            let region = self.paths.region.as_deref_mut().ok_or_else(lost)?;
            region.tree.set_care(region.path, care);
        }
        self.machine.assume(condition, !goes_on);
        self.go_on(pc, instruction, !goes_on)
    }

    /// Goes on at an instruction whose condition can only have one value; where that would begin a
    /// round beyond a loop's bound, the loop ends.
    pub(super) fn pass_or_leave(&mut self, condition: Wire, holds: bool) -> Result<(), Pause> {
        let pc = self.machine.pc;
        let instruction = self.instruction(pc)?;
        let is_open = self.paths.are_open();
        if is_open && self.goes_on_beyond_its_bound(pc, &instruction) == Some(holds) {
            return self.leave_loop(condition, holds);
        }
        self.proceed(condition, holds)
    }

    /// Forgets functions that no path needs, where they are many.
    pub(super) fn make_room(&mut self) {
        if self.machine.is_crowded() {
            let regions = self.paths.region.iter_mut();
            let cares = regions.flat_map(|region| region.tree.cares());
            self.machine.compact(cares);
        }
    }

    fn proceed(&mut self, condition: Wire, holds: bool) -> Result<(), Pause> {
        let pc = self.machine.pc;
        let instruction = self.instruction(pc)?;
        if self.paths.are_open() {
            self.machine.assume(condition, holds);
        }
        self.go_on(pc, instruction, holds)
    }

    fn go_on(&mut self, pc: u32, instruction: Instruction, holds: bool) -> Result<(), Pause> {
        if holds {
            return self.take(pc, instruction);
        }
        self.machine.touched = true;
        self.machine.code.mark(pc, true);
        self.executed += 1;
        self.secret += 1;
        self.machine.pc = pc.wrapping_add(4);
        self.follow(pc, &instruction)
    }

    /// Executes a conditional instruction whose condition holds.
    pub(super) fn take(&mut self, pc: u32, instruction: Instruction) -> Result<(), Pause> {
        let taken = Instruction {
            condition: Condition::Always,
            ..instruction
        };
        // A branch on a secret is an instruction on a secret, however it was decided.
        self.machine.touched = true;
        self.perform(pc, &taken)
    }

    /// Follows an instruction on a path: which function it is in, and what it must not do.
    pub(in crate::execution) fn follow(
        &mut self,
        pc: u32,
        instruction: &Instruction,
    ) -> Result<(), Pause> {
        if !self.paths.are_open() {
            return Ok(());
        }
        if self.machine.finished || self.machine.written.is_some() {
            return Err(Pause::Unmerged(Obstacle::System));
        }
        let to = self.machine.pc;
        self.refuse_rounds(pc, instruction, to)?;
        let flow = flow(instruction, pc);
        let computed = matches!(flow, Flow::Computed | Flow::Return);
        let region = self.paths.region.as_deref_mut().ok_or_else(lost)?;
        if !region.point.follow(flow, pc, to) {
            return Ok(());
        }
        let Some(frame) = region.point.frame() else {
            return Ok(());
        };
        let (entry, from) = (frame.entry, frame.at);
        if flow == Flow::Call && entry == to && to != pc.wrapping_add(4) {
            self.refuse_depth(entry)?;
        }
        let mut order = self.order(entry);
        if computed
            && from == pc
            && order.place(to).is_none()
            && self.paths.functions.jumped(pc, to)
        {
            order = self.order(entry);
            self.renew_keys();
        }
        if let Some(region) = &mut self.paths.region {
            region.point.go(&order, to);
        }
        Ok(())
    }

    /// Ends a path that goes round a loop beyond its bound where what is known of the path decides
    /// the loop's condition: it depended on a secret before, and here it always holds.
    fn refuse_rounds(&mut self, pc: u32, instruction: &Instruction, to: u32) -> Result<(), Pause> {
        if !self.region()?.forked.contains(&pc) {
            return Ok(());
        }
        let taken = to != pc.wrapping_add(4);
        match self.goes_on_beyond_its_bound(pc, instruction) == Some(taken) {
            true => Err(Pause::Exceeded),
            false => Ok(()),
        }
    }

    /// Ends a path that calls a function within itself beyond its bound.
    fn refuse_depth(&mut self, entry: u32) -> Result<(), Pause> {
        let order = self.order(entry);
        let Some(bound) = self.bound(&order, entry, entry) else {
            return Ok(());
        };
        let frames = &self.region()?.point.frames;
        let depth = frames.iter().filter(|frame| frame.entry == entry).count() as u64;
        match depth > bound {
            true => Err(Pause::Exceeded),
            false => Ok(()),
        }
    }

    /// Computes the keys again, after an order has changed.
    pub(super) fn renew_keys(&mut self) {
        let Some(mut region) = self.paths.region.take() else {
            return;
        };
        let waiting = std::mem::take(&mut region.waiting);
        region.point.renew(|entry| self.order(entry));
        for mut path in waiting {
            path.point.renew(|entry| self.order(entry));
            path.key = self.key(&path.point);
            insert(&mut region.waiting, path);
        }
        self.paths.region = Some(region);
    }

    /// Joins paths that stand at one point, and turns to the one that is behind.
    pub(in crate::execution) fn settle(&mut self) -> Result<(), Pause> {
        let limit = self.branches.both.unwrap_or(0);
        while let Some(region) = self.paths.region.as_deref() {
            alive(&self.cancel)?;
            let executed = self.executed - region.executed_before;
            if self.machine.pc == self.sentinel && region.point.returned.is_none() {
                return Err(Pause::Unmerged(Obstacle::Ends));
            }
            if executed >= limit || region.waiting.len() > WAITING {
                let limit = executed.min(limit);
                return Err(Pause::Unmerged(Obstacle::Limit { limit }));
            }
            if self.machine.nodes() >= self.operations_limit(OPERATIONS) {
                let operations = self.machine.nodes() as u64;
                return Err(Pause::Unmerged(Obstacle::Size { operations }));
            }
            let Some(earliest) = region.waiting.last() else {
                self.close_region();
                break;
            };
            let point = region.point.clone();
            if earliest.point == point {
                self.join()?;
                continue;
            }
            let key = self.key(&point);
            let region = self.region()?;
            let earliest = region.waiting.last().ok_or_else(lost)?;
            if earliest.key >= key {
                if let (Some(holds), Some(fails)) = (point.returned, earliest.point.returned) {
                    return Err(Pause::Unmerged(Obstacle::Apart { holds, fails }));
                }
                break;
            }
            self.turn(key)?;
        }
        Ok(())
    }

    /// Carries the earliest path on instead of the present one.
    fn turn(&mut self, key: Key) -> Result<(), Pause> {
        let snapshot = self.machine.snapshot();
        let changes = Rc::new(self.machine.roll_back());
        let executed = self.executed;
        let region = self.paths.region.as_deref_mut().ok_or_else(lost)?;
        let steps = region.steps_after(executed);
        let next = region.waiting.pop().ok_or_else(lost)?;
        let path = Waiting {
            path: region.path,
            point: region.point.clone(),
            key,
            snapshot,
            changes,
            steps,
            begins: None,
        };
        insert(&mut region.waiting, path);
        self.resume_path(next);
        Ok(())
    }

    /// Makes a path that waited the present one; memory is what it was at the first branch.
    fn resume_path(&mut self, path: Waiting) {
        self.machine.resume(&path.snapshot);
        self.machine.memory.open_journal();
        self.machine.store_again(&path.changes);
        self.machine.forget_all();
        let Some(region) = self.paths.region.as_deref_mut() else {
            return;
        };
        let facts = region.tree.facts(path.path);
        for fact in tree::each(&facts) {
            self.machine.know(fact.condition, fact.value);
        }
        if let Some((condition, value)) = path.begins {
            self.machine.assume(condition, value);
        }
        region.path = path.path;
        region.steps = path.steps;
        region.since = self.executed;
        region.point = path.point;
        self.machine.care = region.tree.care(path.path);
    }

    /// Makes one path of the present one and all that wait at its point.
    fn join(&mut self) -> Result<(), Pause> {
        let snapshot = self.machine.snapshot();
        let changes = Rc::new(self.machine.roll_back());
        let executed = self.executed;
        let region = self.paths.region.as_deref_mut().ok_or_else(lost)?;
        let point = region.point.clone();
        let mut steps = region.steps_after(executed);
        let mut sides: Vec<Side> = vec![(region.path, snapshot, changes)];
        while let Some(path) = region.waiting.pop_if(|path| path.point == point) {
            steps = steps.max(path.steps);
            sides.push((path.path, path.snapshot, path.changes));
        }
        let stack = sides[0].1.stack_pointer();
        if sides
            .iter()
            .any(|(_, side, _)| side.stack_pointer() != stack)
        {
            // The stores of all of them are undone.
            self.machine.memory.open_journal();
            return Err(Pause::Unmerged(Obstacle::Stack));
        }
        let paths: Vec<PathId> = sides.iter().map(|(path, ..)| *path).collect();
        self.machine.forget_all();
        let mut values: HashMap<usize, Joined> = HashMap::new();
        for step in region.tree.steps(&paths) {
            let (node, value) = match step {
                Step::Path(path) => (path, Joined::Path(path)),
                Step::Join {
                    node,
                    condition,
                    holds,
                    fails,
                } => match (values.get(&holds), values.get(&fails)) {
                    (None, None) => continue,
                    (Some(value), None) | (None, Some(value)) => (node, value.clone()),
                    (Some(holds), Some(fails)) if holds.is(fails) => (node, holds.clone()),
                    (Some(holds), Some(fails)) => {
                        let (snapshot, changes) = fails.of(&sides);
                        self.machine.resume(snapshot);
                        self.machine.memory.open_journal();
                        self.machine.store_again(changes);
                        let (snapshot, changes) = holds.of(&sides);
                        self.machine.charge_selection(condition);
                        self.machine.care = region.tree.care(node);
                        self.machine.merge(condition, snapshot.clone(), changes);
                        let changes = self.machine.roll_back();
                        let snapshot = self.machine.snapshot();
                        (node, Joined::New(Rc::new((snapshot, Rc::new(changes)))))
                    }
                },
            };
            values.insert(node, value);
        }
        let whole = values.remove(&region.tree.root()).ok_or_else(lost)?;
        let (snapshot, changes) = whole.of(&sides);
        let (snapshot, changes) = (snapshot.clone(), Rc::clone(changes));
        let machine = &mut self.machine;
        let cares: Vec<_> = paths.iter().map(|path| region.tree.care(*path)).collect();
        let path = region.tree.join(&paths, |wires| machine.any(wires));
        let care = machine.any_care(&cares).unwrap_or_else(|| {
            let facts = region.tree.facts(path);
            let known = tree::each(&facts).map(|fact| (fact.condition, fact.value));
            machine.care_of(known)
        });
        region.tree.set_care(path, care);
        let whole = Waiting {
            path,
            point,
            key: Key::new(),
            snapshot,
            changes,
            steps,
            begins: None,
        };
        self.resume_path(whole);
        Ok(())
    }

    /// The present path cannot go on; whether it is the one that is taken, a bit of the run says.
    pub(super) fn end_path(&mut self, ended: Ended<'_>) -> Result<(), Pause> {
        let site = self.site(self.machine.pc);
        let region = self.paths.region.as_deref_mut().ok_or_else(lost)?;
        let reached = region.tree.reached(region.path);
        let message = match ended {
            Ended::Exceeded => {
                region.bounded.push(self.machine.pc);
                region.exceeded.push(reached);
                "it goes on beyond its bound".to_owned()
            }
            Ended::Fault(error) => {
                region.fault(region.path, site, error.to_string());
                error.to_string()
            }
        };
        let Some(next) = region.waiting.pop() else {
            return Err(Pause::Unmerged(Obstacle::Fault { message }));
        };
        region.tree.end(region.path);
        self.machine.roll_back();
        self.resume_path(next);
        Ok(())
    }

    /// One path is left: what it did holds.
    fn close_region(&mut self) {
        self.machine.memory.commit();
        self.machine.forget_all();
        self.machine.care = Care::ALWAYS;
        if let Some(region) = self.paths.region.take() {
            self.machine.note_ended(&region.faults, &region.exceeded);
            self.paths.bounded.extend(&region.bounded);
            for (site, reason) in region.ended {
                let known = self.paths.faults.iter().any(|(named, _)| *named == site);
                if !known && self.paths.faults.len() < NAMED_FAULTS {
                    self.paths.faults.push((site, reason));
                }
            }
        }
    }

    /// Makes the state what it was at the first branch; gives its condition.
    pub(super) fn abandon(&mut self, obstacle: Obstacle) -> (Option<Wire>, Option<Unmerged>) {
        let at = Box::new(self.site(self.machine.pc));
        let apart = self.paths.region.as_deref().and_then(|region| {
            let other = region.waiting.last()?;
            let frames = region.point.frames.iter();
            let inside = region.point.frame().map_or(0, |frame| frame.entry);
            Some(Box::new(Apart {
                steps: region.steps_after(self.executed),
                other: self.site(other.snapshot.pc),
                other_steps: other.steps,
                paths: region.waiting.len() + 1,
                depth: frames.filter(|frame| frame.entry == inside).count(),
            }))
        });
        let apart = apart.filter(|_| obstacle.is_limit());
        let unmerged = Some(Unmerged {
            at,
            obstacle,
            apart,
        });
        let Some(region) = self.paths.region.take() else {
            return (None, unmerged);
        };
        self.machine.roll_back();
        self.machine.forget_all();
        self.machine.care = Care::ALWAYS;
        self.machine.reinstate(&region.before);
        // What is recorded for the branch now is not the faulting instruction's.
        let pc = self.machine.pc;
        self.machine.charge(pc);
        self.machine.secret_target = None;
        self.executed = region.executed_before;
        self.secret = region.secret_before;
        (region.condition, unmerged)
    }
}

impl Region {
    /// A path ends in a fault.
    pub(super) fn fault(&mut self, path: PathId, site: Site, message: String) {
        self.faults.push(self.tree.reached(path));
        self.tree.end(path);
        let ended = &mut self.ended;
        if ended.len() < NAMED_FAULTS && ended.iter().all(|(named, _)| *named != site) {
            ended.push((site, message));
        }
    }
}

/// Why a path ends.
pub(super) enum Ended<'e> {
    Fault(&'e RunError),
    /// A function calls itself beyond its bound.
    Exceeded,
}

/// A side of a join.
type Side = (PathId, Snapshot, Rc<Changes>);

/// A value of the traversal that makes paths one.
#[derive(Clone)]
enum Joined {
    /// A path as it is.
    Path(PathId),
    /// What became of several.
    New(Rc<(Snapshot, Rc<Changes>)>),
}

impl Joined {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Path(own), Self::Path(other)) => own == other,
            (Self::New(own), Self::New(other)) => Rc::ptr_eq(own, other),
            _ => false,
        }
    }

    fn of<'a>(&'a self, sides: &'a [Side]) -> (&'a Snapshot, &'a Rc<Changes>) {
        match self {
            Self::New(made) => (&made.0, &made.1),
            Self::Path(path) => {
                let side = sides.iter().find(|(own, ..)| own == path);
                let (_, snapshot, changes) = side.unwrap_or(&sides[0]);
                (snapshot, changes)
            }
        }
    }
}

/// Puts a path where its key belongs: the earliest is the last.
pub(super) fn insert(waiting: &mut Vec<Waiting>, path: Waiting) {
    let place = waiting.partition_point(|other| other.key > path.key);
    waiting.insert(place, path);
}

/// No paths are under way where there must be some: a defect.
pub(super) fn lost() -> Pause {
    Pause::Unmerged(Obstacle::System)
}
