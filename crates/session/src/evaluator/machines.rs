//! What a run would take on several machines, and on how many it is best run.

use std::num::NonZeroUsize;

use circuits::Timing;
use circuits::exec::Cancel;
use circuits::place::{Cluster, Forecast, Network, place};
use processor::{Program, RunError, Task};

use super::Planned;

/// Machines that are alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Machines {
    /// How many, at most.
    pub machines: usize,
    /// Workers of each.
    pub cores: usize,
    /// Bits that each one's link carries in a second, each way.
    pub bits_per_second: f64,
    /// Bytes of a ciphertext on it.
    pub bytes_per_ciphertext: u64,
}

impl Machines {
    /// Workers of all of them.
    #[must_use]
    pub fn all_cores(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.machines * self.cores).unwrap_or(NonZeroUsize::MIN)
    }
}

/// A run on some number of machines.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OnMachines {
    /// How many.
    pub machines: usize,
    /// What comes of it.
    pub forecast: Forecast,
}

/// A run on one machine, two, four and so on.
///
/// ```
/// use std::path::Path;
///
/// use blindcore_session::evaluator::{Limit, Machines, OnMachines, Scale, Target};
/// use blindcore_session::program::Execution;
/// use blindcore_session::schemes::tfhe::plan;
/// use blindcore_session::{Control, Program};
/// use circuits::{Timing, exec::Cancel};
///
/// let text = b".bits 16\n.data a\n.data b\n LOAD R0, a\n LOAD R1, b\n MUL R0, R0, R1\n STORE R0, a";
/// let program = Program::from_bytes(Path::new("product.hea"), text)?;
/// let names = ["a".to_owned(), "b".to_owned()];
/// let task = program.task(&Execution::default(), program.declared(&names, None)?)?;
/// let target = Target::of(&Control::default());
/// let planned = plan(program.image(), &task, &tfhe::P16, &target)?;
/// // A lookup takes 2 ms, in batches or by itself.
/// let timing = Timing::new(vec![vec![2e6]]).expect("a time");
/// let machines = Machines { machines: 6, cores: 4, bits_per_second: 1e10, bytes_per_ciphertext: 16_392 };
/// let scale = Scale::new(program.image(), &task, &planned, &timing, &machines, &Cancel::new())?;
/// let rows: &[OnMachines] = &scale.rows;
/// assert_eq!(rows.iter().map(|row| row.machines).collect::<Vec<_>>(), [1, 2, 4, 6]);
/// // One product is no work for twenty-four cores: six machines are not twice as fast as one.
/// assert!(rows[3].forecast.time > rows[0].forecast.time / 2.0);
/// assert_eq!(scale.limit() == Limit::Asked, scale.best().machines == 6);
/// assert!(rows[0].forecast.time >= rows[0].forecast.bound);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Scale {
    /// By number of machines, ascending; the last is what was asked for.
    pub rows: Vec<OnMachines>,
    /// Time on one core, in nanoseconds.
    pub one_core: f64,
}

/// Why more machines than the best number would not help.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Nothing: more were not looked at.
    Asked,
    /// Operations that wait for each other.
    Chain,
    /// Links are busy most of the time.
    Network,
    /// There is not enough to do at a time, and results that travel take their time.
    Width,
}

/// How much slower than the fastest the best number may be: another machine is to be worth it.
const WORTH: f64 = 1.05;

impl Scale {
    /// Records the program as it was planned, and places every window. `timing` are times of batches on
    /// one of the machines, in nanoseconds.
    ///
    /// # Errors
    /// Those of planning.
    pub fn new(
        program: &Program,
        task: &Task,
        planned: &Planned,
        timing: &Timing,
        machines: &Machines,
        cancel: &Cancel,
    ) -> Result<Self, RunError> {
        // Circuits are recorded by the plan's costs, and placed by those of the machines.
        let recorded = planned.profile();
        let mut profile = recorded.clone();
        profile.set_timing(timing.clone());
        let network = Network {
            bytes_per_bit: machines.bytes_per_ciphertext,
            ..Network::of_bits_per_second(machines.bits_per_second, &profile)
        };
        let mut rows: Vec<OnMachines> = numbers(machines.machines)
            .map(|machines| OnMachines {
                machines,
                forecast: Forecast::default(),
            })
            .collect();
        let mut one_core = 0.0;
        let mut each = |circuit: &circuits::Circuit| {
            one_core += circuits::exec::replay(circuit, &profile, 1).time;
            for row in &mut rows {
                let cluster = Cluster::alike(row.machines, machines.cores, network);
                let placement = place(circuit, &profile, &cluster, &[]);
                row.forecast = row.forecast.then(*placement.forecast());
            }
        };
        processor::plan_observed(program, task, &recorded, cancel, &mut each)?;
        Ok(Self { rows, one_core })
    }

    /// The fewest machines that are nearly as fast as any.
    #[must_use]
    pub fn best(&self) -> &OnMachines {
        let times = self.rows.iter().map(|row| row.forecast.time);
        let least = times.fold(f64::INFINITY, f64::min);
        let mut rows = self.rows.iter();
        match rows.find(|row| row.forecast.time <= WORTH * least) {
            Some(best) => best,
            None => unreachable!("there is at least one machine"),
        }
    }

    /// Why more than [that](Self::best) would not help.
    #[must_use]
    pub fn limit(&self) -> Limit {
        let OnMachines { machines, forecast } = self.best();
        if self
            .rows
            .last()
            .is_some_and(|last| last.machines == *machines)
        {
            return Limit::Asked;
        }
        let next = self.rows.iter().find(|row| row.machines > *machines);
        let next = next.map_or(*forecast, |row| row.forecast);
        if next.chain >= 0.8 * next.time {
            Limit::Chain
        } else if next.busiest_link >= 0.8 {
            Limit::Network
        } else {
            Limit::Width
        }
    }
}

/// Powers of two, and the number itself.
fn numbers(most: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(1usize), |power| power.checked_mul(2));
    let most = most.max(1);
    powers.take_while(move |&power| power < most).chain([most])
}
