//! Loads: every index of small arrays, what packing costs and what bits remember, and the noise at real
//! parameters from both sides.

use transforms::torus::Fft;

use super::array::{Array, Entries, Entry, Order};
use super::measured::Parties;
use super::{LeveledKey, LeveledNoise, SeededLeveledKey, Selector};
use crate::measured::samples::Samples;
use crate::noise::NoiseBudget;
use crate::parameters::{BIT_SCALE, P16, TOY_BLOCK};
use crate::{Lookup, LweCiphertext, SecretKey, SeededServerKey, ServerKey, TfheError, TruthTable};

/// An array and what it should hold; no ciphertext where an entry is known.
#[derive(Clone)]
struct Model(Vec<(Option<LweCiphertext>, bool)>);

impl Model {
    fn entries(&self) -> Vec<Entry<'_>> {
        let entries = self.0.iter().map(|(bit, value)| match bit {
            Some(bit) => Entry::Bit(bit),
            None => Entry::Known(*value),
        });
        entries.collect()
    }
}

/// Elements of its own, as what was computed has.
fn own(bit: &LweCiphertext) -> LweCiphertext {
    LweCiphertext::from_elements(bit.key_id(), (*bit.elements()).into())
}

impl Parties {
    fn random(&mut self, count: usize) -> Vec<bool> {
        (0..count).map(|_| self.generator.below(2) == 1).collect()
    }

    /// Random bits that stand in ciphertexts behind some others.
    fn inputs(&mut self, before: usize, count: usize) -> Model {
        let values = self.random(before + count);
        let bits = self.encrypt(&values).into_iter().map(Some);
        Model(bits.zip(values).skip(before).collect())
    }

    fn computed(&mut self, count: usize) -> Model {
        let mut model = self.inputs(0, count);
        for (bit, _) in &mut model.0 {
            *bit = bit.as_ref().map(own);
        }
        model
    }

    /// Selectors of 0 and of 1 for each bit of an index.
    fn selectors(&mut self, bits: usize) -> Vec<[Selector; 2]> {
        let values = self.encrypt(&[false, true]);
        let (server, leveled, work) = (&self.server, &self.leveled, &mut self.work);
        let groups: [&[&LweCiphertext]; 2] = [&[&values[0]], &[&values[1]]];
        let mut make = || leveled.parity_selectors(server, work, &groups).unwrap();
        (0..bits).map(|_| make().try_into().unwrap()).collect()
    }

    /// The products of a load, automorphisms and choices, and its word.
    fn load(
        &mut self,
        index: usize,
        selectors: &[[Selector; 2]],
        model: &Model,
        width: usize,
    ) -> (usize, Vec<LweCiphertext>) {
        // Every other bit by the selector of its complement.
        let index = (0..selectors.len()).map(|bit| {
            let flip = bit & 1;
            (&selectors[bit][index >> bit & 1 ^ flip], flip == 1)
        });
        let index: Vec<(&Selector, bool)> = index.collect();
        self.work.product.count = 0;
        let entries = model.entries();
        let word = self.leveled.load(&mut self.work, &index, &entries, width);
        (self.work.product.count, word.unwrap())
    }

    /// Loads from some indices, and says how many automorphisms the first and the other loads took at most.
    fn check(
        &mut self,
        indices: impl Iterator<Item = usize>,
        selectors: &[[Selector; 2]],
        model: &Model,
        width: usize,
    ) -> [usize; 2] {
        let entries = model.entries();
        let at = |number: usize| entries[number];
        let listed = Entries::of(&entries, &at);
        let array = Array::new(
            (self.size(), self.secret.key_id()),
            selectors.len(),
            listed,
            width,
        )
        .unwrap();
        let choices = array.rows - 1 + array.low_bits();
        let mut most = [0, 0];
        for (number, index) in indices.enumerate() {
            let (products, word) = self.load(index, selectors, model, width);
            let most = &mut most[number.min(1)];
            *most = (*most).max(products.saturating_sub(choices));
            assert_eq!(word.len(), width);
            for (bit, (_, value)) in word.iter().zip(&model.0[index * width..]) {
                assert_eq!(self.secret.decrypt(bit), Ok(*value), "word {index}");
            }
        }
        most
    }
}

/// Arrays of every kind, of less than a row and of several, at every index.
#[test]
#[ignore = "slow: 4 s"]
fn every_index_loads() {
    let mut parties = Parties::new(TOY_BLOCK, 30);
    let selectors = parties.selectors(10);
    // N is 512.
    for (width, index_bits, rows) in [
        (1, 1, 1),
        (1, 5, 1),
        (1, 10, 2),
        (5, 3, 1),
        (5, 7, 2),
        (8, 6, 1),
        (8, 8, 4),
        (32, 2, 1),
        (32, 6, 4),
        (300, 2, 4),
    ] {
        let selectors = &selectors[..index_bits];
        let words = 1_usize << index_bits;
        let count = words * width;
        let power = width.is_power_of_two();
        let of_row = (count / rows).min(512);
        let check =
            |parties: &mut Parties, model: &Model, first: std::ops::RangeInclusive<usize>| {
                let [one, more] = parties.check(0..words, selectors, model, width);
                assert!(
                    first.contains(&one),
                    "{width} x {words}: {one} automorphisms"
                );
                assert_eq!(more, 0, "{width} x {words}");
            };

        let inputs = parties.inputs(0, count);
        match power {
            true => check(&mut parties, &inputs, 0..=0),
            false => check(&mut parties, &inputs, 1..=rows * 511),
        }
        // A part of one ciphertext is moved, what lies in several is packed.
        let behind = parties.inputs(5, count);
        match (power, rows) {
            (true, 1) if count <= 507 => check(&mut parties, &behind, 0..=0),
            _ => check(&mut parties, &behind, 1..=rows * 511),
        }
        let computed = parties.computed(count);
        let expected = match power {
            true => rows * (of_row - 1)..=rows * (of_row - 1),
            false => 1..=rows * 511,
        };
        check(&mut parties, &computed, expected);

        let mut known = computed.clone();
        known.0.iter_mut().for_each(|(bit, _)| *bit = None);
        check(&mut parties, &known, 0..=0);
        // Of everything something.
        let mut mixed = parties.inputs(0, count);
        for (number, entry) in mixed.0.iter_mut().enumerate() {
            match parties.generator.below(4) {
                0 => entry.0 = None,
                1 => *entry = behind.0[number].clone(),
                2 => *entry = computed.0[number].clone(),
                _ => {}
            }
        }
        check(&mut parties, &mixed, 0..=rows * 511);
    }
}

/// Words that change over a row that is packed, and over inputs; then back again.
#[test]
fn what_changed_is_packed() {
    let mut parties = Parties::new(TOY_BLOCK, 31);
    let selectors = parties.selectors(4);
    // One row: N/32 is 16, so that four steps come before the words of one bit join.
    for (inputs, first, word) in [(false, 511, 4 + 31), (true, 0, 32 * 4 + 31)] {
        let mut model = match inputs {
            true => parties.inputs(0, 512),
            false => parties.computed(512),
        };
        assert_eq!(parties.check(0..16, &selectors, &model, 32), [first, 0]);
        let before = model.clone();
        for round in 0..5 {
            let changed = parties.computed(32);
            let at = 32 * (3 * round % 16);
            model.0[at..at + 32].clone_from_slice(&changed.0);
            assert_eq!(parties.check(0..16, &selectors, &model, 32), [word, 0]);
        }
        // Constants cost nothing where the row has constants, and their automorphisms where it has bits.
        for (bit, value) in &mut model.0[64..96] {
            (*bit, *value) = (None, true);
        }
        assert_eq!(parties.check(0..16, &selectors, &model, 32), [word, 0]);
        for (_, value) in &mut model.0[64..96] {
            *value = false;
        }
        assert_eq!(parties.check(0..16, &selectors, &model, 32), [0, 0]);
        model.0[64].0 = Some(parties.server.constant(true));
        model.0[64].1 = true;
        // One bit: nine steps.
        assert_eq!(parties.check(0..16, &selectors, &model, 32), [9, 0]);
        // What was packed before is still known.
        assert_eq!(parties.check(0..16, &selectors, &before, 32), [0, 0]);
    }
}

/// A bit at several places, in several rows and in several arrays is found at all of them.
#[test]
fn repeated_bits_are_remembered() {
    let mut parties = Parties::new(TOY_BLOCK, 32);
    let selectors = parties.selectors(6);
    let mut few = parties.computed(3).0;
    few.push((None, true));
    let entry = |number: usize| match &few[number % 7 % 4] {
        (Some(bit), value) => (Entry::Bit(bit), *value),
        (None, value) => (Entry::Known(*value), *value),
    };
    let arrays = [0, 1, 5].map(|first| (0..2048).map(|i| entry(i + first)).collect::<Vec<_>>());
    for round in 0..3 {
        for array in &arrays {
            let entries: Vec<Entry<'_>> = array.iter().map(|(entry, _)| *entry).collect();
            for index in [0, 17, 63] {
                let chosen = (0..6).map(|bit| (&selectors[bit][index >> bit & 1], false));
                let chosen: Vec<(&Selector, bool)> = chosen.collect();
                parties.work.product.count = 0;
                let (leveled, work) = (&parties.leveled, &mut parties.work);
                let word = leveled.load(work, &chosen, &entries, 32).unwrap();
                for (bit, (_, value)) in word.iter().zip(&array[32 * index..]) {
                    assert_eq!(parties.secret.decrypt(bit), Ok(*value));
                }
                let packed = work.product.count > 3 + 4;
                assert_eq!(packed, round == 0 && index == 0);
            }
        }
    }
}

/// What was loaded is loaded from again, and read by lookups; lookups' results are loaded from.
#[test]
fn loads_of_loads_and_lookups() {
    let mut parties = Parties::new(TOY_BLOCK, 33);
    let selectors = parties.selectors(3);
    let model = parties.inputs(0, 64);
    let mut next = Model(Vec::new());
    for index in [3, 1, 7, 0] {
        let (_, word) = parties.load(index, &selectors, &model, 8);
        let values = model.0[8 * index..8 * index + 8].iter();
        next.0.extend(
            word.into_iter()
                .map(Some)
                .zip(values.map(|(_, value)| *value)),
        );
        let (bit, value) = next.0.last().unwrap().clone();
        let terms = [(bit.as_ref().unwrap(), 1)];
        let tables = [TruthTable(0b01), TruthTable(0b10)];
        let lookup = Lookup {
            terms: &terms,
            constant: 0,
            tables: &tables,
        };
        let mut scratch = parties.server.scratch(1);
        let read = parties.server.lookup_many(&mut scratch, &[lookup]);
        let read = read.unwrap().remove(0).into_iter().map(Some);
        next.0.extend(read.zip([!value, value]));
        next.0
            .extend([(None, true), (bit.map(|bit| bit.not()), !value)]);
    }
    // 48 entries: four words of twelve bits.
    let [_, more] = parties.check((0..4).chain(0..4), &selectors[..2], &next, 12);
    assert_eq!(more, 0);
}

/// Equal rows need no choice between them.
#[test]
fn equal_rows_are_not_chosen_between() {
    let mut parties = Parties::new(TOY_BLOCK, 34);
    let selectors = parties.selectors(3);
    let one = parties.inputs(0, 512);
    let mut model = Model(Vec::new());
    for row in 0..8 {
        match row {
            0 | 1 => model.0.extend(one.0.iter().cloned()),
            2..6 => model.0.extend((0..512).map(|i| (None, i % 3 == 0))),
            _ => model.0.extend(parties.inputs(0, 512).0),
        }
    }
    for index in 0..8 {
        let (products, word) = parties.load(index, &selectors, &model, 512);
        // Of 0 and 1, of 2 to 5 nothing; of 6 and 7; two and one above.
        assert_eq!(products, 4);
        for (bit, (_, value)) in word.iter().zip(&model.0[512 * index..]) {
            assert_eq!(parties.secret.decrypt(bit), Ok(*value));
        }
    }
}

/// Sixty-four rows of the same bits are one.
#[test]
fn equal_rows_are_packed_once() {
    let mut parties = Parties::new(TOY_BLOCK, 43);
    let bit = parties.computed(1).0.remove(0);
    let selectors = parties.selectors(6);
    let entries = vec![Entry::Bit(bit.0.as_ref().unwrap()); 64 * 512];
    for count in [511, 0] {
        let index = selectors.iter().map(|[zero, _]| (zero, false));
        let index: Vec<(&Selector, bool)> = index.collect();
        parties.work.product.count = 0;
        let (leveled, work) = (&parties.leveled, &mut parties.work);
        let word = leveled.load(work, &index, &entries, 512).unwrap();
        assert_eq!(parties.secret.decrypt(&word[300]), Ok(bit.1));
        assert_eq!(work.product.count, count);
    }
}

/// What a last ciphertext of inputs holds behind its bits is not 0.
#[test]
fn unused_coefficients_are_not_known() {
    let mut parties = Parties::new(TOY_BLOCK, 42);
    let selectors = parties.selectors(2);
    let mut model = parties.inputs(0, 3);
    model.0.push((None, false));
    let [first, more] = parties.check((0..4).rev(), &selectors, &model, 1);
    assert!(first > 0 && more == 0);
}

#[test]
fn strange_loads_are_refused() {
    let mut parties = Parties::new(TOY_BLOCK, 35);
    let mut other = Parties::new(TOY_BLOCK, 36);
    let [selectors, strange] = [&mut parties, &mut other].map(|parties| parties.selectors(1));
    let [bits, strange_bits] = [&mut parties, &mut other].map(|parties| parties.encrypt(&[true]));
    let (own, bit) = (&selectors[0][0], Entry::Bit(&bits[0]));
    let mut load = |index: &[&Selector], entries: &[Entry<'_>], width| {
        let index = index.iter().map(|selector| (*selector, false));
        let index: Vec<(&Selector, bool)> = index.collect();
        let loaded = parties
            .leveled
            .load(&mut parties.work, &index, entries, width);
        loaded.map(|word| word.len())
    };
    assert_eq!(load(&[own], &[bit; 6], 3), Ok(3));
    let (what, expected, found) = ("an array", 6, 5);
    assert_eq!(
        load(&[own], &[bit; 5], 3),
        Err(TfheError::WrongLength {
            what,
            expected,
            found
        })
    );
    let invalid = load(&[], &[bit; 3], 3);
    assert!(matches!(invalid, Err(TfheError::InvalidArray { .. })));
    let wrong_key = |what| TfheError::WrongKey {
        what,
        expected: bits[0].key_id(),
        found: strange_bits[0].key_id(),
    };
    let refused = load(&[&strange[0][0]], &[bit; 2], 1);
    assert_eq!(refused, Err(wrong_key("selector")));
    let refused = load(&[own], &[bit, Entry::Bit(&strange_bits[0])], 1);
    assert_eq!(refused, Err(wrong_key("ciphertext")));
    // Of a row of another size.
    let wide = crate::PackedInputs::from_parts(
        P16,
        bits[0].key_id(),
        random::Seed::from_bytes([1; 32]),
        vec![0],
    );
    let wide = wide.unpack();
    let refused = load(&[own], &[bit, Entry::Bit(&wide[0])], 1);
    let (what, expected, found) = ("an LWE ciphertext", 513, 2049);
    assert_eq!(
        refused,
        Err(TfheError::WrongLength {
            what,
            expected,
            found
        })
    );
}

#[test]
fn selectors_of_other_processors_are_refused() {
    let mut generator = random::Generator::from_key([37; 32]);
    let secret = SecretKey::generate(TOY_BLOCK, &mut generator).unwrap();
    let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {}).unwrap();
    let second = SeededLeveledKey::generate(&secret, &mut generator, 1, &|_, _| {}).unwrap();
    let bit = secret.encrypt(&[true], &mut generator).unpack().remove(0);
    let entries = [Entry::Bit(&bit), Entry::Known(false)];
    let keys: Vec<_> = Fft::available()
        .into_iter()
        .map(|fft| {
            let server = ServerKey::expand_for(&seeded, fft, 1, &|_, _| {}).unwrap();
            let leveled = LeveledKey::expand(&second, &server, 1, &|_, _| {}).unwrap();
            (server, leveled)
        })
        .collect();
    for (server, leveled) in &keys {
        let mut work = leveled.work(server, 1);
        let made = leveled.parity_selectors(server, &mut work, &[&[&bit]]);
        let selector = made.unwrap().remove(0);
        for (other_server, other) in &keys {
            let mut other_work = other.work(other_server, 1);
            let loaded = other.load(&mut other_work, &[(&selector, false)], &entries, 1);
            match server.fft() == other_server.fft() {
                true => assert_eq!(secret.decrypt(&loaded.unwrap()[0]), Ok(false)),
                false => assert!(matches!(loaded, Err(TfheError::WrongProcessor { .. }))),
            }
        }
    }
}

/// Two threads that pack the same bits leave them in one row, or in two of which either is found.
#[test]
fn threads_pack_at_the_same_time() {
    let mut parties = Parties::new(TOY_BLOCK, 38);
    let selectors = parties.selectors(4);
    let model = parties.computed(512);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let index = selectors.iter().map(|[_, one]| (one, false));
                let index: Vec<(&Selector, bool)> = index.collect();
                let mut work = parties.leveled.work(&parties.server, 1);
                let word = parties
                    .leveled
                    .load(&mut work, &index, &model.entries(), 32);
                for (bit, (_, value)) in word.unwrap().iter().zip(&model.0[480..]) {
                    assert_eq!(parties.secret.decrypt(bit), Ok(*value));
                }
            });
        }
    });
    assert_eq!(parties.check(0..16, &selectors, &model, 32), [0, 0]);
}

/// Packed bits differ from what they were by what is predicted; where nothing was packed there is no more
/// than that. A bit's error is a few automorphisms', half of it the first one's, which it shares with one
/// other bit: 512 samples of a row, 6 %. With 50 % a false alarm is below 10^-6.
#[test]
#[ignore = "slow: 2 s"]
fn p16_packing_has_its_noise() {
    let mut parties = Parties::new(P16, 39);
    let (noise, of) = (LeveledNoise::new(&P16), parties.conditions());
    let units = noise.packing() / NoiseBudget::new(&P16).rotation;
    println!("packing adds {units:.1e} units");
    assert!(units < 1e-5);
    let model = parties.computed(2048);
    let [mut few, mut idle] = [Samples::default(); 2];
    for (width, every) in [(32, 1), (32, 64)] {
        // All words, or one; what is left is known to be 0.
        let mut entries = model.entries();
        for (number, entry) in entries.iter_mut().enumerate() {
            if number / width % every != 0 {
                *entry = Entry::Known(false);
            }
        }
        let at = |number: usize| entries[number];
        let array = Array::new(
            (2048, parties.secret.key_id()),
            6,
            Entries::of(&entries, &at),
            width,
        )
        .unwrap();
        let (array, order, rows) = parties.leveled.rows_of(&array, &mut parties.work.product);
        assert_eq!((order, rows.len()), (Order::Reversed, 1));
        let phase = parties.phase(rows[0].glwe());
        let mut samples = Samples::default();
        for wish in array.wishes(order, 0) {
            let phase = phase[wish.coefficient];
            match wish.entry {
                Entry::Known(_) => idle.add(phase),
                Entry::Bit(bit) => {
                    let error = phase.wrapping_sub(parties.secret.phase(bit).unwrap());
                    [&mut few, &mut samples][usize::from(every == 1)].add(error);
                }
            }
        }
        if every == 1 {
            samples.assert_grouped(of, "packed bit", noise.packing(), 0.5, 4);
        }
    }
    let [few, idle] = [few, idle].map(|samples| samples.variance() / noise.packing());
    println!("a word alone has {few:.2}, what is not packed {idle:.2} of that");
    assert!(few < 3.0 && idle < 1.5);
}

/// Loads of depth 7 from two rows, of inputs or packed, with selectors anew for each: what is predicted,
/// and the part of it that neighbours of a word have in common. Slowly varying errors are common to
/// adjacent coefficients. In packed rows neighbours are far from one another, and have next to nothing
/// in common.
fn loads_have_their_noise(table: TruthTable, packed: bool, loads: usize, tolerance: f64) {
    const DEPTH: usize = 7;
    let mut parties = Parties::new(P16, 44);
    let (noise, of) = (LeveledNoise::new(&P16), parties.conditions());
    let model = match packed {
        true => parties.computed(2 * 2048),
        false => parties.inputs(0, 2 * 2048),
    };
    let entries = model.entries();
    let tables = [table];
    let data = 2.0 * P16.glwe_deviation().log2();
    let (mut samples, mut predicted) = (Samples::default(), 0.0);
    let (mut squares, mut products) = (0.0, 0.0);
    for _ in 0..loads {
        // The function is of one bit: it tells 0 from 1, or from 2.
        let values = parties.random(DEPTH);
        let bits = parties.encrypt(&values);
        let weight = if table.at(1) { 1 } else { 2 };
        let terms: Vec<_> = bits.iter().map(|bit| [(bit, weight)]).collect();
        let sums: Vec<_> = terms
            .iter()
            .map(|terms| Lookup {
                terms,
                constant: 0,
                tables: &tables,
            })
            .collect();
        let (server, leveled, work) = (&parties.server, &parties.leveled, &mut parties.work);
        let selectors = leveled.selectors(server, work, &sums).unwrap();
        let selectors = selectors.iter().flatten().map(|selector| (selector, false));
        let selectors: Vec<(&Selector, bool)> = selectors.collect();
        let word = leveled.load(work, &selectors, &entries, 32).unwrap();
        let by_one = |bit: &bool| noise.product(table, *bit);
        predicted += data.exp2() + values.iter().map(by_one).sum::<f64>();
        let address = values.iter().rev();
        let address = address.fold(0, |index, &bit| 2 * index + usize::from(bit));
        let expected = &model.0[32 * address..];
        let error = |(bit, (_, value)): (_, &(_, bool))| {
            let phase = parties.secret.phase(bit).unwrap();
            phase.wrapping_sub(u64::from(*value) * BIT_SCALE)
        };
        let errors: Vec<u64> = word.iter().zip(expected).map(error).collect();
        errors.iter().for_each(|error| samples.add(*error));
        for pair in errors.windows(2) {
            let [one, other] = [pair[0], pair[1]].map(|error| error as i64 as f64);
            squares += (one * one + other * other) / 2.0;
            products += one * other;
        }
    }
    let predicted = predicted / loads as f64;
    // Never more than what circuits count with.
    assert!(predicted <= noise.load(data.exp2(), table, DEPTH as u32));
    let rows = if packed { "packed" } else { "inputs" };
    let what = format!("load of depth 7 by {table:?}, {rows}");
    samples.assert_grouped(of, &what, predicted, tolerance, 16);
    let common = products / squares;
    println!("neighbours of a word have {common:.2} of that in common");
    let expected = if packed { 0.0 } else { 0.5 };
    assert!((common - expected).abs() < tolerance / 2.0);
}

/// 24 loads of 32 bits, which count as two: 20 %. With 90 % a false alarm is below 10^-4.
#[test]
#[ignore = "slow: 8 s"]
fn p16_loads_have_their_noise() {
    loads_have_their_noise(TruthTable(0b0110), false, 24, 0.9);
}

/// Sixteen times as many of each: 5 %, four deviations.
#[test]
#[ignore = "16,128 rotations of three levels, 1 minute"]
fn p16_loads_of_384_have_their_noise() {
    for table in [0b1010, 0b0110, 0b1100].map(TruthTable) {
        for packed in [false, true] {
            loads_have_their_noise(table, packed, 384, 0.25);
        }
    }
}

/// From 1,024 words, as far as the index goes, of bits of every kind.
#[test]
#[ignore = "slow: 3 s"]
fn p16_loads_from_many_words() {
    let mut parties = Parties::new(P16, 41);
    let selectors = parties.selectors(10);
    let mut model = parties.inputs(0, 32 * 1024);
    let some = [0, 1, 63, 64, 513, 777, 1023];
    let [first, more] = parties.check(some.into_iter(), &selectors, &model, 32);
    assert_eq!([first, more], [0, 0]);
    let changed = parties.computed(32);
    model.0[32 * 777..32 * 778].clone_from_slice(&changed.0);
    let packed = parties.check([777, 776].into_iter(), &selectors, &model, 32);
    assert_eq!(packed, [223, 0]);
}
