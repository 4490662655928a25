//! Circuits that are no functional unit: parities, checksums, majorities, hash functions.

use blindcore_circuits::{Builder, Wire};

/// Outputs of a circuit of size n.
type Author = fn(&mut Builder, usize, &[Wire]) -> Vec<Wire>;

/// A circuit, by the number of its input bits, and how an author writes it for gates of two inputs
/// and for lookups.
pub(crate) struct Netlist {
    pub(crate) name: &'static str,
    pub(crate) inputs: fn(usize) -> usize,
    pub(crate) gates: Author,
    /// `None` where nobody would write it otherwise.
    pub(crate) lookups: Option<Author>,
}

fn xor_chain(b: &mut Builder, wires: &[Wire]) -> Wire {
    wires[1..]
        .iter()
        .fold(wires[0], |sum, &wire| b.xor(sum, wire))
}

/// `(a ∧ b) ∨ (c ∧ (a ∨ b))`
fn majority(b: &mut Builder, [x, y, z]: [Wire; 3]) -> Wire {
    let (both, either) = (b.and(x, y), b.or(x, y));
    let carried = b.and(z, either);
    b.or(both, carried)
}

/// A full adder in five gates.
fn full_adder(b: &mut Builder, [x, y, z]: [Wire; 3]) -> (Wire, Wire) {
    let (differ, both) = (b.xor(x, y), b.and(x, y));
    let carried = b.and(differ, z);
    (b.xor(differ, z), b.or(both, carried))
}

/// Bit `at` of a word rotated right.
fn rotated(word: &[Wire], by: usize, at: usize) -> Wire {
    word[(at + by) % word.len()]
}

/// One step of CRC-32 by a byte, bit after bit; the state comes first.
fn crc_32(b: &mut Builder, inputs: &[Wire]) -> Vec<Wire> {
    let (mut state, data) = (inputs[..32].to_vec(), &inputs[32..]);
    for &bit in data {
        let fed_back = b.xor(state[0], bit);
        state.rotate_left(1);
        state[31] = Wire::FALSE;
        for at in (0..32).filter(|at| 0xedb8_8320_u32 >> at & 1 == 1) {
            state[at] = b.xor(state[at], fed_back);
        }
    }
    state
}

pub(crate) const NETLISTS: &[Netlist] = &[
    Netlist {
        name: "parity",
        inputs: |n| n,
        gates: |b, _, x| vec![xor_chain(b, x)],
        lookups: Some(|b, _, x| vec![b.parity(x)]),
    },
    // The same code bits as a Hamming code: bit i of the index decides.
    Netlist {
        name: "hamming_code",
        inputs: |n| n,
        gates: |b, n, x| {
            let picked = |i: u32| {
                (1..n)
                    .filter(|at| at >> i & 1 == 1)
                    .map(|at| x[at])
                    .collect()
            };
            let picked: Vec<Vec<Wire>> = (0..n.ilog2()).map(picked).collect();
            picked.iter().map(|wires| xor_chain(b, wires)).collect()
        },
        lookups: None,
    },
    Netlist {
        name: "crc_32_of_bits",
        inputs: |n| 32 + n,
        gates: |b, _, x| crc_32(b, x),
        lookups: None,
    },
    // σ of SHA-2 in the proportions of SHA-256's σ0: two rotations and a shift.
    Netlist {
        name: "sha_sigma",
        inputs: |n| n,
        gates: |b, n, x| {
            let shifted = |at: usize| x.get(at + 3).copied().unwrap_or(Wire::FALSE);
            let bit = |at| [rotated(x, 7, at), rotated(x, 18, at), shifted(at)];
            (0..n).map(|at| xor_chain(b, &bit(at))).collect()
        },
        lookups: None,
    },
    Netlist {
        name: "sha_choose",
        inputs: |n| 3 * n,
        gates: |b, n, x| {
            let mut bit = |at: usize| {
                let differ = b.xor(x[n + at], x[2 * n + at]);
                let change = b.and(x[at], differ);
                b.xor(change, x[2 * n + at])
            };
            (0..n).map(&mut bit).collect()
        },
        lookups: None,
    },
    Netlist {
        name: "sha_majority",
        inputs: |n| 3 * n,
        gates: |b, n, x| {
            (0..n)
                .map(|at| majority(b, [x[at], x[n + at], x[2 * n + at]]))
                .collect()
        },
        lookups: None,
    },
    // χ of Keccak on rows of n bits.
    Netlist {
        name: "keccak_chi",
        inputs: |n| n,
        gates: |b, n, x| {
            let mut bit = |at: usize| {
                let change = b.andny(x[(at + 1) % n], x[(at + 2) % n]);
                b.xor(x[at], change)
            };
            (0..n).map(&mut bit).collect()
        },
        lookups: None,
    },
    Netlist {
        name: "majority_tree",
        inputs: |n| n,
        gates: |b, _, x| {
            let mut wires = x.to_vec();
            while wires.len() > 2 {
                let group = |b: &mut Builder, group: &[Wire]| match *group {
                    [x, y, z] => vec![majority(b, [x, y, z])],
                    _ => group.to_vec(),
                };
                wires = wires.chunks(3).flat_map(|wires| group(b, wires)).collect();
            }
            wires
        },
        lookups: None,
    },
    Netlist {
        name: "population_count",
        inputs: |n| n,
        gates: |b, _, x| {
            let mut columns = vec![x.to_vec()];
            let mut at = 0;
            while at < columns.len() {
                let mut carries = Vec::new();
                while let [x, y, rest @ ..] = columns[at].as_slice() {
                    let (third, rest) = match rest {
                        [z, rest @ ..] => (*z, rest.to_vec()),
                        [] => (Wire::FALSE, Vec::new()),
                    };
                    let (sum, carry) = full_adder(b, [*x, *y, third]);
                    columns[at] = rest;
                    columns[at].push(sum);
                    carries.push(carry);
                }
                if !carries.is_empty() {
                    columns.push(carries);
                }
                at += 1;
            }
            columns.concat()
        },
        lookups: None,
    },
    // The adder of a textbook: five gates for each bit, carries rippling.
    Netlist {
        name: "textbook_adder",
        inputs: |n| 2 * n,
        gates: |b, n, x| {
            let mut carry = Wire::FALSE;
            let mut bits = Vec::new();
            for at in 0..n {
                let (sum, next) = full_adder(b, [x[at], x[n + at], carry]);
                bits.push(sum);
                carry = next;
            }
            bits.push(carry);
            bits
        },
        lookups: Some(|b, n, x| {
            let added =
                blindcore_circuits::library::add_with_carry(b, &x[..n], &x[n..], Wire::FALSE);
            [added.sum, vec![added.carry]].concat()
        }),
    },
    // A comparison of a textbook, from the lowest bit up: less = ¬a∧b ∨ (a = b)∧less.
    Netlist {
        name: "textbook_less",
        inputs: |n| 2 * n,
        gates: |b, n, x| {
            let mut less = Wire::FALSE;
            for at in 0..n {
                let (below, same) = (b.andny(x[at], x[n + at]), b.xnor(x[at], x[n + at]));
                let kept = b.and(same, less);
                less = b.or(below, kept);
            }
            vec![less]
        },
        lookups: Some(|b, n, x| {
            vec![blindcore_circuits::library::less_than_unsigned(
                b,
                &x[..n],
                &x[n..],
            )]
        }),
    },
];
