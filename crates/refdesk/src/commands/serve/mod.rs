//! `serve`: open the store, publish a snapshot, answer; [`crate::background`] then syncs, and publishes again when something changed.

mod announce;
mod check;
mod open_files;

use std::collections::HashMap;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use refdesk_catalog::snapshot::Snapshot;
use refdesk_ingest::sync::SyncReport;
use refdesk_serve::{AppState, LocalToken, ServerLimits};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::app::{self, App};
use crate::background::{self, Background, Looked, Measured, Published};
use crate::cli;
use crate::cluster::{self, Cluster};
use crate::config::{Config, Given, key};
use crate::desk;
use crate::exit::Exit;
use crate::output;
use crate::service::Announcement;

use announce::Syncer;
pub use check::{faults, taken_addresses};

/// Connections that may wait to be accepted; the system may allow fewer.
const LISTEN_QUEUE: u32 = 4096;

/// The flags of `serve` as settings.
pub fn settings(flags: &cli::Serve) -> Vec<Given> {
    let given = [
        (key::LISTEN.row, flags.listen.clone()),
        (key::BASE_URL.row, flags.base_url.clone()),
        (key::API_URL.row, flags.api_url.clone()),
        (key::ALLOWED_HOSTS.row, flags.allowed_hosts.clone()),
        (key::RATE_LIMIT_ANON.row, flags.rate_limit_anon.map(|limit| limit.to_string())),
        (key::RATE_LIMIT_KEY.row, flags.rate_limit_key.map(|limit| limit.to_string())),
        (key::REQUIRE_KEY.row, flags.require_key.then(|| "true".to_owned())),
        (key::TRUSTED_PROXIES.row, flags.trusted_proxies.clone()),
        (key::CORS_ORIGINS.row, flags.cors_origins.clone()),
        (key::ROLE.row, flags.role.clone()),
    ];
    given.into_iter().filter_map(|(row, value)| value.map(|value| Given::by_flag(row, value))).collect()
}

/// `refdesk serve`.
pub async fn run(config: Config, flags: &cli::Serve) -> anyhow::Result<Exit> {
    crate::log::init(&config)?;
    // From here on: the signal ends a process that does not listen for it, and a first build takes a while. It is heeded once that is done.
    let reload = on_hangup()?;
    if let Some(fault) = faults(&config).await.into_iter().next() {
        return Err(output::Refusal::mistake(fault));
    }
    if flags.open && !config.get(key::WEB) {
        let told = "--open: the web page is switched off; leave --open out, or set web = true";
        return Err(output::Refusal::invalid_argument(told).into());
    }
    // First, because it raises the limit of open files, or says that it is too low, before any of them is wanted.
    let limits = limits(&config);
    let listener = listening(&check::addresses(&config).await?).with_context(|| check::cannot_listen(&config))?;
    let address = listener.local_addr()?;
    let app = Arc::new(App::open_node(config).await?);
    let cluster = Cluster::open(&app)?;
    let shutdown = CancellationToken::new();
    let First { snapshot, published, bundled } = first(&app, cluster.as_ref()).await?;
    let token = LocalToken::random();
    let desk = desk::open_to_network(&app, Arc::clone(&snapshot), address.ip().is_loopback(), token.clone()).await?;
    let measured = Arc::new(Measured(Arc::clone(&desk)));
    bundled.iter().for_each(|report| measured.count(report));
    let engine = app.engine(measured)?;
    let looked = Looked { room_min: app.config.get(key::DISK_FREE_BYTES_MIN) as u64, alone: cluster.is_none() };
    background::look_once(&desk, &app.store, looked).await;
    background::tell_sources(&desk, &engine).await;
    let announcement = announcement(&app.config, address, token);
    let work = Background {
        app: Arc::clone(&app),
        desk: Arc::clone(&desk),
        engine: engine.clone(),
        announcement: announcement.clone(),
        reload,
    };
    let by = match &cluster {
        Some(_) => Syncer::Leader,
        None if background::syncs_elsewhere(&app.store) => Syncer::OtherProcess,
        None => Syncer::This,
    };
    let tasks = match &cluster {
        Some(cluster) => cluster.tasks(&work),
        None => background::alone(&work, published, &shutdown),
    };
    let tasks = background::start(&work, tasks, looked);
    // Before anybody can know that it runs: a signal from then on ends it in order.
    let stop = stop_signal()?;
    // Printed when the socket already queues connections, so whoever reads it is answered.
    output::line(&format!("listening on http://{address}"));
    announce::announce(&app, &snapshot, address, &engine, by).await?;
    drop(snapshot);
    if flags.open {
        open_page(&announce::page_url(&app.config, address));
    }
    let server = tokio::spawn(refdesk_serve::serve(listener, Arc::clone(&desk), limits, shutdown.clone()));
    stop.await;
    leave(&app.config, &desk, cluster.as_ref()).await;
    tracing::info!("stopping: finishing the requests that run");
    shutdown.cancel();
    server.await.context("the server task ended unexpectedly")?;
    tasks.abort();
    drop(announcement);
    background::keep_uses(&desk, &app.store, &mut HashMap::new()).await;
    app.store.close().await;
    Ok(Exit::Done)
}

/// What a desk begins with.
pub(super) struct First {
    /// The catalog.
    pub snapshot: Arc<Snapshot>,
    /// What it was made of.
    pub published: Published,
    /// The sync of the bundled cards, if there was one.
    pub bundled: Option<SyncReport>,
}

/// Brings the bundled cards into the store, and reads or builds the catalog.
pub(super) async fn first(app: &Arc<App>, cluster: Option<&Cluster>) -> anyhow::Result<First> {
    // The first generation is of this moment or a later one.
    let clock = app::now();
    if let Some(cluster) = cluster {
        let snapshot = cluster.first(app).await?;
        return Ok(First { snapshot, published: Published { states: Vec::new(), clock, kept: true }, bundled: None });
    }
    let bundled = app.sync_bundled().await.unwrap_or_else(|error| {
        // What the store has is served all the same; the schedule tries them again.
        tracing::error!(error = %output::told(&error), "the bundled cards cannot be taken into the store");
        None
    });
    let first = app.generations().with_router().first().await?;
    let published = Published { states: first.states, clock, kept: !first.built };
    Ok(First { snapshot: first.snapshot, published, bundled })
}

/// Tells a load balancer that this node is leaving, and lets another lead, while it still answers.
async fn leave(config: &Config, desk: &AppState, cluster: Option<&Cluster>) {
    desk.node.drain();
    if let Some(cluster) = cluster {
        cluster.resign();
    }
    let delay = cluster::drain_delay(config, cluster);
    if !delay.is_zero() {
        tracing::info!(seconds = delay.as_secs_f64(), "draining: /readyz tells that this node is leaving");
        tokio::time::sleep(delay).await;
    }
}

/// Tells the command line of this data directory where the desk is. Without it commands read the catalog themselves.
fn announcement(config: &Config, address: SocketAddr, token: LocalToken) -> Option<Arc<Announcement>> {
    let written = Announcement::write(config, address, token);
    match written {
        Ok(written) => written.map(Arc::new),
        Err(error) => {
            tracing::warn!(error = %output::told(&error), "commands do not find this desk and read the catalog themselves");
            None
        }
    }
}

/// Opens the page in the browser of whoever sits at this machine.
fn open_page(url: &str) {
    if let Err(error) = open::that_detached(url) {
        // What the launchers said is theirs, and a riddle to whoever sits here.
        tracing::debug!(%error, "no launcher opened the page");
        output::say(&format!("no browser could be started here; open {url} in one"));
    }
}

/// A socket that listens, with a queue long enough for a flood of connections.
fn listening(addresses: &[SocketAddr]) -> std::io::Result<TcpListener> {
    let mut failed = std::io::Error::new(std::io::ErrorKind::NotFound, "the name has no address");
    for &address in addresses {
        let bound = (|| {
            let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
            // Without it an address stays taken for a while after a restart; elsewhere than on Unix it would let others take it too.
            #[cfg(unix)]
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            socket.listen(LISTEN_QUEUE)
        })();
        match bound {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn limits(config: &Config) -> ServerLimits {
    ServerLimits {
        header_timeout: config.get(key::HEADER_TIMEOUT),
        request_timeout: config.get(key::REQUEST_TIMEOUT),
        write_timeout: config.get(key::WRITE_TIMEOUT),
        connections_max: open_files::connections(config.get(key::CONNECTIONS_MAX)),
        requests_in_flight_max: config.get(key::REQUESTS_IN_FLIGHT_MAX),
        unfinished_per_address_max: config.get(key::UNFINISHED_PER_ADDRESS_MAX),
        bodies_bytes_max: config.get(key::BODIES_BYTES_MAX),
        drain: config.get(key::DRAIN),
        shutdown_grace: config.get(key::SHUTDOWN_GRACE),
        ..ServerLimits::default()
    }
}

/// Says when the configuration is to be read anew: at SIGHUP, where there is one.
fn on_hangup() -> std::io::Result<Arc<Notify>> {
    let reload = Arc::new(Notify::new());
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut hangup, told) = (signal(SignalKind::hangup())?, Arc::clone(&reload));
        tokio::spawn(async move {
            while hangup.recv().await.is_some() {
                told.notify_one();
            }
        });
    }
    Ok(reload)
}

/// Number of the signal for a file beyond the limit of its size, on Linux, macOS and the BSDs.
#[cfg(unix)]
const SIGXFSZ: i32 = 25;

/// Listens from now on for Ctrl-C and the termination signal; the future completes with the first.
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        // A file that would grow beyond the limit of its size ends the process unless the signal is taken; then it is an error of the write.
        let too_large = signal(SignalKind::from_raw(SIGXFSZ))?;
        Ok(async move {
            let _too_large = too_large;
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

#[cfg(test)]
mod tests {
    use refdesk_ingest::FetchSettings;
    use refdesk_ingest::sync::{EngineOptions, Silent};
    use refdesk_serve::{RateLimits, Settings};

    use super::*;

    /// Each default is written twice: as text in the table of settings, and as a value beside what it limits.
    #[test]
    fn who_sets_nothing_has_the_defaults_of_the_code() -> anyhow::Result<()> {
        let config = Config::load(None, &[])?;
        let connections_max = open_files::connections(ServerLimits::default().connections_max);
        assert_eq!(shown(limits(&config)), shown(ServerLimits { connections_max, ..ServerLimits::default() }));
        // The program knows its commit, and whether somebody wrote a limit down.
        let (commit, commit_date) = (crate::COMMIT, crate::COMMIT_DATE);
        let limits = RateLimits { loopback_unlimited: true, ..RateLimits::default() };
        let answering = Settings { commit, commit_date, limits, ..Settings::default() };
        assert_eq!(shown(desk::settings(&config, true)?), shown(answering));
        assert_eq!(config.fetch_settings(), FetchSettings::default());
        let syncing = |options: EngineOptions| {
            let EngineOptions { fetch, offline, base, removed_percent_max, removals_normal_span, .. } = options;
            let EngineOptions { added_percent_max, jitter_percent, sync_time_max, .. } = options;
            let removals = (removed_percent_max, removals_normal_span);
            (fetch, offline, base, removals, added_percent_max, jitter_percent, sync_time_max)
        };
        let configured = syncing(app::engine_options(&config, Arc::new(Silent)));
        assert_eq!(configured, syncing(EngineOptions::default()));
        Ok(())
    }

    fn shown(settings: impl std::fmt::Debug) -> String {
        format!("{settings:#?}")
    }
}
