//! `blindcore-server`: `blindcore serve` as a program of its own, built without anything that names
//! a secret key.

#![forbid(unsafe_code)]

use std::process::ExitCode;

/// That of the `blindcore` command, for the same reason.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    service::server::main()
}
