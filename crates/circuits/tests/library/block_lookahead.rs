//! The papers' carry look-ahead adder: answers, and its counts and depth as formulas.

use std::num::NonZeroUsize;

use crate::harness::{Random, Unit, profiles};
use circuits::library::{Adder, add_with};
use circuits::{Builder, Circuit, Op, Profile, Wire, sim};

/// The sum modulo 2ⁿ, without carry in: what a chain of such adders is made of.
fn sum(profile: &Profile, n: usize, block: usize) -> Circuit {
    let mut b = Builder::new(profile);
    let (x, y) = (b.inputs(n), b.inputs(n));
    let adder = Adder::BlockLookahead(NonZeroUsize::new(block).unwrap());
    let added = add_with(&mut b, adder, &x, &y, Wire::FALSE);
    added.sum.iter().for_each(|&bit| b.output(bit));
    b.finish()
}

/// ANDs, XORs, and the longest chain of either.
fn count(circuit: &Circuit) -> (usize, usize, usize) {
    let (mut ands, mut xors, mut longest) = (0, 0, 0);
    let mut depths = vec![0usize; circuit.signals()];
    for node in circuit.nodes() {
        let op = circuit.op(node);
        match op {
            Op::Input(_) => continue,
            Op::And(..) => ands += 1,
            Op::Xor(..) => xors += 1,
            other => unreachable!("{other:?} in a circuit of gates"),
        }
        let before = op.operands().map(|wire| depths[wire.signal().index()]);
        let depth = 1 + before.max().unwrap();
        circuit
            .signals_of(node)
            .for_each(|signal| depths[signal.index()] = depth);
        longest = longest.max(depth);
    }
    (ands, xors, longest)
}

/// The formulas of the module, block by block: what each column of a block needs.
fn formula(n: usize, block: usize) -> (usize, usize, usize) {
    let blocks = n.div_ceil(block);
    let (mut ands, mut xors) = (0, n);
    for number in 0..blocks {
        let width = block.min(n - number * block);
        // The carry out of the last column is not read.
        let carries = width - usize::from(number + 1 == blocks);
        let gathered = carries.saturating_sub(1);
        ands += carries + gathered;
        xors += gathered;
        if number == 0 {
            xors += width - 1;
        } else {
            ands += gathered + carries;
            xors += carries + width;
        }
    }
    let first = block.min(n);
    let last = n - (blocks - 1) * block;
    let depth = match (blocks, n) {
        (1, 1) => 1,
        (1, _) => 2 * n - 2,
        // The first block's carry, two gates for each block between, and the last block's sum.
        _ => (2 * first - 1) + 2 * (blocks - 2) + if last == 1 { 1 } else { 3 },
    };
    (ands, xors, depth)
}

#[test]
fn gates_and_depth_are_the_formulas() {
    for n in 1..=40 {
        for block in 1..=40 {
            assert_eq!(
                count(&sum(&Profile::gate_simulation(), n, block)),
                formula(n, block),
                "{n} columns in blocks of {block}"
            );
        }
    }
}

#[test]
fn the_papers_four_sizes() {
    let of = |block| {
        let (ands, xors, depth) = count(&sum(&Profile::gate_simulation(), 32, block));
        (ands + xors, depth)
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
            let (ands, xors, _) = count(&b.finish());
            let blocks = n.div_ceil(block);
            assert_eq!(
                (ands, xors),
                (4 * n - 2 * blocks, 4 * n - blocks),
                "{n}, {block}"
            );
        }
    }
}

/// With carry in, carry out and overflow: its name, and its form in blocks of one size.
macro_rules! unit {
    ($block:literal) => {
        Unit {
            name: concat!("add_with_carry in blocks of ", $block),
            build: |b, w| {
                let adder = Adder::BlockLookahead(NonZeroUsize::new($block).unwrap());
                let added = add_with(b, adder, &w[0], &w[1], w[2][0]);
                vec![added.sum, vec![added.carry], vec![added.overflow]]
            },
            ..*crate::units::unit("add_with_carry")
        }
    };
}

fn units() -> [Unit; 5] {
    [unit!(1), unit!(4), unit!(8), unit!(16), unit!(32)]
}

#[test]
fn small_words_exhaustively() {
    for profile in profiles() {
        for unit in units() {
            for n in 1..=8usize {
                let built = unit.build(&profile, n);
                let cases: Vec<Vec<u128>> = (0..1u128 << (2 * n + 1))
                    .map(|case| {
                        let word = |at: usize| case >> at & ((1 << n) - 1);
                        vec![word(0), word(n), case >> (2 * n)]
                    })
                    .collect();
                unit.check(&built, n, &cases);
            }
        }
    }
}

#[test]
fn wide_words_in_random_lanes() {
    for profile in profiles() {
        for unit in units() {
            for n in [11, 31, 32, 33, 64] {
                let mut random = Random(n as u64);
                let cases: Vec<_> = (0..256)
                    .map(|_| vec![random.value(n), random.value(n), random.value(1)])
                    .collect();
                unit.check(&unit.build(&profile, n), n, &cases);
            }
        }
    }
}

#[test]
fn partly_clear_operands() {
    let mut random = Random(9);
    for profile in profiles() {
        for unit in units() {
            let clear: Vec<_> = [32, 32, 1]
                .map(|width| (random.value(width), random.value(width)))
                .to_vec();
            let built = unit.build_partly_clear(&profile, 32, &clear);
            let cases: Vec<_> = (0..64)
                .map(|_| vec![random.value(32), random.value(32), random.value(1)])
                .collect();
            unit.check(&built, 32, &cases);
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
    let (ands, xors, _) = count(&circuit);
    assert_eq!(ands + xors, 9 * 214);
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
