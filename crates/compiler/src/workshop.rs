//! Sources on their way to an ELF file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::error::CompileError;
use crate::find::Compiler;

/// Where a program's parts lie in memory.
const LAYOUT: &str = include_str!("../runtime/program.ld");

/// What is to be compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// C files of one program.
    pub files: Vec<PathBuf>,
    /// What else the compiler is told: `-I`, `-D` and the like.
    pub options: Vec<String>,
}

impl Sources {
    /// These files, without options.
    pub fn files(files: impl IntoIterator<Item: Into<PathBuf>>) -> Sources {
        let files = files.into_iter().map(Into::into).collect();
        let options = Vec::new();
        Sources { files, options }
    }

    /// Their names, for messages.
    fn names(&self) -> String {
        let names = self.files.iter().map(|file| file.display().to_string());
        names.collect::<Vec<_>>().join(", ")
    }
}

/// A program, and what the compiler said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// The ELF file.
    pub elf: Vec<u8>,
    /// The compiler's warnings, as it printed them.
    pub messages: String,
}

/// A folder with what compiling takes, for as many compilations of the same sources as are wanted.
/// It is removed in the end.
#[derive(Debug)]
pub struct Workshop {
    compiler: Compiler,
    sources: Sources,
    folder: TempDir,
}

impl Workshop {
    /// Prepares for compiling these sources.
    ///
    /// # Errors
    /// [`CompileError::Io`] if the folder for temporary files cannot be used.
    pub fn open(compiler: Compiler, sources: Sources) -> Result<Workshop, CompileError> {
        let folder = tempfile::Builder::new().prefix("blindcore-").tempdir();
        let folder = folder.map_err(|error| CompileError::io(env::temp_dir(), error))?;
        let workshop = Workshop {
            compiler,
            sources,
            folder,
        };
        workshop.write("program.ld", LAYOUT)?;
        Ok(workshop)
    }

    /// The compiler.
    #[must_use]
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Compiles and links the sources.
    ///
    /// # Errors
    /// [`CompileError::Refused`] with the compiler's messages, [`CompileError::Io`].
    pub fn compile(&self, optimisation: &[&str]) -> Result<Compiled, CompileError> {
        let out = self.path("program.elf");
        let mut command = self.compiler.command();
        command.args(self.compiler.to_program()).args(optimisation);
        self.keep_paths_out(&mut command);
        command.args(&self.sources.options);
        command.args(&self.sources.files);
        command.arg("-T").arg(self.path("program.ld"));
        command.arg("-o").arg(&out);
        let messages = self.finish(command)?;
        let elf = fs::read(&out).map_err(|error| CompileError::io(&out, error))?;
        Ok(Compiled { elf, messages })
    }

    /// Debugging information names the sources as they are named here, wherever the folder lies.
    fn keep_paths_out(&self, command: &mut Command) {
        let folder = self.folder.path().display();
        command.arg(format!("-ffile-prefix-map={folder}=blindcore"));
        if let Ok(here) = env::current_dir() {
            command.arg(format!("-ffile-prefix-map={}=.", here.display()));
        }
    }

    /// Runs the compiler and returns what it said.
    fn finish(&self, mut command: Command) -> Result<String, CompileError> {
        let output = command
            .output()
            .map_err(|error| CompileError::io(self.compiler.name(), error))?;
        let said = [output.stdout, output.stderr].concat();
        let messages = String::from_utf8_lossy(&said).into_owned();
        if output.status.success() {
            return Ok(messages);
        }
        let sources = self.sources.names();
        Err(CompileError::Refused { sources, messages })
    }

    fn write(&self, name: &str, content: &str) -> Result<(), CompileError> {
        let path = self.path(name);
        let written = path
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, content));
        written.map_err(|error| CompileError::io(path, error))
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever compilers this machine has.
    fn compilers() -> Vec<Compiler> {
        let names = ["arm-none-eabi-gcc", "clang", "zig", "python3 -m ziglang"];
        let found = names
            .iter()
            .filter_map(|name| Compiler::find(Some(name)).ok());
        found.collect()
    }

    #[test]
    fn every_family_compiles_and_complains() {
        let folder = tempfile::tempdir().unwrap();
        let good = folder.path().join("good.c");
        let bad = folder.path().join("bad.c");
        let text = "#include <stdint.h>\nuint32_t x[3];\n\
                    static int unused; int other(int a) { return a / FACTOR; }\n";
        fs::write(&good, text).unwrap();
        fs::write(&bad, "int main(void) { return nobody; }\n").unwrap();
        for compiler in compilers() {
            let mut sources = Sources::files([&good]);
            sources.options.push("-DFACTOR=7".to_owned());
            let workshop = Workshop::open(compiler.clone(), sources).unwrap();
            for optimisation in crate::OPTIMISATIONS {
                // Not called and not named, yet there: without a `main`, too.
                let Compiled { elf, .. } = workshop.compile(optimisation).unwrap();
                let names = [&b"\0other\0"[..], b"\0x\0"];
                let held = |name: &&[u8]| elf.windows(name.len()).any(|part| part == *name);
                assert!(names.iter().all(held), "{compiler:?}");
                let path = folder.path().to_string_lossy().into_owned();
                let here = env::current_dir().unwrap().to_string_lossy().into_owned();
                assert!(!held(&here.as_bytes()), "{compiler:?} keeps {here}");
                assert!(held(&path.as_bytes()), "{compiler:?} forgets {path}");
            }
            let workshop = Workshop::open(compiler.clone(), Sources::files([&bad])).unwrap();
            let refused = workshop.compile(&["-O1"]).unwrap_err();
            assert!(refused.to_string().ends_with("bad.c: does not compile"));
            let CompileError::Refused { messages, .. } = refused else {
                panic!("{refused:?}");
            };
            assert!(messages.contains("bad.c:1:25: error"), "{messages}");
        }
    }
}
