//! Makes a C++ model of each circuit with Verilator, and a library of the models.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Circuits with a model of their own, and their lanes where these are a parameter: the paper's
/// whole, ours, and units that tests look at by themselves.
const MODELS: &[(&str, Option<u32>)] = &[
    ("multiplier", None),
    ("carries", Some(16)),
    ("axi_engine", Some(16)),
    ("radix_16", None),
    ("sum_16", None),
    ("radix_4", None),
    ("turned_residue", None),
    ("normalize", None),
    ("multiply", None),
    ("carry_unit", None),
];

/// With the feature `whole`, which takes minutes to compile.
const MORE: &[(&str, Option<u32>)] = &[
    ("engine", Some(16)),
    ("engine", Some(32)),
    ("engine", Some(64)),
    ("axi_engine", Some(32)),
    ("axi_engine", Some(64)),
    ("carries", Some(64)),
];

/// Units that are counted where they are simulated by themselves, see `coverage.vlt`.
const COUNTED_ALONE: &[&str] = &[
    "sum_16",
    "radix_4",
    "turned_residue",
    "normalize",
    "multiply",
];

fn coverage(circuit: &str) -> &'static [&'static str] {
    match COUNTED_ALONE.contains(&circuit) {
        true => &["--coverage-line", "--coverage-toggle"],
        false => &["--coverage-line", "--coverage-toggle", "coverage.vlt"],
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    // Others are those that `hardware/mutate` has broken.
    println!("cargo:rerun-if-env-changed=BLINDCORE_RTL");
    let rtl = PathBuf::from(env::var_os("BLINDCORE_RTL").unwrap_or("../rtl".into()));
    println!("cargo:rerun-if-changed={}", rtl.display());
    println!("cargo:rerun-if-changed=shim");
    // Nothing is linked where clippy only looks: it would compile all models a second time.
    let wrapper = env::var_os("RUSTC_WORKSPACE_WRAPPER").unwrap_or_default();
    if wrapper.to_string_lossy().contains("clippy-driver") {
        return Ok(());
    }
    let mut sources = Vec::new();
    for folder in fs::read_dir(&rtl)? {
        sources.extend(files(&folder?.path(), "sv")?);
    }
    sources.sort();
    let mut library = cc::Build::new();
    let counted = env::var_os("CARGO_FEATURE_COVERAGE").is_some();
    library.define("COVERAGE", if counted { "1" } else { "0" });
    println!("cargo:rerun-if-changed=coverage.vlt");
    // What is broken may well be of another width.
    let warnings = env::var_os("BLINDCORE_RTL").map(|_| "-Wno-fatal");
    let (mut folders, mut units) = (Vec::new(), Vec::new());
    let more = env::var_os("CARGO_FEATURE_WHOLE").map_or(&[][..], |_| MORE);
    library.define("WHOLE", if more.is_empty() { "0" } else { "1" });
    for &(circuit, lanes) in MODELS.iter().chain(more) {
        let model = lanes.map_or(circuit.to_owned(), |lanes| format!("{circuit}_{lanes}"));
        let folder = out.join(&model);
        // Files of an earlier version would be compiled, too.
        let _ = fs::remove_dir_all(&folder);
        let made = Command::new("verilator")
            .args([
                "--cc",
                "-Wall",
                "-O3",
                "--x-assign",
                "fast",
                "--x-initial",
                "fast",
            ])
            .args([
                "--assert",
                "--top-module",
                circuit,
                "--prefix",
                &format!("V{model}"),
                "-Mdir",
            ])
            .arg(&folder)
            .args(if counted { coverage(circuit) } else { &[] })
            .args(warnings)
            .args(lanes.map(|lanes| format!("-GLANES={lanes}")))
            .args(&sources)
            .status()
            .map_err(|error| format!("verilator: {error}: install Debian's package verilator"))?;
        if !made.success() {
            return Err(format!("verilator refuses {model}").into());
        }
        units.extend(joined(&folder)?);
        folders.push(folder);
    }
    let root = Command::new("verilator")
        .args(["--getenv", "VERILATOR_ROOT"])
        .output()?;
    let include = Path::new(String::from_utf8(root.stdout)?.trim()).join("include");
    // A product takes a fifth of the time that it takes with GCC 12 (0.15 s for 0.85, 64 lanes, both
    // with -O2), and the models half as long to compile.
    library
        .compiler("clang++")
        .cpp(true)
        .std("c++17")
        .debug(false)
        .warnings(false)
        .includes(folders)
        .include("shim")
        .include(&include)
        .include(include.join("vltstd"));
    // What runs once is not worth optimising.
    let (once, often): (Vec<_>, Vec<_>) = units.into_iter().partition(|(_, once)| *once);
    let mut slow = library.clone();
    slow.opt_level(0)
        .files(once.into_iter().map(|(file, _)| file))
        .try_compile("slow")?;
    library
        // Counters by the hundred thousand take long to optimise.
        .opt_level(if counted { 1 } else { 2 })
        .files(often.into_iter().map(|(file, _)| file))
        .files(
            [
                "verilated.cpp",
                "verilated_cov.cpp",
                "verilated_threads.cpp",
            ]
            .map(|file| include.join(file)),
        )
        .files(files(Path::new("shim"), "cpp")?)
        .try_compile("circuits")?;
    // Each has what the other names.
    println!("cargo:rustc-link-lib=static=slow");
    // What Clang does not write itself of Verilator's locks.
    println!("cargo:rustc-link-lib=atomic");
    Ok(())
}

/// A model's files by a few that include them, and whether what they have runs once: most of the
/// time that a small file takes is for the model's header.
fn joined(folder: &Path) -> Result<Vec<(PathBuf, bool)>, Box<dyn Error>> {
    const BYTES: u64 = 3 << 20;
    let mut units = Vec::new();
    for once in [false, true] {
        let (mut text, mut bytes) = (String::new(), 0);
        let mut texts = Vec::new();
        for file in files(folder, "cpp")? {
            if file.to_string_lossy().ends_with("Slow.cpp") != once {
                continue;
            }
            text += &format!("#include \"{}\"\n", file.display());
            bytes += fs::metadata(&file)?.len();
            if bytes > BYTES {
                texts.push(std::mem::take(&mut text));
                bytes = 0;
            }
        }
        texts.push(text);
        for (at, text) in texts.into_iter().enumerate() {
            let kind = if once { "once" } else { "often" };
            let unit = folder.join(format!("{kind}_{at}.cxx"));
            fs::write(&unit, text)?;
            units.push((unit, once));
        }
    }
    Ok(units)
}

fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|its| its == ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
