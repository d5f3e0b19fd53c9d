//! Logging to stderr. A line that cannot be written (the disk that the log goes to is full) is lost, and nothing else: the task that logs
//! goes on.

use std::io::{self, Write};
use std::sync::OnceLock;

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::config::values::LogFormat;
use crate::config::{Config, key};
use crate::output;

/// Libraries whose warnings are told from debug on only: parsers, of an upstream's markup, which is nobody's fault here; and the pool of
/// connections to a database that is slow to answer, which the error of the call tells.
const QUIET: [&str; 3] = ["html5ever", "markup5ever", "sqlx::pool"];

/// Checks the setting `log`.
///
/// # Errors
/// When `log` holds no directives.
pub fn check(config: &Config) -> anyhow::Result<()> {
    filter(config).map(drop)
}

/// Starts logging as the settings `log` and `log_format` say.
///
/// # Errors
/// When `log` holds no directives.
pub fn init(config: &Config) -> anyhow::Result<()> {
    let filter = filter(config)?;
    // Errors of the log would be told on stderr by a macro that panics where that cannot be written, either.
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(output::has_colours(&io::stderr()))
        .log_internal_errors(false)
        .with_writer(|| Lossy(io::stderr()));
    let (started, reload): (_, Reload) = if config.get(key::LOG_FORMAT) == LogFormat::Json {
        let subscriber = subscriber.json().with_filter_reloading();
        let handle = subscriber.reload_handle();
        (subscriber.try_init(), Box::new(move |filter| handle.reload(filter)))
    } else {
        let subscriber = subscriber.with_filter_reloading();
        let handle = subscriber.reload_handle();
        (subscriber.try_init(), Box::new(move |filter| handle.reload(filter)))
    };
    // A second start in one process (tests) keeps the first one's settings.
    if started.is_ok() {
        let _ = RELOAD.set(reload);
    }
    Ok(())
}

type Reload = Box<dyn Fn(EnvFilter) -> Result<(), tracing_subscriber::reload::Error> + Send + Sync>;

/// Changes what is logged.
static RELOAD: OnceLock<Reload> = OnceLock::new();

/// Logs from now on what another configuration says.
///
/// # Errors
/// When `log` holds no directives.
pub fn reload(config: &Config) -> anyhow::Result<()> {
    let filter = filter(config)?;
    RELOAD.get().map_or(Ok(()), |reload| reload(filter))?;
    Ok(())
}

fn filter(config: &Config) -> anyhow::Result<EnvFilter> {
    let filter = EnvFilter::try_new(config.get(key::LOG)).with_context(|| {
        format!(
            "log: {:?} is not a list of tracing directives; write for example refdesk=info,access=info",
            config.get(key::LOG)
        )
    })?;
    let filter = without_quiet(filter, config.get(key::LOG));
    // Who wants the callers in the log wants the log.
    Ok(if config.get(key::ACCESS_LOG) { filter.add_directive("access=info".parse()?) } else { filter })
}

/// Silences the libraries that the operator did not name, unless debugging is on.
fn without_quiet(filter: EnvFilter, directives: &str) -> EnvFilter {
    if filter.max_level_hint().is_none_or(|level| level >= LevelFilter::DEBUG) {
        return filter;
    }
    let silenced = QUIET.iter().filter(|library| !directives.contains(**library));
    silenced.filter_map(|library| format!("{library}=off").parse().ok()).fold(filter, EnvFilter::add_directive)
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
