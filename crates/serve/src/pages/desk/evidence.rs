//! An evidence record: where a fact comes from, of which item it speaks, and how anyone recomputes its hash.

use axum::response::Response;
use maud::{Markup, html};
use refdesk_catalog::answer::{self, DetailExtras, at};
use refdesk_core::Kind;
use serde_json::Value;

use crate::api::full_texts;
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::pages::answer::read;
use crate::pages::items::provenance;
use crate::pages::layout::target::Target;
use crate::pages::layout::{Alternate, Page, Section, freshness, table, values};
use crate::pages::respond_live;
use crate::state::RecordRead;

/// The page of a record.
pub(crate) async fn evidence(request: ApiRequest) -> Result<Response, Problem> {
    let found = request.snapshot.evidence(&request.tail("evidence")).map(|record| (record.row, record.key));
    let stored = match found {
        Some((row, key)) => Some(request.state.store.record(row, key).await.map_err(full_texts::unavailable)?),
        None => None,
    };
    // The command holds the host by which the client came, which is no part of the address.
    respond_live(&request, &page(&request, stored.as_ref())?)
}

fn page(request: &ApiRequest, stored: Option<&RecordRead>) -> Result<Page, Problem> {
    let key = request.tail("evidence");
    let Some(record) = answer::evidence(&request.snapshot, &key) else { return Err(Problem::evidence_not_found(&key)) };
    let record = read(&record);
    let about = About::find(request, &key);
    let body = html! {
        h1 { "Evidence" }
        p { (table::copied(&key)) }
        @if let Some(about) = &about { (about.shown(&key)) }
        (freshness::badge(&record))
        (provenance::record(&record))
        @if let Some(RecordRead::Withheld(reason)) = stored {
            p.notice { "This desk may not pass on the record itself (" (values::words(&reason.as_str().replace("licence", "license"))) "); its hash stays, and its address leads to the source." }
        } @else {
            (provenance::recompute(&request.origin(), &record))
        }
        // A page may be open where the API asks for a key.
        @if matches!(stored, Some(RecordRead::Found { .. })) && !request.state.settings.require_key {
            p { a href=(Target::below("v1/evidence", &format!("{key}/record")).href()) { "The record itself" } ", as the source wrote it." }
        }
    };
    let title = about.map_or_else(|| format!("Evidence {key}"), |about| format!("Evidence {key}, {}", about.name()));
    let mut page = Page::new(Section::Other, title, body);
    let target = Target::below("evidence", &key);
    page.alternates = vec![Alternate::json(Target::below("v1/evidence", &key))];
    page.canonical = Some(target);
    Ok(page)
}

/// The item that a record speaks of.
struct About {
    kind: Kind,
    item: Value,
}

impl About {
    /// The item that the address names, or else the first one that rests on the record.
    fn find(request: &ApiRequest, key: &str) -> Option<Self> {
        let snapshot = &request.snapshot;
        let sent = |name: &str| request.pairs().find(|(sent, _)| *sent == name).map(|(_, value)| value);
        let named = sent("kind").and_then(Kind::of_path_segment).zip(sent("id"));
        let named = named.and_then(|(kind, id)| Some((kind, snapshot.find(kind, id).item()?)));
        let (kind, ordinal) =
            named.filter(|(_, ordinal)| snapshot.rests_on(*ordinal, key)).or_else(|| snapshot.item_on(key))?;
        let detail = answer::detail(snapshot, ordinal, &DetailExtras::default());
        let item = read(&detail)[kind.singular()].take();
        Some(Self { kind, item })
    }

    fn id(&self) -> &str {
        self.item["id"].as_str().unwrap_or_default()
    }

    fn name(&self) -> String {
        values::excerpt(values::text(&self.item, self.kind.name_key()).unwrap_or_else(|| self.id()), 120)
    }

    /// The item, and the fields of it that were read in this record.
    fn shown(&self, key: &str) -> Markup {
        let stated = self.item["field_evidence"].as_object().into_iter().flatten();
        let fields: Vec<(String, Markup)> = stated
            .filter(|(_, stated)| stated["evidence_key"] == key)
            .map(|(path, _)| (values::path_in_words(path), self.value(path)))
            .collect();
        html! {
            p { "About the " (self.kind.label()) " " a href=(Target::item(self.kind, self.id()).href()) { (self.name()) } "." }
            @if !fields.is_empty() {
                h2 { "Fields that rest on it" }
                (table::facts("Fields", &fields))
            }
            h2 { "The record" }
        }
    }

    fn value(&self, path: &str) -> Markup {
        values::at_path(path, at(&self.item, path).unwrap_or(&Value::Null))
    }
}
