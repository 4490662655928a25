//! What instructions on halves and lanes cost on secret words, in lookups of the result: nothing is
//! paid for the zeros that fill up their words. The figures are snapshots.

use circuits::{Op, Profile, passes};

use super::{Symbolic, Word};

/// Lookups behind `r0` after one instruction whose registers and flags are all secret.
fn lookups(word: u32) -> usize {
    let profile = Profile::lookup_simulation();
    let mut machine = Symbolic::new(&profile);
    for register in 0..15 {
        let secret = machine.inputs(32);
        machine.place(register, Word::from_slice(&secret));
    }
    for flag in a32::Flag::ALL {
        let secret = machine.inputs(1)[0];
        a32::Machine::set_flag(&mut machine, flag, secret);
    }
    let instruction = a32::decode(word).unwrap();
    a32::execute(&mut machine, &instruction).unwrap();
    let result = machine.peek(0).wires();
    let circuit = passes::prepare(&machine.finish(&result), &profile);
    let nodes = circuit.nodes();
    nodes
        .filter(|node| matches!(circuit.op(*node), Op::Lookup { .. }))
        .count()
}

#[test]
fn halves_and_lanes_cost_what_their_width_costs() {
    for (word, name, expected) in [
        (0xe000_0291, "mul", 145),
        (0xe020_3291, "mla", 147),
        (0xe0c0_1392, "smull", 272),
        (0xe160_0281, "smulbb", 94),
        (0xe100_3281, "smlabb", 105),
        (0xe120_02a1, "smulwb", 191),
        (0xe120_3281, "smlawb", 202),
        (0xe140_1382, "smlalbb", 116),
        (0xe700_f211, "smuad", 207),
        (0xe700_3211, "smlad", 204),
        (0xe750_f211, "smmul", 272),
        (0xe750_32d1, "smmls", 286),
        (0xe040_1392, "umaal", 294),
        (0xe081_0002, "add", 11),
        (0xe102_0051, "qadd", 31),
        (0xe142_0051, "qdadd", 47),
        (0xe6a7_0011, "ssat", 18),
        (0xe6e8_0011, "usat", 6),
        (0xe6a7_0f31, "ssat16", 18),
        (0xe611_0f12, "sadd16", 12),
        (0xe611_0f92, "sadd8", 12),
        (0xe621_0f92, "qadd8", 28),
        (0xe631_0f92, "shadd8", 12),
        (0xe661_0f92, "uqadd8", 24),
        (0xe661_0ff2, "uqsub8", 24),
        (0xe681_0fb2, "sel", 24),
        (0xe780_f211, "usad8", 34),
        (0xe681_0812, "pkhbt", 0),
        (0xe68f_0071, "sxtb16", 0),
        (0xe6c1_0472, "uxtab16", 11),
        (0xe10f_0000, "mrs", 0),
    ] {
        assert!(a32::decode(word).unwrap().to_string().starts_with(name));
        assert_eq!(lookups(word), expected, "{name}");
    }
}
