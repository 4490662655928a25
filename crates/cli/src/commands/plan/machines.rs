//! `blindcore plan --machines`: the same run on several machines.

use std::num::NonZeroUsize;

use circuits::exec::Cancel;
use engines::tfhe_lookup::timing;
use processor::Task;
use serde_json::{Value, json};
use session::Program;
use session::evaluator::{Limit, Machines, OnMachines, Planned, Scale};
use tfhe::{Fft, Parameters};

use super::super::{bytes, internal};
use crate::arguments::MachineArguments;
use crate::failure::Failure;
use crate::progress::duration;

/// A forecast of a run on machines, as it is printed.
pub(super) struct OnSeveral {
    scale: Scale,
    machines: Machines,
    /// Bootstraps for each that waits for another.
    width: f64,
    key_bytes: u64,
    bits_per_ciphertext: u64,
}

/// The machines that are asked for.
pub(super) fn asked(
    arguments: &MachineArguments,
    threads: NonZeroUsize,
    parameters: &Parameters,
) -> Option<Machines> {
    let cores = arguments.cores.unwrap_or(threads);
    arguments.machines.map(|machines| Machines {
        machines: machines.get(),
        cores: cores.get(),
        bits_per_second: arguments.network,
        bytes_per_ciphertext: 8 * (parameters.big_lwe_dimension().get() as u64 + 1),
    })
}

impl OnSeveral {
    /// Measures batches on this machine, and plays the run through on the others.
    pub(super) fn new(
        program: &Program,
        task: &Task,
        planned: &Planned,
        parameters: &Parameters,
        fft: Option<Fft>,
        machines: Machines,
        key_bytes: u64,
    ) -> Result<Self, Failure> {
        let here = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let measured = timing(
            parameters,
            fft.unwrap_or_else(Fft::detect),
            machines.cores.min(here),
        );
        let timing = measured.map_err(internal)?;
        let scale = Scale::new(
            program.image(),
            task,
            planned,
            &timing,
            &machines,
            &Cancel::new(),
        )
        .map_err(|error| Failure::from(program.error(&error)))?;
        let total = planned.plan.total();
        Ok(Self {
            scale,
            machines,
            width: total.bootstraps as f64 / total.depth.max(1) as f64,
            key_bytes,
            bits_per_ciphertext: planned.profile().bytes_per_bit,
        })
    }

    fn memory(&self, row: &OnMachines) -> u64 {
        row.forecast.most_bits as u64 * self.bits_per_ciphertext + self.key_bytes
    }

    fn efficiency(&self, row: &OnMachines) -> f64 {
        self.scale.one_core / row.forecast.time / (row.machines * self.machines.cores) as f64
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "machines          of {} {}, links of {} bit/s; width {:.0}: so many bootstraps for each that waits for another\n",
            self.machines.cores,
            if self.machines.cores == 1 {
                "core"
            } else {
                "cores"
            },
            rate(self.machines.bits_per_second),
            self.width,
        );
        for row in &self.scale.rows {
            let forecast = &row.forecast;
            text.push_str(&format!(
                "{:>17} {}, {:.1} times one core ({:.0} %), of what is possible {:.0} %; {} travel, links busy {:.0} %; \
                 {} a machine\n",
                row.machines,
                seconds(forecast.time),
                self.scale.one_core / forecast.time,
                100.0 * self.efficiency(row),
                100.0 * forecast.bound / forecast.time,
                bytes(forecast.bytes_sent),
                100.0 * forecast.busiest_link,
                bytes(self.memory(row)),
            ));
        }
        text.push_str(&format!("best              {}\n", self.best()));
        text
    }

    fn best(&self) -> String {
        let best = self.scale.best();
        let machines = match best.machines {
            1 => "one machine".to_owned(),
            count => format!("{count} machines"),
        };
        match self.scale.limit() {
            Limit::Asked => format!("{machines}; more were not looked at"),
            Limit::Chain => format!(
                "{machines}; more do not help, since bootstraps wait for each other: the longest chain alone takes {}",
                seconds(best.forecast.chain)
            ),
            Limit::Network => format!("{machines}; more do not help, since the links are busy"),
            Limit::Width => {
                format!("{machines}; more do not help, since too little can be done at a time")
            }
        }
    }

    pub(super) fn json(&self) -> Value {
        let rows: Vec<Value> = self.scale.rows.iter().map(|row| self.row(row)).collect();
        let limit = match self.scale.limit() {
            Limit::Asked => "asked",
            Limit::Chain => "chain",
            Limit::Network => "network",
            Limit::Width => "width",
        };
        json!({
            "cores": self.machines.cores,
            "network_bits_per_second": self.machines.bits_per_second,
            "one_core_seconds": self.scale.one_core / 1e9,
            "width": self.width,
            "best_machines": self.scale.best().machines,
            "limit": limit,
            "rows": rows,
        })
    }

    fn row(&self, row: &OnMachines) -> Value {
        let forecast = &row.forecast;
        json!({
            "machines": row.machines,
            "seconds": forecast.time / 1e9,
            "bound_seconds": forecast.bound / 1e9,
            "chain_seconds": forecast.chain / 1e9,
            "speedup": self.scale.one_core / forecast.time,
            "efficiency": self.efficiency(row),
            "bytes_sent": forecast.bytes_sent,
            "busiest_link": forecast.busiest_link,
            "memory_bytes": self.memory(row),
        })
    }
}

fn seconds(nanoseconds: f64) -> String {
    duration(nanoseconds / 1e9)
}

fn rate(bits: f64) -> String {
    match bits {
        bits if bits >= 1e9 => format!("{}G", bits / 1e9),
        bits => format!("{}M", bits / 1e6),
    }
}
