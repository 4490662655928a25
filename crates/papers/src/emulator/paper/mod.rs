//! What the paper printed: Gong, Negrut, CryptoEmu: an instruction set emulator for computation
//! over ciphers, 2020. Measured there with the TFHE library on 48 cores of Intel Xeon E5-2650 v3 at
//! 2.3 GHz.

mod figures;
mod formulas;
mod stages;

use serde::Serialize;

pub(super) use figures::{FIGURES, Plot};
pub(super) use formulas::formulas;
pub(super) use stages::{Part, STAGES};

pub(super) const TITLE: &str =
    "CryptoEmu: An Instruction Set Emulator for Computation Over Ciphers";
pub(super) const SOURCE: &str = "X. Gong, D. Negrut, University of Wisconsin-Madison, 2020";
pub(super) const MACHINE: &str = "four Intel Xeon E5-2650 v3, 2.3 GHz, 48 cores";
/// Cores of that machine.
pub(super) const CORES: usize = 48;
/// The widths of its registers.
pub(super) const WIDTHS: [usize; 2] = [16, 32];
/// Table I: an AND, in milliseconds; §VII-A calls it G.
pub(super) const GATE: f64 = 25.6176;

/// A functional unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Function {
    Addition,
    Subtraction,
    ShiftLeft,
    ShiftRight,
    ShiftRightArithmetic,
    Multiplication,
    MultiplicationSigned,
    Division,
    AndClear,
    And,
    OrClear,
    Or,
    XorClear,
    Xor,
    OrNotClear,
    OrNot,
    Not,
    FieldClear,
    FieldInsert,
    ReverseBits,
    ReverseBytes,
    Flags,
}

/// What is asked of ours, on one thread at 16 bits, against the paper's single core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Arithmetic,
    Bitwise,
    /// No gate at all.
    Movement,
    Flags,
}

impl Kind {
    /// The ratio that is asked for.
    pub(super) fn target(self) -> Option<f64> {
        match self {
            Self::Arithmetic => Some(100.0),
            Self::Flags => Some(40.0),
            Self::Bitwise => Some(15.0),
            Self::Movement => None,
        }
    }
}

/// Where the time on a single core is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// Printed in table XXIV.
    Table,
    /// The first bar of this figure, as the text describes it.
    Figure(usize),
    /// The unit has no gate, so that cores make no difference: table XIV.
    NoGate,
}

/// A unit's times, in milliseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Unit {
    pub(super) function: Function,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The table of `multi`.
    pub(super) table: &'static str,
    /// On 48 cores, overhead included, for [`WIDTHS`].
    pub(super) multi: [f64; 2],
    /// At 16 bits on a single core.
    pub(super) single: Option<(f64, Source)>,
    /// HElib in table XXIV.
    pub(super) helib: Option<f64>,
}

const fn unit(
    function: Function,
    name: &'static str,
    kind: Kind,
    table: &'static str,
    multi: [f64; 2],
) -> Unit {
    Unit {
        function,
        name,
        kind,
        table,
        multi,
        single: None,
        helib: None,
    }
}

impl Unit {
    /// With table XXIV's columns of a single core and of HElib.
    const fn compared(self, single: f64, helib: f64) -> Self {
        Self {
            single: Some((single, Source::Table)),
            helib: Some(helib),
            ..self
        }
    }

    const fn single(self, ms: f64, source: Source) -> Self {
        Self {
            single: Some((ms, source)),
            ..self
        }
    }
}

use Function::{
    Addition, And, AndClear, Division, FieldClear, FieldInsert, Flags, Multiplication,
    MultiplicationSigned, Not, Or, OrClear, OrNot, OrNotClear, ReverseBits, ReverseBytes,
    ShiftLeft, ShiftRight, ShiftRightArithmetic, Subtraction, Xor, XorClear,
};
use Kind::{Arithmetic, Bitwise, Movement};

/// The totals of tables III to XV.
pub(super) const UNITS: [Unit; 22] = [
    unit(
        Addition,
        "addition",
        Arithmetic,
        "III, IV",
        [528.482, 941.12],
    )
    .compared(4400.67, 10484.1),
    unit(
        Subtraction,
        "subtraction",
        Arithmetic,
        "V, VI",
        [715.015, 1115.25],
    )
    .compared(5088.57, 10962.2),
    unit(
        ShiftLeft,
        "shift left",
        Arithmetic,
        "VII, VIII",
        [287.92, 474.739],
    )
    .single(3200.0, Source::Figure(20)),
    unit(
        ShiftRight,
        "shift right",
        Arithmetic,
        "IX, X",
        [290.517, 472.896],
    )
    .single(3200.0, Source::Figure(20)),
    unit(
        ShiftRightArithmetic,
        "shift right, arithmetic",
        Arithmetic,
        "IX, X",
        [296.124, 491.787],
    )
    .single(3200.0, Source::Figure(20)),
    unit(
        Multiplication,
        "multiplication, unsigned",
        Arithmetic,
        "XI",
        [11316.8, 36929.2],
    )
    .compared(86389.8, 69988.9),
    unit(
        MultiplicationSigned,
        "multiplication, signed",
        Arithmetic,
        "XII",
        [13120.6, 34826.0],
    )
    .compared(92408.4, 81707.2),
    unit(
        Division,
        "division, unsigned",
        Arithmetic,
        "XIII",
        [11659.5, 38256.5],
    )
    .single(87000.0, Source::Figure(22)),
    unit(And, "AND", Bitwise, "XIV", [47.7228, 55.4597]).compared(411.014, 756.641),
    unit(Or, "OR", Bitwise, "XIV", [47.6171, 50.089]).compared(416.146, 771.12),
    unit(Xor, "XOR", Bitwise, "XIV", [47.1986, 50.3683]).compared(416.013, 1.52444),
    unit(OrNot, "ORN", Bitwise, "XIV", [47.6422, 57.0639]).single(400.0, Source::Figure(23)),
    unit(
        AndClear,
        "AND, immediate",
        Movement,
        "XIV",
        [26.9195, 27.1288],
    ),
    unit(
        OrClear,
        "OR, immediate",
        Movement,
        "XIV",
        [28.1923, 27.8774],
    ),
    unit(
        XorClear,
        "XOR, immediate",
        Movement,
        "XIV",
        [29.2375, 27.9389],
    ),
    unit(
        OrNotClear,
        "ORN, immediate",
        Movement,
        "XIV",
        [27.8467, 27.776],
    ),
    unit(Not, "NOT", Movement, "XIV", [0.006089, 0.01232]).compared(0.012508, 1.8975),
    unit(FieldClear, "BFC", Movement, "XIV", [0.0028094, 0.0026892])
        .single(0.0028094, Source::NoGate),
    unit(FieldInsert, "BFI", Movement, "XIV", [0.003278, 0.0033974])
        .single(0.003278, Source::NoGate),
    unit(ReverseBits, "RBIT", Movement, "XIV", [0.0104582, 0.0216222])
        .single(0.0104582, Source::NoGate),
    unit(ReverseBytes, "REV", Movement, "XIV", [0.0097926, 0.0187618])
        .single(0.0097926, Source::NoGate),
    unit(
        Flags,
        "condition flags",
        Kind::Flags,
        "XV",
        [115.901, 169.843],
    )
    .compared(519.757, 4706.07),
];

/// Table XXIV: the multi-core column and the speedup over HElib, negative where HElib is faster.
/// Its multi-core times are not those of tables III to XV.
pub(super) const COMPARISON: [(Function, f64, f64); 9] = [
    (Addition, 566.149, 18.518),
    (Subtraction, 599.396, 18.289),
    (Multiplication, 10396.1, 6.732),
    (MultiplicationSigned, 10985.4, 7.438),
    (Xor, 47.1986, -30.9613),
    (Or, 47.6171, 16.194),
    (And, 47.6001, 15.90),
    (Not, 0.012508, 151.703),
    (Flags, 110.416, 42.62),
];

impl Function {
    /// The paper's row of it.
    pub(super) fn unit(self) -> Option<&'static Unit> {
        UNITS.iter().find(|unit| unit.function == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speedups_of_table_xxiv() {
        for (function, multi, speedup) in COMPARISON {
            let unit = function.unit().unwrap();
            let helib = unit.helib.unwrap();
            let computed = match speedup < 0.0 {
                true => -multi / helib,
                false => helib / multi,
            };
            let wrong = (computed / speedup - 1.0).abs();
            assert!(wrong < 3e-4, "{}: {computed} for {speedup}", unit.name);
        }
    }

    #[test]
    fn the_speedups_of_its_text() {
        // §VII-B, a single core over all of them.
        for (function, speedup) in [
            (Addition, 7.78),
            (Subtraction, 8.49),
            (Multiplication, 8.3),
            (MultiplicationSigned, 8.4),
            (Flags, 4.7),
            (And, 8.63),
        ] {
            let (_, multi, _) = COMPARISON.iter().find(|row| row.0 == function).unwrap();
            let (single, _) = function.unit().unwrap().single.unwrap();
            let computed = single / multi;
            assert!(
                (computed / speedup - 1.0).abs() < 2e-3,
                "{computed} for {speedup}"
            );
        }
    }

    #[test]
    fn every_function_once() {
        for (at, unit) in UNITS.iter().enumerate() {
            let twins = UNITS.iter().filter(|other| other.function == unit.function);
            assert_eq!(twins.count(), 1, "{}", unit.name);
            assert!(unit.multi.iter().all(|&ms| ms > 0.0), "row {at}");
        }
    }
}
