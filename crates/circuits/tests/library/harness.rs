//! Building a unit, running it in lanes, counting what it costs.

use blindcore_circuits::library::Word;
use blindcore_circuits::library::catalogue::Unit;
use blindcore_circuits::{Builder, Circuit, Op, Profile, Wire, sim};

/// A word's value.
pub(crate) type Value = u128;

/// A mask of clear bits and their values.
pub(crate) type Clear = (Value, Value);

/// A unit as a circuit, some bits of its operands clear.
pub(crate) struct Built {
    pub(crate) circuit: Circuit,
    results: Vec<usize>,
    clear: Vec<Clear>,
    widths: Vec<usize>,
}

/// Circuits of a unit, and its definition as their oracle.
pub(crate) trait Tested {
    /// With operands that are wholly secret.
    fn fresh(&self, profile: &Profile, n: usize) -> Built;

    /// With clear bits: a mask of them and their values, for each operand.
    fn partly_clear(&self, profile: &Profile, n: usize, clear: &[Clear]) -> Built;

    /// Compares with the definition, 64 assignments at a time; clear bits override the cases'.
    fn check(&self, built: &Built, n: usize, cases: &[Vec<Value>]);
}

impl Tested for Unit {
    fn fresh(&self, profile: &Profile, n: usize) -> Built {
        let clear = vec![(0, 0); (self.operands)(n).len()];
        self.partly_clear(profile, n, &clear)
    }

    fn partly_clear(&self, profile: &Profile, n: usize, clear: &[Clear]) -> Built {
        let mut b = Builder::new(profile);
        let widths = (self.operands)(n);
        let words: Vec<Word> = widths
            .iter()
            .zip(clear)
            .map(|(&width, &(mask, value))| {
                let bit = |at: usize| match mask >> at & 1 {
                    0 => b.input(),
                    _ => Wire::constant(value >> at & 1 == 1),
                };
                (0..width).map(bit).collect()
            })
            .collect();
        let results = self.build(&mut b, &words);
        for &wire in results.iter().flatten() {
            b.output(wire);
        }
        Built {
            circuit: b.finish(),
            results: results.iter().map(Vec::len).collect(),
            clear: clear.to_vec(),
            widths,
        }
    }

    fn check(&self, built: &Built, n: usize, cases: &[Vec<Value>]) {
        for chunk in cases.chunks(64) {
            let cases: Vec<Vec<Value>> = chunk
                .iter()
                .map(|case| {
                    let fixed =
                        |(&value, &(mask, clear)): (&Value, &Clear)| value & !mask | clear & mask;
                    case.iter().zip(&built.clear).map(fixed).collect()
                })
                .collect();
            let mut lanes = Vec::new();
            for (operand, (&width, &(mask, _))) in built.widths.iter().zip(&built.clear).enumerate()
            {
                for at in (0..width).filter(|at| mask >> at & 1 == 0) {
                    let lane = |(lane, case): (usize, &Vec<Value>)| {
                        ((case[operand] >> at & 1) as u64) << lane
                    };
                    lanes.push(cases.iter().enumerate().map(lane).sum());
                }
            }
            let outputs = sim::evaluate(&built.circuit, &lanes).unwrap();
            for (lane, case) in cases.iter().enumerate() {
                let mut at = 0;
                let expected = (self.clear)(n, case);
                for (result, (&width, &expected)) in built.results.iter().zip(&expected).enumerate()
                {
                    let found = (0..width)
                        .map(|bit| Value::from(outputs[at + bit] >> lane & 1) << bit)
                        .sum::<Value>();
                    at += width;
                    assert_eq!(
                        found,
                        expected & low(width),
                        "{} of {n} bits, result {result}, operands {case:x?}, clear {:x?}",
                        self.name(),
                        built.clear,
                    );
                }
            }
        }
    }
}

/// Cases and what an operation makes of them, lane by lane: worked out once for all its
/// architectures.
pub(crate) struct Answers {
    n: usize,
    cases: Vec<Vec<Value>>,
    results: Vec<usize>,
    /// By 64 cases: the inputs' lanes and the outputs'.
    lanes: Vec<(Vec<u64>, Vec<u64>)>,
}

impl Answers {
    /// Of a unit on wholly secret operands.
    pub(crate) fn of(unit: &Unit, built: &Built, n: usize, cases: Vec<Vec<Value>>) -> Self {
        let spread = |values: &[Value], width: usize| -> Vec<u64> {
            let lane = |at: usize| {
                let bit = |(lane, value): (usize, &Value)| ((value >> at & 1) as u64) << lane;
                values.iter().enumerate().map(bit).sum()
            };
            (0..width).map(lane).collect()
        };
        let columns = |rows: &[Vec<Value>], widths: &[usize]| -> Vec<u64> {
            let column = |(number, &width): (usize, &usize)| {
                let values: Vec<Value> = rows.iter().map(|row| row[number]).collect();
                spread(&values, width)
            };
            widths.iter().enumerate().flat_map(column).collect()
        };
        let chunk = |cases: &[Vec<Value>]| {
            let answers: Vec<_> = cases.iter().map(|case| (unit.clear)(n, case)).collect();
            (
                columns(cases, &built.widths),
                columns(&answers, &built.results),
            )
        };
        Self {
            n,
            lanes: cases.chunks(64).map(chunk).collect(),
            cases,
            results: built.results.clone(),
        }
    }

    /// Compares a circuit of the same operation.
    pub(crate) fn check(&self, unit: &Unit, built: &Built) {
        assert_eq!(built.results, self.results, "{}", unit.name());
        for ((inputs, expected), cases) in self.lanes.iter().zip(self.cases.chunks(64)) {
            let used = u64::MAX >> (64 - cases.len());
            let found = sim::evaluate(&built.circuit, inputs).unwrap();
            let differs = found.iter().zip(expected).any(|(a, b)| (a ^ b) & used != 0);
            if differs || found.len() != expected.len() {
                // Says which case.
                unit.check(built, self.n, cases);
                unreachable!("{} differs in lanes alone", unit.name());
            }
        }
    }
}

/// Answers for each width, for the operation that comes next.
#[derive(Default)]
pub(crate) struct Memory {
    operation: &'static str,
    answers: std::collections::BTreeMap<usize, Answers>,
}

impl Memory {
    /// Compares a unit's circuit on these cases, which must be a function of operation and width.
    pub(crate) fn check(
        &mut self,
        unit: &Unit,
        built: &Built,
        n: usize,
        cases: impl FnOnce() -> Vec<Vec<Value>>,
    ) {
        if self.operation != unit.operation {
            self.operation = unit.operation;
            self.answers.clear();
        }
        let new = || Answers::of(unit, built, n, cases());
        self.answers.entry(n).or_insert_with(new).check(unit, built);
    }
}

/// A mask of the lowest bits.
pub(crate) fn low(width: usize) -> Value {
    if width >= 128 {
        Value::MAX
    } else {
        (1 << width) - 1
    }
}

/// Lookups that cost 1 in a batch of eight and 1.25 alone, on `cores` cores.
pub(crate) fn on_cores(cores: usize) -> Profile {
    let mut profile = Profile::lookup_simulation();
    profile.name = format!("lookups, {cores} cores");
    profile.cost.lookup_alone = 1.25;
    profile.batch = 8;
    profile.cores = cores;
    profile
}

/// All targets that units distinguish.
pub(crate) fn profiles() -> Vec<Profile> {
    let lookups_up_to = |max_value: u8| {
        let mut profile = Profile::lookup_simulation();
        profile.name = format!("lookups up to {max_value}");
        if let Some(lookup) = &mut profile.lookup {
            lookup.max_value = max_value;
        }
        profile
    };
    let mut profiles = vec![Profile::lookup_simulation()];
    profiles.extend([2, 64].map(on_cores));
    profiles.extend([Profile::gate_simulation(), levelled()]);
    profiles.extend([1, 48].map(bootstrapped_gates));
    profiles.extend([3, 8].map(lookups_up_to));
    profiles.push(selectors());
    profiles
}

/// Selectors that pay for any two bits.
pub(crate) fn selectors() -> Profile {
    let mut profile = Profile::selector_simulation();
    if let Some(selectors) = &mut profile.selectors {
        selectors.rotation = 0.5;
    }
    profile
}

/// Gates with a bound on their levels.
pub(crate) fn levelled() -> Profile {
    let mut profile = Profile::gate_simulation();
    profile.name = "levelled".to_owned();
    profile.levels = Some(30);
    profile
}

/// Gates of one bootstrap each, selections of two.
pub(crate) fn bootstrapped_gates(cores: usize) -> Profile {
    let mut profile = Profile::gate_simulation();
    profile.name = format!("bootstrapped gates, {cores} cores");
    profile.cost.xor = profile.cost.and;
    profile.cost.mux = 2.0 * profile.cost.and;
    profile.batch = 8;
    profile.cores = cores;
    profile
}

/// Nodes that cost a bootstrap (lookup targets) or an AND (gate targets), and the longest chain.
pub(crate) fn cost(circuit: &Circuit, profile: &Profile) -> (usize, u32) {
    let mut depths = vec![0u32; circuit.signals()];
    let (mut count, mut depth) = (0, 0);
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let own = match op {
            Op::Input(_) | Op::Disjoint { .. } | Op::Subtotal { .. } => 0,
            Op::Xor(..) if profile.lookup.is_none() => 0,
            _ => 1,
        };
        count += own;
        let before = op
            .operands()
            .map(|wire| depths[wire.signal().index()])
            .max()
            .unwrap_or(0);
        for signal in circuit.signals_of(node) {
            depths[signal.index()] = before + own as u32;
        }
        depth = depth.max(before + own as u32);
    }
    (count, depth)
}

/// A deterministic stream of words (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Often a corner: few ones, few zeros, a run; otherwise uniform.
    pub(crate) fn value(&mut self, width: usize) -> Value {
        let wide = Value::from(self.word()) << 64 | Value::from(self.word());
        let at = self.word() as usize % width;
        let value = match self.word() % 8 {
            0 => 0,
            1 => Value::MAX,
            2 => 1 << at,
            3 => !(1 << at),
            4 => low(at),
            5 => wide >> (128 - width + at).min(127),
            _ => wide,
        };
        value & low(width)
    }
}
