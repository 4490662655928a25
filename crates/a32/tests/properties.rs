//! Properties of every word and every state.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blindcore_a32::{
    AluOperation, Condition, Flag, Instruction, Interpreter, MNEMONICS, Operand, Operation,
    Permissions, Register, SetFlags, Sum, decode,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

const CODE: u32 = 0x8000;
const DATA: u32 = 0x2_0000;

/// A machine about to carry out one word, with code, data and these registers.
fn machine(word: u32, registers: &[u32; 15], flags: u8) -> Interpreter {
    let mut machine = Interpreter::new();
    machine
        .map(CODE, word.to_le_bytes().to_vec(), Permissions::ALL)
        .unwrap();
    machine
        .map(DATA, vec![0xa5; 0x1000], Permissions::READ_WRITE)
        .unwrap();
    for (register, &value) in Register::all().zip(registers) {
        machine.write_register(register, value);
    }
    for (index, flag) in Flag::ALL.into_iter().enumerate() {
        machine.write_flag(flag, flags >> (index % 8) & 1 == 1);
    }
    machine.write_register(Register::PC, CODE);
    machine
}

/// Values where carries and faults live, and any others.
fn value() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        0_u32..70,
        (0_u32..0x1010).prop_map(|offset| DATA + offset),
        Just(u32::MAX),
        Just(0x8000_0000),
        Just(0x7fff_ffff),
    ]
}

/// Compares every result with one 64-bit formula: a − b is a + ¬b + 1, and so on.
fn sum_by_formula(op: AluOperation, a: u32, b: u32, carry: bool) -> Option<Sum<u32, bool>> {
    let (a, b, carry) = match op {
        AluOperation::Add => (a, b, false),
        AluOperation::Adc => (a, b, carry),
        AluOperation::Sub => (a, !b, true),
        AluOperation::Sbc => (a, !b, carry),
        AluOperation::Rsb => (!a, b, true),
        AluOperation::Rsc => (!a, b, carry),
        _ => return None,
    };
    let wide = u64::from(a) + u64::from(b) + u64::from(carry);
    let signed = i64::from(a.cast_signed()) + i64::from(b.cast_signed()) + i64::from(carry);
    let result = (wide % (1 << 32)) as u32;
    Some(Sum {
        result,
        carry: wide >= 1 << 32,
        overflow: i32::try_from(signed).is_err(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            "tests/properties.regressions",
        ))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_word_decodes_or_is_refused_with_a_name(word: u32) {
        match decode(word) {
            Ok(instruction) => {
                prop_assert!(MNEMONICS.contains(&instruction.name()));
                prop_assert!(instruction.to_string().starts_with(instruction.name()));
                let skips_nothing = instruction.condition == Condition::Always;
                prop_assert_eq!(skips_nothing, word >> 28 >= 14);
            }
            Err(error) => {
                prop_assert_eq!(error.word(), word);
                prop_assert!(!error.mnemonic().is_empty());
                let named = error.to_string().contains(&format!("{word:#010x}"));
                prop_assert!(named);
            }
        }
    }

    #[test]
    fn every_instruction_runs_in_every_state(
        word: u32,
        registers in prop::array::uniform15(value()),
        flags: u8,
    ) {
        let mut machine = machine(word, &registers, flags);
        let before = machine.executed();
        let outcome = machine.step();
        let refused = decode(word).is_err();
        prop_assert_eq!(refused, matches!(outcome, Err(blindcore_a32::RunError::Decode { .. })));
        prop_assert_eq!(machine.executed() - before, u64::from(!refused));
    }

    #[test]
    fn a_failed_condition_changes_nothing(
        word: u32,
        registers in prop::array::uniform15(value()),
        flags: u8,
    ) {
        // NE with Z set.
        let word = word & 0x0fff_ffff | 0x1000_0000;
        if decode(word).is_err() {
            return Ok(());
        }
        let mut machine = machine(word, &registers, flags | 2);
        prop_assert_eq!(machine.step(), Ok(None));
        for (register, &value) in Register::all().zip(&registers) {
            prop_assert_eq!(machine.read_register(register), value);
        }
        prop_assert_eq!(machine.read_register(Register::PC), CODE + 4);
        prop_assert!(machine.read_bytes(DATA, 0x1000).unwrap().iter().all(|&byte| byte == 0xa5));
    }

    #[test]
    fn sums_agree_with_the_formula(opcode in 0_u32..16, a in value(), b in value(), flags: u8) {
        let word = 0xe011_0002 | opcode << 21; // <op>s r0, r1, r2
        let Ok(Instruction {
            operation: Operation::Alu {
                op, set_flags: SetFlags::Yes, operand: Operand::Register(..), ..
            },
            ..
        }) = decode(word) else {
            return Ok(());
        };
        let Some(sum) = sum_by_formula(op, a, b, flags & 4 != 0) else {
            return Ok(());
        };
        let mut registers = [0; 15];
        registers[1..3].copy_from_slice(&[a, b]);
        let mut machine = machine(word, &registers, flags);
        machine.step().unwrap();
        prop_assert_eq!(machine.read_register(Register::R0), sum.result);
        prop_assert_eq!(machine.read_flag(Flag::Carry), sum.carry);
        prop_assert_eq!(machine.read_flag(Flag::Overflow), sum.overflow);
        prop_assert_eq!(machine.read_flag(Flag::Zero), sum.result == 0);
        prop_assert_eq!(machine.read_flag(Flag::Negative), sum.result >> 31 == 1);
    }

    #[test]
    fn field_instructions_agree_with_integers(
        (lsb, width) in (0_u32..32).prop_flat_map(|lsb| (Just(lsb), 1..33 - lsb)),
        a: u32,
        old: u32,
    ) {
        let mask = (((1_u64 << width) - 1) as u32) << lsb;
        let run = |word| {
            let mut registers = [0; 15];
            registers[..2].copy_from_slice(&[old, a]);
            let mut machine = machine(word, &registers, 0);
            machine.step().unwrap();
            machine.read_register(Register::R0)
        };
        let field = (a & mask) >> lsb;
        let negative = width < 32 && field >> (width - 1) & 1 == 1;
        let extended = if negative { field | u32::MAX << width } else { field };
        prop_assert_eq!(run(0xe7e0_0051 | (width - 1) << 16 | lsb << 7), field); // ubfx
        prop_assert_eq!(run(0xe7a0_0051 | (width - 1) << 16 | lsb << 7), extended); // sbfx
        let msb = lsb + width - 1;
        prop_assert_eq!(run(0xe7c0_0011 | msb << 16 | lsb << 7), old & !mask | a << lsb & mask);
        prop_assert_eq!(run(0xe7c0_001f | msb << 16 | lsb << 7), old & !mask); // bfc
        prop_assert_eq!(run(0xe6ff_0f31), a.reverse_bits());
        prop_assert_eq!(run(0xe6bf_0f31), a.swap_bytes());
        prop_assert_eq!(run(0xe6bf_0fb1), a.swap_bytes().rotate_left(16));
        let revsh = (a as u16).swap_bytes().cast_signed();
        prop_assert_eq!(run(0xe6ff_0fb1), i32::from(revsh).cast_unsigned());
    }
}

/// A change in what is decoded must show: the numbers are snapshots. The other fourteen conditions
/// decode like `AL`, but for traps and checksums, which never stand under one (checked on every
/// 257th word).
#[test]
#[ignore = "2^29 words, 15 seconds"]
fn all_words_decode_without_a_panic() {
    let decodes = |word: &u32| match decode(*word) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.word(), *word);
            false
        }
    };
    // Exclusive loads of three sizes, and of pairs whose first register is even and below r14; stores
    // whose status goes to none of the other registers. Loads and stores in order. Swaps whose address
    // is neither of the other registers. Checksums. Four moves of coprocessor 15.
    let exclusive = 2 * (3 * 15 * 15 + 7 * 15) + 2 * (3 * 15 * 14 * 14 + 7 * 13 * 14);
    let ordered = 2 * 3 * 15 * 15;
    let others = 2 * 15 * 14 * 14 + 6 * 15 * 15 * 15 + 4 * 15;
    assert_eq!(
        (0xe000_0000..0xf000_0000).filter(decodes).count(),
        150_860_837 + exclusive + ordered + others
    );
    // 48 barriers, clrex. Preloads with a constant: 2 signs, 16 bases (pldw 15), 4,096 distances; with a
    // register: 2 signs, as many bases, 128 shifts, 15 registers.
    let preloads = 2 * (16 + 15 + 16) * (4096 + 128 * 15);
    // Two precisions each, 32 registers in each place: vsel under four conditions, vmaxnm and
    // vminnm; four roundings to a number without a fraction, and to an integer of either kind.
    let floats = 2 * ((4 + 2) * 32 * 32 * 32 + (4 + 4 * 2) * 32 * 32);
    assert_eq!(
        (0xf000_0000..=0xffff_ffff).filter(decodes).count(),
        49 + preloads + floats
    );
    for word in (0..0x1000_0000).step_by(257) {
        let trap = 0x0120_0070..=0x012f_ff7f;
        let traps =
            (trap.contains(&word) && word & 0xf0 == 0x70) || word & 0x0ff0_00f0 == 0x07f0_00f0;
        if traps || word & 0x0f90_00f0 == 0x0100_0040 {
            continue;
        }
        let always = decodes(&(word | 0xe000_0000));
        assert!(
            (0..14).all(|condition| decodes(&(word | condition << 28)) == always),
            "{word:#010x}"
        );
    }
}
