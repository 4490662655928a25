//! Threads that run jobs.
//!
//! A run that panics is a defect; it ends that job, and is caught here so that it ends nothing
//! else.

mod host;
mod job;
mod keys;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::board::{Assignment, Board, End};
use crate::proto::ErrorCode;

pub(crate) use keys::Keys;

/// What runs a job.
pub(crate) type Run = dyn Fn(&Assignment) -> End + Send + Sync;

/// The way jobs are run in earnest.
pub(crate) fn runner(board: &Arc<Board>, keys: Keys) -> Arc<Run> {
    let board = Arc::clone(board);
    Arc::new(move |assignment| job::run(&board, &keys, assignment))
}

/// Starts as many threads as jobs run at once. They end when the board drains.
pub(crate) fn start(board: &Arc<Board>, run: &Arc<Run>) -> std::io::Result<Vec<JoinHandle<()>>> {
    let count = board.settings.jobs.get();
    (0..count)
        .map(|number| {
            let (board, run) = (Arc::clone(board), Arc::clone(run));
            thread::Builder::new()
                .name(format!("job-{number}"))
                .spawn(move || work(&board, &run))
        })
        .collect()
}

fn work(board: &Board, run: &Arc<Run>) {
    while let Some(assignment) = board.next() {
        let id = assignment.record.id.clone();
        let end = catch_unwind(AssertUnwindSafe(|| run(&assignment))).unwrap_or_else(|_| {
            board.metrics.defect();
            tracing::error!(job = %id, "a run panicked: this is a defect");
            End::Failed(
                ErrorCode::Internal,
                "the server found a defect of its own in this run: please report it".to_owned(),
            )
        });
        board.finish(&id, end);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::path::Path;
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::proto::BlobKind;
    use crate::server::board::Settings;
    use crate::server::metrics::Metrics;
    use crate::server::quota::Quotas;
    use crate::server::store::{BlobRecord, JobRecord, Rest, Store};

    fn settings() -> Settings {
        Settings {
            jobs: NonZeroUsize::MIN,
            threads: NonZeroUsize::MIN,
            slice: Duration::ZERO,
            grace: Duration::ZERO,
            keep: None,
            quotas: Quotas::default(),
        }
    }

    fn queued(id: &str, client: &str, accepted_at: u64) -> JobRecord {
        JobRecord {
            id: id.to_owned(),
            client: client.to_owned(),
            client_name: client.to_owned(),
            request_id: id.to_owned(),
            name: String::new(),
            program: String::new(),
            inputs: String::new(),
            key: String::new(),
            selectors: None,
            threads: 0,
            rest: Rest::Queued,
            cancelled: false,
            checkpoint: None,
            open_question: None,
            questions: 0,
            error: None,
            accepted_at,
            started_at: 0,
            ended_at: 0,
            run_ms: 0,
            recoveries: 0,
            running: false,
            crashes: 0,
            record_bytes: 0,
            instructions: 0,
            nodes: 0,
            outputs_length: 0,
            written_length: 0,
        }
    }

    /// A board with these jobs.
    fn board(root: &Path, jobs: &[JobRecord]) -> Arc<Board> {
        let store = Store::open(root).unwrap();
        for job in jobs {
            store.add_job(job, &Default::default()).unwrap();
        }
        Arc::new(Board::open(store, settings(), Metrics::default()).unwrap())
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
        let mut cancelled = queued("1", "a", 1);
        cancelled.cancelled = true;
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
    }

    /// Blobs go when they are old and no job needs them that has not ended.
    #[test]
    fn an_old_selector_key_stays_as_long_as_its_job() {
        let root = tempfile::tempdir().unwrap();
        let with_selectors = JobRecord {
            selectors: Some("needed".to_owned()),
            ..queued("1", "a", 1)
        };
        let store = Store::open(root.path()).unwrap();
        store.add_job(&with_selectors, &Default::default()).unwrap();
        let old = BlobRecord {
            kind: BlobKind::SelectorKey as i32,
            length: 1,
            used_at: 1,
        };
        for hash in ["needed", "other"] {
            store.put_blob("a", hash, &old).unwrap();
        }
        let settings = Settings {
            keep: Some(Duration::from_secs(3600)),
            ..settings()
        };
        let board = Arc::new(Board::open(store, settings, Metrics::default()).unwrap());
        let there = || ["needed", "other"].map(|hash| board.blob("a", hash).is_some());
        board.forget_old().unwrap();
        assert_eq!(there(), [true, false]);
        order(&board, done);
        board.forget_old().unwrap();
        assert_eq!(there(), [false, false]);
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
}
