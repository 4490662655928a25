//! What instructions do, by known answers from the architecture manual's pseudo-code: carries of
//! every shifter operand, flags, conditions, addressing modes, branches and faults.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blindcore_a32::{
    Access, Condition, DecodeError, Fault, Flag, Interpreter, Lane, MapError, Permissions,
    Register, RunError, Stop, Trap, decode,
};

const CODE: u32 = 0x8000;
const DATA: u32 = 0x2_0000;

fn r(number: u8) -> Register {
    Register::new(number).unwrap()
}

/// A machine with these words at [`CODE`], about to carry out the first, and 256 bytes at [`DATA`]
/// that count up from 0.
fn machine(words: &[u32]) -> Interpreter {
    let mut machine = Interpreter::new();
    let code = words.iter().copied().flat_map(u32::to_le_bytes).collect();
    machine.map(CODE, code, Permissions::READ_EXECUTE).unwrap();
    machine
        .map(DATA, (0..=255).collect(), Permissions::READ_WRITE)
        .unwrap();
    machine.write_register(Register::PC, CODE);
    machine
}

/// The registers and flags after one instruction.
fn after(word: u32, registers: &[(u8, u32)], flags: &str) -> Interpreter {
    let mut machine = machine(&[word]);
    for &(number, value) in registers {
        machine.write_register(r(number), value);
    }
    for (flag, name) in FLAGS {
        machine.write_flag(flag, flags.contains(name));
    }
    assert_eq!(machine.step(), Ok(None), "{word:#010x}");
    machine
}

const FLAGS: [(Flag, char); 9] = [
    (Flag::Negative, 'N'),
    (Flag::Zero, 'Z'),
    (Flag::Carry, 'C'),
    (Flag::Overflow, 'V'),
    (Flag::Saturation, 'Q'),
    (Flag::GreaterOrEqual(Lane::Byte0), '0'),
    (Flag::GreaterOrEqual(Lane::Byte1), '1'),
    (Flag::GreaterOrEqual(Lane::Byte2), '2'),
    (Flag::GreaterOrEqual(Lane::Byte3), '3'),
];

fn flags(machine: &Interpreter) -> String {
    FLAGS
        .into_iter()
        .filter(|&(flag, _)| machine.read_flag(flag))
        .map(|(_, name)| name)
        .collect()
}

/// Checks `r0` and the flags after one instruction on `r1`, `r2`, `r3`.
fn expect(word: u32, operands: [u32; 3], before: &str, r0: u32, flags_after: &str) {
    let [r1, r2, r3] = operands;
    let machine = after(word, &[(1, r1), (2, r2), (3, r3)], before);
    let text = decode(word).unwrap();
    assert_eq!(
        machine.read_register(r(0)),
        r0,
        "{text} of {operands:x?}, {before}"
    );
    assert_eq!(
        flags(&machine),
        flags_after,
        "{text} of {operands:x?}, {before}"
    );
}

#[test]
fn the_shifter_carries_as_the_manual_says() {
    // movs r0, #…: a rotation of zero leaves C, any other carries out bit 31.
    expect(0xe3b0_0001, [0; 3], "C", 1, "C");
    expect(0xe3b0_0001, [0; 3], "", 1, "");
    expect(0xe3b0_0102, [0; 3], "", 0x8000_0000, "NC");
    expect(0xe3b0_0104, [0; 3], "C", 1, "");
    // movs r0, r1, lsl #0, lsl #1, lsl #31.
    expect(0xe1b0_0001, [0x8000_0001, 0, 0], "C", 0x8000_0001, "NC");
    expect(0xe1b0_0081, [0x8000_0001, 0, 0], "", 2, "C");
    expect(0xe1b0_0f81, [0x0000_0002, 0, 0], "", 0, "ZC");
    // lsr #1, lsr #32.
    expect(0xe1b0_00a1, [0x8000_0001, 0, 0], "", 0x4000_0000, "C");
    expect(0xe1b0_0021, [0x8000_0000, 0, 0], "", 0, "ZC");
    expect(0xe1b0_0021, [0x7fff_ffff, 0, 0], "C", 0, "Z");
    // asr #1, asr #32.
    expect(0xe1b0_00c1, [0x8000_0001, 0, 0], "", 0xc000_0000, "NC");
    expect(0xe1b0_0041, [0x8000_0000, 0, 0], "", 0xffff_ffff, "NC");
    expect(0xe1b0_0041, [0x7fff_ffff, 0, 0], "C", 0, "Z");
    // ror #1, rrx.
    expect(0xe1b0_00e1, [1, 0, 0], "", 0x8000_0000, "NC");
    expect(0xe1b0_0061, [1, 0, 0], "", 0, "ZC");
    expect(0xe1b0_0061, [2, 0, 0], "C", 0x8000_0001, "N");
}

#[test]
fn shifts_by_a_register_use_its_low_byte() {
    let [lsl, lsr, asr, ror] = [0xe1b0_0211, 0xe1b0_0231, 0xe1b0_0251, 0xe1b0_0271];
    for carry in ["", "C"] {
        for shift in [lsl, lsr, asr, ror] {
            // 0, also as 256: nothing happens, C stays.
            expect(shift, [5, 0, 0], carry, 5, carry);
            expect(shift, [5, 0x100, 0], carry, 5, carry);
        }
        expect(lsl, [0x8000_0001, 1, 0], carry, 2, "C");
        expect(lsl, [0x8000_0001, 32, 0], carry, 0, "ZC");
        expect(lsl, [0xffff_ffff, 33, 0], carry, 0, "Z");
        expect(lsl, [0xffff_ffff, 255, 0], carry, 0, "Z");
        expect(lsr, [0x8000_0000, 32, 0], carry, 0, "ZC");
        expect(lsr, [0xffff_ffff, 33, 0], carry, 0, "Z");
        expect(asr, [0x8000_0000, 32, 0], carry, 0xffff_ffff, "NC");
        expect(asr, [0x8000_0000, 200, 0], carry, 0xffff_ffff, "NC");
        expect(asr, [0x7fff_ffff, 200, 0], carry, 0, "Z");
        expect(ror, [0x8000_0001, 32, 0], carry, 0x8000_0001, "NC");
        expect(ror, [0x7000_0001, 64, 0], carry, 0x7000_0001, "");
        expect(ror, [0x0000_0001, 33, 0], carry, 0x8000_0000, "NC");
    }
}

#[test]
fn sums_and_differences_set_all_flags() {
    let [subs, rsbs, adds] = [0xe051_0002, 0xe071_0002, 0xe091_0002];
    let [adcs, sbcs, rscs] = [0xe0b1_0002, 0xe0d1_0002, 0xe0f1_0002];
    expect(adds, [0x7fff_ffff, 1, 0], "C", 0x8000_0000, "NV");
    expect(adds, [0xffff_ffff, 1, 0], "", 0, "ZC");
    expect(adds, [0x8000_0000, 0x8000_0000, 0], "", 0, "ZCV");
    expect(subs, [5, 5, 0], "", 0, "ZC");
    expect(subs, [5, 6, 0], "C", 0xffff_ffff, "N");
    expect(subs, [0x8000_0000, 1, 0], "", 0x7fff_ffff, "CV");
    expect(subs, [0, 0x8000_0000, 0], "", 0x8000_0000, "NV");
    expect(rsbs, [6, 5, 0], "", 0xffff_ffff, "N");
    expect(adcs, [0xffff_ffff, 0, 0], "C", 0, "ZC");
    expect(adcs, [0x7fff_ffff, 0, 0], "C", 0x8000_0000, "NV");
    expect(adcs, [1, 2, 0], "", 3, "");
    expect(sbcs, [5, 5, 0], "", 0xffff_ffff, "N");
    expect(sbcs, [5, 5, 0], "C", 0, "ZC");
    expect(rscs, [5, 5, 0], "", 0xffff_ffff, "N");
    expect(rscs, [4, 5, 0], "", 0, "ZC");
    // cmp r1, r2; cmn r1, r2: no result. subs with the carry of its shifter: unused.
    expect(0xe151_0002, [5, 5, 0], "V", 0, "ZC");
    expect(0xe171_0002, [0xffff_ffff, 2, 0], "", 0, "C");
    expect(0xe051_00a2, [9, 3, 0], "", 8, "C");
}

#[test]
fn bitwise_operations_keep_v_and_take_the_shifter_s_carry() {
    expect(0xe011_0002, [0xf0, 0x3c, 0], "CV", 0x30, "CV"); // ands
    expect(0xe031_0002, [0xf0, 0xf0, 0], "NV", 0, "ZV"); // eors
    expect(0xe191_0082, [1, 0x8000_0000, 0], "", 1, "C"); // orrs r0, r1, r2, lsl #1
    expect(0xe1d1_0002, [0xff, 0x0f, 0], "V", 0xf0, "V"); // bics
    expect(0xe1f0_0002, [0, 0, 0], "Z", 0xffff_ffff, "N"); // mvns
    expect(0xe111_0312, [1, 1, 32], "N", 0, "ZC"); // tst r1, r2, lsl r3
    expect(0xe111_0312, [1, 1, 33], "C", 0, "Z");
    expect(0xe331_0000, [0x8000_0000, 0, 0], "ZV", 0, "NV"); // teq r1, #0
}

#[test]
fn products_set_n_and_z_only() {
    expect(0xe010_0291, [3, 0xffff_ffff, 0], "CV", 0xffff_fffd, "NCV"); // muls r0, r1, r2
    expect(0xe030_3291, [3, 4, 0xffff_fff4], "CV", 0, "ZCV"); // mlas r0, r1, r2, r3
    expect(0xe060_3291, [3, 4, 10], "", 0xffff_fffe, ""); // mls r0, r1, r2, r3
    // umulls, smulls r0, r1, r2, r3: N and Z of all 64 bits.
    let long = |word, r0, r1, r2, r3| {
        let machine = after(word, &[(0, r0), (1, r1), (2, r2), (3, r3)], "CV");
        (
            machine.read_register(r(0)),
            machine.read_register(r(1)),
            flags(&machine),
        )
    };
    let [umulls, smulls, umlals, smlals] = [0xe091_0392, 0xe0d1_0392, 0xe0b1_0392, 0xe0f1_0392];
    let text = |word| decode(word).unwrap().to_string();
    assert_eq!(text(umlals), "umlals r0, r1, r2, r3");
    assert_eq!(long(umulls, 9, 9, 1 << 16, 1 << 16), (0, 1, "CV".into()));
    assert_eq!(long(umulls, 9, 9, 0, 7), (0, 0, "ZCV".into()));
    assert_eq!(
        long(smulls, 9, 9, u32::MAX, 1),
        (u32::MAX, u32::MAX, "NCV".into())
    );
    assert_eq!(long(umlals, u32::MAX, 0, 1, 1), (0, 1, "CV".into()));
    assert_eq!(long(smlals, 1, 0, u32::MAX, 1), (0, 0, "ZCV".into()));
}

#[test]
fn divisions_round_towards_zero_and_survive_zero() {
    let [sdiv, udiv] = [0xe710_f211, 0xe730_f211];
    expect(
        sdiv,
        [7_u32.wrapping_neg(), 2, 0],
        "C",
        3_u32.wrapping_neg(),
        "C",
    );
    expect(sdiv, [0x8000_0000, u32::MAX, 0], "", 0x8000_0000, "");
    expect(sdiv, [7, 0, 0], "", 0, "");
    expect(udiv, [u32::MAX, 2, 0], "", 0x7fff_ffff, "");
    expect(udiv, [u32::MAX, 0, 0], "", 0, "");
}

#[test]
fn fields_extensions_and_permutations() {
    expect(0xe7e7_0451, [0x1234_5678, 0, 0], "", 0x56, ""); // ubfx r0, r1, #8, #8
    expect(0xe7a7_0251, [0x0000_0f80, 0, 0], "", 0xffff_fff8, ""); // sbfx r0, r1, #4, #8
    expect(0xe7ff_0051, [0x8765_4321, 0, 0], "", 0x8765_4321, ""); // ubfx r0, r1, #0, #32
    expect(0xe6af_0071, [0x0000_0180, 0, 0], "", 0xffff_ff80, ""); // sxtb r0, r1
    expect(0xe6ff_0471, [0x1234_5678, 0, 0], "", 0x3456, ""); // uxth r0, r1, ror #8
    expect(0xe6bf_0c71, [0x0000_0081, 0, 0], "", 0xffff_8100, ""); // sxth r0, r1, ror #24 …
    expect(0xe6a1_0072, [10, 0xff, 0], "", 9, ""); // sxtab r0, r1, r2
    expect(0xe6f1_0872, [10, 0xffff_0000, 0], "", 0x1_0009, ""); // uxtah r0, r1, r2, ror #16
    expect(0xe16f_0f11, [0, 0, 0], "", 32, ""); // clz
    expect(0xe16f_0f11, [0x0001_0000, 0, 0], "", 15, "");
    expect(0xe6ff_0f31, [0x8000_0002, 0, 0], "", 0x4000_0001, ""); // rbit
    expect(0xe6bf_0f31, [0x1234_5678, 0, 0], "", 0x7856_3412, ""); // rev
    expect(0xe6bf_0fb1, [0x1234_5678, 0, 0], "", 0x3412_7856, ""); // rev16
    expect(0xe6ff_0fb1, [0x1234_5680, 0, 0], "", 0xffff_8056, ""); // revsh
    expect(0xe30f_0fff, [0; 3], "", 0xffff, ""); // movw
    let bits = |word, r0, r1| after(word, &[(0, r0), (1, r1)], "").read_register(r(0));
    assert_eq!(bits(0xe340_1234, 0x5678, 0) & 0xffff, 0x5678); // movt r1
    assert_eq!(bits(0xe34a_0bcd, 0x5678, 0), 0xabcd_5678);
    assert_eq!(bits(0xe7cb_0211, 0xffff_ffff, 0x12), 0xffff_f12f); // bfi r0, r1, #4, #8
    assert_eq!(bits(0xe7cb_021f, 0xffff_ffff, 0), 0xffff_f00f); // bfc r0, #4, #8
    assert_eq!(bits(0xe7df_0011, 1, 0xdead_beef), 0xdead_beef); // bfi r0, r1, #0, #32
}

#[test]
fn conditions_hold_on_the_flags_that_they_name() {
    let formula = |condition, n: bool, z: bool, c: bool, v: bool| match condition {
        Condition::Equal => z,
        Condition::NotEqual => !z,
        Condition::CarrySet => c,
        Condition::CarryClear => !c,
        Condition::Minus => n,
        Condition::Plus => !n,
        Condition::OverflowSet => v,
        Condition::OverflowClear => !v,
        Condition::UnsignedHigher => c && !z,
        Condition::UnsignedLowerOrSame => !c || z,
        Condition::SignedGreaterOrEqual => n == v,
        Condition::SignedLess => n != v,
        Condition::SignedGreater => !z && n == v,
        Condition::SignedLessOrEqual => z || n != v,
        Condition::Always => true,
    };
    for (code, condition) in (0..).zip(Condition::ALL) {
        for set in 0..16_u32 {
            let [n, z, c, v] = [3, 2, 1, 0].map(|bit| set >> bit & 1 == 1);
            let names: String = FLAGS
                .iter()
                .zip([n, z, c, v])
                .filter(|(_, set)| *set)
                .map(|(f, _)| f.1)
                .collect();
            // add<cond>s r0, r1, #1, which also must keep every flag where it is skipped.
            let machine = after(code << 28 | 0x0291_0001, &[(0, 7), (1, 1)], &names);
            let passed = formula(condition, n, z, c, v);
            assert_eq!(
                machine.read_register(r(0)),
                if passed { 2 } else { 7 },
                "{condition}"
            );
            assert_eq!(flags(&machine), if passed { String::new() } else { names });
            assert_eq!(machine.read_register(Register::PC), CODE + 4);
        }
    }
}

#[test]
fn loads_and_stores_in_every_addressing_mode() {
    let run = |word, registers: &[(u8, u32)]| {
        let machine = after(word, registers, "");
        (machine.read_register(r(0)), machine.read_register(r(1)))
    };
    let at = DATA + 0x20;
    assert_eq!(run(0xe591_0004, &[(1, at)]), (0x2726_2524, at)); // ldr r0, [r1, #4]
    assert_eq!(run(0xe511_0004, &[(1, at)]), (0x1f1e_1d1c, at)); // ldr r0, [r1, #-4]
    assert_eq!(run(0xe5b1_0004, &[(1, at)]), (0x2726_2524, at + 4)); // ldr r0, [r1, #4]!
    assert_eq!(run(0xe411_0004, &[(1, at)]), (0x2322_2120, at - 4)); // ldr r0, [r1], #-4
    assert_eq!(run(0xe591_0003, &[(1, at)]), (0x2625_2423, at)); // unaligned
    assert_eq!(run(0xe791_0102, &[(1, at), (2, 2)]), (0x2b2a_2928, at)); // [r1, r2, lsl #2]
    assert_eq!(run(0xe731_0002, &[(1, at), (2, 4)]), (0x1f1e_1d1c, at - 4)); // [r1, -r2]!
    assert_eq!(
        run(0xe691_0042, &[(1, at), (2, 0x8000_0000)]),
        (0x2322_2120, at - 1)
    ); // asr #32
    assert_eq!(run(0xe5d1_0004, &[(1, at)]), (0x24, at)); // ldrb
    assert_eq!(run(0xe1d1_00b3, &[(1, at)]), (0x2423, at)); // ldrh, unaligned
    assert_eq!(run(0xe1d1_0dd8, &[(1, DATA)]), (0xffff_ffd8, DATA)); // ldrsb r0, [r1, #0xd8]
    assert_eq!(run(0xe1d1_0dff, &[(1, DATA)]), (0xffff_e0df, DATA)); // ldrsh r0, [r1, #0xdf]
    assert_eq!(run(0xe0d1_00d1, &[(1, at)]), (0x20, at + 1)); // ldrsb r0, [r1], #1
    let machine = after(0xe1c2_00d8, &[(2, at)], ""); // ldrd r0, r1, [r2, #8]
    assert_eq!(
        [0, 1].map(|n| machine.read_register(r(n))),
        [0x2b2a_2928, 0x2f2e_2d2c]
    );

    let stored = |word, registers: &[(u8, u32)], count| {
        let machine = after(word, registers, "");
        machine.read_bytes(DATA, count).unwrap().to_vec()
    };
    let value = (0, 0xa1b2_c3d4);
    assert_eq!(
        stored(0xe581_0001, &[(1, DATA), value], 6),
        [0, 0xd4, 0xc3, 0xb2, 0xa1, 5]
    );
    assert_eq!(stored(0xe5c1_0001, &[(1, DATA), value], 3), [0, 0xd4, 2]); // strb
    assert_eq!(
        stored(0xe1c1_00b1, &[(1, DATA), value], 4),
        [0, 0xd4, 0xc3, 3]
    ); // strh
    // strd r0, r1, [r2]; str pc, [r1] stores the instruction's address + 8.
    let both = stored(0xe1c2_00f0, &[value, (1, 0x0102_0304), (2, DATA)], 8);
    assert_eq!(both, [0xd4, 0xc3, 0xb2, 0xa1, 4, 3, 2, 1]);
    assert_eq!(
        stored(0xe581_f000, &[(1, DATA)], 4),
        (CODE + 8).to_le_bytes()
    );
    // ldr r0, [pc, #-8]: itself.
    assert_eq!(after(0xe51f_0008, &[], "").read_register(r(0)), 0xe51f_0008);
}

#[test]
fn block_transfers_in_all_four_modes() {
    let word_at = |address: u32| u32::from_le_bytes([0, 1, 2, 3].map(|i| (address + i) as u8));
    for (word, lowest, moved) in [
        (0xe8b0_000e, 0_i32, 12_i32), // ldmia r0!, {r1, r2, r3}
        (0xe9b0_000e, 4, 12),         // ldmib
        (0xe830_000e, -8, -12),       // ldmda
        (0xe930_000e, -12, -12),      // ldmdb
    ] {
        let base = DATA + 0x40;
        let machine = after(word, &[(0, base)], "");
        for (number, offset) in [(1, 0), (2, 4), (3, 8)] {
            let address = base.wrapping_add_signed(lowest + offset);
            assert_eq!(
                machine.read_register(r(number)),
                word_at(address),
                "{word:#x}"
            );
        }
        assert_eq!(machine.read_register(r(0)), base.wrapping_add_signed(moved));
        // The store of the same mode: S and L are bits 22 and 20.
        let registers = [(0, base), (1, 0x11), (2, 0x22), (3, 0x33)];
        let machine = after(word & !(1 << 20), &registers, "");
        let bytes = machine
            .read_bytes(base.wrapping_add_signed(lowest), 12)
            .unwrap();
        assert_eq!(
            bytes,
            [0x11, 0, 0, 0, 0x22, 0, 0, 0, 0x33, 0, 0, 0],
            "{word:#x}"
        );
        assert_eq!(machine.read_register(r(0)), base.wrapping_add_signed(moved));
    }
    // ldm r1, {r0, r1}: the base may be loaded where it is not written back.
    let machine = after(0xe891_0003, &[(1, DATA)], "");
    assert_eq!(machine.read_register(r(1)), word_at(DATA + 4));
    // stmia r0!, {r0, r1}: the lowest register is stored as it was.
    let machine = after(0xe8a0_0003, &[(0, DATA), (1, 7)], "");
    assert_eq!(machine.read_bytes(DATA, 4).unwrap(), DATA.to_le_bytes());
    assert_eq!(machine.read_register(r(0)), DATA + 8);
}

#[test]
fn branches_and_writes_to_pc() {
    let gone = |word, registers: &[(u8, u32)]| {
        let machine = after(word, registers, "");
        (
            machine.read_register(Register::PC),
            machine.read_register(Register::LR),
        )
    };
    assert_eq!(gone(0xea00_0002, &[]), (CODE + 16, 0)); // b
    assert_eq!(gone(0xebff_fffd, &[]), (CODE - 4, CODE + 4)); // bl
    assert_eq!(gone(0xe12f_ff11, &[(1, 0x9000)]), (0x9000, 0)); // bx r1
    assert_eq!(gone(0xe12f_ff31, &[(1, 0x9000)]), (0x9000, CODE + 4)); // blx r1
    assert_eq!(gone(0xe12f_ff3e, &[(14, 0x9000)]), (0x9000, CODE + 4)); // blx lr
    assert_eq!(gone(0xe12f_ff1f, &[]), (CODE + 8, 0)); // bx pc
    assert_eq!(gone(0xe1a0_f00e, &[(14, 0x9000)]), (0x9000, 0x9000)); // mov pc, lr
    assert_eq!(gone(0xe08f_f101, &[(1, 3)]), (CODE + 8 + 12, 0)); // add pc, pc, r1, lsl #2
    assert_eq!(gone(0x0a00_0002, &[]), (CODE + 4, 0)); // beq, not taken
    let mut machine = machine(&[0xe8bd_8010, 0xe49d_f004]); // pop {r4, pc}; pop {pc}
    machine.write_register(Register::SP, DATA);
    machine
        .write_bytes(DATA + 4, &(CODE + 4).to_le_bytes())
        .unwrap();
    machine
        .write_bytes(DATA + 8, &Interpreter::RETURN_ADDRESS.to_le_bytes())
        .unwrap();
    assert_eq!(machine.run(10), Ok(Stop::Returned));
    assert_eq!(machine.read_register(Register::SP), DATA + 12);
    assert_eq!(machine.executed(), 2);
}

#[test]
fn faults_name_the_instruction_and_the_address() {
    let fault = |word, registers: &[(u8, u32)]| {
        let mut machine = machine(&[word]);
        for &(number, value) in registers {
            machine.write_register(r(number), value);
        }
        let error = machine.step().unwrap_err();
        assert_eq!(machine.read_register(Register::PC), CODE);
        match error {
            RunError::Fault {
                at: CODE,
                instruction,
                fault,
            } => {
                assert_eq!(instruction, decode(word).unwrap());
                fault
            }
            other => panic!("{other}"),
        }
    };
    let outside = |access, address, bytes| Fault::Outside {
        access,
        address,
        bytes,
    };
    assert_eq!(fault(0xe591_0000, &[]), outside(Access::Load, 0, 4));
    assert_eq!(
        fault(0xe591_0000, &[(1, DATA + 253)]),
        outside(Access::Load, DATA + 253, 4)
    );
    assert_eq!(
        fault(0xe5c1_0000, &[(1, DATA - 1)]),
        outside(Access::Store, DATA - 1, 1)
    );
    assert_eq!(
        fault(0xe591_0000, &[(1, u32::MAX)]),
        outside(Access::Load, u32::MAX, 4)
    );
    let address = CODE;
    assert_eq!(
        fault(0xe581_0000, &[(1, CODE)]),
        Fault::Forbidden {
            access: Access::Store,
            address
        }
    );
    let address = DATA + 2;
    for word in [0xe891_0001, 0xe1c1_20d0, 0xe591_f000] {
        // ldm r1, {r0}; ldrd r2, r3, [r1]; ldr pc, [r1]
        assert_eq!(
            fault(word, &[(1, address)]),
            Fault::Misaligned {
                access: Access::Load,
                address
            }
        );
    }
    assert_eq!(
        fault(0xe1c1_20f0, &[(1, address)]),
        Fault::Misaligned {
            access: Access::Store,
            address
        }
    );
    assert_eq!(
        fault(0xe12f_ff11, &[(1, 0x9001)]),
        Fault::Thumb { target: 0x9001 }
    );
    assert_eq!(
        fault(0xe1a0_f001, &[(1, 0x9001)]),
        Fault::Thumb { target: 0x9001 }
    );
    assert_eq!(
        fault(0xe12f_ff11, &[(1, 0x9002)]),
        Fault::Misaligned {
            access: Access::Fetch,
            address: 0x9002
        }
    );
    assert_eq!(fault(0xef00_0007, &[]), Fault::UnknownCall { number: 7 });
    // svc #1 of one byte more than there is.
    assert_eq!(
        fault(0xef00_0001, &[(0, DATA + 1), (1, 256)]),
        outside(Access::Load, DATA + 1, 256)
    );
    let trap = Trap::Breakpoint(0x1234);
    assert_eq!(fault(0xe121_2374, &[]), Fault::Trap { trap });
    let trap = Trap::Undefined(0);
    assert_eq!(fault(0xe7f0_00f0, &[]), Fault::Trap { trap });
    let mut machine = machine(&[0xe591_0000]);
    assert_eq!(
        machine.step().unwrap_err().to_string(),
        "at 0x00008000, `ldr r0, [r1]`: a load of 4 bytes at 0x00000000 is outside the program's \
         memory"
    );
}

#[test]
fn runs_end_where_they_should() {
    assert_eq!(machine(&[0xef00_0000]).run(10), Ok(Stop::Exited)); // svc #0
    assert_eq!(
        machine(&[0xeaff_fffe]).run(10),
        Err(RunError::Limit { limit: 10 })
    ); // b .
    let mut returning = machine(&[0xe12f_ff1e]); // bx lr
    assert_eq!(returning.call(CODE, &[], 1), Ok(Stop::Returned));
    assert_eq!(returning.run(0), Ok(Stop::Returned));
    let (at, access) = (CODE + 4, Access::Fetch);
    let fault = Fault::Outside {
        access,
        address: at,
        bytes: 4,
    };
    assert_eq!(
        machine(&[0xe320_f000]).run(10),
        Err(RunError::Fetch { at, fault })
    );
    let source = DecodeError::Unsupported {
        word: 0xee30_0920,
        mnemonic: "vfp of halves",
    };
    assert_eq!(
        machine(&[0xee30_0920]).run(10),
        Err(RunError::Decode { at: CODE, source })
    );
    let mut elsewhere = machine(&[0]);
    elsewhere.write_register(Register::PC, DATA);
    let fault = Fault::Forbidden {
        access,
        address: DATA,
    };
    assert_eq!(elsewhere.run(1), Err(RunError::Fetch { at: DATA, fault }));
}

#[test]
fn programs_write_clear_bytes() {
    // svc #1; svc #1; mov r1, #0; svc #1; svc #0
    let words = [
        0xef00_0001,
        0xef00_0001,
        0xe3a0_1000,
        0xef00_0001,
        0xef00_0000,
    ];
    let mut machine = machine(&words);
    machine.write_register(r(0), DATA + 7);
    machine.write_register(r(1), 3);
    assert_eq!(machine.run(10), Ok(Stop::Exited));
    assert_eq!(machine.written(), [7, 8, 9, 7, 8, 9]);
    assert_eq!(machine.take_written().len(), 6);
    assert!(machine.written().is_empty());
}

#[test]
fn halves_are_multiplied_as_signed_numbers() {
    let operands = [0x8000_7fff, 0x0002_ffff, 0x10];
    expect(0xe160_0281, operands, "", -0x7fff_i32 as u32, ""); // smulbb r0, r1, r2
    expect(0xe160_02c1, operands, "", 0xfffe, ""); // smulbt
    expect(0xe160_02a1, operands, "", 0x8000, ""); // smultb
    expect(0xe160_02e1, operands, "", 0xffff_0000, ""); // smultt
    expect(
        0xe100_3281,
        operands,
        "C",
        0x10_u32.wrapping_sub(0x7fff),
        "C",
    ); // smlabb
    // An accumulation that overflows sets Q and wraps.
    let most = [0x7fff, 0x7fff, 0x7fff_ffff];
    expect(0xe100_3281, most, "", 0xbfff_0000, "Q");
    expect(0xe100_3281, [0, 0, 1], "Q", 1, "Q");
    // smulwb: 0x12345678 · −1 / 2¹⁶, towards minus infinity.
    expect(0xe120_02a1, [0x1234_5678, 0xffff, 0], "", 0xffff_edcb, "");
    expect(0xe120_3281, [0x1234_5678, 0xffff, 0x1235], "", 0, ""); // smlawb
    // smuad of four halves −2¹⁵: 2³¹ overflows; the addend −1 takes it back, but Q looks at the
    // sum.
    let least = [0x8000_8000, 0x8000_8000, 0xffff_ffff];
    expect(0xe700_f211, least, "", 0x8000_0000, "Q");
    expect(0xe700_3211, least, "", 0x7fff_ffff, ""); // smlad
    expect(0xe700_f251, [0x0001_0003, 0x0001_0005, 0], "", 14, ""); // smusd
    expect(0xe700_f271, [0x0001_0003, 0x0002_0005, 0], "", 1, ""); // smusdx
    expect(
        0xe750_f211,
        [0x8000_0000, 0x8000_0000, 0],
        "",
        0x4000_0000,
        "",
    ); // smmul
    expect(0xe750_f231, [0x8000_0000, 1, 0], "", 0, ""); // smmulr: −1/2 rounds up
    expect(0xe750_f211, [0x8000_0000, 1, 0], "", u32::MAX, "");
    expect(0xe750_32d1, [1, 1, 5], "", 4, ""); // smmls
    let long = |word, r0, r1, r2, r3| {
        let machine = after(word, &[(0, r0), (1, r1), (2, r2), (3, r3)], "");
        [0, 1].map(|n| machine.read_register(r(n)))
    };
    // umaal r0, r1, r2, r3: the largest value just fits. smlalbb: the product is sign-extended.
    assert_eq!(long(0xe041_0392, !0, !0, !0, !0), [!0, !0]);
    assert_eq!(long(0xe141_0382, 0, 0, 1, 0xffff), [!0, !0]);
    assert_eq!(
        long(0xe741_0312, 0, 0, 0x8000_8000, 0x8000_8000),
        [0x8000_0000, 0]
    ); // smlald
}

#[test]
fn sums_and_widths_saturate_and_say_so() {
    expect(0xe102_0051, [0x7fff_ffff, 1, 0], "", 0x7fff_ffff, "Q"); // qadd r0, r1, r2
    expect(0xe102_0051, [1, 2, 0], "C", 3, "C");
    expect(0xe122_0051, [0x8000_0000, 1, 0], "", 0x8000_0000, "Q"); // qsub r0, r1, r2
    expect(0xe142_0051, [0, 0x4000_0000, 0], "", 0x7fff_ffff, "Q"); // qdadd: 2·r2
    expect(0xe142_0051, [0, 0xc000_0000, 0], "", 0x8000_0000, "");
    expect(0xe162_0051, [0x8000_0000, 0x8000_0000, 0], "", 0, "Q"); // qdsub
    expect(0xe6a7_0011, [200, 0, 0], "", 127, "Q"); // ssat r0, #8, r1
    expect(0xe6a7_0011, [0xffff_ff80, 0, 0], "", 0xffff_ff80, "");
    expect(0xe6a7_0011, [0xffff_ff7f, 0, 0], "", 0xffff_ff80, "Q");
    expect(0xe6bf_0011, [0x8000_0000, 0, 0], "", 0x8000_0000, ""); // ssat r0, #32, r1
    expect(0xe6a0_0011, [1, 0, 0], "", 0, "Q"); // ssat r0, #1, r1: −1 and 0
    expect(0xe6e8_0011, [256, 0, 0], "", 255, "Q"); // usat r0, #8, r1
    expect(0xe6e8_0011, [0xffff_ffff, 0, 0], "", 0, "Q");
    expect(0xe6e0_0011, [1, 0, 0], "", 0, "Q"); // usat r0, #0, r1
    expect(0xe6e8_0251, [0xff0, 0, 0], "", 255, ""); // usat r0, #8, r1, asr #4
    expect(0xe6a7_0f31, [0x0100_ff00, 0, 0], "", 0x007f_ff80, "Q"); // ssat16 r0, #8, r1
    expect(0xe6e7_0f31, [0x0100_ff00, 0, 0], "", 0x007f_0000, "Q"); // usat16 r0, #7, r1
}

#[test]
fn lanes_are_added_apart_and_ge_chooses() {
    let bytes = [0x80ff_7f01, 0x8001_0102, 0];
    expect(0xe611_0f92, bytes, "3", 0x0000_8003, "012"); // sadd8: −256, 0, 128, 3
    expect(0xe651_0f92, bytes, "1", 0x0000_8003, "23"); // uadd8: where it carries
    expect(0xe621_0f92, bytes, "13", 0x8000_7f03, "13"); // qadd8
    expect(0xe661_0f92, bytes, "13", 0xffff_8003, "13"); // uqadd8
    expect(0xe631_0f92, bytes, "", 0x8000_4001, ""); // shadd8
    expect(0xe671_0f92, bytes, "", 0x8080_4001, ""); // uhadd8
    let halves = [0x7fff_0001, 0x0001_0002, 0];
    expect(0xe611_0f12, halves, "", 0x8000_0003, "0123"); // sadd16
    expect(0xe611_0f72, halves, "", 0x7ffe_ffff, "23"); // ssub16
    expect(0xe611_0f32, halves, "", 0x8001_0000, "0123"); // sasx: + bottom, − top
    expect(0xe651_0f52, halves, "", 0x7ffd_0002, "23"); // usax: − bottom, + top
    expect(0xe671_0f72, halves, "", 0x3fff_ffff, ""); // uhsub16
    expect(
        0xe681_0fb2,
        [0x1122_3344, 0x5566_7788, 0],
        "03",
        0x1166_7744,
        "03",
    ); // sel
    expect(
        0xe780_f211,
        [0x0010_ff00, 0x0520_00ff, 0],
        "",
        5 + 16 + 255 + 255,
        "",
    ); // usad8
    expect(0xe780_3211, [1, 0, 0xffff_ffff], "", 0, ""); // usada8
    expect(
        0xe681_0812,
        [0x1111_2222, 0x3333_4444, 0],
        "",
        0x4444_2222,
        "",
    ); // pkhbt lsl #16
    expect(
        0xe681_0852,
        [0x1111_2222, 0x3333_4444, 0],
        "",
        0x1111_3333,
        "",
    ); // pkhtb asr #16
    expect(0xe68f_0071, [0x1180_2280, 0, 0], "", 0xff80_ff80, ""); // sxtb16
    expect(
        0xe6c1_0472,
        [0xffff_ffff, 0x0100_0200, 0],
        "",
        0x0000_0001,
        "",
    ); // uxtab16 ror #8
}

#[test]
fn the_flags_are_read_and_written_as_a_register() {
    let all = "NZCVQ0123";
    expect(0xe10f_0000, [0; 3], all, 0xf80f_0010, all); // mrs r0, apsr
    expect(0xe10f_0000, [0; 3], "", 0x10, "");
    expect(0xe12c_f001, [0xa80a_ffff, 0, 0], "0V", 0, "NCQ13"); // msr apsr_nzcvqg, r1
    expect(0xe128_f001, [0x5000_0000, 0, 0], "NQ0", 0, "ZV0"); // msr apsr_nzcvq, r1
    expect(0xe324_f80f, [0; 3], "NQ0", 0, "NQ0123"); // msr apsr_g, #0xf0000
}

#[test]
fn calls_pass_arguments_by_the_aapcs() {
    // ldr ip, [sp]; add r0, r0, ip; ldr ip, [sp, #4]; sub r0, r0, ip; bx lr
    let mut machine = machine(&[
        0xe59d_c000,
        0xe080_000c,
        0xe59d_c004,
        0xe040_000c,
        0xe12f_ff1e,
    ]);
    machine.write_register(Register::SP, DATA + 64);
    assert_eq!(
        machine.call(CODE, &[1, 2, 3, 4, 50, 6], 10),
        Ok(Stop::Returned)
    );
    assert_eq!(machine.read_register(r(0)), 45);
    assert_eq!(machine.read_register(r(3)), 4);
    assert_eq!(machine.read_register(Register::SP), DATA + 56);
    machine.write_register(Register::SP, 0);
    let address = 0_u32.wrapping_sub(8);
    let fault = Fault::Outside {
        access: Access::Store,
        address,
        bytes: 4,
    };
    assert_eq!(
        machine.call(CODE, &[0; 5], 10),
        Err(RunError::Arguments { fault })
    );
}

#[test]
fn code_may_be_overwritten() {
    // str r1, [r0]; nop (about to become mov r2, #7); svc #0
    let words = [0xe580_1000_u32, 0xe320_f000, 0xef00_0000];
    let mut machine = Interpreter::new();
    machine
        .map(CODE, words.map(u32::to_le_bytes).concat(), Permissions::ALL)
        .unwrap();
    machine.write_register(Register::PC, CODE + 4);
    assert_eq!(machine.run(10), Ok(Stop::Exited));
    machine.write_register(Register::PC, CODE);
    machine.write_register(r(0), CODE + 4);
    machine.write_register(r(1), 0xe3a0_2007);
    assert_eq!(machine.run(10), Ok(Stop::Exited));
    assert_eq!(machine.read_register(r(2)), 7);
    machine
        .write_bytes(CODE + 4, &0xe3a0_2008_u32.to_le_bytes())
        .unwrap();
    machine.write_register(Register::PC, CODE + 4);
    assert_eq!(machine.run(10), Ok(Stop::Exited));
    assert_eq!(machine.read_register(r(2)), 8);
}

#[test]
fn regions_must_not_meet() {
    let mut machine = machine(&[0]);
    let mut map = |base, count| machine.map(base, vec![0; count], Permissions::READ);
    assert_eq!(map(0, 0), Err(MapError::Empty { base: 0 }));
    let (base, other) = (DATA + 255, DATA);
    assert_eq!(map(base, 1), Err(MapError::Overlap { base, other }));
    let base = DATA - 1;
    assert_eq!(map(base, 2), Err(MapError::Overlap { base, other }));
    let base = Interpreter::RETURN_ADDRESS - 4;
    assert_eq!(map(base, 5), Err(MapError::TooLong { base, bytes: 5 }));
    assert_eq!(map(base, 4), Ok(()));
    assert_eq!(map(DATA + 256, 4), Ok(()));
}
