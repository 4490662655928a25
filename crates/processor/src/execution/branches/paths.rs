//! The paths that are under way, and where each of them is.
//!
//! A path stands at a *point*: the calls it is in since the first branch, for each the rounds of
//! the loops around it, and the instruction. Points are ordered as execution goes through them
//! ([`Order`]): the path at the earliest one is carried on, the others wait. So all that can still
//! come to a point has come there before any of them leaves it, and paths of one point become one
//! path. Rounds belong to the point: two rounds of a loop never become one, and a counter stays
//! clear. B. Xin, N. Sumner, X. Zhang, "Efficient program execution indexing" (2008), has such
//! points for another purpose.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use circuits::Wire;

use super::order::{Order, Successors};
use super::tree::{PathId, Tree};
use crate::error::Site;
use crate::machine::{Changes, Flow, Snapshot};

/// A call that a path is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The first instruction of the function.
    pub(super) entry: u32,
    /// The instruction that is next, or the call that is under way.
    pub(super) at: u32,
    /// The heads of the loops around it, the outermost first, and how often each was come back to.
    pub(super) rounds: Vec<(u32, u64)>,
    /// Where it returns to.
    returns_to: Option<u32>,
}

/// Where a path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// The calls, the outermost first.
    pub(super) frames: Vec<Frame>,
    /// Where the outermost has returned to: behind everything else.
    pub(super) returned: Option<u32>,
}

/// A point as numbers that compare as points do.
pub(super) type Key = Vec<(u32, u64)>;

/// A path that waits.
pub(super) struct Waiting {
    pub(super) path: PathId,
    pub(super) point: Point,
    pub(super) key: Key,
    pub(super) snapshot: Snapshot,
    /// What it stored since the first branch.
    pub(super) changes: Rc<Changes>,
    /// How many instructions it took since the first branch.
    pub(super) steps: u64,
    /// The condition that it begins with.
    pub(super) begins: Option<(Wire, bool)>,
}

/// All paths since a branch at which there was one.
pub(super) struct Region {
    /// The state at that branch.
    pub(super) before: Snapshot,
    /// Of the first branch; nothing where that was a jump to one of several places.
    pub(super) condition: Option<Wire>,
    /// Instructions executed before it.
    pub(super) executed_before: u64,
    /// Those of them that touched secrets.
    pub(super) secret_before: u64,
    pub(super) tree: Tree,
    /// The path that is carried on, and where it is.
    pub(super) path: PathId,
    pub(super) point: Point,
    /// How many instructions it took before it was carried on the last time, and how many were
    /// executed in all until then.
    pub(super) steps: u64,
    pub(super) since: u64,
    /// The others, the earliest last.
    pub(super) waiting: Vec<Waiting>,
    /// Where each is 1, a path was taken that cannot go on.
    pub(super) faults: Vec<Wire>,
    /// Where each is 1, a loop would have gone on beyond its bound.
    pub(super) exceeded: Vec<Wire>,
    /// Where paths ended that cannot go on, and why.
    pub(super) ended: Vec<(Site, String)>,
    /// The addresses of branches at which loops ended at their bounds.
    pub(super) bounded: Vec<u32>,
    /// Branches that depended on secrets.
    pub(super) forked: HashSet<u32>,
}

impl Region {
    /// How many instructions the path that is carried on has taken.
    pub(super) fn steps_after(&self, executed: u64) -> u64 {
        self.steps + executed.saturating_sub(self.since)
    }
}

/// What is known of the functions that paths are in.
#[derive(Default)]
pub(super) struct Functions {
    orders: HashMap<u32, Rc<Order>>,
    /// Where computed jumps were seen to lead.
    jumps: HashMap<u32, BTreeSet<u32>>,
    /// The state of the code that both hold for.
    generation: u64,
}

impl Functions {
    /// Forgets what holds for other code.
    pub(super) fn keep(&mut self, generation: u64) {
        if self.generation != generation {
            *self = Self {
                generation,
                ..Self::default()
            };
        }
    }

    /// The order of the function with this entry.
    pub(super) fn order(
        &mut self,
        entry: u32,
        mut successors: impl FnMut(u32) -> Successors,
    ) -> Rc<Order> {
        if let Some(order) = self.orders.get(&entry) {
            return Rc::clone(order);
        }
        let jumps = &self.jumps;
        let order = Order::new(entry, |address| {
            let seen = jumps.get(&address).into_iter().flatten().copied();
            successors(address)
                .into_iter()
                .flatten()
                .chain(seen)
                .collect()
        });
        let order = Rc::new(order);
        self.orders.insert(entry, Rc::clone(&order));
        order
    }

    /// A computed jump led somewhere; whether that is new.
    pub(super) fn jumped(&mut self, from: u32, to: u32) -> bool {
        let new = self.jumps.entry(from).or_default().insert(to);
        if new {
            self.orders.clear();
        }
        new
    }
}

impl Point {
    /// At an instruction of a function, in no loop that is known of.
    pub(super) fn new(entry: u32, at: u32) -> Self {
        let frame = Frame {
            entry,
            at,
            rounds: Vec::new(),
            returns_to: None,
        };
        Self {
            frames: vec![frame],
            returned: None,
        }
    }

    /// The call that is executed.
    pub(super) fn frame(&self) -> Option<&Frame> {
        self.frames.last().filter(|_| self.returned.is_none())
    }

    /// An instruction at `pc` led to `to`. Says whether the last call goes on there, so that its
    /// loops are to be counted.
    pub(super) fn follow(&mut self, flow: Flow, pc: u32, to: u32) -> bool {
        let next = pc.wrapping_add(4);
        match flow {
            Flow::Call if to != next => {
                self.frames.push(Frame {
                    entry: to,
                    at: to,
                    rounds: Vec::new(),
                    returns_to: Some(next),
                });
                return true;
            }
            Flow::Return | Flow::Computed => {
                // A function may return for the one that called it, too.
                let returns = |frame: &Frame| frame.returns_to == Some(to);
                match self.frames.iter().rposition(returns) {
                    Some(index) => self.frames.truncate(index),
                    None if flow == Flow::Return && to != next => {
                        self.frames.clear();
                        self.returned = Some(to);
                        return false;
                    }
                    None => {}
                }
            }
            _ => {}
        }
        true
    }

    /// An order has changed: the loops around each place are those that it knows now. None of them
    /// was gone round before it was known.
    pub(super) fn renew(&mut self, mut order: impl FnMut(u32) -> Rc<Order>) {
        for frame in &mut self.frames {
            let order = order(frame.entry);
            let heads = order.place(frame.at).map_or(&[][..], |place| &place.loops);
            let before = std::mem::take(&mut frame.rounds);
            let rounds = |head: &u32| before.iter().find(|(known, _)| known == head);
            let renewed = heads
                .iter()
                .map(|head| (*head, rounds(head).map_or(0, |(_, n)| *n)));
            frame.rounds = renewed.collect();
        }
    }

    /// The last call goes on at `to`.
    pub(super) fn go(&mut self, order: &Order, to: u32) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let heads = order.place(to).map_or(&[][..], |place| &place.loops);
        let shared = frame.rounds.iter().zip(heads);
        let shared = shared.take_while(|((own, _), head)| own == *head).count();
        // Back at the head of a loop that it was in: loops within that one begin anew.
        let again = heads[..shared].iter().position(|head| *head == to);
        frame
            .rounds
            .truncate(again.map_or(shared, |index| index + 1));
        match again {
            Some(index) => frame.rounds[index].1 += 1,
            None => frame
                .rounds
                .extend(heads[shared..].iter().map(|head| (*head, 0))),
        }
        frame.at = to;
    }
}
