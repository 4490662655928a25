//! The formulas of the classical architectures against built circuits.

use super::harness::bootstrapped_gates;
use super::units::units;
use blindcore_circuits::library::Formula;
use blindcore_circuits::{Circuit, Op};

/// Gates and the longest chain of them.
pub(crate) fn count(circuit: &Circuit) -> Formula {
    let mut counted = Formula::default();
    let mut depths = vec![0usize; circuit.signals()];
    for node in circuit.nodes() {
        let op = circuit.op(node);
        match op {
            Op::Input(_) => continue,
            Op::And(..) => counted.ands += 1,
            Op::Xor(..) => counted.xors += 1,
            Op::Mux { .. } => counted.muxes += 1,
            other => unreachable!("{other:?} in a circuit of gates"),
        }
        let before = op.operands().map(|wire| depths[wire.signal().index()]);
        let depth = 1 + before.max().unwrap();
        circuit
            .signals_of(node)
            .for_each(|signal| depths[signal.index()] = depth);
        counted.depth = counted.depth.max(depth);
    }
    counted
}

#[test]
#[ignore = "slow: 2 s"]
fn circuits_are_what_formulas_say() {
    let profile = bootstrapped_gates(1);
    let mut wrong = Vec::new();
    let mut asserted = 0;
    for unit in units() {
        for n in 1..=64 {
            if let Some(formula) = unit.formula(n) {
                let counted = count(&unit.draw(&profile, n).circuit);
                if counted != formula {
                    wrong.push(format!(
                        "{} of {n}: {counted:?}, not {formula:?}",
                        unit.name()
                    ));
                }
                asserted += 1;
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(20)]
    );
    assert!(asserted >= 64);
}
