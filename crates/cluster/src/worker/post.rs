//! A worker's post: sorts what comes, for the run and for whoever waits for orders, and says that it lives.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use circuits::exec::Cancel;
use tfhe::LweCiphertext;

use crate::ClusterError;
use crate::bits::Codec;
use crate::mailbox::{Mailbox, Moment};
use crate::message::{JobMessage, Letter, Message, Peer, TableMessage};
use crate::transport::{Event, Member, Transport};

/// How often a worker says that it lives.
pub(crate) const ALIVE: Duration = Duration::from_secs(1);
/// How long anything waits before it looks whether somebody has cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// What the driver wants.
pub(super) enum Order {
    Job(Box<JobMessage>, Vec<u8>),
    Table(Box<TableMessage>, Vec<u8>),
    /// Of a table: its number, files and their lengths, their bytes.
    Row(u32, Vec<(String, u64)>, Vec<u8>),
    Key(Vec<u8>),
    Halt(u32),
    Begin(u32, Vec<Peer>, Vec<u8>),
    Continue(u32),
    Give,
    End,
}

/// A row: its number, files and their lengths, their bytes.
pub(super) type Row = (u32, Vec<(String, u64)>, Vec<u8>);

pub(super) struct Post {
    transport: Arc<dyn Transport>,
    cancel: Cancel,
    /// What stops when nobody wants it any more: the driver has ended or is gone, or this worker is to stop.
    pub(super) ended: Cancel,
    pub(super) mailbox: Mailbox<LweCiphertext>,
    /// How ciphertexts are read, as soon as that is known.
    codec: OnceLock<Codec>,
    /// What came before.
    early: Mutex<Vec<Early>>,
    orders: (Mutex<Option<Sender<Order>>>, Mutex<Receiver<Order>>),
    has_ended: AtomicBool,
    /// A halt that came before this worker had begun.
    halted: Mutex<Option<u32>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ciphertexts that came before they could be read: from whom, of when, of which signals.
type Early = (Member, Moment, Vec<u32>, Vec<u8>);

/// Tells the driver something, from any thread.
pub(super) struct Teller(Arc<dyn Transport>);

impl Teller {
    pub(super) fn tell(&self, message: Message) {
        send(&self.0, Member::DRIVER, &message.into());
    }
}

/// Ends the post's threads.
pub(super) struct Ending<'a>(&'a Post);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.has_ended.store(true, Ordering::Relaxed);
    }
}

fn send(transport: &Arc<dyn Transport>, to: Member, letter: &Letter) {
    match letter.seal() {
        Ok(frame) => transport.send(to, frame),
        Err(error) => tracing::error!(%error, "a message cannot be written"),
    }
}

impl Post {
    pub(super) fn new(transport: Arc<dyn Transport>, cancel: Cancel) -> Self {
        let (to, from) = channel();
        Self {
            transport,
            cancel,
            ended: Cancel::new(),
            mailbox: Mailbox::default(),
            codec: OnceLock::new(),
            early: Mutex::default(),
            orders: (Mutex::new(Some(to)), Mutex::new(from)),
            has_ended: AtomicBool::new(false),
            halted: Mutex::default(),
        }
    }

    pub(super) fn ending(&self) -> Ending<'_> {
        Ending(self)
    }

    pub(super) fn own(&self) -> Member {
        self.transport.own()
    }

    pub(super) fn send(&self, to: Member, letter: &Letter) {
        send(&self.transport, to, letter);
    }

    /// The same, or an error if it cannot be written.
    pub(super) fn send_whole(&self, to: Member, letter: &Letter) -> Result<(), ClusterError> {
        self.transport.send(to, letter.seal()?);
        Ok(())
    }

    /// The same to several.
    pub(super) fn send_all(&self, to: impl Iterator<Item = Member>, letter: &Letter) {
        match letter.seal() {
            Ok(frame) => to.for_each(|to| self.transport.send(to, frame.clone())),
            Err(error) => tracing::error!(%error, "a message cannot be written"),
        }
    }

    pub(super) fn tell_driver(&self, message: Message) {
        self.send(Member::DRIVER, &message.into());
    }

    pub(super) fn teller(&self) -> Teller {
        Teller(Arc::clone(&self.transport))
    }

    pub(super) fn introduce(&self, peer: &Peer) {
        self.transport.introduce(peer.member, &peer.address);
    }

    /// From now on ciphertexts can be read.
    pub(super) fn read_by(&self, codec: Codec) {
        let mut early = lock(&self.early);
        let _ = self.codec.set(codec);
        for (from, moment, signals, bulk) in early.drain(..) {
            self.deliver(from, moment, signals, &bulk, codec);
        }
    }

    /// What the driver wants that this takes; the last halt that comes meanwhile is kept.
    pub(super) fn order_of<T>(&self, take: impl Fn(Order) -> Option<T>) -> Result<T, ClusterError> {
        loop {
            match self.order()? {
                Order::Halt(epoch) => *lock(&self.halted) = Some(epoch),
                other => {
                    if let Some(taken) = take(other) {
                        return Ok(taken);
                    }
                }
            }
        }
    }

    /// The epoch that is to begin.
    pub(super) fn halt(&self) -> Result<u32, ClusterError> {
        if let Some(epoch) = lock(&self.halted).take() {
            return Ok(epoch);
        }
        loop {
            if let Order::Halt(epoch) = self.order()? {
                return Ok(epoch);
            }
        }
    }

    /// What the driver wants next.
    pub(super) fn order(&self) -> Result<Order, ClusterError> {
        let orders = lock(&self.orders.1);
        loop {
            if self.cancel.is_cancelled() {
                return Err(ClusterError::Cancelled);
            }
            match orders.recv_timeout(LOOK) {
                Ok(Order::End) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(ClusterError::Gone(Member::DRIVER));
                }
                Ok(order) => return Ok(order),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The next row; `None` if there is none any more.
    pub(super) fn row(&self) -> Result<Option<Row>, ClusterError> {
        let orders = lock(&self.orders.1);
        while !self.cancel.is_cancelled() {
            match orders.recv_timeout(LOOK) {
                Ok(Order::End) => return Ok(None),
                Ok(Order::Row(number, files, bulk)) => return Ok(Some((number, files, bulk))),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ClusterError::Gone(Member::DRIVER));
                }
            }
        }
        Err(ClusterError::Cancelled)
    }

    /// Gives the outputs whenever they are wanted, until nothing more is.
    pub(super) fn give(&self, outputs: &[u8]) -> Result<(), ClusterError> {
        let orders = lock(&self.orders.1);
        while !self.cancel.is_cancelled() {
            match orders.recv_timeout(LOOK) {
                Ok(Order::End) => return Ok(()),
                Ok(Order::Give) => {
                    let letter = Letter {
                        message: Message::Outputs,
                        bulk: outputs.to_vec(),
                    };
                    self.transport.send(Member::DRIVER, letter.seal()?);
                }
                // Others may have been lost since: there is nothing to do any more.
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ClusterError::Gone(Member::DRIVER));
                }
            }
        }
        Err(ClusterError::Cancelled)
    }

    /// Says that this worker lives, until it has ended.
    pub(super) fn show_life(&self) {
        let mut waited = Duration::ZERO;
        while !self.has_ended.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
            if self.cancel.is_cancelled() {
                self.ended.cancel();
            }
            waited += LOOK;
            if waited >= ALIVE {
                waited = Duration::ZERO;
                self.tell_driver(Message::Alive);
            }
        }
    }

    /// Sorts what comes until this worker has ended.
    pub(super) fn sort(&self) {
        while !self.has_ended.load(Ordering::Relaxed) {
            match self.transport.receive(LOOK) {
                None => {}
                Some(Event::Frame { from, bytes }) => {
                    let opened = match from {
                        Member::DRIVER => Letter::open(bytes),
                        _ => Letter::of_worker(bytes),
                    };
                    match opened {
                        Ok(letter) => self.take(from, letter),
                        Err(error) => self.accuse(from, error.to_string()),
                    }
                }
                Some(Event::Coming(_)) => {}
                Some(Event::Lost {
                    member: Member::DRIVER,
                    ..
                }) => self.leave(),
                Some(Event::Lost { member, reason }) => self.accuse(member, reason),
            }
        }
    }

    /// The driver is gone: nobody else has orders.
    fn leave(&self) {
        lock(&self.orders.0).take();
        self.mailbox.interrupt();
        self.ended.cancel();
    }

    fn accuse(&self, member: Member, reason: String) {
        match member {
            Member::DRIVER => {
                // An order that is lost would be waited for for ever: this worker comes again.
                tracing::error!(%reason, "a message of the driver cannot be read");
                self.leave();
            }
            member => self.tell_driver(Message::Accused { member, reason }),
        }
    }

    fn take(&self, from: Member, letter: Letter) {
        let Letter { message, bulk } = letter;
        let order = match message {
            Message::Bits {
                epoch,
                window,
                signals,
            } => {
                let moment = Moment { window, epoch };
                let mut early = lock(&self.early);
                match self.codec.get() {
                    Some(&codec) => {
                        drop(early);
                        self.deliver(from, moment, signals, &bulk, codec);
                    }
                    None => early.push((from, moment, signals, bulk)),
                }
                return;
            }
            // Only the driver has orders.
            _ if from != Member::DRIVER => return self.accuse(from, "it gives orders".to_owned()),
            Message::Job(job) => Order::Job(job, bulk),
            Message::Table(table) => Order::Table(table, bulk),
            Message::Row { number, inputs } => Order::Row(number, inputs, bulk),
            Message::Key => Order::Key(bulk),
            Message::Halt { epoch } => {
                self.mailbox.interrupt();
                Order::Halt(epoch)
            }
            Message::Begin { epoch, peers } => Order::Begin(epoch, peers, bulk),
            Message::Continue { window } => Order::Continue(window),
            Message::Give => Order::Give,
            Message::End => {
                self.mailbox.interrupt();
                self.ended.cancel();
                Order::End
            }
            _ => return,
        };
        let orders = lock(&self.orders.0);
        if let Some(orders) = orders.as_ref() {
            // Who has ended wants no orders.
            let _ = orders.send(order);
        }
    }

    fn deliver(&self, from: Member, moment: Moment, signals: Vec<u32>, bulk: &[u8], codec: Codec) {
        match codec.read(signals.len(), bulk) {
            Ok(bits) => {
                let bits = signals.into_iter().zip(bits).collect();
                self.mailbox.deliver(moment, bits);
            }
            Err(error) => self.accuse(from, error.to_string()),
        }
    }
}
