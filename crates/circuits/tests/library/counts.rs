//! What units cost: formulas, and a snapshot of every unit at several widths.

use super::harness::{Tested, cost, levelled, low, on_cores};
use super::units::{unit, units};
use blindcore_circuits::library::catalogue::{Family, Unit};
use blindcore_circuits::library::{self, Shift};
use blindcore_circuits::{Builder, Profile, Wire, passes};
use std::fmt::Write as _;
use std::path::Path;

fn of(unit: &Unit, profile: &Profile, n: usize) -> (usize, u32) {
    cost(&unit.fresh(profile, n).circuit, profile)
}

fn with_lookups(name: &str, n: usize) -> (usize, u32) {
    of(unit(name), &Profile::lookup_simulation(), n)
}

fn with_gates(name: &str, n: usize) -> (usize, u32) {
    of(unit(name), &Profile::gate_simulation(), n)
}

/// Targets of the snapshot.
fn targets() -> [(&'static str, Profile); 5] {
    [
        ("lookups, 1 core", on_cores(1)),
        ("lookups, 2 cores", on_cores(2)),
        ("lookups, 16 cores", on_cores(16)),
        ("ANDs, any depth", Profile::gate_simulation()),
        ("ANDs, few levels", levelled()),
    ]
}

/// The width from which on a unit is not mapped to lookups here: products, quotients and sums of
/// many words that are drawn for gates are thousands of them.
fn too_wide(unit: &Unit) -> usize {
    if unit.is_default() || ["columns", "growing-width"].contains(&unit.architecture.as_str()) {
        return usize::MAX;
    }
    match unit.family {
        Family::Multiplication | Family::Division => 32,
        Family::Summation => 64,
        _ => usize::MAX,
    }
}

#[test]
#[ignore = "slow: 43 s"]
fn snapshot() {
    let mut text = String::from(
        "# Cost of each unit on fresh operands: lookups / longest chain / modelled time of the circuit as it\n\
         # is evaluated, after all passes, where a lookup takes 1 in a batch of eight and 1.25 alone;\n\
         # ANDs / longest chain for targets without lookups. Not mapped: the widest of what\n\
         # was drawn for gates.\n\
         # Rewrite with LIBRARY_COUNTS=write cargo test -p blindcore-circuits.\n",
    );
    for (name, profile) in targets() {
        write!(text, "\n{:38}", format!("# {name}")).unwrap();
        for n in [8, 16, 32, 64] {
            write!(text, " {:>19}", format!("{n} bits")).unwrap();
        }
        for unit in units() {
            write!(text, "\n{:38}", unit.name()).unwrap();
            for n in [8, 16, 32, 64] {
                let has_lookups = profile.lookup.is_some();
                if has_lookups && n >= too_wide(unit) {
                    write!(text, " {:>19}", "–").unwrap();
                    continue;
                }
                let mut circuit = unit.draw(&profile, n).circuit;
                if has_lookups {
                    circuit = passes::prepare(&circuit, &profile);
                }
                let (count, depth) = cost(&circuit, &profile);
                let mut entry = format!("{count} / {depth}");
                if has_lookups {
                    let time = passes::makespan(&circuit, &profile);
                    write!(entry, " / {time:.1}").unwrap();
                }
                write!(text, " {entry:>19}").unwrap();
            }
        }
        text.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library_counts.txt");
    if std::env::var_os("LIBRARY_COUNTS").is_some_and(|value| value == "write") {
        std::fs::write(&path, &text).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    for (line, recorded) in text.lines().zip(recorded.lines()) {
        assert_eq!(
            line, recorded,
            "counts changed; if for the better, record them"
        );
    }
    assert_eq!(text.lines().count(), recorded.lines().count());
}

/// Widths for which formulas are asserted.
const WIDTHS: std::ops::RangeInclusive<usize> = 1..=40;

fn logarithm(n: usize) -> u32 {
    n.next_power_of_two().ilog2()
}

#[test]
fn slices_take_three_columns() {
    for n in WIDTHS {
        let slices = n.div_ceil(3);
        for name in ["add", "subtract"] {
            assert_eq!(with_lookups(name, n), (slices, slices as u32), "{name} {n}");
        }
        // Where only the carry is read, four: a chain, or states of columns beside it.
        for name in ["less_than_unsigned", "less_than_signed"] {
            let lookups = Profile::lookup_simulation();
            let recorded = unit(name).fresh(&lookups, n).circuit;
            let (count, depth) = cost(&passes::prepare(&recorded, &lookups), &lookups);
            let fewest = n.div_ceil(4);
            assert!(
                (fewest..=fewest + n / 24).contains(&count),
                "{name} {n}: {count}"
            );
            assert!(depth as usize <= fewest, "{name} {n}: {depth}");
        }
        // Where the last slice is full, overflow is a lookup of its own.
        let extra = usize::from(n % 3 == 0);
        let expected = (slices + extra, (slices + extra) as u32);
        assert_eq!(with_lookups("add_with_carry", n), expected, "{n}");
    }
}

#[test]
fn ripple_takes_an_and_for_each_bit() {
    for n in WIDTHS {
        assert_eq!(with_gates("add_with_carry", n), (n, n as u32));
        assert_eq!(with_gates("add", n), (n - 1, n as u32 - 1));
        assert_eq!(with_gates("subtract", n), (n - 1, n as u32 - 1));
        assert_eq!(with_gates("less_than_unsigned", n), (n, n as u32));
        assert_eq!(with_gates("negate_if", n), (n - 1, n as u32 - 1));
    }
}

#[test]
fn few_levels_take_a_tree() {
    for n in WIDTHS {
        // A selection for each level of a tree over the columns and the carry in.
        let (count, depth) = of(unit("add_with_carry"), &levelled(), n);
        assert_eq!(depth, logarithm(n + 1), "{n}");
        assert!(count <= n * (logarithm(n) as usize + 1) + 1, "{n}: {count}");
        let (_, depth) = of(unit("add"), &levelled(), n);
        assert_eq!(depth, logarithm(n), "{n}");
        let sklansky = of(unit("add_with_carry, sklansky"), &levelled(), n);
        assert_eq!(sklansky.1, 1 + logarithm(n));
        if n.is_power_of_two() {
            assert_eq!(sklansky.0, n * logarithm(n) as usize + 1);
        }
    }
}

#[test]
fn equality_has_depth_two() {
    for n in 4..=45usize {
        let flags = n.div_ceil(4);
        let expected = (flags + usize::from(flags > 1), 1 + u32::from(flags > 1));
        assert_eq!(with_lookups("equal", n), expected, "{n}");
        assert_eq!(with_gates("equal", n), (n - 1, logarithm(n)));
    }
}

#[test]
fn words_of_gates_are_flat() {
    for n in WIDTHS {
        for name in ["and", "or", "xor"] {
            assert_eq!(with_lookups(name, n), (n, 1));
        }
        for name in ["and", "or", "select"] {
            assert_eq!(with_gates(name, n), (n, 1));
        }
        assert_eq!(with_gates("xor", n), (0, 0));
        assert_eq!(with_lookups("negate_if", n).0, n.div_ceil(2));
    }
}

/// A shift of n bits by an amount of as many bits as it needs, without carry.
fn shift_within(kind: Shift, n: usize) -> (usize, u32) {
    let profile = Profile::lookup_simulation();
    let mut b = Builder::new(&profile);
    let (x, amount) = (b.inputs(n), b.inputs(logarithm(n) as usize));
    let (word, _) = library::shift(&mut b, kind, &x, &amount, Wire::FALSE);
    word.into_iter().for_each(|bit| b.output(bit));
    cost(&b.finish(), &profile)
}

#[test]
fn shifts_mask_two_places_by_two_bits_of_the_amount() {
    for n in [4, 8, 16, 32, 64] {
        let stages = logarithm(n);
        let expected = stages as usize / 2 * n / 2 + stages as usize % 2 * n.div_ceil(3);
        for kind in [
            Shift::Left,
            Shift::LogicalRight,
            Shift::ArithmeticRight,
            Shift::RotateRight,
        ] {
            let found = shift_within(kind, n);
            assert_eq!(found, (expected, stages.div_ceil(2)), "{kind:?} {n}");
        }
        // Is the amount 0, and the carry's selection.
        assert_eq!(with_lookups("rotate_right", n).0, expected + 2);
    }
    assert_eq!(shift_within(Shift::ArithmeticRight, 16), (16, 2));
    // Amounts of 32 and more: two lookups for the amount's bits, one for places 30 and 31.
    assert_eq!(with_lookups("shift_left_without_carry", 32), (43 + 3, 3));
}

#[test]
fn selections_mask_three_bits_at_once() {
    for n in WIDTHS {
        let expected = 2 * (n / 3) + n % 3;
        assert_eq!(with_lookups("select", n), (expected, 1), "{n}");
    }
    // A bit that two places read is masked once: a word or itself shifted by one.
    let profile = Profile::lookup_simulation();
    let mut b = Builder::new(&profile);
    let (s, x) = (b.input(), b.inputs(32));
    let (moved, _) = library::shift_by(Shift::Left, &x, 1, Wire::FALSE);
    let word = library::select(&mut b, s, &moved, &x);
    word.into_iter().for_each(|bit| b.output(bit));
    assert_eq!(cost(&b.finish(), &profile), (11, 1));
}

/// Bits of the columns of a product, carries of full adders included: ⌊m/2⌋ ANDs each.
fn adders(heights: impl IntoIterator<Item = usize>) -> usize {
    let mut carries = 0;
    let counts = heights.into_iter().map(|height| {
        carries = (height + carries) / 2;
        carries
    });
    let mut counts: Vec<usize> = counts.collect();
    // Nobody reads the top column's carries.
    counts.pop();
    counts.iter().sum()
}

#[test]
fn products_of_gates() {
    for n in 2..=40 {
        let low = n * (n + 1) / 2 + adders(1..=n);
        assert_eq!(with_gates("multiply", n).0, low, "{n}");
        let column = |c: usize| if c < n { c + 1 } else { 2 * n - 1 - c };
        let long = n * n + adders((0..2 * n).map(column));
        assert_eq!(with_gates("multiply_long_unsigned", n).0, long, "{n}");
    }
}

#[test]
fn products_of_digits() {
    // Pairs of digits of two bits below 18 bits, from there on of three and a correction for each
    // digit; then at most a ninth of the pairs' bits, and a lookup for each column.
    for n in WIDTHS {
        let (width, bits, corrections) = if n < 18 { (2, 4, 0) } else { (3, 6, 2) };
        let digits = usize::div_ceil(n, width);
        for (name, pairs, columns) in [
            ("multiply", digits * (digits + 1) / 2, n),
            ("multiply_long_unsigned", digits * digits, 2 * n),
        ] {
            let (count, depth) = with_lookups(name, n);
            let most = pairs + corrections * digits + bits * pairs / 9 + columns;
            assert!(count <= most, "{name} {n}: {count} > {most}");
            assert!(depth as usize <= columns + 3, "{name} {n}: {depth}");
        }
    }
    assert!(with_lookups("multiply", 32).0 <= 150);
}

#[test]
fn division_grows_with_the_bits_read() {
    for n in 2..=40usize {
        let slices = |width: usize| width.div_ceil(3);
        // Choose the divisor's sign (the first is known), add the lower columns, then the top.
        let steps: usize = (1..=n)
            .map(|k| slices(k) + slices(k - 1) + 1)
            .sum::<usize>()
            - 1;
        let flags = slices(n - 1) + n.div_ceil(15) + usize::from(n > 15);
        let quotient = with_lookups("quotient_unsigned", n).0;
        assert!(
            quotient <= steps + flags,
            "{n}: {quotient} > {steps} + {flags}"
        );
        let both = with_lookups("divide_unsigned", n).0;
        assert!(both <= steps + flags + 2 * slices(n), "{n}: {both}");

        // An AND for each column and three for each step's signs; two for each flag.
        let additions: usize = (1..=n).sum();
        let quotient = with_gates("quotient_unsigned", n).0;
        assert!(quotient <= additions + 5 * n, "{n}: {quotient}");
    }
    assert!(with_lookups("quotient_unsigned", 32).0 <= 410);
}

#[test]
fn a_short_divisor_needs_short_remainders() {
    for profile in [Profile::lookup_simulation(), Profile::gate_simulation()] {
        let unit = unit("quotient_unsigned");
        let by_byte = unit.partly_clear(&profile, 32, &[(0, 0), (low(32) & !0xff, 0)]);
        let whole = of(unit, &profile, 32).0;
        let short = cost(&by_byte.circuit, &profile).0;
        assert!(
            3 * short < 2 * whole,
            "{}: {short} of {whole}",
            profile.name
        );
    }
}

#[test]
fn an_operand_that_is_clear_costs_less() {
    let lookups = Profile::lookup_simulation();
    let with_clear = |name: &str, value: u128| {
        let built = unit(name).partly_clear(&lookups, 32, &[(0, 0), (low(32), value)]);
        cost(&built.circuit, &lookups).0
    };
    // Low columns without carry, and the sign bit alone, need no lookup.
    assert_eq!(with_clear("add", 0), 0);
    assert_eq!(with_clear("add", 1 << 31), 0);
    assert_eq!(with_clear("add", 1 << 20), 4);
    assert_eq!(with_clear("multiply", 8), 0);
    assert_eq!(with_clear("multiply", 10), 10);
    assert_eq!(with_clear("divide_unsigned", 8), 0);
    assert!(with_clear("quotient_unsigned", 10) < 100);
    assert_eq!(with_clear("equal", 17), 3);
    assert!(with_clear("less_than_unsigned", 1000) <= 11);
}
