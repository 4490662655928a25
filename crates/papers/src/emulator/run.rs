//! The course of a run: keys, the times of batches, everything simulated, then measured, short
//! things first. Whatever is interrupted leaves the simulated figure in its place.

use std::num::NonZeroUsize;

use circuits::{Gates as _, Profile};
use tfhe::gate::GateParameters;
use tfhe::{Fft, Parameters};

use super::super::bench::{
    Bench, CheckedCircuit, GateKeys, LookupKeys, Outcome, Session, Set, is_complete, on,
};
use super::super::report::Provenance;
use super::paper::{COMPARISON, CORES, FIGURES, Function, Kind, STAGES, UNITS, WIDTHS};
use super::study::{Engine, Entry, Item, Study};
use super::units;
use crate::arguments::PapersEmulator;
use crate::control::Control;
use crate::error::PapersError;

/// Cores of the curves: the paper's bars are at odd numbers.
const CURVE: [usize; 11] = [1, 2, 3, 5, 7, 11, 15, 23, 31, 47, 48];
/// How often each circuit is run, but for those that take longer than [`SHORT`].
const ROUNDS: usize = 3;
/// Seconds.
const SHORT: f64 = 1.5;
/// Units that are run on gates with `--quick`, at 16 bits.
const QUICK: [Function; 4] = [
    Function::Addition,
    Function::ShiftLeft,
    Function::And,
    Function::Flags,
];
/// Units of this many gates are run at 32 bits with `--whole` only: a minute each.
const LONG: [Function; 3] = [
    Function::Multiplication,
    Function::MultiplicationSigned,
    Function::Division,
];

/// Measures and simulates all that the arguments ask for.
pub(super) fn study(arguments: &PapersEmulator, control: &Control) -> Result<Study, PapersError> {
    let mut provenance = Provenance::begin();
    let mut run = Run {
        arguments,
        session: Session::new(arguments.output.quiet, control)?,
        threads: arguments.threads(),
        entries: Vec::new(),
    };
    let complete = is_complete(run.everything());
    run.session.finish();
    provenance.end(complete?);
    Ok(Study {
        provenance,
        threads: run.threads,
        gates: Set::gates(&arguments.gate_set),
        lookups: Set::lookups(&arguments.lookup_set),
        entries: run.entries,
        paper: &UNITS,
        paper_comparison: &COMPARISON,
        figures: &FIGURES,
    })
}

struct Run<'a> {
    arguments: &'a PapersEmulator,
    session: Session<'a>,
    threads: Vec<usize>,
    entries: Vec<Entry>,
}

/// What is built for one engine.
fn checked(engine: Engine, item: Item, profile: &Profile) -> Option<CheckedCircuit> {
    let design = match item.part {
        None => units::unit(item.function, item.width),
        Some(part) => units::part(item.function, part, item.width)?,
    };
    Some(match engine {
        Engine::Lookups => design.checked(profile),
        Engine::Gates => {
            let mut profile = profile.clone();
            profile.architectures = units::drawn();
            design.checked(&profile)
        }
    })
}

/// Every unit of every width, and with gates every part of one.
fn items(engine: Engine) -> Vec<Item> {
    let units = UNITS
        .iter()
        .flat_map(|of| WIDTHS.map(|width| Item::unit(of.function, width)));
    let mut items: Vec<Item> = units.collect();
    if engine == Engine::Gates {
        items.extend(STAGES.iter().flat_map(|stages| {
            stages.parts.iter().map(|&(part, _)| Item {
                function: stages.function,
                part: Some(part),
                width: stages.width,
            })
        }));
    }
    items
}

impl Run<'_> {
    fn everything(&mut self) -> Result<(), PapersError> {
        let most = self.threads.iter().copied().max().unwrap_or(1);
        let threads = NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN);
        let fft = self.arguments.fft.unwrap_or_else(Fft::detect);
        self.session.plan(6);
        let parameters: Parameters = self.arguments.lookup_set;
        self.session.begin(format!("{}: keys", parameters.name()))?;
        let keys = LookupKeys::generate(parameters, &mut self.session.generator, threads)?;
        self.session.reach(1);
        self.session
            .begin(format!("{}: times of batches", parameters.name()))?;
        let lookups = keys.bench(fft, threads)?.calibrated(most)?;
        self.session.reach(1);
        self.session.begin("simulated: lookups")?;
        self.simulate(Engine::Lookups, lookups.engine().profile())?;
        self.session.reach(1);
        let parameters: GateParameters = self.arguments.gate_set;
        self.session.begin(format!("{}: keys", parameters.name()))?;
        let keys = GateKeys::generate(parameters, &mut self.session.generator, threads)?;
        self.session.reach(1);
        self.session
            .begin(format!("{}: times of batches", parameters.name()))?;
        let gates = keys.bench(fft, threads)?.calibrated(most)?;
        self.session.reach(1);
        self.session.begin("simulated: gates")?;
        self.simulate(Engine::Gates, gates.engine().profile())?;
        self.session.reach(1);

        self.session.plan(self.planned());
        self.measure(Engine::Lookups, &lookups)?;
        self.measure(Engine::Gates, &gates)
    }

    /// Everything on every number of workers, by the replay.
    fn simulate(&mut self, engine: Engine, profile: &Profile) -> Result<(), PapersError> {
        for item in items(engine) {
            self.session.control().check()?;
            let curve = FIGURES.iter().any(|plot| plot.function == item.function)
                && item == Item::unit(item.function, WIDTHS[0]);
            let mut workers = match curve {
                true => CURVE.to_vec(),
                false => vec![CORES],
            };
            workers.extend(&self.threads);
            workers.sort_unstable();
            workers.dedup();
            for workers in workers {
                let profile = on(profile, workers);
                let Some(checked) = checked(engine, item, &profile) else {
                    continue;
                };
                if workers == 1 {
                    let name = format!("{:?} of {} bits", item.function, item.width);
                    checked.check(&name, &mut self.session.generator)?;
                }
                self.entries.push(Entry {
                    engine,
                    item,
                    outcome: Outcome::simulated(&checked, &profile, workers),
                });
            }
        }
        Ok(())
    }

    /// Whether this is run, not only simulated.
    fn chosen(&self, entry: &Entry) -> bool {
        let Item {
            function,
            part,
            width,
        } = entry.item;
        let gates = entry.engine == Engine::Gates;
        let long = width > WIDTHS[0] && LONG.contains(&function);
        self.threads.contains(&entry.outcome.workers)
            && match gates {
                false => true,
                true if self.arguments.quick => {
                    width == WIDTHS[0] && part.is_none() && QUICK.contains(&function)
                }
                true => self.arguments.whole || !long,
            }
    }

    fn planned(&self) -> u64 {
        let chosen = self.entries.iter().filter(|entry| self.chosen(entry));
        let units = chosen.map(|entry| entry.outcome.units(rounds(&entry.outcome)));
        units.sum()
    }

    /// Runs what is chosen, short circuits first.
    fn measure<B: Bench>(&mut self, engine: Engine, bench: &B) -> Result<(), PapersError> {
        let of = |entry: &Entry| entry.engine == engine && self.chosen(entry);
        let mut order: Vec<usize> = (0..self.entries.len())
            .filter(|&at| of(&self.entries[at]))
            .collect();
        let predicted = |&at: &usize| self.entries[at].outcome.predicted;
        order.sort_by(|a, b| predicted(a).total_cmp(&predicted(b)));
        for at in order {
            let mut entry = self.entries[at];
            let profile = on(bench.engine().profile(), entry.outcome.workers);
            let Some(checked) = checked(engine, entry.item, &profile) else {
                continue;
            };
            let what = format!("{}: {}", bench.name(), name(entry.item));
            let rounds = rounds(&entry.outcome);
            entry
                .outcome
                .measure(&mut self.session, bench, &checked, rounds, &what)?;
            self.entries[at] = entry;
        }
        Ok(())
    }
}

fn rounds(outcome: &Outcome) -> usize {
    match outcome.predicted < SHORT {
        true => ROUNDS,
        false => 1,
    }
}

/// In words.
pub(super) fn name(item: Item) -> String {
    let function = item.function.unit().map_or("", |unit| unit.name);
    match item.part {
        None => format!("{function}, {} bits", item.width),
        Some(part) => format!("{function}, {} bits: {part}", item.width),
    }
}

/// Whether a unit has gates at all.
pub(super) fn has_gates(function: Function) -> bool {
    function
        .unit()
        .is_some_and(|unit| unit.kind != Kind::Movement)
}
