//! Files of BGV: keys, inputs of either key, outputs, one batch of rows and several. Whatever the
//! bytes are: an error, or records that are written and read again, and that the scheme takes.
//!
//! A checksum stops almost every mutation, so half of the inputs (by their first byte) are taken as
//! payloads and put into sound containers of the smallest set. Payloads of the right length are
//! long; so of a quarter of all inputs, metadata are taken and the length that they call for is
//! filled up.

#![no_main]

use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};

use bgv::{Parameters, Ring};
use libfuzzer_sys::fuzz_target;
use tfhe::KeyId;
use wire::bgv::{Batched, Batches, Inputs, Outputs, PublicKey, SecretKey, ServerKey, Set};
use wire::{Containers, Fingerprint, Kind, Record, container, decode, encode, read_from};

const KINDS: [Kind; 5] = [
    Kind::BGV_SECRET_KEY,
    Kind::BGV_SERVER_KEY,
    Kind::BGV_INPUTS,
    Kind::BGV_OUTPUTS,
    Kind::BGV_PUBLIC_KEY,
];

/// The smallest ring there is: 32 coefficients, 4 slots.
static SET: LazyLock<Set> =
    LazyLock::new(|| Set::new(Parameters::named("TOY_51").expect("there is such a set")));
static RING: LazyLock<Arc<Ring>> =
    LazyLock::new(|| Ring::new(SET.parameters()).expect("the set's ring"));

fn round_trip<R: Record>(bytes: &[u8]) -> Option<R> {
    let record = decode::<R>(bytes).ok()?;
    let again = encode(&record).expect("what was read can be written");
    let read = decode::<R>(&again).ok().expect("what was written can be read");
    assert_eq!(encode(&read).ok(), Some(again), "there is one file for one record");
    Some(record)
}

/// Reads all batches of a file, and holds them against each other.
fn table<R: Batched>(bytes: &[u8]) {
    let mut containers = Containers::new(bytes);
    let Ok(first) = containers.next_container(Some(R::KIND)) else {
        return;
    };
    let Ok((first, rest)) = Batches::<R, _>::of(first, containers) else {
        return;
    };
    let share = first.share();
    let mut next = 1;
    let mut rows = u64::from(share.rows());
    for batch in rest {
        let Ok(batch) = batch else { return };
        assert_eq!(batch.share().batch(), next);
        assert_eq!(batch.variables(), first.variables());
        rows += u64::from(batch.share().rows());
        next += 1;
    }
    assert_eq!((next, rows), (share.batches(), u64::from(share.table_rows())));
}

/// A payload behind a sound header. With `fill`, zeros are appended until a reader calls for no
/// more: how many it wants is in what it says.
fn sealed(version: u16, kind: Kind, payload: &[u8], fill: bool) -> Vec<u8> {
    let fingerprint = Fingerprint::of(&*SET);
    let seal = |payload: &[u8]| {
        let key = KeyId::from_bytes([0; 16]);
        let sealed = container::seal_as(version, kind, fingerprint, key, payload);
        sealed.expect("short payloads can be stored").to_vec()
    };
    let bytes = seal(payload);
    if !fill {
        return bytes;
    }
    let error = match kind {
        Kind::BGV_SECRET_KEY => decode::<SecretKey>(&bytes).err(),
        Kind::BGV_SERVER_KEY => decode::<ServerKey>(&bytes).err(),
        Kind::BGV_PUBLIC_KEY => decode::<PublicKey>(&bytes).err(),
        Kind::BGV_INPUTS => decode::<Inputs>(&bytes).err(),
        _ => decode::<Outputs>(&bytes).err(),
    };
    let said = error.map_or(String::new(), |error| error.to_string());
    let missing = said
        .split_once(" bytes of data, its parameters and metadata call for ")
        .and_then(|(present, wanted)| {
            let present: usize = present.rsplit(' ').next()?.parse().ok()?;
            wanted.parse::<usize>().ok()?.checked_sub(present)
        });
    match missing {
        Some(missing @ 1..=1_000_000) => seal(&[payload, &vec![0; missing]].concat()),
        _ => bytes,
    }
}

fuzz_target!(|data: &[u8]| {
    let made;
    let bytes = match data.split_first() {
        Some((choice, payload)) if *choice < 128 => {
            let kind = KINDS[usize::from(*choice) % KINDS.len()];
            let fill = *choice >= 64;
            let version = 1 + u16::from(kind == Kind::BGV_INPUTS && choice % 16 >= 8);
            // Several batches: the payload's halves, thirds or quarters.
            let parts = usize::from(*choice / 4 % 4) + 1;
            let parts = payload.chunks(payload.len().div_ceil(parts).max(1));
            made = parts
                .flat_map(|part| sealed(version, kind, part, fill))
                .collect::<Vec<u8>>();
            made.as_slice()
        }
        _ => data,
    };
    let read = read_from(bytes, None).map(|(header, payload)| (header, payload.to_vec()));
    let opened = container::open(bytes).map(|(header, payload)| (header, payload.to_vec()));
    assert_eq!(read, opened, "a file and its bytes in memory are one thing");
    if let Some(key) = round_trip::<SecretKey>(bytes) {
        // The scheme may refuse it, and must not fall over.
        let _ = key.open();
    }
    if let Some(key) = round_trip::<PublicKey>(bytes) {
        let _ = key.open();
    }
    if let Some(key) = round_trip::<ServerKey>(bytes) {
        let _ = key.open(NonZeroUsize::MIN);
    }
    if let Some(inputs) = round_trip::<Inputs>(bytes) {
        let _ = inputs.bits().expand(&RING);
    }
    round_trip::<Outputs>(bytes);
    table::<Inputs>(bytes);
    table::<Outputs>(bytes);
});
