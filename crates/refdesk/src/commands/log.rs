//! Logging to stderr. A line that cannot be written (the disk that the log goes to is full) is lost, and nothing else: the task that logs
//! goes on.

use std::io::{self, Write};

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::config::Config;
use crate::output;

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
    // Errors of the log would be told on stderr by a macro that panics where that cannot be written, either.
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(output::has_colours(&io::stderr()))
        .log_internal_errors(false)
        .with_writer(|| Lossy(io::stderr()));
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

/// Writes what can be written.
struct Lossy<W>(W);

impl<W: Write> Write for Lossy<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Whole, or not at all: the rest of a torn line would only be a riddle.
        let _ = self.0.write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = self.0.flush();
        Ok(())
    }
}
