//! What is found is what there is, after any changes.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use super::*;
use crate::server::board::{Board, Settings};
use crate::server::metrics::Metrics;
use crate::server::policy::Policy;
use crate::server::quota::{Quota, Quotas};
use crate::server::store::Store;

fn record(number: u64) -> JobRecord {
    JobRecord {
        id: format!("{number:032x}"),
        client: format!("client {}", number % 5),
        program: format!("program {}", number % 7),
        inputs: format!("inputs {number}"),
        key: format!("key {}", number % 5),
        selectors: (number.is_multiple_of(2)).then(|| "selectors".to_owned()),
        // Some at the same moment.
        accepted_at: number / 3,
        short: number.is_multiple_of(4),
        ..JobRecord::default()
    }
}

/// All that is found, looked for everywhere.
fn everywhere(jobs: &Jobs) -> Index {
    let mut index = Index::default();
    for entry in jobs.values() {
        index.enter(&entry.record, Facts::of(entry));
    }
    index.freed = jobs.index.freed.clone();
    index
}

#[test]
#[ignore = "slow: 3 s"]
fn what_is_found_is_what_there_is() {
    let mut jobs = Jobs::default();
    let mut state = 1_u64;
    let mut next = |most: u64| {
        // Knuth's generator: no two runs differ.
        state = state.wrapping_mul(6_364_136_223_846_793_005);
        state = state.wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    for step in 0..4_000 {
        let id = record(next(60)).id;
        match next(10) {
            0 | 1 => jobs.insert(Entry::new(record(next(60)))),
            2 => jobs.remove(&id),
            kind => {
                let Some(mut entry) = jobs.get_mut(&id) else {
                    continue;
                };
                let entry: &mut Entry = &mut entry;
                match kind {
                    3 => entry.live = Some(Live::new(1, Quota::default())),
                    4 => entry.live = None,
                    5 => entry.record.rest = Rest::Waiting,
                    6 => entry.record.rest = Rest::Done,
                    7 => entry.record.kept_from = Some(next(9)),
                    8 => entry.record.unfetched_from = Some(next(9)),
                    _ => {
                        entry.record.rest = Rest::Queued;
                        entry.record.run_ms += next(9);
                        entry.record.written_length = next(9);
                    }
                }
            }
        }
        assert_eq!(jobs.index, everywhere(&jobs), "step {step}");
        assert!(jobs.freed().all(|blob| !jobs.uses(blob)));
    }
    // And by the definitions.
    let all = || jobs.values();
    let bytes: u64 = all().map(|entry| entry.record.stored()).sum();
    assert_eq!(jobs.bytes(), bytes);
    let queued = |entry: &&Entry| entry.live.is_none() && entry.record.rest == Rest::Queued;
    assert_eq!(jobs.idle().0, all().filter(queued).count() as u64);
    let ahead = all()
        .filter(queued)
        .filter(|job| job.record.accepted_at < 10);
    assert_eq!(jobs.ahead_of(10), ahead.count());
    for (only_short, most) in [(true, 5), (false, 10)] {
        let fronts: Vec<&Entry> = jobs.fronts(only_short).collect();
        assert!(fronts.len() <= most);
        for entry in all()
            .filter(queued)
            .filter(|job| !only_short || job.record.short)
        {
            let record = &entry.record;
            let older = fronts.iter().map(|front| &front.record).any(|front| {
                let ages = [front, record].map(|it| (it.accepted_at, it.id.clone()));
                front.client == record.client && ages[0] <= ages[1]
            });
            assert!(older, "{}", record.id);
        }
    }
    let due = jobs.due(12, 6).map(|record| &record.id);
    let due: BTreeSet<&String> = due.collect();
    let is_due = |entry: &&Entry| {
        let JobRecord { rest, .. } = entry.record;
        let from = entry.record.kept_from;
        let from = from.map(|from| from.max(entry.record.unfetched_from.unwrap_or(0)));
        entry.live.is_none() && rest.is_end() && from.is_some_and(|from| from <= 6)
    };
    let expected = all().filter(is_due).map(|entry| &entry.record.id);
    assert_eq!(due, expected.collect());
}

#[test]
#[ignore = "measures: 5 s"]
fn a_tick_beside_a_hundred_thousand_jobs_that_have_ended() {
    let root = tempfile::tempdir().unwrap();
    let settings = Settings {
        jobs: NonZeroUsize::MIN,
        threads: NonZeroUsize::MIN,
        slice: Duration::ZERO,
        turn: Duration::ZERO,
        grace: Duration::ZERO,
        keep: Some(Duration::from_secs(1 << 20)),
        spare: 0,
        memory: u64::MAX,
        policy: Policy::new(Quotas::default()),
    };
    let store = Store::open(root.path()).unwrap();
    let board = Board::open(store, settings, Metrics::default()).unwrap();
    for number in 0..100_000 {
        let record = JobRecord {
            rest: Rest::Failed,
            kept_from: Some(number),
            ..record(number)
        };
        board.lock().jobs.insert(Entry::new(record));
    }
    for running in [false, true] {
        if running {
            let mut entry = Entry::new(record(100_000));
            entry.live = Some(Live::new(1, Quota::default()));
            board.lock().jobs.insert(entry);
        }
        let begin = Instant::now();
        (0..100).for_each(|_| board.tick());
        let tick = begin.elapsed() / 100;
        let begin = Instant::now();
        board.forget_old().unwrap();
        println!(
            "tick {tick:?}, look {:?}, running: {running}",
            begin.elapsed()
        );
    }
}
