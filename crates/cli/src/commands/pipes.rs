//! `-` in place of a file: standard input or standard output.

use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use files::Reservation;

use crate::failure::{Code, Failure};

/// What messages call them.
pub(crate) const INPUT: &str = "standard input";
const OUTPUT: &str = "standard output";

/// Whether a path means one of them.
pub(crate) fn is_pipe(path: &Path) -> bool {
    path == Path::new("-")
}

/// Standard input, for one reader, of what `-` stands for.
pub(crate) fn input(what: &str) -> Result<io::Stdin, Failure> {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    let refused = |message: String| Err(Failure::new(Code::Usage, message));
    if TAKEN.swap(true, Ordering::Relaxed) {
        return refused(format!("{INPUT} (-) is one file, and was named twice"));
    }
    let input = io::stdin();
    if input.is_terminal() {
        return refused(format!(
            "{INPUT} (-) is a terminal: pipe {what} into it, or name a file"
        ));
    }
    Ok(input)
}

/// Standard output, for the bytes of a file.
pub(crate) fn output() -> Result<Reservation, Failure> {
    if io::stdout().is_terminal() {
        let message = format!(
            "{OUTPUT} (--out -) is a terminal, which cannot show ciphertexts: pipe it on, or name a file"
        );
        return Err(Failure::new(Code::Usage, message));
    }
    Ok(Reservation::standard_output())
}

/// Refuses JSON where a file is printed.
pub(crate) fn refuse_json(json: bool, out: &Path) -> Result<(), Failure> {
    if json && is_pipe(out) {
        let message = format!("--json prints on {OUTPUT}, where --out - writes the file: name one");
        return Err(Failure::new(Code::Usage, message));
    }
    Ok(())
}

/// Prints what there is to say of a file: beside it if it went to standard output.
pub(crate) fn tell(out: &Path, text: &str) -> Result<(), Failure> {
    if !is_pipe(out) {
        return super::print(text);
    }
    // The file is complete, whoever reads about it.
    let _ = io::stderr().write_all(text.as_bytes());
    Ok(())
}

/// What is read once, from its beginning to its end.
pub(crate) struct Once<R>(pub(crate) R);

impl<R: Read> Read for Once<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R> Seek for Once<R> {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotSeekable.into())
    }
}
