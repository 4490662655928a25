//! Bounds of loops that somebody names: `32`, `gcd=40`, `main+0x1c=8`, `0x8010=8`, `search.c:14=20`.

use std::str::FromStr;

use processor::{Bound, Program};

use super::number;
use crate::error::{Error, ErrorKind};

/// How often a loop goes round at most, and which one that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopBound {
    site: Option<Site>,
    rounds: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Site {
    Address(u32),
    /// A function, or an instruction in it.
    Symbol(String, Option<u32>),
    Line(String, u32),
}

impl FromStr for LoopBound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "{text:?} is no bound: ROUNDS, or FUNCTION=ROUNDS, FUNCTION+OFFSET=ROUNDS, \
                 FILE:LINE=ROUNDS, ADDRESS=ROUNDS, as in 32 or gcd=40"
            )
        };
        let (site, rounds) = match text.rsplit_once('=') {
            None => (None, text),
            Some((site, rounds)) => (Some(Site::parse(site).ok_or_else(expected)?), rounds),
        };
        let rounds = number(rounds).filter(|rounds| *rounds > 0);
        Ok(Self {
            site,
            rounds: rounds.ok_or_else(expected)?.into(),
        })
    }
}

impl Site {
    fn parse(text: &str) -> Option<Self> {
        if let Some(address) = number(text) {
            return Some(Self::Address(address));
        }
        if let Some((file, line)) = text.rsplit_once(':') {
            let line = line.parse().ok()?;
            return (!file.is_empty()).then(|| Self::Line(file.to_owned(), line));
        }
        let (name, offset) = match text.split_once('+') {
            None => (text, None),
            Some((name, offset)) => (name, Some(number(offset)?)),
        };
        (!name.is_empty()).then(|| Self::Symbol(name.to_owned(), offset))
    }
}

impl LoopBound {
    /// The processor's words for it: several where a line has several pieces of code.
    pub(super) fn bounds(&self, program: &Program) -> Result<Vec<Bound>, Error> {
        let rounds = self.rounds;
        let at = |address, size| Bound {
            address,
            size,
            rounds,
        };
        let unknown = |message: String| Error::new(ErrorKind::Input, message);
        Ok(match &self.site {
            None => vec![Bound::of_all(rounds)],
            Some(Site::Address(address)) => vec![at(*address, 4)],
            Some(Site::Symbol(name, offset)) => {
                let function = program.function(name);
                let function = function.map_err(|error| unknown(format!("--bound: {error}")))?;
                match offset {
                    None => vec![at(function.address, function.size.max(4).into())],
                    Some(offset) => vec![at(function.address.wrapping_add(*offset), 4)],
                }
            }
            Some(Site::Line(file, line)) => {
                let found = instructions(program, file, *line);
                if found.is_empty() {
                    let message = format!(
                        "--bound: no instruction is known to be of {file}:{line}; compile with -g"
                    );
                    return Err(unknown(message));
                }
                found.into_iter().map(|address| at(address, 4)).collect()
            }
        })
    }
}

/// The addresses of the instructions of a line.
fn instructions(program: &Program, file: &str, line: u32) -> Vec<u32> {
    let functions = program.functions().iter();
    let words = functions.flat_map(|function| program.words(function));
    let here = |address: &u32| {
        let place = program.place(*address).line;
        place.is_some_and(|(own, number)| {
            let same = own == file || own.ends_with(&format!("/{file}"));
            number == line && same
        })
    };
    words.map(|(address, _)| address).filter(here).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_and_rounds() {
        let parse = |text: &str| text.parse::<LoopBound>();
        let bound = |site, rounds| Ok(LoopBound { site, rounds });
        assert_eq!(parse("32"), bound(None, 32));
        assert_eq!(parse("0x8010=8"), bound(Some(Site::Address(0x8010)), 8));
        assert_eq!(
            parse("gcd=40"),
            bound(Some(Site::Symbol("gcd".into(), None)), 40)
        );
        assert_eq!(
            parse("gcd+0x1c=40"),
            bound(Some(Site::Symbol("gcd".into(), Some(28))), 40)
        );
        assert_eq!(
            parse("a/search.c:14=0x10"),
            bound(Some(Site::Line("a/search.c".into(), 14)), 16)
        );
        for wrong in [
            "", "x", "=4", "gcd=", "gcd=0", "0", "gcd+=4", ":3=4", "a.c:x=4", "-1",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn places_in_a_program() {
        let file = std::fs::read("../processor/tests/programs/branches.elf").unwrap();
        let program = Program::load(&file).unwrap();
        let bounds = |text: &str| text.parse::<LoopBound>().unwrap().bounds(&program);
        let gcd = program.function("gcd").unwrap();
        let found = bounds("gcd=40").unwrap();
        assert_eq!(
            (found[0].address, found[0].size),
            (gcd.address, gcd.size.into())
        );
        assert_eq!(bounds("9").unwrap(), [Bound::of_all(9)]);
        let (name, line) = program.place(gcd.address).line.unwrap();
        let found = bounds(&format!("{name}:{line}=3")).unwrap();
        assert!(
            found.iter().any(|bound| bound.address == gcd.address),
            "{found:?}"
        );
        assert!(bounds("nothing=3").is_err() && bounds("branches.c:9999=3").is_err());
    }
}
