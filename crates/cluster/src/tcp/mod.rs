//! Members on different machines: a connection for each direction between two members, so that each of its two
//! ends either reads or writes.
//!
//! The driver connects twice to each worker; a worker connects to another when it first has something for it.
//! Every connection begins with who calls, whom, and in which session; one that belongs to no session is
//! closed. With certificates all of it goes by TLS, and both ends show one of the same authority.
//!
//! Frames that are ready together are written together.

mod greeting;
mod listener;
mod stream;
mod tls;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::ClusterError;
use crate::message::LONGEST;
use crate::transport::{Event, Member, Transport};
use greeting::{Answer, Greeting, Session};
pub use listener::Listener;
use stream::{Stream, dial};
pub use tls::Certificates;

/// How long a connection may take to be made and to begin.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often something is said on a connection on which there is nothing to say.
const BEAT: Duration = Duration::from_secs(3);
/// Without a word for so long a connection is dark: a switch or a cable between two members may fail without
/// either of them hearing of it.
const DARK: Duration = Duration::from_secs(30);
/// The driver may be a machine that sleeps for a while.
const DRIVER_DARK: Duration = Duration::from_secs(120);
/// How long what was sent may take to go when a session ends.
const FLUSH: Duration = Duration::from_millis(500);
/// Bytes that are written together, at most but for a longer frame.
const TOGETHER: usize = 1 << 20;
/// Bytes by which a frame grows while it is read: its length is only what the other side says.
const STEP: u64 = 1 << 20;

/// A member's connections.
pub struct Tcp {
    own: Member,
    session: Session,
    certificates: Option<Certificates>,
    heard: (Sender<Event>, Mutex<Receiver<Event>>),
    addresses: Mutex<HashMap<Member, String>>,
    writers: Mutex<HashMap<Member, Sender<Vec<u8>>>>,
    /// Held by each thread that writes.
    writing: Arc<()>,
    /// To be shut down when a member is lost, or the session ends.
    open: Mutex<Vec<(Member, TcpStream)>>,
}

/// How long a connection to a member may be silent.
fn silence(member: Member) -> Duration {
    match member {
        Member::DRIVER => DRIVER_DARK,
        _ => DARK,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tcp {
    /// The driver's end of a new session, by TLS if there are certificates.
    ///
    /// # Errors
    /// [`ClusterError::Certificate`] if the system gives no random numbers.
    pub fn driver(certificates: Option<Certificates>) -> Result<Arc<Self>, ClusterError> {
        let mut session = [0; 16];
        getrandom::fill(&mut session).map_err(|error| ClusterError::Certificate {
            reason: error.to_string(),
        })?;
        Ok(Self::new(Member::DRIVER, session, certificates))
    }

    fn new(own: Member, session: Session, certificates: Option<Certificates>) -> Arc<Self> {
        let (to, from) = channel();
        Arc::new(Self {
            own,
            session,
            certificates,
            heard: (to, Mutex::new(from)),
            addresses: Mutex::default(),
            writers: Mutex::default(),
            writing: Arc::default(),
            open: Mutex::default(),
        })
    }

    fn greeting(&self, to: Member, writes: bool) -> Greeting {
        Greeting {
            session: self.session,
            from: self.own,
            to,
            writes,
        }
    }

    /// Connects to an address and says who calls.
    fn call(&self, to: Member, address: &str, writes: bool) -> Result<Stream, ClusterError> {
        let unreachable = |reason: String| ClusterError::Unreachable {
            address: address.to_owned(),
            reason,
        };
        let wrong = |error: std::io::Error| unreachable(error.to_string());
        let mut stream = dial(address, self.certificates.as_ref()).map_err(wrong)?;
        stream
            .write_all(&self.greeting(to, writes).to_bytes())
            .and_then(|()| stream.flush())
            .map_err(wrong)?;
        let mut answer = [0];
        stream.read_exact(&mut answer).map_err(wrong)?;
        match Answer::of(answer[0]) {
            Some(Answer::Welcome) => {}
            Some(Answer::Busy) => return Err(unreachable("it works for somebody else".to_owned())),
            Some(Answer::Stranger) => {
                return Err(unreachable("it does not know of this run".to_owned()));
            }
            None => return Err(unreachable("it is of another version".to_owned())),
        }
        stream.may_be_silent(silence(to)).map_err(wrong)?;
        Ok(stream)
    }

    /// Writes frames to a member from now on.
    fn write_to(self: &Arc<Self>, member: Member, stream: Stream, frames: Receiver<Vec<u8>>) {
        self.keep(member, &stream);
        let heard = self.heard.0.clone();
        let writing = Arc::clone(&self.writing);
        thread::spawn(move || {
            let _writing = writing;
            if let Err(error) = write(stream, &frames, BEAT) {
                let reason = said(&error);
                // Nobody listens any more if the session has ended.
                let _ = heard.send(Event::Lost { member, reason });
            }
        });
    }

    /// Reads frames of a member from now on.
    fn read_from(self: &Arc<Self>, from: Member, mut stream: Stream) {
        self.keep(from, &stream);
        let heard = self.heard.0.clone();
        thread::spawn(move || {
            let reason = loop {
                let mut coming = || {
                    // As below.
                    let _ = heard.send(Event::Coming(from));
                };
                let bytes = match read(&mut stream, &mut coming) {
                    Ok(bytes) => bytes,
                    Err(error) => break said(&error),
                };
                // As above.
                if heard.send(Event::Frame { from, bytes }).is_err() {
                    return;
                }
            };
            let _ = heard.send(Event::Lost {
                member: from,
                reason,
            });
        });
    }

    fn keep(&self, member: Member, stream: &Stream) {
        if let Ok(socket) = stream.socket() {
            lock(&self.open).push((member, socket));
        }
    }

    fn shut(&self, which: impl Fn(Member) -> bool) {
        lock(&self.open).retain(|(member, socket)| {
            let is_shut = which(*member);
            if is_shut {
                // It may be closed already.
                let _ = socket.shutdown(Shutdown::Both);
            }
            !is_shut
        });
    }

    /// Ends all connections once what was sent has gone, if that does not take long: readers see the end.
    fn end(&self) {
        lock(&self.writers).clear();
        let begin = Instant::now();
        while Arc::strong_count(&self.writing) > 1 && begin.elapsed() < FLUSH {
            thread::sleep(Duration::from_millis(1));
        }
        self.shut(|_| true);
    }
}

/// What has happened to a connection.
fn said(error: &std::io::Error) -> String {
    use std::io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionReset, TimedOut, UnexpectedEof, WouldBlock,
    };
    match error.kind() {
        TimedOut | WouldBlock => "nothing comes through the connection any more".to_owned(),
        UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe => {
            "its connection has ended".to_owned()
        }
        _ => error.to_string(),
    }
}

/// Frames until nobody has any, and one of no bytes now and then where there are none.
fn write(mut stream: Stream, frames: &Receiver<Vec<u8>>, beat: Duration) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        let first = match frames.recv_timeout(beat) {
            Ok(frame) => frame,
            Err(RecvTimeoutError::Timeout) => Vec::new(),
            Err(RecvTimeoutError::Disconnected) => return stream.finish(),
        };
        bytes.clear();
        let mut next = Some(first);
        while let Some(frame) = next {
            bytes.extend((frame.len() as u32).to_le_bytes());
            bytes.extend(frame);
            next = if bytes.len() < TOGETHER {
                frames.try_recv().ok()
            } else {
                None
            };
        }
        stream.write_all(&bytes)?;
        stream.flush()?;
    }
}

/// The next frame that has bytes; of a long one each part is told as it comes, for it may take longer than anybody
/// may be silent.
fn read(stream: &mut impl Read, coming: &mut dyn FnMut()) -> std::io::Result<Vec<u8>> {
    let mut length = 0;
    while length == 0 {
        let mut bytes = [0; 4];
        stream.read_exact(&mut bytes)?;
        length = u32::from_le_bytes(bytes);
    }
    if length as usize > LONGEST {
        let reason = format!("a frame of {length} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
    }
    let mut bytes = Vec::new();
    let mut left = u64::from(length);
    while left > 0 {
        let step = left.min(STEP);
        let read = Read::by_ref(stream).take(step).read_to_end(&mut bytes)?;
        if (read as u64) < step {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        left -= step;
        if left > 0 {
            coming();
        }
    }
    Ok(bytes)
}

/// A session on its own: the transport of one member, kept until it is dropped.
pub struct Connections(Arc<Tcp>);

impl Drop for Connections {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Connections {
    /// Of a driver's session.
    #[must_use]
    pub fn of(tcp: Arc<Tcp>) -> Self {
        Self(tcp)
    }
}

impl Transport for Connections {
    fn own(&self) -> Member {
        self.0.own
    }

    fn send(&self, to: Member, frame: Vec<u8>) {
        let tcp = &self.0;
        let mut writers = lock(&tcp.writers);
        if let Some(writer) = writers.get(&to) {
            // Its thread has said that the member is lost.
            let _ = writer.send(frame);
            return;
        }
        let Some(address) = lock(&tcp.addresses).get(&to).cloned() else {
            return;
        };
        let (frames, waiting) = channel();
        let _ = frames.send(frame);
        writers.insert(to, frames);
        drop(writers);
        let tcp = Arc::clone(tcp);
        thread::spawn(move || match tcp.call(to, &address, true) {
            Ok(stream) => tcp.write_to(to, stream, waiting),
            Err(error) => {
                let reason = error.to_string();
                let _ = tcp.heard.0.send(Event::Lost { member: to, reason });
            }
        });
    }

    fn receive(&self, patience: Duration) -> Option<Event> {
        lock(&self.0.heard.1).recv_timeout(patience).ok()
    }

    fn introduce(&self, member: Member, address: &str) {
        lock(&self.0.addresses).insert(member, address.to_owned());
    }

    fn connect(&self, member: Member, address: &str) -> Result<(), ClusterError> {
        let tcp = &self.0;
        let to = tcp.call(member, address, true)?;
        let from = tcp.call(member, address, false)?;
        let (frames, waiting) = channel();
        lock(&tcp.writers).insert(member, frames);
        tcp.write_to(member, to, waiting);
        tcp.read_from(member, from);
        Ok(())
    }

    fn close(&self, member: Member) {
        lock(&self.0.writers).remove(&member);
        self.0.shut(|other| other == member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Two ends of a connection that may be silent for a fifth of a second.
    fn pair() -> (Stream, Stream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let calling = TcpStream::connect(address).expect("a connection");
        let (called, _) = listener.accept().expect("the same");
        let both = [calling, called].map(Stream::Plain);
        for stream in &both {
            stream
                .may_be_silent(Duration::from_millis(200))
                .expect("a deadline");
        }
        both.into()
    }

    /// Who has nothing to say says so, and is heard; then a frame comes as it was sent.
    #[test]
    fn a_connection_beats() {
        let (to, mut from) = pair();
        let (frames, waiting) = channel();
        let writer = thread::spawn(move || write(to, &waiting, Duration::from_millis(20)));
        let sender = thread::spawn(move || {
            thread::sleep(Duration::from_millis(900));
            frames.send(vec![7; 3]).expect("a writer");
        });
        assert_eq!(read(&mut from, &mut || {}).expect("a frame"), [7; 3]);
        sender.join().expect("no panic");
        writer.join().expect("no panic").expect("no error");
        let end = read(&mut from, &mut || {}).expect_err("the end");
        assert_eq!(said(&end), "its connection has ended");
    }

    /// A frame that takes long shows at each part that its sender lives.
    #[test]
    fn parts_of_a_long_frame_are_told() {
        let frame: Vec<u8> = (0..3 * STEP + 1).map(|at| at as u8).collect();
        let mut bytes = (frame.len() as u32).to_le_bytes().to_vec();
        bytes.extend(&frame);
        let mut told = 0;
        let came = read(&mut bytes.as_slice(), &mut || told += 1).expect("a frame");
        assert!(came == frame);
        assert_eq!(told, 3);
    }

    /// A connection on which nothing comes through is noticed, though nobody closed it.
    #[test]
    fn a_dark_connection_is_noticed() {
        let (_to, mut from) = pair();
        let begin = Instant::now();
        let dark = read(&mut from, &mut || {}).expect_err("nothing");
        assert!(said(&dark).starts_with("nothing comes"), "{dark}");
        assert!(begin.elapsed() >= Duration::from_millis(150));
    }
}
