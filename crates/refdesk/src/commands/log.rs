//! Logging to stderr.

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::config::Config;

/// Parsers that warn of what an upstream's markup is like. That is nobody's fault here: it is told from debug on only.
const MARKUP_PARSERS: [&str; 2] = ["html5ever", "markup5ever"];

/// Starts logging as the settings `log` and `log_format` say.
///
/// # Errors
/// When `log` holds no directives or `log_format` is unknown.
pub fn init(config: &Config) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(config.text("log")).with_context(|| {
        format!("log: {:?} are no tracing directives; write for example refdesk=info,access=info", config.text("log"))
    })?;
    let filter = without_markup(filter, config.text("log"));
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

/// Silences the parsers of markup that the operator did not name, unless debugging is on.
fn without_markup(filter: EnvFilter, directives: &str) -> EnvFilter {
    if filter.max_level_hint().is_none_or(|level| level >= LevelFilter::DEBUG) {
        return filter;
    }
    let silenced = MARKUP_PARSERS.iter().filter(|parser| !directives.contains(**parser));
    silenced.filter_map(|parser| format!("{parser}=off").parse().ok()).fold(filter, EnvFilter::add_directive)
}
