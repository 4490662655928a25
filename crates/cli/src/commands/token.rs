//! `blindcore token`: a new token for one, its hash for the other.

use std::io::Write as _;

use zeroize::Zeroizing;

use super::tls::check_name;
use super::{internal, print};
use crate::arguments::Token;
use crate::failure::Failure;

/// Makes a token. It is kept nowhere.
pub(crate) fn token(arguments: &Token) -> Result<(), Failure> {
    let Token { name, operator } = arguments;
    check_name(name)?;
    let token = service::token::generate().map_err(internal)?;
    let fingerprint = service::token::fingerprint(&token);
    let line = Zeroizing::new(format!("{}\n", token.as_str()));
    print(&line)?;
    let operator = if *operator { "operator = true\n" } else { "" };
    // Quoted, since a dot would begin a section within the section.
    let section = format!("[token.\"{name}\"]\nsha256 = \"{fingerprint}\"\n{operator}");
    // Nobody has to read it: without it the token is worth nothing.
    let _ = std::io::stderr().write_all(section.as_bytes());
    Ok(())
}
