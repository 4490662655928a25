//! Compiles the protocol. No `protoc` is needed: the compiler is a library.

use std::error::Error;

/// The protocol's file, in the folder that its package names.
const PROTOCOL: [&str; 2] = [
    "proto/blindcore/v1/blindcore.proto",
    "proto/blindcore/v1/admin.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    for file in PROTOCOL {
        println!("cargo:rerun-if-changed={file}");
    }
    let files = protox::compile(PROTOCOL, ["proto"])?;
    tonic_prost_build::configure().compile_fds(files)?;
    Ok(())
}
