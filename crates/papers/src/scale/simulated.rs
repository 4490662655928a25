//! Programs on numbers of cores, window by window.

use circuits::place::{Cluster, Forecast, HANDLING, Network, place};
use circuits::{Circuit, Profile};
use serde::Serialize;

use super::ScaleModel;

/// From the last byte's departure to where it can be read, software included, in nanoseconds: 0.2 ms in one
/// zone of a cloud, and 0.05 ms of software.
const LATENCY: f64 = 250_000.0;

/// The numbers of cores that are played through: 1, 2, 4 … on one machine, then on more of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Shapes {
    /// Cores of all machines, at most.
    pub most_cores: usize,
    /// Cores of one machine.
    pub cores_of_machine: usize,
    /// Bits a second that a machine's link carries each way; at least one.
    pub networks: Vec<f64>,
}

impl Shapes {
    /// Machines and cores of each.
    fn all(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let powers = || std::iter::successors(Some(1usize), |power| power.checked_mul(2));
        let whole = self.cores_of_machine.clamp(1, self.most_cores.max(1));
        let one = powers().take_while(move |&cores| cores < whole);
        let several = powers().take_while(move |&machines| machines * whole <= self.most_cores);
        one.map(|cores| (1, cores))
            .chain(several.map(move |machines| (machines, whole)))
    }
}

/// What a program takes on some machines.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(super) struct Row {
    pub(super) machines: usize,
    /// Of each machine.
    pub(super) cores: usize,
    /// Bits a second of a link; none where there is one machine.
    pub(super) network: Option<f64>,
    pub(super) seconds: f64,
    /// No placement is faster.
    pub(super) bound: f64,
    pub(super) speedup: f64,
    pub(super) efficiency: f64,
    pub(super) bytes_sent: u64,
    pub(super) busiest_link: f64,
    /// Ciphertexts on the machine that has the most in the end.
    pub(super) ciphertexts: usize,
}

impl Row {
    pub(super) fn all_cores(&self) -> usize {
        self.machines * self.cores
    }

    pub(super) fn of_bound(&self) -> f64 {
        match self.seconds > 0.0 {
            true => self.bound / self.seconds,
            false => 1.0,
        }
    }
}

/// A program on all of them.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Scaled {
    pub(super) name: String,
    /// How many that do not wait for each other.
    pub(super) jobs: Option<usize>,
    /// Of one job.
    pub(super) windows: usize,
    /// Of all jobs.
    pub(super) lookups: usize,
    /// Seconds of the lookups of one job that wait for each other.
    pub(super) chain: f64,
    /// Seconds on one core.
    pub(super) one_core: f64,
    pub(super) rows: Vec<Row>,
}

impl Scaled {
    /// On one machine, and on several with that network.
    pub(super) fn on(&self, network: f64) -> impl Iterator<Item = &Row> {
        let rows = self.rows.iter();
        rows.filter(move |row| row.network.is_none_or(|own| own == network))
    }
}

/// A program that is being played through.
pub(super) struct Playing {
    name: String,
    jobs: Option<usize>,
    windows: usize,
    shapes: Shapes,
    /// Machines, cores of each, links; and what came of the windows so far.
    forecasts: Vec<(usize, usize, Option<f64>, Forecast)>,
    bytes: u64,
}

impl Playing {
    pub(super) fn new(name: &str, jobs: Option<usize>, model: &ScaleModel) -> Self {
        let shapes = model.shapes.clone();
        let mut forecasts = Vec::new();
        for (machines, cores) in shapes.all() {
            if machines == 1 {
                forecasts.push((machines, cores, None, Forecast::default()));
            } else if jobs.is_none() {
                let networks = shapes.networks.iter();
                let on = networks.map(|&bits| (machines, cores, Some(bits), Forecast::default()));
                forecasts.extend(on);
            }
        }
        Self {
            name: name.to_owned(),
            jobs,
            windows: 0,
            bytes: model.bytes(),
            shapes,
            forecasts,
        }
    }

    pub(super) fn window(
        &mut self,
        circuit: &Circuit,
        profile: &Profile,
        cancelled: &dyn Fn() -> bool,
    ) {
        self.windows += 1;
        for (machines, cores, network, forecast) in &mut self.forecasts {
            if cancelled() {
                return;
            }
            let network = Network {
                bytes_per_nanosecond: network.unwrap_or(1e9) / 8e9,
                latency: LATENCY,
                handling: HANDLING * self.bytes as f64,
                bytes_per_bit: self.bytes,
            };
            let cluster = Cluster::alike(*machines, *cores, network);
            let placement = place(circuit, profile, &cluster, &[]);
            *forecast = forecast.then(*placement.forecast());
        }
    }

    pub(super) fn end(self, profile: &Profile) -> Scaled {
        let of_one = self
            .forecasts
            .first()
            .map_or_else(Forecast::default, |first| first.3);
        let jobs = self.jobs.unwrap_or(1);
        let one_core = jobs as f64 * of_one.time * 1e-9;
        let row = |machines: usize, cores: usize, network, forecast: Forecast| {
            let seconds = forecast.time * 1e-9;
            let speedup = match seconds > 0.0 {
                true => one_core / seconds,
                false => 1.0,
            };
            Row {
                machines,
                cores,
                network,
                seconds,
                bound: forecast.bound * 1e-9,
                speedup,
                efficiency: speedup / (machines * cores) as f64,
                bytes_sent: forecast.bytes_sent,
                busiest_link: forecast.busiest_link,
                ciphertexts: forecast.most_bits,
            }
        };
        let rows = match self.jobs {
            None => {
                let forecasts = self.forecasts.iter();
                forecasts
                    .map(|&(machines, cores, network, forecast)| {
                        row(machines, cores, network, forecast)
                    })
                    .collect()
            }
            Some(jobs) => {
                let on_one: Vec<(usize, Forecast)> = self
                    .forecasts
                    .iter()
                    .map(|&(_, cores, _, forecast)| (cores, forecast))
                    .collect();
                let work = (jobs * of_one.rotations) as f64 * profile.cost.lookup;
                let shapes = self.shapes.all();
                shapes
                    .map(|(machines, cores)| {
                        let mut of_share = shared_out(jobs, machines, cores, &on_one);
                        let even = work / (machines * cores) as f64;
                        of_share.bound = of_one.chain.max(even);
                        row(machines, cores, None, of_share)
                    })
                    .collect()
            }
        };
        Scaled {
            name: self.name,
            jobs: self.jobs,
            windows: self.windows,
            lookups: jobs * of_one.rotations,
            chain: of_one.chain * 1e-9,
            one_core,
            rows,
        }
    }
}

/// Jobs on machines, each machine with an even share, of which so many are computed at once, each by its part
/// of the cores, as is fastest. `on_one` are numbers of cores and what a job takes on them.
fn shared_out(
    jobs: usize,
    machines: usize,
    cores: usize,
    on_one: &[(usize, Forecast)],
) -> Forecast {
    let share = jobs.div_ceil(machines);
    let ways = on_one.iter().filter(|(own, _)| *own <= cores);
    let times = ways.map(|&(own, forecast)| {
        let rounds = share.div_ceil(cores / own);
        Forecast {
            time: rounds as f64 * forecast.time,
            most_bits: forecast.most_bits,
            ..Forecast::default()
        }
    });
    let best = times.min_by(|a, b| a.time.total_cmp(&b.time));
    best.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_powers_of_two() {
        let shapes = |most_cores, cores_of_machine| Shapes {
            most_cores,
            cores_of_machine,
            networks: vec![1e10],
        };
        let all = |most, of_machine| shapes(most, of_machine).all().collect::<Vec<_>>();
        assert_eq!(all(1, 64), [(1, 1)]);
        assert_eq!(all(4, 64), [(1, 1), (1, 2), (1, 4)]);
        assert_eq!(all(16, 4), [(1, 1), (1, 2), (1, 4), (2, 4), (4, 4)]);
        assert_eq!(all(13, 6), [(1, 1), (1, 2), (1, 4), (1, 6), (2, 6)]);
    }

    #[test]
    fn jobs_take_whole_rounds() {
        let forecast = |time| Forecast {
            time,
            ..Forecast::default()
        };
        // Two cores are worth one and a half.
        let on_one = [(1, forecast(3.0)), (2, forecast(2.0))];
        for (jobs, machines, cores, time) in [
            (10, 1, 1, 30.0),
            // Two at once, five times; not one after the other at 20.
            (10, 1, 2, 15.0),
            // A machine has three: two rounds, or one after the other by both cores.
            (10, 4, 2, 6.0),
            (1, 4, 2, 2.0),
            (1, 1, 1, 3.0),
        ] {
            assert_eq!(
                shared_out(jobs, machines, cores, &on_one).time,
                time,
                "{jobs}"
            );
        }
    }
}
