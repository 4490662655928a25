//! Who gives way to whom, with runs that nobody computes.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::server::board::Settings;
use crate::server::metrics::Metrics;
use crate::server::policy::Policy;
use crate::server::quota::Quotas;
use crate::server::store::Store;

/// How long a run makes room for nobody at a checkpoint.
const SLICE: Duration = Duration::from_millis(50);

/// A job of a client of its own.
fn queued(id: &str, accepted_at: u64) -> JobRecord {
    JobRecord {
        id: id.to_owned(),
        client: id.to_owned(),
        client_name: id.to_owned(),
        request_id: id.to_owned(),
        accepted_at,
        ..JobRecord::default()
    }
}

fn short(id: &str, accepted_at: u64) -> JobRecord {
    JobRecord {
        short: true,
        ..queued(id, accepted_at)
    }
}

/// One place, and five long jobs that wait for it.
fn board(root: &Path) -> Board {
    let store = Store::open(root).unwrap();
    for (at, id) in (1..).zip(["a", "b", "c", "d", "e"]) {
        store.add_job(&queued(id, at), &Default::default()).unwrap();
    }
    let settings = Settings {
        jobs: NonZeroUsize::MIN,
        threads: NonZeroUsize::MIN,
        slice: SLICE,
        turn: Duration::from_millis(1),
        grace: Duration::ZERO,
        keep: None,
        spare: 0,
        memory: u64::MAX,
        policy: Policy::new(Quotas::default()),
    };
    Board::open(store, settings, Metrics::default()).unwrap()
}

impl Board {
    /// Begins the job whose turn it is, which must not be one that rests.
    fn begins(&self) -> String {
        assert!(self.lock().is_waited_for(self));
        self.next().unwrap().record.id
    }

    fn comes(&self, record: JobRecord) {
        self.store.add_job(&record, &Default::default()).unwrap();
        self.lock().jobs.insert(Entry::new(record));
    }

    /// Returns once a run should rest: what it uses grows, what others have used does not.
    fn is_to_rest(&self, id: &str) {
        let begin = Instant::now();
        while !self.lock().should_rest(id, self) {
            assert!(begin.elapsed() < Duration::from_secs(10), "{id}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn rests(&self, id: &str) {
        self.is_to_rest(id);
        self.lock().live(id).unwrap().give_way();
    }

    fn first(&self) -> Option<String> {
        self.lock().first(self)
    }
}

/// Four runs of which the last has its place, and one job that waits.
fn crowded(root: &Path) -> Board {
    let board = board(root);
    for id in ["a", "b", "c"] {
        assert_eq!(board.begins(), id);
        board.rests(id);
    }
    assert_eq!(board.begins(), "d");
    board
}

#[test]
fn the_last_place_in_memory_is_for_a_short_job() {
    let root = tempfile::tempdir().unwrap();
    let board = crowded(root.path());
    // The fifth long one has used nothing, but those that rest take turns without it.
    assert!(
        ["a", "b", "c"]
            .map(|id| Some(id.to_owned()))
            .contains(&board.first())
    );
    board.is_to_rest("d");
    board.comes(short("f", 6));
    assert_eq!(board.first().as_deref(), Some("f"));
    board.rests("d");
    assert_eq!(board.begins(), "f");
    std::thread::sleep(SLICE);
    // It has used more than others by now, and keeps its turn: the next short one needs its place.
    board.comes(short("g", 7));
    assert!(!board.lock().should_rest("f", &board));
    assert!(
        !["e", "g"]
            .map(|id| Some(id.to_owned()))
            .contains(&board.first())
    );
    let done = End::Done {
        outputs_length: 0,
        instructions: 1,
    };
    board.finish("f", done);
    assert_eq!(board.first().as_deref(), Some("g"));
    // While there is memory a short one rests as others do.
    let entry = |id: &str| board.lock().jobs.get(id).unwrap().live.is_some();
    assert_eq!(["a", "e", "g"].map(entry), [true, false, false]);
}

/// Turns are short where several share a place, and a slice would never be over.
#[test]
fn who_waits_for_memory_has_it_after_a_checkpoint() {
    let root = tempfile::tempdir().unwrap();
    let board = crowded(root.path());
    std::thread::sleep(SLICE);
    let mut state = board.lock();
    state.live("d").unwrap().give_way();
    state.live("d").unwrap().take_turn();
    drop(state);
    assert_eq!(board.makes_room("d"), Some(Pause::Yielded));
    board.finish("d", End::Paused(Pause::Yielded));
    assert_eq!(board.begins(), "e");
}
