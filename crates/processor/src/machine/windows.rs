//! What crosses from one window into the next.

use a32::{Flag, Machine};
use circuits::{Circuit, Op, Profile, Wire, passes, sim};

use super::{Cut, Symbolic, Word};

fn prepared(circuit: &Circuit, profile: &Profile) -> Result<Circuit, std::convert::Infallible> {
    Ok(passes::prepare(circuit, profile))
}

/// `x ^ (x & y)` and `x & !y`, which only mapping finds to be the same.
fn twins(machine: &mut Symbolic, x: Wire, y: Wire) -> (Wire, Wire) {
    let both = machine.bit_and(&x, &y);
    let one = machine.bit_xor(&x, &both);
    let other = machine.bit_and(&x, &!y);
    assert_ne!(one, other);
    (one, other)
}

#[test]
fn one_ciphertext_becomes_one_input() {
    let mut machine = Symbolic::new(&Profile::lookup_simulation());
    let inputs = machine.inputs(2);
    let (one, other) = twins(&mut machine, inputs[0], inputs[1]);
    machine.set_flag(Flag::Carry, one);
    machine.set_flag(Flag::Overflow, !other);
    let Ok(Cut { circuit, kept }) = machine.cut(prepared);
    assert_eq!(circuit.outputs().len(), 2);
    let [carry, overflow] = [Flag::Carry, Flag::Overflow].map(|flag| machine.flag(flag));
    // The next window sees one bit, and its complement.
    assert_eq!((kept.as_slice(), overflow), (&[0][..], !carry));
    assert_eq!(machine.nodes(), 0);

    let xor = machine.bit_xor(&carry, &overflow);
    assert_eq!(xor, Wire::TRUE);
    let next = machine.finish(&[carry, overflow]);
    assert_eq!(next.inputs(), 1);
    let (x, y) = (0b1100, 0b1010);
    let left = sim::evaluate(&circuit, &[x, y]).unwrap();
    let kept: Vec<_> = kept.iter().map(|index| left[*index]).collect();
    let found = sim::evaluate(&next, &kept).unwrap();
    assert_eq!(found, [x & !y, !(x & !y)]);
}

#[test]
fn a_bit_that_proves_constant_is_no_input() {
    let mut machine = Symbolic::new(&Profile::lookup_simulation());
    let inputs = machine.inputs(2);
    let (one, other) = twins(&mut machine, inputs[0], inputs[1]);
    let zero = machine.bit_xor(&one, &other);
    machine.place(0, Word::from_slice(&[zero, !zero, inputs[0]]));
    let before = sim_of(&mut machine.clone());
    let Ok(Cut { circuit, kept }) = machine.cut(prepared);
    for output in circuit.outputs() {
        let source = circuit.source(output.signal()).map(|node| circuit.op(node));
        assert!(matches!(source, None | Some(Op::Input(_) | Op::Refresh(_))));
    }
    let left = sim::evaluate(&circuit, &[0b1100, 0b1010]).unwrap();
    let kept: Vec<_> = kept.iter().map(|index| left[*index]).collect();
    let wires = machine.peek(0).wires();
    let after = machine.finish(&wires);
    assert_eq!(sim::evaluate(&after, &kept).unwrap(), before);
}

/// A sum of inputs takes no operation, but has the noise of all of them.
#[test]
fn a_sum_of_inputs_is_refreshed() {
    let mut machine = Symbolic::new(&Profile::lookup_simulation());
    let inputs = machine.inputs(3);
    let sum = machine.builder.disjoint(&inputs[..2]);
    assert_eq!(machine.builder.depth(sum), 0);
    machine.place(0, Word::from_slice(&[sum, !sum, inputs[2]]));
    let Ok(Cut { circuit, kept }) = machine.cut(prepared);
    let ops = circuit.outputs().iter();
    let ops = ops.map(|output| circuit.source(output.signal()).map(|node| circuit.op(node)));
    assert!(matches!(
        ops.collect::<Vec<_>>()[..],
        [Some(Op::Refresh(_)), Some(Op::Input(2))]
    ));
    assert_eq!(kept, [0, 1]);
}

/// Register 0 for the inputs 1100 and 1010.
fn sim_of(machine: &mut Symbolic) -> Vec<u64> {
    let wires = machine.peek(0).wires();
    sim::evaluate(&machine.finish(&wires), &[0b1100, 0b1010]).unwrap()
}
