//! Functions of more values than a lookup takes, by lookups one after the other.

use crate::ir::table::LARGEST;
use crate::{Builder, Wire};

/// Values of a lookup's sum.
const VALUES: usize = LARGEST as usize + 1;
/// Lookups before the last one.
const CLASSES: usize = 4;
/// Choices of numbers that are followed at each step, of those that leave the fewest values.
const CHOICES: usize = 24;

/// A function of bits by all its values, 64 a word; of fewer than six bits in the first of them.
pub(super) type Table = Vec<u64>;

/// One lookup: functions of numbers, which are bits or what lookups before it gave.
#[derive(Clone, Debug)]
struct Step {
    numbers: Vec<usize>,
    ranges: Vec<usize>,
    /// By assignment, the first number counting fastest: all functions, a bit each.
    values: Vec<u16>,
    functions: usize,
}

/// Lookups of which each gives a number, and the last one the functions.
#[derive(Clone, Debug)]
pub(super) struct Decomposition {
    /// The first numbers.
    bits: usize,
    steps: Vec<Step>,
}

/// What is left of the functions: numbers, and the values of all functions by their assignment.
struct Rest {
    /// Bits first, then what each step gave.
    names: Vec<usize>,
    ranges: Vec<usize>,
    values: Vec<u16>,
}

/// A choice of numbers, by their places, and its classes: two assignments are of one class if the
/// functions are the same for both, whatever the other numbers are.
struct Classes {
    places: Vec<usize>,
    /// By class an assignment's place in the values.
    examples: Vec<usize>,
    of: Vec<u16>,
}

/// Lookups that a function of so many bits takes at least: each but the last leaves two values of
/// sixteen, which is three bits less.
pub(super) fn fewest(bits: usize) -> usize {
    1 + bits.saturating_sub(4).div_ceil(3)
}

/// How the functions of these tables are made of the fewest lookups that were found, `most` of them.
/// Takes what it compares from `effort`, and leaves out what is more than that.
pub(super) fn decompose(
    bits: usize,
    tables: &[Table],
    most: usize,
    effort: &mut usize,
) -> Option<Decomposition> {
    let value = |at: usize| {
        let functions = tables.iter().enumerate();
        functions.fold(0, |all, (number, table)| {
            all | ((table[at / 64] >> (at % 64) & 1) as u16) << number
        })
    };
    let mut rest = Rest {
        names: (0..bits).collect(),
        ranges: vec![2; bits],
        values: (0..1 << bits).map(value).collect(),
    };
    for place in (0..bits).rev() {
        if let Some(same) = rest.classes(vec![place], 1, effort) {
            rest = rest.replaced(&same, None);
        }
    }
    (0..most.min(CLASSES + 1)).find_map(|classes| {
        let steps = rest.search(bits, classes, tables.len(), effort)?;
        Some(Decomposition { bits, steps })
    })
}

impl Rest {
    /// Lookups for the functions, so many of classes and the last one.
    fn search(
        &self,
        next: usize,
        classes: usize,
        functions: usize,
        effort: &mut usize,
    ) -> Option<Vec<Step>> {
        if self.values.len() <= VALUES {
            return Some(vec![Step {
                numbers: self.names.clone(),
                ranges: self.ranges.clone(),
                values: self.values.clone(),
                functions,
            }]);
        }
        // A lookup leaves at least two values of sixteen.
        let most = |lookups: usize| VALUES * (VALUES / 2).pow(lookups as u32);
        if classes == 0 || self.values.len() > most(classes) {
            return None;
        }
        let left = |size: usize, classes: usize| self.values.len() / size * classes;
        let mut choices: Vec<Classes> = Vec::new();
        for chosen in 1u32..1 << self.names.len() {
            let places = (0..self.names.len()).filter(|place| chosen >> place & 1 == 1);
            let size: usize = places.clone().map(|place| self.ranges[place]).product();
            if chosen.is_power_of_two() || size > VALUES {
                continue;
            }
            let places: Vec<usize> = places.collect();
            let fewer = (2..size)
                .rev()
                .find(|&it| left(size, it) <= most(classes - 1));
            choices.extend(fewer.and_then(|fewer| self.classes(places, fewer, effort)));
        }
        choices.sort_by_key(|it| left(it.of.len(), it.examples.len()));
        choices.iter().take(CHOICES).find_map(|choice| {
            let rest = self.replaced(choice, Some(next));
            let mut steps = rest.search(next + 1, classes - 1, functions, effort)?;
            let of_numbers = |them: &[usize]| choice.places.iter().map(|&it| them[it]).collect();
            steps.insert(
                0,
                Step {
                    numbers: of_numbers(&self.names),
                    ranges: of_numbers(&self.ranges),
                    values: choice.of.clone(),
                    functions: width(choice.examples.len()),
                },
            );
            Some(steps)
        })
    }

    /// The places of all assignments of some numbers where the others are zero.
    fn assignments(&self, places: &[usize]) -> Vec<usize> {
        let ranges = places.iter().map(|&place| self.ranges[place]);
        let mut known = Vec::with_capacity(ranges.product());
        known.push(0);
        for &place in places {
            let step: usize = self.ranges[..place].iter().product();
            let before = known.len();
            for digit in 1..self.ranges[place] {
                for at in 0..before {
                    known.push(known[at] + digit * step);
                }
            }
        }
        known
    }

    fn others(&self, places: &[usize]) -> Vec<usize> {
        let all = 0..self.names.len();
        all.filter(|place| !places.contains(place)).collect()
    }

    /// The classes of these numbers; `None` where they are more than so many, or `effort` ends.
    fn classes(&self, places: Vec<usize>, most: usize, effort: &mut usize) -> Option<Classes> {
        let others = self.assignments(&self.others(&places));
        *effort = effort.checked_sub(others.len())?;
        let own = self.assignments(&places);
        let mut examples: Vec<usize> = Vec::with_capacity(own.len());
        let mut of = Vec::with_capacity(own.len());
        for own in own {
            let mut class = examples.len();
            for (known, &example) in examples.iter().enumerate() {
                let differs =
                    |&other: &usize| self.values[own + other] != self.values[example + other];
                let same = others.iter().position(differs);
                *effort = effort.checked_sub(same.unwrap_or(others.len()) + 1)?;
                if same.is_none() {
                    class = known;
                    break;
                }
            }
            if class == examples.len() {
                examples.push(own);
            }
            if examples.len() > most {
                return None;
            }
            of.push(class as u16);
        }
        Some(Classes {
            places,
            examples,
            of,
        })
    }

    /// With one number, of this name, in the place of some; without a name they were none of the
    /// functions' concern.
    fn replaced(&self, classes: &Classes, name: Option<usize>) -> Self {
        let others = self.others(&classes.places);
        let assignments = self.assignments(&others);
        let number = name.map(|name| (name, classes.examples.len()));
        let kept = |them: &[usize], new: Option<usize>| {
            others.iter().map(|&it| them[it]).chain(new).collect()
        };
        let column = |&example: &usize| {
            let places = assignments.iter();
            places.map(move |other| self.values[example + other])
        };
        Self {
            names: kept(&self.names, number.map(|it| it.0)),
            ranges: kept(&self.ranges, number.map(|it| it.1)),
            values: classes.examples.iter().flat_map(column).collect(),
        }
    }
}

/// Bits of a number.
fn width(range: usize) -> usize {
    (usize::BITS - (range - 1).leading_zeros()) as usize
}

impl Decomposition {
    pub(super) fn lookups(&self) -> usize {
        self.steps.len()
    }

    /// The functions, if all sums are quiet.
    pub(super) fn record(&self, b: &mut Builder, bits: &[Wire]) -> Option<Vec<Wire>> {
        debug_assert_eq!(bits.len(), self.bits);
        let mut numbers: Vec<Vec<Wire>> = bits.iter().map(|&bit| vec![bit]).collect();
        for step in &self.steps {
            let made = step.record(b, &numbers)?;
            numbers.push(made);
        }
        numbers.pop()
    }
}

impl Step {
    fn record(&self, b: &mut Builder, numbers: &[Vec<Wire>]) -> Option<Vec<Wire>> {
        let terms = |place: usize, factor: usize| -> Vec<(Wire, i8)> {
            let bits = numbers[self.numbers[place]].iter().enumerate();
            bits.map(|(at, &bit)| (bit, (factor << at) as i8)).collect()
        };
        // Of two numbers with ranges r and s and variances v and w the first one counts fastest if
        // v + r²w < w + s²v.
        let mut order: Vec<(usize, f64)> = (0..self.numbers.len())
            .map(|place| {
                let range = self.ranges[place] as f64;
                (place, b.variance(&terms(place, 1)) / (range * range - 1.0))
            })
            .collect();
        order.sort_by(|one, other| other.1.total_cmp(&one.1));
        let (mut sum, mut factor) = (Vec::new(), 1);
        // By value of the sum: the assignment.
        let mut assignments = vec![0];
        for (place, _) in order {
            sum.extend(terms(place, factor));
            factor *= self.ranges[place];
            let step: usize = self.ranges[..place].iter().product();
            assignments = (0..self.ranges[place])
                .flat_map(|digit| assignments.iter().map(move |at| at + digit * step))
                .collect();
        }
        if !b.is_quiet(&sum) {
            return None;
        }
        let mask = |function: usize| {
            let values = assignments.iter().map(|&at| self.values[at]).enumerate();
            values.fold(0, |mask, (t, value)| mask | (value >> function & 1) << t)
        };
        let masks: Vec<u16> = (0..self.functions).map(mask).collect();
        Some(b.lookup_within(&sum, 0, (factor - 1) as u8, &masks))
    }
}
