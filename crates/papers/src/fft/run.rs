//! The course of a run: gates first, then what takes long.

use std::num::NonZeroUsize;

use circuits::{Gates, Profile};
use tfhe::gate::GateParameters;
use tfhe::{Fft, Parameters};

use super::super::bench::{
    self, Bench, CheckedCircuit, Figure, GateKeys, LookupKeys, Session, Times, is_complete,
};
use super::super::report::Provenance;
use super::circuit::{self, WIDTH};
use super::paper;
use super::study::{GateSet, GateTimes, LookupSet, LookupTimes, Size, Study};
use crate::arguments::{PaperSet, PapersFft};
use crate::control::Control;
use crate::error::PapersError;

/// ANDs timed on each processor, and sums of the lookup engine, which are short.
const AND_ROUNDS: usize = 21;
const LOOKUP_ROUNDS: usize = 5;
/// With `--quick`.
const QUICK_AND_ROUNDS: usize = 5;
const QUICK_LOOKUP_ROUNDS: usize = 1;

/// Measures all that the arguments ask for, or as much of it as there was time for.
pub(super) fn study(arguments: &PapersFft, control: &Control) -> Result<Study, PapersError> {
    let mut run = Run {
        arguments,
        processors: processors(&arguments.fft),
        threads: arguments.threads,
        session: Session::new(arguments.output.quiet, control)?,
        measured: Vec::new(),
        lookup_sets: Vec::new(),
    };
    run.study()
}

/// The processors to compare: those asked for, each once, else all that the machine has.
fn processors(asked: &[Fft]) -> Vec<Fft> {
    if asked.is_empty() {
        return Fft::available();
    }
    let mut processors = Vec::new();
    for &fft in asked {
        if !processors.contains(&fft) {
            processors.push(fft);
        }
    }
    processors
}

struct Run<'a> {
    arguments: &'a PapersFft,
    processors: Vec<Fft>,
    threads: NonZeroUsize,
    session: Session<'a>,
    measured: Vec<Measured>,
    lookup_sets: Vec<LookupSet>,
}

/// A parameter set whose gates are measured, and its keys.
struct Measured {
    set: GateSet,
    keys: GateKeys,
}

impl Run<'_> {
    fn study(&mut self) -> Result<Study, PapersError> {
        let mut provenance = Provenance::begin();
        let short = is_complete(self.gates_and_lookups());
        self.session.finish();
        let mut complete = short?;
        let sums = self.sums()?;
        if complete {
            let run = is_complete(self.chosen_sums(&sums));
            self.session.finish();
            complete = run?;
        }
        provenance.end(complete);
        Ok(Study {
            provenance,
            threads: self.threads.get(),
            operands: self.arguments.operands,
            circuits: sums.into_iter().map(|(size, _)| size).collect(),
            gate_sets: self.measured.drain(..).map(|of| of.set).collect(),
            lookup_sets: std::mem::take(&mut self.lookup_sets),
            library: bench::tfhe_library(),
            paper: paper::PROCESSORS,
        })
    }

    /// Gates first, since they are short and say how long the sums will take.
    fn gates_and_lookups(&mut self) -> Result<(), PapersError> {
        let (gate_sets, lookup_sets) = self.sets();
        let parts = (gate_sets.len() + lookup_sets.len()) * self.processors.len();
        self.session.plan(parts as u64);
        gate_sets
            .into_iter()
            .try_for_each(|parameters| self.gates(parameters))?;
        lookup_sets
            .into_iter()
            .try_for_each(|parameters| self.lookups(parameters))
    }

    /// The sets of both engines, each once.
    fn sets(&self) -> (Vec<GateParameters>, Vec<Parameters>) {
        let (mut gates, mut lookups) = (Vec::new(), Vec::new());
        for set in &self.arguments.set {
            match set {
                PaperSet::Gates(set) if !gates.contains(set) => gates.push(*set),
                PaperSet::Lookups(set) if !lookups.contains(set) => lookups.push(*set),
                PaperSet::Gates(_) | PaperSet::Lookups(_) => {}
            }
        }
        (gates, lookups)
    }

    /// The AND on every processor.
    fn gates(&mut self, parameters: GateParameters) -> Result<(), PapersError> {
        let name = parameters.name();
        self.session.begin(format!("{name}: keys"))?;
        let keys = GateKeys::generate(parameters, &mut self.session.generator, self.threads)?;
        let rounds = match self.arguments.quick {
            true => QUICK_AND_ROUNDS,
            false => AND_ROUNDS,
        };
        let bits = (self.arguments.operands * WIDTH) as u64;
        let mut set = GateSet {
            name,
            dimension: parameters.lwe_dimension().get(),
            polynomial_size: parameters.polynomial_size().get(),
            levels: parameters.literal().bootstrap_levels,
            security_bits: parameters.promise().security_bits,
            log2_failure: parameters.promise().log2_failure,
            key_bytes: keys.server_bytes(),
            encrypted_bytes: bits * parameters.bytes_per_bit(),
            processors: Vec::with_capacity(self.processors.len()),
        };
        let measured = self.ands(&keys, rounds, &mut set);
        self.measured.push(Measured { set, keys });
        measured
    }

    fn ands(
        &mut self,
        keys: &GateKeys,
        rounds: usize,
        set: &mut GateSet,
    ) -> Result<(), PapersError> {
        for &fft in &self.processors {
            self.session
                .begin(format!("{} on {fft}: the AND gate", set.name))?;
            let bench = keys.bench(fft, self.threads)?;
            let control = self.session.control();
            let and = bench::and(&bench, rounds, &mut self.session.generator, control)?;
            set.processors.push(GateTimes {
                fft,
                and,
                sums: Vec::new(),
            });
            self.session.reach(1);
        }
        Ok(())
    }

    /// The whole sum by lookups on every processor.
    fn lookups(&mut self, parameters: Parameters) -> Result<(), PapersError> {
        let name = parameters.name();
        let operands = self.arguments.operands;
        self.session.begin(format!("{name}: keys"))?;
        let keys = LookupKeys::generate(parameters, &mut self.session.generator, self.threads)?;
        let mut set = LookupSet {
            name,
            dimension: parameters.lwe_dimension().get(),
            polynomial_size: parameters.polynomial_size().get(),
            security_bits: parameters.promise().security_bits,
            log2_failure: parameters.promise().log2_failure,
            key_bytes: keys.server_bytes()?,
            encrypted_bytes: keys.input_bytes(operands, &mut self.session.generator)?,
            lookups: 0,
            depth: 0,
            processors: Vec::with_capacity(self.processors.len()),
        };
        let measured = self.compressed(&keys, &mut set);
        self.lookup_sets.push(set);
        measured
    }

    fn compressed(&mut self, keys: &LookupKeys, set: &mut LookupSet) -> Result<(), PapersError> {
        let operands = self.arguments.operands;
        let rounds = match self.arguments.quick {
            true => QUICK_LOOKUP_ROUNDS,
            false => LOOKUP_ROUNDS,
        };
        for &fft in &self.processors {
            let what = format!("{} on {fft}: the sum of {operands} numbers", set.name);
            self.session.begin(&what)?;
            let bench = keys.bench(fft, self.threads)?;
            let sum = circuit::compressed(bench.engine().profile(), operands);
            sum.check("the sum by lookups", &mut self.session.generator)?;
            (set.lookups, set.depth) = (sum.size.bootstraps, sum.size.depth);
            // The first one brings the key into memory.
            self.session.time(&bench, &sum, self.threads, 1, &what, 0)?;
            let sum = self
                .session
                .time(&bench, &sum, self.threads, rounds, &what, 1)?;
            set.processors.push(LookupTimes { fft, sum });
        }
        Ok(())
    }

    /// Table 3: every sum computed from the gate.
    fn sums(&mut self) -> Result<Vec<(Size, CheckedCircuit)>, PapersError> {
        let mut blocks = self.arguments.blocks.clone();
        blocks.sort_unstable();
        blocks.dedup();
        // Plain gates: what the gate engine evaluates.
        let profile = Profile::gate_simulation();
        let mut sums = Vec::with_capacity(blocks.len());
        for block in blocks {
            let sum = circuit::chained(&profile, self.arguments.operands, block);
            sum.check("a chain of adders", &mut self.session.generator)?;
            let size = Size {
                block: block.get(),
                gates: sum.size.bootstraps,
                depth: sum.size.depth,
            };
            sums.push((size, sum));
        }
        let threads = self.threads.get();
        for times in self
            .measured
            .iter_mut()
            .flat_map(|of| &mut of.set.processors)
        {
            let and = times.and.median;
            let computed =
                |(size, _): &(Size, CheckedCircuit)| Figure::Computed(size.seconds(and, threads));
            times.sums = sums.iter().map(computed).collect();
        }
        Ok(sums)
    }

    /// Runs those that are asked for.
    fn chosen_sums(&mut self, sums: &[(Size, CheckedCircuit)]) -> Result<(), PapersError> {
        let rounds = self.arguments.rounds.get();
        let chosen: Vec<Vec<usize>> = self
            .measured
            .iter()
            .map(|of| self.chosen(&of.set))
            .collect();
        let planned: f64 = self
            .measured
            .iter()
            .zip(&chosen)
            .flat_map(|(of, chosen)| chosen.iter().map(|&at| &of.set.processors[at]))
            .flat_map(|times| times.sums.iter().map(Figure::seconds))
            .sum();
        self.session.plan(milliseconds(planned * rounds as f64));
        for (set, chosen) in chosen.into_iter().enumerate() {
            for at in chosen {
                self.run_sums(set, at, sums)?;
            }
        }
        Ok(())
    }

    /// The processors whose sums are run.
    fn chosen(&self, set: &GateSet) -> Vec<usize> {
        if self.arguments.quick {
            Vec::new()
        } else if self.arguments.whole {
            (0..set.processors.len()).collect()
        } else {
            set.fastest().into_iter().collect()
        }
    }

    /// Runs the sums of one set on one processor.
    fn run_sums(
        &mut self,
        set: usize,
        at: usize,
        sums: &[(Size, CheckedCircuit)],
    ) -> Result<(), PapersError> {
        let of = &mut self.measured[set];
        let times = &mut of.set.processors[at];
        let (name, fft) = (of.set.name, times.fft);
        self.session.begin(format!("{name} on {fft}: the key"))?;
        let bench = of.keys.bench(fft, self.threads)?;
        let rounds = self.arguments.rounds.get();
        for ((size, sum), figure) in sums.iter().zip(&mut times.sums) {
            let units = milliseconds(figure.seconds() * rounds as f64);
            let what = format!("{name} on {fft}: sum in blocks of {}", size.block);
            let times: Times =
                self.session
                    .time(&bench, sum, self.threads, rounds, &what, units)?;
            *figure = Figure::Measured(times);
        }
        Ok(())
    }
}

fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1e3).ceil() as u64
}
