//! `blindcore plan`: what a run would cost, before there is a key or a ciphertext.

mod bgv;
mod gentry_halevi;
mod list;
mod machines;
mod report;

use processor::Plan;
use serde_json::{Value, json};
use session::evaluator::{Estimate, Target};
use session::schemes;
use session::schemes::tfhe::Selectors;

use self::machines::{OnSeveral, asked};
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
    let machines = asked(&arguments.machines, workers, &parameters);
    let target = Target {
        // As wide as all of them together.
        threads: machines.map_or(workers, |asked| asked.all_cores()),
        architectures: arguments.forced.architectures(),
        fft: arguments.fft,
        // What they make stays on a machine.
        selectors: match machines {
            Some(_) => Selectors::Unused,
            None => expected(arguments.no_selectors),
        },
    };
    let planned = schemes::tfhe::plan(program.image(), &task, &parameters, &target)
        .map_err(|error| Failure::from(program.error(&error)));
    if arguments.list {
        return list::list(&program, &task, planned, arguments.json);
    }
    let planned = planned?;
    let plan = &planned.plan;
    let calibration = calibration(&parameters, arguments.fft)?;
    let figures = Figures(Estimate::new(plan, &parameters, workers, &calibration));
    let on_several = match machines {
        Some(machines) => {
            let key_bytes = figures.0.key_bytes;
            let (set, fft) = (&parameters, arguments.fft);
            let figures = OnSeveral::new(&program, &task, &planned, set, fft, machines, key_bytes);
            Some(figures?)
        }
        None => None,
    };
    if arguments.json {
        let mut document = figures.json(plan);
        if let Some(on_several) = &on_several {
            document["machines"] = on_several.json();
        }
        print_json(&document)
    } else {
        let on_several = on_several.map_or_else(String::new, |figures| figures.text());
        print(&figures.text(plan, task.secret_bits(), &on_several))
    }
}

/// Costs of all windows together, as they are printed.
struct Figures(Estimate);

impl Figures {
    fn text(&self, plan: &Plan, secret_bits: usize, on_several: &str) -> String {
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
             {on_several}{end}",
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
            bytes(self.0.memory()),
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
