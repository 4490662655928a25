//! Machines that are threads, and what they say to each other.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use blindcore_circuits::exec::{Apart, Begin, Peers, Received, run_share};
use blindcore_circuits::place::Share;
use blindcore_circuits::sim::{SimulationError, Simulator};
use blindcore_circuits::{Circuit, ExecError, Pool};

type Message = Received<u64>;

/// One machine's connections to all.
struct Connections {
    own: usize,
    all: Vec<Sender<Message>>,
    inbox: Mutex<Receiver<Message>>,
    /// By machine and signal: how often it was sent there.
    sent: Mutex<Vec<(u32, u32)>>,
    /// How many messages all machines may send together before everybody is interrupted.
    patience: Arc<AtomicUsize>,
}

impl Peers<u64> for Connections {
    fn send(&self, signal: u32, bit: &Arc<u64>, to: &[u32]) {
        if self.patience.fetch_sub(1, Ordering::SeqCst) == 1 {
            for machine in &self.all {
                let _ = machine.send(Received::Interrupted);
            }
        }
        for &to in to {
            assert_ne!(to as usize, self.own, "a machine sends to itself");
            self.sent.lock().unwrap().push((signal, to));
            let _ = self.all[to as usize].send(Received::Bits(vec![(signal, Arc::clone(bit))]));
        }
    }

    fn receive(&self) -> Received<u64> {
        let inbox = self.inbox.lock().unwrap();
        inbox
            .recv_timeout(Duration::from_millis(100))
            .unwrap_or(Received::Nothing)
    }

    fn end(&self) {
        let _ = self.all[self.own].send(Received::Nothing);
    }
}

/// What each machine's run left.
pub(crate) type Ran = Vec<Result<Apart<u64>, ExecError<SimulationError>>>;

/// Runs all shares at once, until somebody has sent something for the `patience`-th time.
pub(crate) fn run_all(
    engine: &Simulator,
    circuit: &Circuit,
    begin: Vec<Begin<u64>>,
    shares: &[Share],
    threads: usize,
    patience: usize,
) -> Ran {
    let (all, inboxes): (Vec<_>, Vec<_>) = shares.iter().map(|_| channel()).unzip();
    let patience = Arc::new(AtomicUsize::new(patience));
    let connections: Vec<Connections> = inboxes
        .into_iter()
        .enumerate()
        .map(|(own, inbox)| Connections {
            own,
            all: all.clone(),
            inbox: Mutex::new(inbox),
            sent: Mutex::default(),
            patience: Arc::clone(&patience),
        })
        .collect();
    let ran = thread::scope(|scope| {
        let machines = connections.iter().zip(shares).zip(begin);
        let machines: Vec<_> = machines
            .map(|((connections, share), begin)| {
                scope.spawn(move || {
                    run_share(
                        engine,
                        circuit,
                        begin,
                        &Pool::new(threads),
                        share,
                        connections,
                    )
                })
            })
            .collect();
        machines
            .into_iter()
            .map(|machine| machine.join().unwrap())
            .collect()
    });
    for connections in connections {
        let mut sent = connections.sent.into_inner().unwrap();
        let count = sent.len();
        sent.sort_unstable();
        sent.dedup();
        assert_eq!(sent.len(), count, "something was sent twice to one machine");
    }
    ran
}
