//! How many connections, for how long, and how much they may send: `[connections]` of the
//! configuration.

use std::time::Duration;

use serde::Deserialize;

/// What connections may take. Each number is at least 1, but for `reserved`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::server) struct Limits {
    /// Clients' connections at once.
    pub(in crate::server) clients: usize,
    /// Connections of HTTP at once.
    pub(in crate::server) web: usize,
    /// More of each that only administrators get.
    pub(in crate::server) reserved: usize,
    /// Connections of one client.
    pub(in crate::server) client: usize,
    /// Connections of one address, where addresses are those of clients.
    pub(in crate::server) address: usize,
    /// Connections at once that have not shown who they are; of each face.
    pub(in crate::server) handshakes: usize,
    /// How long these have.
    handshake_seconds: u64,
    /// From the handshake to the first request.
    request_seconds: u64,
    /// For one message of a request, from its first byte to its last.
    body_seconds: u64,
    /// Without a request, or with an answer that nobody takes.
    idle_seconds: u64,
    /// Calls of one client at once, on all its connections; twice as many of one address.
    pub(in crate::server) calls: usize,
    /// Bytes of messages that are being received, of everybody together.
    pub(in crate::server) body_bytes: usize,
    /// The same of one client.
    pub(in crate::server) client_bytes: usize,
    /// The same of one address.
    pub(in crate::server) address_bytes: usize,
}

/// With the handshakes these leave room for files among the 1,024 descriptors that a process usually
/// has. The bytes: a client has 8 uploads at once, whose chunks of 1 MiB count twice.
impl Default for Limits {
    fn default() -> Self {
        Self {
            clients: 448,
            web: 256,
            reserved: 16,
            client: 32,
            address: 128,
            handshakes: 64,
            handshake_seconds: 10,
            request_seconds: 20,
            body_seconds: 60,
            idle_seconds: 600,
            calls: 512,
            body_bytes: 128 << 20,
            client_bytes: 32 << 20,
            address_bytes: 64 << 20,
        }
    }
}

impl Limits {
    /// What is wrong with them.
    pub(in crate::server) fn check(&self) -> Result<(), String> {
        let counts = [
            ("clients", self.clients),
            ("web", self.web),
            ("client", self.client),
            ("address", self.address),
            ("handshakes", self.handshakes),
            ("calls", self.calls),
            ("body_bytes", self.body_bytes),
            ("client_bytes", self.client_bytes),
            ("address_bytes", self.address_bytes),
        ];
        let zero = counts.iter().find(|(_, count)| *count == 0);
        let seconds = [
            ("handshake_seconds", self.handshake_seconds),
            ("request_seconds", self.request_seconds),
            ("body_seconds", self.body_seconds),
            ("idle_seconds", self.idle_seconds),
        ];
        let never = seconds.iter().find(|(_, seconds)| *seconds == 0);
        match zero.map(|(name, _)| name).or(never.map(|(name, _)| name)) {
            None => Ok(()),
            Some(name) => Err(format!(
                "[connections]: {name} is 0: nobody could connect; leave it out for its default"
            )),
        }
    }

    pub(in crate::server) fn handshake(&self) -> Duration {
        Duration::from_secs(self.handshake_seconds)
    }

    pub(in crate::server) fn request(&self) -> Duration {
        Duration::from_secs(self.request_seconds)
    }

    pub(in crate::server) fn body(&self) -> Duration {
        Duration::from_secs(self.body_seconds)
    }

    pub(in crate::server) fn idle(&self) -> Duration {
        Duration::from_secs(self.idle_seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_can_be_forbidden_by_mistake() {
        assert_eq!(Limits::default().check(), Ok(()));
        let limits: Limits = toml::from_str("clients = 7\nreserved = 0").unwrap();
        assert_eq!((limits.clients, limits.check()), (7, Ok(())));
        let limits: Limits = toml::from_str("idle_seconds = 0").unwrap();
        assert!(limits.check().unwrap_err().contains("idle_seconds is 0"));
        assert!(toml::from_str::<Limits>("client_most = 7").is_err());
    }
}
