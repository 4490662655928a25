//! Looks for workers that were lost, without keeping those waiting who are there: a machine that hangs takes a
//! connection, and says nothing on it for seconds.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::members::Members;
use crate::transport::{Member, Transport};

/// How many times the wait for one that is lost again and again doubles, at most: to a few minutes.
const DOUBLINGS: u32 = 6;

/// A worker to look for.
pub(super) struct Call {
    /// Its number, if it is there.
    pub(super) member: Member,
    pub(super) place: usize,
    pub(super) address: String,
}

/// Whether somebody is there.
type Answer = (Call, bool);

pub(super) struct Dialler {
    transport: Arc<dyn Transport>,
    /// Places of which there is no answer yet.
    calling: HashSet<usize>,
    answers: (Sender<Answer>, Receiver<Answer>),
    /// How often a place was lost, and when it may be called.
    lost: HashMap<usize, (u32, Instant)>,
    /// When a place at which nobody was yet may be called again.
    new: HashMap<usize, Instant>,
    /// How long it waits before it calls.
    redial: Duration,
}

impl Dialler {
    pub(super) fn new(transport: &Arc<dyn Transport>, redial: Duration) -> Self {
        Self {
            transport: Arc::clone(transport),
            calling: HashSet::new(),
            answers: channel(),
            lost: HashMap::new(),
            new: HashMap::new(),
            redial,
        }
    }

    /// A place is empty. One that is lost again and again, as behind a link that fails, is left out for longer each
    /// time: each loss costs the others. Who `was_late` is only tried again.
    pub(super) fn lost(&mut self, place: usize, was_late: bool) {
        let (times, due) = self.lost.entry(place).or_insert((0, Instant::now()));
        let doublings = if was_late { 0 } else { *times };
        *due = Instant::now() + self.redial * (1 << doublings.min(DOUBLINGS));
        *times += u32::from(!was_late);
    }

    /// What is said of a place at which somebody is found.
    pub(super) fn found(&self, call: &Call) -> String {
        let again = match self.lost.contains_key(&call.place) {
            true => "is there again",
            false => "has come, too",
        };
        format!("{} {again}", call.address)
    }

    /// Looks for those who were lost or are new, whose time it is.
    pub(super) fn call_vacant(&mut self, members: &mut Members) {
        for (place, address) in members.vacant() {
            let due = self.lost.get(&place).map(|(_, due)| *due);
            if due.is_some_and(|due| due > Instant::now()) {
                continue;
            }
            let next = Instant::now() + self.redial;
            match self.lost.get_mut(&place) {
                Some((_, due)) => *due = next,
                None if self
                    .new
                    .get(&place)
                    .is_some_and(|due| *due > Instant::now()) =>
                {
                    continue;
                }
                None => drop(self.new.insert(place, next)),
            }
            let member = members.next_number();
            self.call(Call {
                member,
                place,
                address,
            });
        }
    }

    /// Looks for a worker, unless it is being looked for.
    fn call(&mut self, call: Call) {
        if !self.calling.insert(call.place) {
            return;
        }
        let (transport, answer) = (Arc::clone(&self.transport), self.answers.0.clone());
        // It may outlive the run, by some seconds.
        thread::spawn(move || {
            let is_there = transport.connect(call.member, &call.address).is_ok();
            // Nobody wants to know any more if the run has ended.
            let _ = answer.send((call, is_there));
        });
    }

    /// Those who were found, and are connected.
    pub(super) fn answered(&mut self) -> Vec<Call> {
        let answers: Vec<Answer> = self.answers.1.try_iter().collect();
        for (call, _) in &answers {
            self.calling.remove(&call.place);
        }
        let there = answers.into_iter().filter(|(_, is_there)| *is_there);
        there.map(|(call, _)| call).collect()
    }
}
