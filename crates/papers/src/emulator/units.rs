//! The paper's functional units and their parts as circuits, with their definitions on integers.
//!
//! The same description serves both engines. On gates the architectures are forced to those that
//! the paper draws ([`drawn`]); the lookup engine takes what the library chooses. Operands have the
//! widths of the paper: a shifter's amount has log₂ n bits, flags are computed from a result, the
//! operands' signs and a carry.

use circuits::library::{
    self, Adder, Architectures, Divider, Multiplier, Shift, Shifter, Signedness, Subtractor, Word,
};
use circuits::{Builder, Profile, Wire};

use super::super::bench::{CheckedCircuit, Definition};
use super::paper::{Function, Part};

/// The architectures of §V: the scan of figure 8 for adders, the subtractor of figure 9, the
/// shifter of figure 10, the multiplier of figure 13, the divider of figure 16.
pub(super) fn drawn() -> Architectures {
    Architectures {
        adder: Some(Adder::KoggeStone),
        subtractor: Some(Subtractor::Complement(Adder::KoggeStone)),
        multiplier: Some(Multiplier::CarrySave),
        divider: Some(Divider::AddOrSubtract),
        shifter: Some(Shifter::Multiplexers),
        ..Architectures::default()
    }
}

type Build = Box<dyn FnOnce(&mut Builder, &[Word]) -> Vec<Word>>;

/// A circuit to be built.
pub(super) struct Design {
    operands: Vec<usize>,
    build: Build,
    definition: Definition,
}

impl Design {
    fn new(
        operands: Vec<usize>,
        build: impl FnOnce(&mut Builder, &[Word]) -> Vec<Word> + 'static,
        definition: impl Fn(&[u128]) -> Vec<u128> + 'static,
    ) -> Self {
        Self {
            operands,
            build: Box::new(build),
            definition: Box::new(definition),
        }
    }

    /// Built for a target, prepared.
    pub(super) fn checked(self, profile: &Profile) -> CheckedCircuit {
        CheckedCircuit::build(profile, self.operands, self.build, self.definition)
    }
}

/// n ones.
fn low(n: usize) -> u128 {
    (1 << n) - 1
}

/// A number in two's complement.
fn signed(n: usize, value: u128) -> i128 {
    let sign = value >> (n - 1) & 1;
    value as i128 - ((sign as i128) << n)
}

/// What immediate operands are.
const IMMEDIATE: u64 = 0x3a5c_96e1;

/// A unit of n bits.
pub(super) fn unit(function: Function, n: usize) -> Design {
    use Function as F;
    let immediate = u128::from(IMMEDIATE);
    let moved = |build: fn(&[Wire]) -> Word, clear: fn(usize, u128) -> u128| {
        Design::new(
            vec![n],
            move |_, w| vec![build(&w[0])],
            move |v| vec![clear(n, v[0])],
        )
    };
    match function {
        F::Addition => addition(n, Wire::FALSE),
        F::Subtraction => Design::new(
            vec![n; 2],
            |b, w| {
                let difference =
                    library::add_with_carry(b, &w[0], &library::not(&w[1]), Wire::TRUE);
                vec![difference.sum, vec![difference.carry]]
            },
            |v| vec![v[0].wrapping_sub(v[1]), u128::from(v[0] >= v[1])],
        ),
        F::ShiftLeft => shift(n, Shift::Left, |_, x, by| x << by),
        F::ShiftRight => shift(n, Shift::LogicalRight, |_, x, by| x >> by),
        F::ShiftRightArithmetic => shift(n, Shift::ArithmeticRight, |n, x, by| {
            (signed(n, x) >> by) as u128
        }),
        F::Multiplication => Design::new(
            vec![n; 2],
            |b, w| {
                vec![library::multiply_long(
                    b,
                    Signedness::Unsigned,
                    &w[0],
                    &w[1],
                )]
            },
            |v| vec![v[0] * v[1]],
        ),
        F::MultiplicationSigned => Design::new(
            vec![n; 2],
            |b, w| vec![library::multiply_long(b, Signedness::Signed, &w[0], &w[1])],
            move |v| vec![(signed(n, v[0]) * signed(n, v[1])) as u128],
        ),
        F::Division => Design::new(
            vec![n; 2],
            |b, w| vec![library::divide(b, Signedness::Unsigned, &w[0], &w[1]).quotient],
            // ARM's rule for a divisor of 0.
            |v| vec![v[0].checked_div(v[1]).unwrap_or(0)],
        ),
        F::And => bitwise(n, library::and, |x, y| x & y),
        F::Or => bitwise(n, library::or, |x, y| x | y),
        F::Xor => bitwise(n, library::xor, |x, y| x ^ y),
        F::OrNot => bitwise(
            n,
            |b, x, y| library::or(b, x, &library::not(y)),
            |x, y| x | !y,
        ),
        F::AndClear => with_immediate(n, library::and, move |x| x & immediate),
        F::OrClear => with_immediate(n, library::or, move |x| x | immediate),
        F::XorClear => with_immediate(n, library::xor, move |x| x ^ immediate),
        F::OrNotClear => with_immediate(
            n,
            |b, x, y| library::or(b, x, &library::not(y)),
            move |x| x | !immediate,
        ),
        F::Not => moved(library::not, |_, x| !x),
        F::FieldClear => moved(
            |x| [&vec![Wire::FALSE; x.len() / 2][..], &x[x.len() / 2..]].concat(),
            |n, x| x >> (n / 2) << (n / 2),
        ),
        F::FieldInsert => Design::new(
            vec![n; 2],
            |_, w| {
                let half = w[0].len() / 2;
                vec![[&w[1][..half], &w[0][half..]].concat()]
            },
            move |v| vec![v[1] & low(n / 2) | v[0] >> (n / 2) << (n / 2)],
        ),
        F::ReverseBits => moved(
            |x| x.iter().rev().copied().collect(),
            |n, x| x.reverse_bits() >> (128 - n),
        ),
        F::ReverseBytes => moved(
            |x| x.rchunks(8).flatten().copied().collect(),
            |n, x| x.swap_bytes() >> (128 - n),
        ),
        F::Flags => Design::new(
            vec![n, 1, 1, 1],
            |b, w| {
                let (a, c, s) = (w[1][0], w[2][0], w[0][n_of(&w[0])]);
                // (ā·b̄·s) + (a·b·s̄)
                let positive = b.and(!a, !c);
                let positive = b.and(positive, s);
                let negative = b.and(a, c);
                let negative = b.and(negative, !s);
                let overflow = b.or(positive, negative);
                let zero = library::is_zero(b, &w[0]);
                [s, zero, w[3][0], overflow].map(|flag| vec![flag]).to_vec()
            },
            move |v| {
                let sign = v[0] >> (n - 1) & 1;
                let overflow = v[1] == v[2] && v[1] != sign;
                vec![sign, u128::from(v[0] == 0), v[3], u128::from(overflow)]
            },
        ),
    }
}

/// The place of the top bit.
fn n_of(word: &[Wire]) -> usize {
    word.len().saturating_sub(1)
}

/// A sum and its carry.
fn addition(n: usize, carry_in: Wire) -> Design {
    Design::new(
        vec![n; 2],
        move |b, w| {
            let added = library::add_with_carry(b, &w[0], &w[1], carry_in);
            vec![added.sum, vec![added.carry]]
        },
        move |v| {
            let sum = v[0] + v[1];
            vec![sum, sum >> n]
        },
    )
}

fn shift(n: usize, kind: Shift, clear: fn(usize, u128, u128) -> u128) -> Design {
    Design::new(
        vec![n, n.ilog2() as usize],
        move |b, w| vec![library::shift(b, kind, &w[0], &w[1], Wire::FALSE).0],
        move |v| vec![clear(n, v[0], v[1])],
    )
}

type Gate = fn(&mut Builder, &[Wire], &[Wire]) -> Word;

fn bitwise(n: usize, gate: Gate, clear: fn(u128, u128) -> u128) -> Design {
    Design::new(
        vec![n; 2],
        move |b, w| vec![gate(b, &w[0], &w[1])],
        move |v| vec![clear(v[0], v[1])],
    )
}

fn with_immediate(n: usize, gate: Gate, clear: impl Fn(u128) -> u128 + 'static) -> Design {
    Design::new(
        vec![n],
        move |b, w| vec![gate(b, &w[0], &library::constant(IMMEDIATE, n))],
        move |v| vec![clear(v[0])],
    )
}

/// A part of a unit of n bits; nothing for parts without any gate.
pub(super) fn part(function: Function, part: Part, n: usize) -> Option<Design> {
    Some(match part {
        Part::GenerateAndPropagate => Design::new(
            vec![n; 2],
            |b, w| vec![library::and(b, &w[0], &w[1]), library::xor(b, &w[0], &w[1])],
            |v| vec![v[0] & v[1], v[0] ^ v[1]],
        ),
        Part::Carries(level) => carries(n, 1 << (level - 1)),
        // The lowest bit has no carry.
        Part::Sum => Design::new(
            vec![n, n - 1],
            |b, w| vec![library::xor(b, &w[0][1..], &w[1])],
            |v| vec![v[0] >> 1 ^ v[1]],
        ),
        Part::Negation => return None,
        Part::AddWithCarry => addition_with_carry(n),
        Part::Select(stage) => selection(function, n, 1 << (stage - 1)),
        Part::Iteration if function == Function::Division => Design::new(
            vec![n, n, 1],
            |b, w| {
                let subtract = w[2][0];
                let operand: Word = w[1].iter().map(|&bit| b.xor(bit, subtract)).collect();
                vec![library::add_with_carry(b, &w[0], &operand, subtract).sum]
            },
            |v| {
                vec![match v[2] {
                    1 => v[0].wrapping_sub(v[1]),
                    _ => v[0] + v[1],
                }]
            },
        ),
        Part::Iteration => Design::new(
            vec![n, n, 1],
            |b, w| {
                let bit = w[2][0];
                let row: Word = w[1].iter().map(|&other| b.and(bit, other)).collect();
                let added = library::add_with_carry(b, &w[0], &row, Wire::FALSE);
                vec![added.sum, vec![added.carry]]
            },
            move |v| {
                let sum = v[0] + v[1] * v[2];
                vec![sum, sum >> n]
            },
        ),
    })
}

fn addition_with_carry(n: usize) -> Design {
    Design::new(
        vec![n, n],
        |b, w| {
            let added = library::add_with_carry(b, &w[0], &w[1], Wire::TRUE);
            vec![added.sum, vec![added.carry]]
        },
        move |v| {
            let sum = v[0] + v[1] + 1;
            vec![sum, sum >> n]
        },
    )
}

/// A level of the scan: each column joins the one at this distance. Columns that begin at the
/// lowest need no propagate bit any more.
fn carries(n: usize, distance: usize) -> Design {
    Design::new(
        vec![n; 2],
        move |b, w| {
            let (g, p) = (&w[0], &w[1]);
            let generate = (0..n).map(|at| match at.checked_sub(distance) {
                None => g[at],
                Some(before) => {
                    let carried = b.and(p[at], g[before]);
                    b.or(g[at], carried)
                }
            });
            let generate: Word = generate.collect();
            let propagate = (2 * distance..n).map(|at| b.and(p[at], p[at - distance]));
            vec![generate, propagate.collect()]
        },
        move |v| {
            let (g, p) = (v[0], v[1]);
            vec![g | p & g << distance, (p & p << distance) >> (2 * distance)]
        },
    )
}

/// A stage of a shifter.
fn selection(function: Function, n: usize, distance: usize) -> Design {
    let left = function == Function::ShiftLeft;
    let fill_sign = function == Function::ShiftRightArithmetic;
    Design::new(
        vec![n, 1],
        move |b, w| {
            let (word, select) = (&w[0], w[1][0]);
            let fill = match fill_sign {
                true => word[n - 1],
                false => Wire::FALSE,
            };
            let selected = (0..n).map(|at| {
                let from = match left {
                    true => at.checked_sub(distance),
                    false => Some(at + distance).filter(|&from| from < n),
                };
                b.mux(select, from.map_or(fill, |from| word[from]), word[at])
            });
            vec![selected.collect()]
        },
        move |v| {
            let by = distance * v[1] as usize;
            vec![match function {
                Function::ShiftLeft => v[0] << by,
                Function::ShiftRightArithmetic => (signed(n, v[0]) >> by) as u128,
                _ => v[0] >> by,
            }]
        },
    )
}

#[cfg(test)]
mod tests {
    use random::Generator;

    use super::super::paper::{STAGES, UNITS, WIDTHS, formulas};
    use super::*;

    /// Gates of two inputs at one unit each, selections at two.
    fn gates() -> Profile {
        let mut profile = Profile::gate_simulation();
        profile.cost.xor = 1.0;
        profile.cost.mux = 2.0;
        profile.architectures = drawn();
        profile
    }

    #[test]
    fn units_compute_what_they_are_called() {
        let mut generator = Generator::from_key([3; 32]);
        for profile in [gates(), Profile::lookup_simulation()] {
            for of in UNITS {
                for n in WIDTHS {
                    let checked = unit(of.function, n).checked(&profile);
                    checked.check(of.name, &mut generator).unwrap();
                }
            }
        }
    }

    #[test]
    fn parts_compute_what_they_are_called() {
        let mut generator = Generator::from_key([4; 32]);
        for stages in STAGES {
            for &(of, _) in stages.parts {
                if let Some(design) = part(stages.function, of, stages.width) {
                    let checked = design.checked(&gates());
                    checked.check(&of.to_string(), &mut generator).unwrap();
                }
            }
        }
    }

    #[test]
    fn the_adder_is_its_stages() {
        for n in WIDTHS {
            let whole = unit(Function::Addition, n).checked(&gates()).size;
            let mut parts = vec![Part::GenerateAndPropagate, Part::Sum];
            parts.extend((1..=n.ilog2() as usize).map(Part::Carries));
            let of = |part_: Part| {
                let design = part(Function::Addition, part_, n).unwrap();
                design.checked(&gates()).size
            };
            let gates: usize = parts.iter().map(|&part| of(part).bootstraps).sum();
            assert_eq!(whole.bootstraps, gates);
            // The formula's less one: the last columns to join are not those that the sum waits
            // for.
            let formula = formulas(Function::Addition, n).unwrap();
            assert_eq!(whole.depth + 1, formula.depth);
        }
    }
}
