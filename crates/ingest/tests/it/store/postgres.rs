//! What only `PostgreSQL` can do wrong: a server that is not there, refuses, swallows everything or has another schema; processes that
//! migrate at once; a lease that changes hands in mid-commit; what a transaction tells the server; and the way between the engines.
//! Each test says that it skips where no server is named.

use std::io::{Read as _, Seek as _};
use std::time::Duration;

use crate::engines::{NO_SERVER, admin, postgres};
use crate::support::{commit, document, key, model, tool};
use crate::upstreams::proxy::Proxy;
use refdesk_core::{Body, Kind, Reject, Stamp};
use refdesk_ingest::archive::{ExportOptions, export, import};
use refdesk_ingest::store::{Accept, DatabaseSettings, Migrate, Store, StoreError};
use refdesk_ingest::verify::{Readers, Scope, verify};
use sqlx::{Connection as _, Row as _};
use tokio::io::AsyncWriteExt as _;
use url::Url;

const T0: Stamp = Stamp(1_000_000);
const T1: Stamp = Stamp(1_003_600);
const LONG: Duration = Duration::from_mins(10);
/// Patience of tests in which a server does not answer.
const SHORT: Duration = Duration::from_millis(300);

/// The settings with the address of a proxy in the url.
fn through(settings: &DatabaseSettings, proxy: &Proxy) -> DatabaseSettings {
    let mut url = Url::parse(&settings.url).unwrap();
    url.set_port(Some(proxy.address.port())).unwrap();
    DatabaseSettings { url: url.to_string(), timeout: SHORT, ..settings.clone() }
}

async fn proxy(settings: &DatabaseSettings) -> Proxy {
    let url = Url::parse(&settings.url).unwrap();
    Proxy::before(format!("{}:{}", url.host_str().unwrap(), url.port().unwrap())).await
}

fn is_cut_off<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    match result {
        Err(StoreError::Slow { .. } | StoreError::Unreachable { .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn a_server_that_swallows_everything_holds_no_call_up_and_is_used_again_when_it_answers() {
    let settings = postgres().await.expect(NO_SERVER);
    let proxy = proxy(&settings).await;
    let store = Store::open_url(&through(&settings, &proxy)).await.unwrap();
    store.commit_sync(&commit("s", T0, vec![document("d", "text")])).await.unwrap();
    let lease = store.take_lease("leader", "a", LONG).await.unwrap().unwrap();
    let fenced = store.fenced(lease.clone());
    let restore = store.restore().await.unwrap();

    proxy.swallow(true);
    is_cut_off(store.facts(&Kind::ALL).await);
    is_cut_off(store.source_facts("s").await);
    is_cut_off(store.body("s", Kind::Document, "d").await);
    is_cut_off(store.source_states().await);
    is_cut_off(store.figures().await);
    is_cut_off(store.runs("s", 1).await);
    is_cut_off(store.fact_rows(0, 10).await);
    is_cut_off(store.dump().await.map(drop));
    is_cut_off(store.keys().await);
    is_cut_off(store.meta("m").await);
    is_cut_off(store.embeddings("m").await);
    is_cut_off(store.head().await);
    is_cut_off(store.latest_generation().await);
    is_cut_off(store.sync_requests_waiting().await);
    is_cut_off(store.segment_files().await);
    is_cut_off(store.lease("leader").await);
    is_cut_off(store.renew_lease(&lease, LONG).await);
    is_cut_off(store.take_lease("leader", "b", LONG).await);
    is_cut_off(fenced.commit_sync(&commit("s", T1, vec![document("d", "other")])).await);
    is_cut_off(fenced.put_generation("r", "{}", T1).await);
    is_cut_off(store.revoke_key("k", T1).await);
    is_cut_off(store.touch_keys(&[("k".into(), T1)]).await);
    is_cut_off(store.request_sync(&[], &Accept::No, T1).await);
    is_cut_off(store.probe(true).await);
    is_cut_off(restore.commit().await);
    let fault = store.write_fault().unwrap();
    assert!(["store_slow", "store_unreachable"].contains(&fault.code), "{fault:?}");

    proxy.swallow(false);
    assert_eq!(store.body("s", Kind::Document, "d").await.unwrap().as_deref(), Some("text"));
    let counts = fenced.commit_sync(&commit("s", T1, vec![document("d", "other")])).await.unwrap();
    assert_eq!(counts.changed, 1);
    assert_eq!(store.write_fault(), None);
}

/// Guards against the last call that waited in vain making all others fail for a second after the server is back.
#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn a_call_that_waited_in_vain_keeps_no_other_from_a_server_that_answers_again() {
    let settings = postgres().await.expect(NO_SERVER);
    let proxy = proxy(&settings).await;
    let store = Store::open_url(&through(&settings, &proxy)).await.unwrap();
    proxy.swallow(true);
    let waiting = tokio::spawn({
        let store = store.clone();
        async move { store.head().await }
    });
    // It has given up the pool, and asks the server for the reason, for up to a second.
    tokio::time::sleep(SHORT * 2).await;
    proxy.swallow(false);
    store.head().await.unwrap();
    is_cut_off(waiting.await.unwrap());
    store.head().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn texts_come_off_the_replica_while_the_primary_is_gone_and_off_the_primary_while_the_replica_is() {
    let settings = postgres().await.expect(NO_SERVER);
    let (primary, replica) = (proxy(&settings).await, proxy(&settings).await);
    let read_url = Some(through(&settings, &replica).url);
    let store = Store::open_url(&DatabaseSettings { read_url, ..through(&settings, &primary) }).await.unwrap();
    store.commit_sync(&commit("s", T0, vec![document("d", "text")])).await.unwrap();
    let text = async || store.body("s", Kind::Document, "d").await;
    primary.swallow(true);
    assert_eq!(text().await.unwrap().as_deref(), Some("text"));
    assert_eq!(store.record("s", Kind::Document, "d").await.unwrap().unwrap().bytes, b"text");
    assert_eq!(store.runs("s", 5).await.unwrap().len(), 1);
    is_cut_off(store.head().await);
    primary.swallow(false);
    replica.swallow(true);
    assert_eq!(text().await.unwrap().as_deref(), Some("text"));
    assert_eq!(store.body("s", Kind::Document, "nowhere").await.unwrap(), None);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn a_database_that_cannot_be_opened_says_why_and_never_a_password() {
    let secret = "hunter2-and-more";
    let refused = async |url: &str| {
        let settings = DatabaseSettings { timeout: SHORT, ..DatabaseSettings::new(url) };
        let error = Store::open_url(&settings).await.unwrap_err();
        assert!(matches!(error, StoreError::Connect { .. }), "{error:?}");
        let told = format!("{error} {error:?} {} {settings:?}", error.public_message());
        assert!(!told.contains(secret) && told.contains("REFDESK_DATABASE_URL"), "{told}");
        told
    };
    assert!(refused(&format!("mysql://u:{secret}@h/d")).await.contains("postgres://"));
    assert!(refused(&format!("postgres://u:{secret}@h:port/d")).await.contains("cannot be read"));
    assert!(refused(&format!("postgres://u:{secret}@h/d?sslmode={secret}")).await.contains("cannot be read"));
    // A port on which nothing listens: it was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    refused(&format!("postgres://u:{secret}@127.0.0.1:{port}/d")).await;
    // A server that accepts and says nothing.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let told = refused(&format!("postgres://u:{secret}@{}/d", silent.local_addr().unwrap())).await;
    assert!(told.contains("no answer within 0.3 s"), "{told}");
    let settings = postgres().await.expect(NO_SERVER);
    let mut url = Url::parse(&settings.url).unwrap();
    url.set_path("nowhere");
    url.set_password(Some(secret)).unwrap();
    assert!(refused(url.as_str()).await.contains("\"nowhere\" does not exist"));
    url.set_path(Url::parse(&settings.url).unwrap().path());
    let store = Store::open_url(&DatabaseSettings::new(url.as_str())).await.unwrap();
    assert!(!format!("{store:?} {}", store.place()).contains(secret), "{store:?}");
    url.set_username("nobody").unwrap();
    assert!(refused(url.as_str()).await.contains("nobody"));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn a_schema_that_is_older_or_newer_is_refused_and_left_as_it_is() {
    let settings = postgres().await.expect(NO_SERVER);
    let check = DatabaseSettings { migrate: Migrate::Check, ..settings.clone() };
    let error = Store::open_url(&check).await.unwrap_err();
    assert!(matches!(error, StoreError::Older { found: 0, .. }), "{error:?}");
    assert!(error.to_string().contains("refdesk migrate"), "{error}");
    let url = Url::parse(&settings.url).unwrap();
    let mut other = admin(&url).await;
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        .fetch_one(&mut other)
        .await
        .unwrap();
    assert_eq!(tables, 0, "looking made nothing");

    let store = Store::open_url(&settings).await.unwrap();
    Store::open_url(&check).await.unwrap().check_integrity().await.unwrap();
    // A later refdesk that only added something may work beside this one.
    sqlx::query("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99, 'later', true, '', 0)")
        .execute(&mut other)
        .await
        .unwrap();
    Store::open_url(&settings).await.unwrap();
    store.set_min_version("99.0.0").await.unwrap();
    for settings in [&settings, &check] {
        let error = Store::open_url(settings).await.unwrap_err();
        assert!(matches!(&error, StoreError::NewerSchema { found: 99, needed, .. } if needed == "99.0.0"), "{error:?}");
    }
    other.close().await.unwrap();
}

/// After a start without the database.
#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn a_schema_that_nobody_looked_at_is_looked_at_later() {
    let settings = postgres().await.expect(NO_SERVER);
    let unasked = DatabaseSettings { migrate: Migrate::Unasked, ..settings };
    let store = Store::open_url(&unasked).await.unwrap();
    store.head().await.unwrap_err();
    let error = store.settle_schema(Migrate::Check).await.unwrap_err();
    assert!(matches!(error, StoreError::Older { found: 0, .. }), "{error:?}");
    store.settle_schema(Migrate::Auto).await.unwrap();
    assert_eq!(store.head().await.unwrap().revision, 0);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn calls_beyond_the_connections_wait_and_all_are_answered() {
    let settings = postgres().await.expect(NO_SERVER);
    let store = Store::open_url(&settings).await.unwrap();
    store.commit_sync(&commit("s", T0, (0..200).map(|n| tool(&format!("t{n}"), Body::None)).collect())).await.unwrap();
    let reads = (0..40).map(|_| async { store.facts(&Kind::ALL).await.map(|facts| facts.len()) });
    for read in futures::future::join_all(reads).await {
        assert_eq!(read.unwrap(), 200);
    }
    let pool = store.connections().unwrap();
    assert!(pool.waits > 0 && (1..=8).contains(&(pool.in_use + pool.idle)), "{pool:?}");
    let mut other = admin(&Url::parse(&settings.url).unwrap()).await;
    let connections: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'refdesk'",
    )
    .fetch_one(&mut other)
    .await
    .unwrap();
    assert!((1..=8).contains(&connections), "{connections}");
    other.close().await.unwrap();
}

/// Guards against a leader that loses its lease because of all that it serves, and against one more connection for each call that waits.
#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn while_all_connections_are_in_use_the_lease_is_held_and_no_flood_of_others_comes() {
    let settings = postgres().await.expect(NO_SERVER);
    let proxy = proxy(&settings).await;
    let store = Store::open_url(&through(&settings, &proxy)).await.unwrap();
    let mut unfinished = Vec::new();
    for number in 0..8 {
        let (mut bytes, mut content) = tokio::io::duplex(1);
        let (store, name) = (store.clone(), number.to_string());
        let write = tokio::spawn(async move { store.put_segment_file(&name, &mut content).await });
        bytes.write_all(b"ab").await.unwrap(); // the second once the first is read
        unfinished.push((bytes, write));
    }
    let own = store.with_own_connections();
    let lease = own.take_lease("leader", "a", LONG).await.unwrap().unwrap();
    let before = proxy.accepted();
    futures::future::join_all((0..50).map(|_| async { is_cut_off(store.head().await) })).await;
    assert!(proxy.accepted() - before <= 5, "{} more connections", proxy.accepted() - before);
    assert!(own.renew_lease(&lease, LONG).await.unwrap());
    unfinished.into_iter().for_each(|(_, write)| write.abort());
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn processes_that_start_at_once_migrate_one_after_the_other() {
    let settings = postgres().await.expect(NO_SERVER);
    let opens = (0..6).map(|_| Store::open_url(&settings));
    for store in futures::future::join_all(opens).await {
        assert_eq!(store.unwrap().head().await.unwrap().revision, 0);
    }
}

/// The take waits for the commit in flight, renewals do not: else a commit of an older epoch could come after one of a newer.
#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn a_lease_changes_hands_only_after_the_commit_in_flight() {
    let settings = postgres().await.expect(NO_SERVER);
    let store = Store::open_url(&settings).await.unwrap();
    let lease = store.take_lease("leader", "a", LONG).await.unwrap().unwrap();
    let in_flight = store.fenced(lease.clone()).restore().await.unwrap();
    let early = store.take_lease("leader", "b", LONG).await.unwrap();
    assert_eq!(early, None, "before, it waited for the commit, and was cancelled as a statement that took too long");
    assert!(store.renew_lease(&lease, Duration::ZERO).await.unwrap(), "a renewal passes the fence");
    let next = store.clone();
    let take = tokio::spawn(async move { next.take_lease("leader", "b", LONG).await.unwrap() });
    let mut other = admin(&Url::parse(&settings.url).unwrap()).await;
    loop {
        let waiting: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        .fetch_one(&mut other)
        .await
        .unwrap();
        if waiting > 0 {
            break;
        }
        assert!(!take.is_finished(), "it did not wait");
        tokio::task::yield_now().await;
    }
    in_flight.commit().await.unwrap();
    assert_eq!(take.await.unwrap().unwrap().epoch, 2);
    assert!(matches!(store.fenced(lease).restore().await.err(), Some(StoreError::Deposed { epoch: 1 })));
    other.close().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn a_transaction_tells_the_server_when_to_give_up_and_a_revocation_waits_for_the_standby() {
    let settings = postgres().await.expect(NO_SERVER);
    let store = Store::open_url(&settings).await.unwrap();
    let mut other = admin(&Url::parse(&settings.url).unwrap()).await;
    for statement in [
        "CREATE TABLE told (at_key TEXT, statement TEXT, idle TEXT, durability TEXT)",
        "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO told VALUES (TG_TABLE_NAME || ' ' || TG_OP, \
         current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'), \
         current_setting('synchronous_commit')); RETURN NEW; END $$",
        "CREATE TRIGGER tell AFTER INSERT OR UPDATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION tell()",
        "CREATE TRIGGER tell AFTER INSERT ON runs FOR EACH STATEMENT EXECUTE FUNCTION tell()",
    ] {
        sqlx::query(statement).execute(&mut other).await.unwrap();
    }
    store.insert_key(&key("k", 1)).await.unwrap();
    store.touch_keys(&[("k".into(), T0)]).await.unwrap();
    store.revoke_key("k", T1).await.unwrap();
    store.commit_sync(&commit("s", T0, vec![model("m", "1")])).await.unwrap();
    let rows = sqlx::query("SELECT at_key, statement, idle, durability FROM told").fetch_all(&mut other).await.unwrap();
    let told: Vec<String> =
        rows.iter().map(|row| (0..4).map(|at| row.get::<String, _>(at)).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        told,
        [
            "api_keys INSERT 5s 10s remote_apply",
            "api_keys UPDATE 5s 10s on",
            "api_keys UPDATE 5s 10s remote_apply",
            "runs INSERT 1min 10s on",
        ]
    );
    other.close().await.unwrap();
}

/// All of a store as an archive, without what names the moment at which it was written.
async fn archived(store: &Store) -> Vec<u8> {
    let mut file = tempfile::tempfile().unwrap();
    export(store, &[], file.try_clone().unwrap(), Stamp(9_000_000), ExportOptions::default()).await.unwrap();
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn a_desk_moves_to_the_other_engine_and_back_fact_by_fact_equal() {
    let settings = postgres().await.expect(NO_SERVER);
    let lite = Store::open_in_memory().await.unwrap();
    let mut facts: Vec<_> = (0..2_500).map(|number| model(&format!("m{number:04}"), "3")).collect();
    facts.push(document("d", &"odd \u{0} bytes ".repeat(500)));
    facts.push(tool("t", Body::Markdown("made *markdown*".into())));
    facts.push(tool("none", Body::Missing("it is not there".into())));
    let mut first = commit("s", T0, facts);
    first.rejects = vec![Reject::new("bad", "no number", "{\"x\": 1}")];
    lite.commit_sync(&first).await.unwrap();
    lite.commit_sync(&commit("other", T0, vec![model("a", "1"), model("Ä", "2")])).await.unwrap();
    lite.commit_sync(&commit("other", T1, vec![model("Ä", "3")])).await.unwrap();
    let before = archived(&lite).await;

    let server = Store::open_url(&settings).await.unwrap();
    let summary = import(&server, std::io::Cursor::new(before.clone())).await.unwrap();
    assert_eq!((summary.sources, summary.facts), (2, 2_505));
    let unnumbered = |facts: Vec<refdesk_core::fact::StoredFact>| {
        facts.into_iter().map(|fact| refdesk_core::fact::StoredFact { row: 0, ..fact }).collect::<Vec<_>>()
    };
    let (here, there) = (lite.facts(&Kind::ALL).await.unwrap(), server.facts(&Kind::ALL).await.unwrap());
    assert_eq!(unnumbered(there), unnumbered(here));
    assert_eq!(verify(&server, &Readers::default(), Scope::All).await.unwrap().differences, []);
    assert!(archived(&server).await == before, "the archive of the other engine is the same, byte by byte");

    let back = Store::open_in_memory().await.unwrap();
    import(&back, std::io::Cursor::new(archived(&server).await)).await.unwrap();
    assert!(archived(&back).await == before);
    // A sync after the move changes what it would have changed before it.
    let counts = server.commit_sync(&commit("other", T1, vec![model("Ä", "3"), model("a", "1")])).await.unwrap();
    assert_eq!((counts.added, counts.changed, counts.unchanged), (1, 0, 1));
}

/// Thousands of facts that change, vanish and come back go through the statements that write many at once.
#[tokio::test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
async fn large_passes_change_remove_and_return_facts_as_the_other_engine_does() {
    let settings = postgres().await.expect(NO_SERVER);
    let stores = [Store::open_in_memory().await.unwrap(), Store::open_url(&settings).await.unwrap()];
    let facts =
        |from: usize, price: &str| (from..from + 2_300).map(|n| model(&format!("m{n}"), price)).collect::<Vec<_>>();
    let passes = [facts(0, "1"), facts(0, "2"), facts(1_500, "2"), facts(700, "3")];
    for (number, pass) in (0..).zip(passes) {
        let mut said = Vec::new();
        for store in &stores {
            let at = T0.plus_secs(number * 100);
            let mut commit = commit("s", at, pass.clone());
            commit.rejects = vec![Reject::new("m3", "no number", "{}")];
            let counts = store.commit_sync(&commit).await.unwrap();
            let mut facts = store.source_facts("s").await.unwrap();
            facts.iter_mut().for_each(|fact| fact.row = 0);
            said.push((counts, facts));
        }
        assert!(said[0] == said[1], "pass {number}");
    }
}
