//! What the paper printed: V. Santhosh Kumar and R. Mohan, Fully homomorphic encryption using low
//! power multiplier, IJERA 5(1), 2015, tables I and IV; the same figures as in W. Wang, X. Huang,
//! N. Emmart, C. Weems, VLSI design of a large-number multiplier for fully homomorphic encryption,
//! IEEE TVLSI 22(9), 2014.

use serde::Serialize;

pub(super) const TITLE: &str = "Fully Homomorphic Encryption Using Low Power Multiplier";
pub(super) const SOURCE: &str = "V. Santhosh Kumar, R. Mohan, IJERA 5(1), 2015 (in substance W. Wang, X. Huang, \
     N. Emmart, C. Weems, IEEE TVLSI 22(9), 2014)";

/// Bits of a factor.
pub(super) const BITS: usize = 786_432;

/// A row of table I: an instruction and how many of it a modular product takes, by interleaved
/// Montgomery, by Karatsuba and by the FFT.
pub(super) type Counted = (&'static str, [u64; 3]);

/// Table I. Its fourth row is printed as "ddl/dsll".
pub(super) const COUNTS: [Counted; 8] = [
    ("dmultu", [302_002_176, 26_138_787, 2_083_530]),
    ("mflo/mfhi", [603_992_064, 52_277_574, 4_167_060]),
    ("daddu/dsubu", [1_207_898_112, 249_505_992, 49_345_563]),
    ("dsll/dsrl", [0, 0, 14_112_477]),
    ("and/or", [0, 0, 4_639_830]),
    ("sltu", [603_942_912, 155_445_660, 25_947_906]),
    ("movz/movn", [0, 0, 25_947_906]),
    ("load_immediate", [0, 0, 1_886_934]),
];

/// Its last row, in millions.
pub(super) const TOTALS: [f64; 3] = [2718.0, 483.4, 128.1];

/// A row of table IV.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Computer {
    pub(super) name: &'static str,
    pub(super) milliseconds: f64,
    /// As printed.
    pub(super) speedup: f64,
}

/// Table IV.
pub(super) const COMPUTERS: [Computer; 3] = [
    Computer {
        name: "Intel Xeon X5650, GMP, 2.67 GHz",
        milliseconds: 6.0,
        speedup: 1.0,
    },
    Computer {
        name: "NVIDIA Tesla C2050, without transfers",
        milliseconds: 0.42,
        speedup: 14.5,
    },
    Computer {
        name: "the paper's circuit, 90 nm, 200 MHz",
        milliseconds: 0.206,
        speedup: 29.0,
    },
];

/// The software that everything is compared with.
pub(super) const BASELINE: f64 = COMPUTERS[0].milliseconds;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_the_sums_of_the_rows() {
        for (column, printed) in TOTALS.iter().enumerate() {
            let sum: u64 = COUNTS.iter().map(|(_, counts)| counts[column]).sum();
            let millions = sum as f64 / 1e6;
            // The first is printed larger than its rows by 0.16 million.
            assert!((millions - printed).abs() < 0.2, "{millions} and {printed}");
        }
    }

    #[test]
    fn speedups_are_of_the_times() {
        for computer in COMPUTERS {
            let ratio = BASELINE / computer.milliseconds;
            assert!((ratio / computer.speedup - 1.0).abs() < 0.02, "{ratio}");
        }
    }
}
