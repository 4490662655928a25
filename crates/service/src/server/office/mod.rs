//! What administrators may do: take a certificate's rights, end jobs, have files read anew, drain.
//!
//! | module | what |
//! |---|---|
//! | `reload` | the configuration and certificates, all or nothing |
//! | `revoke` | certificates that are refused for good |
//!
//! Who is an administrator is decided before a request comes here (`api::admin`), and once more when
//! a change has its turn: what changed while it waited may have been that.

mod reload;
mod revoke;

pub(super) use revoke::Which;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;
use tonic::Status;

use super::board::Board;
use super::caller::Caller;
use super::connections::{Credentials, Limits};
use super::policy::Policy;
use crate::proto::{ClientAccount, DrainOrder, DrainReply, Shares};

/// See the module.
pub(super) struct Office {
    pub(super) board: Arc<Board>,
    /// The configuration's file, if there is one.
    pub(super) config: Option<PathBuf>,
    /// Of every port with TLS.
    pub(super) credentials: Vec<Arc<Credentials>>,
    /// Of connections, since the start: a reload does not change them.
    pub(super) limits: Limits,
    /// Ends the server, as a signal does.
    pub(super) stop: mpsc::Sender<()>,
    /// Changes come one after the other.
    pub(super) order: Mutex<()>,
}

impl Office {
    fn policy(&self) -> &Arc<Policy> {
        &self.board.settings.policy
    }

    fn alone(&self) -> MutexGuard<'_, ()> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turn of an administrator, if it still is one.
    fn alone_as(&self, by: &Caller) -> Result<MutexGuard<'_, ()>, Status> {
        let alone = self.alone();
        check(&self.policy().again(by)?)?;
        Ok(alone)
    }

    /// Whether the server takes jobs, after a change of that.
    pub(super) fn drain(&self, order: DrainOrder, caller: &Caller) -> Result<DrainReply, Status> {
        let _alone = self.alone_as(caller)?;
        let by = &caller.name;
        match order {
            DrainOrder::None => {}
            DrainOrder::Drain => {
                tracing::warn!(%by, "server drains: no more jobs are taken");
                self.board.pause();
            }
            DrainOrder::Undo => {
                if !self.board.resume() {
                    return Err(Status::failed_precondition(
                        "the server is stopping, which cannot be undone: start it again",
                    ));
                }
                tracing::warn!(%by, "server takes jobs again");
            }
            DrainOrder::Stop => {
                tracing::warn!(%by, "server is to stop");
                self.board.drain();
                // Two are waiting already: nothing would end sooner.
                let _ = self.stop.try_send(());
            }
        }
        let (running, queued) = self.board.at_work();
        Ok(DrainReply {
            draining: self.board.is_draining(),
            running,
            queued,
        })
    }

    /// Ends a job, whosever it is.
    pub(super) fn cancel(&self, id: &str, by: &Caller) -> Result<(), Status> {
        let _alone = self.alone_as(by)?;
        self.board.cancel_any(id, &by.name)
    }

    /// What clients use and may use: those that have something here, that came since the start, or
    /// that the configuration names by token.
    pub(super) fn accounts(&self, wanted: &str) -> Result<Vec<ClientAccount>, Status> {
        let quotas = self.policy().now();
        let mut all = self.board.accounts();
        let mut names = self.policy().seen();
        let tokens = quotas.tokens().bearers();
        names.extend(tokens.map(|bearer| (bearer.id, bearer.name)));
        for (id, name) in names {
            all.entry(id).or_default().name = Some(name);
        }
        let clients = all.into_iter().map(|(id, account)| {
            let name = account.name.unwrap_or_default();
            let limit = quotas.limits(&name, &id);
            ClientAccount {
                admin: quotas.is_admin(&name, &id),
                refused: quotas.of(&name, &id).is_none(),
                used: Some(account.used),
                limit: Some(Shares {
                    bytes: limit.bytes,
                    jobs: limit.jobs,
                    bootstraps: limit.bootstraps_in_all,
                    memory: limit.memory,
                }),
                name,
                id,
            }
        });
        let is_meant = meant(wanted);
        let clients: Vec<_> = clients
            .filter(|client| is_meant(&client.id, &client.name))
            .collect();
        match clients.is_empty() && !wanted.is_empty() {
            true => Err(Status::not_found(
                "no such client has anything here or came since the server was started: name it by \
                 its common name or by the SHA-256 of its certificate",
            )),
            false => Ok(clients),
        }
    }
}

/// Whether a caller is an administrator.
pub(super) fn check(caller: &Caller) -> Result<(), Status> {
    match caller.admin && !caller.token {
        true => Ok(()),
        false => Err(Status::permission_denied(format!(
            "this is for administrators, and {} is none: have the server's operator write admin = \
             true into [client.{}] of its configuration, and reload it",
            caller.name, caller.id
        ))),
    }
}

/// Whether a client with this id and name is meant; everybody is by nothing.
pub(super) fn meant(wanted: &str) -> impl Fn(&str, &str) -> bool {
    let id = super::quota::fingerprint(wanted);
    let name = wanted.to_owned();
    move |client, called| {
        let named = match &id {
            Some(id) => client == id,
            None => called == name,
        };
        name.is_empty() || named
    }
}

#[cfg(test)]
mod tests;
