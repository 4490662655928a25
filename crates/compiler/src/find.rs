//! Where a compiler is.

use std::env;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::CompileError;

/// Names the compiler for whoever does not say it on the command line.
const VARIABLE: &str = "BLINDCORE_CC";

/// Compilers that take the same flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Family {
    /// GCC for bare ARM.
    Gcc,
    /// Clang, with `ld.lld` beside it.
    Clang,
    /// Clang and its linker as `zig cc`, from Zig or from the Python package `ziglang`.
    Zig,
}

/// A compiler that makes programs for the processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program and the words that stand before all flags, such as `zig cc`.
    words: Vec<String>,
    family: Family,
    version: String,
}

impl Compiler {
    /// The compiler asked for; else `$BLINDCORE_CC`; else the first that is there:
    /// `arm-none-eabi-gcc`, `clang` with `ld.lld`, `zig`, the Python package `ziglang`.
    ///
    /// What is asked for is a path, a name, or several words (`python3 -m ziglang`).
    ///
    /// # Errors
    /// [`CompileError::NoCompiler`]; [`CompileError::Unusable`] for one that was asked for.
    pub fn find(asked: Option<&str>) -> Result<Compiler, CompileError> {
        let variable = env::var(VARIABLE).ok().filter(|text| !text.is_empty());
        if let Some(command) = asked.map(str::to_owned).or(variable) {
            return Compiler::named(&command);
        }
        let known = [
            &["arm-none-eabi-gcc"][..],
            &["clang"],
            &["zig"],
            &["python3", "-m", "ziglang"],
        ];
        let mut there = known
            .iter()
            .filter_map(|words| Compiler::try_words(words).ok());
        there.next().ok_or(CompileError::NoCompiler)
    }

    /// The compiler behind a path or a command.
    fn named(command: &str) -> Result<Compiler, CompileError> {
        let words: Vec<&str> = if Path::new(command).is_file() {
            vec![command]
        } else {
            command.split_whitespace().collect()
        };
        Compiler::try_words(&words).map_err(|reason| CompileError::Unusable {
            command: command.to_owned(),
            reason,
        })
    }

    fn try_words(words: &[&str]) -> Result<Compiler, String> {
        let mut words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let Some(program) = words.first() else {
            return Err("names no compiler".to_owned());
        };
        let name = Path::new(program).file_stem().and_then(OsStr::to_str);
        let zig = name.is_some_and(|name| name.starts_with("zig"))
            || words.iter().any(|word| word == "ziglang");
        if zig {
            words.retain(|word| word != "cc");
            let version = answer(&words, &["version"])?;
            let version = format!("zig {}", version.trim());
            words.push("cc".to_owned());
            let family = Family::Zig;
            return Ok(Compiler {
                words,
                family,
                version,
            });
        }
        let version = answer(&words, &["--version"])?;
        let mut version = version.lines().next().unwrap_or_default().trim().to_owned();
        let family = if version.contains("clang") {
            let targets = answer(&words, &["--print-targets"])?;
            if !targets.lines().any(|line| line.trim().starts_with("arm ")) {
                return Err("makes no code for ARM".to_owned());
            }
            let linker = answer(&["ld.lld".to_owned()], &["--version"])
                .map_err(|_| "has no linker for ARM: install lld".to_owned())?;
            version = format!("{version}, {}", linker.lines().next().unwrap_or_default());
            Family::Clang
        } else if answer(&words, &["-dumpmachine"])?.starts_with("arm") {
            Family::Gcc
        } else {
            return Err("makes no code for ARM".to_owned());
        };
        Ok(Compiler {
            words,
            family,
            version,
        })
    }

    /// Which flags it takes.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }

    /// Its first words about itself.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// As somebody would type it.
    #[must_use]
    pub fn name(&self) -> String {
        self.words.join(" ")
    }

    /// Begins a command line.
    pub(crate) fn command(&self) -> Command {
        command(&self.words)
    }
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null());
    // Messages are quoted, so they are to be the same for everybody.
    command.env("LC_ALL", "C");
    command
}

/// What a program prints when it is asked for its version or the like.
fn answer(words: &[String], arguments: &[&str]) -> Result<String, String> {
    let output = command(words).args(arguments).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{}: {}", arguments.join(" "), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_has_to_answer() {
        let missing = Compiler::find(Some("/nowhere/gcc"));
        assert!(matches!(missing, Err(CompileError::Unusable { .. })));
        let silent = Compiler::find(Some("false"));
        assert!(matches!(silent, Err(CompileError::Unusable { .. })));
        assert!(Compiler::named("  ").is_err());
    }
}
