//! Checks of the workspace itself: `cargo xtask layers`.
#![forbid(unsafe_code)]

mod blind;
mod layers;

use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo xtask layers    check who imports whom against the table of layers";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["layers"] => match layers::check_workspace() {
            Ok(summary) => {
                println!("{summary}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
