//! The rows of tables III to XIII that are parts of a unit: stages of the adder and of the
//! shifters, one iteration of the multipliers and of the divider. Milliseconds on 48 cores.

use serde::Serialize;

use super::Function;

/// The parts of a unit at one width.
#[derive(Clone, Copy, Debug, Serialize)]
pub(in super::super) struct Stages {
    pub(in super::super) function: Function,
    pub(in super::super) table: &'static str,
    pub(in super::super) width: usize,
    pub(in super::super) parts: &'static [(Part, f64)],
}

/// A part of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum Part {
    /// Generate and propagate bits of all columns.
    GenerateAndPropagate,
    /// The carries' level of this number, from 1.
    Carries(usize),
    /// The sum's bits.
    Sum,
    /// The subtrahend's complement.
    Negation,
    /// The addition within a subtraction.
    AddWithCarry,
    /// The shifter's stage of this number, from 1.
    Select(usize),
    /// One row of a multiplication or one bit of a quotient.
    Iteration,
}

use Function::{
    Addition, Division, Multiplication, MultiplicationSigned, ShiftLeft, ShiftRight,
    ShiftRightArithmetic, Subtraction,
};
use Part::{AddWithCarry, Carries, GenerateAndPropagate, Iteration, Negation, Select, Sum};

const fn stages(
    function: Function,
    table: &'static str,
    width: usize,
    parts: &'static [(Part, f64)],
) -> Stages {
    Stages {
        function,
        table,
        width,
        parts,
    }
}

/// In the order of the tables.
pub(in super::super) const STAGES: [Stages; 16] = [
    stages(
        Addition,
        "III",
        16,
        &[
            (GenerateAndPropagate, 51.3939),
            (Carries(1), 93.4178),
            (Carries(2), 93.5273),
            (Carries(3), 80.342),
            (Carries(4), 70.8481),
            (Sum, 34.2846),
        ],
    ),
    stages(
        Addition,
        "IV",
        32,
        &[
            (GenerateAndPropagate, 94.9246),
            (Carries(1), 147.451),
            (Carries(2), 133.389),
            (Carries(3), 127.331),
            (Carries(4), 112.268),
            (Carries(5), 91.5781),
            (Sum, 49.0098),
        ],
    ),
    stages(
        Subtraction,
        "V",
        16,
        &[(Negation, 0.034_110_6), (AddWithCarry, 680.59)],
    ),
    stages(
        Subtraction,
        "VI",
        32,
        &[(Negation, 0.034_746_6), (AddWithCarry, 1058.65)],
    ),
    stages(
        ShiftLeft,
        "VII",
        16,
        &[
            (Select(1), 87.3295),
            (Select(2), 82.2656),
            (Select(3), 76.6871),
            (Select(4), 55.5396),
        ],
    ),
    stages(
        ShiftLeft,
        "VIII",
        32,
        &[
            (Select(1), 101.92),
            (Select(2), 89.7695),
            (Select(3), 98.8634),
            (Select(4), 91.3939),
            (Select(5), 91.8491),
        ],
    ),
    stages(
        ShiftRight,
        "IX",
        16,
        &[
            (Select(1), 88.1408),
            (Select(2), 85.5154),
            (Select(3), 75.0295),
            (Select(4), 55.9639),
        ],
    ),
    stages(
        ShiftRightArithmetic,
        "IX",
        16,
        &[
            (Select(1), 87.7689),
            (Select(2), 79.6416),
            (Select(3), 75.2938),
            (Select(4), 54.9246),
        ],
    ),
    stages(
        ShiftRight,
        "X",
        32,
        &[
            (Select(1), 104.33),
            (Select(2), 104.75),
            (Select(3), 90.2377),
            (Select(4), 89.7183),
            (Select(5), 90.6315),
        ],
    ),
    stages(
        ShiftRightArithmetic,
        "X",
        32,
        &[
            (Select(1), 106.132),
            (Select(2), 95.3209),
            (Select(3), 90.1364),
            (Select(4), 90.5383),
            (Select(5), 94.4654),
        ],
    ),
    stages(Multiplication, "XI", 16, &[(Iteration, 715.812)]),
    stages(Multiplication, "XI", 32, &[(Iteration, 926.79)]),
    stages(MultiplicationSigned, "XII", 16, &[(Iteration, 742.8)]),
    stages(MultiplicationSigned, "XII", 32, &[(Iteration, 1154.77)]),
    stages(Division, "XIII", 16, &[(Iteration, 769.063)]),
    stages(Division, "XIII", 32, &[(Iteration, 1308.67)]),
];

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            GenerateAndPropagate => f.write_str("(g, p)"),
            Carries(level) => write!(f, "carries, level {level}"),
            Sum => f.write_str("sum"),
            Negation => f.write_str("negation"),
            AddWithCarry => f.write_str("addition with carry"),
            Select(stage) => write!(f, "selection, stage {stage}"),
            Iteration => f.write_str("one iteration"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::WIDTHS;
    use super::*;

    #[test]
    fn parts_add_up_to_their_unit() {
        for stages in STAGES {
            let at = WIDTHS
                .iter()
                .position(|&width| width == stages.width)
                .unwrap();
            let total = stages.function.unit().unwrap().multi[at];
            let parts: f64 = stages.parts.iter().map(|(_, ms)| ms).sum();
            let parts = match stages.parts[0].0 {
                // "Total latency is roughly equal to N times single iteration's latency".
                Iteration => parts * stages.width as f64,
                _ => parts,
            };
            let share = parts / total;
            // Overhead; but table VII's stages are 5 % more than its own total.
            assert!((0.73..1.1).contains(&share), "{stages:?}: {share}");
        }
    }
}
