//! What is kept and sold no longer looks so.

use super::super::{BROWSER, Page};
use crate::common::catalog::fact;
use crate::common::{Bench, DAY, NOW, snapshot, unlimited};
use http::StatusCode;
use refdesk_core::fact::{Identity, StoredFact};
use refdesk_core::item::{Item, McpServer, Model, Status};

/// `old`, which its maker sells and calls deprecated.
fn deprecated(fields: Model) -> StoredFact {
    let mut model = fact("old", "old", "Old", &Item::Model(fields));
    model.head.status = Status::Deprecated;
    model.identity = Identity {
        provider: Some("acme".into()),
        api_model_id: Some("old".into()),
        maker: Some("acme".into()),
        ..Identity::default()
    };
    model
}

#[tokio::test]
async fn what_is_over_has_a_badge_and_a_notice_before_its_lines() {
    let dated =
        Model { deprecated_on: Some("2026-01-02".into()), retires_on: Some("2026-09-30".into()), ..Model::default() };
    let model = deprecated(dated);
    let mut server = fact("s", "s", "S (Archived)", &Item::McpServer(McpServer::default()));
    server.head.status = Status::Deprecated;
    let kept = fact("new", "new", "New", &Item::Model(Model::default()));
    let bench = Bench::over(unlimited(), &[model, server, kept]);
    let page = Page::of(&bench, "/models/old").await;
    assert!(page.html().contains("<span class=\"tag over\">deprecated</span>"), "{}", page.html());
    let told = "This model is deprecated ; deprecated on 2026-01-02 ; it stops answering on 2026-09-30";
    assert!(page.words().contains(told), "{}", page.words());
    let server = Page::of(&bench, "/mcp-servers/s").await;
    let (notice, install) =
        (server.html().find("lists it as archived").unwrap(), server.html().find("id=\"install\"").unwrap());
    assert!(notice < install, "before the lines");
    let list = Page::of(&bench, "/models").await.html();
    assert_eq!(list.matches("tag over").count(), 1, "{list}");
    assert!(!Page::of(&bench, "/models/new").await.html().contains("tag over"));
}

/// The evidence below is of the source that leads, which may know no such day.
#[tokio::test]
async fn a_day_of_another_source_than_the_leading_one_names_it() {
    let leading = deprecated(Model { deprecated_on: Some("2026-01-02".into()), ..Model::default() });
    let mut other = deprecated(Model { retires_on: Some("2026-09-30".into()), ..Model::default() });
    other.source_id = "second".into();
    let bench = Bench::over(unlimited(), &[leading, other]);
    let page = Page::of(&bench, "/models/old").await;
    let words = page.words();
    let told = "deprecated on 2026-01-02 ; it stops answering on 2026-09-30 (from second )";
    assert!(words.contains(told), "{words}");
    let model = bench.json("/v1/models/old").await["model"].take();
    let key = model["field_evidence"]["retires_on"]["evidence_key"].as_str().unwrap();
    assert_ne!(model["evidence_key"], key);
    let notice = page.html().split_once("role=\"note\"").unwrap().1.split_once("</p>").unwrap().0.to_owned();
    assert!(notice.contains(&format!("/evidence/{key}?")), "{notice}");
}

#[tokio::test]
async fn an_end_is_told_in_the_past_from_its_day_on_also_to_who_kept_the_page() {
    let facts = [deprecated(Model { retires_on: Some("2026-09-30".into()), ..Model::default() })];
    let bench = Bench::over(unlimited(), &facts);
    let before = Page::of(&bench, "/models/old").await;
    let told = "Its source states that this model is deprecated ; it stops answering on 2026-09-30";
    assert!(before.words().contains(told), "{}", before.words());
    let later = NOW.plus_secs(10 * DAY);
    bench.set_clock(later);
    bench.desk.publish(snapshot(&facts, later, 2));
    let kept = ("if-none-match", before.0.header("etag"));
    assert_eq!(bench.get_with("/models/old", &[BROWSER, kept]).await.status, StatusCode::OK);
    let after = Page::of(&bench, "/models/old").await.words();
    assert!(after.contains("This model is retired ; it stopped answering on 2026-09-30"), "{after}");
}
