//! Carries of 64 segments (`carries.sv`).

use std::ffi::c_void;

use crate::Lanes;

/// Sums of a segment.
const ROWS: usize = 1024;
/// Sums of each segment that its first carry is estimated by.
const ESTIMATED: usize = 4;

#[repr(C)]
#[derive(Clone, Copy)]
struct Ports {
    clear: u8,
    start: u8,
    pass_on: u8,
    estimate: u8,
    exact: u8,
    take: u8,
    beat: u8,
    unsure: u8,
    exceeds: u8,
    there: u8,
    there_beat: u8,
    sums: [u64; 64],
    added: [u32; 48],
    digits: [u32; 48],
}

unsafe extern "C" {
    fn carries_16_new() -> *mut c_void;
    fn carries_16_drop(model: *mut c_void);
    fn carries_16_cycle(model: *mut c_void, ports: *mut Ports);
    #[cfg(feature = "whole")]
    fn carries_64_new() -> *mut c_void;
    #[cfg(feature = "whole")]
    fn carries_64_drop(model: *mut c_void);
    #[cfg(feature = "whole")]
    fn carries_64_cycle(model: *mut c_void, ports: *mut Ports);
}

/// `carries.sv`, for 16 lanes or 64.
pub struct Carries {
    model: *mut c_void,
    drop: unsafe extern "C" fn(*mut c_void),
    cycle: unsafe extern "C" fn(*mut c_void, *mut Ports),
    lanes: usize,
}

/// Sums turned into digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    /// 65,536 of 24 bits.
    pub digits: Vec<u32>,
    /// The estimate was not enough.
    pub decided: bool,
    /// The sum has more digits.
    pub exceeds: bool,
}

impl Carries {
    /// With registers of any content.
    ///
    /// # Panics
    /// If there is no model with so many lanes.
    pub fn new(lanes: Lanes) -> Self {
        match lanes {
            Lanes::Sixteen => Self {
                // SAFETY: a constructor without arguments.
                model: unsafe { carries_16_new() },
                drop: carries_16_drop,
                cycle: carries_16_cycle,
                lanes: 16,
            },
            #[cfg(feature = "whole")]
            Lanes::SixtyFour => Self {
                // SAFETY: a constructor without arguments.
                model: unsafe { carries_64_new() },
                drop: carries_64_drop,
                cycle: carries_64_cycle,
                lanes: 64,
            },
            _ => panic!("no model with {lanes:?} lanes: the feature `whole` has more"),
        }
    }

    /// The digits of sums and of digits that are added, 65,536 each, as the engine asks for them.
    pub fn run(&mut self, sums: &[u64], added: &[u32], exact: bool) -> Digits {
        let mut ports = self.idle(exact);
        (ports.clear, ports.start) = (1, 1);
        self.step(&mut ports);
        self.give(sums, added, exact, ROWS - ESTIMATED);

        let mut ports = self.idle(exact);
        (ports.pass_on, ports.estimate) = (1, 1);
        self.step(&mut ports);
        let decided = ports.unsure == 1;
        if decided {
            self.start(exact);
            self.give(sums, added, exact, 0);
            let mut ports = self.idle(exact);
            ports.pass_on = 1;
            self.step(&mut ports);
        }
        self.start(exact);
        let digits = self.give(sums, added, exact, 0);
        let mut ports = self.idle(exact);
        self.step(&mut ports);
        Digits {
            digits,
            decided,
            exceeds: ports.exceeds == 1,
        }
    }

    fn start(&mut self, exact: bool) {
        let mut ports = self.idle(exact);
        ports.start = 1;
        self.step(&mut ports);
    }

    /// Brings rows from one on, and two cycles of nothing; digits by their positions.
    fn give(&mut self, sums: &[u64], added: &[u32], exact: bool, first: usize) -> Vec<u32> {
        let beats = 64 / self.lanes;
        let mut digits = vec![0; 64 * ROWS];
        let mut row_there = first;
        for at in 0..(ROWS - first) * beats + 2 {
            let (row, beat) = (first + at / beats, at % beats);
            let mut ports = self.idle(exact);
            if row < ROWS {
                ports.take = 1;
                ports.beat = beat as u8;
                let mut bytes = [0; 192];
                for lane in 0..self.lanes {
                    let position = row + ROWS * self.segment(lane, beat);
                    ports.sums[lane] = sums[position];
                    bytes[3 * lane..][..3].copy_from_slice(&added[position].to_le_bytes()[..3]);
                }
                ports.added = words(&bytes);
            }
            self.step(&mut ports);
            if ports.there == 1 {
                let beat = usize::from(ports.there_beat);
                let bytes: Vec<u8> = ports
                    .digits
                    .iter()
                    .flat_map(|word| word.to_le_bytes())
                    .collect();
                for lane in 0..self.lanes {
                    let digit = &bytes[3 * lane..][..3];
                    digits[row_there + ROWS * self.segment(lane, beat)] =
                        u32::from_le_bytes([digit[0], digit[1], digit[2], 0]);
                }
                row_there += usize::from(beat + 1 == beats);
            }
        }
        assert_eq!(row_there, ROWS, "rows that came");
        digits
    }

    fn segment(&self, lane: usize, beat: usize) -> usize {
        if self.lanes == 16 {
            lane / 4 * 16 + beat * 4 + lane % 4
        } else {
            lane
        }
    }

    fn idle(&self, exact: bool) -> Ports {
        // SAFETY: integers, of which every one may be zero.
        let mut ports: Ports = unsafe { std::mem::zeroed() };
        ports.exact = exact.into();
        ports
    }

    fn step(&mut self, ports: &mut Ports) {
        // SAFETY: the model lives, and `Ports` is laid out as in the shim.
        unsafe { (self.cycle)(self.model, ports) };
    }
}

impl Drop for Carries {
    fn drop(&mut self) {
        // SAFETY: `new` made it, and nobody else has it.
        unsafe { (self.drop)(self.model) }
    }
}

fn words(bytes: &[u8; 192]) -> [u32; 48] {
    std::array::from_fn(|at| u32::from_le_bytes(std::array::from_fn(|byte| bytes[4 * at + byte])))
}
