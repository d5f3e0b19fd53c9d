//! The lease and the fence under faults: leaders that are stopped for longer than their lease, stopped in the middle of a commit, that
//! give the lease up and write on, and that lose their connections. Whatever happens, generations are stored in the order of the
//! epochs under which they were made. The same history without the fence breaks that order: that is the control.
//!
//! `REFDESK_FAULTS` is how many faults a history has; the nightly script makes 2,000.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::engines::{NO_SERVER, admin, postgres};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use refdesk_core::Stamp;
use refdesk_ingest::store::{Lease, Store, StoreError};
use tokio::io::{AsyncRead, ReadBuf};

const NOW: Stamp = Stamp(1_000_000);
const LEASE: Duration = Duration::from_millis(60);
const LONGER_THAN_THE_LEASE: Duration = Duration::from_millis(80);
const CANDIDATES: u64 = 4;
const FAULTS: u32 = 100;

/// A history that several processes share.
struct History {
    faults: AtomicU32,
    wanted: u32,
    deposed: AtomicU32,
    /// Whether writes are under the fence.
    fenced: bool,
}

impl History {
    fn new(fenced: bool, wanted: u32) -> Arc<Self> {
        Arc::new(Self { faults: AtomicU32::new(0), wanted, deposed: AtomicU32::new(0), fenced })
    }

    fn is_over(&self) -> bool {
        self.faults.load(Ordering::Relaxed) >= self.wanted
    }

    /// Tells a generation as whoever took a lease believes that it may.
    async fn tell(&self, store: &Store, lease: &Lease) {
        let writer = if self.fenced { store.fenced(lease.clone()) } else { store.clone() };
        self.note(writer.put_generation("revision", &lease.epoch.to_string(), NOW).await.map(drop));
    }

    /// Writes a file whose reader stalls in the middle, with the transaction open.
    async fn stall_in_a_commit(&self, store: &Store, lease: &Lease, number: u32) {
        let writer = if self.fenced { store.fenced(lease.clone()) } else { store.clone() };
        let mut slow = Stalling { sleep: Box::pin(tokio::time::sleep(LONGER_THAN_THE_LEASE)), is_read: false };
        self.note(writer.put_segment_file(&format!("file-{number}"), &mut slow).await);
    }

    fn note(&self, written: Result<(), StoreError>) {
        match written {
            Ok(()) => {}
            Err(StoreError::Deposed { .. }) => {
                self.deposed.fetch_add(1, Ordering::Relaxed);
            }
            // A connection that was cut: nothing was acknowledged, and what stands is looked at in the end.
            Err(_) => {}
        }
    }

    /// One process: it takes the lease when that is free, leads, and meets with a fault.
    async fn run(self: Arc<Self>, number: u64, store: Store, cutter: Option<url::Url>) {
        let mut random = StdRng::seed_from_u64(number);
        let mut admin = match &cutter {
            Some(url) => Some(admin(url).await),
            None => None,
        };
        while !self.is_over() {
            let taken = store.take_lease("leader", &format!("candidate-{number}"), LEASE).await;
            let Ok(Some(lease)) = taken else {
                tokio::time::sleep(Duration::from_millis(random.random_range(1..10))).await;
                continue;
            };
            for _ in 0..random.random_range(1..4) {
                self.tell(&store, &lease).await;
            }
            let fault = self.faults.fetch_add(1, Ordering::Relaxed);
            match (random.random_range(0..4), &mut admin) {
                (0, _) => tokio::time::sleep(LONGER_THAN_THE_LEASE).await,
                (1, _) => self.stall_in_a_commit(&store, &lease, fault).await,
                (2, _) | (_, None) => {
                    // It may have expired meanwhile, or the connection be gone: then it is not given up.
                    let _ = store.release_lease(&lease).await;
                    tokio::time::sleep(Duration::from_millis(random.random_range(0..20))).await;
                }
                (_, Some(admin)) => {
                    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() \
                               AND pid <> pg_backend_pid() AND application_name NOT LIKE 'cutter%'";
                    sqlx::query(cut).execute(admin).await.unwrap();
                }
            }
            // What it does as one that is stopped and goes on: it believes that it still leads.
            self.tell(&store, &lease).await;
        }
    }
}

/// A reader that gives its bytes after a while.
struct Stalling {
    sleep: std::pin::Pin<Box<tokio::time::Sleep>>,
    is_read: bool,
}

impl AsyncRead for Stalling {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::task::ready!(self.sleep.as_mut().poll(context));
        if !std::mem::replace(&mut self.is_read, true) {
            out.put_slice(b"segment");
        }
        std::task::Poll::Ready(Ok(()))
    }
}

/// How many generations stand behind one of a later epoch, of how many.
async fn out_of_order(store: &Store) -> (usize, usize) {
    let generations = store.generations().await.unwrap();
    let epochs: Vec<i64> = generations.iter().map(|generation| generation.manifest.parse().unwrap()).collect();
    let behind = epochs.iter().scan(0, |latest, epoch| {
        *latest = (*latest).max(*epoch);
        Some(epoch < latest)
    });
    (behind.filter(|is_behind| *is_behind).count(), epochs.len())
}

async fn history(store: &Store, others: Vec<Store>, cutter: Option<url::Url>, fenced: bool) -> Arc<History> {
    let wanted = std::env::var("REFDESK_FAULTS").map_or(FAULTS, |faults| faults.parse().unwrap());
    let history = History::new(fenced, wanted);
    let candidates = [vec![store.clone()], others].concat().into_iter().zip(0..);
    let all = candidates.map(|(store, number)| tokio::spawn(Arc::clone(&history).run(number, store, cutter.clone())));
    for candidate in futures::future::join_all(all).await {
        candidate.unwrap();
    }
    history
}

async fn on_postgres(fenced: bool) -> (Arc<History>, usize, usize) {
    let settings = postgres().await.expect(NO_SERVER);
    let store = Store::open_url(&settings).await.unwrap();
    let mut others = Vec::new();
    for _ in 1..CANDIDATES {
        others.push(Store::open_url(&settings).await.unwrap());
    }
    let mut url = url::Url::parse(&settings.url).unwrap();
    url.query_pairs_mut().append_pair("application_name", "cutter");
    let history = history(&store, others, Some(url), fenced).await;
    let (behind, generations) = out_of_order(&store).await;
    (history, behind, generations)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
#[allow(clippy::print_stdout, reason = "the figures are what the nightly script is run for")]
async fn no_generation_of_a_deposed_leader_stands_behind_that_of_its_successor() {
    let (history, behind, generations) = on_postgres(true).await;
    let (faults, deposed) = (history.faults.load(Ordering::Relaxed), history.deposed.load(Ordering::Relaxed));
    println!(
        "{behind} of {generations} generations of a deposed leader, {faults} faults, {deposed} writes refused by the fence"
    );
    assert_eq!(behind, 0);
    assert!(deposed > 0, "a history in which nobody is deposed shows nothing");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
#[allow(clippy::print_stdout, reason = "the figures are what the nightly script is run for")]
async fn without_the_fence_generations_of_deposed_leaders_stand() {
    let (history, behind, generations) = on_postgres(false).await;
    let faults = history.faults.load(Ordering::Relaxed);
    println!("control without the fence: {behind} of {generations} generations of a deposed leader, {faults} faults");
    assert!(behind > 0, "else the check of the fence shows nothing");
}
