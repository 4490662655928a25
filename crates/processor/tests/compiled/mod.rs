//! Sources that are compiled by the test: for A32 and for the host.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use blindcore_processor::Program;

/// The README's flags.
const FLAGS: [&str; 7] = [
    "-marm",
    "-march=armv7ve",
    "-mfloat-abi=soft",
    "-ffreestanding",
    "-fno-jump-tables",
    "-fno-builtin",
    "-nostdlib",
];

/// The first seed of a test of many, and how many: as `BLINDCORE_SEEDS=FIRST+COUNT` has them, or
/// `BLINDCORE_SEEDS=COUNT`, else these. Every first seed makes other functions.
pub(crate) fn seeds(first: u64, count: u64) -> (u64, u64) {
    let Ok(text) = std::env::var("BLINDCORE_SEEDS") else {
        return (first, count);
    };
    let number = |text: &str| {
        text.parse()
            .unwrap_or_else(|_| panic!("BLINDCORE_SEEDS: {text}"))
    };
    match text.split_once('+') {
        Some((first, count)) => (number(first), number(count)),
        None => (first, number(&text)),
    }
}

/// A folder for the files of one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn succeed(command: &mut Command, package: &str) {
    let done = command.output().unwrap_or_else(|error| {
        panic!("{command:?}: {error}: apt-get install {package}, or run ./test")
    });
    assert!(
        done.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// The program that clang or GCC makes of a source with these flags more.
pub(crate) fn compile(source: &Path, elf: &Path, clang: bool, flags: &[&str]) -> Program {
    let (compiler, package) = match clang {
        true => ("clang", "clang lld"),
        false => ("arm-none-eabi-gcc", "gcc-arm-none-eabi"),
    };
    let mut command = Command::new(compiler);
    if clang {
        command.args(["--target=arm-none-eabi", "-fuse-ld=lld"]);
    }
    command.args(FLAGS).args(["-w", "-Wl,-e,main"]).args(flags);
    succeed(command.arg(source).arg("-o").arg(elf), package);
    Program::load(&fs::read(elf).unwrap()).unwrap()
}

/// What the host's compiler makes of a source, with `HOST` defined and these flags more, says to
/// this input.
pub(crate) fn of_host(source: &Path, flags: &[&str], input: &str) -> String {
    of_host_by("cc", source, flags, input)
}

/// The same by this compiler for the host.
pub(crate) fn of_host_by(compiler: &str, source: &Path, flags: &[&str], input: &str) -> String {
    let binary = source.with_extension("host");
    let mut command = Command::new(compiler);
    command.args(["-DHOST", "-O1", "-w"]).args(flags);
    succeed(
        command.arg(source).arg("-o").arg(&binary),
        "build-essential clang",
    );
    let mut child = Command::new(&binary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // It answers while it still reads.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    String::from_utf8(output.stdout).unwrap()
}
