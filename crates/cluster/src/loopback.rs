//! Members that are threads of one process: for tests, which can also lose them and damage what they say.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::ClusterError;
use crate::transport::{Event, Member, Transport};

/// What happens to a frame on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It comes.
    Comes,
    /// It does not.
    Vanishes,
    /// Nor does its sender say anything any more: all hear that it is lost.
    Loses,
}

/// Somebody who sees every frame, with its sender and receiver.
type Meddler = dyn Fn(Member, Member, &mut Vec<u8>) -> Fate + Send + Sync;

/// A network within a process.
#[derive(Clone)]
pub struct Loopback(Arc<Network>);

struct Network {
    /// By address: where a worker waits to be given a number.
    listening: Mutex<HashMap<String, Sender<LoopbackMember>>>,
    members: Mutex<HashMap<Member, Sender<Event>>>,
    meddler: Box<Meddler>,
}

/// A member's end.
pub struct LoopbackMember {
    own: Member,
    network: Loopback,
    inbox: Mutex<Receiver<Event>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for Loopback {
    fn default() -> Self {
        Self::meddled(|_, _, _| Fate::Comes)
    }
}

impl Loopback {
    /// A network on which somebody sees every frame, with its sender and receiver, may change it, and says
    /// what becomes of it.
    pub fn meddled(
        meddler: impl Fn(Member, Member, &mut Vec<u8>) -> Fate + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Network {
            listening: Mutex::default(),
            members: Mutex::default(),
            meddler: Box::new(meddler),
        }))
    }

    /// The driver's end.
    #[must_use]
    pub fn driver(&self) -> LoopbackMember {
        self.member(Member::DRIVER)
    }

    /// Waits at an address until a driver connects; `None` if none comes any more.
    pub fn listen(&self, address: &str) -> Receiver<LoopbackMember> {
        let (to, from) = channel();
        lock(&self.0.listening).insert(address.to_owned(), to);
        from
    }

    /// A member is gone: all hear of it.
    pub fn lose(&self, member: Member) {
        let mut members = lock(&self.0.members);
        members.remove(&member);
        for other in members.values() {
            let reason = "it was lost".to_owned();
            // Who has ended needs not know.
            let _ = other.send(Event::Lost { member, reason });
        }
    }

    fn member(&self, own: Member) -> LoopbackMember {
        let (to, from) = channel();
        lock(&self.0.members).insert(own, to);
        LoopbackMember {
            own,
            network: self.clone(),
            inbox: Mutex::new(from),
        }
    }
}

impl Drop for LoopbackMember {
    /// As a connection ends: the others hear of it.
    fn drop(&mut self) {
        self.network.lose(self.own);
    }
}

impl Transport for LoopbackMember {
    fn own(&self) -> Member {
        self.own
    }

    fn send(&self, to: Member, mut frame: Vec<u8>) {
        let network = &self.network.0;
        if !lock(&network.members).contains_key(&self.own) {
            return;
        }
        match (network.meddler)(self.own, to, &mut frame) {
            Fate::Comes => {}
            Fate::Vanishes => return,
            Fate::Loses => return self.network.lose(self.own),
        }
        let from = self.own;
        let members = lock(&network.members);
        if let Some(receiver) = members.get(&to) {
            // As above.
            let _ = receiver.send(Event::Frame { from, bytes: frame });
        }
    }

    fn receive(&self, patience: Duration) -> Option<Event> {
        match lock(&self.inbox).recv_timeout(patience) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            // It was lost itself: then everybody is, to it.
            Err(RecvTimeoutError::Disconnected) => Some(Event::Lost {
                member: Member::DRIVER,
                reason: "it was lost".to_owned(),
            }),
        }
    }

    fn introduce(&self, _: Member, _: &str) {}

    fn connect(&self, member: Member, address: &str) -> Result<(), ClusterError> {
        let unreachable = || ClusterError::Unreachable {
            address: address.to_owned(),
            reason: "nobody listens".to_owned(),
        };
        let listening = lock(&self.network.0.listening).get(address).cloned();
        let listening = listening.ok_or_else(unreachable)?;
        let member = self.network.member(member);
        listening.send(member).map_err(|_| unreachable())
    }

    fn close(&self, member: Member) {
        self.network.lose(member);
    }
}
