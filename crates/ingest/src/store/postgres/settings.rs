//! What an operator says of the database.

use std::time::Duration;

/// How long a call to the database may take where nothing else is set.
pub const DATABASE_TIMEOUT: Duration = Duration::from_secs(5);

/// What opening does with a schema that is not up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Migrate {
    /// Brings it up to date.
    #[default]
    Auto,
    /// Refuses to open: `refdesk migrate` brings it up to date.
    Check,
    /// Opens without asking the database, which does not answer: a node goes on with what it has until it does.
    Unasked,
}

/// Where the database is, and how it is used.
#[derive(Clone)]
pub struct DatabaseSettings {
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE` of the primary.
    pub url: String,
    /// The same of a replica, off which full texts, records and histories are read.
    pub read_url: Option<String>,
    /// How long a call may take.
    pub timeout: Duration,
    /// What opening does with an older schema.
    pub migrate: Migrate,
}

impl DatabaseSettings {
    /// A primary alone, with the defaults.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), read_url: None, timeout: DATABASE_TIMEOUT, migrate: Migrate::Auto }
    }
}

/// Without the urls: they have passwords.
impl std::fmt::Debug for DatabaseSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatabaseSettings")
            .field("timeout", &self.timeout)
            .field("migrate", &self.migrate)
            .finish_non_exhaustive()
    }
}
