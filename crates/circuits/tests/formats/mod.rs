//! Circuit files: what is read is what was meant, what is written is read back, and what is
//! broken is refused with its place.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod broken;
mod public;
mod round_trip;
mod yosys;

use blindcore_circuits::formats::{Interface, Netlist, Port};
use blindcore_circuits::{Circuit, Profile, passes, sim};

/// Words of one lane from the lanes of all bits.
fn words(ports: &[Port], bits: &[u64], lane: usize) -> Vec<u128> {
    let mut rest = bits.iter();
    let word = |port: &Port| {
        let own = rest.by_ref().take(port.width).enumerate();
        own.fold(0, |word, (at, bit)| {
            word | u128::from(bit >> lane & 1) << at
        })
    };
    ports.iter().map(word).collect()
}

/// The lanes of all bits from words of up to 64 lanes.
fn lanes(ports: &[Port], values: &[Vec<u128>]) -> Vec<u64> {
    let mut bits = Vec::new();
    for (number, port) in ports.iter().enumerate() {
        for at in 0..port.width {
            let lanes = values.iter().enumerate();
            bits.push(lanes.fold(0, |bits, (lane, words)| {
                bits | ((words[number] >> at & 1) as u64) << lane
            }));
        }
    }
    bits
}

/// Evaluates a circuit on up to 64 assignments of words.
fn evaluate(interface: &Interface, circuit: &Circuit, values: &[Vec<u128>]) -> Vec<Vec<u128>> {
    let bits = sim::evaluate(circuit, &lanes(&interface.inputs, values)).unwrap();
    (0..values.len())
        .map(|lane| words(&interface.outputs, &bits, lane))
        .collect()
}

/// Evaluates a netlist as it is recorded for gates, and as it is prepared for lookups.
fn both_ways(netlist: &Netlist, values: &[Vec<u128>]) -> Vec<Vec<u128>> {
    let interface = netlist.interface();
    let gates = evaluate(
        interface,
        &netlist.circuit(&Profile::gate_simulation()),
        values,
    );
    let profile = Profile::lookup_simulation();
    let prepared = passes::prepare(&netlist.circuit(&profile), &profile);
    assert_eq!(evaluate(interface, &prepared, values), gates);
    gates
}

/// Numbers that look random (Knuth's linear congruence).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        self.0 ^ self.0 >> 29
    }

    /// 64 assignments: extreme values first, then arbitrary ones.
    fn assignments(&mut self, ports: &[Port]) -> Vec<Vec<u128>> {
        (0..64)
            .map(|lane| {
                let word = |port: &Port| {
                    let full = u128::MAX >> (128 - port.width.clamp(1, 128));
                    let value = u128::from(self.next()) << 64 | u128::from(self.next());
                    full & match lane {
                        0 => 0,
                        1 => u128::MAX,
                        2 => 1,
                        // Small values too, where carries end early.
                        _ if lane % 4 == 3 => value >> (self.next() % 128),
                        _ => value,
                    }
                };
                ports.iter().map(word).collect()
            })
            .collect()
    }
}
