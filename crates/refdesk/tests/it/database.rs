//! A desk whose store is a `PostgreSQL` database: every command works as on a file, and no password is ever shown. The tests that need a
//! server are ignored unless they are asked for (`scripts/postgres.py` with `--run-ignored all`).

use crate::common::{Desk, tool};
use sqlx::{AssertSqlSafe, ConnectOptions as _};

const SECRET: &str = "hunter2-and-more";

#[test]
fn a_wrong_database_is_told_with_what_to_set_and_without_the_password() {
    let desk = Desk::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (setting, told) in [
        (format!("database_url=postgres://u:{SECRET}@{free}/d"), "REFDESK_DATABASE_URL"),
        (format!("database_url=mysql://u:{SECRET}@h/d"), "postgres://USER:PASSWORD@HOST:PORT/DATABASE"),
        (format!("database_url=postgres://u:{SECRET}@h:x/d"), "cannot be read"),
        (format!("database_read_url=postgres://u:{SECRET}@h/d"), "set database_url (REFDESK_DATABASE_URL) too"),
    ] {
        for command in ["sources", "serve", "migrate"] {
            let done = desk.run(&[command, "--set", &setting]).expect(2);
            assert!(done.err.contains(told), "{setting}: {done:?}");
            assert!(!format!("{done:?}").contains(SECRET), "{done:?}");
        }
        let shown = desk.run(&["config", "show", "--set", &setting]).expect(0);
        assert!(!format!("{shown:?}").contains(SECRET), "{shown:?}");
    }
}

/// The log told that the database does not answer and that the node starts all the same, and then it did not.
#[test]
fn a_url_that_is_no_databases_is_told_once_also_where_there_is_an_earlier_catalog() {
    let desk = Desk::stored();
    desk.run(&["list", "framework"]).expect(0);
    assert!(desk.path("data/catalog").exists());
    let done = desk.run(&["serve", "--listen", "127.0.0.1:0", "--set", "database_url=mysql://h/d"]).expect(2);
    assert!(done.err.contains("it does not begin with postgres://") && done.err.lines().count() == 1, "{done:?}");
}

/// Runs a statement as the superuser of the server that may be thrown away; the url of that server, without a database.
pub fn administer(statement: String) -> String {
    let url = std::env::var("REFDESK_TEST_POSTGRES").expect("REFDESK_TEST_POSTGRES names a server");
    let run = async {
        let mut admin = url.parse::<sqlx::postgres::PgConnectOptions>().unwrap().connect().await.unwrap();
        sqlx::query(AssertSqlSafe(statement)).execute(&mut admin).await.unwrap();
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run);
    url.rsplit_once('/').unwrap().0.to_owned()
}

/// A desk with a database of its own.
fn desk() -> Desk {
    let name = format!("desk{}", std::process::id());
    let server = administer(format!("CREATE DATABASE {name}"));
    let mut desk =
        Desk::with_cards(&[("lamp.yaml", &tool("lamp", "Gives light.")), ("saw.yaml", &tool("saw", "Cuts."))]);
    let url = format!("{}/{name}", server.replace("refdesk@", &format!("refdesk:{SECRET}@")));
    desk.environment.push(("REFDESK_DATABASE_URL".into(), url));
    desk
}

#[test]
#[ignore = "needs a PostgreSQL server: scripts/postgres.py"]
fn every_command_works_on_a_database_and_a_desk_moves_there_and_back() {
    let desk = desk();
    let done = desk.run(&["sources", "--set", "database_migrate=check"]).expect(2);
    assert!(done.err.contains("run `refdesk migrate`") && !done.err.contains(SECRET), "{done:?}");
    assert_eq!(desk.json(&["migrate"])["engine"], "postgres");
    desk.run(&["sources", "--set", "database_migrate=check"]).expect(0);

    assert_eq!(desk.json(&["sync", "mine"])[0]["result"], "updated");
    assert_eq!(desk.json(&["get", "tool", "lamp"])["tool"]["display_name"], "The lamp");
    assert_eq!(desk.json(&["verify"])["differences"], serde_json::json!([]));
    assert_eq!(desk.json(&["sources", "show", "mine"])["source"]["id"], "mine");
    assert!(desk.json(&["keys", "create", "--name", "a"])["key"].as_str().unwrap().starts_with("rdk_"));
    assert_eq!(desk.json(&["keys", "revoke", "a"])["revoked"]["name"], "a");
    assert_eq!(desk.json(&["keys", "list"])["keys"].as_array().unwrap().len(), 1);
    let doctor = desk.run(&["doctor"]).expect(0);
    assert!(doctor.out.contains("(postgres)") && !format!("{doctor:?}").contains(SECRET), "{doctor:?}");
    let shown = desk.json(&["config", "show"]);
    assert!(shown["paths"]["store"].as_str().unwrap().starts_with("postgres://127.0.0.1:"), "{shown}");
    assert!(!shown.to_string().contains(SECRET), "{shown}");
    assert!(!desk.store().exists(), "no file is made beside it");

    let server = desk.serve(&["--offline"]);
    assert_eq!(server.health()["runtime"]["store"], "postgres");
    assert_eq!(server.get("/v1/tools/lamp").status, 200);
    assert_eq!(server.get("/v1/frameworks/premortem?include=body").status, 200);
    assert_eq!(server.stop().0, 0);

    let list = desk.json(&["list", "tool"]);
    assert!(desk.json(&["export", "all.refdesk"])["facts"].as_u64().unwrap() > 100);
    let file = Desk::with_cards(&[]);
    std::fs::copy(desk.path("all.refdesk"), file.path("all.refdesk")).unwrap();
    file.json(&["import", "all.refdesk"]);
    assert_eq!(file.json(&["verify"])["differences"], serde_json::json!([]));
    assert_eq!(file.json(&["list", "tool"])["total"], list["total"]);
    assert!(desk.json(&["import", "all.refdesk"])["facts"].as_u64().unwrap() > 100);

    assert_eq!(desk.json(&["migrate", "--finish"])["min_version"], env!("CARGO_PKG_VERSION"));
    desk.run(&["sources"]).expect(0);
}
