//! What a circuit costs, and what is left of one; and that a large one is prepared in seconds.

use std::sync::Arc;

use blindcore_circuits::passes::{cost, expand, peak_bits, prepare};
use blindcore_circuits::sim::{self, Simulator};
use blindcore_circuits::{Builder, Pool, Wire, run};

use super::recorded::additions;
use super::targets::{gates, lookups};

#[test]
fn expansion_counts() {
    let circuit = expand(&additions(33, 1, 0), &gates());
    let cost = cost(&circuit, &gates());
    assert_eq!((cost.and, cost.lookup, cost.depth), (32, 0, 32));
}

#[test]
fn dead_nodes_and_tables_are_dropped() {
    let mut build = Builder::new(&lookups());
    let inputs = build.inputs(3);
    let terms: Vec<(Wire, i8)> = inputs.iter().map(|&wire| (wire, 1)).collect();
    let bits = build.lookup(&terms, 0, &[0xaaaa, 0xcccc]);
    let unused = build.and(inputs[0], inputs[1]);
    let _ = build.xor(unused, inputs[2]);
    build.named_output(!bits[1], "majority");
    let circuit = build.finish();
    assert_eq!(circuit.len(), 4);
    assert_eq!(circuit.signals(), 5);
    assert_eq!(circuit.output_names()[&0], "majority");
    let again = blindcore_circuits::passes::remove_dead(&circuit);
    assert_eq!(
        (again.len(), again.output_names()),
        (4, circuit.output_names())
    );
}

#[test]
fn costs_are_counted() {
    let mut build = Builder::new(&lookups());
    let wires = build.inputs(4);
    let both = build.and(wires[0], wires[1]);
    let chosen = build.mux(both, wires[2], wires[3]);
    let sum = build.lookup(
        &[(chosen, 1), (wires[0], 1), (wires[3], 2)],
        0,
        &[0b10110, 0b1010],
    );
    build.output(sum[0]);
    build.output(sum[1]);
    let circuit = build.finish();
    let found = cost(&circuit, &lookups());
    assert_eq!(
        found.to_string(),
        "4 in, 2 out, 1 and, 1 mux, 1 lookup (2 tables); 3 bootstraps, depth 3, 5 bits live"
    );
    assert_eq!(
        (found.serial_ns, found.critical_ns, found.peak_bytes),
        (3.0, 3.0, 40)
    );
    assert_eq!(peak_bits(&circuit), 5);
}

#[test]
#[ignore = "a million nodes: 10 seconds"]
fn a_million_nodes() {
    let start = std::time::Instant::now();
    let mut build = Builder::new(&lookups());
    let mut wires = build.inputs(64);
    let mut state = 1u64;
    while build.len() < 1_000_000 {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let pick = |shift: u32| wires[wires.len() - 1 - (state >> shift) as usize % 64];
        let (a, b, c) = (pick(20), pick(30), pick(40));
        let wire = match state >> 60 & 3 {
            0 => build.and(a, !b),
            1 => build.xor(a, b),
            2 => build.mux(a, b, c),
            _ => build.or(a, b),
        };
        wires.push(wire);
    }
    for &wire in wires.iter().rev().take(64) {
        build.output(wire);
    }
    eprintln!("recorded {:?}", start.elapsed());
    let circuit = build.finish();
    eprintln!(
        "finished {:?}: {}",
        start.elapsed(),
        cost(&circuit, &lookups())
    );
    let prepared = prepare(&circuit, &lookups());
    eprintln!(
        "prepared {:?}: {}",
        start.elapsed(),
        cost(&prepared, &lookups())
    );
    let inputs: Vec<u64> = (0..64).map(|i| state.rotate_left(i)).collect();
    assert_eq!(
        sim::evaluate(&prepared, &inputs),
        sim::evaluate(&circuit, &inputs)
    );
    eprintln!("evaluated twice {:?}", start.elapsed());
    let bits: Vec<_> = inputs.iter().map(|&bits| Arc::new(bits)).collect();
    run(&Simulator::new(lookups()), &prepared, &bits, &Pool::new(2)).unwrap();
    eprintln!("scheduled {:?}", start.elapsed());
}
