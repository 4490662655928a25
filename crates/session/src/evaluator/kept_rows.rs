//! Rows of a table that are done, while others are not: what a run of a table goes on from.
//!
//! The file is the beginning of the outputs file: its head, which names the run, and each finished
//! row's container. It grows by one row at a time and is flushed to the disk each time, so that a
//! kill costs at most the row that is being computed. A row that was cut off is computed again.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use files::{Access, Existing, PendingFile};
use wire::{Containers, Outputs, Record, TableHead, TableRows, WireError};

use crate::error::{Error, ErrorKind};

/// The finished rows of one run on the disk.
pub struct KeptRows {
    path: PathBuf,
    head: TableHead<Outputs>,
    report: Box<dyn Fn(&str)>,
    place: Place,
    rows: u32,
}

enum Place {
    /// Nothing is written yet.
    None,
    File(File),
    /// A row could not be kept: none after it may be.
    Lost,
}

impl KeptRows {
    /// Rows at `path` of the run that the head names; `report` is called with messages for the
    /// user.
    pub fn new(path: PathBuf, head: TableHead<Outputs>, report: Box<dyn Fn(&str)>) -> Self {
        Self {
            path,
            head,
            report,
            place: Place::None,
            rows: 0,
        }
    }

    /// Where they are.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many there are.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Tells a run from the beginning that it could go on from somewhere.
    pub fn warn(&self) {
        if fs::metadata(&self.path).is_ok_and(|found| found.is_file()) {
            self.say("finished rows are there, which --resume goes on from; beginning anew");
        }
    }

    /// Gives each row that is there to `take`, as a file has it, and goes on behind the last; none
    /// where there is no file.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for rows of another run, [`ErrorKind::Io`], [`ErrorKind::File`]; those
    /// of `take`.
    pub fn resume(
        &mut self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), WireError>,
    ) -> Result<(), Error> {
        let wrong = |error: WireError| Error::file(&self.path, &error);
        let opened = OpenOptions::new().read(true).write(true).open(&self.path);
        let mut file = match opened {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::io(&self.path, "open", &error)),
            Ok(file) => file,
        };
        let mut source = Containers::new(&file);
        let kind = TableHead::<Outputs>::KIND;
        let first = source.next_container(Some(kind)).map_err(wrong)?;
        let mut rows = TableRows::<Outputs, _>::of(&first, source).map_err(wrong)?;
        if *rows.head() != self.head {
            let path = self.path.display();
            let message = format!("{path}: finished rows of another run, program or inputs");
            return Err(Error::new(ErrorKind::Input, message));
        }
        let mut end = rows.length();
        while let Some(Ok(row)) = rows.next() {
            let bytes = wire::encode(&row).map_err(Error::internal)?;
            take(&bytes).map_err(Error::internal)?;
            end = rows.length();
            self.rows += 1;
        }
        let cut = file.set_len(end).and_then(|()| file.seek(SeekFrom::End(0)));
        cut.map_err(|error| Error::io(&self.path, "write", &error))?;
        self.place = Place::File(file);
        let (done, all) = (self.rows, self.head.rows());
        self.say(&format!("going on after {done} of {all} rows"));
        Ok(())
    }

    /// Keeps the next row, as a file has it. A run goes on without: its result is worth more.
    pub fn keep(&mut self, row: &[u8]) {
        match self.written(row) {
            Ok(true) => self.rows += 1,
            Ok(false) => {}
            Err(error) => {
                self.place = Place::Lost;
                self.say(&format!("{error}; the run goes on, and keeps no more rows"));
            }
        }
    }

    fn written(&mut self, row: &[u8]) -> Result<bool, WireError> {
        let wrong = |error: std::io::Error| WireError::io("write", &error);
        if let Place::None = self.place {
            // With its first row or not at all: a kill between head and row would leave a file that
            // nobody can go on from. What is not ours stays as it is.
            let kind = TableHead::<Outputs>::KIND;
            let first = [&wire::encode(&self.head)?, row].concat();
            let existing = Existing::ReplaceKind(kind);
            PendingFile::stage(&self.path, &first, Access::of(kind), existing)?.commit()?;
            let opened = OpenOptions::new().append(true).open(&self.path);
            self.place = Place::File(opened.map_err(wrong)?);
            return Ok(true);
        }
        let Place::File(file) = &mut self.place else {
            return Ok(false);
        };
        file.write_all(row).map_err(wrong)?;
        file.sync_data().map_err(wrong)?;
        Ok(true)
    }

    /// The outputs are written: nobody goes on from here.
    pub fn finish(&self) {
        if !matches!(self.place, Place::None) {
            // It may be gone by somebody else's hand.
            let _ = fs::remove_file(&self.path);
        }
    }

    fn say(&self, message: &str) {
        (self.report)(&format!("{}: {message}", self.path.display()));
    }
}
