//! Rows of a table: each is a run on one worker, whoever is lost.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use blindcore_cluster::loopback::{Fate, Loopback};
use blindcore_cluster::{
    Addresses, ClusterError, Files, Member, Patience, Rows, Table, TableScheme, Transport,
    drive_table,
};
use circuits::exec::Cancel;

use crate::rig::{Prepared, listen};

const TEXT: &str =
    ".bits 16\n.data a\n.data b\n LOAD R0, a\n LOAD R1, b\n MUL R0, R0, R1\n STORE R0, a\n";
const ROWS: [[&str; 2]; 7] = [
    ["a=3", "b=5"],
    ["a=65535", "b=65535"],
    ["a=0", "b=9"],
    ["a=300", "b=70"],
    ["a=1", "b=1"],
    ["a=257", "b=255"],
    ["a=12345", "b=3"],
];

/// A table, and what each row gives on one machine alone.
struct Prepare {
    table: Table,
    files: Vec<Files>,
    expected: Vec<Vec<u8>>,
}

fn prepare(rows: Range<u32>) -> Prepare {
    let each = ROWS.map(|values| Prepared::new(TEXT, &values, 400, 1));
    let job = &each[0].job;
    let table = Table {
        name: job.name.clone(),
        program: job.program.clone(),
        task: job.task.clone(),
        places: job.places.clone(),
        scheme: TableScheme::Tfhe,
        key: Arc::clone(&job.key),
        rows: rows.clone(),
    };
    let kept = &each[rows.start as usize..rows.end as usize];
    Prepare {
        table,
        files: kept.iter().map(|row| row.job.inputs.clone()).collect(),
        expected: kept.iter().map(Prepared::alone).collect(),
    }
}

#[derive(Default)]
struct Passed {
    files: std::vec::IntoIter<Files>,
    outputs: Vec<Vec<u8>>,
    told: Vec<String>,
    most: u32,
    /// The row whose outputs cannot be kept.
    full: Option<usize>,
}

impl Rows for Passed {
    type Error = ClusterError;

    fn next(&mut self) -> Result<Files, ClusterError> {
        Ok(self.files.next().expect("no row is asked for twice"))
    }

    fn done(&mut self, outputs: &[u8], instructions: u64) -> Result<(), ClusterError> {
        assert!(instructions > 3);
        if self.full == Some(self.outputs.len()) {
            return Err(ClusterError::NoWorkers);
        }
        self.outputs.push(outputs.to_vec());
        Ok(())
    }

    fn progress(&mut self, rows: u32, _: u64) {
        self.most = self.most.max(rows);
    }

    fn told(&mut self, text: &str) {
        self.told.push(text.to_owned());
    }
}

fn on_workers(
    network: &Loopback,
    prepared: &Prepare,
    workers: usize,
    patience: Patience,
    full: Option<usize>,
) -> (Result<(), ClusterError>, Passed) {
    let addresses: Vec<String> = (1..=workers)
        .map(|number| format!("machine-{number}"))
        .collect();
    let cancel = Cancel::new();
    let threads = listen(network, &addresses, &cancel);
    let mut passed = Passed {
        files: prepared.files.clone().into_iter(),
        full,
        ..Passed::default()
    };
    let driver: Arc<dyn Transport> = Arc::new(network.driver());
    let addresses = Addresses::from(addresses);
    let table = prepared.table.clone();
    let never = Cancel::new();
    let ended = drive_table(&driver, &addresses, table, patience, &mut passed, &never);
    drop(driver);
    cancel.cancel();
    for thread in threads {
        thread.join().unwrap();
    }
    (ended, passed)
}

#[test]
fn rows_come_in_order_on_any_number_of_workers() {
    for (rows, workers) in [(0..7, 1), (0..7, 3), (2..7, 2), (6..7, 3)] {
        let prepared = prepare(rows.clone());
        let network = Loopback::default();
        let (ended, passed) = on_workers(&network, &prepared, workers, Patience::default(), None);
        ended.unwrap();
        assert!(passed.outputs == prepared.expected, "{rows:?}, {workers}");
        assert_eq!(passed.most, rows.end);
        assert!(passed.told.is_empty(), "{:?}", passed.told);
    }
}

/// Whoever sends the n-th frame is lost with it, or sends it damaged: others compute its rows, each once more.
#[test]
#[ignore = "slow: 5 s"]
fn workers_are_lost_with_their_rows() {
    let prepared = prepare(0..7);
    let mut lost = 0;
    for number in 0..24 {
        let count = Arc::new(AtomicU32::new(0));
        let network = Loopback::meddled(move |from, _, frame| {
            if from == Member::DRIVER || count.fetch_add(1, SeqCst) != number {
                return Fate::Comes;
            }
            if number % 2 == 0 {
                return Fate::Loses;
            }
            frame[number as usize] ^= 4;
            Fate::Comes
        });
        let (ended, passed) = on_workers(&network, &prepared, 2, Patience::default(), None);
        ended.unwrap_or_else(|error| panic!("frame {number}: {error}"));
        assert!(passed.outputs == prepared.expected, "frame {number}");
        lost += passed.told.len();
    }
    assert!(lost >= 10, "{lost} were lost");
}

/// A worker that hangs with a row loses it after a while.
#[test]
#[ignore = "slow: 3 s"]
fn a_worker_hangs_with_its_row() {
    let prepared = prepare(0..7);
    let said = Arc::new(AtomicU32::new(0));
    let network = Loopback::meddled(move |from, to, _| match (from, to) {
        // Of what the first one says the driver hears that it wants the key, and is ready.
        (Member(1), Member::DRIVER) if said.fetch_add(1, SeqCst) >= 2 => Fate::Vanishes,
        _ => Fate::Comes,
    });
    let patience = Patience {
        silent: Duration::from_millis(2500),
        ..Patience::default()
    };
    let (ended, passed) = on_workers(&network, &prepared, 2, patience, None);
    ended.unwrap();
    assert!(passed.outputs == prepared.expected);
    assert!(
        passed.told[0].contains("machine-1 is lost"),
        "{:?}",
        passed.told
    );
}

/// Nobody is left; a row costs three workers; the outputs cannot be kept.
#[test]
fn what_cannot_go_on_says_why() {
    let prepared = prepare(0..7);
    let network = Loopback::meddled(|from, _, _| match from {
        Member::DRIVER => Fate::Comes,
        _ => Fate::Loses,
    });
    let (ended, _) = on_workers(&network, &prepared, 2, Patience::default(), None);
    assert!(
        matches!(ended, Err(ClusterError::NobodyLeft { .. })),
        "{ended:?}"
    );

    // Whoever is to say what row 3 gives is lost; the others have one row after the other.
    let prepared = prepare(3..4);
    let network = Loopback::meddled(|from, to, frame| {
        // All else that workers say is short.
        match to {
            Member::DRIVER if from != Member::DRIVER && frame.len() > 200 => Fate::Loses,
            _ => Fate::Comes,
        }
    });
    let (ended, passed) = on_workers(&network, &prepared, 4, Patience::default(), None);
    assert!(
        matches!(ended, Err(ClusterError::Deadly { row: 3, .. })),
        "{ended:?}"
    );
    assert_eq!(passed.told.len(), 2, "{:?}", passed.told);

    let prepared = prepare(0..7);
    let full = Some(2);
    let (ended, passed) = on_workers(
        &Loopback::default(),
        &prepared,
        2,
        Patience::default(),
        full,
    );
    assert_eq!(ended, Err(ClusterError::NoWorkers));
    assert_eq!(passed.outputs.len(), 2);
}
