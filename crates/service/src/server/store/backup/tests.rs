use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::server::store::{BlobRecord, CheckpointRecord, Revocation, Revocations, repair};

fn job(id: &str, rest: &str) -> JobRecord {
    let text = format!(
        r#"{{"id":"{id}","client":"c","client_name":"alice","request_id":"{id}","name":"n",
        "program":"p","inputs":"p","key":"p","threads":0,"rest":"{rest}","cancelled":false,
        "checkpoint":null,"open_question":null,"questions":0,"error":null,"accepted_at":1,
        "started_at":1,"ended_at":1,"run_ms":0,"recoveries":0,"instructions":0,"nodes":0,
        "outputs_length":0,"written_length":0}}"#
    );
    serde_json::from_str(&text).unwrap()
}

fn keep_blob(store: &Store, content: &[u8]) -> String {
    let hash = blake3::hash(content).to_hex().to_string();
    let mut file = store.temporary().unwrap();
    io::Write::write_all(&mut file, content).unwrap();
    let record = BlobRecord {
        kind: 1,
        length: content.len() as u64,
        used_at: 1,
        kept_from: None,
    };
    store.keep_blob("c", &hash, file, &record).unwrap();
    hash
}

fn checkpoint(number: u64, written: u64) -> CheckpointRecord {
    CheckpointRecord {
        number,
        windows: 1,
        instructions: 1,
        nodes: 1,
        written,
        length: 9,
    }
}

/// What a job leaves on its way: a checkpoint, what it wrote, the checkpoint before last goes.
fn advance(store: &Store, record: &mut JobRecord, number: u64) {
    let file = store.written(&record.id, number - 1).unwrap();
    io::Write::write_all(&mut &file, b"w").unwrap();
    let name = checkpoint_file(number);
    store
        .keep_job_file(&record.id, &name, b"a moment.")
        .unwrap();
    let last = record.checkpoint.replace(checkpoint(number, number));
    let old = std::mem::replace(&mut record.earlier_checkpoint, last);
    store.put_job(record).unwrap();
    if let Some(old) = old {
        let path = store.job_path(&record.id, &checkpoint_file(old.number));
        store.remove_file(&path).unwrap();
    }
}

fn findings(root: &Path) -> Vec<String> {
    repair::check(root).unwrap().lines
}

#[test]
#[ignore = "slow: 2 s"]
fn backups_are_whole_while_everything_changes() {
    let place = tempfile::tempdir().unwrap();
    let store = Store::open(&place.path().join("data")).unwrap();
    let over = AtomicBool::new(false);
    let going = || !over.load(Ordering::Relaxed);
    let program = keep_blob(&store, b"program");
    let of = |id: &str, rest| JobRecord {
        program: program.clone(),
        inputs: program.clone(),
        key: program.clone(),
        running: true,
        ..job(id, rest)
    };
    std::thread::scope(|scope| {
        // Uploads that come, go, and come again under the same name.
        scope.spawn(|| {
            for turn in 0_u64.. {
                let hash = keep_blob(&store, &(turn % 3).to_le_bytes());
                if !going() {
                    return;
                }
                store.remove_blob("c", &hash).unwrap();
            }
        });
        // A job that runs.
        scope.spawn(|| {
            let mut record = of("runs", "queued");
            store.add_job(&record, &Default::default()).unwrap();
            let mut number = 0;
            while going() {
                number += 1;
                advance(&store, &mut record, number);
            }
        });
        // Jobs that end and are removed.
        scope.spawn(|| {
            for turn in 0.. {
                let mut record = of(&format!("ends{turn}"), "queued");
                store.add_job(&record, &Default::default()).unwrap();
                store.keep_job_file(&record.id, OUTPUTS, b"out").unwrap();
                (record.rest, record.outputs_length) = (Rest::Done, 3);
                store.put_job(&record).unwrap();
                if !going() {
                    return;
                }
                store.remove_job(&record).unwrap();
            }
        });
        for number in 0..25 {
            let target = place.path().join(format!("copy{number}"));
            let made = store.backup(&target).unwrap();
            assert_eq!(findings(&target), [""; 0], "copy {number}: {made:?}");
            let copy = Store::open(&target).unwrap();
            let jobs = copy.jobs().unwrap();
            assert_eq!(
                (jobs.len(), copy.blobs().unwrap().len()),
                (made.jobs, made.blobs)
            );
            // It rests there, and goes on without harm to the one that it was copied from.
            for mut job in jobs.into_iter().filter(|job| job.id == "runs") {
                assert!(!job.running);
                let at = job.checkpoint.as_ref().map_or(0, |c| c.number);
                advance(&copy, &mut job, at + 1);
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    drop(store);
    let data = place.path().join("data");
    assert_eq!(findings(&data), [""; 0]);
    // What was put off has gone.
    let folders = files::entries(&data.join("jobs")).unwrap();
    assert!(folders.len() <= 2, "{folders:?}");
    let mut names: Vec<PathBuf> = files::entries(&data.join("jobs/runs")).unwrap();
    names.retain(|path| path.to_string_lossy().contains("checkpoint"));
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn only_a_whole_backup_has_its_name() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let store = Store::open(&at("data")).unwrap();
    let program = keep_blob(&store, b"program");
    let refused = |target: &str, part: &str| {
        let error = store.backup(&at(target)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert!(!at("a.partial").exists());
    };
    refused("data", "it is there already");
    refused("data/jobs/a", "keeps its own files there");
    refused("nowhere/a", "nowhere");
    // One that was killed on its way is begun anew.
    drop(Store::open(&at("a.partial")).unwrap());
    fs::write(at("a.partial/rest"), "").unwrap();
    store.backup(&at("a")).unwrap();
    assert!(!at("a/rest").exists() && !at("a.partial").exists());
    // Somebody else's, who is making it, is left alone.
    let other = Store::open(&at("b.partial")).unwrap();
    let error = store.backup(&at("b")).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    drop(other);
    let hold = store.removals.hold();
    refused("c", "another backup is being made");
    drop(hold);
    // A server's folder that lacks something has no backup that looks whole.
    fs::remove_file(store.blob_path("c", &program)).unwrap();
    refused("d", "not as its record says");
    assert!(!at("d").exists());
}

/// Where files cannot be linked they are copied.
#[test]
fn files_are_copied_where_they_cannot_be_linked() {
    let place = tempfile::tempdir().unwrap();
    let mut made = Backup::default();
    let (from, to) = (place.path().join("from"), place.path().join("to"));
    fs::write(&from, "content").unwrap();
    // A link cannot replace what is there, and neither may a copy.
    fs::write(&to, "").unwrap();
    assert!(matches!(
        bring(&from, &to, 7, &mut made),
        Err(Failed::Store(_))
    ));
    fs::remove_file(&to).unwrap();
    copy_start(&from, &to, 7, &mut made)
        .map_err(|_| ())
        .unwrap();
    assert_eq!(fs::read(&to).unwrap(), b"content");
    assert_eq!((made.copied, made.bytes), (1, 7));
    fs::remove_file(&to).unwrap();
    let short = copy_start(&from, &to, 8, &mut made);
    assert!(matches!(short, Err(Failed::Changed(_))));
}

/// Who was refused is refused by a server on the copy, too.
#[test]
fn revocations_are_part_of_a_backup() {
    let place = tempfile::tempdir().unwrap();
    let store = Store::open(&place.path().join("data")).unwrap();
    let target = place.path().join("copy");
    let revoked = Revocations::from([("ab".repeat(32), Revocation::default())]);
    store.put_revocations(&revoked).unwrap();
    store.backup(&target).unwrap();
    let copy = Store::open(&target).unwrap();
    assert_eq!(copy.revocations().unwrap(), revoked);
}

/// A damaged checkpoint is computed again while a backup holds it.
#[test]
fn a_checkpoint_takes_the_place_of_a_damaged_one() {
    let place = tempfile::tempdir().unwrap();
    let store = Store::open(place.path()).unwrap();
    store.written("j", 0).unwrap();
    let parameters = tfhe::TOY_BLOCK;
    let key = tfhe::KeyId::from_bytes([0; 16]);
    let checkpoint = wire::Checkpoint::new(parameters, key, [0; 32], vec![1], Vec::new()).unwrap();
    let path = store.job_path("j", &checkpoint_file(3));
    for damaged in ["", "no header", &"no checkpoint".repeat(100)] {
        fs::write(&path, damaged).unwrap();
        let hold = store.removals.hold().unwrap();
        store.remove_file(&path).unwrap();
        let length = store.keep_checkpoint("j", 3, &checkpoint).unwrap();
        drop(hold);
        assert_eq!(fs::read(&path).unwrap().len() as u64, length);
        assert_eq!(::files::read_checkpoint(&path).unwrap(), checkpoint);
    }
}
