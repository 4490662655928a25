//! What this machine can do at best: vector operations from registers to registers, and a
//! pass over a buffer.

use std::hint::black_box;
use std::time::{Duration, Instant};

use transforms::torus::{Fft, Spectra};

/// Operations in one measurement of a rate: about a millisecond, shorter than a slice of time on a
/// machine that does other things.
pub const CHUNK: u64 = CHAINS as u64 * BODY as u64 * REPEATS as u64;

/// Independent chains: two operations start in a cycle and each takes four, so that eight would do.
const CHAINS: usize = 12;
/// Operations of a chain in one turn of the loop.
const BODY: usize = 12;
const REPEATS: usize = 30_000;

/// The vectors that are measured; a value is a proof that the machine has them.
#[derive(Clone, Copy, Debug)]
pub enum Machine {
    Avx2,
    Avx512,
}

impl Machine {
    pub fn detect() -> Option<Self> {
        if Fft::Avx512.is_available() {
            Some(Self::Avx512)
        } else {
            Fft::Avx2.is_available().then_some(Self::Avx2)
        }
    }

    pub fn lanes(self) -> usize {
        match self {
            Self::Avx2 => 4,
            Self::Avx512 => 8,
        }
    }

    /// Ours on these vectors.
    pub fn fft(self) -> Fft {
        match self {
            Self::Avx2 => Fft::Avx2,
            Self::Avx512 => Fft::Avx512,
        }
    }

    /// [`CHUNK`] fused multiply-adds.
    pub fn multiply_adds(self) -> Duration {
        let start = Instant::now();
        match self {
            // SAFETY: `detect` found the features.
            Self::Avx2 => unsafe { avx2::multiply_adds() },
            // SAFETY: as above.
            Self::Avx512 => unsafe { avx512::multiply_adds() },
        }
        start.elapsed()
    }

    /// [`CHUNK`] operations in about the proportions of a rotation: of twelve, eight fused, a
    /// product, a difference, an integer addition, a shuffle.
    pub fn mix(self) -> Duration {
        let start = Instant::now();
        match self {
            // SAFETY: `detect` found the features.
            Self::Avx2 => unsafe { avx2::mix() },
            // SAFETY: as above.
            Self::Avx512 => unsafe { avx512::mix() },
        }
        start.elapsed()
    }
}

/// A buffer like the key: as long, in huge pages, written once.
pub struct Stream(Spectra);

impl Stream {
    pub fn new(words: usize) -> Self {
        let mut buffer = Spectra::zeroed(words);
        for (at, word) in buffer.iter_mut().enumerate() {
            *word = at as f64;
        }
        Self(buffer)
    }

    /// The faster of two passes, one of plain loads and one that asks for each line ahead of time:
    /// a floor is what the machine can do.
    pub fn read(&self, machine: Machine) -> Duration {
        let passes = [false, true].map(|prefetch| self.pass(machine, prefetch));
        passes[0].min(passes[1])
    }

    /// As [`Stream::read`], but none of the buffer is in a cache when a pass starts.
    pub fn read_flushed(&self, machine: Machine) -> Duration {
        let passes = [false, true].map(|prefetch| {
            self.flush();
            self.pass(machine, prefetch)
        });
        passes[0].min(passes[1])
    }

    fn pass(&self, machine: Machine, prefetch: bool) -> Duration {
        let start = Instant::now();
        match machine {
            // SAFETY: `Machine::detect` found the features.
            Machine::Avx2 => unsafe { avx2::sum(black_box(&self.0), prefetch) },
            // SAFETY: as above.
            Machine::Avx512 => unsafe { avx512::sum(black_box(&self.0), prefetch) },
        }
        start.elapsed()
    }

    #[cfg(target_arch = "x86_64")]
    fn flush(&self) {
        use std::arch::x86_64::{_mm_clflush, _mm_mfence};
        for line in self.0.chunks(8) {
            // SAFETY: the pointer is that of a reference; flushing changes no content.
            unsafe { _mm_clflush(line.as_ptr().cast()) };
        }
        // SAFETY: orders memory operations, nothing else; every x86-64 has it.
        unsafe { _mm_mfence() };
    }
}

/// The same loops for both widths.
macro_rules! loops {
    ($name:ident, $features:literal, $vector:ident, $set:ident, $fma:ident, $add:ident, $sub:ident,
     $mul:ident, $load:ident, $words:ident, $floats:ident, $add_words:ident, $shuffle:ident) => {
        #[cfg(target_arch = "x86_64")]
        mod $name {
            use std::arch::x86_64::*;
            use std::hint::black_box;

            use super::{BODY, CHAINS, REPEATS};

            #[target_feature(enable = $features)]
            pub fn multiply_adds() {
                let (half, mut chains) = start();
                for _ in 0..REPEATS {
                    for _ in 0..BODY {
                        for chain in &mut chains {
                            *chain = $fma(*chain, half, half);
                        }
                    }
                }
                black_box(chains);
            }

            #[target_feature(enable = $features)]
            pub fn mix() {
                let (half, mut chains) = start();
                let zero = $words($set(black_box(0.0)));
                for _ in 0..REPEATS {
                    for _ in 0..BODY - 4 {
                        for chain in &mut chains {
                            *chain = $fma(*chain, half, half);
                        }
                    }
                    for chain in &mut chains {
                        *chain = $mul(*chain, half);
                    }
                    for chain in &mut chains {
                        *chain = $sub(*chain, half);
                    }
                    for chain in &mut chains {
                        *chain = $floats($add_words($words(*chain), zero));
                    }
                    for chain in &mut chains {
                        *chain = $shuffle(*chain, half);
                    }
                }
                black_box(chains);
            }

            /// Half, which keeps every chain near one, and the chains' beginnings; both opaque to
            /// the compiler.
            #[target_feature(enable = $features)]
            fn start() -> ($vector, [$vector; CHAINS]) {
                let half = $set(black_box(0.5));
                (half, std::array::from_fn(|at| $set(black_box(at as f64))))
            }

            #[target_feature(enable = $features)]
            pub fn sum(words: &[f64], prefetch: bool) {
                /// Ahead by this many numbers: 8 KB.
                const AHEAD: usize = 1024;
                const LANES: usize = size_of::<$vector>() / size_of::<f64>();
                let mut sums = [$set(0.0); 8];
                for chunk in words.chunks_exact(8 * LANES) {
                    if prefetch {
                        for line in chunk.chunks_exact(8) {
                            _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().wrapping_add(AHEAD).cast());
                        }
                    }
                    for (sum, part) in sums.iter_mut().zip(chunk.chunks_exact(LANES)) {
                        // SAFETY: the part has as many numbers as the vector.
                        *sum = $add(*sum, unsafe { $load(part.as_ptr()) });
                    }
                }
                black_box(sums);
            }
        }
    };
}

loops!(
    avx2,
    "avx2,fma",
    __m256d,
    _mm256_set1_pd,
    _mm256_fmadd_pd,
    _mm256_add_pd,
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_loadu_pd,
    _mm256_castpd_si256,
    _mm256_castsi256_pd,
    _mm256_add_epi64,
    _mm256_unpacklo_pd
);
loops!(
    avx512,
    "avx512f,avx512dq",
    __m512d,
    _mm512_set1_pd,
    _mm512_fmadd_pd,
    _mm512_add_pd,
    _mm512_sub_pd,
    _mm512_mul_pd,
    _mm512_loadu_pd,
    _mm512_castpd_si512,
    _mm512_castsi512_pd,
    _mm512_add_epi64,
    _mm512_unpacklo_pd
);
