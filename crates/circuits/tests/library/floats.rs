//! Floating point against the definition of ARM's manual on plain numbers, in every mode, on
//! operands of which many are special, and of few bits apart.

use a32::{FloatFormat, FloatMode, FloatOperation, FloatRounding, Invalid, Precision, Signedness};
use blindcore_circuits::library::float::{
    self, Exceptions, Fixed, Format, Mode, Rounded, Rounding,
};
use blindcore_circuits::library::{self, Word};
use blindcore_circuits::{Builder, Circuit, Profile, Wire, sim};

/// A generator of test operands (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 11) % limit
    }

    /// Bits of a format: few exponents and fractions are met more often than chance has it.
    fn number(&mut self, format: Format, near: u64) -> u64 {
        let (e, f) = (format.exponent as u64, format.fraction as u64);
        if self.below(4) == 0 {
            return self.next() >> (63 - e - f);
        }
        let largest = (1u64 << e) - 1;
        let exponent = match self.below(8) {
            0 => 0,
            1 => largest,
            2 => [1, largest - 1, largest / 2, largest - 2][self.below(4) as usize],
            3 => largest / 2 + self.below(40).min(largest / 2),
            4 | 5 => {
                let near = near >> f & largest;
                (near + self.below(2 * f + 8))
                    .saturating_sub(f + 4)
                    .min(largest)
            }
            _ => self.next() & largest,
        };
        let ones = (1u64 << f) - 1;
        let fraction = match self.below(6) {
            0 => 0,
            1 => ones,
            2 => 1 << self.below(f),
            3 => ones & !(1 << self.below(f)),
            4 => (near ^ self.below(4)) & ones,
            _ => self.next() & ones,
        };
        (self.next() & 1) << (e + f) | exponent << f | fraction
    }
}

fn format_of(format: FloatFormat, alternative: bool) -> Format {
    match format {
        FloatFormat::Half if alternative => Format::ALTERNATIVE_HALF,
        FloatFormat::Half => Format::HALF,
        FloatFormat::Single => Format::SINGLE,
        FloatFormat::Double => Format::DOUBLE,
    }
}

fn rounding_of(rounding: FloatRounding) -> Rounding {
    match rounding {
        FloatRounding::NearestEven => Rounding::NearestEven,
        FloatRounding::NearestAway => Rounding::NearestAway,
        FloatRounding::Up => Rounding::Up,
        FloatRounding::Down => Rounding::Down,
        FloatRounding::Zero => Rounding::Zero,
    }
}

fn mode_of(mode: FloatMode) -> Mode {
    Mode {
        rounding: rounding_of(mode.rounding),
        flush_to_zero: mode.flush_to_zero,
        default_nan: mode.default_nan,
    }
}

/// The operation's circuit: the result's bits, then the exceptions in the order of FPSCR.
fn draw(b: &mut Builder, operation: FloatOperation, mode: FloatMode, x: &[Word]) -> Rounded {
    let of = |precision: Precision| format_of(precision.into(), false);
    let (m, asked) = (mode_of(mode), |rounding: Option<FloatRounding>| Mode {
        rounding: rounding_of(rounding.unwrap_or(mode.rounding)),
        ..mode_of(mode)
    });
    let fixed = |signedness: Signedness, fraction: u8| Fixed {
        signedness: match signedness {
            Signedness::Signed => library::Signedness::Signed,
            Signedness::Unsigned => library::Signedness::Unsigned,
        },
        fraction: fraction.into(),
    };
    match operation {
        FloatOperation::Add(p) => float::add(b, of(p), m, &x[0], &x[1]),
        FloatOperation::Subtract(p) => float::subtract(b, of(p), m, &x[0], &x[1]),
        FloatOperation::Multiply(p) => float::multiply(b, of(p), m, &x[0], &x[1]),
        FloatOperation::Divide(p) => float::divide(b, of(p), m, &x[0], &x[1]),
        FloatOperation::SquareRoot(p) => float::square_root(b, of(p), m, &x[0]),
        FloatOperation::MultiplyAdd(p) => float::multiply_add(b, of(p), m, &x[0], &x[1], &x[2]),
        FloatOperation::MaximumNumber(p) => float::maximum_number(b, of(p), m, &x[0], &x[1]),
        FloatOperation::MinimumNumber(p) => float::minimum_number(b, of(p), m, &x[0], &x[1]),
        FloatOperation::RoundToIntegral {
            precision,
            rounding,
            inexact,
        } => float::round_to_integral(b, of(precision), asked(rounding), inexact, &x[0]),
        FloatOperation::Compare(p, which) => {
            let which = match which {
                Invalid::Signaling => float::Invalid::Signaling,
                Invalid::Every => float::Invalid::Every,
            };
            let compared = float::compare(b, of(p), m, which, &x[0], &x[1]);
            let mut value = library::constant(0, 28);
            value.extend([compared.unordered, !compared.less]);
            value.extend([compared.equal, compared.less]);
            let exceptions = Exceptions {
                invalid: compared.invalid,
                input_denormal: compared.input_denormal,
                ..Exceptions::NONE
            };
            Rounded { value, exceptions }
        }
        FloatOperation::FromFixed {
            precision,
            signedness,
            fraction_bits,
            rounding,
        } => {
            let fixed = fixed(signedness, fraction_bits);
            float::from_fixed(b, of(precision), asked(rounding), fixed, &x[0])
        }
        FloatOperation::ToFixed {
            precision,
            signedness,
            width,
            fraction_bits,
            rounding,
        } => {
            let fixed = fixed(signedness, fraction_bits);
            let mut word = float::to_fixed(
                b,
                of(precision),
                asked(rounding),
                fixed,
                width.into(),
                &x[0],
            );
            let sign = match signedness {
                Signedness::Signed => word.value[usize::from(width) - 1],
                Signedness::Unsigned => Wire::FALSE,
            };
            word.value.resize(32, sign);
            word
        }
        FloatOperation::Convert { from, to } => {
            let alternative = mode.alternative_half;
            let [from, to] = [from, to].map(|format| format_of(format, alternative));
            float::convert(b, from, to, m, &x[0])
        }
    }
}

/// The formats of the operands.
pub(super) fn operands(operation: FloatOperation) -> Vec<FloatFormat> {
    match operation {
        FloatOperation::Add(p)
        | FloatOperation::Subtract(p)
        | FloatOperation::Multiply(p)
        | FloatOperation::Divide(p)
        | FloatOperation::MaximumNumber(p)
        | FloatOperation::MinimumNumber(p)
        | FloatOperation::Compare(p, _) => vec![p.into(); 2],
        FloatOperation::MultiplyAdd(p) => vec![p.into(); 3],
        FloatOperation::SquareRoot(p) => vec![p.into()],
        FloatOperation::RoundToIntegral { precision, .. } => vec![precision.into()],
        FloatOperation::FromFixed { .. } => vec![FloatFormat::Single],
        FloatOperation::ToFixed { precision, .. } => vec![precision.into()],
        FloatOperation::Convert { from, .. } => vec![from],
    }
}

pub(super) fn circuit(
    profile: &Profile,
    operation: FloatOperation,
    mode: FloatMode,
    exceptions: bool,
) -> Circuit {
    let mut b = Builder::new(profile);
    let words: Vec<Word> = (operands(operation).into_iter())
        .map(|format| b.inputs(format_of(format, false).width()))
        .collect();
    let made = draw(&mut b, operation, mode, &words);
    made.value.iter().for_each(|&bit| b.output(bit));
    if exceptions {
        let e = made.exceptions;
        for wire in [
            e.invalid,
            e.division_by_zero,
            e.overflow,
            e.underflow,
            e.inexact,
            e.input_denormal,
        ] {
            b.output(wire);
        }
    }
    b.finish()
}

/// Compares with the definition on `blocks` times 64 operands.
fn agrees(profile: &Profile, operation: FloatOperation, status: u32, blocks: usize, seed: u64) {
    let mode = FloatMode::of(status);
    let circuit = circuit(profile, operation, mode, true);
    let formats = operands(operation);
    let mut random = Random(seed | 1);
    for _ in 0..blocks {
        let cases: Vec<Vec<u64>> = (0..64)
            .map(|_| {
                let mut near = random.next();
                (formats.iter())
                    .map(|&format| {
                        let integer = matches!(operation, FloatOperation::FromFixed { .. });
                        near = match integer {
                            true => random.next() >> 32 >> random.below(33),
                            false => random.number(format_of(format, false), near),
                        };
                        near
                    })
                    .collect()
            })
            .collect();
        let mut lanes = Vec::new();
        for (number, &format) in formats.iter().enumerate() {
            for at in 0..format_of(format, false).width() {
                let bit = |(lane, case): (usize, &Vec<u64>)| (case[number] >> at & 1) << lane;
                lanes.push(cases.iter().enumerate().map(bit).sum());
            }
        }
        let outputs = sim::evaluate(&circuit, &lanes).unwrap();
        let (value, met) = outputs.split_at(outputs.len() - 6);
        for (lane, case) in cases.iter().enumerate() {
            let words: Vec<u32> = (case.iter().zip(&formats))
                .flat_map(|(&value, format)| {
                    [value as u32, (value >> 32) as u32]
                        .into_iter()
                        .take(format.words())
                })
                .collect();
            let expected = operation.compute(mode, &words);
            let wide = u64::from(expected.words[1]) << 32 | u64::from(expected.words[0]);
            let gather = |bits: &[u64]| {
                let bit = |(at, bits): (usize, &u64)| (bits >> lane & 1) << at;
                bits.iter().enumerate().map(bit).sum::<u64>()
            };
            let found = gather(value);
            let flags = gather(met);
            let flags = flags & 31 | (flags >> 5) << 7;
            assert_eq!(
                (found, flags),
                (wide, u64::from(expected.exceptions)),
                "{operation:?} of {case:x?}, mode {mode:?}: {found:x} for {wide:x}",
            );
        }
    }
}

/// The sixteen modes of FPSCR, and ARM's alternative halves.
fn modes() -> impl Iterator<Item = u32> {
    (0..32).map(|mode| mode << 22)
}

const PRECISIONS: [Precision; 2] = [Precision::Single, Precision::Double];

fn everywhere(operation: FloatOperation, blocks: usize) {
    for status in modes().filter(|status| status >> 26 == 0) {
        let seed = u64::from(status) << 32 | 0x1234_5679;
        agrees(
            &Profile::lookup_simulation(),
            operation,
            status,
            blocks,
            seed,
        );
    }
    agrees(&Profile::gate_simulation(), operation, 0, blocks, 77);
}

#[test]
fn sums() {
    for precision in PRECISIONS {
        everywhere(FloatOperation::Add(precision), 40);
        everywhere(FloatOperation::Subtract(precision), 20);
    }
}

#[test]
fn products() {
    for precision in PRECISIONS {
        everywhere(FloatOperation::Multiply(precision), 20);
    }
}

#[test]
fn quotients() {
    for precision in PRECISIONS {
        everywhere(FloatOperation::Divide(precision), 10);
    }
}

#[test]
fn roots() {
    for precision in PRECISIONS {
        everywhere(FloatOperation::SquareRoot(precision), 10);
    }
}

#[test]
fn fused_products() {
    for precision in PRECISIONS {
        everywhere(FloatOperation::MultiplyAdd(precision), 20);
    }
}

#[test]
fn extrema() {
    for precision in PRECISIONS {
        everywhere(FloatOperation::MaximumNumber(precision), 20);
        everywhere(FloatOperation::MinimumNumber(precision), 20);
    }
}

#[test]
fn numbers_without_a_fraction() {
    for precision in PRECISIONS {
        for rounding in [
            None,
            Some(FloatRounding::NearestAway),
            Some(FloatRounding::Up),
        ] {
            for inexact in [false, true] {
                let operation = FloatOperation::RoundToIntegral {
                    precision,
                    rounding,
                    inexact,
                };
                everywhere(operation, 10);
            }
        }
    }
}

#[test]
fn comparisons() {
    for precision in PRECISIONS {
        everywhere(FloatOperation::Compare(precision, Invalid::Signaling), 20);
        everywhere(FloatOperation::Compare(precision, Invalid::Every), 20);
    }
}

#[test]
#[ignore = "slow: 4 s"]
fn integers() {
    for precision in PRECISIONS {
        for signedness in [Signedness::Signed, Signedness::Unsigned] {
            for fraction_bits in [0, 1, 16, 31, 32] {
                for rounding in [None, Some(FloatRounding::NearestAway)] {
                    everywhere(
                        FloatOperation::FromFixed {
                            precision,
                            signedness,
                            fraction_bits,
                            rounding,
                        },
                        2,
                    );
                }
                for width in [16, 32] {
                    for rounding in [
                        None,
                        Some(FloatRounding::Zero),
                        Some(FloatRounding::NearestAway),
                    ] {
                        let operation = FloatOperation::ToFixed {
                            precision,
                            signedness,
                            width,
                            fraction_bits,
                            rounding,
                        };
                        everywhere(operation, 3);
                    }
                }
            }
        }
    }
}

#[test]
fn conversions() {
    let formats = [FloatFormat::Half, FloatFormat::Single, FloatFormat::Double];
    for from in formats {
        for to in formats {
            if from == to {
                continue;
            }
            let operation = FloatOperation::Convert { from, to };
            for status in modes() {
                agrees(
                    &Profile::lookup_simulation(),
                    operation,
                    status,
                    8,
                    u64::from(status) + 5,
                );
            }
            agrees(&Profile::gate_simulation(), operation, 0, 8, 3);
        }
    }
}

/// A quarter of them of any bits whatever: a million operands of each operation in all sixteen modes.
#[test]
#[ignore = "statistics: a million words by each operation, minutes"]
fn many_random_words_by_each_operation() {
    const BLOCKS: usize = 1_000_000 / 64 / 16 + 1;
    let formats = [FloatFormat::Half, FloatFormat::Single, FloatFormat::Double];
    let mut operations = Vec::new();
    for precision in PRECISIONS {
        operations.extend([
            FloatOperation::Add(precision),
            FloatOperation::Subtract(precision),
            FloatOperation::Multiply(precision),
            FloatOperation::Divide(precision),
            FloatOperation::SquareRoot(precision),
            FloatOperation::MultiplyAdd(precision),
            FloatOperation::MaximumNumber(precision),
            FloatOperation::MinimumNumber(precision),
            FloatOperation::Compare(precision, Invalid::Signaling),
            FloatOperation::RoundToIntegral {
                precision,
                rounding: None,
                inexact: true,
            },
        ]);
        for signedness in [Signedness::Signed, Signedness::Unsigned] {
            operations.push(FloatOperation::FromFixed {
                precision,
                signedness,
                fraction_bits: 0,
                rounding: None,
            });
            operations.push(FloatOperation::ToFixed {
                precision,
                signedness,
                width: 32,
                fraction_bits: 0,
                rounding: Some(FloatRounding::Zero),
            });
        }
    }
    for from in formats {
        for to in formats.into_iter().filter(|&to| to != from) {
            operations.push(FloatOperation::Convert { from, to });
        }
    }
    for operation in operations {
        for status in modes().filter(|status| status >> 26 == 0) {
            let seed = u64::from(status) << 20 ^ 0x5851_f42d_4c95_7f2d;
            let profile = Profile::lookup_simulation();
            agrees(&profile, operation, status, BLOCKS, seed);
        }
        println!("{operation:?}: {} agree", BLOCKS * 64 * 16);
    }
}
