//! Instructions under opposite and equal secret conditions, as compilers write choices.

use circuits::{Op, Profile, Wire};

use super::{Symbolic, Word};

/// r0 secret; r1 and r2 clear; eight words of memory at 0x1000, each its own address.
fn machine() -> Symbolic {
    let mut machine = Symbolic::new(&Profile::lookup_simulation());
    let bytes: Vec<u8> = (0..8u32)
        .flat_map(|i| (0x1000 + 4 * i).to_le_bytes())
        .collect();
    machine.memory.add(0x1000, 32, &bytes, true, false);
    let secret = machine.inputs(32);
    machine.place(0, Word::from_slice(&secret));
    machine.place(1, Word::Clear(17));
    machine.place(2, Word::Clear(0x1000));
    machine
}

fn execute(machine: &mut Symbolic, words: &[u32]) {
    for word in words {
        let instruction = a32::decode(*word).unwrap();
        a32::execute(machine, &instruction).unwrap();
    }
}

/// Lookups in the circuit of these wires.
fn lookups(machine: &mut Symbolic, wires: &[Wire]) -> usize {
    let circuit = machine.finish(wires);
    circuit
        .nodes()
        .filter(|node| matches!(circuit.op(*node), Op::Lookup { .. }))
        .count()
}

#[test]
fn opposite_arms_need_no_old_value() {
    let mut machine = machine();
    // cmp r0, #5; movls r3, #0; mvnhi r3, #0: what r3 was before does not matter.
    let before = machine.inputs(32);
    machine.place(3, Word::from_slice(&before));
    execute(&mut machine, &[0xe350_0005, 0x93a0_3000, 0x83e0_3000]);
    let mask = machine.peek(3).wires();
    assert!(mask.iter().all(|bit| *bit == mask[0]), "{mask:?}");

    let mut compare = self::machine();
    execute(&mut compare, &[0xe350_0005]);
    let (carry, zero) = (compare.carry, compare.zero_flag());
    let higher = compare.builder.andyn(carry, zero);
    assert_eq!(
        lookups(&mut machine, &mask),
        lookups(&mut compare, &[higher])
    );
}

#[test]
fn what_was_written_under_a_condition_is_itself_under_it() {
    let mut machine = machine();
    // cmp r0, #5; addne r2, r2, #4; ldrne r1, [r2]; ldreq r3, [r2]: a clear address on either side.
    execute(
        &mut machine,
        &[0xe350_0005, 0x1282_2004, 0x1592_1000, 0x0592_3000],
    );
    let (one, three) = (machine.peek(1).clone(), machine.peek(3).clone());
    let not_equal = !machine.zero_flag();
    let build = &mut machine.builder;
    for (i, (one, three)) in one.wires().into_iter().zip(three.wires()).enumerate() {
        let bit = |value: u32| Wire::constant(value >> i & 1 == 1);
        assert_eq!(
            one,
            build.mux(not_equal, bit(0x1004), bit(17)),
            "r1 bit {i}"
        );
        assert_eq!(
            three,
            build.mux(not_equal, bit(0), bit(0x1000)),
            "r3 bit {i}"
        );
    }
}

#[test]
fn an_unconditional_write_ends_the_choice() {
    let mut machine = machine();
    // cmp r0, #5; movne r1, #1; mov r1, r0; ldrne r3, [r2]; movne r4, r1
    execute(
        &mut machine,
        &[
            0xe350_0005,
            0x13a0_1001,
            0xe1a0_1000,
            0x1592_3000,
            0x11a0_4001,
        ],
    );
    let not_equal = !machine.zero_flag();
    let input = machine.peek(0).wires();
    let moved = machine.peek(4).wires();
    for (i, (input, moved)) in input.into_iter().zip(moved).enumerate() {
        // Where r0 is 5, the bits that 5 lacks are 0 anyway.
        let expected = match 5 >> i & 1 {
            0 => input,
            _ => machine.builder.mux(not_equal, input, Wire::FALSE),
        };
        assert_eq!(moved, expected, "bit {i}");
    }
}
