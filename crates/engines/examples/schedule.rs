//! Is the replay to be believed? Runs units of the library for real on one thread and on several,
//! on both engines, checks the answers, and prints the predicted and the measured time of each,
//! their ratio, the speedup and the efficiency. The circuits are those for the threads that are
//! asked for; runs are interleaved, and the fastest of each counts, for nothing but other work on
//! the machine makes a run slower than another.
//!
//! `cargo run --release -p blindcore-engines --example schedule [lookup|gate|all [THREADS [ROUNDS
//! [UNIT]]]]`
//!
//! Fails if an answer is wrong, and says how many ratios are off by more than a tenth.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a check: it stops where it fails"
)]

use std::sync::Arc;
use std::time::Duration;

use blindcore_engines::tfhe_gate::{self, TfheGate};
use blindcore_engines::tfhe_lookup::{self, TfheLookup};
use circuits::exec::{Trial, replay, trial};
use circuits::library::catalogue::catalogue;
use circuits::{Builder, Circuit, Gates, Pool, Profile, Timing, passes, sim};
use random::Generator;
use tfhe::gate::{GATE_UNIFORM_128_PFAIL_2M64, GateSecretKey, GateServerKey, SeededGateServerKey};
use tfhe::{P16, SecretKey, SeededServerKey, ServerKey};

/// Units of the catalogue and the widths at which they run; the gate engine takes the first few.
const UNITS: [(&str, &[usize], bool); 10] = [
    ("add", &[16, 32], true),
    ("and", &[16, 32], true),
    ("xor", &[16, 32], true),
    ("select", &[16, 32], true),
    ("less_than_unsigned", &[16, 32], true),
    ("compare_flags", &[16, 32], true),
    ("shift_left", &[16, 32], true),
    ("rotate_right", &[16, 32], false),
    ("multiply", &[16, 32], false),
    ("quotient_unsigned", &[16, 32], false),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let engine = arguments.first().map_or("all", String::as_str);
    let number = |at: usize| {
        arguments
            .get(at)
            .and_then(|text| text.parse::<usize>().ok())
    };
    let (threads, rounds) = (number(1).unwrap_or(2).max(1), number(2).unwrap_or(3).max(1));
    let unit = arguments.get(3).map_or("", String::as_str);
    let mut generator = Generator::from_key([4; 32]);
    if engine != "gate" {
        let secret = SecretKey::generate(P16, &mut generator).unwrap();
        let seeded = SeededServerKey::generate(&secret, &mut generator, threads, &|_, _| {});
        let key = ServerKey::expand(&seeded.unwrap(), threads, &|_, _| {}).unwrap();
        let profile = tfhe_lookup::profile(&P16).with_cores(threads);
        let engine = TfheLookup::new(Arc::new(key), profile);
        check(Experiment {
            measure: &|engine: &TfheLookup| {
                let mut profile = engine.profile().clone();
                profile.set_timing(engine.timing(threads).unwrap());
                TfheLookup::new(Arc::clone(engine.key()), profile)
            },
            engine,
            encrypt: &mut |bits| secret.encrypt(bits, &mut generator).unpack(),
            decrypt: &|bit| secret.decrypt(bit).unwrap(),
            all: true,
            threads,
            rounds,
            unit,
        });
    }
    if engine != "lookup" {
        let secret = GateSecretKey::generate(GATE_UNIFORM_128_PFAIL_2M64, &mut generator).unwrap();
        let seeded = SeededGateServerKey::generate(&secret, &mut generator, threads, &|_, _| {});
        let key = GateServerKey::expand(&seeded.unwrap(), threads, &|_, _| {}).unwrap();
        let profile = tfhe_gate::profile(&GATE_UNIFORM_128_PFAIL_2M64).with_cores(threads);
        let engine = TfheGate::new(Arc::new(key), profile);
        check(Experiment {
            measure: &|engine: &TfheGate| {
                let mut profile = engine.profile().clone();
                engine.calibrate(threads).unwrap().apply(&mut profile);
                TfheGate::new(Arc::clone(engine.key()), profile)
            },
            engine,
            encrypt: &mut |bits| secret.encrypt(bits, &mut generator),
            decrypt: &|bit| secret.decrypt(bit).unwrap(),
            all: false,
            threads,
            rounds,
            unit,
        });
    }
}

struct Experiment<'a, G: Gates> {
    engine: G,
    measure: &'a dyn Fn(&G) -> G,
    encrypt: &'a mut dyn FnMut(&[bool]) -> Vec<G::Bit>,
    decrypt: &'a dyn Fn(&G::Bit) -> bool,
    all: bool,
    threads: usize,
    rounds: usize,
    /// Part of the names of the units to run.
    unit: &'a str,
}

fn check<G: Gates>(mut experiment: Experiment<'_, G>) {
    experiment.engine = (experiment.measure)(&experiment.engine);
    let profile = experiment.engine.profile().clone();
    let circuits = circuits(&profile, experiment.all);
    let unit = experiment.unit;
    let circuits = circuits.into_iter().filter(|(name, _)| name.contains(unit));
    let runs: Vec<_> = circuits
        .map(|(name, circuit)| {
            let times = experiment.times(&circuit);
            (name, circuit, times)
        })
        .collect();
    // Before and after the runs, since the machine's other work comes and goes; the faster counts,
    // as it does of the runs.
    let after = (experiment.measure)(&experiment.engine).profile().clone();
    let profile = faster(profile, after);
    println!("\n{}: milliseconds of a batch", profile.name);
    for (busy, row) in profile.timing.iter().flat_map(|t| t.rows()).enumerate() {
        let row: Vec<String> = row
            .iter()
            .map(|time| format!("{:.2}", time / 1e6))
            .collect();
        println!("{} busy    {}", busy + 1, row.join("  "));
    }
    println!(
        "\n{:24}{:>9}{:>6}{:>32}{:>32}{:>17}{:>17}",
        "",
        "",
        "",
        "one thread",
        format!("{} threads", experiment.threads),
        "speedup",
        "efficiency",
    );
    let trials = ["predicted", "measured", "ratio"].map(|word| format!("{word:>11}"));
    let trials = trials.concat().trim_start().to_owned();
    let pair = format!("{:>8}{:>9}", "model", "real");
    println!(
        "{:24}{:>9}{:>6}{trials:>32}{trials:>32}{pair}{pair}",
        "", "rotations", "batch"
    );
    let (mut off, mut count) = (0, 0);
    for (name, circuit, times) in runs {
        let [one, many] =
            [(1, times[0]), (experiment.threads, times[1])].map(|(threads, measured)| {
                let predicted = replay(&circuit, &profile, threads);
                Trial {
                    predicted,
                    measured,
                }
            });
        let part = |trial: &Trial| {
            format!(
                "{:>10.0}{:>11.0}{:>11.3}",
                trial.predicted.time / 1e6,
                trial.measured.as_secs_f64() * 1e3,
                trial.ratio()
            )
        };
        let speedup = one.measured.as_secs_f64() / many.measured.as_secs_f64();
        println!(
            "{name:24}{:>9}{:>6.1}{}{}{:>8.2}{speedup:>9.2}{:>8.2}{:>9.2}",
            many.predicted.rotations,
            many.predicted.mean_batch(),
            part(&one),
            part(&many),
            many.predicted.speedup(),
            many.predicted.efficiency(),
            speedup / experiment.threads as f64,
        );
        count += 2;
        let far = |trial: &&Trial| (trial.ratio() - 1.0).abs() > 0.1;
        off += [one, many].iter().filter(far).count();
    }
    println!("{off} of {count} ratios are off by more than a tenth");
}

/// A profile with the lesser of both times.
fn faster(mut profile: Profile, other: Profile) -> Profile {
    let rows = profile.timing.iter().zip(&other.timing).flat_map(|(a, b)| {
        let rows = a.rows().iter().zip(b.rows());
        rows.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.min(*b)).collect())
    });
    let timing = Timing::new(rows.collect());
    let mux = profile.cost.mux.min(other.cost.mux);
    if let Some(timing) = timing {
        profile.set_timing(timing);
    }
    if profile.lookup.is_none() {
        profile.cost.mux = mux;
    }
    profile
}

impl<G: Gates> Experiment<'_, G> {
    /// The fastest run on one thread and on several, of interleaved ones whose answers are right.
    fn times(&mut self, circuit: &Circuit) -> [Duration; 2] {
        let mut state = 1u64;
        let bits: Vec<bool> = (0..circuit.inputs())
            .map(|_| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                state >> 60 & 1 == 1
            })
            .collect();
        let clear: Vec<u64> = bits.iter().map(|&bit| u64::from(bit)).collect();
        let expected = sim::evaluate(circuit, &clear).unwrap();
        let inputs: Vec<_> = (self.encrypt)(&bits).into_iter().map(Arc::new).collect();
        let mut trials = [Vec::new(), Vec::new()];
        for _ in 0..self.rounds {
            for (threads, trials) in [1, self.threads].into_iter().zip(&mut trials) {
                let (outputs, trial) =
                    trial(&self.engine, circuit, &inputs, &Pool::new(threads)).unwrap();
                for (output, expected) in outputs.iter().zip(&expected) {
                    assert_eq!((self.decrypt)(output), expected & 1 == 1, "a wrong answer");
                }
                trials.push(trial.measured);
            }
        }
        trials.map(|trials| trials.into_iter().min().unwrap_or_default())
    }
}

/// What is run, prepared for the profile.
fn circuits(profile: &Profile, all: bool) -> Vec<(String, Circuit)> {
    let catalogue = catalogue();
    let mut circuits = Vec::new();
    for (name, widths, small) in UNITS {
        let unit = catalogue.iter().find(|unit| unit.name() == name);
        let unit = unit.unwrap_or_else(|| panic!("the catalogue has no {name}"));
        for &width in widths {
            if all || small {
                let circuit = unit.draw(profile, width).circuit;
                circuits.push((format!("{name} {width}"), circuit));
            }
        }
    }
    circuits.push(("256 gates".to_owned(), layer(profile, 256)));
    circuits.push(("random, 400 gates".to_owned(), arbitrary(profile, 400)));
    circuits
        .into_iter()
        .map(|(name, circuit)| (name, passes::prepare(&circuit, profile)))
        .collect()
}

/// Independent ANDs.
fn layer(profile: &Profile, count: usize) -> Circuit {
    let mut b = Builder::new(profile);
    for _ in 0..count {
        let (x, y) = (b.input(), b.input());
        let both = b.and(x, y);
        b.output(both);
    }
    b.finish()
}

/// Gates on earlier bits, mostly late ones, so that there are long paths and wide places.
fn arbitrary(profile: &Profile, count: usize) -> Circuit {
    let mut b = Builder::new(profile);
    let mut wires = b.inputs(32);
    let mut state = 7u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as usize % bound
    };
    for number in 0..count {
        let last = wires.len() - 1;
        let [x, y, s] = [0; 3].map(|_| wires[last - below(32)]);
        let gate = match number % 3 {
            0 => b.and(x, y),
            1 => b.xor(x, y),
            _ => b.mux(s, x, y),
        };
        wires.push(gate);
    }
    for &wire in &wires[wires.len() - 32..] {
        b.output(wire);
    }
    b.finish()
}
