//! Revocations. A certificate is refused from the moment on at which that is asked for, and after
//! every start: it is refused in memory first and kept on the disk then, so that a disk that fails
//! lets nobody in; taking it back goes the other way round.

use std::collections::BTreeMap;

use tonic::Status;

use super::Office;
use crate::server::board::{now, storage};
use crate::server::caller::Caller;
use crate::server::quota::fingerprint;
use crate::server::store::{Revocation, Revocations};

/// Most revocations: they are one file, and one answer.
const MOST: usize = 10_000;

/// Which certificate is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::server) enum Which {
    /// By its SHA-256 in hexadecimal.
    Fingerprint(String),
    /// By its common name.
    Name(String),
}

impl Office {
    /// Refuses a certificate for good; gives its SHA-256, the record and how many jobs were
    /// cancelled.
    pub(in crate::server) fn revoke(
        &self,
        which: &Which,
        keeps_jobs: bool,
        by: &Caller,
    ) -> Result<(String, Revocation, usize), Status> {
        let _alone = self.alone_as(by)?;
        let mut revoked = Revocations::clone(self.policy().now().revocations());
        let names = self.names();
        let id = match which {
            Which::Fingerprint(text) => checked(text)?,
            Which::Name(name) => self.only(name, &names, &revoked)?,
        };
        if id == by.id {
            return Err(Status::failed_precondition(
                "this is the certificate that you call with: another administrator can revoke it, or \
                 the configuration refuse it",
            ));
        }
        if self.policy().now().tokens().owner(&id).is_some() {
            return Err(Status::failed_precondition(
                "this is a token, no certificate: remove its section [token.NAME] from the \
                 configuration and reload",
            ));
        }
        if revoked.len() >= MOST && !revoked.contains_key(&id) {
            return Err(Status::resource_exhausted(format!(
                "{MOST} certificates are revoked, which is as many as there may be: make a new \
                 authority (`blindcore tls init`), and certificates by it for who may come"
            )));
        }
        let record = revoked.entry(id.clone()).or_insert_with(|| Revocation {
            name: names.get(&id).cloned().unwrap_or_default(),
            at: now(),
            by: by.name.clone(),
            keeps_jobs,
        });
        record.keeps_jobs = keeps_jobs;
        let record = record.clone();
        self.policy().revoke(revoked.clone());
        self.credentials
            .iter()
            .for_each(|credentials| credentials.forget_sessions());
        tracing::warn!(certificate = %id, name = %record.name, by = %by.name, "certificate revoked");
        let kept = self.board.store.put_revocations(&revoked);
        let cancelled = match keeps_jobs {
            true => Ok(0),
            false => self.board.cancel_all(&id, &by.name),
        };
        self.board.policy_changed();
        kept.map_err(storage)?;
        Ok((id, record, cancelled?))
    }

    /// Takes a revocation back.
    pub(in crate::server) fn restore(
        &self,
        which: &Which,
        by: &Caller,
    ) -> Result<(String, Revocation), Status> {
        let _alone = self.alone_as(by)?;
        let mut revoked = Revocations::clone(self.policy().now().revocations());
        let id = match which {
            Which::Fingerprint(text) => checked(text)?,
            Which::Name(name) => {
                let named = revoked.iter().filter(|(_, it)| it.name == *name);
                let named: Vec<&str> = named.map(|(id, _)| id.as_str()).collect();
                match named[..] {
                    [id] => id.to_owned(),
                    [] => return Err(not_revoked()),
                    _ => return Err(several(name, &named)),
                }
            }
        };
        if id == by.id {
            return Err(Status::permission_denied(
                "this is the certificate that you call with: only another administrator can take its \
                 revocation back",
            ));
        }
        let record = revoked.remove(&id).ok_or_else(not_revoked)?;
        self.board
            .store
            .put_revocations(&revoked)
            .map_err(storage)?;
        self.policy().revoke(revoked);
        tracing::warn!(certificate = %id, name = %record.name, by = %by.name, "revocation taken back");
        Ok((id, record))
    }

    pub(in crate::server) fn revoked(&self) -> Revocations {
        Revocations::clone(self.policy().now().revocations())
    }

    /// Takes up what was revoked before the start; jobs that a crash left uncancelled end.
    pub(in crate::server) fn begin(&self) -> Result<(), Status> {
        let revoked = self.revoked();
        for (id, record) in revoked.iter().filter(|(_, record)| !record.keeps_jobs) {
            self.board.cancel_all(id, &record.by)?;
        }
        Ok(())
    }

    /// Names of certificates that the server has met, by SHA-256.
    fn names(&self) -> BTreeMap<String, String> {
        let accounts = self.board.accounts().into_iter();
        let mut names: BTreeMap<String, String> = accounts
            .filter_map(|(id, account)| Some((id, account.name?)))
            .collect();
        for bearer in self.policy().now().tokens().bearers() {
            names.remove(&bearer.id);
        }
        names.extend(self.policy().seen());
        names
    }

    /// The one certificate with a name. Those that are revoked already count only if no other has it:
    /// a name may be given again after a key was lost.
    fn only(
        &self,
        name: &str,
        names: &BTreeMap<String, String>,
        revoked: &Revocations,
    ) -> Result<String, Status> {
        let named = names.iter().filter(|(_, called)| *called == name);
        let mut found: Vec<&str> = named.map(|(id, _)| id.as_str()).collect();
        if found.iter().any(|id| !revoked.contains_key(*id)) {
            found.retain(|id| !revoked.contains_key(*id));
        }
        match found[..] {
            [id] => Ok(id.to_owned()),
            [] => Err(Status::not_found(
                "the server has met no certificate with this common name: name it by its SHA-256 \
                 (`openssl x509 -in cert.pem -noout -fingerprint -sha256`), or by its file",
            )),
            _ => Err(several(name, &found)),
        }
    }
}

fn checked(text: &str) -> Result<String, Status> {
    fingerprint(text).ok_or_else(|| {
        Status::invalid_argument("a certificate's SHA-256 has 64 hexadecimal digits")
    })
}

fn not_revoked() -> Status {
    Status::not_found(
        "this certificate is not revoked: `blindcore admin revoke --list` lists those that are; what \
         the configuration refuses (refused = true) is changed there",
    )
}

fn several(name: &str, ids: &[&str]) -> Status {
    /// More are not shown.
    const SHOWN: usize = 10;
    let shown = ids.iter().take(SHOWN).copied().collect::<Vec<_>>();
    Status::failed_precondition(format!(
        "{} certificates have the common name {name}: name the one that is meant by its SHA-256: {}",
        ids.len(),
        shown.join(", ")
    ))
}
