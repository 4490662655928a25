//! Whose turn it is, and what is kept, with runs that compute nothing.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::*;
use crate::server::board::{Settings, keeping};
use crate::server::metrics::Metrics;
use crate::server::policy::Policy;
use crate::server::quota::Quotas;
use crate::server::store::{CheckpointRecord, JobRecord, Rest, Store};

fn settings() -> Settings {
    Settings {
        jobs: NonZeroUsize::MIN,
        threads: NonZeroUsize::MIN,
        slice: Duration::ZERO,
        turn: Duration::from_millis(20),
        grace: Duration::ZERO,
        keep: None,
        spare: 0,
        memory: u64::MAX,
        policy: Policy::new(Quotas::default()),
    }
}

fn queued(id: &str, client: &str, accepted_at: u64) -> JobRecord {
    JobRecord {
        id: id.to_owned(),
        client: client.to_owned(),
        client_name: client.to_owned(),
        request_id: id.to_owned(),
        accepted_at,
        ..JobRecord::default()
    }
}

/// A board with these jobs.
fn board(root: &Path, jobs: &[JobRecord]) -> Arc<Board> {
    board_of(root, jobs, settings())
}

fn board_of(root: &Path, jobs: &[JobRecord], settings: Settings) -> Arc<Board> {
    let store = Store::open(root).unwrap();
    for job in jobs {
        store.add_job(job, &Default::default()).unwrap();
    }
    Arc::new(Board::open(store, settings, Metrics::default()).unwrap())
}

/// Works until everything has ended; gives the ids in the order in which they ran.
fn order(
    board: &Arc<Board>,
    run: impl Fn(&Assignment) -> End + Send + Sync + 'static,
) -> Vec<String> {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&ran);
    let run: Arc<Run> = Arc::new(move |assignment: &Assignment| {
        seen.lock().unwrap().push(assignment.record.id.clone());
        run(assignment)
    });
    let workers = start(board, &run).unwrap();
    let begin = Instant::now();
    while board
        .store
        .jobs()
        .unwrap()
        .iter()
        .any(|job| !job.rest.is_end())
    {
        assert!(begin.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    board.drain();
    for worker in workers {
        worker.join().unwrap();
    }
    let ran = ran.lock().unwrap();
    ran.clone()
}

/// Looks after a board's time until it drains.
fn ticking(board: &Arc<Board>) -> std::thread::JoinHandle<()> {
    let board = Arc::clone(board);
    std::thread::spawn(move || {
        while !board.is_draining() {
            board.tick();
            std::thread::sleep(Duration::from_millis(5));
        }
    })
}

fn done(_: &Assignment) -> End {
    std::thread::sleep(Duration::from_millis(10));
    End::Done {
        outputs_length: 0,
        instructions: 1,
    }
}

#[test]
fn clients_take_turns_however_many_jobs_each_has() {
    let root = tempfile::tempdir().unwrap();
    let mut jobs: Vec<_> = (0..4).map(|i| queued(&format!("a{i}"), "a", i)).collect();
    jobs.extend((0..2).map(|i| queued(&format!("b{i}"), "b", 100 + i)));
    let board = board(root.path(), &jobs);
    let ran = order(&board, done);
    assert_eq!(ran[..2], ["a0", "b0"]);
    // Which of the two is next depends on whose run was the shorter.
    let mut first = ran[..4].to_vec();
    first.sort();
    assert_eq!(first, ["a0", "a1", "b0", "b1"]);
    assert_eq!(ran.len(), 6);
}

#[test]
fn a_panic_ends_its_job_and_no_other() {
    let root = tempfile::tempdir().unwrap();
    let jobs = [queued("1", "a", 1), queued("2", "a", 2)];
    let board = board(root.path(), &jobs);
    order(&board, |assignment| {
        assert_ne!(assignment.record.id, "1", "a defect, made for the test");
        done(assignment)
    });
    let rests: Vec<_> = board.store.jobs().unwrap();
    assert_eq!(rests[0].rest, Rest::Failed);
    assert_eq!(
        rests[0].error.as_ref().unwrap().0,
        ErrorCode::Internal as i32
    );
    assert_eq!(rests[1].rest, Rest::Done);
    assert!(
        board
            .metrics
            .text()
            .unwrap()
            .contains("blindcore_defects_total 1")
    );
}

#[test]
fn what_no_record_names_is_swept_and_what_was_cancelled_stays_so() {
    let root = tempfile::tempdir().unwrap();
    let cancelled = JobRecord {
        cancelled: true,
        by_administrator: true,
        ..queued("1", "a", 1)
    };
    drop(board(root.path(), &[cancelled, queued("2", "a", 2)]));
    let put = |path: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "x").unwrap();
        path
    };
    let strays = [
        put("temporary/half"),
        put("blobs/a/00"),
        put("jobs/2/checkpoint-7"),
        put("jobs/2/outputs"),
        put("jobs/3/outputs"),
    ];
    let kept = put("jobs/2/written");
    let board = board(root.path(), &[]);
    assert!(strays.iter().all(|stray| !stray.exists()));
    assert!(kept.exists());
    let rests: Vec<_> = board
        .store
        .jobs()
        .unwrap()
        .iter()
        .map(|job| job.rest)
        .collect();
    assert_eq!(rests, [Rest::Cancelled, Rest::Queued]);
    let (code, _) = board.store.jobs().unwrap().remove(0).error.unwrap();
    assert_eq!(code, ErrorCode::Administrator as i32);
}

#[test]
fn a_job_that_ends_every_server_is_given_up() {
    let root = tempfile::tempdir().unwrap();
    let crashed = |id: &str, crashes| JobRecord {
        running: true,
        started_at: 1,
        crashes,
        ..queued(id, "a", 1)
    };
    let most = crate::server::board::CRASHES_MOST;
    let jobs = [crashed("1", most - 1), crashed("2", most - 2)];
    drop(board(root.path(), &jobs));
    // Opened twice: what did not run meanwhile was not what ended the server.
    let board = board(root.path(), &[]);
    let records = board.store.jobs().unwrap();
    assert_eq!(records[0].rest, Rest::Failed);
    let (code, message) = records[0].error.clone().unwrap();
    assert_eq!(code, ErrorCode::Internal as i32);
    assert!(
        message.contains(&format!("ended {most} times")),
        "{message}"
    );
    assert_eq!(
        (records[1].rest, records[1].crashes),
        (Rest::Queued, most - 1)
    );
    order(&board, done);
    let records = board.store.jobs().unwrap();
    assert_eq!((records[1].rest, records[1].running), (Rest::Done, false));
}

/// Runs that record for long give their places to whoever has used less, and go on behind: with one
/// place, and with two of them.
#[test]
fn recording_rests_while_others_have_their_turn() {
    for places in [1, 2] {
        let root = tempfile::tempdir().unwrap();
        let jobs: Vec<JobRecord> = (0..places)
            .flat_map(|i| {
                let (long, short) = (format!("long{i}"), format!("short{i}"));
                [queued(&long, "a", i), queued(&short, "b", 10 + i)]
            })
            .collect();
        let settings = Settings {
            jobs: NonZeroUsize::new(places as usize).unwrap(),
            ..settings()
        };
        let board = board_of(root.path(), &jobs, settings);
        let ended: Arc<Mutex<Vec<String>>> = Arc::default();
        let (at, of) = (Arc::clone(&board), Arc::clone(&ended));
        let ticks = ticking(&board);
        let shorts = move || {
            let ended = of.lock().unwrap();
            ended.iter().filter(|id| id.starts_with("short")).count() as u64
        };
        let of = Arc::clone(&ended);
        order(&board, move |assignment| {
            let id = assignment.record.id.clone();
            let begin = Instant::now();
            // As a recording does, thousands of times a second.
            while id.starts_with("long") && shorts() < places {
                assert!(begin.elapsed() < Duration::from_secs(10), "never rested");
                if assignment.reached.should_rest() {
                    at.rest(&id);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            of.lock().unwrap().push(id);
            done(assignment)
        });
        ticks.join().unwrap();
        let ended = ended.lock().unwrap();
        assert_eq!(ended.len() as u64, 2 * places);
        let first = &ended[..places as usize];
        assert!(first.iter().all(|id| id.starts_with("short")), "{ended:?}");
    }
}

/// Two that never end take turns, and end when the server does.
#[test]
fn a_run_that_rests_ends_when_it_is_told_to() {
    let root = tempfile::tempdir().unwrap();
    let board = board(root.path(), &[queued("1", "a", 1), queued("2", "b", 2)]);
    let (at, rests) = (Arc::clone(&board), Arc::new(Mutex::new(0)));
    let counted = Arc::clone(&rests);
    let run: Arc<Run> = Arc::new(move |assignment: &Assignment| {
        let begin = Instant::now();
        while !assignment.cancel.is_cancelled() && begin.elapsed() < Duration::from_secs(10) {
            at.tick();
            if assignment.reached.should_rest() {
                *counted.lock().unwrap() += 1;
                at.rest(&assignment.record.id);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        End::Stopped
    });
    let workers = start(&board, &run).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let begin = Instant::now();
    board.stop();
    for worker in workers {
        worker.join().unwrap();
    }
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert!(*rests.lock().unwrap() > 0);
    let rests: Vec<_> = board
        .store
        .jobs()
        .unwrap()
        .iter()
        .map(|job| job.rest)
        .collect();
    assert_eq!(rests, [Rest::Queued, Rest::Queued]);
}

/// Workers with two runs, of which one rests once this returns. They end when they are told to, and
/// not before the lock is free.
fn taking_turns(board: &Arc<Board>) -> (Vec<std::thread::JoinHandle<()>>, Arc<Mutex<()>>) {
    let (ends, rested) = (Arc::new(Mutex::new(())), std::sync::mpsc::channel());
    let (at, gate) = (Arc::clone(board), Arc::clone(&ends));
    let run: Arc<Run> = Arc::new(move |assignment: &Assignment| {
        let begin = Instant::now();
        while !assignment.cancel.is_cancelled() && begin.elapsed() < Duration::from_secs(10) {
            at.tick();
            if assignment.reached.should_rest() {
                let _ = rested.0.send(());
                at.rest(&assignment.record.id);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(gate.lock().unwrap());
        End::Stopped
    });
    let workers = start(board, &run).unwrap();
    rested.1.recv_timeout(Duration::from_secs(10)).unwrap();
    (workers, ends)
}

/// A drain ends the run that rests; if it is cancelled then, nobody would run it again.
#[test]
fn what_is_cancelled_while_the_server_drains_ends() {
    let root = tempfile::tempdir().unwrap();
    let jobs = [
        queued("1", "a", 1),
        queued("2", "b", 2),
        queued("3", "a", 3),
    ];
    let board = board(root.path(), &jobs);
    let (workers, ends) = taking_turns(&board);
    let hold = ends.lock().unwrap();
    std::thread::sleep(Duration::from_millis(50));
    board.pause();
    // Those that run and those that wait.
    assert_eq!(board.cancel_all("a", "root").unwrap(), 2);
    assert_eq!(board.cancel_all("b", "root").unwrap(), 1);
    assert_eq!(board.cancel_all("b", "root").unwrap(), 0);
    drop(hold);
    board.drain();
    for worker in workers {
        worker.join().unwrap();
    }
    let jobs = board.store.jobs().unwrap();
    let rests: Vec<_> = jobs.iter().map(|job| (job.rest, job.cancelled)).collect();
    assert_eq!(rests, [(Rest::Cancelled, true); 3]);
}

/// A run that rests waits for news: that a quota ends it is some.
#[test]
fn a_run_that_rests_ends_with_its_quota() {
    let root = tempfile::tempdir().unwrap();
    let board = board(root.path(), &[queued("1", "a", 1), queued("2", "b", 2)]);
    let (sender, begun) = std::sync::mpsc::channel();
    let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (at, stop) = (Arc::clone(&board), Arc::clone(&over));
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let run: Arc<Run> = Arc::new(move |assignment: &Assignment| {
        sender.send(Arc::clone(&assignment.reached)).unwrap();
        // The second keeps its place.
        while assignment.record.id == "2" && !stop.load(relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        while !stop.load(relaxed) && !assignment.cancel.is_cancelled() {
            at.rest(&assignment.record.id);
            std::thread::sleep(Duration::from_millis(1));
        }
        End::Stopped
    });
    let workers = start(&board, &run).unwrap();
    let next = || begun.recv_timeout(Duration::from_secs(10)).unwrap();
    let (first, _) = (next(), next());
    first.recorded.store(u64::MAX, relaxed);
    board.tick();
    let begin = Instant::now();
    let ended = || board.store.job("1").unwrap().unwrap().rest == Rest::Failed;
    while !ended() && begin.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(ended());
    over.store(true, relaxed);
    board.stop();
    for worker in workers {
        worker.join().unwrap();
    }
}

/// A disk that fails ends no job: it is tried again.
#[test]
fn what_the_disk_failed_is_tried_again() {
    let root = tempfile::tempdir().unwrap();
    let board = board(root.path(), &[queued("1", "a", 1)]);
    let ticks = ticking(&board);
    let tries = std::sync::atomic::AtomicU32::new(0);
    let ran = order(&board, move |assignment| {
        match tries.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0 => End::Postponed("no space left on device".to_owned()),
            _ => done(assignment),
        }
    });
    ticks.join().unwrap();
    assert_eq!(ran, ["1", "1"]);
    assert_eq!(board.store.jobs().unwrap()[0].rest, Rest::Done);
    assert!(
        board
            .metrics
            .text()
            .unwrap()
            .contains("blindcore_jobs_postponed_total 1")
    );
}

#[test]
fn the_last_two_checkpoints_are_kept() {
    let root = tempfile::tempdir().unwrap();
    let board = board(root.path(), &[queued("1", "a", 1)]);
    let file = |number: u64| root.path().join(format!("jobs/1/checkpoint-{number}"));
    for number in 0..4 {
        std::fs::write(file(number), "x").unwrap();
        let checkpoint = CheckpointRecord {
            number,
            windows: number + 1,
            instructions: 10 * number,
            nodes: 1,
            written: 0,
            length: 1,
        };
        board.checkpointed("1", &checkpoint).unwrap();
    }
    let there = || {
        (0..4)
            .map(|number| file(number).exists())
            .collect::<Vec<_>>()
    };
    assert_eq!(there(), [false, false, true, true]);
    let record = || board.store.jobs().unwrap().remove(0);
    assert_eq!(record().stored(), 2);
    assert_eq!(board.fall_back("1").unwrap().unwrap().number, 2);
    assert_eq!(there(), [false, false, true, false]);
    assert_eq!(record().checkpoint.unwrap().instructions, 20);
    assert_eq!(board.fall_back("1").unwrap(), None);
    assert_eq!((record().checkpoint, there()), (None, vec![false; 4]));
}

/// A job that takes the machine's memory is not taken up ten times.
#[test]
fn a_job_that_ends_two_servers_for_want_of_memory_is_given_up() {
    let root = tempfile::tempdir().unwrap();
    let killed = |id: &str, kills_met, kills| JobRecord {
        running: true,
        started_at: 1,
        crashes: kills_met,
        kills_met,
        kills,
        ..queued(id, "a", 1)
    };
    let jobs = [
        killed("1", 1, Some(4)),
        killed("2", 1, Some(5)),
        killed("3", 0, Some(4)),
        killed("4", 1, None),
    ];
    drop(board(root.path(), &jobs));
    let again = |kills| {
        let jobs: Vec<_> = jobs.to_vec();
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path()).unwrap();
        for job in &jobs {
            store.add_job(job, &Default::default()).unwrap();
        }
        let board = Board::open_by(
            store,
            settings(),
            Metrics::default(),
            keeping::monotonic(),
            kills,
        )
        .unwrap();
        let records = board.store.jobs().unwrap();
        records.iter().map(|job| job.rest).collect::<Vec<_>>()
    };
    use Rest::{Failed, Queued};
    assert_eq!(again(Some(5)), [Failed, Queued, Queued, Queued]);
    // Started anew, the machine counts anew.
    assert_eq!(again(Some(0)), [Queued; 4]);
    assert_eq!(again(None), [Queued; 4]);
}
