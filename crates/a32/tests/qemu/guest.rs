//! The program under qemu: built, fed and read.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use crate::record::{Answer, Ours, Record, page};

/// A program ready to run.
pub(crate) struct Guest {
    program: PathBuf,
    folder: PathBuf,
}

impl Guest {
    /// Builds it in a folder of its own.
    pub(crate) fn new(name: &str) -> Guest {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("qemu-{name}"));
        fs::create_dir_all(&folder).unwrap();
        let program = folder.join("guest.elf");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/qemu/guest.c");
        let built = Command::new("arm-none-eabi-gcc")
            .args(["-O2", "-marm", "-march=armv7-a", "-ffreestanding"])
            .args(["-fno-tree-loop-distribute-patterns", "-nostdlib", "-static"])
            .args([source, "-o"])
            .arg(&program)
            .status()
            .expect(
                "arm-none-eabi-gcc is missing: apt-get install gcc-arm-none-eabi, or run ./test",
            );
        assert!(built.success());
        Guest { program, folder }
    }

    /// Its answer to each record, beside what `meanwhile` gives for it. Both sides work at once.
    pub(crate) fn answers<T>(
        &self,
        records: &[Record],
        meanwhile: impl FnOnce() -> Vec<T>,
    ) -> Vec<(Answer, T)> {
        let (input, output) = (self.folder.join("in"), self.folder.join("out"));
        let words = page().into_iter();
        let words = words.chain(records.iter().flat_map(Record::to_words));
        fs::write(&input, words.flat_map(u32::to_le_bytes).collect::<Vec<_>>()).unwrap();
        let mut child = Command::new("qemu-arm")
            .args(["-cpu", "max"])
            .arg(&self.program)
            .stdin(File::open(&input).unwrap())
            .stdout(File::create(&output).unwrap())
            .spawn()
            .expect("qemu-arm is missing: apt-get install qemu-user, or run ./test");
        let ours = meanwhile();
        let status = child.wait().unwrap();
        let bytes = fs::read(&output).unwrap();
        let (answers, rest) = bytes.as_chunks::<{ 4 * 83 }>();
        assert!(
            status.success() && rest.is_empty() && answers.len() == records.len(),
            "{status} at {}",
            records
                .get(answers.len())
                .map_or_else(String::new, Record::to_string)
        );
        answers.iter().map(Answer::from_bytes).zip(ours).collect()
    }

    /// Says of a record that differs, which of its states is the first that does.
    pub(crate) fn first_difference(&self, ours: &mut Ours, record: &Record) -> String {
        let mut differs = |count: u32| {
            let record = Record {
                count,
                ..record.clone()
            };
            let answers = self.answers(std::slice::from_ref(&record), || vec![ours.run(&record)]);
            let (theirs, mine) = answers.into_iter().next().unwrap();
            let mine = mine.unwrap();
            (theirs != mine).then_some((mine, theirs))
        };
        let (mut agree, mut differ) = (0, record.count);
        while differ - agree > 1 {
            let middle = agree + (differ - agree) / 2;
            match differs(middle) {
                Some(_) => differ = middle,
                None => agree = middle,
            }
        }
        let (mine, theirs) = differs(differ).unwrap();
        let before = Ours::state(record, differ - 1);
        format!(
            "{record}\nstate {}: {before:x?}\nours:  {mine:x?}\nqemu's: {theirs:x?}",
            differ - 1
        )
    }
}
