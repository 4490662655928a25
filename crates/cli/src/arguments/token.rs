//! `blindcore token`: a client of `serve --web` that has no certificate.

use clap::Args;

/// What to do with what is printed, for help texts.
const NEXT_HELP: &str = "\
The token goes to standard output, once: give it to the client over a way that nobody reads along.
What the server needs goes to standard error: a section for the file of `serve --config`. It has a
hash of the token, from which nobody gets the token back. So, without showing either:
  blindcore token alice >alice.token 2>>server.toml
The server reads its configuration when it starts, and when it is told to (SIGHUP, `blindcore admin
reload`): a token whose section is gone is refused from then on.";

/// `blindcore token`
#[derive(Debug, Args)]
#[command(after_help = NEXT_HELP)]
pub struct Token {
    /// The client's name: its quota is that of [client.NAME]
    pub name: String,
    /// May see all clients' jobs: names, states and costs, no content
    #[arg(long)]
    pub operator: bool,
}
