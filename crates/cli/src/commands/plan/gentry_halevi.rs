//! What a run would cost in the Gentry–Halevi scheme: products, refreshes, noise.

use engines::gentry_halevi::Calibration;
use gentry_halevi::Parameters;
use processor::Plan;
use serde_json::{Value, json};

use super::super::{bytes, load, print, print_json, threads, warn};
use super::report::{beginning, document, end};
use crate::arguments;
use crate::failure::{Code, Failure};
use crate::progress::duration;
use session::schemes::gentry_halevi::{Estimate, profile};

/// Plans the run and prints what it costs and what stands in its way.
pub(super) fn plan(arguments: &arguments::Plan) -> Result<(), Failure> {
    if arguments.fft.is_some() {
        let message = "--fft is not for the Gentry–Halevi scheme (see --help)";
        return Err(Failure::new(Code::Usage, message));
    }
    let program = load(&arguments.program)?;
    warn(&program);
    let call = arguments.execution.call.as_ref();
    let inputs = program.declared(&arguments.variables, call)?;
    let task = program.task(&arguments.execution.resolve()?, inputs)?;
    let parameters = arguments.dimension.unwrap_or_default().parameters();
    let profile = profile(&parameters, arguments.forced.architectures());
    let plan =
        processor::plan(program.image(), &task, &profile).map_err(|error| program.error(&error))?;
    let estimate = Estimate::new(&plan, &parameters, &profile, threads(arguments.threads))?;
    let figures = Figures {
        parameters,
        estimate,
    };
    if arguments.json {
        print_json(&figures.json(&plan))
    } else {
        print(&figures.text(&plan, task.secret_bits()))
    }
}

/// Costs of all windows together.
struct Figures {
    parameters: Parameters,
    estimate: Estimate,
}

impl Figures {
    fn text(&self, plan: &Plan, secret_bits: usize) -> String {
        let Calibration { xor, and, refresh } = self.estimate.calibration;
        let threads = self.estimate.threads;
        let refresh = refresh.map_or_else(String::new, |time| {
            format!(", {} a refresh", duration(time.as_secs_f64()))
        });
        format!(
            "{}\
             gates             {} ANDs, {} XORs, {} ANDs deep\n\
             refreshes         {}; the noisiest value has {:.0} bits of the {:.0} that can be refreshed\n\
             memory            {} for ciphertexts at the peak, {} for the key's file, {} for circuits\n\
             security          none: {} is a reproduction\n\
             time              {} on {threads} {} ({} an AND, {} an XOR{refresh}, measured here)\n\
             {}",
            beginning(plan, secret_bits),
            self.estimate.cost.and,
            self.estimate.cost.xor,
            self.estimate.cost.depth,
            self.estimate.cost.refresh,
            self.estimate.noise_bits,
            self.estimate.noise_limit_bits,
            bytes(self.estimate.cost.peak_bytes),
            bytes(self.estimate.key_file_bytes),
            bytes(self.estimate.circuit_bytes),
            self.parameters.name(),
            duration(self.estimate.seconds),
            if threads == 1 { "thread" } else { "threads" },
            microseconds(and.as_secs_f64()),
            microseconds(xor.as_secs_f64()),
            end(plan),
        )
    }

    fn json(&self, plan: &Plan) -> Value {
        let Calibration { xor, and, refresh } = self.estimate.calibration;
        let own = json!({
            "engine": "gentry-halevi",
            "ands": self.estimate.cost.and,
            "xors": self.estimate.cost.xor,
            "depth": self.estimate.cost.depth,
            "refreshes": self.estimate.cost.refresh,
            "noise_bits": self.estimate.noise_bits,
            "noise_limit_bits": self.estimate.noise_limit_bits,
            "windows": plan.windows.len(),
            "ciphertext_bytes": self.estimate.cost.peak_bytes,
            "key_bytes": self.estimate.key_file_bytes,
            "circuit_bytes": self.estimate.circuit_bytes,
            "security_bits": 0,
            "parameters": self.parameters.name(),
            "threads": self.estimate.threads,
            "and_seconds": and.as_secs_f64(),
            "xor_seconds": xor.as_secs_f64(),
            "refresh_seconds": refresh.map(|time| time.as_secs_f64()),
            "seconds": self.estimate.seconds,
        });
        document(plan, own)
    }
}

/// A short time in words.
fn microseconds(seconds: f64) -> String {
    match seconds < 1e-3 {
        true => format!("{:.1} µs", seconds * 1e6),
        false => duration(seconds),
    }
}
