//! docs/instructions.md names what the code has.

#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

/// Every word in backquotes in the first columns of mnemonics, but for what explains them.
fn documented() -> BTreeSet<&'static str> {
    let page = include_str!("../../../docs/instructions.md");
    let (_, subset) = page.split_once("## In the subset").unwrap_or_default();
    let (subset, _) = subset.split_once("\n## ").unwrap_or_default();
    let rows = subset.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split(" | ").nth(1));
    let quoted = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let others = [
        "adr",
        "pc",
        "s",
        "#0",
        "#1",
        "#0x123456",
        "r0",
        "r1",
        "FPSCR",
    ];
    quoted
        .filter(|word| !others.contains(word) && !word.starts_with("apsr_"))
        .collect()
}

#[test]
fn the_page_names_every_mnemonic() {
    let ours: BTreeSet<_> = blindcore_a32::MNEMONICS.iter().copied().collect();
    assert_eq!(
        ours.len(),
        blindcore_a32::MNEMONICS.len(),
        "a name stands twice"
    );
    assert_eq!(documented(), ours);
}
