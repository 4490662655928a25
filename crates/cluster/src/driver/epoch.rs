//! Epochs: between two of them workers are lost or come. Everybody stops, says what is there of the window,
//! and hears who is there and what they have. Windows: nobody begins one before all have the last one's
//! outputs, so that all are in the same whenever somebody is lost.

use std::time::Instant;

use super::Driver;
use super::members::{Have, State};
use crate::ClusterError;
use crate::message::{Letter, Message};
use crate::transport::Member;

/// Why somebody is left out whose checkpoint was old: no fault of his.
const TOO_LATE: &str = "it came too late for this window";

impl Driver<'_> {
    /// Begins the next epoch.
    pub(super) fn halt(&mut self) -> Result<(), ClusterError> {
        self.epoch += 1;
        for state in self.members.states_mut() {
            state.is_in = false;
            state.have = None;
            state.placed = None;
            state.agreement = None;
        }
        self.send_all(Message::Halt { epoch: self.epoch })
    }

    /// A member is lost; the others go on.
    pub(super) fn lose(&mut self, member: Member, reason: &str) -> Result<(), ClusterError> {
        let address = self.members.address_of(member);
        let Some(place) = self.members.remove(member) else {
            return Ok(());
        };
        self.dialler.lost(place, reason == TOO_LATE);
        self.transport.close(member);
        self.lost.push((address.clone(), reason.to_owned()));
        if self.members.count() == 0 {
            return Err(ClusterError::NobodyLeft {
                last: address,
                reason: reason.to_owned(),
            });
        }
        let left = self.members.count();
        self.watcher.told(&format!(
            "{address} is lost: {reason}; {left} {} on",
            if left == 1 {
                "worker goes"
            } else {
                "workers go"
            }
        ));
        if self.instructions.is_some() {
            return self.ask_again(member);
        }
        self.halt()
    }

    /// Somebody else has the outputs, too, if he has come to the end; who came again since has not.
    fn ask_again(&mut self, lost: Member) -> Result<(), ClusterError> {
        if self.asked != Some(lost) {
            return Ok(());
        }
        self.asked = self.members.done();
        match self.asked {
            Some(next) => self.send(next, &Message::Give.into()),
            None => {
                self.instructions = None;
                self.halt()
            }
        }
    }

    /// Somebody says that a member cannot be reached, or sends what is damaged. Who is accused is lost, if
    /// it is still there and the accuser too.
    pub(super) fn accuse(
        &mut self,
        by: Member,
        member: Member,
        reason: String,
    ) -> Result<(), ClusterError> {
        let by = self.members.address_of(by);
        self.lose(member, &format!("{reason} ({by} says so)"))
    }

    /// A worker has key, program and its first window: it takes part from the next epoch on. Those of the beginning
    /// are in the first one already.
    pub(super) fn ready(
        &mut self,
        from: Member,
        cores: u32,
        lookup: f64,
    ) -> Result<(), ClusterError> {
        if let Some(state) = self.members.state(from) {
            state.ready = Some((cores.clamp(1, 1 << 16), lookup.clamp(1.0, 1e12)));
        }
        if self.job.alone.is_some() {
            self.evaluating.get_or_insert_with(Instant::now);
        }
        match self.started {
            true => self.halt(),
            false => Ok(()),
        }
    }

    /// A worker says what it has of a window.
    pub(super) fn have(
        &mut self,
        from: Member,
        (epoch, window): (u32, u32),
        (fingerprint, nodes): ([u8; 32], u64),
        there: Vec<u8>,
    ) -> Result<(), ClusterError> {
        if epoch != self.epoch {
            return Ok(());
        }
        if !there.is_empty() && there.len() as u64 != nodes.div_ceil(8) {
            return self.lose(from, "what it has is of another length than it says");
        }
        if let Some(state) = self.members.state(from) {
            state.have = Some(Have {
                window,
                fingerprint,
                nodes,
                there,
            });
        }
        self.begin()
    }

    /// Begins the epoch if everybody has said what is there.
    fn begin(&mut self) -> Result<(), ClusterError> {
        let window = self
            .members
            .states()
            .filter_map(|(_, state)| Some(state.have.as_ref()?.window))
            .max();
        let Some(window) = window else {
            return Ok(());
        };
        // Who came when the others were at an earlier window has begun with an old checkpoint.
        let behind = self
            .members
            .states()
            .find(|(_, state)| state.have.as_ref().is_some_and(|have| have.window < window))
            .map(|(member, _)| member);
        if let Some(behind) = behind {
            return self.lose(behind, TOO_LATE);
        }
        // At the start all take part. Later nobody waits for who still gets ready: that is an epoch of its own.
        let is_in = |state: &State| state.ready.is_some() || !self.started;
        let waits = |state: &State| is_in(state) && state.have.is_none();
        if self.members.states().any(|(_, state)| waits(state)) {
            return Ok(());
        }
        self.window = window;
        self.agree(|state| {
            let have = state.have.as_ref()?;
            let both = blake3::Hasher::new()
                .update(&have.fingerprint)
                .update(&have.nodes.to_le_bytes())
                .finalize();
            Some(both.into())
        })?;
        let peers = self.members.peers();
        let nobody_holds = self
            .members
            .states()
            .all(|(_, state)| state.have.as_ref().is_none_or(|have| have.there.is_empty()));
        let mut bulk = Vec::new();
        if !nobody_holds {
            let ready = self
                .members
                .states()
                .filter(|(_, state)| state.ready.is_some());
            for (_, state) in ready {
                let Some(have) = &state.have else { continue };
                let bytes = usize::try_from(have.nodes.div_ceil(8)).unwrap_or(0);
                let begin = bulk.len();
                bulk.extend(&have.there);
                bulk.resize(begin + bytes, 0);
            }
        }
        let epoch = self.epoch;
        let letter = Letter {
            message: Message::Begin { epoch, peers },
            bulk,
        };
        let frame = letter.seal()?;
        for (member, _) in self
            .members
            .states()
            .filter(|(_, state)| state.ready.is_some())
        {
            self.transport.send(member, frame.clone());
        }
        for state in self.members.states_mut() {
            state.is_in = state.ready.is_some();
        }
        self.started = true;
        if self.evaluation.is_zero() {
            self.evaluating.get_or_insert_with(Instant::now);
        }
        Ok(())
    }

    /// All must say the same of what somebody says.
    fn agree(&self, said: impl Fn(&State) -> Option<[u8; 32]>) -> Result<(), ClusterError> {
        let all: Vec<(Member, [u8; 32])> = self
            .members
            .states()
            .filter_map(|(member, state)| Some((member, said(state)?)))
            .collect();
        let like = |one: &[u8; 32]| all.iter().filter(|(_, other)| other == one).count();
        let alone = all.iter().min_by_key(|(_, one)| like(one));
        match alone {
            Some((member, one)) if like(one) < all.len() => Err(ClusterError::Disagreement {
                worker: self.members.address_of(*member),
                window: self.window,
            }),
            _ => Ok(()),
        }
    }

    /// A worker has placed a window. One that did so otherwise would wait for ever for what nobody sends.
    pub(super) fn placed(
        &mut self,
        from: Member,
        (epoch, window): (u32, u32),
        agreement: [u8; 32],
    ) -> Result<(), ClusterError> {
        if epoch != self.epoch || window < self.window {
            return Ok(());
        }
        if let Some(state) = self.members.state(from) {
            state.placed = Some(agreement);
        }
        self.agree(|state| state.placed)
    }

    /// A worker has all outputs of a window.
    pub(super) fn finished(
        &mut self,
        from: Member,
        (epoch, window): (u32, u32),
        agreement: [u8; 32],
    ) -> Result<(), ClusterError> {
        if (epoch, window) != (self.epoch, self.window) {
            return Ok(());
        }
        if let Some(state) = self.members.state(from) {
            state.agreement = Some(agreement);
        }
        let waits = |state: &State| state.is_in && state.agreement.is_none();
        if self.members.states().any(|(_, state)| waits(state)) {
            return Ok(());
        }
        self.agree(|state| state.agreement)?;
        self.window += 1;
        for state in self.members.states_mut() {
            state.placed = None;
            state.agreement = None;
        }
        let letter = Letter::from(Message::Continue {
            window: self.window,
        });
        let all = self.members.states().filter(|(_, state)| state.is_in);
        for (member, _) in all {
            self.send(member, &letter)?;
        }
        Ok(())
    }
}
