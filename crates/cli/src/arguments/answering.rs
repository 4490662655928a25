//! How a program's questions about secrets are answered: `--answer-with alice.secret --allow gcd`.

use std::path::PathBuf;

use clap::Args;
use session::policy::Allowance;

use super::Unlocking;

/// Who answers, and what they are willing to answer. Without --allow or --policy nothing is
/// answered.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Answers")]
pub struct Answering {
    /// Answer the program's questions with this secret key, as far as the policy allows
    #[arg(long, value_name = "NAME.secret")]
    pub answer_with: Option<PathBuf>,
    /// Its passphrase.
    #[command(flatten)]
    pub unlocking: Unlocking,
    /// What may be answered, in TOML: max_bits, max_bits_of_key, and tables [[allow]] with site and
    /// answers
    #[arg(
        long,
        hide_short_help = true,
        value_name = "FILE",
        requires = "answer_with"
    )]
    pub policy: Option<PathBuf>,
    /// Answer at this site, at most N times; repeatable. A function (gcd), a place in it (gcd+0x1c)
    /// or an address (0x10028)
    #[arg(long, value_name = "SITE[:N]", requires = "answer_with")]
    pub allow: Vec<Allowance>,
    /// Reveal at most this many bits by answers to one job (default: the policy's, or 256); a
    /// branch costs 2
    #[arg(long, value_name = "N", requires = "answer_with")]
    pub max_bits: Option<u64>,
    /// Reveal at most this many bits by answers with this key, to all jobs together, as its ledger
    /// counts them (default: the policy's, or no limit)
    #[arg(
        long,
        hide_short_help = true,
        value_name = "N",
        requires = "answer_with"
    )]
    pub max_bits_of_key: Option<u64>,
    /// Count here what answers with this key reveal (default: beside it, as NAME.ledger)
    #[arg(
        long,
        hide_short_help = true,
        value_name = "FILE",
        requires = "answer_with"
    )]
    pub ledger: Option<PathBuf>,
    /// Record every question and answer here, as JSON lines; what was answered before, after a lost
    /// connection or a crash, is answered alike from there
    #[arg(
        long,
        hide_short_help = true,
        value_name = "FILE",
        requires = "answer_with"
    )]
    pub audit: Option<PathBuf>,
}
