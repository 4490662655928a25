//! The interpreter against `qemu-arm`, which shares no code with it: every mnemonic that the crate
//! claims, and sequences of instructions, on pseudo-random registers, flags and memory, those of
//! floating point in every mode included.
//!
//! `guest.c` runs under qemu. It takes records (words, a seed, how many states to try), puts the
//! words into a slot of a page of code, and folds what each state becomes into one word of 32
//! bits. Here the interpreter does the same with the same page at the same address. Where the
//! two differ, the number of states is bisected, so that the report names the first one.
//!
//! The page is made of landing pads, pairs of `str lr, [pc, #…]; bl epilogue`, so that an
//! instruction may go anywhere and the address where it landed is part of what is compared.
//!
//! Not here: `svc`, `bkpt` and `udf`, which leave the program, and accesses that fault.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod floats;
mod guest;
mod record;
mod words;

use blindcore_a32::MNEMONICS;

use guest::Guest;
use record::{Ours, Record};
use words::{Random, Sampler};

/// These end or leave the program: `tests/execution.rs` has them.
const LEAVING: [&str; 3] = ["svc", "bkpt", "udf"];

/// Compares all records; panics with the first states that differ.
fn compare(name: &str, records: &[Record]) {
    let guest = Guest::new(name);
    let mut ours = Ours::new();
    let answers = guest.answers(records, || {
        records
            .iter()
            .map(|record| ours.run(record))
            .collect::<Vec<_>>()
    });
    let mut reports = Vec::new();
    for (record, (theirs, mine)) in records.iter().zip(answers) {
        let mine = mine.unwrap_or_else(|error| panic!("{record}: {error}"));
        if theirs != mine && reports.len() < 5 {
            reports.push(guest.first_difference(&mut Ours::new(), record));
        }
    }
    assert!(reports.is_empty(), "{}", reports.join("\n"));
}

/// Words of every mnemonic, each on some states.
fn every_mnemonic(name: &str, words: usize, states: u32) {
    let mut sampler = Sampler::new();
    let mut tried: Vec<_> = MNEMONICS.to_vec();
    tried.retain(|name| !LEAVING.contains(name));
    assert_eq!(tried.len(), MNEMONICS.len() - LEAVING.len());
    for group in tried.chunks(24) {
        let records: Vec<Record> = group
            .iter()
            .flat_map(|name| sampler.records(name, words, states))
            .collect();
        assert_eq!(records.len(), group.len() * words);
        compare(name, &records);
        println!("{words} words on {states} states each: {}", group.join(" "));
    }
}

/// Blocks of 8 to 32 instructions.
fn sequences(name: &str, blocks: usize, states: u32) {
    let mut random = Random::new(0x5eed);
    let mut ours = Ours::new();
    let mut records = Vec::new();
    while records.len() < blocks {
        let record = words::sequence(&mut random, states);
        // A base that wandered out of memory is a fault, which is not what is compared here.
        if ours.run(&record).is_ok() {
            records.push(record);
        }
    }
    compare(name, &records);
}

#[test]
#[ignore = "slow: 22 s"]
fn every_mnemonic_agrees_with_qemu() {
    every_mnemonic("mnemonics", 100, 200);
}

#[test]
fn sequences_agree_with_qemu() {
    sequences("sequences", 300, 100);
}

#[test]
#[ignore = "a million states of every mnemonic, 10 min"]
fn a_million_states_of_every_mnemonic_agree_with_qemu() {
    // A sixth of them fail their conditions: 1.08 million of each do what they are named for.
    every_mnemonic("million", 1000, 1300);
}

#[test]
#[ignore = "a hundred times as many sequences, 1 min"]
fn many_sequences_agree_with_qemu() {
    sequences("many", 5000, 600);
}
