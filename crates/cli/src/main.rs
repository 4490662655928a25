//! The `blindcore` command.

fn main() -> std::process::ExitCode {
    cli::main()
}
