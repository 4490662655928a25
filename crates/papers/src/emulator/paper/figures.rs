//! Figures 18 to 24: time at 16 bits against the number of cores.
//!
//! The paper prints bars without figures. These heights are those that the text gives where it
//! describes the figures, rounded as it rounds them; every second bar has a label, and in some
//! figures the first two labelled bars are the same or nearly so (subtractor, divider, flags), so
//! that the labels there seem to be one bar late.

use serde::Serialize;

use super::Function;
use Function::{
    Addition, And, Division, Flags, Multiplication, MultiplicationSigned, ShiftLeft, Subtraction,
};

/// One series of bars.
#[derive(Clone, Copy, Debug, Serialize)]
pub(in super::super) struct Plot {
    pub(in super::super) figure: usize,
    pub(in super::super) function: Function,
    /// Milliseconds for 1, 3, 5, … 47 cores.
    pub(in super::super) bars: [f64; 24],
    /// The speedup that the text gives.
    pub(in super::super) speedup: f64,
}

impl Plot {
    /// Cores and milliseconds.
    pub(in super::super) fn points(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        let cores = (1..).step_by(2);
        cores.zip(self.bars)
    }
}

pub(in super::super) const FIGURES: [Plot; 8] = [
    Plot {
        figure: 18,
        function: Addition,
        bars: [
            4400.0, 2300.0, 1650.0, 1400.0, 1100.0, 1000.0, 850.0, 750.0, 700.0, 650.0, 650.0,
            600.0, 600.0, 600.0, 550.0, 600.0, 650.0, 650.0, 650.0, 650.0, 650.0, 650.0, 650.0,
            650.0,
        ],
        speedup: 7.78,
    },
    Plot {
        figure: 19,
        function: Subtraction,
        bars: [
            5050.0, 4600.0, 2450.0, 1750.0, 1700.0, 1350.0, 1000.0, 950.0, 800.0, 750.0, 700.0,
            700.0, 650.0, 650.0, 600.0, 600.0, 650.0, 650.0, 650.0, 650.0, 700.0, 700.0, 700.0,
            700.0,
        ],
        speedup: 8.49,
    },
    Plot {
        figure: 20,
        function: ShiftLeft,
        bars: [
            3200.0, 1600.0, 1600.0, 1100.0, 800.0, 750.0, 650.0, 500.0, 400.0, 400.0, 400.0, 400.0,
            350.0, 350.0, 350.0, 350.0, 300.0, 300.0, 300.0, 300.0, 300.0, 300.0, 300.0, 300.0,
        ],
        speedup: 10.94,
    },
    Plot {
        figure: 21,
        function: Multiplication,
        bars: [
            86000.0, 45000.0, 32000.0, 26000.0, 22000.0, 19000.0, 17000.0, 15000.0, 14000.0,
            13000.0, 12000.0, 12000.0, 11000.0, 11000.0, 11000.0, 11000.0, 12000.0, 12000.0,
            12000.0, 12000.0, 12000.0, 12000.0, 12000.0, 11000.0,
        ],
        speedup: 8.3,
    },
    Plot {
        figure: 21,
        function: MultiplicationSigned,
        bars: [
            92000.0, 48000.0, 34000.0, 27000.0, 23000.0, 20000.0, 18000.0, 16000.0, 15000.0,
            14000.0, 13000.0, 12000.0, 12000.0, 12000.0, 12000.0, 12000.0, 13000.0, 13000.0,
            13000.0, 13000.0, 13000.0, 13000.0, 13000.0, 12000.0,
        ],
        speedup: 8.4,
    },
    Plot {
        figure: 22,
        function: Division,
        bars: [
            87000.0, 87000.0, 43000.0, 32000.0, 30000.0, 24000.0, 21000.0, 18000.0, 16000.0,
            14000.0, 13000.0, 12000.0, 11000.0, 11000.0, 11000.0, 11000.0, 12000.0, 11000.0,
            11000.0, 11000.0, 11000.0, 11000.0, 11000.0, 11000.0,
        ],
        speedup: 8.43,
    },
    Plot {
        figure: 23,
        function: And,
        bars: [
            400.0, 210.0, 150.0, 110.0, 100.0, 95.0, 90.0, 85.0, 50.0, 50.0, 50.0, 50.0, 50.0,
            50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0,
        ],
        speedup: 8.63,
    },
    Plot {
        figure: 24,
        function: Flags,
        bars: [
            520.0, 470.0, 280.0, 200.0, 180.0, 150.0, 130.0, 130.0, 130.0, 130.0, 140.0, 180.0,
            140.0, 160.0, 150.0, 150.0, 120.0, 120.0, 120.0, 120.0, 120.0, 120.0, 120.0, 110.0,
        ],
        speedup: 4.7,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_give_the_speedups_of_the_text() {
        for plot in FIGURES {
            let least = plot.bars.into_iter().fold(f64::INFINITY, f64::min);
            let speedup = plot.bars[0] / least;
            // Bars are read to a tenth of their least height.
            let wrong = (speedup / plot.speedup - 1.0).abs();
            assert!(wrong < 0.1, "figure {}: {speedup}", plot.figure);
        }
    }

    #[test]
    fn first_bars_are_the_single_core() {
        for plot in FIGURES {
            let (single, _) = plot.function.unit().unwrap().single.unwrap();
            let wrong = (plot.bars[0] / single - 1.0).abs();
            assert!(wrong < 0.03, "figure {}: {single}", plot.figure);
            assert_eq!(plot.points().last().unwrap().0, 47);
        }
    }
}
