//! The floating-point side of a state, as `guest.c` makes it.

use crate::record::{DOUBLES, SPECIALS, next};

/// The bits of FPSCR that are compared: flags and mode.
pub(crate) const STATUS: u32 = 0xffc0_009f;

/// The floating-point registers and FPSCR of the next state.
pub(crate) fn state(mode: u32, random: &mut u32) -> [u32; 65] {
    let doubles = mode & DOUBLES != 0;
    let mut words = [0; 65];
    for i in 0..64 {
        let x = next(random);
        words[i] = match (doubles, i % 2) {
            (false, _) => number(x, if i > 0 { words[i - 1] } else { 0 }, false, mode),
            (true, 1) => number(x, if i > 1 { words[i - 2] } else { 0 }, true, mode),
            _ => match x & 3 {
                3 => 0,
                1 => u32::MAX << (x >> 27),
                _ => x,
            },
        };
    }
    let x = next(random);
    let status = if x & 1 == 1 { 0 } else { x & 0x07c0_0000 };
    let exceptions = if x & 2 == 2 { 0 } else { x >> 3 & 0x9f };
    words[64] = status | x << 8 & 0xf800_0000 | exceptions;
    words
}

/// The high word of a double, or a single: special numbers, few bits around 1, neighbours and
/// negatives of the word before, any others. With mode SPECIALS the first of these only.
fn number(x: u32, before: u32, high: bool, mode: u32) -> u32 {
    const SPECIAL: [u32; 16] = [
        0,
        0x8000_0000,
        1,
        0x007f_ffff,
        0x0080_0000,
        0x8080_0001,
        0x3f80_0000,
        0xbf80_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        0xffa1_2345,
        0x4f00_0000,
        0x3400_0000,
    ];
    const SPECIAL_HIGH: [u32; 16] = [
        0,
        0x8000_0000,
        1,
        0x000f_ffff,
        0x0010_0000,
        0x8010_0001,
        0x3ff0_0000,
        0xbff0_0000,
        0x7fef_ffff,
        0x7ff0_0000,
        0xfff0_0000,
        0x7ff8_0000,
        0x7ff0_0001,
        0xfff4_1234,
        0x41e0_0000,
        0x3810_0000,
    ];
    let (one, step, room): (u32, u32, u32) = if high {
        (0x3ff0_0000, 20, 4)
    } else {
        (0x3f80_0000, 23, 7)
    };
    let fraction = (x >> 8 & 0xffff) << room;
    match x >> 29 {
        _ if mode & SPECIALS != 0 && high => SPECIAL_HIGH[(x & 15) as usize],
        _ if mode & SPECIALS != 0 => SPECIAL[(x & 15) as usize],
        0 if high => SPECIAL_HIGH[(x & 15) as usize],
        0 => SPECIAL[(x & 15) as usize],
        1 => before ^ (x & 0x8000_0001),
        2 => one.wrapping_add((x & 7) << step).wrapping_add(fraction),
        3 => (one ^ 0x8000_0000)
            .wrapping_sub((x & 31) << step)
            .wrapping_add(fraction),
        4 => one
            .wrapping_add((x & 63) << step)
            .wrapping_add(fraction & x),
        _ => x.wrapping_mul(0x9e37_79b1),
    }
}
