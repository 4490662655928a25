//! What one client may hold at once of what is scarce, so that none keeps the others out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tonic::Status;

/// Something of which each client has a share.
pub(in crate::server) struct Share {
    what: &'static str,
    most: usize,
    held: Mutex<HashMap<String, usize>>,
}

/// One of a client's share; given back when dropped.
pub(in crate::server) struct Held {
    share: Arc<Share>,
    client: String,
}

impl Share {
    /// At most this many at once for each client.
    pub(in crate::server) fn new(what: &'static str, most: usize) -> Arc<Self> {
        Arc::new(Self {
            what,
            most,
            held: Mutex::default(),
        })
    }

    /// One more for this client. A refusal is one that passes: clients try again by themselves.
    pub(in crate::server) fn take(self: &Arc<Self>, client: &str) -> Result<Held, Status> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.entry(client.to_owned()).or_default();
        if *count >= self.most {
            return Err(Status::unavailable(format!(
                "{count} {} of this client at once are as many as it may have: end one, or try \
                 again in a moment",
                self.what
            )));
        }
        *count += 1;
        Ok(Held {
            share: Arc::clone(self),
            client: client.to_owned(),
        })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let held = self.share.held.lock();
        let mut held = held.unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = held.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_share_and_gives_it_back() {
        let share = Share::new("streams", 2);
        let first = share.take("a").unwrap();
        let _second = share.take("a").unwrap();
        let refused = share.take("a").err().unwrap();
        assert_eq!(refused.code(), tonic::Code::Unavailable);
        assert!(refused.message().starts_with("2 streams"), "{refused}");
        drop(share.take("b").unwrap());
        drop(first);
        drop(share.take("a").unwrap());
        assert_eq!(share.held.lock().unwrap().len(), 1);
    }
}
