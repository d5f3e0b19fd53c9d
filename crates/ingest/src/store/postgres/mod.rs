//! The `PostgreSQL` engine: connections and transactions with a deadline for each call, and what opening finds. What is asked over them is in
//! [`super::read`] and [`super::write`]; `docs/adr/0012-postgresql-beside-sqlite.md` says why it is as it is.
//!
//! Nothing here needs a session that outlives a transaction, so pgbouncer may stand in between in transaction mode, from 1.21 on and with
//! `max_prepared_statements`: statements are prepared once by name.

mod migrate;
mod settings;

use std::str::FromStr as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use refdesk_core::parallel::locked;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, PgPool, Postgres};

use super::Result;
use super::error::{StoreError, said};
use super::sql::{DiskFault, Operation, Session, Writes, counted, within};

pub use settings::{DATABASE_TIMEOUT, DatabaseSettings, Migrate};

/// Connections to the primary, and as many to a replica.
const CONNECTIONS_MAX: u32 = 8;
/// A statement over whole sources may take so many times the timeout.
const MUCH_TIMES: u32 = 12;
/// A connection that nobody used for so long is closed: proxies and firewalls drop such connections without a word.
const IDLE_TIMEOUT: Duration = Duration::from_mins(2);
/// No connection gets older, so that they move on after a failover behind one name.
const LIFETIME_MAX: Duration = Duration::from_mins(30);
/// The server ends a transaction in which nothing is asked for so long: a process that was stopped in mid-commit holds nothing up.
const IDLE_IN_TRANSACTION_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for an import, whose archive may come slowly.
const IDLE_IN_IMPORT_TIMEOUT: Duration = Duration::from_mins(10);
/// A primary that did not answer is left alone for so long: the calls that follow fail at once, instead of waiting one after the other.
const PRIMARY_PAUSE: Duration = Duration::from_secs(1);
/// The same for a replica; the primary is read instead.
const REPLICA_PAUSE: Duration = Duration::from_secs(5);
/// How long a server may take to say why no connection came.
const REASON_PATIENCE: Duration = Duration::from_secs(1);

/// An open store in `PostgreSQL`.
#[derive(Clone)]
pub(super) struct PostgresStore {
    pub(super) place: Arc<str>,
    primary: Arc<Server>,
    replica: Option<Arc<Server>>,
    timeout: Duration,
    /// Whether the schema was looked at since it was opened: not while the database did not answer.
    is_settled: Arc<AtomicBool>,
    pub(super) disk: Arc<DiskFault>,
}

/// Without the options: they have the password.
impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").field("place", &self.place).finish_non_exhaustive()
    }
}

/// A server, and whether it is left alone.
struct Server {
    pool: PgPool,
    timeout: Duration,
    /// How long it is left alone when it did not answer.
    pause: Duration,
    standing: Mutex<Standing>,
    /// Held by the call that asks why no connection came: a server that has too much to do gets no other connection for each that waits.
    asking_why: tokio::sync::Mutex<()>,
    /// Calls that found all connections in use.
    waits: AtomicU64,
}

/// The connections to a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connections {
    /// Those that a call has, or that are being opened for one.
    pub in_use: usize,
    /// Those that wait for the next call.
    pub idle: usize,
    /// Calls that found all of them in use so far, and waited.
    pub waits: u64,
}

/// What calls found of a server.
#[derive(Default)]
struct Standing {
    /// Until when it is left alone, and why.
    away: Option<(Instant, String)>,
    /// When it last gave a connection that works.
    answered_at: Option<Instant>,
}

impl Server {
    fn new(options: PgConnectOptions, timeout: Duration, pause: Duration) -> Arc<Self> {
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS_MAX)
            .acquire_timeout(timeout)
            .idle_timeout(IDLE_TIMEOUT)
            .max_lifetime(LIFETIME_MAX)
            .connect_lazy_with(options);
        Arc::new(Self {
            pool,
            timeout,
            pause,
            standing: Mutex::default(),
            asking_why: tokio::sync::Mutex::default(),
            waits: AtomicU64::new(0),
        })
    }

    /// Why it is left alone; `None` when it is not.
    fn why_away(&self) -> Option<String> {
        locked(&self.standing)
            .away
            .as_ref()
            .filter(|(until, _)| Instant::now() < *until)
            .map(|(_, reason)| reason.clone())
    }

    /// A connection that works, within the timeout.
    async fn acquire(&self, doing: Operation) -> Result<PoolConnection<Postgres>> {
        counted(doing, self.try_acquire(doing.as_str()).await)
    }

    async fn try_acquire(&self, doing: &'static str) -> Result<PoolConnection<Postgres>> {
        if let Some(reason) = self.why_away() {
            return Err(StoreError::Unreachable { doing, reason });
        }
        if self.pool.num_idle() == 0 && self.pool.size() >= CONNECTIONS_MAX {
            self.waits.fetch_add(1, Ordering::Relaxed);
        }
        let asked = Instant::now();
        match within(Some(self.timeout), doing, Box::pin(self.pool.acquire())).await {
            Ok(Ok(connection)) => {
                *locked(&self.standing) = Standing { away: None, answered_at: Some(Instant::now()) };
                Ok(connection)
            }
            Ok(Err(sqlx::Error::PoolTimedOut)) | Err(StoreError::Slow { .. }) => {
                Err(self.no_connection(doing, asked).await)
            }
            Ok(Err(error)) => Err(StoreError::Unreachable { doing, reason: said(&error) }),
            Err(error) => Err(error),
        }
    }

    /// Why no connection came in time. The pool tries again and again, and does not tell what it met. The server is left alone, unless
    /// another call was answered since this one `asked`: just after an outage the last to wait in vain must not keep the others from it.
    async fn no_connection(&self, doing: &'static str, asked: Instant) -> StoreError {
        let slow = StoreError::Slow { doing, secs: self.timeout.as_secs_f64() };
        let Ok(_asking) = self.asking_why.try_lock() else { return slow };
        let options = self.pool.connect_options();
        let (reason, error) = match tokio::time::timeout(REASON_PATIENCE, options.connect()).await {
            Ok(Ok(connection)) => {
                // It answers: all connections of the pool are in use.
                let _ = connection.close().await;
                return slow;
            }
            Ok(Err(error)) => (said(&error), StoreError::Unreachable { doing, reason: said(&error) }),
            Err(_) => (format!("no answer within {} s", self.timeout.as_secs_f64()), slow),
        };
        let mut standing = locked(&self.standing);
        if standing.answered_at.is_none_or(|at| at < asked) {
            standing.away = Some((Instant::now() + self.pause, reason));
        }
        error
    }
}

impl PostgresStore {
    pub(super) async fn open(settings: &DatabaseSettings) -> Result<Self> {
        let options = options(&settings.url, "database_url")?;
        let place = place(&options);
        let replica = settings.read_url.as_deref().map(|url| self::options(url, "database_read_url")).transpose()?;
        let store = Self {
            place: place.into(),
            primary: Server::new(options, settings.timeout, PRIMARY_PAUSE),
            replica: replica.map(|options| Server::new(options, settings.timeout, REPLICA_PAUSE)),
            timeout: settings.timeout,
            is_settled: Arc::default(),
            disk: Arc::default(),
        };
        match store.settle_schema(settings.migrate).await {
            Ok(()) => Ok(store),
            Err(error) => {
                store.close().await;
                Err(error)
            }
        }
    }

    /// Looks at the schema as an open does, unless that was done.
    pub(super) async fn settle_schema(&self, migrate: Migrate) -> Result<()> {
        if self.is_settled.load(Ordering::Relaxed) {
            return Ok(());
        }
        match migrate {
            Migrate::Auto => self.migrate().await?,
            Migrate::Check => self.check_schema().await?,
            Migrate::Unasked => return Ok(()),
        }
        self.is_settled.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Those to the primary.
    pub(super) fn connections(&self) -> Connections {
        let (pool, waits) = (&self.primary.pool, self.primary.waits.load(Ordering::Relaxed));
        let idle = pool.num_idle();
        Connections { in_use: (pool.size() as usize).saturating_sub(idle), idle, waits }
    }

    /// The same server with other connections, which are opened when they are needed. The replica is left out.
    pub(super) fn with_own_connections(&self) -> Self {
        let options = (*self.primary.pool.connect_options()).clone();
        Self { primary: Server::new(options, self.timeout, PRIMARY_PAUSE), replica: None, ..self.clone() }
    }

    pub(super) async fn close(&self) {
        let close = async {
            self.primary.pool.close().await;
            if let Some(replica) = &self.replica {
                replica.pool.close().await;
            }
        };
        // A server that does not answer is left behind.
        let _ = tokio::time::timeout(self.timeout, close).await;
    }

    pub(super) async fn reading(&self, doing: Operation) -> Result<Session> {
        let connection = self.primary.acquire(doing).await?;
        Ok(Session::postgres(connection, doing, &self.disk, self.timeout))
    }

    /// A connection to the replica; `None` when there is none or it does not answer.
    pub(super) async fn replica(&self, doing: Operation) -> Option<Session> {
        let replica = self.replica.as_ref()?;
        if replica.why_away().is_some() {
            return None;
        }
        match replica.acquire(doing).await {
            Ok(connection) => Some(Session::postgres(connection, doing, &self.disk, self.timeout)),
            Err(error) => {
                tracing::warn!(%error, "the database of database_read_url does not answer; the primary is read");
                None
            }
        }
    }

    /// A transaction that sees one state: two statements of a default transaction would see two.
    pub(super) async fn snapshot(&self, doing: Operation) -> Result<Session> {
        let connection = self.primary.acquire(doing).await?;
        let mut session = Session::postgres(connection, doing, &self.disk, self.timeout * MUCH_TIMES);
        session.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY".to_owned()).await?;
        Ok(session)
    }

    /// A transaction that writes. What it is told of timeouts ends with it.
    pub(super) async fn writing(&self, doing: Operation, writes: Writes) -> Result<Session> {
        let connection = self.primary.acquire(doing).await?;
        let (deadline, idle) = match writes {
            Writes::Little | Writes::Durably => (self.timeout, IDLE_IN_TRANSACTION_TIMEOUT),
            Writes::Much | Writes::Removal => (self.timeout * MUCH_TIMES, IDLE_IN_TRANSACTION_TIMEOUT),
            Writes::Import => (self.timeout * MUCH_TIMES, IDLE_IN_IMPORT_TIMEOUT),
        };
        let durably = match writes {
            // Acknowledged only when a synchronous standby shows it, where there is one.
            Writes::Durably | Writes::Removal => "; SET LOCAL synchronous_commit = remote_apply",
            Writes::Little | Writes::Much | Writes::Import => "",
        };
        let mut session = Session::postgres(connection, doing, &self.disk, deadline);
        session
            .begin(format!(
                "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL statement_timeout = {}; \
                 SET LOCAL idle_in_transaction_session_timeout = {}{durably}",
                deadline.as_millis(),
                idle.as_millis(),
            ))
            .await?;
        Ok(session)
    }

    /// Whether the database answers, and, with `write`, whether it takes a small write.
    pub(super) async fn probe(&self, write: bool) -> Result<()> {
        let doing = Operation::Probe;
        if !write {
            return self.reading(doing).await?.row("SELECT revision FROM head", &[]).await.map(drop);
        }
        let mut session = self.writing(doing, Writes::Little).await?;
        session
            .run(
                "INSERT INTO meta (name, value) VALUES ('probe', '0') \
                 ON CONFLICT (name) DO UPDATE SET value = CASE meta.value WHEN '0' THEN '1' ELSE '0' END",
                &[],
            )
            .await?;
        session.commit().await
    }
}

fn options(url: &str, setting: &str) -> Result<PgConnectOptions> {
    let wrong = |reason: String| StoreError::Connect { place: format!("the url in {setting}"), reason };
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(wrong(
            "it does not begin with postgres://; write postgres://USER:PASSWORD@HOST:PORT/DATABASE".into(),
        ));
    }
    // The error of the parser is not told: it may quote the url, and with it the password.
    let options = PgConnectOptions::from_str(url)
        .map_err(|_| wrong("it cannot be read; write postgres://USER:PASSWORD@HOST:PORT/DATABASE".into()))?;
    // pgbouncer refuses a parameter at the start that it does not know, and this one is of no use: nothing here is a float.
    Ok(options.extra_float_digits(None).application_name("refdesk").disable_statement_logging())
}

/// `postgres://HOST:PORT/DATABASE`: nothing that is secret.
fn place(options: &PgConnectOptions) -> String {
    let host = options.get_socket().map_or_else(|| options.get_host().to_owned(), |path| path.display().to_string());
    format!("postgres://{host}:{}/{}", options.get_port(), options.get_database().unwrap_or_default())
}
