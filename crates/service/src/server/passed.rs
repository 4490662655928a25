//! Listeners that are open already: systemd opens them by a `.socket` unit, and passes them on.
//!
//! So a port below 1024 needs no privilege, and whoever connects while the server is started anew
//! waits instead of being refused. Each is known by its name (`FileDescriptorName=`): `grpc`, `web`
//! or `metrics`. The system's manager hears when the server is ready and when it stops.

use std::net::{SocketAddr, TcpListener};

use super::ServerError;

/// What names mean.
const NAMES: [&str; 3] = ["grpc", "web", "metrics"];

/// Listeners that were passed on.
#[derive(Debug, Default)]
pub(super) struct Passed {
    listeners: [Option<TcpListener>; NAMES.len()],
}

impl Passed {
    /// Takes what the environment names, once.
    #[cfg(unix)]
    pub(super) fn take() -> Result<Self, ServerError> {
        let mut passed = Self::default();
        let mut descriptors = listenfd::ListenFd::from_env();
        let count = descriptors.len();
        let names = std::env::var("LISTEN_FDNAMES").ok();
        for (index, place) in places(count, names.as_deref())?.into_iter().enumerate() {
            let taken = descriptors.take_tcp_listener(index);
            let wrong = |reason: String| ServerError::Passed { reason };
            let listener = taken.map_err(|error| {
                wrong(format!("descriptor {} cannot be used: {error}", index + 3))
            })?;
            if let Some(slot) = passed.listeners.get_mut(place) {
                *slot = listener;
            }
        }
        Ok(passed)
    }

    #[cfg(not(unix))]
    pub(super) fn take() -> Result<Self, ServerError> {
        Ok(Self::default())
    }

    pub(super) fn grpc(&mut self) -> Option<TcpListener> {
        self.listeners[0].take()
    }

    pub(super) fn web(&mut self) -> Option<TcpListener> {
        self.listeners[1].take()
    }

    /// Where HTTP was opened, if it was.
    pub(super) fn web_address(&self) -> Option<SocketAddr> {
        self.listeners[1].as_ref()?.local_addr().ok()
    }

    pub(super) fn metrics(&mut self) -> Option<TcpListener> {
        self.listeners[2].take()
    }
}

/// What each of so many descriptors is, by their names with colons between.
fn places(count: usize, names: Option<&str>) -> Result<Vec<usize>, ServerError> {
    let wrong = |reason: String| ServerError::Passed { reason };
    let names: Vec<&str> = match names {
        // One that nobody named can only be what a server is for.
        None if count <= 1 => NAMES[..count].to_vec(),
        None => {
            return Err(wrong(format!(
                "there are {count}, and LISTEN_FDNAMES is not set"
            )));
        }
        Some(names) => names.split(':').take(count).collect(),
    };
    if names.len() != count {
        let reason = format!("there are {count}, and LISTEN_FDNAMES has {}", names.len());
        return Err(wrong(reason));
    }
    let mut places = Vec::new();
    for name in names {
        let Some(place) = NAMES.iter().position(|known| *known == name) else {
            return Err(wrong(format!("one is named {name:?}")));
        };
        if places.contains(&place) {
            return Err(wrong(format!("two are named {name}")));
        }
        places.push(place);
    }
    Ok(places)
}

/// Tells the system's manager, if it wants to know.
pub(super) fn tell(what: Tell) {
    #[cfg(unix)]
    {
        let state = match what {
            Tell::Ready => sd_notify::NotifyState::Ready,
            Tell::Stopping => sd_notify::NotifyState::Stopping,
        };
        if let Err(error) = sd_notify::notify(&[state]) {
            tracing::warn!(%error, ?what, "the system's manager cannot be told");
        }
    }
    #[cfg(not(unix))]
    let _ = what;
}

/// What the system's manager is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tell {
    Ready,
    Stopping,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_known_by_their_names() {
        assert_eq!(places(0, None).unwrap(), [0; 0]);
        assert_eq!(places(1, None).unwrap(), [0]);
        assert_eq!(places(0, Some("")).unwrap(), [0; 0]);
        assert_eq!(places(3, Some("metrics:grpc:web")).unwrap(), [2, 0, 1]);
        for (count, names, part) in [
            (2, None, "LISTEN_FDNAMES is not set"),
            (2, Some("grpc"), "LISTEN_FDNAMES has 1"),
            (
                1,
                Some("blindcore-server.socket"),
                "FileDescriptorName=grpc",
            ),
            (2, Some("web:web"), "two are named web"),
        ] {
            let error = places(count, names).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
