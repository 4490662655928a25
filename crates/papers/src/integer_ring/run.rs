//! The course of a run: for each circuit the parameters that its depth asks for, a key, and the
//! circuit on random operands in every slot.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use bgv::{Keys, Parameters, Security};
use circuits::Pool;
use engines::bgv::{Bgv, choose, profile, profile_without_parameters};
use serde::Serialize;

use super::super::bench::{CheckedCircuit, Session, Size, Times, is_complete, run_slots};
use super::super::emulator;
use super::super::report::Provenance;
use super::paper;
use super::units::{self, Drawing};
use crate::arguments::PapersIntegerRing;
use crate::control::Control;
use crate::error::{PapersError, internal};

/// Everything that one run found out.
#[derive(Debug, Serialize)]
pub(super) struct Study {
    #[serde(flatten)]
    pub(super) provenance: Provenance,
    pub(super) threads: usize,
    /// Table 1 of the paper.
    pub(super) rows: Vec<Outcome>,
    /// HElib's column of another paper's table.
    pub(super) words: Vec<WordOutcome>,
    pub(super) paper: [paper::Row; 9],
}

/// A row of table 1 by one circuit with one promise.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Outcome {
    /// The row's number.
    pub(super) row: usize,
    pub(super) drawing: Drawing,
    pub(super) measured: Measured,
}

/// A unit of 16 bits.
#[derive(Clone, Debug, Serialize)]
pub(super) struct WordOutcome {
    pub(super) name: &'static str,
    /// HElib's, as the paper printed it.
    pub(super) seconds: f64,
    pub(super) measured: Measured,
}

/// A circuit that was run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Measured {
    /// Bits, by the lattice estimator.
    pub(super) security: u32,
    pub(super) set: Set,
    pub(super) size: Size,
    /// ANDs in a row.
    pub(super) depth: u32,
    pub(super) times: Times,
    /// log2 of the room that the noise left in the worst output.
    pub(super) room: f64,
}

/// A parameter set.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Set {
    pub(super) name: String,
    pub(super) index: u32,
    pub(super) degree: usize,
    pub(super) slots: usize,
    /// log2 of a fresh ciphertext's modulus.
    pub(super) modulus_bits: f64,
    /// log2 of the keys' modulus, which security depends on.
    pub(super) key_bits: f64,
}

impl Set {
    fn of(parameters: &Parameters) -> Self {
        Self {
            name: parameters.name(),
            index: parameters.index().m(),
            degree: parameters.degree(),
            slots: parameters.slots(),
            modulus_bits: parameters.modulus_bits(parameters.top()),
            key_bits: parameters.key_bits(),
        }
    }
}

/// Measures all that the arguments ask for, or as much of it as there was time for.
pub(super) fn study(
    arguments: &PapersIntegerRing,
    control: &Control,
) -> Result<Study, PapersError> {
    let mut run = Run {
        arguments,
        session: Session::new(arguments.output.quiet, control)?,
        keys: None,
        study: Study {
            provenance: Provenance::begin(),
            threads: arguments.threads.get(),
            rows: Vec::new(),
            words: Vec::new(),
            paper: paper::TABLE,
        },
    };
    let complete = is_complete(run.everything());
    run.session.finish();
    run.study.provenance.end(complete?);
    Ok(run.study)
}

struct Run<'a> {
    arguments: &'a PapersIntegerRing,
    session: Session<'a>,
    /// The last key: rows that follow each other often take the same.
    keys: Option<(Bgv, Keys)>,
    study: Study,
}

impl Run<'_> {
    fn everything(&mut self) -> Result<(), PapersError> {
        let promises: &[Security] = match self.arguments.quick {
            true => &[Security::Bits128],
            false => &[Security::Bits128, Security::Weak80],
        };
        let drawings: &[Drawing] = match self.arguments.quick {
            true => &[Drawing::Ours],
            false => &Drawing::ALL,
        };
        let profile = profile_without_parameters();
        let words = emulator::units_of_helib(&profile);
        let runs = paper::TABLE.len() * promises.len() * drawings.len() + words.len();
        self.session.plan(runs as u64);
        for (at, row) in paper::TABLE.iter().enumerate() {
            for &drawing in drawings {
                let checked = units::checked(row, drawing, &profile)?;
                for &security in promises {
                    let what = format!(
                        "{} of {} bits, {}, {}: {security}",
                        row.operation.name(),
                        row.bits,
                        row.circuit,
                        drawing.name()
                    );
                    let measured = self.measure(&what, &checked, security)?;
                    self.study.rows.push(Outcome {
                        row: at,
                        drawing,
                        measured,
                    });
                }
            }
        }
        for unit in words {
            let measured = self.measure(unit.name, &unit.circuit, Security::Bits128)?;
            self.study.words.push(WordOutcome {
                name: unit.name,
                seconds: unit.milliseconds / 1e3,
                measured,
            });
        }
        Ok(())
    }

    fn measure(
        &mut self,
        what: &str,
        checked: &CheckedCircuit,
        security: Security,
    ) -> Result<Measured, PapersError> {
        self.session.begin(what)?;
        checked.check(what, &mut self.session.generator)?;
        let choice = choose(&checked.circuit, 1, security).map_err(internal)?;
        let set = choice.parameters;
        let known = self.keys.as_ref();
        let same = known.is_some_and(|(_, keys)| keys.secret.parameters().name() == set.name());
        if !same {
            // The old one first: keys of deep circuits take a gigabyte.
            self.keys = None;
            self.keys = Some(self.generate(&set)?);
        }
        let rounds = match self.arguments.quick {
            true => 1,
            false => self.arguments.rounds.get(),
        };
        let mut seconds = Vec::with_capacity(rounds);
        let mut room = f64::INFINITY;
        for _ in 0..rounds {
            let pool = Pool::new(self.study.threads).with_cancel(self.session.control().cancel());
            let Some((engine, keys)) = &self.keys else {
                return Err(internal("a key was just made"));
            };
            let generator = &mut self.session.generator;
            let run = run_slots(engine, keys, checked, &pool, generator)?;
            seconds.push(run.seconds);
            room = room.min(run.room);
        }
        self.session.reach(1);
        Ok(Measured {
            security: security.bits(),
            size: checked.size,
            depth: choice.forecast.depth,
            times: Times::of(seconds).ok_or_else(|| internal("no round was asked for"))?,
            set: Set::of(&set),
            room,
        })
    }

    fn generate(&mut self, set: &Parameters) -> Result<(Bgv, Keys), PapersError> {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let control = self.session.control();
        let watch = |_: bgv::Progress| match control.check() {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let generator = &mut self.session.generator;
        let keys = bgv::SecretKey::generate(set, &[], generator, threads, &watch);
        control.check()?;
        let keys = keys.map_err(internal)?;
        let engine = Bgv::new(&keys.evaluation, profile(set)).map_err(internal)?;
        Ok((engine, keys))
    }
}
