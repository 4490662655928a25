//! What a run on TFHE would cost.

use std::num::NonZeroUsize;

use circuits::passes::{self, Cost};
use circuits::{Circuit, LookupProfile, Profile};
use engines::tfhe_lookup::{self, Calibration};
use processor::{Plan, WindowPlan};
use tfhe::Parameters;
use tfhe::noise::NoiseBudget;

use super::memory;

/// Costs of all windows together.
///
/// ```
/// use std::path::Path;
///
/// use blindcore_session::evaluator::{Estimate, Target};
/// use blindcore_session::program::Execution;
/// use blindcore_session::schemes::tfhe::plan;
/// use blindcore_session::{Control, Program};
/// use engines::tfhe_lookup::calibrate;
///
/// let text = b".bits 16\n.data a\n LOAD R0, a\n MUL R0, R0, R0\n STORE R0, a";
/// let program = Program::from_bytes(Path::new("square.hea"), text)?;
/// let task = program.task(&Execution::default(), program.declared(&["a".to_owned()], None)?)?;
/// let target = Target::of(&Control::default());
/// let parameters = tfhe::TOY_BLOCK;
/// let planned = plan(program.image(), &task, &parameters, &target)?;
/// let estimate = Estimate::new(&planned.plan, &parameters, target.threads, &calibrate(&parameters)?);
/// assert_eq!((estimate.parameters, estimate.bootstraps), ("TOY_BLOCK", planned.plan.total().bootstraps));
/// assert!(estimate.seconds > 0.0 && estimate.depth <= estimate.bootstraps);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Name of the parameter set.
    pub parameters: &'static str,
    /// Threads of the run.
    pub threads: usize,
    /// Gates, and outputs of lookups.
    pub gates: usize,
    /// Bootstraps.
    pub bootstraps: usize,
    /// Those that make selectors.
    pub selectors: usize,
    /// Choices by selectors.
    pub choices: usize,
    /// Loads from arrays by them.
    pub loads: usize,
    /// Stores to arrays by them.
    pub stores: usize,
    /// Bootstraps that wait for each other.
    pub depth: usize,
    /// Memory of the key.
    pub key_bytes: u64,
    /// Memory of circuits, and of the process itself.
    pub circuit_bytes: u64,
    /// Memory of ciphertexts at the peak, in the order in which those threads compute them.
    pub peak_bytes: u64,
    /// Logarithm of the probability with which a bootstrap is wrong, at most.
    pub log2_failure: f64,
    /// Of the worst lookup that the program really makes; `None` if it makes none.
    pub log2_worst_failure: Option<f64>,
    /// Time of a bootstrap in a batch.
    pub bootstrap_seconds: f64,
    /// Time of the run.
    pub seconds: f64,
}

impl Estimate {
    /// Bytes of memory at the least: ciphertexts, key and circuits.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.peak_bytes + self.key_bytes + self.circuit_bytes
    }

    /// The costs of a plan, by times that were measured on this machine.
    #[must_use]
    pub fn new(
        plan: &Plan,
        parameters: &Parameters,
        threads: NonZeroUsize,
        calibration: &Calibration,
    ) -> Estimate {
        Self::of_windows(&plan.windows, parameters, threads, calibration)
    }

    /// The costs of a circuit that `profile`'s engine evaluates as it is.
    #[must_use]
    pub fn of_circuit(
        circuit: &Circuit,
        profile: &Profile,
        parameters: &Parameters,
        threads: NonZeroUsize,
        calibration: &Calibration,
    ) -> Self {
        let noise = |lookup: &LookupProfile| passes::noise(circuit, &lookup.noise).worst;
        let window = WindowPlan {
            instructions: 0,
            inputs: circuit.inputs(),
            outputs: circuit.outputs().len(),
            nodes: circuit
                .nodes()
                .filter(|&node| profile.is_counted(&circuit.op(node)))
                .count(),
            cost: passes::cost(circuit, profile),
            worst_noise: profile.lookup.as_ref().map_or(0.0, noise),
            fingerprint: circuit.fingerprint(),
        };
        let windows = std::slice::from_ref(&window);
        Self::of_windows(windows, parameters, threads, calibration)
    }

    fn of_windows(
        windows: &[WindowPlan],
        parameters: &Parameters,
        threads: NonZeroUsize,
        calibration: &Calibration,
    ) -> Self {
        let costs = || windows.iter().map(|window| &window.cost);
        let worst_noise = windows
            .iter()
            .map(|window| window.worst_noise)
            .fold(0.0, f64::max);
        let seconds = costs()
            .map(|cost| window_seconds(cost, parameters, threads.get(), calibration))
            .sum();
        let bootstraps = costs().map(|cost| cost.bootstraps).sum();
        let budget = NoiseBudget::new(parameters);
        Self {
            parameters: parameters.name(),
            threads: threads.get(),
            gates: costs()
                .map(|c| c.and + c.xor + c.mux + c.lookup_outputs + c.refresh)
                .sum(),
            bootstraps,
            selectors: costs().map(|cost| cost.selector).sum(),
            choices: costs().map(|cost| cost.choice).sum(),
            loads: costs().map(|cost| cost.load).sum(),
            stores: costs().map(|cost| cost.store).sum(),
            depth: costs().map(|cost| cost.depth).sum(),
            key_bytes: memory::of_key(parameters) + memory::of_selectors(parameters, windows),
            circuit_bytes: memory::of_circuits(windows),
            peak_bytes: costs().map(|cost| cost.peak_bytes).max().unwrap_or(0),
            log2_failure: parameters.promise().log2_failure,
            log2_worst_failure: (bootstraps > 0).then(|| budget.log2_failure(worst_noise)),
            bootstrap_seconds: calibration.batched.as_secs_f64(),
            seconds,
        }
    }
}

/// How long a window takes, in seconds. No schedule is shorter than the critical path, where each
/// bootstrap waits for the one before, or than an even share of the work, whose batches are full.
fn window_seconds(
    cost: &Cost,
    parameters: &Parameters,
    threads: usize,
    calibration: &Calibration,
) -> f64 {
    let path = cost.depth as f64 * calibration.alone.as_secs_f64();
    let profile = tfhe_lookup::with_selectors(tfhe_lookup::profile(parameters), parameters);
    let lookups = cost.bootstraps as f64 + cost.beside_lookups(&profile);
    let work = lookups * calibration.batched.as_secs_f64();
    path.max(work / threads as f64)
}
