//! The snapshot, and what must hold of it.

use super::netlists::{NETLISTS, Netlist};
use blindcore_circuits::library::catalogue::{Unit, catalogue};
use blindcore_circuits::passes::{self, cost};
use blindcore_circuits::{Builder, Circuit, Profile, sim};
use std::fmt::Write as _;
use std::path::Path;

/// Gates of two inputs that all cost the same, as one bootstrap each would.
fn gates() -> Profile {
    let mut profile = Profile::gate_simulation();
    profile.name = "pairwise gates".to_owned();
    (profile.cost.xor, profile.cost.mux) = (1.0, 3.0);
    profile
}

fn lookups() -> Profile {
    Profile::lookup_simulation()
}

/// A circuit as its author wrote it for gates, and for lookups if that is another.
enum Row {
    Unit(Unit),
    Netlist(&'static Netlist),
}

impl Row {
    fn name(&self) -> String {
        match self {
            Self::Unit(unit) => unit.name(),
            Self::Netlist(netlist) => netlist.name.to_owned(),
        }
    }

    fn gates(&self, n: usize) -> Circuit {
        match self {
            Self::Unit(unit) => unit.draw(&gates(), n).circuit,
            Self::Netlist(netlist) => recorded(&gates(), n, (netlist.inputs)(n), netlist.gates),
        }
    }

    fn lookups(&self, n: usize) -> Option<Circuit> {
        match self {
            Self::Unit(unit) => Some(unit.draw(&lookups(), n).circuit),
            Self::Netlist(netlist) => {
                let author = netlist.lookups?;
                Some(recorded(&lookups(), n, (netlist.inputs)(n), author))
            }
        }
    }
}

fn recorded(
    profile: &Profile,
    n: usize,
    inputs: usize,
    author: fn(&mut Builder, usize, &[blindcore_circuits::Wire]) -> Vec<blindcore_circuits::Wire>,
) -> Circuit {
    let mut build = Builder::new(profile);
    let wires = build.inputs(inputs);
    for wire in author(&mut build, n, &wires) {
        build.output(wire);
    }
    build.finish()
}

/// What the library chooses, and every adder.
fn rows() -> Vec<Row> {
    let units = catalogue()
        .into_iter()
        .filter(|unit| unit.is_default() || unit.operation == "add");
    units
        .map(Row::Unit)
        .chain(NETLISTS.iter().map(Row::Netlist))
        .collect()
}

/// Bootstraps and depth, every gate one.
fn count(circuit: &Circuit) -> String {
    let cost = cost(circuit, &lookups());
    format!("{} / {}", cost.bootstraps, cost.depth)
}

#[test]
#[ignore = "slow: 4 s"]
fn snapshot() {
    let mut text = String::from(
        "# Bootstraps / depth of each circuit: written in gates of two inputs, one bootstrap for\n\
         # each gate; the same gates mapped into lookups; written for lookups, prepared. Rewrite\n\
         # with MAPPING_COUNTS=write cargo test -p blindcore-circuits --test testsuite mapping.\n",
    );
    let widths = [8, 16, 32];
    write!(text, "{:28}", "# circuit").unwrap();
    for n in widths {
        let [gates, mapped, lookups] =
            ["gates", "mapped", "lookups"].map(|kind| format!("{kind} {n}"));
        write!(text, " {gates:>13} {mapped:>12} {lookups:>12}").unwrap();
    }
    let model = lookups().lookup.unwrap().noise;
    for row in rows() {
        write!(text, "\n{:28}", row.name()).unwrap();
        for n in widths {
            let gates = row.gates(n);
            let mapped = passes::prepare(&gates, &lookups());
            assert!(
                passes::noise(&mapped, &model).worst <= model.limit,
                "{} {n}",
                row.name()
            );
            let values: Vec<u64> = (1..=gates.inputs() as u64)
                .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i.rotate_left(40))
                .collect();
            assert_eq!(
                sim::evaluate(&mapped, &values),
                sim::evaluate(&gates, &values)
            );
            let written = row.lookups(n).map_or("-".to_owned(), |circuit| {
                count(&passes::prepare(&circuit, &lookups()))
            });
            write!(
                text,
                " {:>13} {:>12} {written:>12}",
                count(&gates),
                count(&mapped)
            )
            .unwrap();
        }
    }
    text.push('\n');
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mapping_counts.txt");
    if std::env::var_os("MAPPING_COUNTS").is_some_and(|value| value == "write") {
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
