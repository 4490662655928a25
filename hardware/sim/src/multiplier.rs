//! The whole circuit (`multiplier.sv`).

use std::ffi::c_void;

use bignum::paper::memory::{address, bank};
use bignum::paper::{OPERAND_LIMBS, POINTS, PRODUCT_LIMBS};

/// Rows of sixteen digits.
const ROWS: usize = 4096;
/// Words of 32 bits in a row.
const WORDS: usize = 12;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Ports {
    reset: u8,
    in_valid: u8,
    out_ready: u8,
    in_ready: u8,
    out_valid: u8,
    phase: u8,
    in_a: [u32; WORDS],
    in_b: [u32; WORDS],
    out_digits: [u32; WORDS],
}

unsafe extern "C" {
    fn multiplier_new() -> *mut c_void;
    fn multiplier_drop(model: *mut c_void);
    fn multiplier_cycle(model: *mut c_void, ports: *mut Ports);
    fn multiplier_word(model: *const c_void, processor: i32, bank: u32, address: u32) -> u64;
}

/// The circuit, powered on.
pub struct Multiplier(*mut c_void);

/// Whether either side is ready in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// A row of the factors is there.
    pub offers: bool,
    /// A row of the product would be taken.
    pub takes: bool,
}

/// What a product was and took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// 24,576 limbs.
    pub limbs: Vec<u64>,
    /// Cycles from the first row of factors to the last of the product.
    pub cycles: usize,
}

impl Multiplier {
    /// After a reset.
    pub fn new() -> Self {
        // SAFETY: a constructor without arguments.
        let mut made = Self(unsafe { multiplier_new() });
        made.reset();
        made
    }

    /// A reset of one cycle, at any time.
    pub fn reset(&mut self) {
        self.cycle(&mut Ports {
            reset: 1,
            ..Ports::default()
        });
    }

    /// Begins the square of a number, and is at it for so many cycles.
    pub fn begin(&mut self, number: &[u64], cycles: usize) {
        let rows = rows(number);
        let mut ports = Ports {
            in_valid: 1,
            out_ready: 1,
            ..Ports::default()
        };
        for at in 0..cycles {
            let row = rows[at % ROWS];
            (ports.in_a, ports.in_b) = (row, row);
            self.cycle(&mut ports);
        }
    }

    /// Multiplies two numbers of up to 12,288 limbs, without a pause.
    pub fn multiply(&mut self, a: &[u64], b: &[u64]) -> Product {
        let always = Flow {
            offers: true,
            takes: true,
        };
        self.multiply_watched(a, b, || always, |_, _| ())
    }

    /// The same with pauses, and with a look at the memories after each stage: `watch` gets the
    /// circuit and the stage, 0 to 7.
    ///
    /// # Panics
    /// If a factor is longer, or the circuit never ends.
    pub fn multiply_watched(
        &mut self,
        a: &[u64],
        b: &[u64],
        mut flow: impl FnMut() -> Flow,
        mut watch: impl FnMut(&Self, usize),
    ) -> Product {
        assert!(
            a.len().max(b.len()) <= OPERAND_LIMBS,
            "factors of {} and {} limbs",
            a.len(),
            b.len()
        );
        let (a, b) = (rows(a), rows(b));
        let mut product = Vec::with_capacity(ROWS);
        let (mut sent, mut cycles, mut phase) = (0, 0, 8);
        let mut ports = Ports::default();
        while product.len() < ROWS {
            let flow = flow();
            let row = if sent < ROWS { sent } else { 0 };
            ports.in_valid = u8::from(flow.offers && sent < ROWS);
            ports.out_ready = u8::from(flow.takes);
            (ports.in_a, ports.in_b) = (a[row], b[row]);
            self.cycle(&mut ports);
            cycles += usize::from(sent > 0 || ports.in_valid == 1);
            sent += usize::from(ports.in_valid & ports.in_ready);
            if ports.out_valid & ports.out_ready == 1 {
                product.push(ports.out_digits);
            }
            if ports.phase != phase {
                if phase < 8 {
                    watch(self, phase.into());
                }
                phase = ports.phase;
            }
            assert!(cycles < 100 * POINTS, "the circuit does not end");
        }
        Product {
            limbs: limbs(&product),
            cycles,
        }
    }

    /// What lies at a position in the memories of the first (0) or second (1) processor.
    pub fn word(&self, processor: usize, position: usize) -> u64 {
        let (bank, address) = (bank(position) as u32, address(position) as u32);
        // SAFETY: the model lives, and bank and address are within its memories.
        unsafe { multiplier_word(self.0, processor as i32, bank, address) }
    }

    fn cycle(&mut self, ports: &mut Ports) {
        // SAFETY: the model lives, and `Ports` is laid out as in the shim.
        unsafe { multiplier_cycle(self.0, ports) };
    }
}

impl Default for Multiplier {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Multiplier {
    fn drop(&mut self) {
        // SAFETY: `new` made it, and nobody else has it.
        unsafe { multiplier_drop(self.0) }
    }
}

/// A number in rows of 384 bits.
fn rows(limbs: &[u64]) -> Vec<[u32; WORDS]> {
    let word = |at: usize| {
        let limb = limbs.get(at / 2).copied().unwrap_or(0);
        (limb >> (32 * (at % 2))) as u32
    };
    let row = |row: usize| std::array::from_fn(|at| word(WORDS * row + at));
    (0..ROWS).map(row).collect()
}

fn limbs(rows: &[[u32; WORDS]]) -> Vec<u64> {
    let words: Vec<u32> = rows.iter().flatten().copied().collect();
    let pairs = words
        .chunks(2)
        .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
    let limbs: Vec<u64> = pairs.collect();
    debug_assert_eq!(limbs.len(), PRODUCT_LIMBS);
    limbs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::unpack;

    #[test]
    fn rows_hold_digits() {
        let number: Vec<u64> = (1..=OPERAND_LIMBS as u64)
            .map(|at| at * 0x0123_4567_89AB)
            .collect();
        let digits = unpack(&rows(&number)[0]);
        assert_eq!(
            u64::from(digits[0]) | u64::from(digits[1]) << 24,
            number[0] & 0xFFFF_FFFF_FFFF
        );
        let mut back = limbs(&rows(&number));
        back.truncate(OPERAND_LIMBS);
        assert_eq!(back, number);
    }
}
