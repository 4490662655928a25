//! Shares that run at once, each on its machine, against the whole.

use std::sync::Arc;

use blindcore_circuits::exec::{Begin, Partial};
use blindcore_circuits::place::{Cluster, place};
use blindcore_circuits::sim::Simulator;
use blindcore_circuits::{Circuit, Pool, Profile, passes, run};
use proptest::prelude::*;

use super::laws::{check, network, product, profile};
use super::machines::run_all;
use crate::passes::recorded::{LANES, record, step};

fn lanes(count: usize) -> Vec<Arc<u64>> {
    (0..count as u64)
        .map(|at| Arc::new((at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect()
}

fn expected(circuit: &Circuit, profile: &Profile, inputs: &[Arc<u64>]) -> Vec<Arc<u64>> {
    run(
        &Simulator::new(profile.clone()),
        circuit,
        inputs,
        &Pool::new(1),
    )
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: 3 s"]
    fn shares_give_what_the_whole_gives(
        steps in prop::collection::vec(step(), 1..200),
        outputs in prop::collection::vec(any::<u16>(), 1..12),
        machines in 1usize..5,
        threads in 1usize..3,
        speed in prop::sample::select(vec![0.05, 1.0, 1000.0]),
    ) {
        let profile = profile();
        let circuit = passes::prepare(&record(&profile, &steps, &outputs), &profile);
        let inputs: Vec<Arc<u64>> = LANES.iter().copied().map(Arc::new).collect();
        let cluster = Cluster::alike(machines, threads, network(speed, 0.1));
        let placement = place(&circuit, &profile, &cluster, &[]);
        let begin = vec![Begin::Inputs(inputs.clone()); machines];
        let engine = Simulator::new(profile.clone());
        let ran = run_all(&engine, &circuit, begin, placement.shares(), threads, usize::MAX);
        let expected = expected(&circuit, &profile, &inputs);
        for one in ran {
            prop_assert_eq!(one.unwrap().outputs, Some(expected.clone()));
        }
    }

    /// Everybody is interrupted at some moment and one machine is lost, again and again; what the others have
    /// is not computed again.
    #[test]
    fn machines_are_lost(
        bits in 6usize..14,
        machines in 2usize..5,
        moments in prop::collection::vec(1usize..40, 1..4),
    ) {
        let profile = profile();
        let circuit = product(&profile, bits);
        let inputs = lanes(circuit.inputs());
        lose_machines(&circuit, &profile, inputs, machines, moments)?;
    }

    /// The same with operations of all kinds, and of sums that are sent.
    #[test]
    #[ignore = "slow: 4 s"]
    fn machines_are_lost_at_random_circuits(
        steps in prop::collection::vec(step(), 1..200),
        outputs in prop::collection::vec(any::<u16>(), 1..12),
        machines in 2usize..5,
        moments in prop::collection::vec(1usize..20, 1..4),
    ) {
        let profile = profile();
        let circuit = passes::prepare(&record(&profile, &steps, &outputs), &profile);
        let inputs = LANES.iter().copied().map(Arc::new).collect();
        lose_machines(&circuit, &profile, inputs, machines, moments)?;
    }
}

/// Runs a circuit; everybody is interrupted after so many messages, and the first machine lost, each time.
fn lose_machines(
    circuit: &Circuit,
    profile: &Profile,
    inputs: Vec<Arc<u64>>,
    machines: usize,
    moments: Vec<usize>,
) -> Result<(), TestCaseError> {
    let engine = Simulator::new(profile.clone());
    let expected = expected(circuit, profile, &inputs);
    let mut begin = vec![Begin::Inputs(inputs); machines];
    let mut held: Vec<Vec<bool>> = Vec::new();
    for patience in moments.into_iter().chain([usize::MAX]) {
        let cluster = Cluster::alike(begin.len(), 1, network(1.0, 0.1));
        let placement = place(circuit, profile, &cluster, &held);
        check(circuit, profile, placement.shares(), &held);
        let is_last = patience == usize::MAX;
        let begun = std::mem::take(&mut begin);
        let ran = run_all(&engine, circuit, begun, placement.shares(), 1, patience);
        let mut partials: Vec<Partial<u64>> = Vec::new();
        for one in ran {
            let one = one.unwrap();
            if is_last {
                prop_assert_eq!(one.outputs.as_ref(), Some(&expected));
            } else if let Some(outputs) = &one.outputs {
                prop_assert_eq!(outputs, &expected);
            }
            partials.push(one.partial);
        }
        // The first is lost, as long as there are two.
        if partials.len() > 1 {
            partials.remove(0);
        }
        let evaluated = partials.iter().map(|partial| partial.evaluated.clone());
        held = evaluated.collect();
        begin = partials.into_iter().map(Begin::Partial).collect();
    }
    Ok(())
}

/// A machine that comes anew has the inputs and nothing else.
#[test]
fn a_machine_joins() {
    let profile = profile();
    let circuit = product(&profile, 12);
    let inputs = lanes(circuit.inputs());
    let engine = Simulator::new(profile.clone());
    let expected = expected(&circuit, &profile, &inputs);
    let cluster = Cluster::alike(2, 1, network(1.0, 0.1));
    let placement = place(&circuit, &profile, &cluster, &[]);
    let begin = vec![Begin::Inputs(inputs.clone()); 2];
    let ran = run_all(&engine, &circuit, begin, placement.shares(), 1, 20);
    let mut begin = Vec::new();
    let mut held = Vec::new();
    for one in ran {
        let partial = one.unwrap().partial;
        held.push(partial.evaluated.clone());
        begin.push(Begin::Partial(partial));
    }
    begin.push(Begin::Inputs(inputs));
    held.push(vec![false; circuit.len()]);
    let cluster = Cluster::alike(3, 1, network(1.0, 0.1));
    let placement = place(&circuit, &profile, &cluster, &held);
    check(&circuit, &profile, placement.shares(), &held);
    for one in run_all(&engine, &circuit, begin, placement.shares(), 1, usize::MAX) {
        assert_eq!(one.unwrap().outputs, Some(expected.clone()));
    }
}
