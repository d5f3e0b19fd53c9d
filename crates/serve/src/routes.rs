//! The route table, top to bottom.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{any, get};

use crate::desk::Desk;
use crate::guard::{self, READ_METHODS};
use crate::limits;
use crate::mcp;
use crate::problem::Problem;
use crate::rest::{catalog, frameworks, health, meta, search, sources};

/// All paths of the service over a desk.
pub fn router(desk: Arc<Desk>) -> Router {
    router_with(desk, |routes| routes)
}

/// The same with further layers inside the outermost one.
pub(crate) fn router_with(desk: Arc<Desk>, layers: impl FnOnce(Router<Arc<Desk>>) -> Router<Arc<Desk>>) -> Router {
    let routes = Router::new()
        .route("/v1/search", get(search::search))
        .route("/v1/models/list", get(catalog::list_models))
        .route("/v1/models/{*id}", get(catalog::get_model))
        .route("/v1/tools/list", get(catalog::list_tools))
        .route("/v1/tools/{*id}", get(catalog::get_tool))
        .route("/v1/skills/list", get(catalog::list_skills))
        .route("/v1/skills/{*id}", get(catalog::get_skill))
        .route("/v1/tutorials/list", get(catalog::list_tutorials))
        .route("/v1/tutorials/{*id}", get(catalog::get_tutorial))
        .route("/v1/mcp-servers/list", get(catalog::list_mcp_servers))
        .route("/v1/mcp-servers/{*id}", get(catalog::get_mcp_server))
        .route("/v1/documents/list", get(catalog::list_documents))
        .route("/v1/documents/{*id}", get(catalog::get_document))
        .route("/v1/evidence/{*key}", get(catalog::get_evidence))
        .route("/v1/frameworks/search", get(frameworks::search_frameworks))
        .route("/v1/frameworks/route", get(frameworks::route_framework))
        .route("/v1/frameworks/list", get(frameworks::list_frameworks))
        .route("/v1/frameworks/{*id}", get(frameworks::get_framework))
        .route("/v1/sources/status", get(sources::sources_status))
        .route("/mcp", any(mcp::endpoint))
        .route("/health", get(health::health))
        .route("/livez", get(health::livez))
        .route("/readyz", get(health::readyz))
        .route("/version", get(health::version))
        .route("/metrics", get(health::metrics))
        .route("/openapi.json", get(meta::openapi_json))
        .route("/docs", get(meta::docs))
        .route("/llms.txt", get(meta::llms_txt))
        .fallback(|| async { Problem::unknown_endpoint().into_response() })
        .method_not_allowed_fallback(|| async { Problem::method_not_allowed(READ_METHODS).into_response() });
    let routes = routes.layer(from_fn_with_state(Arc::clone(&desk), limits::admit));
    layers(routes).layer(from_fn_with_state(Arc::clone(&desk), guard::guard)).with_state(desk)
}
