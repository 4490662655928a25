//! The course of a run: gates first, since they are short and say how long the sums will take.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use circuits::{Gates, Pool, Profile};
use random::Generator;
use tfhe::gate::GateParameters;
use tfhe::{Fft, Parameters};

use super::super::super::internal;
use super::super::report::{Provenance, Waiting};
use super::circuit::{Sum, WIDTH};
use super::engines::{GateKeys, LookupKeys};
use super::measure::{self, Bench, Times};
use super::study::{Figure, GateSet, GateTimes, LookupSet, LookupTimes, Size, Study};
use super::{paper, records};
use crate::arguments::{PaperSet, PapersFft};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Steps;

/// ANDs timed on each processor, and sums of the lookup engine, which are short.
const AND_ROUNDS: usize = 21;
const LOOKUP_ROUNDS: usize = 5;
/// With `--quick`.
const QUICK_AND_ROUNDS: usize = 5;
const QUICK_LOOKUP_ROUNDS: usize = 1;

/// Measures all that the arguments ask for.
pub(super) fn study(arguments: &PapersFft, interrupt: &Interrupt) -> Result<Study, Failure> {
    let threads = arguments.threads;
    let mut run = Run {
        arguments,
        interrupt,
        processors: processors(&arguments.fft),
        threads,
        generator: Generator::from_entropy().map_err(internal)?,
        done: Vec::new(),
    };
    let study = run.study();
    study.map_err(|failure| match failure.code {
        Code::Interrupted => Failure::new(Code::Interrupted, run.reached()),
        _ => failure,
    })
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
    interrupt: &'a Interrupt,
    processors: Vec<Fft>,
    threads: NonZeroUsize,
    generator: Generator,
    /// What was measured so far, in words, for whoever interrupts.
    done: Vec<String>,
}

/// A parameter set whose gates are measured, and its keys.
struct Measured {
    set: GateSet,
    keys: GateKeys,
}

impl Run<'_> {
    fn study(&mut self) -> Result<Study, Failure> {
        let (provenance, waiting) = (Provenance::of_this_run(), Waiting::begin());
        let mut blocks = self.arguments.blocks.clone();
        blocks.sort_unstable();
        blocks.dedup();
        let (gate_sets, lookup_sets) = self.sets();
        let parts = (gate_sets.len() + lookup_sets.len()) * self.processors.len();
        let steps = Steps::new(self.arguments.quiet, parts as u64);
        let measured: Result<Vec<Measured>, Failure> = gate_sets
            .into_iter()
            .map(|parameters| self.gates(parameters, &steps))
            .collect();
        let mut measured = measured.inspect_err(|_| steps.finish())?;
        let lookup_sets: Result<Vec<LookupSet>, Failure> = lookup_sets
            .into_iter()
            .map(|parameters| self.lookups(parameters, &steps))
            .collect();
        steps.finish();
        let lookup_sets = lookup_sets?;

        let circuits = self.sums(&mut measured, &blocks)?;
        // Folders mean nothing on another machine.
        let arguments = std::env::args().skip(1).map(|argument| {
            let path = Path::new(&argument);
            match path.file_name() {
                Some(name) if path.is_absolute() => name.to_string_lossy().into_owned(),
                _ => argument,
            }
        });
        let arguments: Vec<String> = arguments.collect();
        Ok(Study {
            machine: provenance.machine,
            date: provenance.date,
            version: provenance.version,
            command: format!("blindcore {}", arguments.join(" ")),
            threads: self.threads.get(),
            waited: waiting.share(),
            operands: self.arguments.operands,
            circuits,
            gate_sets: measured.into_iter().map(|of| of.set).collect(),
            lookup_sets,
            library: records::tfhe_library(),
            paper: paper::PROCESSORS,
        })
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
    fn gates(&mut self, parameters: GateParameters, steps: &Steps) -> Result<Measured, Failure> {
        let name = parameters.name();
        steps.begin(format!("{name}: keys"));
        let keys = GateKeys::generate(parameters, &mut self.generator, self.threads)?;
        let rounds = match self.arguments.quick {
            true => QUICK_AND_ROUNDS,
            false => AND_ROUNDS,
        };
        let mut processors = Vec::with_capacity(self.processors.len());
        for &fft in &self.processors {
            self.interrupt.check()?;
            steps.begin(format!("{name} on {fft}: the AND gate"));
            let bench = keys.bench(fft, self.threads)?;
            let and = measure::and(&bench, rounds, &mut self.generator, self.interrupt)?;
            processors.push(GateTimes {
                fft,
                and,
                sums: Vec::new(),
            });
            self.done.push(format!("AND by {fft} with {name}"));
            steps.reach(1);
        }
        let bits = (self.arguments.operands * WIDTH) as u64;
        let set = GateSet {
            name,
            dimension: parameters.lwe_dimension().get(),
            polynomial_size: parameters.polynomial_size().get(),
            levels: parameters.literal().bootstrap_levels,
            security_bits: parameters.promise().security_bits,
            log2_failure: parameters.promise().log2_failure,
            key_bytes: keys.server_bytes(),
            encrypted_bytes: bits * parameters.bytes_per_bit(),
            processors,
        };
        Ok(Measured { set, keys })
    }

    /// The whole sum by lookups on every processor.
    fn lookups(&mut self, parameters: Parameters, steps: &Steps) -> Result<LookupSet, Failure> {
        let name = parameters.name();
        let operands = self.arguments.operands;
        steps.begin(format!("{name}: keys"));
        let keys = LookupKeys::generate(parameters, &mut self.generator, self.threads)?;
        let rounds = match self.arguments.quick {
            true => QUICK_LOOKUP_ROUNDS,
            false => LOOKUP_ROUNDS,
        };
        let (mut lookups, mut depth) = (0, 0);
        let mut processors = Vec::with_capacity(self.processors.len());
        for &fft in &self.processors {
            self.interrupt.check()?;
            steps.begin(format!("{name} on {fft}: the sum of {operands} numbers"));
            let bench = keys.bench(fft, self.threads)?;
            let sum = Sum::compressed(bench.engine().profile(), operands);
            sum.check(&mut self.generator)?;
            (lookups, depth) = (sum.gates, sum.depth);
            let pool = Pool::new(self.threads.get()).with_cancel(self.interrupt.cancel());
            // The first one brings the key into memory.
            measure::sum(&bench, &sum, &pool, &mut self.generator)?;
            let seconds: Result<Vec<f64>, Failure> = (0..rounds)
                .map(|_| measure::sum(&bench, &sum, &pool, &mut self.generator))
                .collect();
            let sum = Times::of(seconds?).ok_or_else(|| internal("no round was asked for"))?;
            processors.push(LookupTimes { fft, sum });
            self.done.push(format!("sum by lookups, {fft} with {name}"));
            steps.reach(1);
        }
        Ok(LookupSet {
            name,
            dimension: parameters.lwe_dimension().get(),
            polynomial_size: parameters.polynomial_size().get(),
            security_bits: parameters.promise().security_bits,
            log2_failure: parameters.promise().log2_failure,
            key_bytes: keys.server_bytes()?,
            encrypted_bytes: keys.input_bytes(operands, &mut self.generator)?,
            lookups,
            depth,
            processors,
        })
    }

    /// Table 3: every sum computed from the gate, and those that are asked for run.
    fn sums(
        &mut self,
        measured: &mut [Measured],
        blocks: &[NonZeroUsize],
    ) -> Result<Vec<Size>, Failure> {
        let threads = self.threads.get();
        // Plain gates: what the gate engine evaluates.
        let profile = Profile::gate_simulation();
        let sums: Vec<(Size, Sum)> = blocks
            .iter()
            .map(|&block| {
                let sum = Sum::chained(&profile, self.arguments.operands, block);
                let size = Size {
                    block: block.get(),
                    gates: sum.gates,
                    depth: sum.depth,
                };
                sum.check(&mut self.generator)?;
                Ok((size, sum))
            })
            .collect::<Result<_, Failure>>()?;
        for of in measured.iter_mut() {
            for times in &mut of.set.processors {
                let and = times.and.median;
                let computed =
                    |(size, _): &(Size, Sum)| Figure::Computed(size.seconds(and, threads));
                times.sums = sums.iter().map(computed).collect();
            }
        }
        let rounds = self.arguments.rounds.get();
        let chosen: Vec<Vec<usize>> = measured.iter().map(|of| self.chosen(&of.set)).collect();
        let planned: f64 = measured
            .iter()
            .zip(&chosen)
            .flat_map(|(of, chosen)| chosen.iter().map(|&at| &of.set.processors[at]))
            .flat_map(|times| times.sums.iter().map(Figure::seconds))
            .sum();
        let steps = Arc::new(Steps::new(
            self.arguments.quiet,
            milliseconds(planned * rounds as f64),
        ));
        let done = measured
            .iter_mut()
            .zip(chosen)
            .try_for_each(|(of, chosen)| {
                chosen
                    .into_iter()
                    .try_for_each(|at| self.run_sums(of, at, &sums, &steps))
            });
        steps.finish();
        done?;
        Ok(sums.into_iter().map(|(size, _)| size).collect())
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
        of: &mut Measured,
        at: usize,
        sums: &[(Size, Sum)],
        steps: &Arc<Steps>,
    ) -> Result<(), Failure> {
        let times = &mut of.set.processors[at];
        let (name, fft) = (of.set.name, times.fft);
        steps.begin(format!("{name} on {fft}: the key"));
        let bench = of.keys.bench(fft, self.threads)?;
        for ((size, sum), figure) in sums.iter().zip(&mut times.sums) {
            let part = milliseconds(figure.seconds());
            let mut seconds = Vec::new();
            for _ in 0..self.arguments.rounds.get() {
                self.interrupt.check()?;
                steps.begin(format!("{name} on {fft}: sum in blocks of {}", size.block));
                let observer = Arc::clone(steps);
                let pool = Pool::new(self.threads.get())
                    .with_cancel(self.interrupt.cancel())
                    .with_progress(move |progress| {
                        let share = progress.done as f64 / progress.total as f64;
                        observer.reach((share * part as f64) as u64);
                    });
                seconds.push(measure::sum(&bench, sum, &pool, &mut self.generator)?);
                steps.reach(part);
            }
            self.done.push(format!(
                "sum in blocks of {} by {fft} with {name}",
                size.block
            ));
            if let Some(times) = Times::of(seconds) {
                *figure = Figure::Measured(times);
            }
        }
        Ok(())
    }

    /// How far the run came.
    fn reached(&self) -> String {
        let last = self.done.last().map_or_else(
            || "before anything was measured".to_owned(),
            |last| {
                format!(
                    "after {} measurements, the last one {last}",
                    self.done.len()
                )
            },
        );
        format!("interrupted {last}; no report was written")
    }
}

fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1e3).ceil() as u64
}
