//! A program with inputs and keys, workers that are threads, and what a run on one machine gives.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use blindcore_cluster::loopback::Loopback;
use blindcore_cluster::{
    Addresses, ClusterError, Ended, Job, Keys, Patience, Progress, Transport, Watcher, Worker,
    drive,
};
use circuits::exec::Cancel;
use processor::{Branches, Limits, Task};
use session::evaluator::{self, Evaluation, Given, Target};
use session::owner::{self, Encryptor, SecretKey, ServerKeyFile, Settings};
use session::program::{Execution, Row};
use session::schemes::Adapter;
use session::schemes::tfhe::{Selectors, Tfhe, expand, plan};
use session::{Control, Program};
use tfhe::{ServerKey, TOY_BLOCK};

/// Two products, a sum and a comparison over arrays: chains, width, loops and a condition.
pub(crate) const TEXT: &str = ".bits 16
.data x[6]
.data y[6]
.data sum
main:
    MOV R0, 0
    MOV R4, 0
next:
    LOAD R1, x[R0]
    LOAD R2, y[R0]
    MUL R3, R1, R2
    ADD R4, R4, R3
    CMP R1, R2
    B_LO less
    ADD R4, R4, 1
less:
    STORE R4, sum
    ADD R0, R0, 1
    CMP R0, 6
    B_LO next
    HALT
";

pub(crate) struct Keyed {
    pub(crate) secret: SecretKey,
    pub(crate) file: Arc<[u8]>,
    pub(crate) expanded: Arc<ServerKey>,
}

/// Made once: a toy key, as fast as they are.
pub(crate) static KEYS: LazyLock<Keyed> = LazyLock::new(|| {
    let control = Control::default();
    let pair = owner::generate(&Settings::Tfhe(TOY_BLOCK), &control).unwrap();
    let ServerKeyFile::Tfhe(seeded) = &pair.server else {
        unreachable!("a TFHE key")
    };
    Keyed {
        file: wire::encode(seeded).unwrap().to_vec().into(),
        expanded: expand(seeded, None, NonZeroUsize::MIN).unwrap(),
        secret: pair.secret,
    }
});

/// A run that is ready.
pub(crate) struct Prepared {
    pub(crate) job: Job,
    program: Program,
    task: Task,
    places: Vec<usize>,
    given: Given<Tfhe>,
}

impl Prepared {
    /// Of a program in HE assembly on values, in windows of so many nodes.
    pub(crate) fn new(text: &str, values: &[&str], window: usize, threads: usize) -> Self {
        let control = Control::default();
        let program = Program::from_bytes(Path::new("program.hea"), text.as_bytes()).unwrap();
        let each = values.iter().map(|value| program.assignments(value));
        let assignments = each.collect::<Result<Vec<_>, _>>().unwrap().concat();
        let row = Row::new(&program, &assignments, None).unwrap();
        let file = Encryptor::of_secret(&KEYS.secret);
        let file = file
            .encrypt(&row.variables, &row.bits, &control)
            .unwrap()
            .to_vec();
        let read = || {
            Tfhe::read(Box::new(std::io::Cursor::new(file.clone())), None)
                .unwrap()
                .0
        };
        let given: Given<Tfhe> = Given::joined(vec![("inputs".to_owned(), read())]).unwrap();
        let (placed, places) =
            evaluator::place(&program, None, &given.variables(), [].into_iter()).unwrap();
        let execution = Execution {
            limits: Limits {
                window,
                ..Limits::default()
            },
            branches: Branches {
                both: Some(Branches::MERGE_LIMIT),
                ..Branches::default()
            },
            ..Execution::default()
        };
        let task = program.task(&execution, placed).unwrap();
        let run = evaluator::run_hash(
            program.hash(),
            evaluator::inputs_hash(&file),
            &task,
            &places,
        );
        let threads = NonZeroUsize::new(threads).unwrap();
        let target = target(threads);
        let planned = plan(program.image(), &task, &TOY_BLOCK, &target).unwrap();
        let job = Job {
            name: "program.hea".to_owned(),
            program: text.as_bytes().to_vec(),
            task: task.clone(),
            places: places.clone(),
            inputs: vec![("inputs".to_owned(), file)],
            checkpoint: None,
            run,
            key: Arc::clone(&KEYS.file),
            threads,
            is_wide: planned.is_wide,
            bits_per_second: 1e10,
            is_halved: false,
            alone: None,
            most_threads: None,
            written: 0,
            windows: planned
                .plan
                .windows
                .iter()
                .map(|window| window.nodes)
                .collect(),
        };
        Self {
            job,
            program,
            task,
            places,
            given,
        }
    }

    /// The outputs file of a run on this machine alone.
    pub(crate) fn alone(&self) -> Vec<u8> {
        let planned = plan(
            self.program.image(),
            &self.task,
            &TOY_BLOCK,
            &target(self.job.threads),
        )
        .unwrap();
        let evaluation: Evaluation<'_, Tfhe> = Evaluation {
            program: &self.program,
            task: &self.task,
            places: &self.places,
            planned: &planned,
            engine: planned.engine(Arc::clone(&KEYS.expanded)),
        };
        let control = Control {
            threads: NonZeroUsize::MIN,
            ..Control::default()
        };
        let ran = evaluation.batch(0, &self.given, &control).unwrap();
        wire::encode(&ran.outputs).unwrap().to_vec()
    }
}

fn target(threads: NonZeroUsize) -> Target {
    Target {
        threads,
        architectures: circuits::library::Architectures::default(),
        fft: None,
        selectors: Selectors::Unused,
    }
}

/// Workers at these addresses, each of which works for whoever comes, one after the other.
pub(crate) fn listen(
    network: &Loopback,
    addresses: &[String],
    cancel: &Cancel,
) -> Vec<JoinHandle<()>> {
    let each = addresses.iter().map(|address| {
        let sessions = network.listen(address);
        let cancel = cancel.clone();
        thread::spawn(move || {
            let keys = Keys::new(NonZeroUsize::MIN);
            let worker = Worker {
                threads: NonZeroUsize::MIN,
                fft: None,
            };
            while !cancel.is_cancelled() {
                let Ok(member) = sessions.recv_timeout(Duration::from_millis(20)) else {
                    continue;
                };
                let transport: Arc<dyn Transport> = Arc::new(member);
                // The driver has heard why, or is gone.
                let _ = worker.work(&transport, &keys, &cancel);
            }
        })
    });
    each.collect()
}

/// Remembers what it is told.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) progress: Vec<Progress>,
    pub(crate) checkpoints: Vec<Vec<u8>>,
    pub(crate) written: Vec<u8>,
    pub(crate) told: Vec<String>,
}

impl Watcher for Seen {
    fn progress(&mut self, progress: Progress) {
        self.progress.push(progress);
    }

    fn checkpoint(&mut self, _: u32, file: &[u8]) {
        self.checkpoints.push(file.to_vec());
    }

    fn written(&mut self, bytes: &[u8]) {
        self.written.extend(bytes);
    }

    fn told(&mut self, text: &str) {
        self.told.push(text.to_owned());
    }
}

/// A run on so many workers of one thread each.
pub(crate) fn on_workers(
    network: &Loopback,
    job: &Job,
    workers: usize,
    patience: Patience,
) -> (Result<Ended, ClusterError>, Seen) {
    let addresses: Vec<String> = (1..=workers)
        .map(|number| format!("machine-{number}"))
        .collect();
    let cancel = Cancel::new();
    let threads = listen(network, &addresses, &cancel);
    let mut seen = Seen::default();
    let driver: Arc<dyn Transport> = Arc::new(network.driver());
    let ended = drive(
        &driver,
        &Addresses::from(addresses.clone()),
        job.clone(),
        patience,
        &mut seen,
        &Cancel::new(),
    );
    cancel.cancel();
    for thread in threads {
        thread.join().unwrap();
    }
    (ended, seen)
}

/// What is in an outputs file: names and values.
pub(crate) fn decrypted(outputs: &[u8]) -> Vec<(String, Vec<i128>)> {
    let mut found = Vec::new();
    let source = wire::Containers::new(outputs);
    owner::decrypt(&KEYS.secret, "outputs", source, &mut |decrypted| {
        let values = decrypted.row(0);
        found.extend(values.map(|(name, _, elements)| (name.to_owned(), elements)));
        Ok(())
    })
    .unwrap();
    found
}
