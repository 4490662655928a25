//! Tables at a secret index: reading an entry, replacing one, looking up constants.
//!
//! Every entry takes part, whatever the index is: that is what keeps it secret. What each costs
//! depends on the target.
//!
//! **With lookups** the index is decoded into *lines*, one for each entry, of which one at most is
//! 1 ([`decode`](fn@decode)). A lookup `t = x + 2y + 4z + 8·line` masks three bits of an entry by
//! its line, and what is masked is added for nothing ([`Builder::disjoint`]): an entry of w bits
//! takes w/3 lookups, where a tree of selections takes 2w/3. Constant entries take none: a column
//! of constants is the OR of lines, and lines of one lookup are combined inside it. So a table of
//! constants costs its decoding, N/9 lookups for N entries however wide they are: the S-box of AES
//! takes 29. The builder finds equal lines again, so that tables at one index share the decoding.
//!
//! To replace an entry, `old ∧ ¬line` and `new ∧ line` are added in the same way. The latter are
//! the lines of a decoding that `new` enables, N/9 lookups for each bit of the value.
//!
//! **With selectors** an index of m bits takes m of them, and then either rows of entries are chosen
//! whole ([`Builder::load`]), or a tree of choices reads bit by bit, N − 1 choices for each
//! ([`Builder::choose`]). Inputs lie in rows as they come and constants cost nothing, so that they are
//! loaded; bits that were computed must first be brought into rows, which costs more than a tree does
//! for one access. An entry is replaced in its row ([`Builder::store`]), where that is cheaper than a choice
//! for each bit, by its line; what comes out are bits at scale 1/2, which a lookup makes bits of when somebody
//! needs them.
//!
//! **With gates** a tree of selections reads, a selection for each entry replaces; where levels
//! count, lines and sums do, at the depth of the decoding and one AND.
//!
//! The method of masks and sums is that of this library's [`select`](super::select) and shifts;
//! tables as the sum of minterms are folklore.

mod code;
mod decode;

use std::collections::BTreeMap;

pub use code::Code;
pub use decode::decode;

use super::select::select;
use super::weighted::capacity;
use super::word::{Word, constant};
use crate::{Builder, Wire};

/// The largest value of the sums that tables are made of.
pub(super) const VALUES: u32 = 15;
/// Constant entries that a lookup decodes and reads, nearly.
const CONSTANTS: f64 = 9.0;
/// Automorphisms for each bit of a word that comes beside its neighbours.
const PACKED: usize = 7;
/// Bits of the longest index of which all values have a place in an array.
const INDEX_BITS: usize = 20;

fn by_lookups(b: &Builder) -> bool {
    capacity(b).is_some_and(|capacity| capacity >= VALUES)
}

/// The entry that `index` names, of `width` bits; 0 where there is none, and where `enable` is 0.
///
/// `entries` are index values, ascending, each with its word.
///
/// # Panics
/// If an entry is not `width` bits wide.
///
/// ```
/// use blindcore_circuits::{Builder, Profile, Wire, library, sim};
///
/// let profile = Profile::lookup_simulation();
/// let mut b = Builder::new(&profile);
/// let (index, a, c) = (b.inputs(2), b.input(), b.input());
/// let entries = [(0, vec![a]), (3, vec![c])];
/// let read = library::select_from(&mut b, &index, Wire::TRUE, 1, &entries)[0];
/// b.output(read);
/// // The index counts 0 to 3 over the lanes.
/// let lanes = sim::evaluate(&b.finish(), &[0b1010, 0b1100, 0b0001, 0b1000]).unwrap();
/// assert_eq!(lanes, [0b1001]);
/// ```
pub fn select_from(
    b: &mut Builder,
    index: &[Wire],
    enable: Wire,
    width: usize,
    entries: &[(u32, Word)],
) -> Word {
    for (value, word) in entries {
        assert_eq!(word.len(), width, "the width of entry {value}");
    }
    let read = match by_selectors(b, index, width, entries) {
        Some(Form::Load) => Some(loaded(b, index, width, entries)),
        Some(Form::Choices) => Some(tree(b, index, width, entries)),
        None => None,
    };
    if let Some(read) = read {
        let read = read.into_iter();
        return read.map(|bit| b.choose(enable, bit, Wire::FALSE)).collect();
    }
    if by_lookups(b) || b.profile().levels.is_some() {
        return by_lines(b, index, enable, width, entries);
    }
    let read = tree(b, index, width, entries);
    read.into_iter().map(|bit| b.and(bit, enable)).collect()
}

/// A table of constants: the low `width` bits of `values[index]`, 0 beyond the last one.
///
/// ```
/// use blindcore_circuits::{Builder, Profile, library, passes};
///
/// let profile = Profile::lookup_simulation();
/// let mut b = Builder::new(&profile);
/// let index = b.inputs(8);
/// let squares: Vec<u64> = (0..256).map(|x| x * x).collect();
/// let square = library::rom(&mut b, &index, 16, &squares);
/// square.iter().for_each(|&bit| b.output(bit));
/// let circuit = b.finish();
/// assert!(passes::cost(&circuit, &profile).bootstraps <= 29);
/// ```
pub fn rom(b: &mut Builder, index: &[Wire], width: usize, values: &[u64]) -> Word {
    let last = 1u64 << index.len().min(32);
    let entries: Vec<(u32, Word)> = (0..last)
        .zip(values)
        .map(|(at, value)| (at as u32, constant(*value, width)))
        .collect();
    select_from(b, index, Wire::TRUE, width, &entries)
}

/// The entries after `value` was put where `index` says: nowhere if no entry has that index value,
/// or if `enable` is 0.
///
/// `entries` are index values, ascending, each with its word.
///
/// # Panics
/// If an entry is not as wide as the value.
///
/// ```
/// use blindcore_circuits::library::{self, constant};
/// use blindcore_circuits::{Builder, Profile, Wire};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let entries = [(0, constant(10, 8)), (1, constant(11, 8)), (2, constant(12, 8))];
/// let after = library::replace_in(b, &constant(1, 2), Wire::TRUE, &entries, &constant(99, 8));
/// assert_eq!(after, [10, 99, 12].map(|value| constant(value, 8)));
/// ```
pub fn replace_in(
    b: &mut Builder,
    index: &[Wire],
    enable: Wire,
    entries: &[(u32, Word)],
    value: &[Wire],
) -> Vec<Word> {
    if stores(b, index, entries, value) {
        return stored(b, index, enable, entries, value);
    }
    let wanted: Vec<u32> = entries.iter().map(|(at, _)| *at).collect();
    let lines = decode(b, index, enable, &wanted);
    let zeros = vec![Wire::FALSE; value.len()];
    if !by_lookups(b) || b.profile().selectors.is_some() {
        let cells = entries.iter().zip(lines);
        return cells
            .map(|((_, old), line)| select(b, line, value, old))
            .collect();
    }
    // By bit of the value: the lines where that bit goes and is 1.
    let set: Vec<Vec<Wire>> = value
        .iter()
        .map(|&bit| match bit.as_constant() {
            Some(true) => lines.clone(),
            Some(false) => vec![Wire::FALSE; lines.len()],
            None => {
                let enable = b.and(enable, bit);
                decode(b, index, enable, &wanted)
            }
        })
        .collect();
    let cells = entries.iter().zip(&lines).enumerate();
    cells
        .map(|(cell, ((_, old), &line))| {
            let kept = select(b, line, &zeros, old);
            let bits = kept.into_iter().zip(&set);
            bits.map(|(kept, set)| b.disjoint(&[kept, set[cell]]))
                .collect()
        })
        .collect()
}

/// Each bit of an entry masked by its line, and all of a column added.
fn by_lines(
    b: &mut Builder,
    index: &[Wire],
    enable: Wire,
    width: usize,
    entries: &[(u32, Word)],
) -> Word {
    let wanted: Vec<u32> = entries.iter().map(|(at, _)| *at).collect();
    let lines = decode(b, index, enable, &wanted);
    let is_whole = entries.len() as u64 == 1 << index.len().min(63);
    let mut columns: Vec<Vec<Wire>> = vec![Vec::new(); width];
    // By condition: which bits it masks, and for which columns.
    let mut masked: BTreeMap<Wire, BTreeMap<Wire, Vec<usize>>> = BTreeMap::new();
    for (at, column) in columns.iter_mut().enumerate() {
        let bits = || entries.iter().map(|(_, word)| word[at]);
        if is_whole && bits().all(|bit| bit == Wire::TRUE) {
            column.push(enable);
            continue;
        }
        // A bit that several entries have is masked once, by all of their lines.
        let mut places: BTreeMap<Wire, Vec<Wire>> = BTreeMap::new();
        for (bit, &line) in bits().zip(&lines) {
            match bit.as_constant() {
                Some(true) => column.push(line),
                Some(false) => {}
                None => places.entry(bit).or_default().push(line),
            }
        }
        for (bit, lines) in places {
            let condition = b.disjoint(&lines);
            let bits = masked.entry(condition).or_default();
            bits.entry(bit).or_default().push(at);
        }
    }
    for (condition, bits) in masked {
        let word: Word = bits.keys().copied().collect();
        let masked = select(b, condition, &word, &vec![Wire::FALSE; word.len()]);
        for (bit, columns_of) in masked.into_iter().zip(bits.values()) {
            for &at in columns_of {
                columns[at].push(bit);
            }
        }
    }
    columns.iter().map(|column| b.disjoint(column)).collect()
}

/// A tree of selections, the index's top bit at its root.
fn tree(b: &mut Builder, index: &[Wire], width: usize, entries: &[(u32, Word)]) -> Word {
    let Some((&top, below)) = index.split_last() else {
        let only = entries.first().map(|(_, word)| word.clone());
        return only.unwrap_or_else(|| constant(0, width));
    };
    if entries.is_empty() {
        return constant(0, width);
    }
    let split = entries.partition_point(|(at, _)| at >> below.len() & 1 == 0);
    let (low, high) = entries.split_at(split);
    let low = tree(b, below, width, low);
    let high = tree(b, below, width, high);
    let bits = high.into_iter().zip(low);
    bits.map(|(high, low)| b.choose(top, high, low)).collect()
}

/// How selectors read a table.
enum Form {
    Load,
    Choices,
}

/// The cheapest way by selectors, where masked bits, three of them to a lookup, and the lines that mask them
/// are dearer. Constants need no masks.
fn by_selectors(
    b: &Builder,
    index: &[Wire],
    width: usize,
    entries: &[(u32, Word)],
) -> Option<Form> {
    let profile = b.profile();
    let selectors = profile.selectors?;
    let secret = |bit: &&Wire| bit.as_constant().is_none();
    let bits = || entries.iter().flat_map(|(_, word)| word);
    let masked = bits().filter(secret).count();
    let secret_index = index.iter().filter(secret).count();
    let made = secret_index.div_ceil(2) as f64 * selectors.rotation;
    let choices = (entries.len() * width) as f64 * selectors.choice;
    let lines = (entries.len() as f64 / CONSTANTS + masked as f64 / 3.0) * profile.cost.lookup;
    let rows = match width <= selectors.row.widest() && secret_index <= INDEX_BITS {
        true => {
            let between = selectors.row.choices(secret_index, width) as f64;
            let packed = bits().filter(|bit| is_loose(b, **bit)).count() as f64;
            between * selectors.row.choice + packed * selectors.row.pack
        }
        false => f64::INFINITY,
    };
    if made + choices.min(rows) >= lines {
        return None;
    }
    Some(match rows < choices {
        true => Form::Load,
        false => Form::Choices,
    })
}

/// Whether a replaced entry is a store: where that is cheaper than a choice for each bit, by lines that
/// take a selector each, or two for one rotation. What was stored to before stays in rows.
fn stores(b: &Builder, index: &[Wire], entries: &[(u32, Word)], value: &[Wire]) -> bool {
    let profile = b.profile();
    let Some(selectors) = profile.selectors else {
        return false;
    };
    let secret_index = index
        .iter()
        .filter(|bit| bit.as_constant().is_none())
        .count();
    if secret_index == 0 || secret_index > INDEX_BITS || value.len() > selectors.row.widest() {
        return false;
    }
    let bits = || entries.iter().flat_map(|(_, word)| word);
    if bits().any(|&bit| b.is_half(bit)) {
        return true;
    }
    let made = |count: usize| count.div_ceil(2) as f64 * selectors.rotation;
    let decoded = entries.len() as f64 / CONSTANTS * profile.cost.lookup;
    let choices = (entries.len() * value.len()) as f64 * selectors.choice;
    let by_lines = decoded + made(entries.len()) + choices;
    let is_loose = |bit: &&Wire| is_loose(b, **bit);
    let between = 2 * selectors.row.choices(secret_index, value.len()) + 1;
    let packed = bits().filter(is_loose).count() + PACKED * value.len();
    let by_rows = made(secret_index + 1)
        + between as f64 * selectors.row.choice
        + packed as f64 * selectors.row.pack
        // What is read afterwards takes a lookup for each bit.
        + value.len() as f64 * profile.cost.lookup;
    by_rows < by_lines
}

/// The entries after one was stored.
fn stored(
    b: &mut Builder,
    index: &[Wire],
    enable: Wire,
    entries: &[(u32, Word)],
    value: &[Wire],
) -> Vec<Word> {
    let width = value.len();
    let (secret, places) = places(index, entries);
    let mut bits = vec![Wire::FALSE; width << secret.len()];
    for (place, (_, word)) in places.iter().zip(entries) {
        if let Some(place) = place {
            bits[place * width..][..width].copy_from_slice(word);
        }
    }
    let after = b.store(&secret, enable, value, &bits);
    let words = places.iter().zip(entries);
    words
        .map(|(place, (_, old))| match place {
            Some(place) => after[place * width..][..width].to_vec(),
            None => old.clone(),
        })
        .collect()
}

/// Whether a bit is in no row: neither an input nor, as far as is known, stored.
fn is_loose(b: &Builder, bit: Wire) -> bool {
    bit.as_constant().is_none() && !b.is_input(bit) && !b.is_half(bit)
}

/// All entries in one array, 0 where there is none.
fn loaded(b: &mut Builder, index: &[Wire], width: usize, entries: &[(u32, Word)]) -> Word {
    if entries.is_empty() {
        return constant(0, width);
    }
    let (secret, places) = places(index, entries);
    let mut bits = vec![Wire::FALSE; width << secret.len()];
    for (place, (_, word)) in places.into_iter().zip(entries) {
        if let Some(place) = place {
            bits[place * width..][..width].copy_from_slice(word);
        }
    }
    b.load(&secret, width, &bits)
}

/// The index without its constant bits, and by entry its place among those values that these allow.
fn places(index: &[Wire], entries: &[(u32, Word)]) -> (Word, Vec<Option<usize>>) {
    let secret: Vec<usize> = (0..index.len())
        .filter(|&at| index[at].as_constant().is_none())
        .collect();
    let bit = |value: u32, at: usize| value.checked_shr(at as u32).unwrap_or(0) & 1;
    let is_possible = |value: u32| {
        let mut known = index.iter().enumerate();
        known.all(|(at, wire)| {
            let expected = wire.as_constant().map(u32::from);
            expected.is_none_or(|expected| bit(value, at) == expected)
        })
    };
    let place = |value: u32| {
        let places = secret.iter().enumerate();
        let place: u32 = places.map(|(to, &at)| bit(value, at) << to).sum();
        is_possible(value).then_some(place as usize)
    };
    let places = entries.iter().map(|(value, _)| place(*value)).collect();
    (secret.iter().map(|&at| index[at]).collect(), places)
}
