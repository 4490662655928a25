//! A division of bits in two parts, and the lookups of their classes.

use crate::{Builder, Wire};

/// Bits of a part: all that a lookup tells apart.
const PART: usize = 4;

/// A function of up to eight bits by all its values.
pub(super) type Table = [u64; 4];

/// Two parts, and what the last lookup reads of each.
#[derive(Clone, Debug)]
pub(super) struct Division {
    parts: [Vec<usize>; 2],
    numbers: [Number; 2],
}

/// What is read of a part.
#[derive(Clone, Debug)]
enum Number {
    /// Its bits as they are.
    Value { range: usize },
    /// Its class, by value, which takes a lookup. Where there is one only, nothing.
    Class { of: Vec<u8>, range: usize },
}

impl Number {
    fn range(&self) -> usize {
        match self {
            Self::Value { range } | Self::Class { range, .. } => *range,
        }
    }

    fn lookups(&self) -> usize {
        match self {
            Self::Value { .. } | Self::Class { range: 1, .. } => 0,
            Self::Class { .. } => 1,
        }
    }

    /// A value of the part for each number.
    fn examples(&self) -> Vec<usize> {
        match self {
            Self::Value { range } => (0..*range).collect(),
            Self::Class { of, range } => (0..*range)
                .filter_map(|class| of.iter().position(|&it| usize::from(it) == class))
                .collect(),
        }
    }
}

/// The division of the fewest lookups for all of these tables.
pub(super) fn best(bits: usize, tables: &[Table]) -> Option<Division> {
    let mut best: Option<Division> = None;
    // Parts have no order: the first bit is in the first one.
    for first in (1u32..1 << bits).step_by(2) {
        let size = first.count_ones() as usize;
        if size > PART || bits - size > PART {
            continue;
        }
        let part = |is_first: bool| -> Vec<usize> {
            (0..bits)
                .filter(|at| (first >> at & 1 == 1) == is_first)
                .collect()
        };
        for division in Division::of([part(true), part(false)], tables) {
            let price = |it: &Division| (it.lookups(), it.range());
            if division.range() <= 16
                && best
                    .as_ref()
                    .is_none_or(|best| price(&division) < price(best))
            {
                best = Some(division);
            }
        }
    }
    best
}

impl Division {
    /// Each part read as its value or as its class.
    fn of(parts: [Vec<usize>; 2], tables: &[Table]) -> [Self; 4] {
        let numbers = [0, 1].map(|side| {
            let mut known: Vec<Vec<u64>> = Vec::new();
            let mut classes: Vec<u8> = Vec::new();
            for value in 0..1usize << parts[side].len() {
                let row: Vec<u64> = (tables.iter())
                    .map(|table| {
                        let others = 0..1usize << parts[1 - side].len();
                        others.fold(0, |row, other| {
                            let at = spread(&parts[side], value) | spread(&parts[1 - side], other);
                            row | u64::from(bit(table, at)) << other
                        })
                    })
                    .collect();
                let class = known.iter().position(|known| *known == row);
                classes.push(class.unwrap_or(known.len()) as u8);
                if class.is_none() {
                    known.push(row);
                }
            }
            let value = Number::Value {
                range: classes.len(),
            };
            let class = Number::Class {
                of: classes,
                range: known.len(),
            };
            [value, class]
        });
        [[0, 0], [0, 1], [1, 0], [1, 1]].map(|[first, second]| Self {
            parts: parts.clone(),
            numbers: [numbers[0][first].clone(), numbers[1][second].clone()],
        })
    }

    pub(super) fn lookups(&self) -> usize {
        1 + self.numbers.iter().map(Number::lookups).sum::<usize>()
    }

    /// Values of the last lookup's sum.
    fn range(&self) -> usize {
        self.numbers.iter().map(Number::range).product()
    }

    /// The functions of one division, if their sums are quiet.
    pub(super) fn record(
        &self,
        b: &mut Builder,
        bits: &[Wire],
        tables: &[Table],
    ) -> Option<Vec<Wire>> {
        let mut numbers: [Vec<(Wire, i8)>; 2] = [Vec::new(), Vec::new()];
        for (side, number) in numbers.iter_mut().enumerate() {
            let own = self.parts[side].iter().enumerate();
            let own: Vec<(Wire, i8)> = own.map(|(at, &bit)| (bits[bit], 1 << at)).collect();
            *number = match &self.numbers[side] {
                Number::Value { .. } => own,
                Number::Class { range: 1, .. } => Vec::new(),
                Number::Class { of, range } => {
                    if !b.is_quiet(&own) {
                        return None;
                    }
                    let width = usize::BITS - (range - 1).leading_zeros();
                    let mask = |place: u32| {
                        let classes = of.iter().enumerate();
                        classes.fold(0, |mask, (value, &class)| {
                            mask | u16::from(class >> place & 1) << value
                        })
                    };
                    let masks: Vec<u16> = (0..width).map(mask).collect();
                    let made = b.lookup(&own, 0, &masks).into_iter().enumerate();
                    made.map(|(at, bit)| (bit, 1 << at)).collect()
                }
            };
        }
        // The quieter number takes the larger weight.
        let noise = |b: &Builder, side: usize, factor: usize| {
            let scaled = numbers[side].iter();
            let scaled: Vec<_> = scaled.map(|&(bit, w)| (bit, w * factor as i8)).collect();
            (b.variance(&scaled), scaled)
        };
        let orders = [[0, 1], [1, 0]].map(|[low, high]| {
            let (first, second) = (noise(b, low, 1), noise(b, high, self.numbers[low].range()));
            (
                first.0 + second.0,
                [low, high],
                [first.1, second.1].concat(),
            )
        });
        let [one, other] = orders;
        let (_, [low, high], terms) = if one.0 <= other.0 { one } else { other };
        if !b.is_quiet(&terms) {
            return None;
        }
        let examples = [low, high].map(|side| self.numbers[side].examples());
        let below = examples[0].len();
        let masks: Vec<u16> = (tables.iter())
            .map(|table| {
                (0..self.range()).fold(0, |mask, t| {
                    let at = spread(&self.parts[low], examples[0][t % below])
                        | spread(&self.parts[high], examples[1][t / below]);
                    mask | u16::from(bit(table, at)) << t
                })
            })
            .collect();
        let max = (self.range() - 1) as u8;
        Some(b.lookup_within(&terms, 0, max, &masks))
    }
}

/// A table's value for an assignment.
fn bit(table: &Table, at: usize) -> bool {
    table[at / 64] >> (at % 64) & 1 == 1
}

/// The bits of a value at their places.
fn spread(places: &[usize], value: usize) -> usize {
    let bits = places.iter().enumerate();
    bits.fold(0, |all, (at, &place)| all | (value >> at & 1) << place)
}
