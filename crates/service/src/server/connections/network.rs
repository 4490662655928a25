//! What counts as one address.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// An address, or of IPv6 a whole network, since each client has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::server) enum Network {
    V4(Ipv4Addr),
    V6([u16; 4]),
}

impl Network {
    /// Whose address this is. Addresses of this machine are not counted: behind them are proxies and
    /// tunnels, and anybody on it.
    pub(super) fn of(peer: SocketAddr) -> Option<Self> {
        match peer.ip().to_canonical() {
            ip if ip.is_loopback() => None,
            IpAddr::V4(ip) => Some(Self::V4(ip)),
            IpAddr::V6(ip) => {
                let [a, b, c, d, ..] = ip.segments();
                Some(Self::V6([a, b, c, d]))
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V4(ip) => write!(f, "{ip}"),
            Self::V6([a, b, c, d]) => write!(f, "{a:x}:{b:x}:{c:x}:{d:x}::/64"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_client_of_another_machine() {
        let of = |text: &str| Network::of(text.parse().unwrap());
        assert_eq!(of("127.0.0.1:1"), None);
        assert_eq!(of("[::1]:1"), None);
        assert_eq!(of("192.0.2.1:1"), of("[::ffff:192.0.2.1]:2"));
        assert_ne!(of("192.0.2.1:1"), of("192.0.2.2:1"));
        assert_eq!(of("[2001:db8::1]:1"), of("[2001:db8::ffff:1]:1"));
        assert_ne!(of("[2001:db8::1]:1"), of("[2001:db8:0:1::1]:1"));
        let shown = of("[2001:db8::1]:1").unwrap().to_string();
        assert_eq!(shown, "2001:db8:0:0::/64");
    }
}
