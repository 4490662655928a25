//! The catalogue's units, by name.

use blindcore_circuits::library::catalogue::{Unit, catalogue};
use std::sync::LazyLock;

static UNITS: LazyLock<Vec<Unit>> = LazyLock::new(catalogue);

/// Every unit in every architecture.
pub(crate) fn units() -> &'static [Unit] {
    &UNITS
}

/// The unit of this name.
pub(crate) fn unit(name: &str) -> &'static Unit {
    UNITS.iter().find(|unit| unit.name() == name).unwrap()
}

#[test]
fn names_are_unique_and_defaults_come_first() {
    let names: Vec<String> = UNITS.iter().map(Unit::name).collect();
    let mut distinct = names.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), names.len());
    let mut before = "";
    for unit in units() {
        assert_eq!(
            unit.is_default(),
            unit.operation != before,
            "{}",
            unit.name()
        );
        before = unit.operation;
    }
}
