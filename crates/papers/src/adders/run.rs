//! The course of a run: the lookup engine, which is quick, then each set of gates; in both
//! everything is simulated before it is measured, so that an interrupted run has a figure for what
//! is missing.

use std::num::NonZeroUsize;

use circuits::{Gates as _, Profile};
use serde::Serialize;
use tfhe::Fft;
use tfhe::gate::GateParameters;

use super::super::bench::{
    Bench, CheckedCircuit, GateKeys, LookupKeys, Outcome, Session, Set, is_complete, on,
};
use super::super::report::Provenance;
use super::{paper, units};
use crate::arguments::PapersAdders;
use crate::control::Control;
use crate::error::PapersError;

/// Everything that one run found out.
#[derive(Debug, Serialize)]
pub(super) struct Study {
    #[serde(flatten)]
    pub(super) provenance: Provenance,
    /// Numbers of threads that were measured.
    pub(super) threads: Vec<usize>,
    pub(super) lookups: Set,
    /// Sums of two, three and four numbers by lookups.
    pub(super) lookup_sums: Vec<Sum>,
    pub(super) gates: Vec<GateSums>,
    pub(super) machines: [paper::Machine; 3],
    pub(super) paper: [[paper::Row; 4]; 2],
}

/// The rows of both tables on one set of gates.
#[derive(Debug, Serialize)]
pub(super) struct GateSums {
    pub(super) set: Set,
    pub(super) sums: Vec<Sum>,
}

/// An adder of numbers.
#[derive(Clone, Copy)]
pub(super) struct Design {
    /// The architecture, by the paper's name.
    pub(super) name: &'static str,
    /// How many numbers are added.
    pub(super) operands: usize,
}

/// A sum, on each number of threads.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Sum {
    pub(super) name: &'static str,
    pub(super) operands: usize,
    pub(super) outcomes: Vec<Outcome>,
}

impl Sum {
    fn design(&self) -> Design {
        Design {
            name: self.name,
            operands: self.operands,
        }
    }

    /// On `threads` threads.
    pub(super) fn on(&self, threads: usize) -> Option<&Outcome> {
        self.outcomes
            .iter()
            .find(|outcome| outcome.workers == threads)
    }
}

/// Measures all that the arguments ask for.
pub(super) fn study(arguments: &PapersAdders, control: &Control) -> Result<Study, PapersError> {
    let mut provenance = Provenance::begin();
    let mut run = Run {
        arguments,
        session: Session::new(arguments.output.quiet, control)?,
        threads: arguments.threads(),
        lookup_sums: Vec::new(),
        gates: Vec::new(),
    };
    let complete = is_complete(run.everything());
    run.session.finish();
    provenance.end(complete?);
    Ok(Study {
        provenance,
        threads: run.threads,
        lookups: Set::lookups(&arguments.lookup_set),
        lookup_sums: run.lookup_sums,
        gates: run.gates,
        machines: paper::MACHINES,
        paper: [paper::TWO, paper::FOUR],
    })
}

struct Run<'a> {
    arguments: &'a PapersAdders,
    session: Session<'a>,
    threads: Vec<usize>,
    lookup_sums: Vec<Sum>,
    gates: Vec<GateSums>,
}

impl Run<'_> {
    fn everything(&mut self) -> Result<(), PapersError> {
        let most = self.threads.iter().copied().max().unwrap_or(1);
        let threads = NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN);
        let fft = self.arguments.fft.unwrap_or_else(Fft::detect);
        let set = self.arguments.lookup_set;
        self.session.plan(2);
        self.session.begin(format!("{}: keys", set.name()))?;
        let keys = LookupKeys::generate(set, &mut self.session.generator, threads)?;
        self.session.reach(1);
        self.session
            .begin(format!("{}: times of batches", set.name()))?;
        let bench = keys.bench(fft, threads)?.calibrated(most)?;
        self.session.reach(1);
        let build = |profile: &Profile, design: Design| units::lookups(profile, design.operands);
        let designs = [2, 3, 4].map(|operands| Design {
            name: "lookups",
            operands,
        });
        let mut sums = Vec::new();
        let result = self.sums(&bench, &designs, build, &mut sums);
        self.lookup_sums = sums;
        result?;

        let mut sets: Vec<GateParameters> = Vec::new();
        for set in &self.arguments.gate_set {
            if !sets.contains(set) {
                sets.push(*set);
            }
        }
        if self.arguments.quick {
            sets.truncate(1);
        }
        for set in sets {
            self.session.plan(2);
            self.session.begin(format!("{}: keys", set.name()))?;
            let keys = GateKeys::generate(set, &mut self.session.generator, threads)?;
            self.session.reach(1);
            self.session
                .begin(format!("{}: times of batches", set.name()))?;
            let bench = keys.bench(fft, threads)?.calibrated(most)?;
            self.session.reach(1);
            let build = |profile: &Profile, design: Design| units::gates(profile, design);
            let rows = paper::TWO.iter().chain(&paper::FOUR);
            let designs: Vec<Design> = rows
                .map(|row| Design {
                    name: row.name,
                    operands: row.operands,
                })
                .collect();
            let mut sums = Vec::new();
            let result = self.sums(&bench, &designs, build, &mut sums);
            self.gates.push(GateSums {
                set: Set::gates(&set),
                sums,
            });
            result?;
        }
        Ok(())
    }

    /// Simulates and then measures sums on one engine.
    fn sums<B: Bench>(
        &mut self,
        bench: &B,
        designs: &[Design],
        build: impl Fn(&Profile, Design) -> CheckedCircuit,
        sums: &mut Vec<Sum>,
    ) -> Result<(), PapersError> {
        let profile = bench.engine().profile();
        for &design in designs {
            let mut outcomes = Vec::new();
            for &workers in &self.threads {
                let profile = on(profile, workers);
                let checked = build(&profile, design);
                checked.check(design.name, &mut self.session.generator)?;
                outcomes.push(Outcome::simulated(&checked, &profile, workers));
            }
            sums.push(Sum {
                name: design.name,
                operands: design.operands,
                outcomes,
            });
        }
        let rounds = match self.arguments.quick {
            true => 1,
            false => self.arguments.rounds.get(),
        };
        let outcomes = sums.iter().flat_map(|sum| &sum.outcomes);
        let planned: u64 = outcomes.map(|outcome| outcome.units(rounds)).sum();
        self.session.plan(planned);
        for sum in sums {
            let what = format!("{}: {} of {} numbers", bench.name(), sum.name, sum.operands);
            let design = sum.design();
            for outcome in &mut sum.outcomes {
                let profile = on(profile, outcome.workers);
                let checked = build(&profile, design);
                outcome.measure(&mut self.session, bench, &checked, rounds, &what)?;
            }
        }
        Ok(())
    }
}
