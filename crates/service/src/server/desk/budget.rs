//! Bytes of messages that are being received: what is in memory before anybody has looked at it.
//!
//! They are counted as they come and not as they are announced, so that who announces much and sends
//! nothing takes nothing from others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tonic::Status;

use crate::server::caller::Caller;
use crate::server::connections::{Limits, Network};
use crate::server::metrics::Doors;

/// The part of all bytes that only administrators get: one in so many.
const RESERVED: usize = 8;

/// What all may take together, and each.
pub(in crate::server) struct Budget {
    limits: Limits,
    doors: Doors,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    all: usize,
    clients: HashMap<String, usize>,
    networks: HashMap<Network, usize>,
}

/// Whose bytes.
struct Payer {
    client: String,
    network: Option<Network>,
    admin: bool,
}

/// What one call has taken; given back when dropped.
pub(in crate::server) struct Lease {
    budget: Arc<Budget>,
    payer: Payer,
    bytes: usize,
}

impl Budget {
    pub(super) fn new(limits: Limits, doors: Doors) -> Arc<Self> {
        Arc::new(Self {
            limits,
            doors,
            used: Mutex::default(),
        })
    }

    /// Nothing yet, for a call of this client.
    pub(in crate::server) fn lease(
        self: &Arc<Self>,
        caller: &Caller,
        network: Option<Network>,
    ) -> Lease {
        Lease {
            budget: Arc::clone(self),
            payer: Payer {
                client: caller.id.clone(),
                network,
                admin: caller.admin,
            },
            bytes: 0,
        }
    }

    /// Changes what is taken; more is refused where it would be too much. The refusal passes.
    fn change(&self, payer: &Payer, from: usize, to: usize) -> Result<(), Status> {
        let Limits {
            body_bytes,
            client_bytes,
            address_bytes,
            ..
        } = self.limits;
        let most = match payer.admin {
            true => body_bytes,
            false => body_bytes - body_bytes / RESERVED,
        };
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let client = used.clients.get(&payer.client).copied().unwrap_or(0);
        let network = payer.network.and_then(|it| used.networks.get(&it).copied());
        let network = network.unwrap_or(0);
        let moved = |used: usize| used.saturating_sub(from) + to;
        if to > from {
            for (used, most, whose) in [
                (client, client_bytes, "this client"),
                (network, address_bytes, "this address"),
                (used.all, most, "all clients"),
            ] {
                if moved(used) > most {
                    self.doors.unread("too_much");
                    return Err(Status::unavailable(format!(
                        "the server is receiving {used} bytes of {whose}, which is as much as it \
                         does at once: send less at a time, or try again in a moment"
                    )));
                }
            }
        }
        used.all = moved(used.all);
        set(
            &mut used.clients,
            payer.client.as_str(),
            moved(client),
            str::to_owned,
        );
        if let Some(it) = payer.network {
            set(&mut used.networks, &it, moved(network), |it| *it);
        }
        self.doors.receiving.set(used.all as i64);
        Ok(())
    }
}

/// Sets an entry; none is zero.
fn set<K, Q>(map: &mut HashMap<K, usize>, key: &Q, value: usize, own: impl Fn(&Q) -> K)
where
    K: std::borrow::Borrow<Q> + Eq + std::hash::Hash,
    Q: Eq + std::hash::Hash + ?Sized,
{
    match map.get_mut(key) {
        _ if value == 0 => drop(map.remove(key)),
        Some(place) => *place = value,
        None => drop(map.insert(own(key), value)),
    }
}

impl Lease {
    /// Takes so many bytes in place of what it has.
    pub(in crate::server) fn set(&mut self, bytes: usize) -> Result<(), Status> {
        self.budget.change(&self.payer, self.bytes, bytes)?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Less is never refused.
        let _ = self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::quota::Quota;

    fn caller(name: &str) -> Caller {
        Caller {
            id: name.to_owned(),
            name: name.to_owned(),
            quota: Quota::default(),
            operator: false,
            admin: name == "root",
            token: false,
        }
    }

    #[test]
    fn bytes_are_shared_and_given_back() {
        let limits = "body_bytes = 80\nclient_bytes = 40\naddress_bytes = 60";
        let doors = Doors::default();
        let budget = Budget::new(toml::from_str(limits).unwrap(), doors.clone());
        let near = Some(Network::V4([192, 0, 2, 1].into()));
        let lease = |name: &str, network| budget.lease(&caller(name), network);
        let refused = |lease: &mut Lease, bytes, whose: &str| {
            let status = lease.set(bytes).unwrap_err();
            assert_eq!(status.code(), tonic::Code::Unavailable);
            assert!(status.message().contains(whose), "{status}");
        };
        let mut first = lease("a", near);
        first.set(30).unwrap();
        let mut second = lease("a", near);
        refused(&mut second, 11, "30 bytes of this client");
        second.set(10).unwrap();
        refused(&mut lease("b", near), 21, "this address");
        let mut third = lease("c", None);
        refused(&mut third, 31, "all clients");
        third.set(30).unwrap();
        // An eighth is kept for who has to put things right.
        let mut root = lease("root", near);
        root.set(10).unwrap();
        assert_eq!(doors.receiving.get(), 80);
        first.set(0).unwrap();
        second.set(30).unwrap();
        refused(&mut second, 41, "this client");
        drop((first, second, third, root));
        let used = budget.used.lock().unwrap();
        assert_eq!(
            (used.all, used.clients.len(), used.networks.len()),
            (0, 0, 0)
        );
        assert_eq!(doors.receiving.get(), 0);
    }
}
