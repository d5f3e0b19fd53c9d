//! `compare_items` and `estimate_cost`: the answers of `/v1/{kind}/compare` and `/v1/cost`.

use refdesk_catalog::answer as catalog;
use refdesk_core::Kind;
use refdesk_core::query::{CompareQuery, CostQuery, Params};

use super::answer::{Citations, ToolAnswer};
use super::arguments::Arguments;
use super::projection::Projection;
use super::references::{parse_reference, reference_among, resolve_item};
use crate::api::questions::incomparable;
use crate::http::problem::Problem;
use crate::mcp::protocol::request::McpRequest;

/// Sellers of a cost, the cheapest first, when no `limit` is sent.
pub(super) const SELLERS_SHOWN: usize = 8;

pub(super) fn compare_items(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let params = Params::new(arguments.pairs_without(&["type", "full"]), &CompareQuery::NAMES);
    let mut query = CompareQuery::parse(&params)?;
    let typed = arguments.kind(&Kind::ALL)?;
    let named = typed.or_else(|| query.ids.iter().find_map(|id| parse_reference(&request.snapshot, id).0));
    for id in &mut query.ids {
        *id = reference_among(&request.snapshot, id, named.as_ref().map_or(&Kind::ALL, std::slice::from_ref))?.1;
    }
    let kind = if let Some(kind) = named {
        kind
    } else {
        let (first, _) = resolve_item(request, "ids", &Kind::ALL, &query.ids[0])?;
        request.snapshot.kind_of(first)
    };
    let compared = catalog::compare(&request.snapshot, kind, &query.ids, &params.warnings);
    let json = compared.map_err(|why| incomparable(kind, &query.ids, &why, "get_item with resolve=true"))?;
    let items = query.ids.iter().filter_map(|id| catalog::resolve(&request.snapshot, kind, id).ok());
    let items = items.map(|(ordinal, _)| ordinal).collect();
    let answer = ToolAnswer::new(&json, items, Citations::Nothing);
    Ok(answer.projected(Projection::Comparison, &request.snapshot, arguments)?.bounded("compare fewer items"))
}

pub(super) fn estimate_cost(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let model = arguments.required("model", "Send model=<the id of a model, or any spelling of it>.")?;
    let (_, id) = reference_among(&request.snapshot, model, &[Kind::Model])?;
    let pairs = arguments.pairs_without(&["model", "limit", "full"]).chain([("model", &*id)]);
    let params = Params::new(pairs, &CostQuery::NAMES);
    let query = CostQuery::parse(&params)?;
    let (ordinal, _) = resolve_item(request, "model", &[Kind::Model], &id)?;
    let sellers = arguments.count("limit", 1)?.unwrap_or(SELLERS_SHOWN);
    let json = catalog::cost(&request.snapshot, ordinal, &query, &params.warnings);
    let answer = ToolAnswer::new(&json, vec![ordinal], Citations::Whole);
    let answer = answer.projected(Projection::Cost { sellers }, &request.snapshot, arguments)?;
    Ok(answer.bounded("name a seller to see one line"))
}
