//! Which model an upstream's id means: real hard cases as a table, and what becomes of everyone's prices.

mod cases;
mod offers;

use std::sync::Arc;

use crate::common::{DAY, NOW, source};
use refdesk_catalog::resolve::merge::merge;
use refdesk_catalog::resolve::{Context, FactSet, Plan, ResolvedItem, Sources, Withheld, plan};
use refdesk_core::Kind;
use refdesk_core::fact::StoredFact;
use serde_json::{Value, json};

fn price(input: impl Into<Value>, output: impl Into<Value>) -> Value {
    let (input, output): (Value, Value) = (input.into(), output.into());
    json!({"pricing": {"currency": "USD", "unit": "1M_tokens", "input": input, "output": output}, "limits": {"context_tokens": 200_000}})
}

/// What facts become.
struct Resolution {
    items: Vec<ResolvedItem>,
    withheld: Vec<Withheld>,
}

/// Source `a` outranks `b`, and `b` outranks `c`.
fn resolved(facts: &[StoredFact]) -> Resolution {
    let mut sources = Sources::new();
    for (rank, id) in [(1, "a"), (2, "b"), (3, "c")] {
        sources.insert(Arc::from(id), Arc::new(source(id, rank, DAY)));
    }
    let Plan { items, identities, servers } = plan(Kind::Model, facts, &sources);
    let set = FactSet { facts, identities: &identities, servers: &servers, sources: &sources };
    let context = Context { set, now: NOW };
    let mut withheld = Vec::new();
    let items = items.iter().map(|planned| merge(planned, context, &mut withheld)).collect();
    Resolution { items, withheld }
}

fn only(resolution: &Resolution) -> &ResolvedItem {
    assert_eq!(resolution.items.len(), 1, "{:?}", resolution.items.iter().map(|item| &item.id).collect::<Vec<_>>());
    &resolution.items[0]
}

/// Ids of the facts that each item has, items and ids sorted.
fn items(facts: &[StoredFact]) -> Vec<Vec<String>> {
    let ids = |item: &ResolvedItem| {
        let mut ids: Vec<String> = item.facts.iter().map(|at| facts[*at].key.clone()).collect();
        ids.sort();
        ids
    };
    let mut items: Vec<Vec<String>> = resolved(facts).items.iter().map(ids).collect();
    items.sort();
    items
}
