//! Names for what is not decoded, so that an error can say what stood there.
//!
//! One table, searched from the top; the first row that fits names the word. It is consulted only
//! on the way to an error. Rows are written in the order of DDI 0406C §A5 (and §F of DDI 0487 for
//! what ARMv8 added); a class of many instructions has one name.

use crate::error::DecodeError;

/// A row: the word belongs to the class where `word & mask == value`.
struct Class {
    mask: u32,
    value: u32,
    name: &'static str,
}

const fn class(mask: u32, value: u32, name: &'static str) -> Class {
    Class { mask, value, name }
}

/// The space with condition `1111`.
const UNCONDITIONAL: &[Class] = &[
    class(0xfe00_0000, 0xf200_0000, "neon"),
    class(0xff10_0000, 0xf400_0000, "neon load or store"),
    class(0xffff_fff0, 0xf57f_f070, "sb"),
    class(0xfff1_0020, 0xf100_0000, "cps"),
    class(0xffff_00f0, 0xf101_0000, "setend"),
    class(0xfff0_00f0, 0xf110_0000, "setpan"),
    class(0xfe50_0000, 0xf840_0000, "srs"),
    class(0xfe50_0000, 0xf810_0000, "rfe"),
    class(0xff00_0e00, 0xfe00_0a00, "vfp"),
    class(0xff00_0f00, 0xfe00_0900, "vfp of halves"),
    class(0xff00_0e00, 0xfe00_0800, "neon"),
    class(0xfe00_0e00, 0xfc00_0800, "neon"),
    class(0xff00_0010, 0xfe00_0000, "cdp2"),
    class(0xff10_0010, 0xfe00_0010, "mcr2"),
    class(0xff10_0010, 0xfe10_0010, "mrc2"),
    class(0xfff0_0000, 0xfc40_0000, "mcrr2"),
    class(0xfff0_0000, 0xfc50_0000, "mrrc2"),
    class(0xffe0_0000, 0xfc00_0000, ""),
    class(0xfe10_0000, 0xfc00_0000, "stc2"),
    class(0xfe10_0000, 0xfc10_0000, "ldc2"),
];

/// Everything under a condition. An empty name stands for a hole among its neighbours.
const CONDITIONAL: &[Class] = &[
    // Multiplications and synchronization: 000x xxxx … 1001.
    class(0x0e00_00f0, 0x0000_0090, ""),
    // Miscellaneous: 0001 0xx0.
    class(0x0fb0_02f0, 0x0100_0200, "mrs of a banked register"),
    class(0x0fb0_02f0, 0x0120_0200, "msr of a banked register"),
    class(0x0fb0_00f0, 0x0100_0000, "mrs of a saved status register"),
    class(0x0ff0_00f0, 0x0160_0000, "msr to a saved status register"),
    class(0x0ff0_00f0, 0x0120_0000, "msr to control bits"),
    class(0x0ff0_00f0, 0x0120_0020, "bxj"),
    class(0x0f90_00f0, 0x0100_0040, "crc32"),
    class(0x0ff0_00f0, 0x0160_0060, "eret"),
    class(0x0ff0_00f0, 0x0100_0070, "hlt"),
    class(0x0ff0_00f0, 0x0140_0070, "hvc"),
    class(0x0ff0_00f0, 0x0160_0070, "smc"),
    // Hints and MSR with an immediate.
    class(0x0fff_0000, 0x0320_0000, "hint"),
    class(0x0ff0_0000, 0x0360_0000, "msr to a saved status register"),
    class(0x0ff0_0000, 0x0320_0000, "msr to control bits"),
    class(0x0f90_0000, 0x0100_0000, ""),
    // Data processing reaches this table only as `…s pc, …`.
    class(0x0c00_0000, 0x0000_0000, "exception return"),
    // Media, which shares its rows with register offsets.
    class(0x0e00_0010, 0x0600_0010, ""),
    // Blocks reach this table only with the user bit.
    class(
        0x0e10_0000,
        0x0810_0000,
        "ldm with user registers or exception return",
    ),
    class(0x0e10_0000, 0x0800_0000, "stm with user registers"),
    // Coprocessors; 9 (half precision), 10 and 11 are the floating-point unit.
    class(0x0ff0_0f10, 0x0ef0_0a10, "vmrs of a system register"),
    class(0x0ff0_0f10, 0x0ee0_0a10, "vmsr of a system register"),
    class(0x0f00_0f10, 0x0e00_0b10, "neon"),
    class(0x0fbf_0fd0, 0x0eb9_0bc0, "vjcvt"),
    class(0x0f90_0f01, 0x0c90_0b01, "fldmx"),
    class(0x0f90_0f01, 0x0c80_0b01, "fstmx"),
    class(0x0fb0_0f01, 0x0d30_0b01, "fldmx"),
    class(0x0fb0_0f01, 0x0d20_0b01, "fstmx"),
    class(0x0c00_0e00, 0x0c00_0a00, "vfp"),
    class(0x0c00_0f00, 0x0c00_0900, "vfp of halves"),
    class(0x0ff0_0000, 0x0c40_0000, "mcrr"),
    class(0x0ff0_0000, 0x0c50_0000, "mrrc"),
    class(0x0fe0_0000, 0x0c00_0000, ""),
    class(0x0e10_0000, 0x0c00_0000, "stc"),
    class(0x0e10_0000, 0x0c10_0000, "ldc"),
    class(0x0f00_0010, 0x0e00_0000, "cdp"),
    class(0x0f10_0010, 0x0e00_0010, "mcr"),
    class(0x0f10_0010, 0x0e10_0010, "mrc"),
];

/// The error for a word that the decoding tree has no place for.
pub(super) fn refuse(word: u32) -> DecodeError {
    if word & 0xfe00_0000 == 0xfa00_0000 {
        return DecodeError::Thumb { word };
    }
    let table = if word >> 28 == 15 {
        UNCONDITIONAL
    } else {
        CONDITIONAL
    };
    match table.iter().find(|class| word & class.mask == class.value) {
        Some(Class { name, .. }) if !name.is_empty() => DecodeError::Unsupported {
            word,
            mnemonic: name,
        },
        _ => DecodeError::Undefined { word },
    }
}
