//! What a run would cost on BGV: levels, parameters, noise, time for all rows.

use bgv::Parameters;
use circuits::exec::Cancel;
use engines::bgv::Choice;
use serde_json::{Value, json};

use super::super::{bytes, load, print, print_json, threads, warn};
use super::report::{beginning, document, end};
use crate::arguments;
use crate::failure::{Code, Failure};
use crate::progress::duration;
use session::schemes::bgv::{Estimate, PlannedCircuit, in_one_window, profile_without_parameters};

/// Plans the run and prints what it costs and what stands in its way.
pub(super) fn plan(arguments: &arguments::Plan) -> Result<(), Failure> {
    for (flag, given) in [
        ("--fft", arguments.fft.is_some()),
        ("--dimension", arguments.dimension.is_some()),
    ] {
        if given {
            let message = format!("{flag} is not for --engine bgv (see --help)");
            return Err(Failure::new(Code::Usage, message));
        }
    }
    let program = load(&arguments.program)?;
    warn(&program);
    let call = arguments.execution.call.as_ref();
    let inputs = program.declared(&arguments.variables, call)?;
    let task = in_one_window(program.task(&arguments.execution.resolve()?, inputs)?);
    let profile = profile_without_parameters(arguments.forced.architectures());
    let planned = PlannedCircuit::new(&program, &task, &profile, &Cancel::new())?;
    let rows = arguments.rows.unwrap_or(1) as usize;
    let choice = planned.choose(&program, rows)?;
    let estimate = Estimate::new(&planned, &choice, rows, threads(arguments.threads))?;
    let figures = Figures {
        estimate,
        choice,
        planned: &planned,
        secret_bits: task.secret_bits(),
    };
    if arguments.json {
        print_json(&figures.json())
    } else {
        print(&figures.text())
    }
}

struct Figures<'a> {
    choice: Choice,
    planned: &'a PlannedCircuit,
    estimate: Estimate,
    secret_bits: usize,
}

impl Figures<'_> {
    fn parameters(&self) -> &Parameters {
        &self.choice.parameters
    }

    /// The time for all rows, where one run does not serve them.
    fn all_rows(&self) -> String {
        match self.estimate.batches {
            1 => String::new(),
            batches => format!(
                "rows              {}: {} in {batches} batches, {} for their inputs\n",
                self.estimate.rows,
                duration(self.estimate.seconds * batches as f64),
                bytes(self.estimate.fresh_bytes * self.secret_bits as u64 * batches),
            ),
        }
    }

    fn text(&self) -> String {
        let parameters = self.parameters();
        let forecast = &self.choice.forecast;
        let deepest = self.planned.deepest().map_or_else(String::new, |output| {
            format!("; the deepest output is {}", output.name)
        });
        let room = forecast.least.map_or_else(String::new, |(_, room)| {
            format!("{room:.0} bits of noise left at the least; ")
        });
        let (slots, seconds) = (parameters.slots(), self.estimate.seconds);
        let threads = self.estimate.threads;
        format!(
            "{}\
             gates             {} ANDs, {} XORs, {} ANDs deep{deepest}\n\
             parameters        {}: ring degree {}, {} bits of modulus, {} bits of security\n\
             slots             {slots}, each a row of values in one run\n\
             noise             {room}a wrong slot with probability at most 2^{:.0} where none is\n\
             files             {} for each encrypted bit of all rows, {} for inputs, {} for the key\n\
             memory            {} for ciphertexts in the order of the program at most, {} for the key, {} for circuits\n\
             time              {} on {threads} {}, {} a row ({} an AND, {} an XOR at the top, measured here)\n\
             {}{}",
            beginning(&self.planned.plan, self.secret_bits),
            self.estimate.cost.and,
            self.estimate.cost.xor,
            forecast.depth,
            parameters.name(),
            parameters.degree(),
            parameters.modulus_bits(parameters.top()).round(),
            parameters.security().bits(),
            bgv::FAILURE_LOG2,
            bytes(self.estimate.fresh_bytes),
            bytes(self.estimate.fresh_bytes * self.secret_bits as u64),
            bytes(self.estimate.key_file_bytes),
            bytes(self.estimate.peak_bytes),
            bytes(self.estimate.key_bytes),
            bytes(self.estimate.circuit_bytes),
            duration(seconds),
            if threads == 1 { "thread" } else { "threads" },
            short(seconds / slots as f64),
            short(self.estimate.calibration.and.as_secs_f64()),
            short(self.estimate.calibration.xor.as_secs_f64()),
            self.all_rows(),
            end(&self.planned.plan),
        )
    }

    fn json(&self) -> Value {
        let parameters = self.parameters();
        let deepest = self.planned.deepest();
        let depths: Vec<Value> = self
            .planned
            .plan
            .outputs
            .iter()
            .map(|output| json!({"name": output.name, "depth": output.depth}))
            .collect();
        let own = json!({
            "engine": "bgv",
            "ands": self.estimate.cost.and,
            "xors": self.estimate.cost.xor,
            "depth": self.choice.forecast.depth,
            "deepest_output": deepest.map(|output| &output.name),
            "depths": depths,
            "parameters": parameters.name(),
            "index": parameters.index().m(),
            "ring_degree": parameters.degree(),
            "slots": parameters.slots(),
            "modulus_bits": parameters.modulus_bits(parameters.top()),
            "key_modulus_bits": parameters.key_bits(),
            "security_bits": parameters.security().bits(),
            "noise_bits_left": self.choice.forecast.least.map(|(_, room)| room),
            "log2_failure": bgv::FAILURE_LOG2,
            "input_bytes_per_bit": self.estimate.fresh_bytes,
            "ciphertext_bytes": self.estimate.peak_bytes,
            "key_bytes": self.estimate.key_file_bytes,
            "circuit_bytes": self.estimate.circuit_bytes,
            "threads": self.estimate.threads,
            "and_seconds": self.estimate.calibration.and.as_secs_f64(),
            "xor_seconds": self.estimate.calibration.xor.as_secs_f64(),
            "seconds": self.estimate.seconds,
            "rows": self.estimate.rows,
            "batches": self.estimate.batches,
            "seconds_per_row": self.estimate.seconds / parameters.slots() as f64,
        });
        document(&self.planned.plan, own)
    }
}

/// A short time in words.
fn short(seconds: f64) -> String {
    match seconds {
        ..1e-3 => format!("{:.0} µs", seconds * 1e6),
        ..1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => duration(seconds),
    }
}
