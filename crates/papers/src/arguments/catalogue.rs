//! `blindcore circuits`: which units, and on what.

use std::num::NonZeroUsize;

use circuits::library::catalogue::{Family, catalogue};
use clap::Args;
use tfhe::gate::GateParameters;
use tfhe::{Fft, Parameters};

use super::{Output, gate_set, lookup_set, processor, thread_count, thread_counts};

/// `blindcore circuits`
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Circuits {
    /// Only this family: addition, subtraction, summation, comparison, bitwise, shift,
    /// multiplication, division
    #[arg(value_parser = family)]
    pub family: Option<Family>,
    /// Bits of a word, 2 to 64
    #[arg(long, value_name = "N", value_parser = width, default_value = "16")]
    pub width: usize,
    /// Numbers of cores, separated by commas: measured where the machine has them, else simulated
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = thread_count,
        default_value = "1,2,48"
    )]
    pub cores: Vec<NonZeroUsize>,
    /// Parameter set of the lookup engine
    #[arg(long, value_name = "NAME", value_parser = lookup_set, default_value = "p16")]
    pub set: Parameters,
    /// Parameter set of the gate engine
    #[arg(long, value_name = "NAME", value_parser = gate_set, default_value = "tfhe-lib-118")]
    pub gate_set: GateParameters,
    /// FFT processor, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, value_name = "NAME", value_parser = processor)]
    pub fft: Option<Fft>,
    /// Run every unit on the gate engine too: takes minutes
    #[arg(long, conflicts_with = "quick")]
    pub gates: bool,
    /// Beside that, what the library builds where the server has a selector key, on one core
    #[arg(long)]
    pub selectors: bool,
    /// Run only what the library chooses; simulate the other architectures
    #[arg(long)]
    pub quick: bool,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

const AFTER_HELP: &str = "\
The default of each operation is what the library builds for that many cores; its distance from the
best of all architectures stands beside it.";

impl Circuits {
    /// Numbers of cores, each once, from few to many.
    pub(crate) fn cores(&self) -> Vec<usize> {
        thread_counts(&self.cores)
    }
}

fn family(text: &str) -> Result<Family, String> {
    let mut families: Vec<Family> = catalogue().iter().map(|unit| unit.family).collect();
    families.sort_unstable();
    families.dedup();
    let found = families.iter().find(|family| family.to_string() == text);
    found.copied().ok_or_else(|| {
        let names: Vec<String> = families.iter().map(Family::to_string).collect();
        format!("no such family; there are {}", names.join(", "))
    })
}

fn width(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|bits| (2..=64).contains(bits))
        .ok_or_else(|| "not a number from 2 to 64".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_go_by_their_names() {
        assert_eq!(family("division"), Ok(Family::Division));
        let error = family("roots").unwrap_err();
        assert!(error.contains("there are addition, "), "{error}");
        assert_eq!(width("16"), Ok(16));
        assert!(width("1").is_err() && width("65").is_err() && width("x").is_err());
    }
}
