//! `blindcore-server health`: asks the server of this machine how it is. An image with nothing in it
//! has no other program that its health check could call.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use clap::Args;

use super::ServerError;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest answer that is read.
const LONGEST: u64 = 64 << 10;

/// Ask the server of this machine how it is: exit code 0 if it takes jobs, 1 if not
#[derive(Clone, Debug, Args)]
pub(super) struct HealthCheck {
    /// Where it answers: its --metrics
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9464")]
    metrics: SocketAddr,
    /// Ask only whether it runs (/livez instead of /readyz): one that has no room, say, is not mended
    /// by starting it again
    #[arg(long)]
    live: bool,
}

impl HealthCheck {
    /// What it says, if it is well.
    pub(super) fn ask(&self) -> Result<String, ServerError> {
        let path = if self.live { "/livez" } else { "/readyz" };
        let address = self.metrics;
        let unwell = |reason: String| ServerError::Unwell { address, reason };
        let answer = exchange(address, path).map_err(|error| {
            unwell(format!(
                "no answer ({error}): does it run, with --metrics there?"
            ))
        })?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        // A line each says why; it goes to whoever reads the container's state.
        let shown = |letter: char| if letter.is_control() { ' ' } else { letter };
        let body: String = body.trim().chars().map(shown).collect();
        match head.split_whitespace().nth(1) {
            Some("200") => Ok(body),
            Some(word) => Err(unwell(format!("{word}: {body}"))),
            None => Err(unwell("what answers there speaks no HTTP".to_owned())),
        }
    }
}

fn exchange(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
