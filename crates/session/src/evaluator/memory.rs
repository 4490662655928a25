//! The memory of a run: what is there whatever it computes, and what is left for ciphertexts.

use processor::{Plan, WindowPlan};
use tfhe::leveled::SeededLeveledKey;
use tfhe::{Parameters, SeededServerKey};

/// The process itself, its threads' buffers, and a program with its debugging information.
const PROCESS_BYTES: u64 = 40_000_000;

/// What a node of a circuit takes while it is recorded, prepared and scheduled, at most.
const NODE_BYTES: u64 = 700;

/// What an input takes beside its ciphertext: an array of a megabyte has eight million, each of which is
/// a signal. Measured for arrays of 1 MiB to 32 KB at secret indices: 450 to 690.
const INPUT_BYTES: u64 = 700;

/// A word of a key: expansion replaces seeds by masks, two polynomials where the file has one, and
/// the allocator keeps the file's room for a while. Measured beside 58.7 MB and 121.6 MB of expanded
/// keys: 29 to 40 MB and 60 to 80 MB.
const KEY_WORD_BYTES: u64 = 3 * size_of::<u64>() as u64;

/// The expanded server key, and its file's content, from which it is expanded.
pub fn of_key(parameters: &Parameters) -> u64 {
    let (bootstrap_words, _) = SeededServerKey::body_counts(parameters);
    KEY_WORD_BYTES * bootstrap_words as u64
}

/// The same of the selector key, for circuits that use it.
pub fn of_selectors(parameters: &Parameters, windows: &[WindowPlan]) -> u64 {
    match windows.iter().any(|window| window.cost.selector > 0) {
        false => 0,
        true => KEY_WORD_BYTES * SeededLeveledKey::body_count(parameters) as u64,
    }
}

/// Everything but ciphertexts and key.
pub fn of_circuits(windows: &[WindowPlan]) -> u64 {
    let of_window = windows
        .iter()
        .map(|window| NODE_BYTES * window.nodes as u64 + INPUT_BYTES * window.inputs as u64);
    PROCESS_BYTES + of_window.max().unwrap_or(0)
}

/// Everything but ciphertexts.
pub fn beside_ciphertexts(parameters: &Parameters, plan: &Plan) -> u64 {
    of_key(parameters) + of_selectors(parameters, &plan.windows) + of_circuits(&plan.windows)
}

/// Ciphertexts in the order of the program, which computes nothing ahead: no bound makes them fewer.
pub fn of_ciphertexts_in_order(parameters: &Parameters, plan: &Plan) -> u64 {
    let bytes_per_bit = size_of::<u64>() as u64 * (parameters.big_lwe_dimension().get() as u64 + 1);
    let windows = plan.windows.iter().map(|window| {
        let in_order = window.cost.peak_bits as u64 * bytes_per_bit;
        // Of inputs that are in a row still, the row is all.
        in_order.min(window.cost.peak_bytes)
    });
    windows.max().unwrap_or(0)
}
