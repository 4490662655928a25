//! Rules as people write them: in a file, or as `--allow SITE[:N]` and `--max-bits N`.
//!
//! ```toml
//! max_bits = 64              # in one job; 256 if absent
//! max_bits_of_key = 1000     # in all jobs together; no limit if absent
//!
//! [[allow]]
//! site = "gcd"               # anywhere in this function
//!
//! [[allow]]
//! site = "search+0x1c"       # at this instruction of the function, or after this label
//! answers = 20               # at most this many times
//!
//! [[allow]]
//! site = "0x10028"           # at this address
//! ```

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::PolicyError;

/// How many bits may be revealed in one job where nothing else is said.
///
/// Enough for the branches of a small program, and for no more than a few numbers where a server
/// deceives.
const DEFAULT_BITS: u64 = 256;

/// What may be answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Bits in one job; `None` means 256.
    pub max_bits: Option<u64>,
    /// Bits in all jobs that this key ever answers; `None` means no limit.
    pub max_bits_of_key: Option<u64>,
    /// Where, and how often. None means nowhere.
    #[serde(default)]
    pub allow: Vec<Allowance>,
}

/// A site, and how many answers there may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowance {
    /// Where.
    pub site: Site,
    /// Answers there in one job; `None` leaves it to the bound on bits.
    pub answers: Option<u64>,
}

/// A place in a program, as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Site {
    /// An instruction's address.
    Address(u32),
    /// All of a function; or the instruction at a label.
    Symbol(String),
    /// The instruction at an offset in bytes from the beginning of a function, or after a label.
    Offset(String, u32),
}

impl Rules {
    /// Reads a file's text.
    ///
    /// # Errors
    /// [`PolicyError::Rules`] with what is wrong and where.
    pub fn from_toml(text: &str) -> Result<Rules, PolicyError> {
        toml::from_str(text).map_err(|error: toml::de::Error| PolicyError::Rules {
            line: error
                .span()
                .map(|span| 1 + text[..span.start.min(text.len())].matches('\n').count()),
            reason: error
                .message()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        })
    }

    /// The bound on bits.
    pub fn bits(&self) -> u64 {
        self.max_bits.unwrap_or(DEFAULT_BITS)
    }
}

impl FromStr for Allowance {
    type Err = PolicyError;

    /// `SITE` or `SITE:N`.
    fn from_str(text: &str) -> Result<Allowance, PolicyError> {
        let (site, answers) = match text.rsplit_once(':') {
            None => (text, None),
            Some((site, count)) => {
                let count = count.parse().map_err(|_| PolicyError::Count {
                    text: text.to_owned(),
                })?;
                (site, Some(count))
            }
        };
        Ok(Allowance {
            site: site.parse()?,
            answers,
        })
    }
}

impl FromStr for Site {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Site, PolicyError> {
        let wrong = || PolicyError::Site {
            text: text.to_owned(),
        };
        if text.starts_with("0x") {
            return number(text).map(Site::Address).ok_or_else(wrong);
        }
        let is_symbol = |name: &str| {
            !name.is_empty()
                && !name.starts_with(|first: char| first.is_ascii_digit())
                && !name.contains(|c: char| c.is_whitespace() || c.is_control() || c == ':')
        };
        let site = match text.rsplit_once('+') {
            None => Site::Symbol(text.to_owned()),
            Some((name, offset)) => {
                Site::Offset(name.to_owned(), number(offset).ok_or_else(wrong)?)
            }
        };
        match &site {
            Site::Symbol(name) | Site::Offset(name, _) if !is_symbol(name) => Err(wrong()),
            _ => Ok(site),
        }
    }
}

impl TryFrom<String> for Site {
    type Error = PolicyError;

    fn try_from(text: String) -> Result<Site, PolicyError> {
        text.parse()
    }
}

impl From<Site> for String {
    fn from(site: Site) -> String {
        site.to_string()
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Site::Address(address) => write!(f, "{address:#010x}"),
            Site::Symbol(name) => f.write_str(name),
            Site::Offset(name, offset) => write!(f, "{name}+{offset:#x}"),
        }
    }
}

/// `17` or `0x11`.
fn number(text: &str) -> Option<u32> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    // `from_str_radix` takes a sign, which no address has.
    if !digits.starts_with(|first: char| first.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowance(text: &str) -> Allowance {
        text.parse().unwrap()
    }

    #[test]
    fn sites_read_as_they_are_written() {
        let symbol = |name: &str| Site::Symbol(name.to_owned());
        for (text, site, answers) in [
            ("gcd", symbol("gcd"), None),
            ("gcd:20", symbol("gcd"), Some(20)),
            ("f.part.0", symbol("f.part.0"), None),
            ("gcd+0x1c", Site::Offset("gcd".to_owned(), 0x1c), None),
            ("gcd+28:3", Site::Offset("gcd".to_owned(), 28), Some(3)),
            ("0x10028", Site::Address(0x10028), None),
            ("0x10028:1", Site::Address(0x10028), Some(1)),
        ] {
            assert_eq!(allowance(text), Allowance { site, answers }, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "+4",
            "gcd+",
            "gcd+x",
            "0x",
            "0xzz",
            "0x1ffffffff",
            "10028",
            "a b",
            "gcd+-4",
            "0x+4",
        ] {
            assert_eq!(
                text.parse::<Allowance>(),
                Err(PolicyError::Site {
                    text: text.to_owned()
                }),
                "{text}"
            );
        }
        for text in ["gcd:", "gcd:x", "gcd:-1", "gcd:99999999999999999999"] {
            assert_eq!(
                text.parse::<Allowance>(),
                Err(PolicyError::Count {
                    text: text.to_owned()
                })
            );
        }
    }

    #[test]
    fn files_say_the_same() {
        let rules = Rules::from_toml(
            "max_bits = 64\nmax_bits_of_key = 1000\n[[allow]]\nsite = \"gcd\"\n[[allow]]\nsite = \"0x10028\"\nanswers = 3\n",
        );
        let expected = Rules {
            max_bits: Some(64),
            max_bits_of_key: Some(1000),
            allow: vec![allowance("gcd"), allowance("0x10028:3")],
        };
        assert_eq!(rules, Ok(expected));
        assert_eq!(Rules::from_toml("").unwrap(), Rules::default());
        assert_eq!(Rules::default().bits(), DEFAULT_BITS);
    }

    #[test]
    fn wrong_files_say_where() {
        for (text, line) in [
            ("max_bits = -1", 1),
            ("\nmax_bit = 3", 2),
            ("max_bits = 1\n[[allow]]\nsite = \"a b\"", 3),
            ("[[allow]]\nsite = \"gcd\"\nanswer = 3", 3),
            ("[[allow]]\nanswers = 3", 1),
        ] {
            let error = Rules::from_toml(text).unwrap_err();
            let PolicyError::Rules { line: found, .. } = &error else {
                panic!("{error}");
            };
            assert_eq!(*found, Some(line), "{text}: {error}");
        }
    }
}
