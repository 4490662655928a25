//! The circuit: the paper's, and `hardware/` of this project. Its cycles were counted while products
//! were simulated and compared with GMP's (`hardware/test --whole`); a run here counts none.

use serde::Serialize;

use super::super::report::{Cell, Origin, Row, Section, Table, ratio, significant};
use super::contest::{AUTOMATIC, Task};
use super::paper;
use super::study::Study;

/// When it was simulated, and of which state.
const SIMULATED: &str = "2026-11-28, commit 2347937";

/// The paper's clock; its circuit's critical path allows no more.
const PAPER_S: f64 = 200e6;
/// What is asked of a process of 45 nm.
const FASTER: f64 = 400e6;

/// A design and what it takes.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Circuit {
    pub(super) name: &'static str,
    pub(super) printed: bool,
    /// Cycles of a product; carries that would run through whole segments, once in 2^42 random
    /// products, take ours one stage more.
    pub(super) product: u64,
    /// Of Montgomery's modular product.
    pub(super) modular: Option<u64>,
}

pub(super) const CIRCUITS: [Circuit; 5] = [
    Circuit {
        name: "the paper's, as printed",
        printed: true,
        product: 41_146,
        modular: None,
    },
    Circuit {
        name: "the paper's, simulated",
        printed: false,
        product: 41_075,
        modular: None,
    },
    Circuit {
        name: "three stages, 16 lanes",
        printed: false,
        product: 24_787,
        modular: Some(66_163),
    },
    Circuit {
        name: "three stages, 32 lanes",
        printed: false,
        product: 12_481,
        modular: Some(33_337),
    },
    Circuit {
        name: "three stages, 64 lanes",
        printed: false,
        product: 6_328,
        modular: Some(16_924),
    },
];

/// Cycles, times at two clocks, and this machine beside them.
pub(super) fn section(study: &Study) -> Section {
    let contests = study.contests.iter();
    let software = contests
        .filter(|contest| contest.task == Task::Product && contest.bits == paper::BITS)
        .flat_map(|contest| &contest.standings)
        .find(|standing| standing.name == AUTOMATIC && standing.threads == 1)
        .map(|standing| standing.times.median);
    let row = |circuit: &Circuit| {
        let origin = match circuit.printed {
            true => Origin::Paper,
            false => Origin::Recorded,
        };
        let cycles = |count: u64| Cell::new(origin, super::tables::grouped(count));
        let at = |clock: f64| circuit.product as f64 / clock;
        let mut cells = vec![
            cycles(circuit.product),
            circuit.modular.map_or_else(|| Cell::text(""), cycles),
        ];
        for clock in [PAPER_S, FASTER] {
            cells.push(Cell::text(significant(at(clock) * 1e3)));
            cells.push(software.map_or_else(
                || Cell::text(""),
                |seconds| Cell::new(Origin::Computed, ratio(seconds / at(clock))),
            ));
        }
        Row::Cells(circuit.name.to_owned(), cells)
    };
    Section {
        title: "The circuit: cycles of a product of 786,432 bits".to_owned(),
        text: vec![format!(
            "Simulated cycle by cycle, products compared with GMP's ({SIMULATED}; hardware/README.md has \
             areas and paths). The times are cycles divided by a clock; no chip was made."
        )],
        table: Table {
            columns: [
                "",
                "product, cycles",
                "modular, cycles",
                "ms at 200 MHz",
                "ours here ÷ it",
                "ms at 400 MHz",
                "ours here ÷ it",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: CIRCUITS.iter().map(row).collect(),
        },
        charts: Vec::new(),
        remarks: vec![
            "The paper compares its chip of 90 nm with a processor's 6 ms. What the same chip, or a faster one, \
             would gain beside today's software on one core of this machine is in the columns beside the times."
                .to_owned(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_what_the_stages_take() {
        // 65,536 samples a stage, six stages; a modular product has sixteen.
        for (circuit, lanes) in CIRCUITS[2..].iter().zip([16, 32, 64]) {
            let stage = 65_536 / lanes;
            assert!((6 * stage..6 * stage + 300).contains(&circuit.product));
            let modular = circuit.modular.unwrap();
            assert!((16 * stage..16 * stage + 700).contains(&modular));
        }
    }
}
