//! Looks for workers that were lost, without keeping those waiting who are there: a machine that hangs takes a
//! connection, and says nothing on it for seconds.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::transport::{Member, Transport};

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
}

impl Dialler {
    pub(super) fn new(transport: &Arc<dyn Transport>) -> Self {
        Self {
            transport: Arc::clone(transport),
            calling: HashSet::new(),
            answers: channel(),
        }
    }

    /// Looks for a worker, unless it is being looked for.
    pub(super) fn call(&mut self, call: Call) {
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
