//! `blindcore plan`: what a run would cost, before there is a key or a ciphertext.

mod bgv;
mod gentry_halevi;
mod list;
mod report;

use processor::Plan;
use serde_json::{Value, json};
use session::evaluator::{Estimate, Target};
use session::schemes;

use self::report::{beginning, document, end};
use super::{bytes, calibration, load, print, print_json, threads, warn};
use crate::arguments::{self, Scheme};
use crate::commands::selectors::expected;
use crate::failure::{Code, Failure};
use crate::progress::duration;

/// Plans the run and prints what it costs and what stands in its way.
pub(crate) fn plan(arguments: &arguments::Plan) -> Result<(), Failure> {
    if arguments.list && arguments.engine != Scheme::Tfhe {
        let message = "--list is without --engine: what secrets decide is the same on each";
        return Err(Failure::new(Code::Usage, message));
    }
    match arguments.engine {
        Scheme::Tfhe => {}
        Scheme::Bgv => return bgv::plan(arguments),
        Scheme::GentryHalevi => return gentry_halevi::plan(arguments),
    }
    if arguments.rows.is_some() {
        let message = "--rows is for --engine bgv (see --help)";
        return Err(Failure::new(Code::Usage, message));
    }
    if arguments.dimension.is_some() {
        let message = "--dimension is for --engine gentry-halevi; TFHE has --set (see --help)";
        return Err(Failure::new(Code::Usage, message));
    }
    let program = load(&arguments.program)?;
    warn(&program);
    let call = arguments.execution.call.as_ref();
    let inputs = program.declared(&arguments.variables, call)?;
    let task = program.task(&arguments.execution.resolve()?, inputs)?;
    let parameters = arguments.set.parameters();
    let workers = threads(arguments.threads);
    let target = Target {
        threads: workers,
        architectures: arguments.forced.architectures(),
        fft: arguments.fft,
        selectors: expected(arguments.no_selectors),
    };
    let planned = schemes::tfhe::plan(program.image(), &task, &parameters, &target)
        .map_err(|error| Failure::from(program.error(&error)));
    if arguments.list {
        return list::list(&program, &task, planned, arguments.json);
    }
    let plan = planned?.plan;
    let calibration = calibration(&parameters, arguments.fft)?;
    let figures = Figures(Estimate::new(&plan, &parameters, workers, &calibration));
    if arguments.json {
        print_json(&figures.json(&plan))
    } else {
        print(&figures.text(&plan, task.secret_bits()))
    }
}

/// Costs of all windows together, as they are printed.
struct Figures(Estimate);

impl Figures {
    fn text(&self, plan: &Plan, secret_bits: usize) -> String {
        let worst = self.0.log2_worst_failure.map_or_else(String::new, |worst| {
            format!("; the worst of this program with 2^{worst:.0}")
        });
        let selections = match self.0.selectors {
            0 => String::new(),
            selectors => format!(
                "; {selectors} of them make selectors (the server needs NAME.selectors), for {} choices, {} loads and {} stores",
                self.0.choices, self.0.loads, self.0.stores
            ),
        };
        let (beginning, end) = (beginning(plan, secret_bits), end(plan));
        format!(
            "{beginning}\
             gates             {}\n\
             bootstraps        {}, depth {}, in {} {}{selections}\n\
             memory            {} for ciphertexts at the peak, {} for the key, {} for circuits: {} in all;\n\
             \x20                 run keeps below --memory, 1 GB by default, where it must by working in the program's order\n\
             failures          a bootstrap is wrong with probability at most 2^{:.0}{worst}\n\
             time              {} on {} {} ({} a bootstrap, measured here; {})\n\
             {end}",
            self.0.gates,
            self.0.bootstraps,
            self.0.depth,
            plan.windows.len(),
            if plan.windows.len() == 1 {
                "window"
            } else {
                "windows"
            },
            bytes(self.0.peak_bytes),
            bytes(self.0.key_bytes),
            bytes(self.0.circuit_bytes),
            bytes(self.0.peak_bytes + self.0.key_bytes + self.0.circuit_bytes),
            self.0.log2_failure,
            duration(self.0.seconds),
            self.0.threads,
            if self.0.threads == 1 {
                "thread"
            } else {
                "threads"
            },
            duration(self.0.bootstrap_seconds),
            self.0.parameters,
        )
    }

    fn json(&self, plan: &Plan) -> Value {
        let own = json!({
            "gates": self.0.gates,
            "bootstraps": self.0.bootstraps,
            "selectors": self.0.selectors,
            "choices": self.0.choices,
            "loads": self.0.loads,
            "stores": self.0.stores,
            "depth": self.0.depth,
            "windows": plan.windows.len(),
            "ciphertext_bytes": self.0.peak_bytes,
            "key_bytes": self.0.key_bytes,
            "circuit_bytes": self.0.circuit_bytes,
            "log2_failure": self.0.log2_failure,
            "log2_worst_failure": self.0.log2_worst_failure,
            "parameters": self.0.parameters,
            "threads": self.0.threads,
            "bootstrap_seconds": self.0.bootstrap_seconds,
            "seconds": self.0.seconds,
        });
        document(plan, own)
    }
}
