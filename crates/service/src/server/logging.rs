//! Logs: ids, sizes, names of states. No content, no value, no key.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::arguments::LogForm;

/// Libraries that would log what they carry if they were asked to say everything.
const CARRIERS: [&str; 8] = [
    "h2=info",
    "hyper=info",
    "hyper_util=info",
    "rustls=info",
    "tokio_rustls=info",
    "tokio_util=info",
    "tonic=info",
    "tower=info",
];

/// Logs to standard error from now on, unless something logs already.
pub(super) fn start(form: LogForm) {
    let mut filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .from_env_lossy();
    for carrier in CARRIERS {
        if let Ok(directive) = carrier.parse() {
            filter = filter.add_directive(directive);
        }
    }
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let _ = match form {
        LogForm::Text => logs.with_ansi(false).try_init(),
        LogForm::Json => logs.json().try_init(),
    };
}
