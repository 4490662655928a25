//! Runs that nothing happens to.

use std::sync::Arc;

use blindcore_cluster::loopback::Loopback;
use blindcore_cluster::{Addresses, ClusterError, Patience, Transport, drive};
use circuits::exec::Cancel;

use crate::rig::{Prepared, Seen, TEXT, decrypted, on_workers};

const VALUES: &[&str] = &["x=1,20,300,4,50,600", "y=7,11,13,1700,19,23"];

/// In one window or many, on one worker or several: the very ciphertexts of a run alone.
#[test]
#[ignore = "slow: 8 s"]
fn workers_give_what_one_machine_gives() {
    for (window, workers) in [(1 << 18, 1), (1 << 18, 2), (400, 2), (150, 3), (64, 4)] {
        let prepared = Prepared::new(TEXT, VALUES, window, workers);
        let (ended, seen) = on_workers(
            &Loopback::default(),
            &prepared.job,
            workers,
            Patience::default(),
        );
        let ended = ended.unwrap();
        assert!(
            ended.outputs == prepared.alone(),
            "{workers} workers, windows of {window}"
        );
        assert_eq!(ended.lost, []);
        assert!(ended.instructions > 30);
        let windows = prepared.job.windows.len();
        assert_eq!(
            seen.checkpoints.len(),
            windows - 1,
            "one between two windows"
        );
        let last = prepared.job.windows.iter().sum::<usize>();
        assert!(
            seen.progress
                .iter()
                .all(|progress| progress.nodes <= last && progress.workers == workers)
        );
    }
}

/// Halved on their way, ciphertexts still decrypt to what they were.
#[test]
#[ignore = "slow: 2 s"]
fn halved_ciphertexts_decrypt_alike() {
    let mut prepared = Prepared::new(TEXT, VALUES, 400, 3);
    prepared.job.is_halved = true;
    let (ended, _) = on_workers(&Loopback::default(), &prepared.job, 3, Patience::default());
    let (halved, alone) = (ended.unwrap().outputs, prepared.alone());
    assert!(halved != alone, "nothing travelled");
    assert_eq!(decrypted(&halved), decrypted(&alone));
}

/// One worker that runs as a machine alone does: the same outputs, checkpoints between windows to go on from, and
/// no more threads than it is to have.
#[test]
#[ignore = "slow: 3 s"]
fn a_worker_alone_runs_as_a_machine_does() {
    for window in [1 << 18, 150] {
        let mut prepared = Prepared::new(TEXT, VALUES, window, 1);
        prepared.job.alone = Some(1 << 20);
        let network = Loopback::default();
        let (ended, seen) = on_workers(&network, &prepared.job, 1, Patience::default());
        assert!(ended.unwrap().outputs == prepared.alone(), "{window}");
        let windows = prepared.job.windows.len();
        assert_eq!(seen.checkpoints.len(), windows - 1);
        let last = prepared.job.windows.iter().sum::<usize>();
        assert!(seen.progress.iter().all(|progress| progress.nodes <= last));
        let Some(checkpoint) = seen.checkpoints.last() else {
            continue;
        };
        prepared.job.checkpoint = Some(checkpoint.clone());
        let (ended, _) = on_workers(&network, &prepared.job, 1, Patience::default());
        assert!(ended.unwrap().outputs == prepared.alone(), "resumed");
    }
}

/// A run that fails on one machine fails on several, for the same reason.
#[test]
fn a_program_that_faults_says_so() {
    let text = ".data x\n MOV R0, 100\nnext: SUBS R0, R0, 1\n B_NE next\n LOAD R1, x\n ADD R1, R1, 1\n STORE R1, x\n HALT";
    let mut prepared = Prepared::new(text, &["x=5"], 1 << 18, 2);
    prepared.job.task.limits.instructions = 50;
    let (ended, _) = on_workers(&Loopback::default(), &prepared.job, 2, Patience::default());
    match ended {
        Err(ClusterError::Run(error)) => {
            assert_eq!(error.kind, session::ErrorKind::Limit, "{error}")
        }
        other => panic!("{other:?}"),
    }
}

/// A worker that is not there is named at once.
#[test]
fn a_worker_that_is_not_there() {
    let prepared = Prepared::new(TEXT, VALUES, 1 << 18, 2);
    let network = Loopback::default();
    let (ended, _) = on_workers(&network, &prepared.job, 0, Patience::default());
    assert_eq!(ended, Err(ClusterError::NoWorkers));
    let addresses = ["machine-1".to_owned()];
    let driver: Arc<dyn Transport> = Arc::new(network.driver());
    let cancel = Cancel::new();
    let ended = drive(
        &driver,
        &Addresses::from(addresses.clone()),
        prepared.job,
        Patience::default(),
        &mut Seen::default(),
        &cancel,
    );
    assert!(
        matches!(ended, Err(ClusterError::Unreachable { address, .. }) if address == "machine-1")
    );
}

/// A run goes on from a checkpoint, on another number of workers.
#[test]
#[ignore = "slow: 3 s"]
fn a_run_goes_on_from_a_checkpoint() {
    let prepared = Prepared::new(TEXT, VALUES, 150, 2);
    let (ended, seen) = on_workers(&Loopback::default(), &prepared.job, 2, Patience::default());
    let expected = ended.unwrap().outputs;
    assert!(seen.checkpoints.len() > 2, "{}", seen.checkpoints.len());
    for (number, checkpoint) in seen.checkpoints.into_iter().enumerate() {
        let mut job = prepared.job.clone();
        job.checkpoint = Some(checkpoint);
        let (ended, _) = on_workers(
            &Loopback::default(),
            &job,
            1 + number % 3,
            Patience::default(),
        );
        assert!(ended.unwrap().outputs == expected, "checkpoint {number}");
    }
}
