//! `search_frameworks` and `route_framework`.

use refdesk_catalog::answer::{self as catalog, FrameworkAnswer};
use refdesk_core::query::{FrameworkSearchQuery, Params, RouteQuery};

use super::answer::{Citations, ToolAnswer};
use super::arguments::Arguments;
use super::projection::Projection;
use crate::http::problem::Problem;
use crate::mcp::CATALOG_BYTES_MAX;
use crate::mcp::protocol::request::McpRequest;
use crate::state::hybrid::HybridPlan;
use crate::state::metrics::SearchKind;

pub(super) fn search_frameworks(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let params = Params::new(arguments.pairs_without(&["full"]), &FrameworkSearchQuery::NAMES);
    let query = FrameworkSearchQuery::parse(&params)?;
    request.state.metrics.search(SearchKind::Frameworks);
    let FrameworkAnswer { json, items, warnings } =
        catalog::framework_search(&request.snapshot, &query, request.base, &params.warnings);
    let projection = Projection::Hits { list: "frameworks", asked: &[] };
    let answer = ToolAnswer::of_list(&json, "frameworks", items, projection, arguments)?;
    let mut answer = answer.projected(projection, &request.snapshot, arguments)?.telling(warnings);
    let how_to_continue = answer.fit_list("frameworks", CATALOG_BYTES_MAX).map(|shown| {
        format!("only the best {shown} cards are shown; get_framework gives one in full, domain narrows them")
    });
    Ok(answer.with_continuations(how_to_continue).bounded("get_framework gives one card in full"))
}

pub(super) async fn route_framework(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    let mut params = Params::new(arguments.pairs_without(&["full"]), &RouteQuery::NAMES);
    let mut query = RouteQuery::parse(&params)?;
    let plan = HybridPlan::new(request.state, &request.snapshot, query.mode);
    let near = plan.card_similarities(&request.snapshot, &query.text, &mut query.mode, &mut params.warnings).await?;
    let evaluation = request.state.evaluation_of(&request.snapshot);
    let (near, eval) = (near.as_deref(), evaluation.as_ref());
    request.state.metrics.search(SearchKind::Route);
    let FrameworkAnswer { json, items, warnings } =
        catalog::route(&request.snapshot, &query, near, eval, request.base, &params.warnings);
    Ok(ToolAnswer::new(&json, items, Citations::Whole).telling(warnings))
}
