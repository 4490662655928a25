//! Loads and stores at secret addresses: sixty-four random indexes at a time against the plain
//! interpreter; what lies beyond an object; refusals.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod simulated;

use simulated::agrees;

const TABLES: &[u8] = include_bytes!("programs/tables.elf");

/// Values that keep every index of the program in range.
fn in_range(name: &str, random: u64) -> u64 {
    match name {
        "i16" => random % 16,
        "j12" | "wide" => random % 12,
        "n5" => random % 5,
        "k10" => random % 10,
        _ => random,
    }
}

const INDEXES: [&str; 6] = ["i16", "j12", "n5", "k10", "wide", "value"];

#[test]
fn secret_indexes_into_clear_data() {
    agrees(TABLES, &INDEXES, 1, in_range);
}

#[test]
fn secret_indexes_into_secret_data() {
    let mut names = INDEXES.to_vec();
    names.extend([
        "before", "words", "bytes", "halves", "doubles", "records", "grid",
    ]);
    agrees(TABLES, &names, 2, in_range);
}
