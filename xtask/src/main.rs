//! Checks of the workspace itself: `cargo xtask layers`, `cargo xtask links`; packages: `cargo xtask
//! package`; and what mdBook calls for its pages.
#![forbid(unsafe_code)]

mod blind;
mod book;
mod layers;
mod links;
mod markdown;
mod package;
#[cfg(test)]
mod suites;

use std::error::Error;
use std::process::ExitCode;

use package::Kind;

const USAGE: &str = "\
usage: cargo xtask layers    check who imports whom against the table of layers
       cargo xtask links     check that links of the documentation lead somewhere
       cargo xtask package deb|static [BINARY]
                             make a Debian package, or an archive with a static binary; of a
                             binary that is built now, unless one is named
       cargo xtask book      called by mdBook: see book.toml";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done: Result<String, Box<dyn Error>> = match arguments.as_slice() {
        ["layers"] => layers::check_workspace().map_err(Into::into),
        ["links"] => links::check_repository(),
        ["package", "deb"] => package::package(Kind::Deb, None),
        ["package", "deb", binary] => package::package(Kind::Deb, Some(binary)),
        ["package", "static"] => package::package(Kind::Static, None),
        ["package", "static", binary] => package::package(Kind::Static, Some(binary)),
        // Whether pages for this renderer are rewritten: they are for every one.
        ["book", "supports", _] => return ExitCode::SUCCESS,
        ["book"] => match book::keep_links_inside() {
            Ok(()) => return ExitCode::SUCCESS,
            Err(error) => Err(error),
        },
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
