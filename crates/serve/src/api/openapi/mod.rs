//! The OpenAPI document: generated from the handlers and the types, then corrected where annotations cannot say it.
//!
//! [`schemas`] states which members of answers are always there, [`operations`] which parameters, representations and headers an operation
//! has, [`headers`] those headers, [`shared`] that answers of several operations are described once. `tests/it/openapi.rs` holds all of it
//! against real answers. The shapes are in [`super::schema`].

mod headers;
mod operations;
mod parameters;
mod schemas;
mod shared;

use axum::response::Response;
use bytes::Bytes;
use serde_json::{Map, Value};
use utoipa::OpenApi;

use crate::http::problem::Problem;
use crate::http::request::ApiRequest;
use crate::negotiation::JSON;
use crate::settings::Settings;

/// The document, generated from the handlers.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "refdesk",
        description = "A read-only reference desk for models, tools, documents, skills, tutorials, MCP servers and working frameworks. Every answer carries its evidence.",
        license(name = "MIT OR Apache-2.0")
    ),
    paths(
        super::search::search,
        super::kinds::list_models, super::kinds::get_model, super::kinds::compare_models,
        super::kinds::list_tools, super::kinds::get_tool, super::kinds::compare_tools,
        super::kinds::list_skills, super::kinds::get_skill, super::kinds::compare_skills,
        super::kinds::list_tutorials, super::kinds::get_tutorial, super::kinds::compare_tutorials,
        super::kinds::list_mcp_servers, super::kinds::get_mcp_server, super::kinds::compare_mcp_servers,
        super::kinds::list_documents, super::kinds::get_document, super::kinds::compare_documents,
        super::kinds::list_frameworks, super::kinds::get_framework, super::kinds::compare_frameworks,
        super::evidence::get_evidence, super::evidence::get_record,
        super::frameworks::search_frameworks, super::frameworks::route_framework,
        super::questions::cost, super::questions::resolve, super::questions::conflicts,
        super::sources::sources_status,
        super::health::health, super::health::livez, super::health::readyz, super::health::version, super::health::metrics,
        openapi_json, super::llms_txt::llms_txt,
    ),
    components(schemas(super::schema::ChosenList, super::schema::ChosenHits)),
    modifiers(&Security),
)]
struct Document;

/// Both forms of sending a key; a request without one is fine unless the operator requires keys.
struct Security;

impl utoipa::Modify for Security {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{
            ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
        };
        let components = document.components.get_or_insert_default();
        components.add_security_scheme(
            "bearer",
            SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("rdk_…").build()),
        );
        components
            .add_security_scheme("api_key", SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("x-api-key"))));
        let none: [&str; 0] = [];
        document.security = Some(vec![
            SecurityRequirement::default(),
            SecurityRequirement::new("bearer", none),
            SecurityRequirement::new("api_key", none),
        ]);
    }
}

/// The schemas of the document's components, by name.
pub(crate) fn component_schemas() -> serde_json::Result<Map<String, Value>> {
    let components = Document::openapi().components.map_or_else(Default::default, |components| components.schemas);
    let mut schemas = serde_json::from_value(serde_json::to_value(components)?)?;
    schemas::correct(&mut schemas);
    Ok(schemas)
}

/// The document for the configured public URLs, with each answer in its place.
pub(crate) fn document(settings: &Settings) -> serde_json::Result<Value> {
    let mut document = Document::openapi();
    document.info.version = env!("CARGO_PKG_VERSION").into();
    let urls = [&settings.base_url, &settings.api_url].into_iter().filter(|url| !url.is_empty());
    let servers: Vec<_> = urls.map(utoipa::openapi::Server::new).collect();
    document.servers = Some(if servers.is_empty() { vec![utoipa::openapi::Server::new("/")] } else { servers });
    let mut document = serde_json::to_value(document)?;
    if let Some(Value::Object(schemas)) = document.pointer_mut("/components/schemas") {
        schemas::correct(schemas);
    }
    if let Some(Value::Object(paths)) = document.get_mut("paths") {
        operations::correct(paths);
    }
    if let Some(components) = document.get_mut("components") {
        components["headers"] = headers::components();
    }
    Ok(document)
}

/// This document.
#[utoipa::path(get, path = "/openapi.json", tag = "about", responses((status = 200, description = "OpenAPI 3.1.", body = Value), super::schema::CommonErrors))]
pub async fn openapi_json(request: ApiRequest) -> Result<Response, Problem> {
    let json = rendered(&request)?;
    request.respond().data(JSON, || vec![json])
}

/// The document as it is sent, rendered when it is first asked for.
fn rendered(request: &ApiRequest) -> Result<Bytes, Problem> {
    let cache = &request.state.caches.openapi_json;
    if let Some(rendered) = cache.get() {
        return Ok(rendered.clone());
    }
    let mut document =
        document(&request.state.settings).map_err(|error| Problem::internal().because(error.to_string()))?;
    shared::refer(&mut document);
    Ok(cache.get_or_init(|| document.to_string().into()).clone())
}
