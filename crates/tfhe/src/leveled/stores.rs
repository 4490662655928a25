//! Stores: every index of small arrays of every kind, one after the other, mixed scales, and the noise at
//! real parameters from both sides.

use super::array::Entry;
use super::measured::Parties;
use super::{Entries, LeveledNoise, Selector};
use crate::measured::samples::Samples;
use crate::parameters::{HALF_SCALE, P16, TOY_BLOCK};
use crate::{Lookup, LweCiphertext, Rotation, TfheError, TruthTable};

/// An array and what it should hold; no ciphertext where an entry is known.
#[derive(Clone)]
struct Model(Vec<(Option<LweCiphertext>, bool)>);

fn entry((bit, value): &(Option<LweCiphertext>, bool)) -> Entry<'_> {
    match bit {
        Some(bit) => Entry::Bit(bit),
        None => Entry::Known(*value),
    }
}

fn own(bit: &LweCiphertext) -> LweCiphertext {
    LweCiphertext::from_elements(bit.key_id(), (*bit.elements()).into())
}

impl Parties {
    fn some_bits(&mut self, kind: Kind, count: usize) -> Model {
        let values: Vec<bool> = (0..count).map(|_| self.generator.below(2) == 1).collect();
        let bits = self.encrypt(&values);
        let bits = bits.iter().map(|bit| match kind {
            Kind::Inputs => Some(bit.clone()),
            Kind::Computed => Some(own(bit)),
            Kind::Halves => Some(self.server.sum_modulo_2(&[bit]).unwrap()),
            Kind::Known => None,
        });
        Model(bits.zip(values).collect())
    }

    /// Selectors of 0 and of 1, `count` of them.
    fn both(&mut self, count: usize) -> Vec<[Selector; 2]> {
        let values = self.encrypt(&[false, true]);
        let (server, leveled, work) = (&self.server, &self.leveled, &mut self.work);
        let groups: [&[&LweCiphertext]; 2] = [&[&values[0]], &[&values[1]]];
        let mut make = || leveled.parity_selectors(server, work, &groups).unwrap();
        (0..count).map(|_| make().try_into().unwrap()).collect()
    }

    /// Stores a word, into the model as well, and says how many products and automorphisms it took.
    fn store(
        &mut self,
        selectors: &[[Selector; 2]],
        index: usize,
        enable: Option<(bool, bool)>,
        model: &mut Model,
        word: &Model,
    ) -> usize {
        let (of_index, of_enable) = selectors.split_at(selectors.len() - 1);
        // Every other bit by the selector of its complement.
        let bits = of_index.iter().enumerate().map(|(bit, both)| {
            let flip = bit & 1;
            (&both[index >> bit & 1 ^ flip], flip == 1)
        });
        let bits: Vec<(&Selector, bool)> = bits.collect();
        let condition = enable
            .map(|(value, inverted)| (&of_enable[0][usize::from(value ^ inverted)], inverted));
        let stored: Vec<Entry<'_>> = word.0.iter().map(entry).collect();
        let entries = Entries {
            count: model.0.len(),
            at: &|number| entry(&model.0[number]),
        };
        self.work.product.count = 0;
        let (leveled, work) = (&self.leveled, &mut self.work);
        let after = leveled.store_from(work, &bits, condition, entries, &stored);
        let after = after.unwrap();
        assert_eq!(after.len(), model.0.len());
        if enable.is_none_or(|(value, _)| value) {
            for (old, new) in model.0[index * word.0.len()..].iter_mut().zip(&word.0) {
                old.1 = new.1;
            }
        }
        for ((old, value), bit) in model.0.iter_mut().zip(after) {
            assert!(bit.is_half());
            assert_eq!(self.secret.decrypt(&bit), Ok(*value), "store at {index}");
            *old = Some(bit);
        }
        self.work.product.count
    }

    /// Loads a word, which is where it should be, and says how many products that took.
    fn reload(
        &mut self,
        selectors: &[[Selector; 2]],
        index: usize,
        model: &Model,
        width: usize,
    ) -> usize {
        let of_index = &selectors[..selectors.len() - 1];
        let bits = of_index.iter().enumerate();
        let bits: Vec<(&Selector, bool)> = bits
            .map(|(bit, both)| (&both[index >> bit & 1], false))
            .collect();
        let entries: Vec<Entry<'_>> = model.0.iter().map(entry).collect();
        self.work.product.count = 0;
        let word = self
            .leveled
            .load(&mut self.work, &bits, &entries, width)
            .unwrap();
        for (bit, (_, value)) in word.iter().zip(&model.0[index * width..]) {
            assert_eq!(self.secret.decrypt(bit), Ok(*value), "load at {index}");
            let is_half = entries
                .iter()
                .any(|entry| matches!(entry, Entry::Bit(bit) if bit.is_half()));
            assert_eq!(bit.is_half(), is_half);
        }
        self.work.product.count
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Inputs,
    Computed,
    Halves,
    Known,
}

const KINDS: [Kind; 4] = [Kind::Inputs, Kind::Computed, Kind::Halves, Kind::Known];

/// At every index, into less than a row, one and several, from bits of every kind.
#[test]
fn every_index_is_stored_to() {
    let mut parties = Parties::new(TOY_BLOCK, 60);
    let selectors = parties.both(9);
    // N is 512.
    for (width, index_bits) in [
        (1, 1),
        (1, 5),
        (3, 2),
        (5, 7),
        (8, 3),
        (8, 8),
        (32, 5),
        (300, 1),
    ] {
        let selectors = &selectors[8 - index_bits..];
        let words = 1 << index_bits;
        let (rows, low) = {
            let of_row = (512 / usize::next_power_of_two(width)).min(words);
            (words / of_row, of_row.ilog2() as usize)
        };
        for (number, kind) in KINDS.into_iter().enumerate() {
            let mut model = parties.some_bits(kind, words * width);
            for round in 0..words.min(12) {
                let index = (round * 7 + number) % words;
                let word = parties.some_bits(KINDS[(round + number) % 4], width);
                let enable = [
                    None,
                    Some((true, false)),
                    Some((false, true)),
                    Some((true, true)),
                ];
                let enable = enable[(round + 3 * number) % 4];
                let products = parties.store(selectors, index, enable, &mut model, &word);
                let choices = 2 * (rows - 1 + low) + usize::from(enable.is_some());
                // A word between others takes automorphisms for each of its bits, and no row does
                // any more: all of them are where the store before has put them.
                if round > 0 {
                    assert!(
                        products <= choices + 9 * width,
                        "{width} x {words}: {products}"
                    );
                }
                let products = parties.reload(selectors, (index + 1) % words, &model, width);
                assert_eq!(products, rows - 1 + low, "{width} x {words}");
            }
        }
    }
}

/// Parts of the elements of an array: read without any automorphism and stored to with those of one word,
/// beside other bits, from inputs at the beginning of a row and behind another variable, and from a row
/// that was packed here; with words replaced at public places in between.
#[test]
fn parts_of_elements_are_read_and_stored_to_where_they_lie() {
    const ELEMENT: usize = 16;
    let mut parties = Parties::new(TOY_BLOCK, 67);
    let selectors = parties.both(7);
    // N is 512: 32 elements to a row, and one row or two of them.
    for (number, (index_bits, behind, kind)) in [
        (6, 0, Kind::Inputs),
        (4, 0, Kind::Inputs),
        (4, 3 * ELEMENT, Kind::Inputs),
        (6, 0, Kind::Computed),
    ]
    .into_iter()
    .enumerate()
    {
        let selectors = &selectors[6 - index_bits..];
        let words = 1 << index_bits;
        let mut all = parties.some_bits(kind, behind + words * ELEMENT);
        all.0.drain(..behind);
        if kind == Kind::Computed {
            // Packed whole.
            parties.reload(selectors, 1, &all, ELEMENT);
        }
        let (rows, low) = (words.div_ceil(32), words.min(32).ilog2() as usize);
        for round in 0..16 {
            let part = [0..8, 8..16, 4..9, 15..16, 0..1][(round + number) % 5].clone();
            let of = |all: &Model| {
                let elements = all.0.chunks(ELEMENT);
                Model(
                    elements
                        .flat_map(|bits| bits[part.clone()].to_vec())
                        .collect(),
                )
            };
            let mut model = of(&all);
            let is_one_row = |(bit, _): &(Option<LweCiphertext>, bool)| {
                bit.as_ref().is_some_and(|bit| !bit.is_half())
            };
            // What was stored to in parts lies in rows of its own, and what was replaced in none.
            let is_whole = round < 3 && model.0.iter().all(is_one_row);
            let products = parties.reload(selectors, round % words, &model, part.len());
            if is_whole {
                assert_eq!(products, rows - 1 + low, "{part:?} of {words}, {kind:?}");
            }
            let word = parties.some_bits(KINDS[round % 4], part.len());
            let index = round * 5 % words;
            parties.store(selectors, index, None, &mut model, &word);
            let products = parties.reload(selectors, index, &model, part.len());
            assert_eq!(products, rows - 1 + low, "{part:?} of {words}, {kind:?}");
            for (element, bits) in all.0.chunks_mut(ELEMENT).zip(model.0.chunks(part.len())) {
                element[part.clone()].clone_from_slice(bits);
            }
            if round % 3 == 2 {
                let place = round * ELEMENT % all.0.len();
                let fresh = parties.some_bits(KINDS[round / 3 % 4], ELEMENT);
                all.0[place..place + ELEMENT].clone_from_slice(&fresh.0);
            }
        }
    }
}

/// Bits of both scales in one array, the same bit in many places, and a word of the array itself.
#[test]
fn mixed_arrays_are_stored_to() {
    let mut parties = Parties::new(TOY_BLOCK, 61);
    let selectors = parties.both(5);
    let mut model = Model(Vec::new());
    for number in 0..16 {
        let kind = KINDS[number % 4];
        let word = parties.some_bits(kind, 64);
        model.0.extend(word.0);
    }
    let twin = model.0[64].clone();
    model.0[100..200].fill(twin);
    parties.reload(&selectors, 3, &model, 64);
    for round in 0..6 {
        let word = Model(model.0[64 * round + 5..64 * round + 69].to_vec());
        parties.store(&selectors, 3 * round % 16, None, &mut model, &word);
        // Some bits come from elsewhere again.
        let others = parties.some_bits(KINDS[round % 4], 40);
        model.0[90..130].clone_from_slice(&others.0);
        for index in [0, 1, 2, 15] {
            parties.reload(&selectors, index, &model, 64);
        }
    }
}

/// A hundred stores in a row, most of them to one place.
#[test]
fn many_stores_follow_each_other() {
    let mut parties = Parties::new(TOY_BLOCK, 62);
    let selectors = parties.both(7);
    let mut model = parties.some_bits(Kind::Inputs, 64 * 16);
    for round in 0..100 {
        let index = if round % 5 == 0 {
            parties.generator.below(64) as usize
        } else {
            17
        };
        let word = parties.some_bits(KINDS[round % 4], 16);
        parties.store(
            &selectors,
            index,
            Some((round % 3 > 0, false)),
            &mut model,
            &word,
        );
    }
}

/// Bits at scale 1/2 are read by parities, choices and sums, and by nothing else.
#[test]
fn halves_are_read_by_those_who_can() {
    let mut parties = Parties::new(TOY_BLOCK, 63);
    let values = [true, true, false, true];
    let bits = parties.encrypt(&values);
    let Parties {
        secret,
        server,
        leveled,
        work,
        ..
    } = &mut parties;
    let half = |bits: &[&LweCiphertext]| server.sum_modulo_2(bits).unwrap();
    let decrypt = |bit: &LweCiphertext| secret.decrypt(bit).unwrap();
    let [one, zero] = [half(&[&bits[0]]), half(&[&bits[0], &bits[1]])];
    assert_eq!(
        [&one, &zero, &one.not(), &zero.not()].map(decrypt),
        [true, false, false, true]
    );
    assert!(one != bits[0] && one == one.clone() && one.not().not() == one);
    assert!(!decrypt(&half(&[])));
    let mixed = half(&[&one, &bits[3], &zero, &bits[2], &one.not()]);
    // 1, 1, 0, 0 and 0.
    assert_eq!([&mixed, &mixed.not()].map(decrypt), [false, true]);
    let mut scratch = server.scratch(2);
    let odd = [&one, &bits[0], &zero, &bits[1]];
    let read = server.rotate_many(
        &mut scratch,
        &[Rotation::Parity(&odd), Rotation::Parity(&[&one])],
    );
    let read = read.unwrap();
    assert_eq!((decrypt(&read[0][0]), decrypt(&read[1][0])), (true, true));
    assert!(!read[1][0].is_half());
    // Shrunk beside bits of the other scale.
    let shrunk = server
        .shrink(&mut scratch, &[&bits[2], &one, &zero, &bits[0]])
        .unwrap();
    assert!(shrunk.is_half(1) && !shrunk.is_half(0) && shrunk.has_halves());
    assert_eq!(
        secret.decrypt_shrunk(&shrunk),
        Ok(vec![false, true, false, true])
    );
    // Lookups, sums and selectors of sums refuse them.
    let terms = [(&bits[0], 1), (&one, 2)];
    let tables = [TruthTable(0b1010)];
    let lookup = Lookup {
        terms: &terms,
        constant: 0,
        tables: &tables,
    };
    assert_eq!(
        server.lookup_many(&mut scratch, &[lookup]).err(),
        Some(TfheError::WrongScale)
    );
    assert_eq!(server.sum(&[&one]).err(), Some(TfheError::WrongScale));
    let refused = leveled.selectors(server, work, &[lookup]);
    assert_eq!(refused.err(), Some(TfheError::WrongScale));
    // Selectors of parities and choices do not.
    let groups: [&[&LweCiphertext]; 2] = [&[&one, &bits[2]], &[&zero]];
    let made = leveled.parity_selectors(server, work, &groups).unwrap();
    for (selector, expected) in made.iter().zip([true, false]) {
        for (zero, one) in [
            (&bits[2], &one),
            (&one.not(), &bits[0]),
            (&bits[2], &bits[0]),
        ] {
            let chosen = leveled.choose(work, selector, zero, one).unwrap();
            assert_eq!(chosen.is_half(), zero.is_half() || one.is_half());
            assert_eq!(secret.decrypt(&chosen), Ok(expected));
        }
    }
    // What is between both is no bit.
    let mut elements = one.elements().into_owned();
    elements[512] = elements[512].wrapping_add(HALF_SCALE / 2);
    let damaged = LweCiphertext::half_from_parts(&TOY_BLOCK, one.key_id(), elements).unwrap();
    let found = secret.decrypt(&damaged);
    assert_eq!(found, Err(TfheError::NotABit { index: 0 }));
}

#[test]
fn strange_stores_are_refused() {
    let mut parties = Parties::new(TOY_BLOCK, 64);
    let selectors = parties.both(1);
    let bits = parties.encrypt(&[true; 4]);
    let all: Vec<Entry<'_>> = bits.iter().map(Entry::Bit).collect();
    let entries = Entries {
        count: 4,
        at: &|number| all[number],
    };
    let index = [(&selectors[0][0], false)];
    let (leveled, work) = (&parties.leveled, &mut parties.work);
    let mut refused = |index: &[(&Selector, bool)], word: &[Entry<'_>]| {
        leveled.store_from(work, index, None, entries, word).err()
    };
    assert!(matches!(
        refused(&index, &all[..3]),
        Some(TfheError::WrongLength { .. })
    ));
    assert!(matches!(
        refused(&index, &[]),
        Some(TfheError::InvalidArray { .. })
    ));
    assert!(matches!(
        refused(&[], &all),
        Some(TfheError::InvalidArray { .. })
    ));
    let other = Parties::new(TOY_BLOCK, 65).encrypt(&[true]).remove(0);
    let foreign = [Entry::Bit(&other), all[0]];
    assert!(matches!(
        refused(&index, &foreign),
        Some(TfheError::WrongKey { .. })
    ));
    assert_eq!(refused(&index, &all[..2]), None);
}

/// Stores of depth 7 into two rows, selectors anew for each: what a written word has, and what is added to
/// the others. Those of the same row get all products' errors; the other row gets that of the last one,
/// for g − s·g has lost those of g where the bit is 1, and s·g where it is 0.
#[test]
#[ignore = "slow: 9 s"]
fn p16_stores_have_their_noise() {
    const DEPTH: usize = 7;
    let mut parties = Parties::new(P16, 66);
    let (noise, of) = (LeveledNoise::new(&P16), parties.conditions());
    let function = TruthTable(0b0110);
    let model = parties.some_bits(Kind::Computed, 2 * 2048);
    let data = 256.0 * 2f64.powf(2.0 * P16.glwe_deviation().log2());
    let (mut written, mut most, mut idle) =
        (Samples::default(), Samples::default(), Samples::default());
    let mut predicted = 0.0;
    const STORES: usize = 24;
    for round in 0..STORES {
        let values: Vec<bool> = (0..DEPTH)
            .map(|_| parties.generator.below(2) == 1)
            .collect();
        let bits = parties.encrypt(&values);
        let tables = [function];
        let terms: Vec<_> = bits.iter().map(|bit| [(bit, 1)]).collect();
        let sums = terms.iter().map(|terms| Lookup {
            terms,
            constant: 0,
            tables: &tables,
        });
        let sums: Vec<Lookup<'_>> = sums.collect();
        let (server, leveled, work) = (&parties.server, &parties.leveled, &mut parties.work);
        let made = leveled.selectors(server, work, &sums).unwrap();
        let index: Vec<(&Selector, bool)> = made.iter().flatten().map(|it| (it, false)).collect();
        let address = values
            .iter()
            .rev()
            .fold(0, |at, &bit| 2 * at + usize::from(bit));
        let word: Vec<Entry<'_>> = (0..32)
            .map(|i| Entry::Known((i + round) % 3 == 0))
            .collect();
        let entries = Entries {
            count: model.0.len(),
            at: &|number| entry(&model.0[number]),
        };
        let after = leveled
            .store_from(work, &index, None, entries, &word)
            .unwrap();
        predicted += values
            .iter()
            .map(|bit| noise.product(function, *bit))
            .sum::<f64>();
        for (number, bit) in after.iter().enumerate() {
            let place = number / 32;
            let value = match place == address {
                true => (number % 32 + round) % 3 == 0,
                false => model.0[number].1,
            };
            let phase = parties.secret.phase(bit).unwrap();
            let error = phase.wrapping_sub(u64::from(value).wrapping_mul(HALF_SCALE));
            match place ^ address {
                0 => written.add(error),
                // Some of them: neighbours share much.
                1 | 2 | 32 => most.add(error),
                other if other >= 64 => idle.add(error),
                _ => {}
            }
        }
    }
    let predicted = predicted / STORES as f64;
    let products = noise.store(function, DEPTH as u32);
    assert!(predicted <= products);
    // Words of 32 bits count as two, as for loads; three words of one row as one.
    let packed = noise.packing();
    written.assert_grouped(of, "written word", 2.0 * predicted + packed, 0.9, 16);
    most.assert_grouped(of, "word of the same row", predicted + data, 0.9, 48);
    let last = noise.product(function, true) + data;
    let share = idle.variance() / last;
    println!("words of the other row have {share:.2} of a product's");
    assert!((0.3..1.3).contains(&share));
}
