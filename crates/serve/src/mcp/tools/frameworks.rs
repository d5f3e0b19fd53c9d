//! `search_frameworks` and `route_framework`.

use refdesk_catalog::answer::{self as catalog, Resolved};
use refdesk_core::Kind;
use refdesk_core::query::{FrameworkSearchQuery, Params, RouteQuery};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::answer::{Citations, ToolAnswer};
use super::arguments::Arguments;
use crate::api::hybrid::HybridPlan;
use crate::http::problem::Problem;
use crate::mcp::CATALOG_BYTES_MAX;
use crate::mcp::protocol::request::McpRequest;
use crate::state::metrics::SearchKind;

pub(super) fn search_frameworks(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    #[derive(Deserialize)]
    struct Hits {
        frameworks: Vec<Id>,
    }
    let params = Params::new(arguments.pairs_without(&[]), &FrameworkSearchQuery::NAMES);
    let mut query = FrameworkSearchQuery::parse(&params)?;
    let base = request.base;
    let limit = query.limit;
    request.state.metrics.search(SearchKind::Frameworks);
    let (json, ids) = loop {
        let json = catalog::framework_search(&request.snapshot, &query, base, &params.warnings);
        let found = parse_answer::<Hits>(&json)?.frameworks;
        if json.len() <= CATALOG_BYTES_MAX || found.len() <= 1 {
            break (json, found);
        }
        query.limit = (found.len() * CATALOG_BYTES_MAX / json.len()).clamp(1, found.len() - 1);
    };
    let how_to_continue = (query.limit < limit)
        .then(|| "get_framework gives one card in full; narrow the question or set domain".to_owned());
    let items = ids.iter().map(|id| id.ordinal(request)).collect::<Result<_, _>>()?;
    let answer = ToolAnswer { json, items, citations: Citations::Each("frameworks"), how_to_continue };
    answer.bounded("get_framework gives one card in full")
}

pub(super) async fn route_framework(request: &McpRequest<'_>, arguments: &Arguments) -> Result<ToolAnswer, Problem> {
    #[derive(Deserialize)]
    struct Routed {
        selected: Option<Id>,
    }
    let mut params = Params::new(arguments.pairs_without(&[]), &RouteQuery::NAMES);
    let mut query = RouteQuery::parse(&params)?;
    let plan = HybridPlan::new(request.state, &request.snapshot, query.mode);
    let near = plan.card_similarities(&request.snapshot, &query.text, &mut query.mode, &mut params.warnings).await?;
    let evaluation = request.state.evaluation_of(&request.snapshot);
    let base = request.base;
    let routing = catalog::Routed { query: &query, near: near.as_deref(), eval: evaluation.as_ref() };
    request.state.metrics.search(SearchKind::Route);
    let json = catalog::route(&request.snapshot, &routing, base, &params.warnings);
    let selected = parse_answer::<Routed>(&json)?.selected;
    let items = selected.iter().map(|id| id.ordinal(request)).collect::<Result<_, _>>()?;
    Ok(ToolAnswer { json, items, citations: Citations::Whole, how_to_continue: None })
}

/// The id of a card in an answer.
#[derive(Deserialize)]
struct Id {
    id: String,
}

impl Id {
    /// The card's ordinal.
    ///
    /// # Errors
    /// 500 when the answer names a card that its own snapshot does not have.
    fn ordinal(&self, request: &McpRequest<'_>) -> Result<u32, Problem> {
        match catalog::resolve(&request.snapshot, Kind::Framework, &self.id) {
            Resolved::Item(ordinal, _) => Ok(ordinal),
            Resolved::Unknown(_) => {
                Err(Problem::internal().because(format!("the answer names the unknown card {}", self.id)))
            }
        }
    }
}

/// Parses an answer of the catalog.
fn parse_answer<T: DeserializeOwned>(json: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(json).map_err(|error| Problem::internal().because(format!("an answer has no ids: {error}")))
}
