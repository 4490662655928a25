//! What a run would cost in the Gentry–Halevi scheme: products, refreshes, noise.

use std::num::NonZeroUsize;

use circuits::passes::Cost;
use engines::gentry_halevi::{Calibration, calibrate};
use gentry_halevi::Parameters;
use processor::Plan;
use serde_json::{Value, json};

use super::super::{bytes, print, print_json, threads, warn};
use super::report::{beginning, document, end};
use crate::arguments;
use crate::failure::{Code, Failure};
use crate::progress::duration;
use session::evaluator::memory;
use session::schemes::gentry_halevi::{self as scheme, bytes_per_bit, profile, transforms};
use session::{Control, Program};

/// Plans the run and prints what it costs and what stands in its way.
pub(super) fn plan(arguments: &arguments::Plan) -> Result<(), Failure> {
    if arguments.fft.is_some() {
        let message = "--fft is not for the Gentry–Halevi scheme (see --help)";
        return Err(Failure::new(Code::Usage, message));
    }
    let program = Program::load(&arguments.program)?;
    warn(&program);
    let call = arguments.execution.call.as_ref();
    let inputs = program.declared(&arguments.variables, call)?;
    let task = program.task(&arguments.execution.resolve()?, inputs)?;
    let parameters = arguments.dimension.unwrap_or_default().parameters();
    let profile = profile(&parameters, arguments.forced.architectures());
    let plan =
        processor::plan(program.image(), &task, &profile).map_err(|error| program.error(&error))?;
    let workers = threads(arguments.threads);
    let cost = plan.total();
    let recryption =
        (cost.refresh > 0).then(|| (transforms(&parameters, Control::default().memory), workers));
    let calibration = calibrate(&parameters, recryption).map_err(scheme::error)?;
    let figures = Figures {
        parameters,
        threads: workers,
        cost,
        calibration,
        noise: plan.worst_noise(),
        limit: profile.growth.map_or(0.0, |growth| growth.limit),
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
    threads: NonZeroUsize,
    cost: Cost,
    calibration: Calibration,
    /// Bits of the noisiest value, and what they may be.
    noise: f64,
    limit: f64,
}

impl Figures {
    /// No schedule is shorter than an even share of the gates, or, where they follow each other, than
    /// all of them; every refresh has all threads.
    fn seconds(&self) -> f64 {
        let Calibration { xor, and, refresh } = self.calibration;
        let gates =
            self.cost.and as f64 * and.as_secs_f64() + self.cost.xor as f64 * xor.as_secs_f64();
        let path = self.cost.depth as f64 * and.as_secs_f64();
        let refreshes = self.cost.refresh as f64 * refresh.map_or(0.0, |time| time.as_secs_f64());
        refreshes + path.max(gates / self.threads.get() as f64)
    }

    fn key_bytes(&self) -> u64 {
        bytes_per_bit(&self.parameters) * self.parameters.public_parts() as u64
    }

    fn text(&self, plan: &Plan, secret_bits: usize) -> String {
        let Calibration { xor, and, refresh } = self.calibration;
        let threads = self.threads.get();
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
            self.cost.and,
            self.cost.xor,
            self.cost.depth,
            self.cost.refresh,
            self.noise,
            self.limit,
            bytes(self.cost.peak_bytes),
            bytes(self.key_bytes()),
            bytes(memory::of_circuits(plan)),
            self.parameters.name(),
            duration(self.seconds()),
            if threads == 1 { "thread" } else { "threads" },
            microseconds(and.as_secs_f64()),
            microseconds(xor.as_secs_f64()),
            end(plan),
        )
    }

    fn json(&self, plan: &Plan) -> Value {
        let Calibration { xor, and, refresh } = self.calibration;
        let own = json!({
            "engine": "gentry-halevi",
            "ands": self.cost.and,
            "xors": self.cost.xor,
            "depth": self.cost.depth,
            "refreshes": self.cost.refresh,
            "noise_bits": self.noise,
            "noise_limit_bits": self.limit,
            "windows": plan.windows.len(),
            "ciphertext_bytes": self.cost.peak_bytes,
            "key_bytes": self.key_bytes(),
            "circuit_bytes": memory::of_circuits(plan),
            "security_bits": 0,
            "parameters": self.parameters.name(),
            "threads": self.threads.get(),
            "and_seconds": and.as_secs_f64(),
            "xor_seconds": xor.as_secs_f64(),
            "refresh_seconds": refresh.map(|time| time.as_secs_f64()),
            "seconds": self.seconds(),
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
