//! An evidence record: where a fact comes from, and how anyone recomputes its hash.

use axum::response::Response;
use maud::html;
use refdesk_catalog::answer;

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;
use crate::pages::answer::read;
use crate::pages::items::provenance;
use crate::pages::layout::target::Target;
use crate::pages::layout::{Alternate, Page, Section, table};
use crate::pages::respond_live;

/// The page of a record.
pub(crate) fn evidence(request: &ApiRequest) -> Result<Response, Problem> {
    // The command holds the host by which the client came, which is no part of the address.
    respond_live(request, || page(request))
}

fn page(request: &ApiRequest) -> Result<Page, Problem> {
    let key = request.tail("evidence");
    let Some(record) = answer::evidence(&request.snapshot, &key) else { return Err(Problem::evidence_not_found(&key)) };
    let record = read(&record);
    let body = html! {
        h1 { "Evidence" }
        p { (table::copied(&key)) }
        (provenance::record(&record))
        (provenance::recompute(&request.origin(), &record))
    };
    let mut page = Page::new(Section::Other, format!("Evidence {key}"), body);
    let target = Target::below("evidence", &key);
    page.alternates = vec![Alternate { label: "JSON", media_type: JSON, target: Target::below("v1/evidence", &key) }];
    page.canonical = Some(target);
    Ok(page)
}
