//! A worker that listens: one driver's session at a time; connections that belong to it come to it.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::greeting::{Answer, Greeting, LENGTH};
use super::stream::take;
use super::{Certificates, Connections, Tcp, lock, silence};
use crate::ClusterError;
use crate::transport::Member;

/// Connections that have not said yet who they are, at most.
const STRANGERS: usize = 64;
/// How long a worker may take to leave a run that has ended, or whose driver is gone.
const LEAVING: Duration = Duration::from_secs(2);
/// How long it takes until somebody who waits for a session looks around.
const LOOK: Duration = Duration::from_millis(100);

/// A port, and what comes there.
pub struct Listener {
    address: SocketAddr,
    sessions: Mutex<Receiver<Connections>>,
    door: Arc<Door>,
}

impl Drop for Listener {
    /// Nobody is let in any more, and the port is free.
    fn drop(&mut self) {
        self.door.is_closed.store(true, Ordering::Relaxed);
        // Its thread waits for somebody to come.
        let mut own = self.address;
        if own.ip().is_unspecified() {
            own.set_ip(match own {
                SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let _ = TcpStream::connect_timeout(&own, LOOK);
    }
}

struct Door {
    certificates: Option<Certificates>,
    /// The session that this worker is in.
    current: Mutex<Weak<Tcp>>,
    sessions: Sender<Connections>,
    strangers: AtomicUsize,
    is_closed: AtomicBool,
}

impl Listener {
    /// Listens at `HOST:PORT`, by TLS if there are certificates.
    ///
    /// # Errors
    /// [`ClusterError::Listen`].
    pub fn open(address: &str, certificates: Option<Certificates>) -> Result<Self, ClusterError> {
        let wrong = |error: std::io::Error| ClusterError::Listen {
            address: address.to_owned(),
            reason: error.to_string(),
        };
        let listener = TcpListener::bind(address).map_err(wrong)?;
        let bound = listener.local_addr().map_err(wrong)?;
        let (to, from) = channel();
        let door = Arc::new(Door {
            certificates,
            current: Mutex::default(),
            sessions: to,
            strangers: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
        });
        let own = Arc::clone(&door);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if own.is_closed.load(Ordering::Relaxed) {
                    return;
                }
                // A broken one says nothing about the next; too few descriptors pass, too.
                let Ok(stream) = stream else {
                    thread::sleep(LOOK);
                    continue;
                };
                if own.strangers.fetch_add(1, Ordering::Relaxed) >= STRANGERS {
                    own.strangers.fetch_sub(1, Ordering::Relaxed);
                    continue;
                }
                let door = Arc::clone(&own);
                thread::spawn(move || {
                    let welcomed = door.welcome(stream);
                    door.strangers.fetch_sub(1, Ordering::Relaxed);
                    if let Err(error) = welcomed {
                        tracing::debug!(%error, "a connection was refused");
                    }
                });
            }
        });
        Ok(Self {
            address: bound,
            sessions: Mutex::new(from),
            door,
        })
    }

    /// Where.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next driver's session; `None` if none came for a moment.
    pub fn session(&self) -> Option<Connections> {
        lock(&self.sessions).recv_timeout(LOOK).ok()
    }
}

impl Door {
    /// A run that has just ended is about to leave.
    fn wait_for_end_of_other_than(&self, greeting: &Greeting) {
        let begin = Instant::now();
        let is_other = || {
            let current = lock(&self.current).upgrade();
            current.is_some_and(|tcp| tcp.session != greeting.session)
        };
        while is_other() && begin.elapsed() < LEAVING {
            thread::sleep(LOOK / 10);
        }
    }

    fn welcome(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut stream = take(stream, self.certificates.as_ref())?;
        let mut bytes = [0; LENGTH];
        stream.read_exact(&mut bytes)?;
        let answer = |answer: Answer, stream: &mut super::Stream| {
            stream.write_all(&[answer as u8])?;
            stream.flush()
        };
        let Some(greeting) = Greeting::of(&bytes) else {
            // Whoever speaks another version understands no answer of ours.
            return Err(std::io::Error::other("not a greeting of this version"));
        };
        if greeting.from == Member::DRIVER {
            self.wait_for_end_of_other_than(&greeting);
        }
        let mut current = lock(&self.current);
        let tcp = match current.upgrade() {
            Some(tcp) if tcp.session == greeting.session && tcp.own == greeting.to => Some(tcp),
            Some(_) if greeting.from == Member::DRIVER => {
                drop(current);
                return answer(Answer::Busy, &mut stream);
            }
            None if greeting.from == Member::DRIVER && greeting.writes => {
                let tcp = Tcp::new(greeting.to, greeting.session, self.certificates.clone());
                *current = Arc::downgrade(&tcp);
                // Whoever works has gone if this fails: then there is no session either.
                let _ = self.sessions.send(Connections(Arc::clone(&tcp)));
                Some(tcp)
            }
            _ => None,
        };
        drop(current);
        let Some(tcp) = tcp else {
            return answer(Answer::Stranger, &mut stream);
        };
        if greeting.writes {
            answer(Answer::Welcome, &mut stream)?;
            stream.may_be_silent(silence(greeting.from))?;
            tcp.read_from(greeting.from, stream);
            return Ok(());
        }
        // Before whoever calls knows that it is welcome: what is answered to its first word must find a way.
        let (frames, waiting) = channel();
        lock(&tcp.writers).insert(greeting.from, frames);
        answer(Answer::Welcome, &mut stream)?;
        stream.may_be_silent(silence(greeting.from))?;
        tcp.write_to(greeting.from, stream, waiting);
        Ok(())
    }
}
