//! What a run is given: files of encrypted inputs, and public variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use processor::Unset;
use session::{Error, Program};

use crate::failure::{Code, Failure};

/// Files of inputs and public variables.
#[derive(Clone, Debug, Default, Args)]
pub struct Contributions {
    /// Encrypted inputs, made by `blindcore encrypt`; - is standard input
    pub inputs: PathBuf,
    /// Further files of inputs, each for the variables that it names; public variables
    #[arg(value_name = "FILE|NAME=VALUE", value_parser = OsStringValueParser::new().map(Given::from))]
    pub more: Vec<Given>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A file of encrypted inputs.
    File(PathBuf),
    /// `NAME=VALUE`, `NAME:TYPE=VALUE` or `@FILE.json`.
    Public(String),
}

impl From<OsString> for Given {
    /// A value begins with a name and `=`, or with `@`; everything else is a file.
    fn from(text: OsString) -> Given {
        let is_value = |text: &str| {
            let name = text.split_once('=').map(|(name, _)| name);
            text.starts_with('@') || name.is_some_and(|name| !name.contains(['/', '\\']))
        };
        match text.into_string() {
            Ok(text) if is_value(&text) => Given::Public(text),
            Ok(text) => Given::File(text.into()),
            Err(text) => Given::File(text.into()),
        }
    }
}

impl Contributions {
    /// One file.
    #[must_use]
    pub fn of(inputs: PathBuf) -> Contributions {
        Contributions {
            inputs,
            more: Vec::new(),
        }
    }

    /// The files as they were named.
    #[must_use]
    pub fn files(&self) -> Vec<&Path> {
        let more = self.more.iter().filter_map(|given| match given {
            Given::File(path) => Some(path.as_path()),
            Given::Public(_) => None,
        });
        std::iter::once(self.inputs.as_path()).chain(more).collect()
    }

    /// Refuses to read both a file and values from standard input.
    ///
    /// # Errors
    /// [`Code::Usage`].
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let of_values = |text: &str| text.starts_with("@-") || text.contains("=@-");
        let files = self.files();
        if files.contains(&Path::new("-")) && self.public().any(of_values) {
            let message = "standard input (-) is a file of inputs here: it has no values as well";
            return Err(Failure::new(Code::Usage, message));
        }
        Ok(())
    }

    /// The public variables.
    pub fn public(&self) -> impl Iterator<Item = &str> {
        self.more.iter().filter_map(|given| match given {
            Given::File(_) => None,
            Given::Public(text) => Some(text.as_str()),
        })
    }
}

/// What becomes of variables that nobody gave.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Missing {
    /// Take 0 for variables that the program reads and never writes and nobody gave, as C does;
    /// without this they are named and refused (those that are not static and have no initial
    /// value)
    #[arg(long, visible_alias = "allow-missing")]
    pub default_zero: bool,
}

impl Missing {
    /// Refuses what nobody gave, unless it is to be 0.
    pub(crate) fn check(self, program: &Program, unset: &[Unset]) -> Result<(), Error> {
        match self.default_zero {
            true => Ok(()),
            false => program.refuse_missing(unset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_files_are_told_apart() {
        for (text, public) in [
            ("a=1", true),
            ("a:u8[2]=1,2", true),
            ("rows[1].x=3", true),
            ("a=./b.bct", true),
            ("@values.json", true),
            ("b.bct", false),
            ("./a=b.bct", false),
            ("dir=x/a.bct", true),
            ("dir/x=1.bct", false),
        ] {
            let given = Given::from(OsString::from(text));
            let expected = match public {
                true => Given::Public(text.to_owned()),
                false => Given::File(text.into()),
            };
            assert_eq!(given, expected);
        }
    }
}
