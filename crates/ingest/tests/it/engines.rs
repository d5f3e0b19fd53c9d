//! Empty stores of each engine, for the tests of what every engine must do.
//!
//! `PostgreSQL` is among them where `REFDESK_TEST_POSTGRES` has the url of a superuser of a server that may be thrown away
//! (`scripts/postgres.py`): every store is a database of its own there, with an ICU locale, whose order differs from that of bytes.

#![allow(clippy::print_stderr, reason = "whoever runs the tests should know what is not tested")]

use std::sync::atomic::{AtomicU32, Ordering};

use refdesk_ingest::store::{DatabaseSettings, Store};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

/// One empty store of each engine.
pub async fn engines() -> Vec<Store> {
    let folder = tempfile::tempdir().unwrap().keep();
    let mut stores =
        vec![Store::open_in_memory().await.unwrap(), Store::open(&folder.join("catalog.sqlite3")).await.unwrap()];
    if let Some(settings) = postgres().await {
        stores.push(Store::open_url(&settings).await.unwrap());
    }
    stores
}

/// What tests that need a server say where none is named.
pub const NO_SERVER: &str = "REFDESK_TEST_POSTGRES names a server";

/// An empty database of its own; `None`, and a word about it, where no server is named.
pub async fn postgres() -> Option<DatabaseSettings> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let Ok(server) = std::env::var("REFDESK_TEST_POSTGRES") else {
        eprintln!("skipped on PostgreSQL: REFDESK_TEST_POSTGRES names no server; see scripts/postgres.py");
        return None;
    };
    let mut url = url::Url::parse(&server).unwrap();
    let name = format!("t{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let mut admin = admin(&url).await;
    let statement = format!(
        "CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C.UTF-8'"
    );
    sqlx::query(AssertSqlSafe(statement)).execute(&mut admin).await.unwrap();
    admin.close().await.unwrap();
    url.set_path(&name);
    Some(DatabaseSettings::new(url.to_string()))
}

/// Another connection to a database.
pub async fn admin(url: &url::Url) -> sqlx::PgConnection {
    url.as_str().parse::<sqlx::postgres::PgConnectOptions>().unwrap().connect().await.unwrap()
}
