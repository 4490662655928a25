//! Columns added by lookups: compressors of up to fifteen bits, then slices from the bottom up.
//!
//! One lookup turns bits of total weight up to 15 into the four bits of their sum. A full column
//! compressor (15:4) gets rid of eleven bits, a slice of the final addition of three to seven; so
//! the plan compresses columns from the lowest to the highest, earliest bits first, until each has
//! at most `height` bits, and then lets slices of as many columns as fit ripple through the rest
//! (height 2: three columns a slice, height 4: two, height 1: none needed). A compressor that is
//! not full takes bits of the next column at weight 2 along. Greater heights take fewer lookups and
//! a longer chain: ten words of 32 bits 32 at depth 32, or 43 at depth 17.
//!
//! Where parities of any number of bits are native, the top column may be one of them: of its sum
//! only the lowest bit counts.
//!
//! All variants are planned on numbers, without building anything, and the one with the least
//! modelled time ([`makespan`](makespan::of_steps)) is built. No step exceeds the noise limit,
//! provided that no two of its bits correlate, as bits of different positions of one sum do not.
//!
//! Source: the 15:4 compressors of the design notes on multi-value bootstrapping (Carpov,
//! Izabachène, Mollimard, CT-RSA 2019); column compression by L. Dadda, Some schemes for parallel
//! multipliers, 1965.

use crate::library::quiet::WORST;
use crate::library::weighted::functions;
use crate::library::word::Word;
use crate::passes::makespan;
use crate::{Builder, Profile, Wire};

/// Heights at which compression may end.
const HEIGHTS: [usize; 7] = [1, 2, 3, 4, 5, 6, 7];

pub(super) fn build(b: &mut Builder, columns: &[Vec<Wire>], capacity: u32) -> Word {
    let mut wires: Vec<Wire> = Vec::new();
    let mut start: Vec<Vec<Item>> = Vec::with_capacity(columns.len());
    for column in columns {
        let mut items = Vec::with_capacity(column.len());
        for &wire in column {
            items.push(Item {
                id: wires.len(),
                level: b.depth(wire),
                noise: b.variance(&[(wire, 1)]),
                given: true,
            });
            wires.push(wire);
        }
        start.push(items);
    }
    let rules = Rules {
        capacity,
        limit: b.noise_limit(),
        profile: b.profile(),
    };
    let Some(best) = rules.best(&start, wires.len()) else {
        return Word::new();
    };
    for step in &best.steps {
        if step.parity {
            let terms: Vec<Wire> = step.terms.iter().map(|&(id, _)| wires[id]).collect();
            wires.push(b.parity(&terms));
            continue;
        }
        let terms: Vec<(Wire, i8)> = step
            .terms
            .iter()
            .map(|&(id, shift)| (wires[id], 1 << shift))
            .collect();
        wires.extend(functions(b, &terms, step.outputs, |t| t as u32));
    }
    best.result
        .iter()
        .map(|id| id.map_or(Wire::FALSE, |id| wires[id]))
        .collect()
}

/// A bit of the plan.
#[derive(Clone, Copy)]
struct Item {
    id: usize,
    level: u32,
    noise: f64,
    /// Whether it was there before the plan.
    given: bool,
}

/// A lookup of the plan: inputs with the logarithms of their weights; the bits of the sum get the
/// next free numbers.
struct Step {
    terms: Vec<(usize, u32)>,
    outputs: usize,
    /// Any number of bits, of whose sum only the lowest bit is asked.
    parity: bool,
    /// The level at which its inputs are there, without those that the plan makes.
    level: u32,
}

struct Plan {
    steps: Vec<Step>,
    result: Vec<Option<usize>>,
}

impl Plan {
    /// The modelled time, in which `given` bits are there from the start, each at its level.
    fn time(&self, given: usize, profile: &Profile) -> f64 {
        let mut maker: Vec<usize> = Vec::new();
        let mut steps = Vec::with_capacity(self.steps.len());
        for (number, step) in self.steps.iter().enumerate() {
            let made = step
                .terms
                .iter()
                .filter_map(|&(id, _)| id.checked_sub(given));
            let mut reads: Vec<usize> = made.map(|id| maker[id]).collect();
            reads.sort_unstable();
            reads.dedup();
            steps.push(makespan::Step {
                reads,
                earliest: f64::from(step.level) * profile.batch_time(1),
                cost: profile.cost.lookup,
            });
            maker.extend(std::iter::repeat_n(number, step.outputs));
        }
        makespan::of_steps(&steps, profile)
    }
}

struct Rules<'a> {
    capacity: u32,
    limit: f64,
    profile: &'a Profile,
}

impl Rules<'_> {
    fn best(&self, start: &[Vec<Item>], ids: usize) -> Option<Plan> {
        let variants = HEIGHTS
            .iter()
            .flat_map(|&height| [(height, false), (height, true)]);
        let endings: &[bool] = match self.profile.has_parity() && !start.is_empty() {
            true => &[false, true],
            false => &[false],
        };
        let variants = variants.flat_map(|(height, fill)| {
            let ending = move |&parity: &bool| (height, fill, parity);
            endings.iter().map(ending)
        });
        let plans = variants.map(|(height, fill, parity)| {
            let mut sheet = Sheet {
                columns: start.to_vec(),
                steps: Vec::new(),
                ids,
                parity,
            };
            sheet.compress(self, height, fill);
            let plan = sheet.finish(self);
            // Equal times: fewer lookups leave more room for others.
            (plan.time(ids, self.profile), plan.steps.len(), plan)
        });
        plans
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            .map(|(_, _, plan)| plan)
    }
}

/// The columns while a plan is made.
struct Sheet {
    columns: Vec<Vec<Item>>,
    steps: Vec<Step>,
    ids: usize,
    /// The top column, whose carries nobody reads, is one parity.
    parity: bool,
}

/// Bits gathered for one lookup.
#[derive(Default)]
struct Gathered {
    terms: Vec<(usize, u32)>,
    total: u32,
    noise: f64,
    level: u32,
    /// The level of those bits that are not the plan's.
    given: u32,
}

impl Gathered {
    /// Takes a bit of weight `2^shift`, if it fits.
    fn take(&mut self, rules: &Rules<'_>, item: Item, shift: u32) -> bool {
        let noise = self.noise + item.noise * f64::from(1u32 << (2 * shift));
        let total = self.total + (1 << shift);
        if total > rules.capacity || noise > rules.limit {
            return false;
        }
        self.terms.push((item.id, shift));
        self.total = total;
        self.noise = noise;
        self.level = self.level.max(item.level);
        if item.given {
            self.given = self.given.max(item.level);
        }
        true
    }
}

impl Sheet {
    /// Lowers every column to at most `height` bits.
    fn compress(&mut self, rules: &Rules<'_>, height: usize, fill: bool) {
        for column in 0..self.columns.len() - usize::from(self.parity) {
            while self.columns[column].len() > height {
                let excess = self.columns[column].len() - height;
                // Each bit taken but one leaves the column.
                let Some(mut gathered) = self.take_several(rules, column, excess + 1) else {
                    // The first two are too noisy for any adder; the finish copes.
                    break;
                };
                let above = self.columns.get(column + 1).map_or(0, Vec::len);
                let for_parity = self.parity && column + 2 == self.columns.len();
                if fill && above > height && !for_parity {
                    let level = gathered.level;
                    let excess = above - height + 1;
                    self.take_earliest(rules, &mut gathered, column + 1, 1, excess, level);
                }
                self.step(gathered, column, 0);
            }
        }
    }

    /// Moves up to `count` bits of a column into a lookup of their own, two at least; leaves all
    /// where they are if two are too noisy for one.
    fn take_several(&mut self, rules: &Rules<'_>, column: usize, count: usize) -> Option<Gathered> {
        let before = self.columns[column].clone();
        let mut gathered = Gathered::default();
        self.take_earliest(rules, &mut gathered, column, 0, count, u32::MAX);
        if gathered.terms.len() < 2 {
            self.columns[column] = before;
            return None;
        }
        Some(gathered)
    }

    /// Moves up to `count` bits of a column, no later than `level`, into a lookup.
    fn take_earliest(
        &mut self,
        rules: &Rules<'_>,
        gathered: &mut Gathered,
        column: usize,
        shift: u32,
        count: usize,
        level: u32,
    ) {
        let items = &mut self.columns[column];
        items.sort_by_key(|item| item.level);
        let taken = items
            .iter()
            .take(count)
            .take_while(|item| item.level <= level && gathered.take(rules, **item, shift))
            .count();
        items.drain(..taken);
    }

    /// Records a lookup. Its outputs from bit `settled` on join the columns.
    fn step(&mut self, gathered: Gathered, column: usize, settled: usize) -> Vec<usize> {
        let outputs = (u32::BITS - gathered.total.leading_zeros()) as usize;
        let outputs = outputs.min(self.columns.len() - column);
        let ids: Vec<usize> = (self.ids..self.ids + outputs).collect();
        self.ids += outputs;
        for (bit, &id) in ids.iter().enumerate().skip(settled) {
            // The lower half of the sum's bits change twice as often as the next.
            let noise = WORST / f64::from(1u32 << bit.min(3));
            let item = Item {
                id,
                level: gathered.level + 1,
                noise,
                given: false,
            };
            self.columns[column + bit].push(item);
        }
        self.steps.push(Step {
            terms: gathered.terms,
            outputs,
            parity: false,
            level: gathered.given,
        });
        ids
    }

    /// Adds what is left, from the lowest column to the highest.
    fn finish(mut self, rules: &Rules<'_>) -> Plan {
        let width = self.columns.len();
        let mut result = vec![None; width];
        // Columns that slices add.
        let sliced = width - usize::from(self.parity);
        let mut column = 0;
        while column < sliced {
            if let [] | [_] = self.columns[column][..] {
                if let Some(item) = self.columns[column].pop() {
                    result[column] = Some(item.id);
                }
                column += 1;
                continue;
            }
            let mut gathered = Gathered::default();
            let mut slice = 0;
            while column + slice < sliced && slice < 4 {
                let items = &self.columns[column + slice];
                let shift = slice as u32;
                let mut attempt = Gathered {
                    terms: gathered.terms.clone(),
                    ..gathered
                };
                if !items.iter().all(|&item| attempt.take(rules, item, shift)) {
                    break;
                }
                gathered = attempt;
                slice += 1;
            }
            if slice == 0 {
                // Too high for one lookup: compress once more and try again.
                let excess = self.columns[column].len();
                let several = self.take_several(rules, column, excess);
                let gathered = several.unwrap_or_else(|| self.force(column));
                self.step(gathered, column, 0);
                continue;
            }
            for items in &mut self.columns[column..column + slice] {
                items.clear();
            }
            for (bit, id) in self.step(gathered, column, slice).into_iter().enumerate() {
                if bit < slice {
                    result[column + bit] = Some(id);
                }
            }
            column += slice;
        }
        if let (true, Some(top)) = (self.parity, self.columns.pop()) {
            result[sliced] = match *top {
                [] => None,
                [only] => Some(only.id),
                _ => Some(self.parity_of(&top)),
            };
        }
        Plan {
            steps: self.steps,
            result,
        }
    }

    /// The lowest bit of a column's sum.
    fn parity_of(&mut self, items: &[Item]) -> usize {
        let given = items.iter().filter(|item| item.given);
        self.steps.push(Step {
            terms: items.iter().map(|item| (item.id, 0)).collect(),
            outputs: 1,
            parity: true,
            level: given.map(|item| item.level).max().unwrap_or(0),
        });
        self.ids += 1;
        self.ids - 1
    }

    /// Two bits whatever their noise: the pass that inserts refreshes will lower it.
    fn force(&mut self, column: usize) -> Gathered {
        let items = &mut self.columns[column];
        let taken: Vec<Item> = items.drain(..items.len().min(2)).collect();
        Gathered {
            terms: taken.iter().map(|item| (item.id, 0)).collect(),
            total: taken.len() as u32,
            noise: 0.0,
            level: taken.iter().map(|item| item.level).max().unwrap_or(0),
            given: 0,
        }
    }
}
