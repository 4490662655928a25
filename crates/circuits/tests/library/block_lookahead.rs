//! The papers' carry look-ahead adder in blocks: the sizes that they measure, and ten words in a
//! chain.

use std::num::NonZeroUsize;

use super::formulas::count;
use super::harness::Random;
use blindcore_circuits::library::{Adder, Formula, add_with};
use blindcore_circuits::{Builder, Circuit, Profile, Wire, sim};

/// The sum modulo 2ⁿ, without carry in: what a chain of such adders is made of.
fn sum(profile: &Profile, n: usize, block: usize) -> Circuit {
    let mut b = Builder::new(profile);
    let (x, y) = (b.inputs(n), b.inputs(n));
    let adder = Adder::BlockLookahead(NonZeroUsize::new(block).unwrap());
    let added = add_with(&mut b, adder, &x, &y, Wire::FALSE);
    added.sum.iter().for_each(|&bit| b.output(bit));
    b.finish()
}

#[test]
fn the_papers_four_sizes() {
    let of = |block| {
        let counted = count(&sum(&Profile::gate_simulation(), 32, block));
        (counted.gates(), counted.depth)
    };
    assert_eq!(
        [4, 8, 16, 32].map(of),
        [(214, 22), (214, 22), (196, 34), (154, 62)]
    );
}

#[test]
fn with_carry_in_and_all_outputs_read() {
    for n in 1..=33 {
        for block in [1, 3, 4, 8, 33] {
            let mut b = Builder::new(&Profile::gate_simulation());
            let (x, y, carry) = (b.inputs(n), b.inputs(n), b.input());
            let adder = Adder::BlockLookahead(NonZeroUsize::new(block).unwrap());
            let added = add_with(&mut b, adder, &x, &y, carry);
            added.sum.iter().for_each(|&bit| b.output(bit));
            b.output(added.carry);
            let Formula { ands, xors, .. } = count(&b.finish());
            let blocks = n.div_ceil(block);
            assert_eq!(
                (ands, xors),
                (4 * n - 2 * blocks, 4 * n - blocks),
                "{n}, {block}"
            );
        }
    }
}

#[test]
fn ten_words_in_a_chain() {
    let mut b = Builder::new(&Profile::gate_simulation());
    let words: Vec<Vec<Wire>> = (0..10).map(|_| b.inputs(32)).collect();
    let adder = Adder::BlockLookahead(NonZeroUsize::new(4).unwrap());
    let total = words[1..].iter().fold(words[0].clone(), |total, word| {
        add_with(&mut b, adder, &total, word, Wire::FALSE).sum
    });
    total.iter().for_each(|&bit| b.output(bit));
    let circuit = b.finish();
    assert_eq!(count(&circuit).gates(), 9 * 214);
    let mut random = Random(10);
    let inputs: Vec<u64> = (0..320).map(|_| random.word()).collect();
    let outputs = sim::evaluate(&circuit, &inputs).unwrap();
    for lane in 0..64 {
        let read = |bits: &[u64]| -> u32 {
            let bit = |(at, word): (usize, &u64)| ((word >> lane & 1) as u32) << at;
            bits.iter().enumerate().map(bit).sum()
        };
        let sum = inputs
            .chunks(32)
            .fold(0u32, |sum, word| sum.wrapping_add(read(word)));
        assert_eq!(read(&outputs), sum, "lane {lane}");
    }
}
