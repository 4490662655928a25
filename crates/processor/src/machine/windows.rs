//! What crosses from one window into the next.

use a32::{Flag, Machine};
use circuits::passes::Provenance;
use circuits::{Circuit, Op, Profile, Wire, passes, sim};

use super::{Cut, Symbolic, Word};

fn prepared(
    circuit: &Circuit,
    profile: &Profile,
    inputs: &[Provenance],
) -> Result<Circuit, std::convert::Infallible> {
    let prepared = passes::prepare(circuit, profile);
    Ok(passes::reuse(&prepared, inputs, profile).unwrap_or(prepared))
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

/// A function computed again in a later window from the same ciphertexts is the same ciphertext,
/// with the same noise: counted as two, a sum of both would have half its variance.
#[test]
fn what_a_window_computes_again_is_the_input_that_it_was() {
    let mut machine = Symbolic::new(&Profile::lookup_simulation());
    let bits = machine.inputs(3);
    machine.place(0, Word::from_slice(&bits));
    // Kept from the first window, while what it is made of lives on.
    let both = machine.bit_and(&bits[0], &bits[1]);
    machine.place(1, Word::from_slice(&[both]));
    let Ok(Cut { circuit, kept }) = machine.cut(prepared);
    let mut values = sim::evaluate(&circuit, &[0b1100, 0b1010, 0b1111]).unwrap();
    values = kept.iter().map(|index| values[*index]).collect();
    assert_eq!(values.len(), 4);
    // A window that has other things to do, and a restored machine in it.
    let saved = machine.save(std::iter::empty()).unwrap();
    let provenance = machine.provenance().to_vec();
    machine.restore(&saved, &[]).unwrap();
    machine.set_provenance(&provenance);
    // In the third it is computed again, the operands in another order and one of them inverted
    // on its way, and added to itself.
    for round in 0..2 {
        let (word, first) = (machine.peek(0).wires(), machine.peek(1).wires()[0]);
        let again = machine.bit_and(&word[1], &word[0]);
        assert_ne!(again, first, "only the provenance shows it");
        machine.place(2, Word::from_slice(&[!again]));
        let Ok(Cut { circuit, kept }) = machine.cut(prepared);
        let refreshed = circuit
            .nodes()
            .filter(|node| matches!(circuit.op(*node), Op::Refresh(_)));
        assert_eq!((refreshed.count(), kept.len()), (0, 4), "round {round}");
        values = sim::evaluate(&circuit, &values).unwrap();
        values = kept.iter().map(|index| values[*index]).collect();
        let (first, second) = (machine.peek(1).wires()[0], machine.peek(2).wires()[0]);
        assert_eq!(second, !first, "round {round}");
    }
    let wires = [machine.peek(1).wires()[0]];
    let last = machine.finish(&wires);
    assert_eq!(sim::evaluate(&last, &values).unwrap(), [0b1000]);
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
