//! Journals and ledgers on the disk, with whatever in them: they are refused, or opened; and what
//! was opened is opened again, with the same in it.

#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use session::policy::{Journal, Ledger};
use tfhe::KeyId;

/// A folder of this process, in memory where there is such a disk.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let parent = match memory.is_dir() {
        true => memory.to_path_buf(),
        false => std::env::temp_dir(),
    };
    let folder = parent.join(format!("blindcore-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
});

fuzz_target!(|data: &[u8]| {
    let Some((choice, content)) = data.split_first() else {
        return;
    };
    let path = FOLDER.join("file");
    let content = match choice % 3 {
        2 => sealed(content),
        _ => content.to_vec(),
    };
    std::fs::write(&path, content).expect("a file");
    match choice % 3 {
        0 => journal(&path),
        _ => ledger(&path),
    }
});

/// Lines as those of a ledger, each behind its digits.
fn sealed(lines: &[u8]) -> Vec<u8> {
    let mut check = [0; 16];
    let mut all = Vec::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&check).update(line);
        hasher.finalize_xof().fill(&mut check);
        all.extend(
            check
                .iter()
                .flat_map(|byte| format!("{byte:02x}").into_bytes()),
        );
        all.push(b' ');
        all.extend(line);
        all.push(b'\n');
    }
    all
}

fn journal(path: &Path) {
    let before = std::fs::read(path).expect("it is there");
    let Ok(first) = Journal::open(path) else {
        // What is no journal is left as it is.
        return assert_eq!(std::fs::read(path).ok(), Some(before));
    };
    let bits = |journal: &Journal| {
        let last = journal.last("").map(str::to_owned);
        let used = last.as_ref().and_then(|job| journal.used(job));
        let used = used.map(|used| (used.bits(), used.answers(&(0..u32::MAX))));
        (last, used)
    };
    let found = bits(&first);
    drop(first);
    let again = Journal::open(path).expect("what was opened is opened again");
    assert_eq!(bits(&again), found);
}

fn ledger(path: &Path) {
    let key = KeyId::from_bytes([7; 16]);
    let Ok(first) = Ledger::open(path, key) else {
        return;
    };
    let bits = first.bits();
    drop(first);
    let again = Ledger::open(path, key).expect("what was opened is opened again");
    assert_eq!(again.bits(), bits);
}
