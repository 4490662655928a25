//! One source on two sides: on this machine with the system's library, on the processor with ours
//! and all inputs secret. A branch or an address that depends on one ends the run with an error.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use blindcore_compiler::{Compiler, Sources, Workshop};
use circuits::Profile;
use circuits::sim::Simulator;
use processor::{
    Bit, Branches, Content, Host, HostError, Input, Limits, Otherwise, Program, Run, Start, Task,
    Wanted,
};

const LANES: usize = 64;

pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/c")
        .join(name)
}

/// Both families, which `./test` installs.
pub(crate) fn compilers() -> [Compiler; 2] {
    ["arm-none-eabi-gcc", "clang"].map(|name| Compiler::find(Some(name)).unwrap())
}

/// What a source leaves on this machine.
struct Expected {
    /// `in` and `out` of each lane, one behind the other.
    pairs: Vec<u8>,
    /// What it prints.
    text: Vec<u8>,
}

/// Takes what a run prints.
#[derive(Default)]
struct Reader(Vec<u8>);

impl<B> Host<B> for Reader {
    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        self.0.extend(bytes);
        Ok(())
    }
}

fn here(file: &Path, seed: u32) -> Expected {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("here");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-w", "-D_GNU_SOURCE", "-ffp-contract=off"])
        .arg(format!("-DSEED={seed}"));
    let done = cc
        .arg("-o")
        .arg(&made)
        .arg(file)
        .arg("-lm")
        .status()
        .unwrap();
    assert!(done.success(), "{}", file.display());
    let pairs = folder.path().join("pairs");
    let output = Command::new(&made).arg(&pairs).output().unwrap();
    assert!(output.status.success(), "{}", file.display());
    let pairs = std::fs::read(pairs).unwrap();
    let text = output.stdout;
    Expected { pairs, text }
}

/// The bits of as many bytes in each lane; a lane's bytes begin every `stride` bytes.
fn spread(bytes: &[u8], size: usize, stride: usize) -> Vec<Arc<u64>> {
    let lane_bit = |bit: usize, lane: usize| {
        let byte = bytes[lane * stride + bit / 8];
        u64::from(byte >> (bit % 8) & 1) << lane
    };
    let bit = |bit| Arc::new((0..LANES).fold(0, |lanes, lane| lanes | lane_bit(bit, lane)));
    (0..8 * size).map(bit).collect()
}

fn gather(bits: &[Bit<u64>], lane: usize) -> Vec<u8> {
    let bits = bits.iter().map(|bit| match bit {
        Bit::Clear(value) => *value,
        Bit::Secret(lanes) => **lanes >> lane & 1 == 1,
    });
    values::bytes_of(&bits.collect::<Vec<_>>())
}

/// Runs the program in all lanes at once.
fn there(elf: &[u8], expected: &Expected) -> Result<(), String> {
    let Expected { pairs, text } = expected;
    let program = Program::load(elf).map_err(|error| error.to_string())?;
    let input = program.variable("in").unwrap().clone();
    // All of its bytes, the padding too: members would be outputs of their own.
    let output = program.variable("out").unwrap().clone();
    let bytes = values::Type::bytes_of_unknown_type(output.size);
    let output = output.with_type(bytes);
    let stride = (input.size + output.size) as usize;
    if pairs.len() != LANES * stride {
        return Err(format!(
            "{} bytes instead of {}",
            pairs.len(),
            LANES * stride
        ));
    }
    let bits = spread(pairs, input.size as usize, stride);
    let task = Task {
        inputs: vec![Input {
            variable: input.clone(),
            content: Content::Secret,
        }],
        wanted: Wanted::Variables(vec![output]),
        branches: Branches {
            both: None,
            otherwise: Otherwise::Refuse,
        },
        limits: Limits {
            instructions: 1 << 28,
            ..Limits::default()
        },
        ..Task::default()
    };
    let engine = Simulator::new(Profile::lookup_simulation());
    let mut reader = Reader::default();
    let run = Run::new(&program, &task, &engine).host(&mut reader);
    let outcome = run.start(Start::Fresh(bits));
    let outcome = outcome.map_err(|error| error.to_string())?;
    for lane in 0..LANES {
        let ours = gather(&outcome.outputs[0].bits, lane);
        let theirs = &pairs[lane * stride + input.size as usize..(lane + 1) * stride];
        assert_eq!(ours.len(), theirs.len());
        if let Some(byte) = (0..ours.len()).find(|&byte| ours[byte] != theirs[byte]) {
            let given = &pairs[lane * stride..][..input.size as usize];
            let text = String::from_utf8_lossy(given).into_owned();
            return Err(format!(
                "lane {lane}, from byte {byte}: {:?} instead of {:?} of {given:?} {text:?}",
                &ours[byte..],
                &theirs[byte..]
            ));
        }
    }
    if reader.0 != *text {
        let lossy = String::from_utf8_lossy;
        return Err(format!(
            "{:?} instead of {:?}",
            lossy(&reader.0),
            lossy(text)
        ));
    }
    Ok(())
}

/// The same by both compilers at every level, as by this machine's library.
pub(crate) fn agrees(name: &str, seed: u32) {
    agrees_at(name, seed, &["-O1", "-Os", "-O2"]);
}

/// The same at these levels.
pub(crate) fn agrees_at(name: &str, seed: u32, levels: &[&str]) {
    let file = source(name);
    let expected = here(&file, seed);
    for compiler in compilers() {
        let mut sources = Sources::files([&file]);
        sources.options.push("-w".to_owned());
        let family = compiler.family();
        let workshop = Workshop::open(compiler, sources).unwrap();
        for level in levels {
            let made = workshop.compile(&[level]).unwrap_or_else(|error| {
                panic!("{name}: {error:?}");
            });
            there(&made.elf, &expected).unwrap_or_else(|error| {
                panic!("{name} by {family:?} {level}: {error}");
            });
        }
    }
}
