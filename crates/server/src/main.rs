//! `blindcore-server`: `blindcore serve` as a program of its own, built without anything that names
//! a secret key.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    service::server::main()
}
