//! The `blindcore` command.

/// The C library's allocator gives rows of ciphertexts, 64 to 256 KB each, back to the system where
/// they lie at the end of its heap, and has them faulted in again by the next gate: most of the
/// time of an XOR of BGV. This one keeps them for some milliseconds.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    blindcore_cli::main()
}
