//! `blindcore multiply`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use bignum::Route;
use clap::{Args, ValueEnum};

use super::thread_count;

/// How a number is written in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NumberForm {
    /// Bytes, the lowest first
    Raw,
    /// Hexadecimal digits, with or without 0x
    Hex,
    /// Decimal digits
    Decimal,
}

/// `blindcore multiply`
#[derive(Debug, Args)]
#[command(after_help = "\
Algorithms:
  automatic    the fastest for the size on this machine, measured once and kept in
               ~/.cache/blindcore/multiplier
  schoolbook   row by row
  columns      column by column of digits of 52 bits, and Karatsuba's products above 256 limbs
               (AVX-512 with IFMA and VBMI)
  karatsuba    three products of halves
  toom         five products of thirds
  float        certified floating-point transforms; exact ones where the certificate does not hold
  exact        transforms modulo three primes
Every product by transforms is checked modulo 2^61 - 1. `-` reads standard input.")]
pub struct Multiply {
    /// File of the first factor
    pub a: PathBuf,
    /// File of the second factor; the same again for a square
    pub b: PathBuf,
    /// How the factors are written
    #[arg(long, value_enum, default_value = "decimal")]
    pub from: NumberForm,
    /// How the product is written (default: as the factors)
    #[arg(long, value_enum)]
    pub to: Option<NumberForm>,
    /// Write the product to this file (default: standard output)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Threads, at most 1024 (default: all cores); transforms use two
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// Algorithm of the product
    #[arg(long, value_name = "NAME", default_value = "automatic", value_parser = route)]
    pub algorithm: Route,
    /// Say nothing of the progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// An algorithm by its name.
fn route(name: &str) -> Result<Route, String> {
    let known = Route::ALL.iter().find(|route| route.name() == name);
    known.copied().ok_or_else(|| {
        let names: Vec<_> = Route::ALL.iter().map(|route| route.name()).collect();
        format!("no such algorithm: there are {}", names.join(", "))
    })
}
