//! The course of a run: everything is simulated on both engines, then run, the library's own
//! choices first. What was not run keeps its simulated figure.

use std::num::NonZeroUsize;

use circuits::library::catalogue::{Unit, catalogue};
use circuits::{Gates as _, Profile};
use serde::Serialize;
use tfhe::Fft;

use crate::arguments::Circuits;
use crate::bench::{
    Bench, CheckedCircuit, GateKeys, LookupKeys, Outcome, Session, Set, is_complete, on,
};
use crate::control::Control;
use crate::error::PapersError;
use crate::report::Provenance;

/// How often a circuit of lookups is run: the shortest time counts little for one of milliseconds.
const ROUNDS: usize = 3;

/// Everything that one run found out.
#[derive(Debug, Serialize)]
pub(super) struct Study {
    #[serde(flatten)]
    pub(super) provenance: Provenance,
    pub(super) width: usize,
    pub(super) cores: Vec<usize>,
    pub(super) lookups: Set,
    pub(super) gates: Set,
    pub(super) rows: Vec<Row>,
}

/// A unit in one architecture.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) family: String,
    pub(super) operation: &'static str,
    pub(super) architecture: String,
    pub(super) is_default: bool,
    pub(super) source: &'static str,
    /// On each number of cores.
    pub(super) lookups: Vec<Outcome>,
    /// On one core.
    pub(super) gates: Option<Outcome>,
    /// Lookups and selectors on one core, of what the library chooses.
    pub(super) selectors: Option<Outcome>,
}

impl Row {
    /// Lookups on `cores` cores.
    pub(super) fn on(&self, cores: usize) -> Option<&Outcome> {
        self.lookups.iter().find(|of| of.workers == cores)
    }
}

/// Measures all that the arguments ask for.
pub(super) fn study(arguments: &Circuits, control: &Control) -> Result<Study, PapersError> {
    let mut provenance = Provenance::begin();
    let mut units = catalogue();
    if let Some(family) = arguments.family {
        units.retain(|unit| unit.family == family);
    }
    let rows = units.iter().map(|unit| Row {
        family: unit.family.to_string(),
        operation: unit.operation,
        architecture: unit.architecture.clone(),
        is_default: unit.is_default(),
        source: unit.source,
        lookups: Vec::new(),
        gates: None,
        selectors: None,
    });
    let mut run = Run {
        arguments,
        session: Session::new(arguments.output.quiet, control)?,
        cores: arguments.cores(),
        machine: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        rows: rows.collect(),
        units,
    };
    let complete = is_complete(run.everything());
    run.session.finish();
    provenance.end(complete?);
    Ok(Study {
        provenance,
        width: arguments.width,
        cores: run.cores,
        lookups: Set::lookups(&arguments.set),
        gates: Set::gates(&arguments.gate_set),
        rows: run.rows,
    })
}

struct Run<'a> {
    arguments: &'a Circuits,
    session: Session<'a>,
    cores: Vec<usize>,
    machine: usize,
    units: Vec<Unit>,
    rows: Vec<Row>,
}

impl Run<'_> {
    fn everything(&mut self) -> Result<(), PapersError> {
        let measured = self.cores.iter().copied().filter(|&of| of <= self.machine);
        let most = measured.max().unwrap_or(1);
        let threads = NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN);
        let fft = self.arguments.fft.unwrap_or_else(Fft::detect);
        let (lookup_set, gate_set) = (self.arguments.set, self.arguments.gate_set);
        let asked = u64::from(self.arguments.selectors);
        let units = self.units.len() as u64;
        self.session.plan(4 + 2 * units + asked * (1 + units));
        self.session.begin(format!("{}: keys", lookup_set.name()))?;
        let keys = LookupKeys::generate(lookup_set, &mut self.session.generator, threads)?;
        self.session.reach(1);
        self.session
            .begin(format!("{}: times of batches", lookup_set.name()))?;
        let lookups = keys.bench(fft, threads)?.calibrated(most)?;
        self.session.reach(1);
        self.simulate_lookups(lookups.engine().profile())?;
        self.session.begin(format!("{}: keys", gate_set.name()))?;
        let keys = GateKeys::generate(gate_set, &mut self.session.generator, threads)?;
        self.session.reach(1);
        self.session
            .begin(format!("{}: times of batches", gate_set.name()))?;
        let gates = keys.bench(fft, threads)?.calibrated(1)?;
        self.session.reach(1);
        self.simulate_gates(gates.engine().profile())?;
        let mut selectors = None;
        if self.arguments.selectors {
            self.session
                .begin(format!("{}: selector key", lookup_set.name()))?;
            let bench = lookups.with_selectors(&mut self.session.generator, threads)?;
            self.session.reach(1);
            self.simulate_selectors(bench.engine().profile())?;
            selectors = Some(bench);
        }

        self.session.plan(self.planned());
        self.run_lookups(&lookups)?;
        if let Some(bench) = &selectors {
            self.run_selectors(bench)?;
        }
        if self.arguments.gates {
            self.run_gates(&gates)?;
        }
        Ok(())
    }

    fn simulate_lookups(&mut self, profile: &Profile) -> Result<(), PapersError> {
        for (unit, row) in self.units.iter().zip(&mut self.rows) {
            self.session.begin(format!("simulated: {}", unit.name()))?;
            for &cores in &self.cores {
                let profile = on(profile, cores);
                let checked = CheckedCircuit::of_unit(unit, &profile, self.arguments.width);
                checked.check(&unit.name(), &mut self.session.generator)?;
                row.lookups
                    .push(Outcome::simulated(&checked, &profile, cores));
            }
            self.session.reach(1);
        }
        Ok(())
    }

    fn simulate_gates(&mut self, profile: &Profile) -> Result<(), PapersError> {
        let profile = on(profile, 1);
        for (unit, row) in self.units.iter().zip(&mut self.rows) {
            self.session.begin(format!("gates of {}", unit.name()))?;
            let checked = CheckedCircuit::of_unit(unit, &profile, self.arguments.width);
            checked.check(&unit.name(), &mut self.session.generator)?;
            row.gates = Some(Outcome::simulated(&checked, &profile, 1));
            self.session.reach(1);
        }
        Ok(())
    }

    fn simulate_selectors(&mut self, profile: &Profile) -> Result<(), PapersError> {
        let profile = on(profile, 1);
        for (unit, row) in self.units.iter().zip(&mut self.rows) {
            self.session
                .begin(format!("selectors of {}", unit.name()))?;
            if row.is_default {
                let checked = CheckedCircuit::of_unit(unit, &profile, self.arguments.width);
                checked.check(&unit.name(), &mut self.session.generator)?;
                row.selectors = Some(Outcome::simulated(&checked, &profile, 1));
            }
            self.session.reach(1);
        }
        Ok(())
    }

    /// Whether lookups are run, not only simulated.
    fn chosen(&self, row: &Row, cores: usize) -> bool {
        cores <= self.machine && (row.is_default || !self.arguments.quick)
    }

    /// Rows in the order in which they are run: what the library chooses comes first.
    fn order(&self) -> Vec<usize> {
        let (defaults, others): (Vec<usize>, Vec<usize>) =
            (0..self.rows.len()).partition(|&at| self.rows[at].is_default);
        [defaults, others].concat()
    }

    fn planned(&self) -> u64 {
        let mut planned = 0;
        for row in &self.rows {
            let run = row.lookups.iter();
            let run = run.filter(|outcome| self.chosen(row, outcome.workers));
            planned += run.map(|outcome| outcome.units(ROUNDS)).sum::<u64>();
            if let (Some(gates), true) = (&row.gates, self.arguments.gates) {
                planned += gates.units(1);
            }
            planned += row.selectors.map_or(0, |outcome| outcome.units(ROUNDS));
        }
        planned
    }

    fn run_lookups<B: Bench>(&mut self, bench: &B) -> Result<(), PapersError> {
        for at in self.order() {
            let unit = &self.units[at];
            let what = format!("{}: {}", bench.name(), unit.name());
            for number in 0..self.rows[at].lookups.len() {
                let mut outcome = self.rows[at].lookups[number];
                if !self.chosen(&self.rows[at], outcome.workers) {
                    continue;
                }
                let profile = on(bench.engine().profile(), outcome.workers);
                let checked = CheckedCircuit::of_unit(unit, &profile, self.arguments.width);
                outcome.measure(&mut self.session, bench, &checked, ROUNDS, &what)?;
                self.rows[at].lookups[number] = outcome;
            }
        }
        Ok(())
    }

    fn run_gates<B: Bench>(&mut self, bench: &B) -> Result<(), PapersError> {
        for at in self.order() {
            if let Some(outcome) = self.rows[at].gates {
                self.rows[at].gates = Some(self.on_one_core(bench, at, outcome, 1)?);
            }
        }
        Ok(())
    }

    fn run_selectors<B: Bench>(&mut self, bench: &B) -> Result<(), PapersError> {
        for at in self.order() {
            if let Some(outcome) = self.rows[at].selectors {
                self.rows[at].selectors = Some(self.on_one_core(bench, at, outcome, ROUNDS)?);
            }
        }
        Ok(())
    }

    /// What a unit takes on one core.
    fn on_one_core<B: Bench>(
        &mut self,
        bench: &B,
        at: usize,
        mut outcome: Outcome,
        rounds: usize,
    ) -> Result<Outcome, PapersError> {
        let unit = &self.units[at];
        let what = format!("{}: {}", bench.name(), unit.name());
        let profile = on(bench.engine().profile(), 1);
        let checked = CheckedCircuit::of_unit(unit, &profile, self.arguments.width);
        outcome.measure(&mut self.session, bench, &checked, rounds, &what)?;
        Ok(outcome)
    }
}
