//! What this machine has, each as a value that proves it: the only place that asks the processor,
//! and the form of the functions into which other code is compiled for its features.
//!
//! A witness is of size zero, and only `detect` makes one, so that holding it is the proof that
//! intrinsics of its features may be called. A family of transforms implements its own vectors on
//! those that it has kernels for.

/// Plain Rust: always available.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scalar;

/// Calls intrinsics in a method of a witness.
#[cfg(target_arch = "x86_64")]
macro_rules! proven {
    ($($call:tt)*) => {{
        // SAFETY: the witness exists only where `detect` found the features, and every pointer is
        // that of a reference to as many elements as the instruction touches, in an unaligned form
        // of it.
        unsafe { $($call)* }
    }};
}

#[cfg(target_arch = "x86_64")]
macro_rules! witness {
    ($(#[$doc:meta])* $name:ident: $($feature:tt),*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $name(());

        impl $name {
            pub(crate) fn detect() -> Option<Self> {
                ($(is_x86_feature_detected!($feature))&&*).then_some(Self(()))
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
witness! {
    /// AVX2 with FMA.
    Avx2: "avx2", "fma"
}

#[cfg(target_arch = "x86_64")]
witness! {
    /// AVX-512 F and DQ.
    Avx512: "avx512f", "avx512dq"
}

#[cfg(target_arch = "x86_64")]
witness! {
    /// AVX-512 F, DQ and IFMA.
    Avx512Ifma: "avx512f", "avx512dq", "avx512ifma"
}

#[cfg(target_arch = "x86_64")]
witness! {
    /// AVX-512 F, BW, IFMA and VBMI.
    Avx512Vbmi: "avx512f", "avx512bw", "avx512ifma", "avx512vbmi"
}

#[cfg(target_arch = "x86_64")]
witness! {
    /// AVX-512 F, BW and VBMI, and products of matrices of eight by eight bits.
    Avx512Gfni: "avx512f", "avx512bw", "avx512vbmi", "gfni"
}

/// The method by which vectors on a witness run a kernel: in a function of its own, compiled for
/// those features that `detect` finds. Within a kernel it sets a part apart: to compile twice the
/// function takes more than twice as long.
///
/// It stands in the file of each family and set, since a compiler works on functions of different
/// modules at the same time, and on those of one after a change of any.
macro_rules! vectorize {
    (Scalar -> $output:ty) => {
        #[inline(never)]
        fn vectorize<K: Kernel>(self, kernel: K) -> $output {
            kernel.run(self)
        }
    };
    (Avx2 -> $output:ty) => {
        vectorize!(Avx2: "avx2,fma" -> $output);
    };
    (Avx512 -> $output:ty) => {
        vectorize!(Avx512: "avx512f,avx512dq" -> $output);
    };
    (Avx512Ifma -> $output:ty) => {
        vectorize!(Avx512Ifma: "avx512f,avx512dq,avx512ifma" -> $output);
    };
    (Avx512Gfni -> $output:ty) => {
        vectorize!(Avx512Gfni: "avx512f,avx512bw,avx512vbmi,gfni" -> $output);
    };
    ($witness:ident: $features:literal -> $output:ty) => {
        #[inline]
        fn vectorize<K: Kernel>(self, kernel: K) -> $output {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn enter<K: Kernel>(vectors: $witness, kernel: K) -> $output {
                kernel.run(vectors)
            }
            proven!(enter(self, kernel))
        }
    };
}

/// Declares the `Machine` of a family, the choice among the witnesses that it has vectors for: each
/// with the set that it stands for, slowest first. Kernels are dispatched by one match for each
/// call.
macro_rules! machine {
    ($kernel:ident<$k:ident> -> $output:ty; $($set:ident: $witness:ident),*) => {
        /// An instruction set with kernels for these transforms, as the witness that detection
        /// made.
        #[derive(Debug, Clone, Copy)]
        pub(crate) enum Machine {
            Scalar($crate::arch::Scalar),
            $(
                #[cfg(target_arch = "x86_64")]
                $witness($crate::arch::$witness),
            )*
        }

        // Not every family asks in every way.
        #[allow(dead_code)]
        impl Machine {
            /// Every one that this machine has, slowest first.
            pub(crate) fn available() -> Vec<Self> {
                let all = $crate::InstructionSet::ALL.into_iter();
                all.filter_map(Self::of).collect()
            }

            /// For that instruction set, or the next lower one where the machine has it but not all
            /// that these kernels take. `None` if the machine lacks it.
            pub(crate) fn new(set: $crate::InstructionSet) -> Option<Self> {
                let has = $crate::InstructionSet::available().contains(&set);
                has.then(|| Self::up_to(set))
            }

            /// The fastest that this machine has up to that instruction set.
            pub(crate) fn up_to(set: $crate::InstructionSet) -> Self {
                let mut all = $crate::InstructionSet::ALL.into_iter().rev();
                all.find_map(|lower| Self::of(lower).filter(|_| lower <= set))
                    .unwrap_or(Self::Scalar($crate::arch::Scalar))
            }

            fn of(set: $crate::InstructionSet) -> Option<Self> {
                match set {
                    $crate::InstructionSet::Scalar => Some(Self::Scalar($crate::arch::Scalar)),
                    $(
                        #[cfg(target_arch = "x86_64")]
                        $crate::InstructionSet::$set => {
                            $crate::arch::$witness::detect().map(Self::$witness)
                        }
                    )*
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }

            #[inline]
            pub(crate) fn dispatch<$k: $kernel>(self, kernel: $k) -> $output {
                match self {
                    Self::Scalar(witness) => witness.vectorize(kernel),
                    $(
                        #[cfg(target_arch = "x86_64")]
                        Self::$witness(witness) => witness.vectorize(kernel),
                    )*
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) use proven;
pub(crate) use {machine, vectorize};
