//! Laws of placements: every operand is there, nothing is sent twice, everything is computed once, and no
//! forecast is better than what is possible.

use blindcore_circuits::exec::replay;
use blindcore_circuits::place::{Cluster, Forecast, Machine, Network, Share, place};
use blindcore_circuits::{Builder, Circuit, Profile, Timing, library, passes};
use proptest::prelude::*;

use crate::passes::recorded::{record, step};

/// As fast as one likes, or so slow that it decides.
pub(crate) fn network(speed: f64, latency: f64) -> Network {
    Network {
        bytes_per_nanosecond: speed,
        latency,
        handling: 0.0,
        bytes_per_bit: 8,
    }
}

/// Batches of four that cost more by themselves.
pub(crate) fn profile() -> Profile {
    let mut profile = Profile::lookup_simulation();
    profile
        .set_timing(Timing::new(vec![vec![4.0, 5.0, 6.0, 8.0], vec![5.0, 6.0, 7.0, 9.0]]).unwrap());
    profile
}

pub(crate) fn product(profile: &Profile, bits: usize) -> Circuit {
    let mut build = Builder::new(profile);
    let (x, y) = (build.inputs(bits), build.inputs(bits));
    let product = library::multiply(&mut build, &x, &y);
    product.into_iter().for_each(|bit| build.output(bit));
    passes::prepare(&build.finish(), profile)
}

/// Checks all shares of a circuit, of which machines may hold something.
pub(crate) fn check(circuit: &Circuit, profile: &Profile, shares: &[Share], held: &[Vec<bool>]) {
    for (machine, share) in shares.iter().enumerate() {
        let holds = |node: usize| held.get(machine).is_some_and(|nodes| nodes[node]);
        let receives = share.receives();
        assert!(receives.is_sorted_by_key(|(signal, _)| *signal), "in order");
        assert!(
            receives.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "nothing is received twice"
        );
        let is_there = |signal: u32| {
            receives
                .binary_search_by_key(&signal, |(signal, _)| *signal)
                .is_ok()
        };
        let mut wires: Vec<_> = circuit.outputs().to_vec();
        for node in circuit
            .nodes()
            .filter(|node| share.computes()[node.index()])
        {
            wires.extend(circuit.op(node).operands());
        }
        for wire in wires {
            let Some(source) = circuit.source(wire.signal()) else {
                continue;
            };
            let is_input = circuit.op(source).operands().count() == 0;
            assert!(
                is_input
                    || share.computes()[source.index()]
                    || holds(source.index())
                    || is_there(wire.signal().index() as u32),
                "machine {machine} has no {wire:?}"
            );
        }
        for &(signal, from) in receives {
            let readers = shares[from as usize].readers_of(signal);
            assert!(
                readers.contains(&(machine as u32)),
                "nobody sends {signal} to {machine}"
            );
            let node = circuit.nodes().find(|&node| {
                circuit
                    .signals_of(node)
                    .any(|own| own.index() == signal as usize)
            });
            let node = node.unwrap().index();
            let is_held = held.get(from as usize).is_some_and(|nodes| nodes[node]);
            assert!(
                shares[from as usize].computes()[node] || is_held,
                "{from} has no {signal}"
            );
        }
        let sent: usize = share.sends().iter().map(|(_, to)| to.len()).sum();
        let received = shares.iter().flat_map(Share::receives);
        assert_eq!(
            sent,
            received
                .filter(|(_, from)| *from as usize == machine)
                .count()
        );
    }
    for node in circuit.nodes() {
        let by = shares
            .iter()
            .filter(|share| share.computes()[node.index()])
            .count();
        if profile.rotations(&circuit.op(node)) > 0 {
            assert!(by <= 1, "{node:?} is computed {by} times");
        }
    }
}

fn check_forecast(forecast: &Forecast, profile: &Profile, circuit: &Circuit, cluster: &Cluster) {
    assert!(
        forecast.time >= forecast.bound * (1.0 - 1e-9),
        "{forecast:?}"
    );
    let rotations: usize = circuit
        .nodes()
        .map(|node| profile.rotations(&circuit.op(node)))
        .sum();
    assert_eq!(forecast.rotations, rotations);
    assert_eq!(forecast.cores, cluster.cores());
    assert!(
        (0.0..=1.0 + 1e-9).contains(&forecast.busiest_link),
        "{forecast:?}"
    );
    assert!(forecast.busy_share() <= 1.0 + 1e-9, "{forecast:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: 5 s"]
    fn random_circuits_on_random_machines(
        steps in prop::collection::vec(step(), 1..200),
        outputs in prop::collection::vec(any::<u16>(), 1..12),
        machines in prop::collection::vec((1usize..4, 0.5f64..2.0), 1..6),
        speed in 0.01f64..1000.0,
        latency in 0.0f64..100.0,
    ) {
        let profile = profile();
        let circuit = passes::prepare(&record(&profile, &steps, &outputs), &profile);
        let machines = machines.into_iter().map(|(cores, speed)| Machine { cores, speed });
        let cluster = Cluster { machines: machines.collect(), network: network(speed, latency) };
        let placement = place(&circuit, &profile, &cluster, &[]);
        check(&circuit, &profile, placement.shares(), &[]);
        check_forecast(placement.forecast(), &profile, &circuit, &cluster);
        prop_assert_eq!(place(&circuit, &profile, &cluster, &[]).fingerprint(), placement.fingerprint());
    }
}

#[test]
fn one_machine_is_the_replay() {
    let profile = profile();
    let circuit = product(&profile, 12);
    for cores in [1, 2, 7] {
        let cluster = Cluster::alike(1, cores, network(1.0, 1.0));
        let placement = place(&circuit, &profile, &cluster, &[]);
        let schedule = replay(&circuit, &profile, cores);
        assert_eq!(placement.forecast().time, schedule.time, "{cores} cores");
        assert_eq!(placement.forecast().bits_sent, 0);
        assert_eq!(placement.forecast().busy, schedule.busy);
    }
}

/// Blocks that have nothing to do with each other: each at home, nothing travels but the ends.
#[test]
fn what_belongs_together_stays_together() {
    let profile = profile();
    let mut build = Builder::new(&profile);
    for _ in 0..8 {
        let (x, y) = (build.inputs(8), build.inputs(8));
        let product = library::multiply(&mut build, &x, &y);
        product.into_iter().for_each(|bit| build.output(bit));
    }
    let circuit = passes::prepare(&build.finish(), &profile);
    let cluster = Cluster::alike(4, 2, network(1000.0, 1.0));
    let placement = place(&circuit, &profile, &cluster, &[]);
    let outputs = circuit.outputs().len();
    assert_eq!(placement.forecast().bits_sent, outputs * 3);
    let alone = replay(&circuit, &profile, 2).time;
    assert!(
        placement.forecast().time < alone / 3.0,
        "{:?}, alone {alone}",
        placement.forecast()
    );
}

/// Tables of constants whose words are added up and look up the next ones, as in AES: each on one machine, so
/// that indices and words travel and nothing within a table does.
#[test]
fn tables_stay_in_one_piece() {
    let profile = profile();
    let mut build = Builder::new(&profile);
    let values: Vec<u64> = (0..256).map(|at| at * at * 37 % 253).collect();
    let mut bytes: Vec<_> = (0..16).map(|_| build.inputs(8)).collect();
    let rounds = 10;
    for _ in 0..rounds {
        let words = bytes
            .iter()
            .map(|byte| library::rom(&mut build, byte, 8, &values));
        let words: Vec<_> = words.collect();
        for (at, byte) in bytes.iter_mut().enumerate() {
            for (bit, wire) in byte.iter_mut().enumerate() {
                let others = [0, 5, 10, 15].map(|step| words[(at + step) % 16][bit]);
                *wire = build.parity(&others);
            }
        }
    }
    bytes.iter().flatten().for_each(|&bit| build.output(bit));
    let circuit = passes::prepare(&build.finish(), &profile);
    let network = Network {
        handling: 0.1,
        ..network(1000.0, 0.1)
    };
    for (machines, late) in [(2, 1.05), (4, 1.3)] {
        let cluster = Cluster::alike(machines, 1, network);
        let placement = place(&circuit, &profile, &cluster, &[]);
        check(&circuit, &profile, placement.shares(), &[]);
        let forecast = placement.forecast();
        assert!(forecast.time < late * forecast.bound, "{forecast:?}");
        // 128 bits between two rounds, of which half are where they are needed, and the outputs.
        if machines == 2 {
            assert!(forecast.bits_sent < (rounds + 1) * 128, "{forecast:?}");
        }
    }
}

/// What each machine has when the first operations of a circuit are done, and keeps: see `State::of_share`.
fn kept(circuit: &Circuit, shares: &[Share], until: usize) -> Vec<Vec<bool>> {
    let outputs: Vec<_> = circuit.outputs().iter().map(|wire| wire.signal()).collect();
    let of = |share: &Share| {
        let mut read_later = vec![false; circuit.len()];
        for node in circuit.nodes().skip(until) {
            if share.computes()[node.index()] {
                let operands = circuit.op(node).operands();
                for source in operands.filter_map(|wire| circuit.source(wire.signal())) {
                    read_later[source.index()] = true;
                }
            }
        }
        let nodes = circuit.nodes();
        nodes
            .map(|node| {
                let is_done = share.computes()[node.index()] && node.index() < until;
                let stays = circuit.signals_of(node).any(|signal| {
                    let readers = share.readers_of(signal.index() as u32);
                    !readers.is_empty() || outputs.contains(&signal)
                });
                is_done && (stays || read_later[node.index()])
            })
            .collect()
    };
    shares.iter().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// A machine is lost after any part of a circuit: of what the others had computed nothing is computed again,
    /// though they freed what nobody else reads.
    #[test]
    #[ignore = "slow: 4 s"]
    fn a_loss_costs_the_lost_share_alone(
        steps in prop::collection::vec(step(), 1..200),
        outputs in prop::collection::vec(any::<u16>(), 1..12),
        machines in 2usize..5,
        lost in 0usize..4,
        part in 0.0f64..1.0,
        speed in prop::sample::select(vec![0.05, 1.0, 1000.0]),
    ) {
        let profile = profile();
        let circuit = passes::prepare(&record(&profile, &steps, &outputs), &profile);
        let cluster = Cluster::alike(machines, 1, network(speed, 0.1));
        let placement = place(&circuit, &profile, &cluster, &[]);
        let until = (part * circuit.len() as f64) as usize;
        let mut held = kept(&circuit, placement.shares(), until);
        let mut before: Vec<&Share> = placement.shares().iter().collect();
        held.remove(lost % machines);
        before.remove(lost % machines);
        let cluster = Cluster::alike(machines - 1, 1, network(speed, 0.1));
        let after = place(&circuit, &profile, &cluster, &held);
        check(&circuit, &profile, after.shares(), &held);
        for node in circuit.nodes().take(until) {
            let was = before.iter().any(|share| share.computes()[node.index()]);
            let again = after.shares().iter().any(|share| share.computes()[node.index()]);
            if profile.rotations(&circuit.op(node)) > 0 {
                prop_assert!(!(was && again), "{:?} is computed again", circuit.op(node));
            }
        }
    }
}

/// What machines hold is not computed again, and is sent to who needs it.
#[test]
fn held_results_are_used() {
    let profile = profile();
    let circuit = product(&profile, 10);
    let half = circuit.len() / 2;
    let held: Vec<Vec<bool>> = (0..3)
        .map(|machine| {
            circuit
                .nodes()
                .map(|node| machine == 1 && node.index() < half)
                .collect()
        })
        .collect();
    let cluster = Cluster::alike(3, 1, network(10.0, 0.1));
    let placement = place(&circuit, &profile, &cluster, &held);
    check(&circuit, &profile, placement.shares(), &held);
    for share in placement.shares() {
        for node in circuit.nodes().filter(|node| node.index() < half) {
            let takes_time = profile.rotations(&circuit.op(node)) > 0;
            assert!(!(takes_time && share.computes()[node.index()]));
        }
    }
    let whole = place(&circuit, &profile, &cluster, &[]);
    assert!(placement.forecast().rotations < whole.forecast().rotations);
    // If all is held somewhere, there is nothing to do but to send the outputs.
    let all: Vec<Vec<bool>> = (0..3)
        .map(|machine| vec![machine == 2; circuit.len()])
        .collect();
    let rest = place(&circuit, &profile, &cluster, &all);
    assert_eq!(rest.forecast().rotations, 0);
    check(&circuit, &profile, rest.shares(), &all);
}
