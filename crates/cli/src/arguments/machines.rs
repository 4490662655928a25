//! Machines that a run is to be shared among.

use std::num::NonZeroUsize;

use clap::Args;

/// Machines that are alike.
#[derive(Debug, Args)]
pub struct MachineArguments {
    /// Say what the run would take on 1, 2, 4 … N machines, and on how many it is best run
    #[arg(long, value_name = "N", value_parser = machine_count, help_heading = "Several machines")]
    pub machines: Option<NonZeroUsize>,
    /// Cores of each machine (default: as --threads)
    #[arg(long, value_name = "N", value_parser = super::thread_count, requires = "machines", help_heading = "Several machines")]
    pub cores: Option<NonZeroUsize>,
    /// What each machine's link carries each way, in bits a second: 10G, 25G, 1000M
    #[arg(long, value_name = "RATE", default_value = "10G", value_parser = rate, requires = "machines", help_heading = "Several machines")]
    pub network: f64,
}

/// More machines than this have more links than a plan can play through.
const MOST: usize = 1024;

fn machine_count(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(count) if count.get() <= MOST => Ok(count),
        _ => Err(format!("a number from 1 to {MOST} is wanted")),
    }
}

/// Cores of all machines together.
pub(super) fn core_count(text: &str) -> Result<NonZeroUsize, String> {
    let most = 64 * MOST;
    match text.parse::<NonZeroUsize>() {
        Ok(count) if count.get() <= most => Ok(count),
        _ => Err(format!("a number from 1 to {most} is wanted")),
    }
}

/// Bits a second.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches(|sign: char| sign.is_ascii_alphabetic() || sign == '/');
    let factor = match &text[number.len()..] {
        "k" | "kbit/s" => 1e3,
        "M" | "Mbit/s" => 1e6,
        "G" | "Gbit/s" => 1e9,
        "T" | "Tbit/s" => 1e12,
        _ => return Err("a number and a unit are wanted, such as 10G or 25Gbit/s".to_owned()),
    };
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() && (1e3..=1e15).contains(&(number * factor)) => {
            Ok(number * factor)
        }
        _ => Err("a rate from 1k to 1000T is wanted, such as 10G".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates() {
        for (text, expected) in [
            ("10G", Some(1e10)),
            ("2.5Gbit/s", Some(2.5e9)),
            ("100M", Some(1e8)),
            ("1T", Some(1e12)),
        ] {
            assert_eq!(rate(text).ok(), expected, "{text}");
        }
        for text in ["", "G", "10", "-1G", "1e30G", "NaNG", "10X", "0G", "10 G"] {
            assert!(rate(text).is_err(), "{text}");
        }
    }
}
