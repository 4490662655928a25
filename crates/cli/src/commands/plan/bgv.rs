//! What a run would cost on BGV: levels, parameters, noise, time for all rows.

use std::num::NonZeroUsize;

use bgv::Parameters;
use circuits::exec::Cancel;
use circuits::passes::Cost;
use engines::bgv::{Calibration, Choice, calibrate};
use serde_json::{Value, json};
use wire::bgv::ServerKey;

use super::super::{bytes, print, print_json, threads, warn};
use super::report::{beginning, document, end};
use crate::arguments;
use crate::failure::{Code, Failure};
use crate::progress::duration;
use session::Program;
use session::evaluator::memory;
use session::schemes::bgv::{
    self as scheme, PlannedCircuit, in_one_window, profile_without_parameters,
};

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
    let program = Program::load(&arguments.program)?;
    warn(&program);
    let call = arguments.execution.call.as_ref();
    let inputs = program.declared(&arguments.variables, call)?;
    let task = in_one_window(program.task(&arguments.execution.resolve()?, inputs)?);
    let profile = profile_without_parameters(arguments.forced.architectures());
    let planned = PlannedCircuit::new(&program, &task, &profile, &Cancel::new())?;
    let rows = arguments.rows.unwrap_or(1) as usize;
    let choice = planned.choose(&program, rows)?;
    let figures = Figures {
        calibration: calibrate(&choice.parameters).map_err(scheme::error)?,
        cost: planned.plan.total(),
        threads: threads(arguments.threads),
        choice,
        planned: &planned,
        rows,
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
    cost: Cost,
    calibration: Calibration,
    threads: NonZeroUsize,
    /// Of the whole table, where it was said.
    rows: usize,
    secret_bits: usize,
}

impl Figures<'_> {
    fn parameters(&self) -> &Parameters {
        &self.choice.parameters
    }

    /// No schedule is shorter than an even share of the gates, or, where they follow each other, than a product at
    /// every level.
    fn seconds(&self) -> f64 {
        let all = self
            .calibration
            .time(&self.choice.forecast, self.parameters());
        let path = self.cost.depth as f64 * self.calibration.and.as_secs_f64() / 2.0;
        (all.as_secs_f64() / self.threads.get() as f64).max(path)
    }

    /// Bytes of a fresh ciphertext in a file, whose mask is a seed.
    fn fresh_bytes(&self) -> u64 {
        self.parameters().ciphertext_size(self.parameters().top()) as u64 / 2
    }

    fn peak_bytes(&self) -> u64 {
        // Ciphertexts shrink as they go down; the top's size is the bound.
        let size = self.parameters().ciphertext_size(self.parameters().top());
        self.cost.peak_bits as u64 * size as u64
    }

    fn batches(&self) -> u64 {
        self.rows.div_ceil(self.parameters().slots()) as u64
    }

    /// The time for all rows, where one run does not serve them.
    fn all_rows(&self) -> String {
        match self.batches() {
            1 => String::new(),
            batches => format!(
                "rows              {}: {} in {batches} batches, {} for their inputs\n",
                self.rows,
                duration(self.seconds() * batches as f64),
                bytes(self.fresh_bytes() * self.secret_bits as u64 * batches),
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
        let (slots, seconds) = (parameters.slots(), self.seconds());
        let threads = self.threads.get();
        format!(
            "{}\
             gates             {} ANDs, {} XORs, {} ANDs deep{deepest}\n\
             parameters        {}: ring degree {}, {} bits of modulus, {} bits of security\n\
             slots             {slots}: so many rows of values in one run\n\
             noise             {room}a wrong slot with probability at most 2^{:.0} where none is\n\
             files             {} for each encrypted bit of all rows, {} for inputs, {} for the key\n\
             memory            {} for ciphertexts at the peak at most, {} for the key, {} for circuits\n\
             time              {} on {threads} {}, {} a row ({} an AND, {} an XOR at the top, measured here)\n\
             {}{}",
            beginning(&self.planned.plan, self.secret_bits),
            self.cost.and,
            self.cost.xor,
            forecast.depth,
            parameters.name(),
            parameters.degree(),
            parameters.modulus_bits(parameters.top()).round(),
            parameters.security().bits(),
            bgv::FAILURE_LOG2,
            bytes(self.fresh_bytes()),
            bytes(self.fresh_bytes() * self.secret_bits as u64),
            bytes(ServerKey::file_bytes(parameters)),
            bytes(self.peak_bytes()),
            bytes(parameters.evaluation_key_size(0) as u64),
            bytes(memory::of_circuits(&self.planned.plan)),
            duration(seconds),
            if threads == 1 { "thread" } else { "threads" },
            short(seconds / slots as f64),
            short(self.calibration.and.as_secs_f64()),
            short(self.calibration.xor.as_secs_f64()),
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
            "ands": self.cost.and,
            "xors": self.cost.xor,
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
            "input_bytes_per_bit": self.fresh_bytes(),
            "ciphertext_bytes": self.peak_bytes(),
            "key_bytes": ServerKey::file_bytes(parameters),
            "circuit_bytes": memory::of_circuits(&self.planned.plan),
            "threads": self.threads.get(),
            "and_seconds": self.calibration.and.as_secs_f64(),
            "xor_seconds": self.calibration.xor.as_secs_f64(),
            "seconds": self.seconds(),
            "rows": self.rows,
            "batches": self.batches(),
            "seconds_per_row": self.seconds() / parameters.slots() as f64,
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
