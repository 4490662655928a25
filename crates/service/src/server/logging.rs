//! Logs: ids, sizes, names of states. No content, no value, no key.

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

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

/// Logs to standard error from now on, unless something logs already. Spans go to `others`, too.
pub(super) fn start<L>(form: LogForm, others: Option<L>)
where
    L: Layer<Registry> + Send + Sync,
{
    let mut filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .from_env_lossy();
    for carrier in CARRIERS {
        if let Ok(directive) = carrier.parse() {
            filter = filter.add_directive(directive);
        }
    }
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match form {
        LogForm::Text => lines.with_ansi(false).boxed(),
        LogForm::Json => lines.json().boxed(),
    };
    let subscriber = Registry::default().with(others).with(lines).with(filter);
    let _ = subscriber.try_init();
}
