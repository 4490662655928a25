//! The course of a run: counts, which need no clock; then the paper's size; then all the others.

use bignum::paper::counts::{self, Method, Size};

use super::super::bench::{Session, is_complete};
use super::super::report::Provenance;
use super::circuit;
use super::contest::{self, Contestant, Task};
use super::modular;
use super::paper;
use super::peers::{Flint, Gmp, Peers};
use super::study::{Contest, Counted, FlintBuild, Study};
use crate::arguments::PapersMultiplier;
use crate::control::Control;
use crate::error::{PapersError, internal};

/// Bits of the operands in the plot of time against size, as powers of two.
const SIZES: std::ops::RangeInclusive<u32> = 10..=26;
/// Rounds at the other sizes: `--quick` has as many at the paper's.
const FEW: usize = 5;

/// Measures all that the arguments ask for, or as much of it as there was time for.
pub(super) fn study(arguments: &PapersMultiplier, control: &Control) -> Result<Study, PapersError> {
    let provenance = Provenance::begin();
    let flint = Flint::load(arguments.flint.as_deref());
    if let (Some(path), None) = (&arguments.flint, &flint) {
        return Err(PapersError::Arguments {
            reason: format!(
                "{}: no FLINT that can be loaded and has a product of limbs",
                path.display()
            ),
        });
    }
    let gmp = Gmp::load();
    let mut run = Run {
        arguments,
        session: Session::new(arguments.output.quiet, control)?,
        threads: arguments.threads(),
        study: Study {
            provenance,
            gmp: gmp.as_ref().map(|gmp| gmp.version.clone()),
            flint: flint.as_ref().map(|flint| FlintBuild {
                version: flint.version.clone(),
                fft_small: flint.fft_small,
            }),
            counts: Vec::new(),
            contests: Vec::new(),
            sizes: Vec::new(),
            paper: paper::COMPUTERS,
            circuits: circuit::CIRCUITS,
        },
    };
    let peers = Peers {
        gmp: gmp.as_ref(),
        flint: flint.as_ref(),
    };
    let complete = is_complete(run.everything(peers));
    run.session.finish();
    run.study.provenance.end(complete?);
    Ok(run.study)
}

struct Run<'a> {
    arguments: &'a PapersMultiplier,
    session: Session<'a>,
    threads: Vec<usize>,
    study: Study,
}

impl Run<'_> {
    fn everything(&mut self, peers: Peers<'_>) -> Result<(), PapersError> {
        self.counts()?;
        let rounds = match self.arguments.quick {
            true => FEW,
            false => self.arguments.rounds.get(),
        };
        self.session.plan(3 * rounds as u64);
        for task in [Task::Product, Task::Square, Task::Residue] {
            let (contest, ended) = self.contest(peers, task, paper::BITS, rounds)?;
            self.study.contests.extend(contest);
            ended?;
        }
        // A step of four at each turn is enough for a first look, and so is less than the largest.
        let (step, most) = match self.arguments.quick {
            true => (4, 22),
            false => (1, *SIZES.end()),
        };
        let sizes: Vec<u32> = (*SIZES.start()..=most).step_by(step).collect();
        self.session.plan((sizes.len() * FEW.min(rounds)) as u64);
        for log in sizes {
            let rounds = FEW.min(rounds);
            let (contest, ended) = self.contest(peers, Task::Product, 1 << log, rounds)?;
            self.study.sizes.extend(contest);
            ended?;
        }
        Ok(())
    }

    /// Table I, and the same for smaller numbers.
    fn counts(&mut self) -> Result<(), PapersError> {
        let parts = Size::ALL.len() * Method::ALL.len();
        self.session.plan(parts as u64);
        for size in Size::ALL {
            for method in Method::ALL {
                let bits = size.bits();
                self.session
                    .begin(format!("instructions, {bits} bits: {}", method.name()))?;
                let counts = counts::count(method, size);
                self.study.counts.push(Counted::of(method, size, counts));
                self.session.reach(1);
            }
        }
        Ok(())
    }

    /// How everybody did, if anybody did, and how it ended.
    fn contest(
        &mut self,
        peers: Peers<'_>,
        task: Task,
        bits: usize,
        rounds: usize,
    ) -> Result<(Option<Contest>, Result<(), PapersError>), PapersError> {
        let limbs = bits / 64;
        let mut number = || -> Vec<u64> {
            let generator = &mut self.session.generator;
            (0..limbs).map(|_| generator.uniform()).collect()
        };
        let (a, b, mut modulus) = (number(), number(), number());
        let what = match task {
            Task::Product => format!("products of {bits} bits"),
            Task::Square => format!("squares of {bits} bits"),
            Task::Residue => format!("residues of {bits} bits"),
        };
        // The answer by an algorithm that none of the contestants takes at this size.
        self.session.begin(format!("{what}: the answer"))?;
        let mut expected = vec![0; 2 * limbs];
        let other = if task == Task::Square { &a } else { &b };
        reference(peers.gmp, &mut expected, &a, other)?;
        let mut contestants: Vec<Contestant<'_>>;
        if task == Task::Residue {
            modulus[0] |= 1;
            modulus[limbs - 1] |= 1 << 63;
            let mut rest = vec![0; limbs];
            remainder(peers.gmp, &mut rest, &expected, &modulus)?;
            expected = rest;
            contestants = modular::contestants(peers, &modulus, &self.threads)?;
        } else {
            contestants = contest::multipliers(peers, task, limbs, &self.threads)?;
        }
        let operands = contest::Operands {
            a: &a,
            b: &b,
            expected: &expected,
        };
        let (standings, ended) =
            contest::measure(&self.session, &what, &mut contestants, &operands, rounds);
        let contest = (!standings.is_empty()).then_some(Contest {
            task,
            bits,
            standings,
        });
        Ok((contest, ended))
    }
}

/// The right product: GMP's where it is, else that of the library's default, whose products are
/// checked.
fn reference(gmp: Option<&Gmp>, out: &mut [u64], a: &[u64], b: &[u64]) -> Result<(), PapersError> {
    match gmp {
        Some(gmp) => gmp.multiply(out, a, b),
        None => bignum::multiply(out, a, b).map_err(internal)?,
    }
    Ok(())
}

/// The right remainder, likewise.
fn remainder(gmp: Option<&Gmp>, out: &mut [u64], a: &[u64], d: &[u64]) -> Result<(), PapersError> {
    match gmp {
        Some(gmp) => gmp.divide(&mut vec![0; a.len() - d.len() + 1], out, a, d),
        None => bignum::divide(&mut vec![0; a.len()], out, a, d).map_err(internal)?,
    }
    Ok(())
}
