//! The configuration in force, and which certificates are revoked.
//!
//! Whoever needs either looks here at that moment and keeps nothing of it: so what a reload or a
//! revocation changes holds from the next look on, for connections and streams that exist, too.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::sync::watch;
use tonic::Status;

use super::caller::Caller;
use super::quota::Quotas;
use super::store::Revocations;

/// Most certificates whose names are remembered.
const SEEN_MOST: usize = 10_000;

/// See the module.
#[derive(Debug)]
pub(crate) struct Policy {
    quotas: RwLock<Arc<Quotas>>,
    changes: watch::Sender<()>,
    /// Common names of certificates that were let in since the start, by SHA-256.
    seen: Mutex<BTreeMap<String, String>>,
}

impl Policy {
    pub(crate) fn new(quotas: Quotas) -> Arc<Self> {
        Arc::new(Self {
            quotas: RwLock::new(Arc::new(quotas)),
            changes: watch::Sender::new(()),
            seen: Mutex::default(),
        })
    }

    /// What holds now.
    pub(crate) fn now(&self) -> Arc<Quotas> {
        let quotas = self.quotas.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&quotas)
    }

    /// Another configuration; who is revoked stays so.
    pub(super) fn configure(&self, quotas: Quotas) {
        let mut place = self.quotas.write().unwrap_or_else(PoisonError::into_inner);
        let revoked = Arc::clone(place.revocations());
        *place = Arc::new(quotas.with_revocations(revoked));
        drop(place);
        self.changes.send_replace(());
    }

    /// Other revocations; the configuration stays.
    pub(super) fn revoke(&self, revoked: Revocations) {
        let mut place = self.quotas.write().unwrap_or_else(PoisonError::into_inner);
        let quotas = Quotas::clone(&place);
        *place = Arc::new(quotas.with_revocations(Arc::new(revoked)));
        drop(place);
        self.changes.send_replace(());
    }

    /// Somebody known, as the configuration has it now; an error if it is refused, or its token is
    /// none any more.
    pub(crate) fn again(&self, caller: &Caller) -> Result<Caller, Status> {
        caller.again(&self.now())
    }

    /// Returns once somebody is refused; never for nobody.
    pub(super) async fn until_refused(&self, caller: Option<&Caller>) -> Status {
        let Some(caller) = caller else {
            return std::future::pending().await;
        };
        // What changes between a look and the wait is not missed.
        let mut changes = self.changes.subscribe();
        loop {
            if let Err(status) = self.again(caller) {
                return status;
            }
            if changes.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// A certificate was let in.
    pub(super) fn saw(&self, caller: &Caller) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() < SEEN_MOST {
            seen.insert(caller.id.clone(), caller.name.clone());
        }
    }

    /// Certificates that were let in since the start, by SHA-256, with their names.
    pub(super) fn seen(&self) -> BTreeMap<String, String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::store::Revocation;

    fn revoked(id: &str) -> Revocations {
        Revocations::from([(id.to_owned(), Revocation::default())])
    }

    #[test]
    fn a_reload_undoes_no_revocation_and_a_revocation_no_configuration() {
        let policy = Policy::new("[client.root]\nadmin = true".parse().unwrap());
        policy.revoke(revoked("aa"));
        let now = policy.now();
        assert!(now.of("root", "aa").is_none() && now.of("root", "bb").is_some());
        assert!(!now.is_admin("root", "aa") && now.is_admin("root", "bb"));
        policy.configure("[quota]\njobs = 3".parse().unwrap());
        let now = policy.now();
        assert!(now.of("root", "aa").is_none() && !now.is_admin("root", "bb"));
        assert_eq!(now.limits("root", "aa").jobs, 3);
        policy.revoke(revoked("bb"));
        let now = policy.now();
        assert_eq!(now.of("root", "aa").unwrap().jobs, 3);
        assert!(now.of("root", "bb").is_none());
    }
}
