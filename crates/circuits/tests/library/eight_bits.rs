//! Floating point in eight bits, all operands there are, against exact arithmetic: what a number of
//! eight bits is, its sums and its products are numbers of `f64`, and of its quotients and roots
//! `f64` has more than twice as many bits as decide how they are rounded.

use blindcore_circuits::library::float::{
    self, Exceptions, Fixed, Format, Invalid, Mode, Rounded, Rounding,
};
use blindcore_circuits::library::{Signedness, Word};
use blindcore_circuits::{Builder, Circuit, Profile, sim};

/// Sign, four bits of exponent, three of fraction.
const TINY: Format = Format {
    exponent: 4,
    fraction: 3,
    has_infinity: true,
};
/// Fewer bits of exponent, and more, as many as a half has, whose subnormals are never flushed.
const OTHERS: [Format; 2] = [
    Format {
        exponent: 3,
        fraction: 4,
        has_infinity: true,
    },
    Format {
        exponent: 5,
        fraction: 2,
        has_infinity: true,
    },
];

const INVALID: u64 = 1;
const DIVISION_BY_ZERO: u64 = 2;
const OVERFLOW: u64 = 4;
const UNDERFLOW: u64 = 8;
const INEXACT: u64 = 16;
const INPUT_DENORMAL: u64 = 32;

/// The arithmetic of one format in one mode: results as bits and exceptions.
#[derive(Clone, Copy)]
struct Oracle {
    format: Format,
    mode: Mode,
}

impl Oracle {
    fn flushes(self) -> bool {
        self.mode.flush_to_zero && self.format.exponent != Format::HALF.exponent
    }

    fn fraction(self, bits: u64) -> u64 {
        bits & ((1 << self.format.fraction) - 1)
    }

    fn exponent(self, bits: u64) -> u64 {
        bits >> self.format.fraction & ((1 << self.format.exponent) - 1)
    }

    fn sign(self) -> u64 {
        1 << (self.format.width() - 1)
    }

    fn infinity(self) -> u64 {
        ((1 << self.format.exponent) - 1) << self.format.fraction
    }

    fn quiet(self) -> u64 {
        1 << (self.format.fraction - 1)
    }

    fn is_nan(self, bits: u64) -> bool {
        bits & !self.sign() > self.infinity()
    }

    /// The operand's value, and that a subnormal was flushed.
    fn value(self, bits: u64) -> (f64, u64) {
        let (exponent, fraction) = (self.exponent(bits), self.fraction(bits));
        let flushed = self.flushes() && exponent == 0 && fraction != 0;
        let bias = self.format.bias() as i32;
        let scale = |exponent: u64| 2f64.powi(exponent as i32 - bias - self.format.fraction as i32);
        let magnitude = match exponent {
            _ if flushed => 0.0,
            0 => fraction as f64 * scale(1),
            _ if self.is_nan(bits) => f64::NAN,
            _ if bits & !self.sign() == self.infinity() => f64::INFINITY,
            _ => (fraction | 1 << self.format.fraction) as f64 * scale(exponent),
        };
        let negative = bits & self.sign() != 0;
        let value = if negative { -magnitude } else { magnitude };
        (value, if flushed { INPUT_DENORMAL } else { 0 })
    }

    fn values<const N: usize>(self, bits: [u64; N]) -> ([f64; N], u64) {
        let met = bits.map(|bits| self.value(bits).1);
        (
            bits.map(|bits| self.value(bits).0),
            met.iter().fold(0, |all, met| all | met),
        )
    }

    fn undefined(self) -> (u64, u64) {
        (self.infinity() | self.quiet(), INVALID)
    }

    /// The first signaling NaN, else the first, made quiet.
    fn nan(self, operands: &[u64]) -> Option<(u64, u64)> {
        let nans: Vec<u64> = (operands.iter().copied())
            .filter(|&bits| self.is_nan(bits))
            .collect();
        let signaling = (nans.iter().copied()).find(|&bits| bits & self.quiet() == 0);
        let chosen = signaling.or(nans.first().copied())? | self.quiet();
        let result = if self.mode.default_nan {
            self.undefined().0
        } else {
            chosen
        };
        Some((result, signaling.map_or(0, |_| INVALID)))
    }

    /// A whole number of quanta, and whether it is another one.
    fn whole(rounding: Rounding, value: f64) -> (f64, bool) {
        let (low, rest) = (value.abs().floor(), value.abs().fract());
        let up = match rounding {
            Rounding::NearestEven => rest > 0.5 || rest == 0.5 && low % 2.0 == 1.0,
            Rounding::NearestAway => rest >= 0.5,
            Rounding::Zero => false,
            Rounding::Up => rest > 0.0 && value > 0.0,
            Rounding::Down => rest > 0.0 && value < 0.0,
        };
        let whole = low + f64::from(u8::from(up));
        (whole.copysign(value), rest != 0.0)
    }

    /// A number, rounded to the format.
    fn round(self, value: f64) -> (u64, u64) {
        let sign = if value.is_sign_negative() {
            self.sign()
        } else {
            0
        };
        if value == 0.0 || value.is_infinite() {
            let magnitude = if value == 0.0 { 0 } else { self.infinity() };
            return (sign | magnitude, 0);
        }
        let (bias, fraction) = (self.format.bias() as i32, self.format.fraction as i32);
        let least = 1 - bias;
        let power = (value.to_bits() >> 52 & 0x7ff) as i32 - 1023;
        let tiny = power < least;
        if tiny && self.flushes() {
            return (sign, UNDERFLOW);
        }
        let quantum = 2f64.powi(power.max(least) - fraction);
        let (whole, inexact) = Self::whole(self.mode.rounding, value / quantum);
        let result = whole.abs() * quantum;
        if result >= 2f64.powi(bias + 1) {
            let largest = match self.mode.rounding {
                Rounding::NearestEven | Rounding::NearestAway => false,
                Rounding::Zero => true,
                Rounding::Up => value < 0.0,
                Rounding::Down => value > 0.0,
            };
            let magnitude = self.infinity() - u64::from(largest);
            return (sign | magnitude, OVERFLOW | INEXACT);
        }
        // Fraction and exponent are one number: a carry out of the one is the next of the other.
        let field = (power.max(least) - least) as u64;
        let magnitude = (field << fraction) + whole.abs() as u64;
        let mut met = if inexact { INEXACT } else { 0 };
        if tiny && inexact {
            met |= UNDERFLOW;
        }
        (sign | magnitude, met)
    }

    /// A sum, of which the exact value is known; −0 where it vanishes downwards.
    fn sum(self, terms: [f64; 2]) -> (u64, u64) {
        let total = terms[0] + terms[1];
        if total.is_nan() {
            return self.undefined();
        }
        let vanishes = total == 0.0 && terms[0].is_sign_negative() != terms[1].is_sign_negative();
        match vanishes && self.mode.rounding == Rounding::Down {
            true => (self.sign(), 0),
            false => self.round(total),
        }
    }

    fn of_two(self, operation: Two, [x, y]: [u64; 2]) -> (u64, u64) {
        let ([a, c], denormal) = self.values([x, y]);
        let with = |(bits, met): (u64, u64)| (bits, met | denormal);
        if let Two::Maximum | Two::Minimum = operation {
            return with(self.extremum(operation == Two::Maximum, [x, y], [a, c]));
        }
        if let Some(nan) = self.nan(&[x, y]) {
            return with(nan);
        }
        with(match operation {
            Two::Add => self.sum([a, c]),
            Two::Subtract => self.sum([a, -c]),
            Two::Multiply if (a * c).is_nan() => self.undefined(),
            Two::Multiply => self.round(a * c),
            Two::Divide if (a / c).is_nan() => self.undefined(),
            Two::Divide if c == 0.0 && a.is_finite() => (self.round(a / c).0, DIVISION_BY_ZERO),
            _ => self.round(a / c),
        })
    }

    fn extremum(self, greatest: bool, bits: [u64; 2], [a, c]: [f64; 2]) -> (u64, u64) {
        let nan = self.nan(&bits);
        let signaling = nan.is_some_and(|(_, met)| met != 0);
        match (a.is_nan(), c.is_nan(), nan) {
            (_, _, Some(nan)) if signaling => nan,
            (true, true, Some(nan)) => nan,
            (true, false, _) => self.round(c),
            (false, true, _) => self.round(a),
            _ if a == 0.0 && c == 0.0 => {
                let signs = bits.map(|bits| bits & self.sign());
                let sign = match greatest {
                    true => signs[0] & signs[1],
                    false => signs[0] | signs[1],
                };
                (sign, 0)
            }
            _ if (a > c) == greatest => self.round(a),
            _ => self.round(c),
        }
    }

    fn of_three(self, [x, y, z]: [u64; 3]) -> (u64, u64) {
        let ([a, c, d], denormal) = self.values([x, y, z]);
        let product = a * c;
        let meaningless = product.is_nan() && !a.is_nan() && !c.is_nan();
        let nan = self.nan(&[z, x, y]);
        let signaling = nan.is_some_and(|(_, met)| met != 0);
        let (bits, met) = match nan {
            _ if meaningless && !signaling => self.undefined(),
            Some(nan) => nan,
            None => self.sum([product, d]),
        };
        (bits, met | denormal)
    }

    fn of_one(self, operation: One, x: u64) -> (u64, u64) {
        let (a, denormal) = self.value(x);
        let (bits, met) = match (operation, self.nan(&[x])) {
            (One::ToFixed(fixed), _) => self.to_fixed(fixed, a),
            (One::Convert(to), Some((_, met))) => {
                let to = Self { format: to, ..self };
                let from = self.format.fraction;
                let payload = self.fraction(x) << to.format.fraction >> from;
                let sign = if x & self.sign() != 0 { to.sign() } else { 0 };
                match self.mode.default_nan {
                    true => (to.undefined().0, met),
                    false => (sign | to.infinity() | to.quiet() | payload, met),
                }
            }
            (_, Some(nan)) => nan,
            (One::SquareRoot, _) if a < 0.0 => self.undefined(),
            (One::SquareRoot, _) => self.round(a.sqrt()),
            (One::RoundToIntegral(_), _) if a.is_infinite() => (x, 0),
            (One::RoundToIntegral(exact), _) => {
                let (whole, changed) = Self::whole(self.mode.rounding, a);
                // Never tiny and never too large.
                let met = if exact && changed { INEXACT } else { 0 };
                (self.round(whole).0, met)
            }
            (One::Convert(to), _) => Self { format: to, ..self }.round(a),
        };
        (bits, met | denormal)
    }

    /// Of eight bits.
    fn to_fixed(self, fixed: Fixed, value: f64) -> (u64, u64) {
        let (least, greatest) = match fixed.signedness {
            Signedness::Signed => (-128.0, 127.0),
            Signedness::Unsigned => (0.0, 255.0),
        };
        if value.is_nan() {
            return (0, INVALID);
        }
        let scaled = value * 2f64.powi(fixed.fraction as i32);
        let (whole, inexact) = match scaled.is_infinite() {
            true => (scaled, false),
            false => Self::whole(self.mode.rounding, scaled),
        };
        let fits = whole.clamp(least, greatest);
        let met = match (fits == whole, inexact) {
            (false, _) => INVALID,
            (true, true) => INEXACT,
            (true, false) => 0,
        };
        (fits as i64 as u64 & 0xff, met)
    }

    fn of_fixed(self, fixed: Fixed, word: u64) -> (u64, u64) {
        let value = match fixed.signedness {
            Signedness::Signed => f64::from(word as u8 as i8),
            Signedness::Unsigned => word as f64,
        };
        let (bits, met) = self.round(value / 2f64.powi(fixed.fraction as i32));
        (bits, met)
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Two {
    Add,
    Subtract,
    Multiply,
    Divide,
    Maximum,
    Minimum,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum One {
    SquareRoot,
    /// Whether a changed value is inexact.
    RoundToIntegral(bool),
    Convert(Format),
    ToFixed(Fixed),
}

fn modes() -> impl Iterator<Item = Mode> {
    let roundings = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Up,
        Rounding::Down,
        Rounding::Zero,
    ];
    let of = |rounding| {
        (0..4).map(move |bits| Mode {
            rounding,
            flush_to_zero: bits & 1 == 1,
            default_nan: bits & 2 == 2,
        })
    };
    roundings.into_iter().flat_map(of)
}

/// All modes with lookups, and two with gates.
fn targets() -> Vec<(Profile, Mode)> {
    let of_lookups = modes().map(|mode| (Profile::lookup_simulation(), mode));
    let flushing = Mode {
        flush_to_zero: true,
        rounding: Rounding::Up,
        ..Mode::IEEE
    };
    let of_gates = [Mode::IEEE, flushing].map(|mode| (Profile::gate_simulation(), mode));
    of_lookups.chain(of_gates).collect()
}

/// Result and exceptions as outputs.
fn finish(mut b: Builder, made: &Rounded) -> Circuit {
    let Exceptions {
        invalid,
        division_by_zero,
        overflow,
        underflow,
        inexact,
        input_denormal,
    } = made.exceptions;
    made.value.iter().for_each(|&bit| b.output(bit));
    for wire in [
        invalid,
        division_by_zero,
        overflow,
        underflow,
        inexact,
        input_denormal,
    ] {
        b.output(wire);
    }
    b.finish()
}

/// Compares a circuit with what its operands, eight or so bits each, should give.
fn compare<const N: usize>(
    circuit: &Circuit,
    width: usize,
    cases: impl Iterator<Item = [u64; N]>,
    expected: impl Fn([u64; N]) -> (u64, u64),
    what: &str,
) {
    let mut cases = cases.peekable();
    while cases.peek().is_some() {
        let block: Vec<[u64; N]> = cases.by_ref().take(64).collect();
        let mut lanes = vec![0u64; N * width];
        for (lane, case) in block.iter().enumerate() {
            for (at, bits) in lanes.iter_mut().enumerate() {
                *bits |= (case[at / width] >> (at % width) & 1) << lane;
            }
        }
        let found = sim::evaluate(circuit, &lanes).unwrap();
        let mut answers = [0u64; 64];
        for (at, bits) in found.iter().enumerate() {
            for (lane, answer) in answers.iter_mut().enumerate() {
                *answer |= (bits >> lane & 1) << at;
            }
        }
        for (case, answer) in block.iter().zip(answers) {
            let at = found.len() - 6;
            let (bits, met) = expected(*case);
            let found = (answer & ((1 << at) - 1), answer >> at);
            assert_eq!(found, (bits, met), "{what} of {case:x?}");
        }
    }
}

fn pairs(width: usize) -> impl Iterator<Item = [u64; 2]> {
    let all = 1u64 << width;
    (0..all * all).map(move |pair| [pair / all, pair % all])
}

fn of_two(format: Format, operations: &[Two], targets: &[(Profile, Mode)]) {
    for (profile, mode) in targets {
        for &operation in operations {
            let mut b = Builder::new(profile);
            let [x, y] = [0; 2].map(|_| b.inputs(format.width()));
            let draw = match operation {
                Two::Add => float::add,
                Two::Subtract => float::subtract,
                Two::Multiply => float::multiply,
                Two::Divide => float::divide,
                Two::Maximum => float::maximum_number,
                Two::Minimum => float::minimum_number,
            };
            let made = draw(&mut b, format, *mode, &x, &y);
            let oracle = Oracle {
                format,
                mode: *mode,
            };
            compare(
                &finish(b, &made),
                format.width(),
                pairs(format.width()),
                |case| oracle.of_two(operation, case),
                &format!("{operation:?}, {format:?}, {mode:?}, {}", profile.name),
            );
        }
    }
}

#[test]
#[ignore = "slow: 2 s"]
fn all_sums_and_differences() {
    of_two(TINY, &[Two::Add, Two::Subtract], &targets());
}

#[test]
fn all_products() {
    of_two(TINY, &[Two::Multiply], &targets());
}

#[test]
fn all_quotients() {
    of_two(TINY, &[Two::Divide], &targets());
}

#[test]
fn all_greater_and_lesser_numbers() {
    of_two(TINY, &[Two::Maximum, Two::Minimum], &targets());
}

#[test]
#[ignore = "slow: two more divisions of eight bits, 20 s"]
fn all_pairs_of_other_formats() {
    use Two::{Add, Divide, Maximum, Minimum, Multiply, Subtract};
    for format in OTHERS {
        let all = [Add, Subtract, Multiply, Divide, Maximum, Minimum];
        of_two(format, &all, &targets());
    }
}

#[test]
fn all_comparisons() {
    for (profile, mode) in targets() {
        for which in [Invalid::Signaling, Invalid::Every] {
            let mut b = Builder::new(&profile);
            let [x, y] = [0; 2].map(|_| b.inputs(TINY.width()));
            let compared = float::compare(&mut b, TINY, mode, which, &x, &y);
            let made = Rounded {
                value: vec![compared.less, compared.equal, compared.unordered],
                exceptions: Exceptions {
                    invalid: compared.invalid,
                    input_denormal: compared.input_denormal,
                    ..Exceptions::NONE
                },
            };
            let oracle = Oracle { format: TINY, mode };
            let expected = |[x, y]: [u64; 2]| {
                let ([a, c], denormal) = oracle.values([x, y]);
                let bit = |holds: bool, at: u32| u64::from(holds) << at;
                let unordered = a.is_nan() || c.is_nan();
                let invalid = match which {
                    Invalid::Every => unordered,
                    Invalid::Signaling => oracle.nan(&[x, y]).is_some_and(|nan| nan.1 != 0),
                };
                let value = bit(a < c, 0) | bit(a == c, 1) | bit(unordered, 2);
                (value, bit(invalid, 0) | denormal)
            };
            let what = format!("comparison, {which:?}, {mode:?}, {}", profile.name);
            compare(&finish(b, &made), 8, pairs(8), expected, &what);
        }
    }
}

#[test]
fn all_roots_and_conversions() {
    let fixed = [Signedness::Signed, Signedness::Unsigned].map(|signedness| {
        [0, 3, 8].map(|fraction| Fixed {
            signedness,
            fraction,
        })
    });
    let fixed = fixed.as_flattened();
    let others = [Format::HALF, Format::BFLOAT16, OTHERS[0], OTHERS[1]];
    let operations = [One::SquareRoot].into_iter();
    let operations = operations.chain([true, false].map(One::RoundToIntegral));
    let operations = operations.chain(others.map(One::Convert));
    let operations = operations.chain(fixed.iter().copied().map(One::ToFixed));
    let operations: Vec<One> = operations.collect();
    for (profile, mode) in targets() {
        let oracle = Oracle { format: TINY, mode };
        let every = || (0..256).map(|bits| [bits]);
        for &operation in &operations {
            let mut b = Builder::new(&profile);
            let x: Word = b.inputs(TINY.width());
            let made = match operation {
                One::SquareRoot => float::square_root(&mut b, TINY, mode, &x),
                One::RoundToIntegral(exact) => {
                    float::round_to_integral(&mut b, TINY, mode, exact, &x)
                }
                One::Convert(to) => float::convert(&mut b, TINY, to, mode, &x),
                One::ToFixed(fixed) => float::to_fixed(&mut b, TINY, mode, fixed, 8, &x),
            };
            let what = format!("{operation:?}, {mode:?}, {}", profile.name);
            let expected = |[x]: [u64; 1]| oracle.of_one(operation, x);
            compare(&finish(b, &made), 8, every(), expected, &what);
        }
        // Of the second format every word is a normal number.
        for (format, &fixed) in [TINY, OTHERS[1]]
            .into_iter()
            .flat_map(|format| fixed.iter().map(move |fixed| (format, fixed)))
        {
            let mut b = Builder::new(&profile);
            let word = b.inputs(8);
            let made = float::from_fixed(&mut b, format, mode, fixed, &word);
            let what = format!("{format:?} from {fixed:?}, {mode:?}, {}", profile.name);
            let oracle = Oracle { format, mode };
            let expected = |[word]: [u64; 1]| oracle.of_fixed(fixed, word);
            compare(&finish(b, &made), 8, every(), expected, &what);
        }
    }
}

/// All words of a wider format become numbers of eight bits.
#[test]
fn all_halves_in_eight_bits() {
    for from in [Format::HALF, Format::BFLOAT16] {
        for mode in modes() {
            let mut b = Builder::new(&Profile::lookup_simulation());
            let x = b.inputs(16);
            let made = float::convert(&mut b, from, TINY, mode, &x);
            let oracle = Oracle { format: from, mode };
            let what = format!("{from:?} converted, {mode:?}");
            let expected = |[x]: [u64; 1]| oracle.of_one(One::Convert(TINY), x);
            let every = (0..1 << 16).map(|bits| [bits]);
            compare(&finish(b, &made), 16, every, expected, &what);
        }
    }
}

fn fused(profile: &Profile, mode: Mode, addends: impl Fn(u64) -> Vec<u64>) {
    let mut b = Builder::new(profile);
    let [x, y, z] = [0; 3].map(|_| b.inputs(TINY.width()));
    let made = float::multiply_add(&mut b, TINY, mode, &x, &y, &z);
    let oracle = Oracle { format: TINY, mode };
    let triples =
        pairs(8).flat_map(|[x, y]| addends(x << 8 | y).into_iter().map(move |z| [x, y, z]));
    let what = format!("fused, {mode:?}, {}", profile.name);
    compare(
        &finish(b, &made),
        8,
        triples,
        |case| oracle.of_three(case),
        &what,
    );
}

#[test]
#[ignore = "slow: 2 s"]
fn fused_products_of_all_pairs() {
    for (number, (profile, mode)) in (0..).zip(targets()) {
        // Another addend for each pair and mode.
        fused(&profile, mode, |pair| {
            let mixed = (pair + number) * 0x9e37_79b9 + (pair >> 7) * 31;
            vec![mixed >> 16 & 255]
        });
    }
}

#[test]
#[ignore = "slow: all 16,777,216 triples in five roundings, 60 s"]
fn fused_products_of_all_triples_as_stated_everywhere() {
    for mode in modes().filter(|mode| !mode.default_nan && !mode.flush_to_zero) {
        fused(&Profile::lookup_simulation(), mode, |_| (0..256).collect());
    }
}
