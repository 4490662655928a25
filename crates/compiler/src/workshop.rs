//! Sources on their way to an ELF file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::error::CompileError;
use crate::find::Compiler;
use crate::runtime::{self, LAYOUT};

/// The runtime's object.
const RUNTIME: &str = "runtime.o";

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
    /// Whether the runtime is compiled.
    equipped: OnceLock<()>,
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
            equipped: OnceLock::new(),
        };
        for (name, text) in runtime::FILES {
            workshop.write(name, text)?;
        }
        Ok(workshop)
    }

    /// The compiler.
    #[must_use]
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// What it makes programs of.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The sources with everything that they include, the folder's name left out.
    pub(crate) fn preprocessed(&self) -> Result<Vec<u8>, CompileError> {
        let mut all = Vec::new();
        for file in &self.sources.files {
            let mut command = self.compiler.command();
            command.args(self.compiler.to_object());
            self.with_headers(&mut command);
            command.arg("-E").arg(file);
            let text = self.finish(command)?;
            let folder = self.folder.path().display().to_string();
            all.extend(text.replace(&folder, "").into_bytes());
        }
        Ok(all)
    }

    /// Compiles and links the sources.
    ///
    /// # Errors
    /// [`CompileError::Refused`] with the compiler's messages, [`CompileError::Io`].
    pub fn compile(&self, optimisation: &[&str]) -> Result<Compiled, CompileError> {
        self.equip()?;
        let out = self.path("program.elf");
        let mut command = self.compiler.command();
        command.args(self.compiler.to_program()).args(optimisation);
        self.keep_paths_out(&mut command);
        self.with_headers(&mut command);
        command.args(&self.sources.files);
        command.arg(self.path(RUNTIME));
        command.arg("-T").arg(self.path(LAYOUT));
        command.arg("-o").arg(&out);
        let mut messages = self.finish(command)?;
        // A bare machine's linker says this of every program without a `main`, which is none.
        messages = lines_without(&messages, "cannot find entry symbol main");
        let elf = fs::read(&out).map_err(|error| CompileError::io(&out, error))?;
        Ok(Compiled { elf, messages })
    }

    /// Compiles the runtime, once for all optimisations: what it costs is in how it is written.
    fn equip(&self) -> Result<(), CompileError> {
        if self.equipped.get().is_some() {
            return Ok(());
        }
        let mut command = self.compiler.command();
        command.args(self.compiler.to_object());
        command.args(self.compiler.usual_optimisation());
        command.args(self.compiler.for_runtime());
        self.keep_paths_out(&mut command);
        let settings = self.sources.options.iter();
        command.args(settings.filter(|option| option.starts_with("-DBC_")));
        command.arg("-c").arg(self.path("runtime.c"));
        command.arg("-o").arg(self.path(RUNTIME));
        self.finish(command)?;
        let _ = self.equipped.set(());
        Ok(())
    }

    /// The user's folders come before ours, so that a header of the same name is theirs.
    fn with_headers(&self, command: &mut Command) {
        command.args(&self.sources.options);
        command.arg("-isystem").arg(self.path("include"));
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

/// The lines that do not hold these words.
fn lines_without(text: &str, words: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.contains(words)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use object::{Object, ObjectSymbol};

    use super::*;

    fn symbols(elf: &[u8]) -> BTreeSet<String> {
        let file = object::File::parse(elf).unwrap();
        let names = file
            .symbols()
            .map(|symbol| symbol.name().unwrap().to_owned());
        names.collect()
    }

    /// Whatever compilers this machine has.
    fn compilers() -> Vec<Compiler> {
        let names = ["arm-none-eabi-gcc", "clang", "zig", "python3 -m ziglang"];
        let found = names
            .iter()
            .filter_map(|name| Compiler::find(Some(name)).ok());
        found.collect()
    }

    #[test]
    #[ignore = "slow: 5 s"]
    fn a_program_may_define_what_the_library_does() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own.c");
        let text = "#include <ctype.h>\n#include <stdlib.h>\n#undef isupper\n\
                    int time; int isupper(int c) { return c == 'A'; }\n\
                    int abs(int n) { return n + time; }\n\
                    int main(void) { return abs(isupper('B')) + atoi(\"1\"); }\n";
        fs::write(&own, text).unwrap();
        for compiler in compilers() {
            let mut sources = Sources::files([&own]);
            sources.options.push("-w".to_owned());
            let workshop = Workshop::open(compiler.clone(), sources).unwrap();
            let elf = workshop.compile(&["-O1"]).unwrap().elf;
            let file = object::File::parse(&*elf).unwrap();
            let mut found = file.symbols().filter(|symbol| symbol.name() == Ok("abs"));
            let abs = found.next().unwrap();
            assert!(!abs.is_weak() && found.next().is_none(), "{compiler:?}");
        }
    }

    #[test]
    #[ignore = "slow: 6 s"]
    fn every_name_of_the_standard_library_is_weak() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("empty.c");
        fs::write(&empty, "int main(void) { return 0; }\n").unwrap();
        for compiler in compilers() {
            let workshop = Workshop::open(compiler.clone(), Sources::files([&empty])).unwrap();
            workshop.equip().unwrap();
            let library = fs::read(workshop.path(RUNTIME)).unwrap();
            let file = object::File::parse(&*library).unwrap();
            for symbol in file
                .symbols()
                .filter(|symbol| symbol.is_global() && symbol.is_definition())
            {
                let name = symbol.name().unwrap();
                let is_ours = name.starts_with("bc_") || name.starts_with("__");
                assert!(is_ours || symbol.is_weak(), "{compiler:?}: {name}");
            }
        }
    }

    #[test]
    #[ignore = "slow: 10 s"]
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
                let Compiled { elf, messages } = workshop.compile(optimisation).unwrap();
                assert!(!messages.contains("main"), "{messages}");
                let held = |text: &str| {
                    let mut parts = elf.windows(text.len());
                    parts.any(|part| part == text.as_bytes())
                };
                let names = symbols(&elf);
                assert!(
                    names.contains("other") && names.contains("x"),
                    "{compiler:?}"
                );
                assert!(!names.contains("malloc"), "{compiler:?} keeps the library");
                let path = folder.path().to_string_lossy().into_owned();
                let here = env::current_dir().unwrap().to_string_lossy().into_owned();
                assert!(!held(&here), "{compiler:?} keeps {here}");
                assert!(held(&path), "{compiler:?} forgets {path}");
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
