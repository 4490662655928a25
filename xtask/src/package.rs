//! Packages of the command line: `cargo xtask package static` and `cargo xtask package deb`.
//!
//! Both hold one static binary (musl, no debugging information), manual pages, completions for
//! three shells and the licences. The binary itself writes pages and completions, so they are those
//! of this very build. A Debian package needs nothing but what holds on every Debian: no libraries.
//! It is built with `dpkg-deb`, the archive with `tar`; both take their times from the last commit,
//! so that one commit gives one package.

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

type Done<T> = Result<T, Box<dyn Error>>;

const TARGET: &str = "x86_64-unknown-linux-musl";
const PROFILE: &str = "dist";

/// Shells, and where their completions lie in a system.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/blindcore"),
    ("fish", "usr/share/fish/vendor_completions.d/blindcore.fish"),
    ("zsh", "usr/share/zsh/vendor-completions/_blindcore"),
];

/// What becomes of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An archive to unpack anywhere.
    Static,
    /// A Debian package.
    Deb,
}

/// Makes a package, of a binary that is there already or of one that is built now; says where it
/// lies and how large it is.
pub(crate) fn package(kind: Kind, binary: Option<&str>) -> Done<String> {
    let repository = repository();
    let binary = match binary {
        Some(path) => PathBuf::from(path),
        None => build(&repository)?,
    };
    let out = target_folder(&repository).join("package");
    let made = make(kind, &repository, &binary, &out)?;
    let sizes = [&made, &binary].map(|path| fs::metadata(path).map(|file| file.len()));
    let [package, program] = sizes;
    Ok(format!(
        "{}: {} bytes; the binary in it: {} bytes",
        made.display(),
        package?,
        program?
    ))
}

fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

fn target_folder(repository: &Path) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => repository.join(folder),
        None => repository.join("target"),
    }
}

/// Builds the static binary.
fn build(repository: &Path) -> Done<PathBuf> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args([
            "build",
            "--locked",
            "--profile",
            PROFILE,
            "--target",
            TARGET,
        ])
        .args(["--package", "blindcore-cli"])
        .current_dir(repository);
    run(&mut cargo).map_err(|error| {
        format!(
            "{error}\na static build needs the target and a C compiler for it:\n  \
             rustup target add {TARGET}\n  apt-get install musl-tools"
        )
    })?;
    let built = target_folder(repository).join(TARGET).join(PROFILE);
    Ok(built.join("blindcore"))
}

/// Lays the files out and packs them.
fn make(kind: Kind, repository: &Path, binary: &Path, out: &Path) -> Done<PathBuf> {
    let version = env!("CARGO_PKG_VERSION");
    let (tree, package) = match kind {
        Kind::Static => {
            let name = format!("blindcore-{version}-x86_64-linux");
            (out.join(&name), out.join(format!("{name}.tar.gz")))
        }
        Kind::Deb => (
            out.join("deb"),
            out.join(format!("blindcore_{version}_amd64.deb")),
        ),
    };
    match fs::remove_dir_all(&tree) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let files = Files {
        repository,
        binary,
        tree: &tree,
    };
    let epoch = commit_time(repository);
    match kind {
        Kind::Static => {
            files.portable()?;
            let name = tree.file_name().unwrap_or_default();
            let mut tar = Command::new("tar");
            tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
                .arg(format!("--mtime=@{epoch}"))
                .args(["--create", "--gzip", "--file"])
                .arg(&package)
                .arg("--directory")
                .arg(out)
                .arg(name);
            run(&mut tar)?;
        }
        Kind::Deb => {
            files.system()?;
            files.control(version)?;
            let mut deb = Command::new("dpkg-deb");
            deb.args(["--root-owner-group", "-Zxz", "--build"])
                .arg(&tree)
                .arg(&package)
                .env("SOURCE_DATE_EPOCH", epoch.to_string())
                .stdout(Stdio::null());
            run(&mut deb)?;
        }
    }
    Ok(package)
}

/// When the last commit was made, in seconds; 0 outside a repository.
fn commit_time(repository: &Path) -> u64 {
    let git = Command::new("git")
        .args(["log", "-1", "--format=%ct"])
        .current_dir(repository)
        .stderr(Stdio::null())
        .output();
    let text = git.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).trim().parse().unwrap_or(0)
}

/// A package's files before they are packed.
struct Files<'a> {
    repository: &'a Path,
    binary: &'a Path,
    tree: &'a Path,
}

impl Files<'_> {
    /// In one folder.
    fn portable(&self) -> Done<()> {
        self.put_binary("bin/blindcore")?;
        self.pages("man/man1")?;
        for (shell, place) in SHELLS {
            let name = place.rsplit('/').next().unwrap_or(shell);
            self.completions(shell, &format!("completions/{shell}/{name}"))?;
        }
        for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md"] {
            self.put(file, &fs::read(self.repository.join(file))?)?;
        }
        Ok(())
    }

    /// Where Debian has them.
    fn system(&self) -> Done<()> {
        self.put_binary("usr/bin/blindcore")?;
        self.pages("usr/share/man/man1")?;
        for (shell, place) in SHELLS {
            self.completions(shell, place)?;
        }
        let documents = "usr/share/doc/blindcore";
        self.put(
            &format!("{documents}/copyright"),
            self.copyright()?.as_bytes(),
        )?;
        let changes = self.tree.join(documents).join("changelog");
        fs::copy(self.repository.join("CHANGELOG.md"), &changes)?;
        compress(&changes)
    }

    /// What `dpkg` reads.
    fn control(&self, version: &str) -> Done<()> {
        let kibibytes = size(self.tree)?.div_ceil(1024);
        self.put("DEBIAN/control", control(version, kibibytes).as_bytes())
    }

    fn put(&self, place: &str, content: &[u8]) -> Done<()> {
        let path = self.tree.join(place);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, content)?;
        mode(&path, 0o644)
    }

    fn put_binary(&self, place: &str) -> Done<()> {
        let content =
            fs::read(self.binary).map_err(|error| format!("{}: {error}", self.binary.display()))?;
        self.put(place, &content)?;
        mode(&self.tree.join(place), 0o755)
    }

    /// Manual pages, compressed.
    fn pages(&self, place: &str) -> Done<()> {
        let folder = self.tree.join(place);
        let mut program = Command::new(self.binary);
        run(program
            .args(["man", "--out"])
            .arg(&folder)
            .stdout(Stdio::null()))?;
        for entry in fs::read_dir(&folder)? {
            compress(&entry?.path())?;
        }
        Ok(())
    }

    fn completions(&self, shell: &str, place: &str) -> Done<()> {
        let output = Command::new(self.binary)
            .args(["completions", shell])
            .output()?;
        if !output.status.success() || output.stdout.is_empty() {
            return Err(format!("{}: no completions for {shell}", self.binary.display()).into());
        }
        self.put(place, &output.stdout)
    }

    /// The licence of choice in Debian's form; the texts follow.
    fn copyright(&self) -> Done<String> {
        let mut text = String::from(
            "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
             Upstream-Name: Blindcore\n\n\
             Files: *\nCopyright: the Blindcore authors\nLicense: Apache-2.0 or MIT\n",
        );
        for (name, file) in [("Apache-2.0", "LICENSE-APACHE"), ("MIT", "LICENSE-MIT")] {
            text.push_str(&format!("\nLicense: {name}\n"));
            for line in fs::read_to_string(self.repository.join(file))?.lines() {
                text.push_str(match line.trim() {
                    "" => " .",
                    _ => " ",
                });
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        Ok(text)
    }
}

fn control(version: &str, kibibytes: u64) -> String {
    format!(
        "Package: blindcore\n\
         Version: {version}\n\
         Architecture: amd64\n\
         Maintainer: Blindcore <noreply@blindcore.invalid>\n\
         Installed-Size: {kibibytes}\n\
         Recommends: gcc-arm-none-eabi | clang\n\
         Section: science\n\
         Priority: optional\n\
         Description: run compiled programs on encrypted data\n \
         An A32 program, or a C file, runs on inputs that stay encrypted: whoever has\n \
         the key decrypts the outputs, and whoever computes sees neither.\n"
    )
}

/// The bytes of all files of a folder.
fn size(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.metadata()?;
        sum += match found.is_dir() {
            true => size(&entry.path())?,
            false => found.len(),
        };
    }
    Ok(sum)
}

/// Compresses a file in its place, without name and time.
fn compress(path: &Path) -> Done<()> {
    run(Command::new("gzip").args(["-9", "-n", "-f"]).arg(path))
}

#[cfg(unix)]
fn mode(path: &Path, bits: u32) -> Done<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(bits))?)
}

#[cfg(not(unix))]
fn mode(_: &Path, _: u32) -> Done<()> {
    Ok(())
}

/// Runs a command that must succeed.
fn run(command: &mut Command) -> Done<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .map_err(|error| format!("{name}: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{name}: {status}").into()),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// In the place of the binary: pages and completions of its own.
    const STUB: &str = "#!/bin/sh
case $1 in
    man) mkdir -p \"$3\" && echo '.TH blindcore 1' >\"$3/blindcore.1\" ;;
    completions) echo \"complete for $2\" ;;
esac
";

    fn made(kind: Kind, folder: &Path) -> PathBuf {
        let binary = folder.join("stub");
        fs::write(&binary, STUB).unwrap();
        mode(&binary, 0o755).unwrap();
        make(kind, &repository(), &binary, folder).unwrap()
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("blindcore-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn told(program: &str, arguments: &[&str], path: &Path) -> String {
        let output = Command::new(program)
            .args(arguments)
            .arg(path)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn a_debian_package_has_all_files_in_their_places() {
        let folder = folder("deb");
        let package = made(Kind::Deb, &folder);
        let files = told("dpkg-deb", &["--contents"], &package);
        let places = SHELLS.map(|(_, place)| place);
        for place in places.iter().chain(&[
            "usr/bin/blindcore",
            "usr/share/man/man1/blindcore.1.gz",
            "usr/share/doc/blindcore/copyright",
            "usr/share/doc/blindcore/changelog.gz",
        ]) {
            assert!(
                files.contains(&format!("./{place}\n")),
                "{place} in {files}"
            );
        }
        let binary = files
            .lines()
            .find(|line| line.ends_with("/usr/bin/blindcore"))
            .unwrap();
        assert!(binary.starts_with("-rwxr-xr-x root/root"), "{binary}");
        let about = told("dpkg-deb", &["--field"], &package);
        assert!(about.contains("Package: blindcore\n") && about.contains("Installed-Size: "));
        // The same files give the same package.
        let first = fs::read(&package).unwrap();
        assert_eq!(first, fs::read(made(Kind::Deb, &folder)).unwrap());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_archive_unpacks_into_one_folder() {
        let folder = folder("static");
        let files = told("tar", &["--list", "--file"], &made(Kind::Static, &folder));
        assert!(files.lines().all(|name| name.starts_with("blindcore-")));
        for place in [
            "bin/blindcore",
            "man/man1/blindcore.1.gz",
            "completions/zsh/_blindcore",
            "LICENSE-MIT",
        ] {
            assert!(files.contains(&format!("/{place}\n")), "{place} in {files}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
