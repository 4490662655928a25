//! The words for each family.

use crate::find::{Compiler, Family};

/// How hard the compiler tries, in its own words.
pub type Optimisation = &'static [&'static str];

/// What is worth trying where the cheapest is wanted: instructions cost next to nothing and
/// operations on secrets everything, which no compiler knows. Unrolled loops are where they differ
/// most, since a compiler merges narrow counters of an unrolled loop into wide ones.
pub const OPTIMISATIONS: [Optimisation; 6] = [
    &["-O1"],
    &["-O1", "-fno-unroll-loops"],
    &["-Os"],
    &["-Os", "-fno-unroll-loops"],
    &["-O2"],
    &["-O2", "-fno-unroll-loops"],
];

/// What sources are compiled with, whatever the family.
///
/// The processor executes A32 and not Thumb, has integer division and floating point without NEON;
/// a `switch` must not become an indexed jump, since a secret cannot be jumped by. Products and sums
/// are rounded one by one, as on other machines, so that results do not depend on the compiler.
const COMMON: &[&str] = &[
    "-marm",
    "-mfloat-abi=softfp",
    "-ffp-contract=off",
    "-ffreestanding",
    "-fno-jump-tables",
    "-fno-stack-protector",
    "-fno-exceptions",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-fno-pic",
    "-g",
];

impl Compiler {
    /// What a program is compiled with where nobody chose.
    #[must_use]
    pub fn usual_optimisation(&self) -> Optimisation {
        match self.family() {
            Family::Gcc => &["-O2"],
            _ => &["-Os", "-fno-unroll-loops"],
        }
    }

    /// The flags that make a source an object.
    pub(crate) fn to_object(&self) -> Vec<&'static str> {
        let target: &[_] = match self.family() {
            // Its code names no switches, so that the same source gives the same file anywhere.
            Family::Gcc => &[
                "-mcpu=cortex-a15",
                "-mfpu=vfpv4",
                "-gno-record-gcc-switches",
            ],
            Family::Clang => &["--target=arm-none-eabi", "-mcpu=cortex-a15", "-mfpu=vfpv4"],
            // Zig checks for undefined behaviour unless told not to, by calls into a library.
            Family::Zig => &[
                "--target=arm-freestanding-eabi",
                "-mcpu=cortex_a15-neon",
                "-fno-sanitize=undefined",
            ],
        };
        [target, COMMON].concat()
    }

    /// More flags for the runtime's object: a section for each function, so that what nobody calls
    /// goes, and no calls to functions that it is about to define.
    pub(crate) fn for_runtime(&self) -> &'static [&'static str] {
        match self.family() {
            Family::Gcc => &[
                "-ffunction-sections",
                "-fdata-sections",
                "-fno-builtin",
                "-fno-tree-loop-distribute-patterns",
            ],
            _ => &["-ffunction-sections", "-fdata-sections", "-fno-builtin"],
        }
    }

    /// The flags that make objects a program.
    pub(crate) fn to_program(&self) -> Vec<&'static str> {
        let mut flags = self.to_object();
        flags.extend(["-nostdlib", "-static", "-Wl,-e,main", "-Wl,--gc-sections"]);
        flags.extend(match self.family() {
            Family::Gcc => &["-Wl,--build-id=none"][..],
            Family::Clang => &["-Wl,--build-id=none", "-fuse-ld=lld"],
            Family::Zig => &[],
        });
        flags
    }
}
