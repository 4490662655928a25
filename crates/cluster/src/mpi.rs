//! Members that are ranks of an MPI program: `mpirun` starts them, rank 0 drives, the others work.
//!
//! MPI knows who is there and how they reach each other, by whatever the machines are connected with. A rank that
//! dies ends all of them, as MPI has it: a run goes on from its checkpoint then. Nothing is encrypted beyond what
//! ciphertexts are.
//!
//! One thread sends and one receives, so MPI must allow several threads (`MPI_THREAD_MULTIPLE`). The receiver looks
//! for messages and sleeps in between, since a blocking receive keeps a core busy that has lookups to compute.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ::mpi::environment::Universe;
use ::mpi::point_to_point::MatchedReceiveVec;
use ::mpi::topology::{Rank, SimpleCommunicator};
use ::mpi::traits::{Communicator, Destination, Source};
use ::mpi::{Tag, Threading, initialize_with_threading};

use crate::transport::{Event, Member, Transport};
use crate::{Addresses, ClusterError};

/// What a message is.
const FRAME: Tag = 1;
const GOODBYE: Tag = 2;
/// How long the receiver sleeps if there is nothing: a thirtieth of a lookup.
const NAP: Duration = Duration::from_micros(150);

/// This process as a rank.
pub struct Mpi {
    /// MPI ends when it is dropped, which must come last and in the thread that began it.
    universe: Option<Universe>,
    ranks: Arc<Ranks>,
    threads: Vec<JoinHandle<()>>,
}

struct Ranks {
    own: Member,
    /// Ranks there are.
    size: u32,
    outbox: Mutex<Option<Sender<(Rank, Vec<u8>)>>>,
    inbox: Mutex<Receiver<Event>>,
}

impl Mpi {
    /// Begins MPI. To be called once, by the main thread.
    ///
    /// # Errors
    /// [`ClusterError::Mpi`] if it allows one thread only, or if there is but one rank.
    pub fn start() -> Result<Self, ClusterError> {
        let wrong = |reason: &str| ClusterError::Mpi {
            reason: reason.to_owned(),
        };
        let (universe, threading) = initialize_with_threading(Threading::Multiple)
            .ok_or_else(|| wrong("it has begun already"))?;
        if threading < Threading::Multiple {
            return Err(wrong("this MPI lets one thread at a time use it"));
        }
        let world = universe.world();
        if world.size() < 2 {
            return Err(wrong(
                "one rank alone has nobody to work for it: start two or more, as in `mpirun -n 3 blindcore run ...`",
            ));
        }
        let (outbox, waiting) = channel();
        let (heard, inbox) = channel();
        let ranks = Ranks {
            own: Member(world.rank() as u32),
            size: world.size() as u32,
            outbox: Mutex::new(Some(outbox)),
            inbox: Mutex::new(inbox),
        };
        Ok(Self {
            universe: Some(universe),
            ranks: Arc::new(ranks),
            threads: vec![
                thread::spawn(move || send(&waiting)),
                thread::spawn(move || receive(&heard)),
            ],
        })
    }

    /// Whether this rank has the run.
    #[must_use]
    pub fn is_driver(&self) -> bool {
        self.ranks.own == Member::DRIVER
    }

    /// All other ranks, for the driver.
    #[must_use]
    pub fn workers(&self) -> Addresses {
        Addresses::from((1..self.ranks.size).map(address))
    }

    /// This rank's connections.
    #[must_use]
    pub fn transport(&self) -> Arc<dyn Transport> {
        Arc::clone(&self.ranks) as Arc<dyn Transport>
    }
}

/// How a rank is called.
fn address(rank: u32) -> String {
    format!("rank {rank}")
}

impl Drop for Mpi {
    /// Says goodbye and waits for everybody's: no message is left that nobody receives.
    fn drop(&mut self) {
        let outbox = &self.ranks.outbox;
        outbox.lock().unwrap_or_else(PoisonError::into_inner).take();
        for thread in self.threads.drain(..) {
            // Its panic has been told.
            let _ = thread.join();
        }
        self.universe.take();
    }
}

/// Sends frames until nobody has any, then a goodbye to everybody.
fn send(frames: &Receiver<(Rank, Vec<u8>)>) {
    let world = SimpleCommunicator::world();
    while let Ok((to, frame)) = frames.recv() {
        world
            .process_at_rank(to)
            .send_with_tag(frame.as_slice(), FRAME);
    }
    for rank in (0..world.size()).filter(|&rank| rank != world.rank()) {
        let nothing: &[u8] = &[];
        world.process_at_rank(rank).send_with_tag(nothing, GOODBYE);
    }
}

/// Receives until everybody has said goodbye.
fn receive(heard: &Sender<Event>) {
    let world = SimpleCommunicator::world();
    let mut there = world.size() - 1;
    while there > 0 {
        let Some((message, status)) = world.any_process().immediate_matched_probe() else {
            thread::sleep(NAP);
            continue;
        };
        let (from, tag) = (Member(status.source_rank() as u32), status.tag());
        let (bytes, _) = (message, status).matched_receive_vec::<u8>();
        let event = match tag {
            FRAME => Event::Frame { from, bytes },
            _ => {
                there -= 1;
                let reason = "it has ended".to_owned();
                Event::Lost {
                    member: from,
                    reason,
                }
            }
        };
        // Who has ended listens no more, and still takes what comes.
        let _ = heard.send(event);
    }
}

impl Transport for Ranks {
    fn own(&self) -> Member {
        self.own
    }

    fn send(&self, to: Member, frame: Vec<u8>) {
        let outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(outbox), true) = (outbox.as_ref(), to.0 < self.size) {
            // Its thread lives as long as there is an outbox.
            let _ = outbox.send((to.0 as Rank, frame));
        }
    }

    fn receive(&self, patience: Duration) -> Option<Event> {
        let inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        inbox.recv_timeout(patience).ok()
    }

    fn introduce(&self, _: Member, _: &str) {}

    /// A rank has its number from MPI: one that was lost does not come again under another.
    fn connect(&self, member: Member, to: &str) -> Result<(), ClusterError> {
        match address(member.0) == to {
            true => Ok(()),
            false => Err(ClusterError::Unreachable {
                address: to.to_owned(),
                reason: "a rank that is lost does not come again".to_owned(),
            }),
        }
    }

    fn close(&self, _: Member) {}
}
