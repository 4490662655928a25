//! Outputs and checkpoints with bits at scale 1/2, and with rows.

use std::sync::Arc;

use blindcore_wire::container::{
    FORMAT_VERSION, HALVES_VERSION, HEADER_BYTES, OUTPUT_ROWS_VERSION, open, seal_as,
};
use blindcore_wire::{Checkpoint, Kind, OutputBit, Outputs, Variable, WireError, decode, encode};
use proptest::prelude::*;
use tfhe::{LweCiphertext, ShrunkBits, ShrunkPlace, TOY_BLOCK};
use values::{Element, Type};

use crate::samples::{generator, secret_key};

fn version(file: &[u8]) -> u16 {
    u16::from_le_bytes([file[8], file[9]])
}

/// The same payload, its checksum renewed.
fn resealed(file: &[u8], kind: Kind, version: u16, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let (header, payload) = open(file).unwrap();
    let mut payload = payload.to_vec();
    change(&mut payload);
    let (fingerprint, key) = (header.fingerprint, header.key);
    seal_as(version, kind, fingerprint, key, &payload)
        .unwrap()
        .to_vec()
}

fn is_malformed<T: std::fmt::Debug>(found: &Result<T, WireError>) -> bool {
    matches!(found, Err(WireError::Malformed { .. }))
}

#[test]
fn outputs_say_which_bits_are_halves() {
    let key = secret_key(TOY_BLOCK).key_id();
    let words = ShrunkBits::words_per_bit(&TOY_BLOCK);
    let elements: Vec<u16> = (0..9 * words as u16).collect();
    let shrunk = ShrunkBits::from_parts(TOY_BLOCK, key, elements).unwrap();
    let halves: Vec<bool> = (0..9).map(|number| number % 4 == 0).collect();
    let variables = vec![Variable {
        name: "x".to_owned(),
        kind: Type::scalar(Element::U16),
    }];
    let mut bits = vec![OutputBit::Secret; 9];
    bits.resize(16, OutputBit::Clear(true));
    let outputs = |halves: Vec<bool>| {
        let shrunk = shrunk.clone().with_halves(halves).unwrap();
        Outputs::new(variables.clone(), bits.clone(), shrunk).unwrap()
    };
    let plain = encode(&outputs(vec![false; 9])).unwrap();
    assert_eq!(version(&plain), FORMAT_VERSION);
    let file = encode(&outputs(halves.clone())).unwrap();
    assert_eq!(
        (version(&file), file.len()),
        (HALVES_VERSION, plain.len() + 2)
    );
    let read: Outputs = decode(&file).unwrap();
    assert_eq!(read, outputs(halves));
    for length in HEADER_BYTES..file.len() {
        assert!(decode::<Outputs>(&file[..length]).is_err());
    }
    // The map stands before 9 ciphertexts: of nothing, and with a bit too many.
    let at = |payload: &Vec<u8>| payload.len() - 2 * 9 * words - 2;
    for (low, high) in [(0, 0), (1, 2)] {
        let changed = resealed(&file, Kind::OUTPUTS, HALVES_VERSION, |payload| {
            let at = at(payload);
            (payload[at], payload[at + 1]) = (low, high);
        });
        assert!(is_malformed(&decode::<Outputs>(&changed)));
    }
    for (file, other) in [(&plain, HALVES_VERSION), (&file, FORMAT_VERSION)] {
        let changed = resealed(file, Kind::OUTPUTS, other, |_| {});
        assert!(decode::<Outputs>(&changed).is_err());
    }
    for other in [3, 4] {
        assert!(decode::<Outputs>(&resealed(&file, Kind::OUTPUTS, other, |_| {})).is_err());
    }
}

/// Bits of rows beside some by themselves, halves among them.
fn outputs_in_rows() -> Outputs {
    let key = secret_key(TOY_BLOCK).key_id();
    let size = TOY_BLOCK.polynomial_size().get();
    let words = ShrunkBits::words_per_bit(&TOY_BLOCK);
    let place = |row: usize, coefficient: usize| {
        Some(ShrunkPlace {
            row: row as u32,
            coefficient: coefficient as u16,
            body: (coefficient * 7) as u16,
        })
    };
    // A whole row, words of another in the order of packings, and three bits by themselves between them.
    let reversed = |number: usize| number.reverse_bits() >> (usize::BITS - size.ilog2());
    let places = (0..size).map(|number| place(0, number));
    let places = places.chain([None; 3]);
    let places = places.chain((32..80).map(|number| place(1, reversed(number))));
    let places: Vec<_> = places.collect();
    let total = places.len();
    let elements = (0..3 * words as u16).collect();
    let masks = (0..2 * size).map(|word| (word * 3) as u16).collect();
    let shrunk = ShrunkBits::from_parts(TOY_BLOCK, key, elements)
        .and_then(|bits| bits.with_rows(masks, places))
        .and_then(|bits| bits.with_halves((0..total).map(|number| number > 100).collect()));
    let kind = Type::vector(Element::U8, total.div_ceil(8) as u32);
    let variables = vec![Variable {
        name: "x".to_owned(),
        kind,
    }];
    let mut bits = vec![OutputBit::Secret; total];
    bits.resize(total.div_ceil(8) * 8, OutputBit::Clear(false));
    Outputs::new(variables, bits, shrunk.unwrap()).unwrap()
}

#[test]
fn outputs_share_rows() {
    let outputs = outputs_in_rows();
    let size = TOY_BLOCK.polynomial_size().get();
    let words = ShrunkBits::words_per_bit(&TOY_BLOCK);
    let file = encode(&outputs).unwrap();
    assert_eq!(version(&file), OUTPUT_ROWS_VERSION);
    let total = outputs.secret().len();
    let bulk = 2 * (2 * size + (total - 3) + 3 * words);
    // Four bytes a bit, the rest are maps, two orders and three runs.
    assert!(file.len() < bulk + 3 * total.div_ceil(8) + 8 + 2 + 3 * 12 + 200);
    assert_eq!(decode::<Outputs>(&file).unwrap(), outputs);
    for length in HEADER_BYTES..file.len() {
        assert!(decode::<Outputs>(&file[..length]).is_err());
    }
    let changed = |change: &dyn Fn(&mut [u8])| {
        let changed = resealed(&file, Kind::OUTPUTS, OUTPUT_ROWS_VERSION, |payload| {
            let runs = payload.len() - bulk - 3 * 12;
            change(&mut payload[runs - 10..]);
        });
        decode::<Outputs>(&changed)
    };
    assert_eq!(changed(&|_| {}).unwrap(), outputs);
    type Change = fn(&mut [u8]);
    let changes: [Change; 13] = [
        // A row more, one less; a run more, one less; millions of either.
        |part| part[0] = 3,
        |part| part[0] = 1,
        |part| part[4] = 4,
        |part| part[4] = 2,
        |part| part[3] = 255,
        |part| part[7] = 255,
        // An order that there is not.
        |part| part[9] = 2,
        // A run of a row that is not there, rows in another order, a bit more, a bit of another length.
        |part| part[10] = 3,
        |part| (part[10], part[34]) = (2, 1),
        |part| part[14] += 1,
        |part| part[26] = 4,
        // A coefficient, and a step, of bits that are in no row.
        |part| part[30] = 1,
        |part| part[32] = 1,
    ];
    for (number, change) in changes.iter().enumerate() {
        assert!(changed(change).is_err(), "{number}");
    }
    for other in [FORMAT_VERSION, HALVES_VERSION, 4] {
        assert!(decode::<Outputs>(&resealed(&file, Kind::OUTPUTS, other, |_| {})).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// One file for one value: what is changed is refused, or is the only file of another value.
    #[test]
    fn any_change_of_rows_is_refused_or_another_value(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        version in 1_u16..4,
    ) {
        let file = encode(&outputs_in_rows()).unwrap();
        let changed = resealed(&file, Kind::OUTPUTS, version, |payload| {
            for (at, byte) in changes {
                // Mostly what says where bits are: it stands before masks and bodies.
                let at = at.index(payload.len().min(500));
                payload[at] = byte;
            }
        });
        if let Ok(read) = decode::<Outputs>(&changed) {
            prop_assert_eq!(encode(&read).unwrap().to_vec(), changed);
        }
    }
}

#[test]
fn checkpoints_have_rows_and_halves() {
    let secret = secret_key(TOY_BLOCK);
    let key = secret.key_id();
    let inputs = secret.encrypt(&[true; 600], &mut generator()).unpack();
    let own = |bit: &LweCiphertext| {
        LweCiphertext::from_parts(&TOY_BLOCK, key, bit.elements().into_owned()).unwrap()
    };
    let half = |bit: &LweCiphertext| {
        let elements = bit.elements().iter().map(|x| x << 4).collect();
        LweCiphertext::half_from_parts(&TOY_BLOCK, key, elements).unwrap()
    };
    let checkpoint = |bits: Vec<LweCiphertext>| {
        let bits = bits.into_iter().map(Arc::new).collect();
        Checkpoint::new(TOY_BLOCK, key, [7; 32], vec![1, 2, 3], bits).unwrap()
    };
    let few = vec![own(&inputs[0]), own(&inputs[5]), inputs[7].clone()];
    // One place for one row is no shorter.
    assert_eq!(version(&encode(&checkpoint(few)).unwrap()), FORMAT_VERSION);
    let mut all: Vec<LweCiphertext> = inputs[100..].to_vec();
    all.insert(3, own(&inputs[1]));
    all.insert(200, half(&inputs[2]));
    all.push(inputs[4].clone());
    let kept = checkpoint(all.clone());
    let file = encode(&kept).unwrap();
    assert_eq!(version(&file), HALVES_VERSION);
    // Two rows and two ciphertexts, 500 places.
    assert!(
        file.len() < 2 * 2 * 4096 + 2 * 4104 + 8 * 503 + 300,
        "{}",
        file.len()
    );
    let read: Checkpoint = decode(&file).unwrap();
    assert_eq!(read, kept);
    assert_eq!(encode(&read).unwrap().to_vec(), file.to_vec());
    for (bit, before) in read.bits().iter().zip(&all) {
        assert_eq!(bit.is_half(), before.is_half());
        assert_eq!(bit.shared_row().is_some(), before.shared_row().is_some());
        assert_eq!(secret.decrypt(bit), Ok(true));
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    files::replace_checkpoint(&path, &kept).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), file.to_vec());
    assert_eq!(files::read_checkpoint(&path).unwrap(), kept);
    for length in (HEADER_BYTES..file.len()).step_by(997) {
        assert!(decode::<Checkpoint>(&file[..length]).is_err());
    }
    // What stands behind rows: places, then two ciphertexts.
    let places = |payload: &[u8]| payload.len() - 2 * 8 * 513 - 8 * 503;
    type Change = fn(&mut [u8]);
    let changes: [Change; 5] = [
        // A row that is not there, a coefficient behind the end, an unknown scale.
        |place| place[0] = 9,
        |place| place[5] = 2,
        |place| place[8 * 3 + 4] = 2,
        // Rows in another order, and a ciphertext by itself that is none.
        |place| place[0] = 1,
        |place| place[8 * 3..8 * 3 + 4].fill(0),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let changed = resealed(&file, Kind::CHECKPOINT, HALVES_VERSION, |payload| {
            let at = places(payload);
            change(&mut payload[at..]);
        });
        let found = decode::<Checkpoint>(&changed);
        assert!(found.is_err(), "{number}");
    }
    let first = encode(&checkpoint(vec![own(&inputs[0])])).unwrap();
    for (file, other) in [(&first, HALVES_VERSION), (&file, FORMAT_VERSION)] {
        let changed = resealed(file, Kind::CHECKPOINT, other, |_| {});
        assert!(decode::<Checkpoint>(&changed).is_err());
    }
}
