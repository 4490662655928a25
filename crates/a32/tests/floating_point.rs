//! What floating-point instructions do, by known answers from the architecture manual: rounding,
//! flushing, NaNs, and what FPSCR takes.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blindcore_a32::{Fault, FloatWord, Interpreter, Permissions, Register, RunError};

/// A machine about to carry out one instruction.
fn machine(word: u32) -> Interpreter {
    const CODE: u32 = 0x8000;
    let mut machine = Interpreter::new();
    let code = word.to_le_bytes().to_vec();
    machine.map(CODE, code, Permissions::READ_EXECUTE).unwrap();
    machine.write_register(Register::PC, CODE);
    machine
}

/// The single number of `s0` after an instruction on `s1` and `s2`, and FPSCR.
fn float_after(word: u32, status: u32, [s1, s2]: [u32; 2]) -> (u32, u32) {
    let mut machine = machine(word);
    let s = |number| FloatWord::new(number).unwrap();
    machine.write_float_word(s(1), s1);
    machine.write_float_word(s(2), s2);
    machine.write_float_status(status).unwrap();
    assert_eq!(machine.step(), Ok(None), "{word:#010x}");
    (machine.read_float_word(s(0)), machine.read_float_status())
}

#[test]
fn floating_point_rounds_flushes_and_keeps_nans_as_the_manual_says() {
    let [vadd, vdiv, vmul, vsqrt] = [0xee30_0a81, 0xee80_0a81, 0xee20_0a81, 0xeeb1_0ae0];
    let (inexact, underflow, invalid) = (1 << 4, 1 << 3, 1);
    let one = 1.0_f32.to_bits();
    let third = 1.0_f32 / 3.0;
    let three = 3.0_f32.to_bits();
    assert_eq!(float_after(vadd, 0, [one, three]), (4.0_f32.to_bits(), 0));
    assert_eq!(
        float_after(vdiv, 0, [one, three]),
        (third.to_bits(), inexact)
    );
    // Up, down, towards zero: a third is rounded up to the nearest.
    for (mode, result) in [
        (1, third.to_bits()),
        (2, third.to_bits() - 1),
        (3, third.to_bits() - 1),
    ] {
        let status = mode << 22;
        assert_eq!(
            float_after(vdiv, status, [one, three]),
            (result, status | inexact)
        );
    }
    assert_eq!(float_after(vdiv, 0, [one, 0]), (0x7f80_0000, 1 << 1));
    assert_eq!(
        float_after(vsqrt, 0, [one | 1 << 31, 0]),
        (0x7fc0_0000, invalid)
    );
    // The least normal number less a little, times 1 - 2^-24: rounded it would be normal, but it is
    // tiny before that.
    let (least, below_one) = (0x0080_0000, 0x3f7f_ffff);
    let tiny = float_after(vmul, 0, [least, below_one]);
    assert_eq!(tiny, (least, inexact | underflow));
    let flush = 1 << 24;
    assert_eq!(
        float_after(vmul, flush, [least, below_one]),
        (0, flush | underflow)
    );
    assert_eq!(float_after(vadd, flush, [1, one]), (one, flush | 1 << 7));
    // A signaling NaN goes before a quiet one; with DN neither is kept.
    let (quiet, signaling) = (0xffc0_1234, 0x7f80_0005);
    assert_eq!(
        float_after(vadd, 0, [quiet, signaling]),
        (0x7fc0_0005, invalid)
    );
    assert_eq!(float_after(vadd, 0, [quiet, one]), (quiet, 0));
    let default_nan = 1 << 25;
    assert_eq!(
        float_after(vadd, default_nan, [quiet, one]),
        (0x7fc0_0000, default_nan)
    );
}

#[test]
fn a_write_to_fpscr_keeps_what_it_has_and_refuses_short_vectors() {
    // vmsr fpscr, r1
    let write = |status| {
        let mut machine = machine(0xeee1_1a10);
        machine.write_register(Register::new(1).unwrap(), status);
        machine.step().map(|_| machine.read_float_status())
    };
    assert_eq!(write(0xffc8_ffff), Ok(0xffc0_009f));
    for status in [1 << 16, 1 << 20] {
        let Err(RunError::Fault { fault, .. }) = write(status) else {
            panic!("{status:#x} is accepted");
        };
        assert_eq!(fault, Fault::ShortVectors { status });
    }
}
