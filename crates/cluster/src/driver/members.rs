//! Workers as the driver knows them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::Addresses;
use crate::message::Peer;
use crate::transport::Member;

/// By number.
pub(super) struct Members {
    addresses: Addresses,
    next: u32,
    there: BTreeMap<Member, State>,
}

pub(super) struct State {
    place: usize,
    /// Where it was when it came.
    address: String,
    heard: Instant,
    /// Its cores and the time of a lookup, once it is ready.
    pub(super) ready: Option<(u32, f64)>,
    /// Whether it has come to the program's end.
    pub(super) is_done: bool,
    /// Whether it takes part in this epoch.
    pub(super) is_in: bool,
    /// What it has said that it has, in this epoch.
    pub(super) have: Option<Have>,
    /// How it has placed the window, in this epoch.
    pub(super) placed: Option<[u8; 32]>,
    /// The same, once it has all outputs.
    pub(super) agreement: Option<[u8; 32]>,
    progress: (u32, u64, u64),
}

pub(super) struct Have {
    pub(super) window: u32,
    pub(super) fingerprint: [u8; 32],
    pub(super) nodes: u64,
    /// A bit for each node, or nothing.
    pub(super) there: Vec<u8>,
}

impl Members {
    pub(super) fn new(addresses: &Addresses) -> Self {
        Self {
            addresses: addresses.clone(),
            next: 1,
            there: BTreeMap::new(),
        }
    }

    pub(super) fn places(&self) -> usize {
        self.addresses.len()
    }

    pub(super) fn address(&self, place: usize) -> String {
        self.addresses.get(place).unwrap_or_default()
    }

    pub(super) fn next_number(&mut self) -> Member {
        let member = Member(self.next);
        self.next += 1;
        member
    }

    pub(super) fn add(&mut self, member: Member, place: usize, address: &str) {
        let state = State {
            place,
            address: address.to_owned(),
            heard: Instant::now(),
            ready: None,
            is_done: false,
            is_in: false,
            placed: None,
            have: None,
            agreement: None,
            progress: (0, 0, 0),
        };
        self.there.insert(member, state);
    }

    pub(super) fn count(&self) -> usize {
        self.there.len()
    }

    pub(super) fn numbers(&self) -> Vec<Member> {
        self.there.keys().copied().collect()
    }

    /// Whether a member is there; it has just said something.
    pub(super) fn hears(&mut self, member: Member) -> bool {
        let state = self.there.get_mut(&member);
        state.is_some_and(|state| {
            state.heard = Instant::now();
            true
        })
    }

    /// As if all had just said something.
    pub(super) fn all_heard(&mut self) {
        let now = Instant::now();
        self.there.values_mut().for_each(|state| state.heard = now);
    }

    /// Somebody who has come to the program's end.
    pub(super) fn done(&self) -> Option<Member> {
        let mut done = self.there.iter().filter(|(_, state)| state.is_done);
        done.next().map(|(&member, _)| member)
    }

    /// The address of a member that is there.
    pub(super) fn address_of(&self, member: Member) -> String {
        match self.there.get(&member) {
            Some(state) => state.address.clone(),
            None => member.to_string(),
        }
    }

    pub(super) fn state(&mut self, member: Member) -> Option<&mut State> {
        self.there.get_mut(&member)
    }

    pub(super) fn states(&self) -> impl Iterator<Item = (Member, &State)> {
        self.there.iter().map(|(&member, state)| (member, state))
    }

    pub(super) fn states_mut(&mut self) -> impl Iterator<Item = &mut State> {
        self.there.values_mut()
    }

    /// Where in the list a member is that is there.
    pub(super) fn place_of(&self, member: Member) -> Option<usize> {
        self.there.get(&member).map(|state| state.place)
    }

    /// Its place, if it was there.
    pub(super) fn remove(&mut self, member: Member) -> Option<usize> {
        Some(self.there.remove(&member)?.place)
    }

    /// Places of the list at which nobody is.
    pub(super) fn vacant(&self) -> Vec<(usize, String)> {
        let is_there = |place: usize| self.there.values().any(|state| state.place == place);
        let places = (0..self.places()).filter(|place| !is_there(*place));
        places.map(|place| (place, self.address(place))).collect()
    }

    pub(super) fn silent(&self, patience: Duration) -> Vec<Member> {
        let silent = self.there.iter();
        silent
            .filter(|(_, state)| state.heard.elapsed() > patience)
            .map(|(&member, _)| member)
            .collect()
    }

    pub(super) fn progressed(
        &mut self,
        member: Member,
        window: u32,
        nodes: u64,
        instructions: u64,
    ) {
        if let Some(state) = self.there.get_mut(&member) {
            state.progress = (window, nodes, instructions);
        }
    }

    /// Nodes of a window that are done, beyond those `before` it, and instructions of the slowest.
    pub(super) fn nodes(&self, window: u32, before: u64) -> (u64, u64) {
        let of_window = self
            .there
            .values()
            .filter(|state| state.progress.0 == window);
        let own = of_window.map(|state| state.progress.1.saturating_sub(before));
        let instructions = self.there.values().map(|state| state.progress.2).min();
        let sum = own.fold(0u64, u64::saturating_add);
        (sum, instructions.unwrap_or(0))
    }

    /// Those who are ready, as others need to know them, in the order of the placement. Speeds are those of
    /// lookups; cores count by themselves.
    pub(super) fn peers(&self) -> Vec<Peer> {
        let ready = || {
            let there = self.there.iter();
            there.filter_map(|(&member, state)| Some((member, state, state.ready?)))
        };
        let slowest = ready().map(|(.., (_, lookup))| lookup).fold(1.0, f64::max);
        ready()
            .map(|(member, state, (cores, lookup))| Peer {
                member,
                address: state.address.clone(),
                cores,
                speed: even(slowest / lookup),
            })
            .collect()
    }
}

/// Measurements of machines that are alike differ by some percent: these count as equally fast.
fn even(speed: f64) -> f64 {
    if speed.is_finite() {
        ((speed * 4.0).round() / 4.0).clamp(1.0, 64.0)
    } else {
        1.0
    }
}
