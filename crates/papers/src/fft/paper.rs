//! What the paper printed: Boale Bomolo, Ntumba Badibanga, Mbuyi Mukendi, Improved bootstrapping by
//! FFT on encrypted multi operands homomorphic addition, IJEAT 11(1), October 2021, tables 1 to 3
//! and §IV-B. Measured there with the TFHE library on an Intel Core i7-5500 at 2.4 GHz, one core.

use serde::Serialize;
use tfhe::Fft;

pub(super) const TITLE: &str =
    "Improved Bootstrapping by FFT on Encrypted Multi Operands Homomorphic Addition";
pub(super) const SOURCE: &str =
    "P. Boale Bomolo, S. Ntumba Badibanga, E. Mbuyi Mukendi, IJEAT 11(1), 2021";
pub(super) const MACHINE: &str = "Intel Core i7-5500, 2.4 GHz, AVX2";
/// Numbers added in table 3.
pub(super) const OPERANDS: usize = 10;
/// Blocks of the adders in table 3.
pub(super) const BLOCKS: [usize; 4] = [4, 8, 16, 32];
/// "320 bits … about 40 bytes", and their ciphertexts.
pub(super) const CLEAR_BYTES: u64 = 40;
pub(super) const ENCRYPTED_BYTES: u64 = 795_000;

/// A row of table 1.
pub(super) struct Library {
    pub(super) name: &'static str,
    pub(super) licence: &'static str,
    pub(super) language: &'static str,
    pub(super) performance: &'static str,
    pub(super) website: &'static str,
}

pub(super) const LIBRARIES: [Library; 3] = [
    Library {
        name: "NAYUKI",
        licence: "MIT",
        language: "C and AVX",
        performance: "1",
        website: "www.nayuki.io",
    },
    Library {
        name: "SPQLIOS",
        licence: "Apache 2",
        language: "AVX and FMA",
        performance: "2 - 3",
        website: "",
    },
    Library {
        name: "FFTW3",
        licence: "GPL",
        language: "C and FORTRAN",
        performance: "1",
        website: "www.fftw.org",
    },
];

/// A column of tables 2 and 3.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Processor {
    pub(super) name: &'static str,
    /// The same processor in the TFHE library's build.
    pub(super) library_name: &'static str,
    /// Table 2, in seconds.
    pub(super) and_seconds: f64,
    /// Table 3, in seconds, in the order of [`BLOCKS`].
    pub(super) sum_seconds: [f64; 4],
}

pub(super) const PROCESSORS: [Processor; 5] = [
    FFTW3,
    NAYUKI_PORTABLE,
    Processor {
        name: "NAYUKI-AVX",
        library_name: "nayuki-avx",
        and_seconds: 0.1,
        sum_seconds: [141.0, 141.2, 141.6, 142.5],
    },
    Processor {
        name: "SPQLIOS-AVX",
        library_name: "spqlios-avx",
        and_seconds: 0.024,
        sum_seconds: [31.6, 31.9, 32.1, 33.5],
    },
    SPQLIOS_FMA,
];

const FFTW3: Processor = Processor {
    name: "FFTW3",
    library_name: "fftw",
    and_seconds: 0.3,
    sum_seconds: [438.0, 440.0, 440.0, 443.0],
};

const NAYUKI_PORTABLE: Processor = Processor {
    name: "NAYUKI-PORTABLE",
    library_name: "nayuki-portable",
    and_seconds: 0.2,
    sum_seconds: [282.6, 284.3, 284.6, 288.2],
};

const SPQLIOS_FMA: Processor = Processor {
    name: "SPQLIOS-FMA",
    library_name: "spqlios-fma",
    and_seconds: 0.03,
    sum_seconds: [31.3, 31.6, 31.8, 32.2],
};

impl Processor {
    /// Table 3 for blocks of one size, if the paper has them.
    pub(super) fn sum(&self, block: usize) -> Option<f64> {
        let at = BLOCKS.iter().position(|&size| size == block)?;
        self.sum_seconds.get(at).copied()
    }

    /// Gates of one adder, if every gate took as long as an AND.
    pub(super) fn implied_gates(&self) -> impl Iterator<Item = f64> + use<> {
        let and = self.and_seconds;
        let adders = (OPERANDS - 1) as f64;
        self.sum_seconds
            .into_iter()
            .map(move |seconds| seconds / adders / and)
    }
}

/// The processor of the paper that one of ours is compared with: portable code with portable code,
/// a general library with a general library, everything else with the paper's best.
pub(super) fn counterpart(fft: Fft) -> Processor {
    match fft.name() {
        "scalar" => NAYUKI_PORTABLE,
        "rustfft" | "fftw" => FFTW3,
        _ => SPQLIOS_FMA,
    }
}
