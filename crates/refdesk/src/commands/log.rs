//! Logging to stderr.

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;

use crate::config::Config;

/// Starts logging as the settings `log` and `log_format` say.
///
/// # Errors
/// When `log` holds no directives or `log_format` is unknown.
pub fn init(config: &Config) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(config.text("log")).with_context(|| {
        format!("log: {:?} are no tracing directives; write for example refdesk=info,access=info", config.text("log"))
    })?;
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match config.text("log_format") {
        "json" => subscriber.json().try_init(),
        "text" => subscriber.try_init(),
        other => anyhow::bail!("log_format: {other:?}; write text or json"),
    };
    // A second start in one process (tests) keeps the first one's settings.
    let _ = started;
    Ok(())
}
