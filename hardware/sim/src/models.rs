//! Models by their C interface (`shim/shim.cpp`). Every method is one cycle: what comes out is what
//! the outputs were before the clock's edge.

use std::ffi::c_void;

macro_rules! model {
    ($(#[$doc:meta])* $name:ident: $new:ident, $drop:ident) => {
        $(#[$doc])*
        pub struct $name(*mut c_void);

        impl $name {
            /// The unit with registers of any content.
            pub fn new() -> Self {
                // SAFETY: a constructor without arguments.
                Self(unsafe { $new() })
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: `new` made it, and nobody else has it.
                unsafe { $drop(self.0) }
            }
        }
    };
}

unsafe extern "C" {
    fn radix_16_new() -> *mut c_void;
    fn radix_16_drop(model: *mut c_void);
    fn radix_16_cycle(model: *mut c_void, inverse: u8, turned: u8, x: *const u64, y: *mut u64);
    fn sum_16_new() -> *mut c_void;
    fn sum_16_drop(model: *mut c_void);
    fn sum_16_cycle(model: *mut c_void, rows: *const u64, sum: *mut u64);
    fn radix_4_new() -> *mut c_void;
    fn radix_4_drop(model: *mut c_void);
    fn radix_4_cycle(model: *mut c_void, inverse: u8, x: *const u64, y: *mut u32);
    fn turned_residue_new() -> *mut c_void;
    fn turned_residue_drop(model: *mut c_void);
    fn turned_residue_cycle(model: *mut c_void, turn: u8, scale: u8, x: *const u32) -> u64;
    fn normalize_new() -> *mut c_void;
    fn normalize_drop(model: *mut c_void);
    fn normalize_cycle(model: *mut c_void, x: *const u64) -> u64;
    fn multiply_new() -> *mut c_void;
    fn multiply_drop(model: *mut c_void);
    fn multiply_cycle(model: *mut c_void, a: u64, b: u64) -> u64;
    fn carry_unit_new() -> *mut c_void;
    fn carry_unit_drop(model: *mut c_void);
    fn carry_unit_cycle(
        model: *mut c_void,
        clear: u8,
        take: u8,
        give: u8,
        sums: *const u64,
        digits: *mut u32,
    );
}

model! {
    /// `radix_16.sv`.
    Radix16: radix_16_new, radix_16_drop
}
model! {
    /// `sum_16.sv`.
    Sum16: sum_16_new, sum_16_drop
}
model! {
    /// `radix_4.sv`.
    Radix4: radix_4_new, radix_4_drop
}
model! {
    /// `turned_residue.sv`.
    TurnedResidue: turned_residue_new, turned_residue_drop
}
model! {
    /// `normalize.sv`.
    Normalize: normalize_new, normalize_drop
}
model! {
    /// `multiply.sv`.
    Multiply: multiply_new, multiply_drop
}
model! {
    /// `carry_unit.sv`.
    CarryUnit: carry_unit_new, carry_unit_drop
}

impl Radix16 {
    /// Cycles from points to results.
    pub const LATENCY: usize = 8;

    /// Takes sixteen points.
    pub fn cycle(&mut self, inverse: bool, turned: bool, x: &[u64; 16]) -> [u64; 16] {
        let mut y = [0; 16];
        // SAFETY: the ports are of 16·64 bits.
        unsafe {
            radix_16_cycle(
                self.0,
                inverse.into(),
                turned.into(),
                x.as_ptr(),
                y.as_mut_ptr(),
            )
        };
        y
    }
}

impl Sum16 {
    /// Cycles from rows to their sum.
    pub const LATENCY: usize = 4;

    /// Takes sixteen rows of 192 bits.
    pub fn cycle(&mut self, rows: &[[u64; 3]; 16]) -> [u64; 3] {
        let mut sum = [0; 3];
        // SAFETY: the ports are of 16·192 and 192 bits.
        unsafe { sum_16_cycle(self.0, rows.as_flattened().as_ptr(), sum.as_mut_ptr()) };
        sum
    }
}

impl Radix4 {
    /// Cycles from points to results.
    pub const LATENCY: usize = 2;

    /// Takes four points; results have 114 bits.
    pub fn cycle(&mut self, inverse: bool, x: &[u64; 4]) -> [u128; 4] {
        // 456 bits.
        let mut y = [0; 15];
        // SAFETY: the ports are of 4·64 and 4·114 bits.
        unsafe { radix_4_cycle(self.0, inverse.into(), x.as_ptr(), y.as_mut_ptr()) };
        std::array::from_fn(|at| {
            (0..114)
                .map(|bit| 114 * at + bit)
                .map(|bit| u128::from(y[bit / 32] >> (bit % 32) & 1))
                .rev()
                .fold(0, |number, bit| number << 1 | bit)
        })
    }
}

impl TurnedResidue {
    /// Cycles from a number to its residue.
    pub const LATENCY: usize = 4;

    /// Takes a number of 114 bits.
    pub fn cycle(&mut self, turn: u8, scale: bool, x: u128) -> u64 {
        let words: [u32; 4] = std::array::from_fn(|at| (x >> (32 * at)) as u32);
        // SAFETY: the port is of 114 bits, which are four words.
        unsafe { turned_residue_cycle(self.0, turn, scale.into(), words.as_ptr()) }
    }
}

impl Normalize {
    /// Cycles from a number to its residue.
    pub const LATENCY: usize = 3;

    /// Takes a number of 192 bits.
    pub fn cycle(&mut self, x: &[u64; 3]) -> u64 {
        // SAFETY: the port is of 192 bits.
        unsafe { normalize_cycle(self.0, x.as_ptr()) }
    }
}

impl Multiply {
    /// Cycles from factors to their product.
    pub const LATENCY: usize = 4;

    /// Takes two residues.
    pub fn cycle(&mut self, a: u64, b: u64) -> u64 {
        // SAFETY: the model lives.
        unsafe { multiply_cycle(self.0, a, b) }
    }
}

impl CarryUnit {
    /// Cycles from sums to digits.
    pub const LATENCY: usize = 2;

    /// Takes sixteen sums, if it `take`s, and gives the digits of those before, if it `give`s.
    pub fn cycle(&mut self, clear: bool, take: bool, give: bool, sums: &[u64; 16]) -> [u32; 16] {
        let mut packed = [0; 12];
        let flags = [clear, take, give].map(u8::from);
        // SAFETY: the ports are of 16·64 and 16·24 bits.
        unsafe {
            carry_unit_cycle(
                self.0,
                flags[0],
                flags[1],
                flags[2],
                sums.as_ptr(),
                packed.as_mut_ptr(),
            );
        }
        unpack(&packed)
    }
}

/// Sixteen digits of 24 bits from words of 32, the lowest first.
pub(crate) fn unpack(words: &[u32; 12]) -> [u32; 16] {
    std::array::from_fn(|at| {
        let bit = 24 * at;
        let low = u64::from(words[bit / 32]) >> (bit % 32);
        let high = words
            .get(bit / 32 + 1)
            .map_or(0, |&word| u64::from(word) << (32 - bit % 32));
        ((low | high) & 0xFF_FFFF) as u32
    })
}
