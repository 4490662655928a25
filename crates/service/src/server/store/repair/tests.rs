use std::path::PathBuf;

use super::*;
use crate::server::store::CheckpointRecord;

/// A directory with a program, and jobs in several states.
struct Place {
    _folder: tempfile::TempDir,
    root: PathBuf,
    program: String,
}

const PROGRAM: &[u8] = b".data a\n LOAD R0, a\n ADD R0, R0, 5\n STORE R0, a";

fn record(id: &str, program: &str, rest: &str) -> JobRecord {
    let text = format!(
        r#"{{"id":"{id}","client":"c","client_name":"alice","request_id":"{id}","name":"n",
        "program":"{program}","inputs":"{program}","key":"{program}","threads":0,"rest":"{rest}",
        "cancelled":false,"checkpoint":null,"open_question":null,"questions":0,"error":null,
        "accepted_at":1,"started_at":0,"ended_at":0,"run_ms":0,"recoveries":0,"instructions":0,
        "nodes":0,"outputs_length":0,"written_length":0}}"#
    );
    serde_json::from_str(&text).unwrap()
}

fn checkpoint(number: u64) -> CheckpointRecord {
    CheckpointRecord {
        number,
        windows: 1,
        instructions: 1,
        nodes: 1,
        written: 0,
        length: 3,
    }
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("data");
        let store = Store::open(&root).unwrap();
        let program = blake3::hash(PROGRAM).to_hex().to_string();
        let mut file = store.temporary().unwrap();
        std::io::Write::write_all(&mut file, PROGRAM).unwrap();
        let blob = BlobRecord {
            kind: BlobKind::Program as i32,
            length: PROGRAM.len() as u64,
            used_at: now(),
            kept_from: None,
        };
        store.keep_blob("c", &program, file, &blob).unwrap();
        let spec = JobSpec {
            name: "n".to_owned(),
            ..JobSpec::default()
        };
        let queued = JobRecord {
            checkpoint: Some(checkpoint(2)),
            earlier_checkpoint: Some(checkpoint(1)),
            ..record("queued", &program, "queued")
        };
        let done = JobRecord {
            outputs_length: 4,
            ..record("done", &program, "done")
        };
        for job in [&queued, &done] {
            store.add_job(job, &spec).unwrap();
        }
        for number in [1, 2] {
            std::fs::write(store.job_path("queued", &checkpoint_file(number)), "abc").unwrap();
        }
        store.keep_job_file("done", OUTPUTS, b"true").unwrap();
        Self {
            _folder: folder,
            root,
            program,
        }
    }

    fn jobs(&self) -> Vec<JobRecord> {
        Store::open(&self.root).unwrap().jobs().unwrap()
    }

    fn check(&self) -> Vec<String> {
        check(&self.root).unwrap().lines
    }
}

#[test]
fn a_sound_directory_is_sound_and_stays_as_it_is() {
    let place = Place::new();
    assert_eq!(place.check(), Vec::<String>::new());
    let before = place.jobs();
    let repaired = repair(&place.root).unwrap();
    assert_eq!((repaired.lines.len(), repaired.sound), (0, 3));
    assert_eq!(place.jobs(), before);
}

#[test]
fn a_lost_database_is_made_again_from_what_lies_beside_it() {
    let place = Place::new();
    let before = place.jobs();
    let path = place.root.join(DATABASE);
    let length = std::fs::metadata(&path).unwrap().len();
    std::fs::write(&path, vec![0xA5; length as usize]).unwrap();
    assert!(matches!(
        Store::open(&place.root),
        Err(StoreError::Database { .. })
    ));
    assert_eq!(place.check().len(), 1);
    let repaired = repair(&place.root).unwrap();
    assert_eq!(repaired.lines.len(), 4, "{:?}", repaired.lines);
    assert_eq!(place.jobs(), before);
    assert!(place.check().is_empty());
    let names = std::fs::read_dir(&place.root).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.contains("damaged")).count(), 1);
}

#[test]
fn jobs_go_on_from_what_is_whole() {
    let place = Place::new();
    let file = |name: &str| place.root.join("jobs/queued").join(name);
    std::fs::write(file("checkpoint-2"), "ab").unwrap();
    std::fs::remove_file(place.root.join("jobs/done/outputs")).unwrap();
    assert_eq!(place.check().len(), 2);
    let lines = repair(&place.root).unwrap().lines;
    assert!(
        lines
            .iter()
            .any(|line| line.ends_with("it goes on from a checkpoint")),
        "{lines:?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.ends_with("it runs from its beginning")),
        "{lines:?}"
    );
    let jobs = place.jobs();
    let job = |id: &str| jobs.iter().find(|job| job.id == id).unwrap();
    assert_eq!(job("queued").checkpoint, Some(checkpoint(1)));
    assert_eq!(
        (job("done").rest, job("done").outputs_length),
        (Rest::Queued, 0)
    );
    assert!(place.check().is_empty());
}

#[test]
fn a_job_goes_on_where_as_much_had_been_written_as_is_there() {
    for (there, kept) in [("", None), ("abcde", Some(1)), ("abcdefgh", Some(2))] {
        let place = Place::new();
        let store = Store::open(&place.root).unwrap();
        let mut job = store.job("queued").unwrap().unwrap();
        for (checkpoint, written) in [(&mut job.checkpoint, 8), (&mut job.earlier_checkpoint, 5)] {
            checkpoint.as_mut().unwrap().written = written;
        }
        store.put_job(&job).unwrap();
        std::fs::write(store.job_path("queued", WRITTEN), there).unwrap();
        drop(store);
        assert_eq!(place.check().len(), usize::from(kept != Some(2)), "{there}");
        repair(&place.root).unwrap();
        let jobs = place.jobs();
        let job = jobs.iter().find(|job| job.id == "queued").unwrap();
        let number = job.checkpoint.as_ref().map(|checkpoint| checkpoint.number);
        assert_eq!((number, job.rest), (kept, Rest::Queued), "{there}");
        assert_eq!(place.check(), Vec::<String>::new());
    }
}

#[test]
fn a_damaged_blob_goes_and_ends_the_jobs_that_need_it() {
    let place = Place::new();
    let path = place.root.join("blobs/c").join(&place.program);
    std::fs::write(&path, b"another program").unwrap();
    assert_eq!(place.check().len(), 2);
    repair(&place.root).unwrap();
    let jobs = place.jobs();
    let job = |id: &str| jobs.iter().find(|job| job.id == id).unwrap();
    assert_eq!(
        (job("queued").rest, job("done").rest),
        (Rest::Failed, Rest::Done)
    );
    assert!(!path.exists());
    assert!(place.check().is_empty());
}

#[test]
fn a_directory_that_is_none_is_an_error_and_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("none");
    assert!(check(&root).is_err() && repair(&root).is_err());
    assert!(!root.exists());
}
