//! Selectors: what a circuit has to know of them, and how they are made and used.

use circuits::exec::{self, IndexBit, LoadJob, Selected, Selector, StoreJob};
use circuits::{ChoiceNoise, LookupJob, Profile, RowProfile, SelectorProfile, Tail};
use tfhe::leveled::{self, Entries, Entry, LeveledKey, LeveledNoise, LeveledWork};
use tfhe::noise::{HALF_WINDOW, NoiseBudget};
use tfhe::{Lookup, LweCiphertext, Parameters, ServerKey, TfheError, TruthTable};

/// A rotation that makes two selectors, in lookups, before the machine is measured: see the record
/// `leveled`.
const ROTATION: f64 = 2.9;
/// A choice, likewise.
const CHOICE: f64 = 0.008;
/// One between rows.
const ROW_CHOICE: f64 = 0.012;
/// Packing a bit.
const PACK: f64 = 0.02;

/// The function of `t = a + 2b` whose selector is noisiest: three steps of three.
const NOISIEST: TruthTable = TruthTable(0b1010);

/// How far λ is below the best for errors without products. Heavy products need a smaller one.
const SHARES: [f64; 2] = [1.0, 0.75];

/// A profile for servers that have the second part of the key: circuits may use selectors.
#[must_use]
pub fn with_selectors(mut profile: Profile, parameters: &Parameters) -> Profile {
    let rotation = profile.cost.lookup;
    profile.selectors = Some(SelectorProfile {
        rotation: ROTATION * rotation,
        choice: CHOICE * rotation,
        bytes: leveled::Selector::bytes(parameters),
        row: RowProfile {
            bits: parameters.polynomial_size().get(),
            choice: ROW_CHOICE * rotation,
            pack: PACK * rotation,
        },
    });
    if let Some(lookup) = &mut profile.lookup {
        lookup.noise.choice = Some(noise(parameters));
    }
    profile
}

/// The noise of choices under a set. With T half a window, s the variance of the switches and c the
/// logarithm of twice the promise's inverse, an error of normal variance g fails as seldom as promised
/// if λ²(g + s)/2 − λT ≤ −c, that is if g ≤ 2T/λ − 2c/λ² − s; the best λ is 2c/T.
fn noise(parameters: &Parameters) -> ChoiceNoise {
    let budget = NoiseBudget::new(parameters);
    let unit = budget.rotation;
    let logarithm = (1.0 - parameters.promise().log2_failure) * std::f64::consts::LN_2;
    let switches = budget.key_switch + budget.modulus_switch;
    let tails = SHARES.map(|share| {
        let lambda = share * 2.0 * logarithm / HALF_WINDOW;
        let limit = 2.0 * HALF_WINDOW / lambda - 2.0 * logarithm / (lambda * lambda) - switches;
        Tail {
            square: lambda * lambda * unit,
            limit: limit / unit,
        }
    });
    ChoiceNoise {
        variance: LeveledNoise::new(parameters).product(NOISIEST, true) / unit,
        tails,
    }
}

/// Selectors of sums, with their bits.
pub(super) fn select_many(
    server: &ServerKey,
    key: &LeveledKey,
    work: &mut LeveledWork,
    jobs: &[LookupJob<'_, LweCiphertext>],
) -> Result<Vec<Selected<LweCiphertext>>, TfheError> {
    let tables = jobs.iter().map(|job| {
        let masks = job.tables.masks().iter();
        masks.map(|&mask| TruthTable(mask)).collect()
    });
    let tables: Vec<Vec<TruthTable>> = tables.collect();
    let sums = jobs.iter().zip(&tables).map(|(job, tables)| Lookup {
        terms: &job.terms,
        constant: job.constant,
        tables,
    });
    let sums: Vec<Lookup<'_>> = sums.collect();
    let made = key.selectors(server, work, &sums)?;
    let with_bit = |selector: leveled::Selector| (selector.bit(), Selector::new(selector));
    let of_sum = |made: Vec<leveled::Selector>| made.into_iter().map(with_bit).collect();
    Ok(made.into_iter().map(of_sum).collect())
}

/// A selector, and whether its complement is meant.
type Condition<'a> = (&'a leveled::Selector, bool);

/// The selectors of an index; `None` where one was not made, for lack of the key.
pub(super) fn of_bits<'a>(
    bits: impl IntoIterator<Item = &'a IndexBit<'a, LweCiphertext>>,
) -> Option<Vec<Condition<'a>>> {
    let condition = |bit: &'a IndexBit<'a, _>| Some((bit.selector.get()?, bit.inverted));
    bits.into_iter().map(condition).collect()
}

/// A bit of an array, as the key has it.
fn entry(entry: exec::Entry<'_, LweCiphertext>) -> Entry<'_> {
    match entry {
        exec::Entry::Known(value) => Entry::Known(value),
        exec::Entry::Bit(bit) => Entry::Bit(bit),
    }
}

/// The word that an index names.
pub(super) fn load(
    key: &LeveledKey,
    work: &mut LeveledWork,
    index: &[Condition<'_>],
    job: &LoadJob<'_, LweCiphertext>,
) -> Result<Vec<LweCiphertext>, TfheError> {
    let entries = Entries {
        count: job.count(),
        at: &|number| entry((job.entries)(number)),
    };
    let word = key.load_from(work, index, entries, job.width)?;
    let mut word: Vec<Option<LweCiphertext>> = word.into_iter().map(Some).collect();
    let columns = job.columns.iter();
    // Each bit of a word is wanted once.
    Ok(columns
        .filter_map(|&column| word.get_mut(usize::from(column))?.take())
        .collect())
}

/// All words after one was stored.
pub(super) fn store(
    key: &LeveledKey,
    work: &mut LeveledWork,
    conditions: &[Condition<'_>],
    job: &StoreJob<'_, LweCiphertext>,
) -> Result<Vec<LweCiphertext>, TfheError> {
    let (index, enable) = conditions.split_at(job.index.len());
    let word: Vec<Entry<'_>> = job.word.iter().map(|bit| entry(*bit)).collect();
    let entries = Entries {
        count: job.count(),
        at: &|number| entry((job.entries)(number)),
    };
    key.store_from(work, index, enable.first().copied(), entries, &word)
}
