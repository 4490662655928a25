//! Windows that are shared: this worker evaluates its part, and waits until all have all outputs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use circuits::exec::{Begin, Partial, Peers, Received, run_share};
use circuits::place::{Cluster, Held, Machine, Network, place};
use circuits::{Circuit, Gates as _, Pool};
use engines::tfhe_lookup::TfheLookup;
use processor::{RunError, Solver, WindowRun};
use tfhe::LweCiphertext;

use super::post::{Order, Post};
use crate::ClusterError;
use crate::bits::Codec;
use crate::mailbox::Moment;
use crate::message::{Letter, Message, Peer};
use crate::transport::Member;

type Bits = Vec<Arc<LweCiphertext>>;

/// Who is there.
struct Assembly {
    epoch: u32,
    peers: Vec<Peer>,
    held: Held,
}

/// Whether this worker sends the driver checkpoints: the first of those who are there does.
#[derive(Clone, Default)]
pub(super) struct Windows(Arc<AtomicBool>);

impl Windows {
    /// There is nobody else.
    pub(super) fn report_always(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn reports(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A run's windows on several machines.
pub(super) struct Shared<'a> {
    post: &'a Post,
    engine: &'a TfheLookup,
    network: Network,
    codec: Codec,
    /// What is said once the first window is recorded.
    ready: Option<Message>,
    assembly: Option<Assembly>,
    windows: Windows,
    error: Option<ClusterError>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(
        post: &'a Post,
        engine: &'a TfheLookup,
        codec: Codec,
        bits_per_second: f64,
        ready: Message,
    ) -> Self {
        post.read_by(codec);
        Self {
            post,
            engine,
            network: Network {
                bytes_per_bit: codec.length() as u64,
                ..Network::of_bits_per_second(bits_per_second, engine.profile())
            },
            codec,
            ready: Some(ready),
            assembly: None,
            windows: Windows::default(),
            error: None,
        }
    }

    pub(super) fn windows(&self) -> Windows {
        self.windows.clone()
    }

    /// Why it could not go on, if that is not the run's own error.
    pub(super) fn into_error(self) -> Option<ClusterError> {
        self.error
    }

    fn evaluate(
        &mut self,
        window: &WindowRun<'_>,
        inputs: Bits,
        pool: &Pool,
    ) -> Result<Result<Bits, RunError>, ClusterError> {
        let circuit = window.circuit;
        let number = window.number as u32;
        let fingerprint = circuit.fingerprint();
        let mut begin = Begin::Inputs(inputs);
        loop {
            let assembly = match self.assembly.take() {
                Some(assembly) => assembly,
                None => self.assemble(number, circuit, fingerprint, &begin)?,
            };
            let own = assembly
                .peers
                .iter()
                .position(|peer| peer.member == self.post.own());
            let Some(own) = own else {
                return Err(ClusterError::Gone(self.post.own()));
            };
            self.windows.0.store(own == 0, Ordering::Relaxed);
            let machines = assembly.peers.iter().map(|peer| Machine {
                cores: (peer.cores as usize).max(1),
                speed: peer.speed,
            });
            let cluster = Cluster {
                machines: machines.collect(),
                network: self.network,
            };
            let placement = place(circuit, self.engine.profile(), &cluster, &assembly.held);
            let mut agreement = blake3::Hasher::new();
            agreement.update(&fingerprint);
            agreement.update(&placement.fingerprint());
            let agreement: [u8; 32] = agreement.finalize().into();
            self.post.tell_driver(Message::Placed {
                epoch: assembly.epoch,
                window: number,
                agreement,
            });
            let moment = Moment {
                window: number,
                epoch: assembly.epoch,
            };
            self.post.mailbox.open(moment);
            let sending = Sending {
                post: self.post,
                codec: self.codec,
                peers: &assembly.peers,
                moment,
            };
            let share = &placement.shares()[own];
            let ran = run_share(self.engine, circuit, begin, pool, share, &sending);
            self.post.mailbox.end();
            let ran = match ran {
                Ok(ran) => ran,
                Err(error) => return Ok(Err(error.into())),
            };
            begin = Begin::Partial(ran.partial);
            let Some(outputs) = ran.outputs else {
                continue;
            };
            self.post.tell_driver(Message::Finished {
                epoch: assembly.epoch,
                window: number,
                agreement,
            });
            // Everybody has to have all of it: others may need what this machine has.
            match self.post.order()? {
                Order::Continue(next) if next == number + 1 => {
                    self.assembly = Some(Assembly {
                        held: Vec::new(),
                        ..assembly
                    });
                    return Ok(Ok(outputs));
                }
                Order::Halt(epoch) => {
                    self.assembly =
                        Some(self.assemble_for(epoch, number, circuit, fingerprint, &begin)?);
                }
                _ => {
                    return Err(ClusterError::Message {
                        reason: "an order that does not fit".to_owned(),
                    });
                }
            }
        }
    }

    /// Waits for an epoch, and for who is in it.
    fn assemble(
        &mut self,
        window: u32,
        circuit: &Circuit,
        fingerprint: [u8; 32],
        begin: &Begin<LweCiphertext>,
    ) -> Result<Assembly, ClusterError> {
        // Not before: those who compute would stop, and wait for the recording.
        if let Some(ready) = self.ready.take() {
            self.post.tell_driver(ready);
        }
        let epoch = self.post.halt()?;
        self.assemble_for(epoch, window, circuit, fingerprint, begin)
    }

    fn assemble_for(
        &self,
        mut epoch: u32,
        window: u32,
        circuit: &Circuit,
        fingerprint: [u8; 32],
        begin: &Begin<LweCiphertext>,
    ) -> Result<Assembly, ClusterError> {
        loop {
            self.post.mailbox.resume();
            let message = Message::Have {
                epoch,
                window,
                fingerprint,
                nodes: circuit.len() as u64,
            };
            let bulk = match begin {
                Begin::Partial(Partial { evaluated, .. }) => pack(evaluated),
                Begin::Inputs(_) => Vec::new(),
            };
            self.post.send(Member::DRIVER, &Letter { message, bulk });
            match self.post.order()? {
                Order::Begin(of, peers, bulk) if of == epoch => {
                    peers.iter().for_each(|peer| self.post.introduce(peer));
                    let held = unpack(&bulk, peers.len(), circuit.len())?;
                    return Ok(Assembly { epoch, peers, held });
                }
                // More was lost meanwhile.
                Order::Halt(next) => epoch = next,
                _ => {}
            }
        }
    }
}

impl Solver<TfheLookup> for Shared<'_> {
    fn solve(
        &mut self,
        window: &WindowRun<'_>,
        inputs: Bits,
        pool: &Pool,
    ) -> Result<Bits, RunError> {
        match self.evaluate(window, inputs, pool) {
            Ok(outputs) => outputs,
            Err(error) => {
                self.error = Some(error);
                Err(RunError::Cancelled)
            }
        }
    }
}

/// A bit for each node.
fn pack(nodes: &[bool]) -> Vec<u8> {
    let bytes = nodes.chunks(8).map(|eight| {
        let bits = eight.iter().enumerate();
        bits.fold(0, |byte, (at, &is_there)| byte | u8::from(is_there) << at)
    });
    bytes.collect()
}

/// What each machine holds; nothing at all where no byte came.
fn unpack(bytes: &[u8], machines: usize, nodes: usize) -> Result<Held, ClusterError> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let each = nodes.div_ceil(8);
    if bytes.len() != each * machines {
        return Err(ClusterError::Message {
            reason: "what machines hold has another length".to_owned(),
        });
    }
    let machines = bytes.chunks(each.max(1)).map(|own| {
        let bits = (0..nodes).map(|node| own[node / 8] >> (node % 8) & 1 == 1);
        bits.collect()
    });
    Ok(machines.collect())
}

/// Results for others.
struct Sending<'a> {
    post: &'a Post,
    codec: Codec,
    peers: &'a [Peer],
    moment: Moment,
}

impl Peers<LweCiphertext> for Sending<'_> {
    fn send(&self, signal: u32, bit: &Arc<LweCiphertext>, to: &[u32]) {
        let mut bulk = Vec::new();
        self.codec.write(bit, &mut bulk);
        let message = Message::Bits {
            epoch: self.moment.epoch,
            window: self.moment.window,
            signals: vec![signal],
        };
        let to = to.iter().filter_map(|&to| self.peers.get(to as usize));
        self.post
            .send_all(to.map(|peer| peer.member), &Letter { message, bulk });
    }

    fn receive(&self) -> Received<LweCiphertext> {
        self.post.mailbox.receive()
    }

    fn end(&self) {
        self.post.mailbox.end();
    }
}
