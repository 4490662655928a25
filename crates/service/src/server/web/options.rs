//! Where `--web` listens and what it serves, as the command line says it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;

/// Options of the HTTP interface.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "HTTP")]
pub struct WebOptions {
    /// Serve HTTP with JSON here as well, and a page: for browsers, and for clients with a token
    /// ([token.NAME] in --config; `blindcore token` makes one)
    #[arg(long, value_name = "ADDRESS")]
    pub web: Option<SocketAddr>,
    /// Speak TLS there, with the certificate of --tls or of another such directory; a client's
    /// certificate then stands for a token
    #[arg(
        long,
        value_name = "DIR",
        requires = "web",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with = "web_plain"
    )]
    pub web_tls: Option<Option<PathBuf>>,
    /// Speak plain HTTP there though other machines reach it: for a proxy in front that speaks TLS.
    /// (On an address of this machine alone nothing need be said.)
    #[arg(long, requires = "web")]
    pub web_plain: bool,
    /// Let pages of this origin call, repeatable, such as https://example.org; without it only the
    /// page that is served here
    #[arg(long, value_name = "ORIGIN", requires = "web", value_parser = origin)]
    pub web_origin: Vec<String>,
    /// Offer the programs in this directory (ELF and .hea), read once at start
    #[arg(long, value_name = "DIR", requires = "web")]
    pub web_programs: Option<PathBuf>,
    /// Serve the files in this directory as the page, read once at start
    #[arg(long, value_name = "DIR", requires = "web")]
    pub web_app: Option<PathBuf>,
}

/// How connections are protected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Protection {
    /// By TLS, with the material in this directory.
    Tls(PathBuf),
    /// By being within this machine.
    Loopback,
    /// By a proxy in front.
    Proxy,
}

impl WebOptions {
    /// What protects the connections; an error says what to choose from. `server` is the directory
    /// of the server's certificate.
    pub(super) fn protection(&self, server: &Path) -> Result<Protection, String> {
        let Some(address) = self.web else {
            return Ok(Protection::Loopback);
        };
        match &self.web_tls {
            Some(own) => Ok(Protection::Tls(
                own.clone().unwrap_or_else(|| server.to_path_buf()),
            )),
            None if address.ip().to_canonical().is_loopback() => Ok(Protection::Loopback),
            None if self.web_plain => Ok(Protection::Proxy),
            None => Err(format!(
                "--web {address}: other machines reach this address, where tokens and ciphertexts must \
                 not travel readable: add --web-tls for TLS with the certificate of --tls, or \
                 --web-plain if a proxy in front of it speaks TLS, or listen on 127.0.0.1"
            )),
        }
    }
}

/// An origin as browsers write it: scheme, host, and the port where it is not the scheme's own.
fn origin(text: &str) -> Result<String, String> {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let host = |letter: char| letter.is_ascii_alphanumeric() || ".-:[]_".contains(letter);
    let fits = rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(host));
    let usual = text.starts_with("https://") && text.ends_with(":443")
        || text.starts_with("http://") && text.ends_with(":80");
    if !fits || usual || text.chars().any(|letter| letter.is_ascii_uppercase()) {
        return Err(
            "an origin is written as browsers do, such as https://example.org or \
             http://localhost:8000: scheme and host in lower case, the port where it is not the \
             scheme's own, no path; there is no * here"
                .to_owned(),
        );
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protection(
        address: &str,
        tls: Option<Option<&str>>,
        plain: bool,
    ) -> Result<Protection, String> {
        let options = WebOptions {
            web: Some(address.parse().unwrap()),
            web_tls: tls.map(|own| own.map(PathBuf::from)),
            web_plain: plain,
            ..WebOptions::default()
        };
        options.protection(Path::new("server"))
    }

    #[test]
    fn nothing_readable_leaves_the_machine_unless_that_is_asked_for() {
        for local in [
            "127.0.0.1:80",
            "127.9.9.9:80",
            "[::1]:80",
            "[::ffff:127.0.0.1]:80",
        ] {
            assert_eq!(protection(local, None, false), Ok(Protection::Loopback));
        }
        for open in [
            "0.0.0.0:80",
            "[::]:80",
            "192.0.2.1:80",
            "[::ffff:192.0.2.1]:80",
        ] {
            let error = protection(open, None, false).unwrap_err();
            assert!(error.contains("--web-tls") && error.contains("--web-plain"));
            assert_eq!(protection(open, None, true), Ok(Protection::Proxy));
            let own = |name: &str| Ok(Protection::Tls(name.into()));
            assert_eq!(protection(open, Some(None), false), own("server"));
            assert_eq!(protection(open, Some(Some("other")), false), own("other"));
        }
    }

    #[test]
    fn origins_are_exact() {
        for right in [
            "https://example.org",
            "http://localhost:8000",
            "http://[::1]:8000",
        ] {
            assert_eq!(origin(right).as_deref(), Ok(right));
        }
        for wrong in [
            "*",
            "null",
            "example.org",
            "https://",
            "https://example.org/",
            "https://Example.org",
            "https://example.org:443",
            "https://a b",
            "https://*",
            "ftp://example.org",
        ] {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }
}
