//! Files read anew while the server runs.
//!
//! It is asked for (SIGHUP, `admin reload`), never found out by looking at files: whoever replaces
//! several of them knows when they belong together again. All of them are read before any comes
//! into force, and one that is wrong leaves all as it was.

use std::fs;
use std::path::Path;

use tonic::Status;

use super::Office;
use crate::server::caller::Caller;
use crate::server::quota::Quotas;

impl Office {
    /// Reads the configuration and the certificates anew; gives what takes effect only with the next
    /// start. An error says what is wrong.
    pub(in crate::server) fn reload(&self, by: &str) -> Result<Vec<String>, String> {
        let _alone = self.alone();
        self.reload_alone(by)
    }

    /// The same for an administrator, if it still is one when its turn comes.
    pub(in crate::server) fn reload_for(
        &self,
        by: &Caller,
    ) -> Result<Result<Vec<String>, String>, Status> {
        let _alone = self.alone_as(by)?;
        Ok(self.reload_alone(&by.name))
    }

    fn reload_alone(&self, by: &str) -> Result<Vec<String>, String> {
        let done = self.try_reload();
        match &done {
            Ok(later) => {
                tracing::info!(%by, "configuration and certificates were read anew");
                later
                    .iter()
                    .for_each(|what| tracing::warn!(%by, "reload: {what}"));
            }
            Err(reason) => {
                tracing::error!(%by, %reason, "nothing was reloaded: what was in force stays");
            }
        }
        done
    }

    fn try_reload(&self) -> Result<Vec<String>, String> {
        let quotas = match &self.config {
            Some(path) => read(path)?,
            None => Quotas::default(),
        };
        let fresh: Result<Vec<_>, String> = self
            .credentials
            .iter()
            .map(|credentials| Ok((credentials, credentials.read()?)))
            .collect();
        let fresh = fresh.map_err(one_line)?;
        let mut later = Vec::new();
        if *quotas.connections() != self.limits {
            later.push(
                "[connections] has changed, which takes effect when the server is started again"
                    .to_owned(),
            );
        }
        self.policy().configure(quotas);
        for (credentials, fresh) in fresh {
            credentials.replace(fresh);
        }
        self.board.policy_changed();
        Ok(later)
    }
}

/// A configuration, or which file has what wrong with it.
fn read(path: &Path) -> Result<Quotas, String> {
    let wrong = |reason: String| one_line(format!("{}: {reason}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    text.parse().map_err(wrong)
}

/// A parser draws pictures.
fn one_line(text: String) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
