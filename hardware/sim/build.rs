//! Makes a C++ model of each circuit with Verilator, and a library of the models.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Circuits with a model of their own: the whole, and units that tests look at by themselves.
const MODELS: [&str; 5] = [
    "multiplier",
    "radix_16",
    "normalize",
    "multiply",
    "carry_unit",
];

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo:rerun-if-changed=../rtl");
    println!("cargo:rerun-if-changed=shim");
    let sources = files(Path::new("../rtl"), "sv")?;
    let mut library = cc::Build::new();
    for model in MODELS {
        let folder = out.join(model);
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
                model,
                "--prefix",
                &format!("V{model}"),
                "-Mdir",
            ])
            .arg(&folder)
            .args(&sources)
            .status()
            .map_err(|error| format!("verilator: {error}: install Debian's package verilator"))?;
        if !made.success() {
            return Err(format!("verilator refuses {model}").into());
        }
        library.files(files(&folder, "cpp")?).include(&folder);
    }
    let root = Command::new("verilator")
        .args(["--getenv", "VERILATOR_ROOT"])
        .output()?;
    let include = Path::new(String::from_utf8(root.stdout)?.trim()).join("include");
    library
        .cpp(true)
        .std("c++17")
        .opt_level(1)
        .warnings(false)
        .include(&include)
        .include(include.join("vltstd"))
        .files(["verilated.cpp", "verilated_threads.cpp"].map(|file| include.join(file)))
        .files(files(Path::new("shim"), "cpp")?)
        .try_compile("circuits")?;
    Ok(())
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
