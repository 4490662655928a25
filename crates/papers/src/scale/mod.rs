//! `blindcore scale`: what programs would take on one core to thousands, on machines that need not exist.
//!
//! Every window of a program is placed on each number of machines ([`circuits::place`]) and played through
//! with cores, batches and links as a run has them; nothing is measured but the times of batches. A program is
//! recorded once, with the fewest lookups, so that the same circuit runs everywhere and a speed-up is over the
//! best that one core can do. Jobs that do not wait for each other, such as the rows of a table, are not cut
//! up: each runs on one machine. Beside the programs stand figures 20, 21 and 24 of the paper on an emulator,
//! the only one that measured more than two cores.
//!
//! Whoever knows programs records them and calls [`Scaling::window`]; this crate knows circuits.

mod charts;
mod files;
mod simulated;
mod tables;

use circuits::{Circuit, Profile, Timing};
use serde::Serialize;
use serde_json::json;
use tfhe::Parameters;

pub use files::ScaleFiles;
pub use simulated::Shapes;

use crate::arguments::Output;
use crate::bench::{Session, Set};
use crate::control::Control;
use crate::document::{Delivered, Document, Place};
use crate::error::PapersError;
use crate::report::Provenance;
use files::Files;
use simulated::{Playing, Scaled};

/// What the machines are.
#[derive(Clone, Debug)]
pub struct ScaleModel {
    /// How many, of how many cores, on which links.
    pub shapes: Shapes,
    /// The parameter set of the lookups.
    pub parameters: Parameters,
    /// Times of batches of one lookup, two and so on, in nanoseconds, while all cores are busy.
    pub batches: Vec<f64>,
    /// Where these times are from, in words.
    pub source: String,
}

impl ScaleModel {
    /// The profile by which programs are recorded: the fewest lookups.
    #[must_use]
    pub fn recording(&self) -> Profile {
        engines::tfhe_lookup::profile(&self.parameters).for_wide_circuits()
    }

    /// Bytes of a ciphertext on the wire.
    fn bytes(&self) -> u64 {
        8 * (self.parameters.big_lwe_dimension().get() as u64 + 1)
    }
}

/// A study under way.
pub struct Scaling<'a> {
    model: ScaleModel,
    profile: Profile,
    session: Session<'a>,
    provenance: Provenance,
    output: &'a Output,
    place: Place,
    files: Files,
    playing: Option<Playing>,
    done: Vec<Scaled>,
}

/// What came of it. Plain data: [`tables`] says it in words, and serialized it is the answer to `--json`.
#[derive(Debug, Serialize)]
struct Study {
    #[serde(flatten)]
    provenance: Provenance,
    set: Set,
    /// Nanoseconds of batches of one lookup, two and so on.
    batches: Vec<f64>,
    batches_from: String,
    cores_of_machine: usize,
    /// In memory, as allocators give it.
    bytes_of_ciphertext: u64,
    programs: Vec<Scaled>,
}

impl<'a> Scaling<'a> {
    /// Makes sure of the places of all files, and begins.
    ///
    /// # Errors
    /// [`PapersError`]: times that are none, or files that cannot be written.
    pub fn begin(
        model: ScaleModel,
        output: &'a Output,
        files: &ScaleFiles,
        programs: usize,
        control: &'a Control,
    ) -> Result<Self, PapersError> {
        let provenance = Provenance::begin();
        let mut profile = model.recording();
        let Some(timing) = Timing::new(vec![model.batches.clone()]) else {
            let reason = "times of batches are positive numbers".to_owned();
            return Err(PapersError::Arguments { reason });
        };
        profile.set_timing(timing);
        let place = Place::reserve(output, control)?;
        let files = Files::reserve(files, &model.shapes, control)?;
        let mut session = Session::new(output.quiet, control)?;
        session.plan(programs as u64);
        Ok(Self {
            model,
            profile,
            session,
            provenance,
            output,
            place,
            files,
            playing: None,
            done: Vec::new(),
        })
    }

    /// A program comes next, or so many jobs of one; its windows follow.
    ///
    /// # Errors
    /// [`PapersError::Interrupted`].
    pub fn program(&mut self, name: &str, jobs: Option<usize>) -> Result<(), PapersError> {
        self.end_program();
        self.session.begin(name)?;
        self.playing = Some(Playing::new(name, jobs, &self.model));
        Ok(())
    }

    /// Plays a window through on every number of cores; nothing more once somebody has cancelled.
    pub fn window(&mut self, circuit: &Circuit) {
        let cancel = self.session.control().cancel();
        if let Some(playing) = &mut self.playing {
            playing.window(circuit, &self.profile, &|| cancel.is_cancelled());
        }
    }

    fn end_program(&mut self) {
        if let Some(playing) = self.playing.take() {
            self.done.push(playing.end(&self.profile));
            self.session.reach(1);
        }
    }

    /// Writes and says it.
    ///
    /// # Errors
    /// [`PapersError`], of which one is that somebody cancelled: half a curve says nothing.
    pub fn deliver(mut self) -> Result<Delivered, PapersError> {
        self.end_program();
        self.session.finish();
        self.session.control().check()?;
        self.provenance.end(true);
        let study = Study {
            provenance: self.provenance,
            set: Set::lookups(&self.model.parameters),
            batches: self.model.batches,
            batches_from: self.model.source,
            cores_of_machine: self.model.shapes.cores_of_machine,
            bytes_of_ciphertext: self.profile.bytes_per_bit,
            programs: self.done,
        };
        let report = tables::report(&study, &self.model.shapes);
        let written = self.files.write(&study, &self.model.shapes)?;
        let mut json = serde_json::to_value(&study).map_err(crate::error::internal)?;
        json["files"] = json!(written);
        let document = Document {
            report,
            json,
            interrupted: false,
        };
        let mut delivered = self.place.deliver(self.output, document)?;
        if !self.output.json {
            for path in written {
                delivered.text.push_str(&format!("{path}: written\n"));
            }
        }
        Ok(delivered)
    }
}
