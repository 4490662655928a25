//! Our circuit (`engine.sv`), with 16, 32 or 64 lanes.

use std::ffi::c_void;

use bignum::paper::{OPERAND_LIMBS, PRODUCT_LIMBS};

use crate::command::ROWS;
use crate::{Command, Flow, Lanes};

/// Words of 32 bits in a row of 32 digits of 24 bits.
const WORDS: usize = 24;

#[repr(C)]
#[derive(Clone, Copy)]
struct Ports {
    reset: u8,
    command_valid: u8,
    command: u8,
    slot: u8,
    in_valid: u8,
    out_ready: u8,
    command_ready: u8,
    in_ready: u8,
    out_valid: u8,
    wrong: u8,
    round: u8,
    stage: u8,
    pass: u8,
    in_a: [u32; WORDS],
    in_b: [u32; WORDS],
    out_digits: [u32; 2 * WORDS],
}

impl Default for Ports {
    fn default() -> Self {
        // SAFETY: integers, of which every one may be zero.
        unsafe { std::mem::zeroed() }
    }
}

macro_rules! circuits {
    ($($lanes:ident: $new:ident, $drop:ident, $cycle:ident;)*) => {
        unsafe extern "C" {
            $(
                fn $new() -> *mut c_void;
                fn $drop(model: *mut c_void);
                fn $cycle(model: *mut c_void, ports: *mut Ports);
            )*
        }

        impl Lanes {
            fn model(self) -> *mut c_void {
                // SAFETY: constructors without arguments.
                unsafe { match self { $(Self::$lanes => $new(),)* } }
            }

            fn drop(self, model: *mut c_void) {
                // SAFETY: `model` is what `Self::model` made, and nobody else has it.
                unsafe { match self { $(Self::$lanes => $drop(model),)* } }
            }

            fn cycle(self, model: *mut c_void, ports: &mut Ports) {
                // SAFETY: the model lives, and `Ports` is laid out as in the shim.
                unsafe { match self { $(Self::$lanes => $cycle(model, ports),)* } }
            }
        }
    };
}

circuits! {
    Sixteen: engine_16_new, engine_16_drop, engine_16_cycle;
    ThirtyTwo: engine_32_new, engine_32_drop, engine_32_cycle;
    SixtyFour: engine_64_new, engine_64_drop, engine_64_cycle;
}

/// What a command gave and took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// 24,576 limbs, of a modular product 12,288; of what is kept, none.
    pub limbs: Vec<u64>,
    /// Cycles from the command to the last row of the product, and until the next command can come.
    pub cycles: usize,
    /// Sums came a first time only to decide carries.
    pub decided: bool,
    /// The modulus in the slots was none.
    pub wrong: bool,
}

/// The circuit, powered on.
pub struct Engine {
    model: *mut c_void,
    lanes: Lanes,
}

// SAFETY: a model is one structure that nobody else has, and it knows of no thread.
unsafe impl Send for Engine {}

impl Engine {
    /// After a reset.
    pub fn new(lanes: Lanes) -> Self {
        let mut made = Self {
            model: lanes.model(),
            lanes,
        };
        made.reset();
        made
    }

    /// A reset of one cycle, at any time. What slots keep stays.
    pub fn reset(&mut self) {
        self.cycle(&mut Ports {
            reset: 1,
            ..Ports::default()
        });
    }

    /// Begins a command with the same number for both operands, and is at it for so many cycles.
    pub fn begin(&mut self, command: Command, number: &[u64], cycles: usize) {
        let rows = rows(number);
        let (code, slot) = command.code();
        let mut ports = Ports {
            command_valid: 1,
            command: code,
            slot,
            in_valid: 1,
            out_ready: 1,
            ..Ports::default()
        };
        let mut sent = 0;
        for _ in 0..cycles {
            (ports.in_a, ports.in_b) = (rows[sent % ROWS], rows[sent % ROWS]);
            self.cycle(&mut ports);
            ports.command_valid = 0;
            sent += usize::from(ports.in_ready);
        }
    }

    /// Carries a command out, without a pause.
    pub fn run(&mut self, command: Command, a: &[u64], b: &[u64]) -> Outcome {
        let always = Flow {
            offers: true,
            takes: true,
        };
        self.run_with(command, a, b, || always)
    }

    /// The same, with pauses.
    ///
    /// # Panics
    /// If an operand is longer than 12,288 limbs, or the circuit never ends.
    pub fn run_with(
        &mut self,
        command: Command,
        a: &[u64],
        b: &[u64],
        mut flow: impl FnMut() -> Flow,
    ) -> Outcome {
        assert!(a.len().max(b.len()) <= OPERAND_LIMBS);
        let (a, b) = (rows(a), rows(b));
        let (code, slot) = command.code();
        let mut ports = Ports {
            command_valid: 1,
            command: code,
            slot,
            ..Ports::default()
        };
        self.cycle(&mut ports);
        assert_eq!(ports.command_ready, 1, "the circuit is at something else");
        ports.command_valid = 0;
        let (mut sent, mut cycles, mut decided, mut offered) = (0, 1, false, false);
        let mut product = Vec::new();
        loop {
            let flow = flow();
            // What is offered stays until it is taken.
            offered = sent < command.rows() && (offered || flow.offers);
            ports.in_valid = offered.into();
            ports.out_ready = flow.takes.into();
            let row = sent.min(ROWS - 1);
            (ports.in_a, ports.in_b) = if offered {
                (a[row], b[row])
            } else {
                ([0x5555_5555; WORDS], [0xAAAA_AAAA; WORDS])
            };
            self.cycle(&mut ports);
            if ports.command_ready == 1 {
                break;
            }
            cycles += 1;
            decided |= ports.stage == 5 && ports.pass == 1;
            if ports.in_valid & ports.in_ready == 1 {
                sent += 1;
                offered = false;
            }
            if ports.out_valid & ports.out_ready == 1 {
                product.push(ports.out_digits);
            }
            assert!(cycles < 1_000_000, "the circuit does not end");
        }
        assert_eq!(sent, command.rows(), "rows taken");
        let mut limbs = limbs(&product);
        if matches!(command, Command::Modular | Command::ModularSquare) {
            assert!(limbs[OPERAND_LIMBS..].iter().all(|&limb| limb == 0));
            limbs.truncate(OPERAND_LIMBS);
        }
        Outcome {
            limbs,
            cycles,
            decided,
            wrong: ports.wrong == 1,
        }
    }

    fn cycle(&mut self, ports: &mut Ports) {
        self.lanes.cycle(self.model, ports);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.lanes.drop(self.model);
    }
}

fn rows(number: &[u64]) -> Vec<[u32; WORDS]> {
    let digit = |at: usize| {
        let bit = 24 * at;
        let limb = |at: usize| number.get(at).copied().unwrap_or(0);
        let both = u128::from(limb(bit / 64)) | u128::from(limb(bit / 64 + 1)) << 64;
        (both >> (bit % 64)) as u32 & 0xFF_FFFF
    };
    let row = |t: usize| {
        let mut bytes = [0; 4 * WORDS];
        for n in 0..32 {
            bytes[3 * n..][..3].copy_from_slice(&digit(t + ROWS * n).to_le_bytes()[..3]);
        }
        std::array::from_fn(|at| {
            u32::from_le_bytes(std::array::from_fn(|byte| bytes[4 * at + byte]))
        })
    };
    (0..ROWS).map(row).collect()
}

fn limbs(rows: &[[u32; 2 * WORDS]]) -> Vec<u64> {
    if rows.is_empty() {
        return Vec::new();
    }
    assert_eq!(rows.len(), ROWS);
    let mut bytes = vec![0; 8 * PRODUCT_LIMBS];
    for (t, row) in rows.iter().enumerate() {
        let row: Vec<u8> = row.iter().flat_map(|word| word.to_le_bytes()).collect();
        for n in 0..64 {
            bytes[3 * (t + ROWS * n)..][..3].copy_from_slice(&row[3 * n..][..3]);
        }
    }
    let words = bytes.chunks_exact(8);
    words
        .map(|bytes| u64::from_le_bytes(std::array::from_fn(|at| bytes[at])))
        .collect()
}
