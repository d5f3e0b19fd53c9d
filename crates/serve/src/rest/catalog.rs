//! Lists and details of the catalog kinds. The handlers differ by kind only in what the OpenAPI document says of them.

use axum::response::Response;
use bytes::Bytes;
use refdesk_catalog::answer::{self, DetailExtras, Resolved};
use refdesk_core::Kind;
use refdesk_core::query::{DetailQuery, ListQuery};

use super::{Call, documents};
use crate::problem::Problem;
use crate::reply::JSON;

/// A page of a kind.
pub(crate) fn list(call: &Call, kind: Kind) -> Result<Response, Problem> {
    let params = call.params(ListQuery::names(kind));
    let query = ListQuery::read(kind, &params)?;
    let mut response = call.asked().data(JSON, || answer::list(&call.snapshot, kind, &query, &params.warnings));
    let total = call.snapshot.listed(kind, &query).len();
    let next = query.offset.saturating_add(query.limit);
    if next < total {
        let candidates = if query.include_candidates { "&include_candidates=true" } else { "" };
        let fresh = if query.fresh_only { "&fresh_only=true" } else { "" };
        let link = format!(
            "<{}/v1/{}/list?limit={}&offset={next}{fresh}{candidates}>; rel=\"next\"",
            call.base(),
            kind.path_segment(),
            query.limit
        );
        if let Ok(link) = link.parse() {
            response.headers_mut().insert(http::header::LINK, link);
        }
    }
    Ok(response)
}

/// An item by id or alias.
pub(crate) async fn detail(call: &Call, kind: Kind) -> Result<Response, Problem> {
    let asked = call.tail(kind.path_segment());
    let params = call.params(DetailQuery::names(kind));
    let query = DetailQuery::read(&params)?;
    let (ordinal, spelling) = match answer::resolve(&call.snapshot, kind, &asked) {
        Resolved::Item(ordinal, spelling) => (ordinal, spelling),
        Resolved::Unknown(suggestions) => return Err(Problem::not_found(kind, &asked, suggestions)),
    };
    if query.fresh_only
        && let Some(reason) = call.snapshot.evidence_of(ordinal).stale_reason
    {
        return Err(Problem::only_stale(kind, &asked, reason));
    }
    if let Some(response) = documents::in_another_form(call, kind, ordinal).await? {
        return Ok(response);
    }
    // An answer with a body is not kept: it would hide that the store fails.
    let bodied = answer::body_key(kind).is_some() && call.snapshot.body(ordinal).is_some();
    let body = if bodied { documents::markdown(&call.desk, &call.snapshot, ordinal).await? } else { None };
    let extras = DetailExtras {
        resolved_from: spelling,
        fresh_only: query.fresh_only,
        all_offers: query.all_offers,
        include_prompt: query.include_prompt,
        body: body.as_deref(),
        warnings: &params.warnings,
    };
    let detail = || Bytes::from(answer::detail(&call.snapshot, ordinal, &extras));
    // Nor is one whose raw text may be withheld: asked for that, its answer is another.
    let plain = answer::body_key(kind).is_none() && spelling.is_none() && call.uri.query().is_none();
    Ok(if plain { call.asked().detail(detail) } else { call.asked().data(JSON, || vec![detail()]) })
}

/// Writes the two handlers of a kind with their descriptions for the OpenAPI document.
macro_rules! kind_handlers {
    ($kind:ident, $list:ident, $get:ident, $list_path:literal, $get_path:literal, $tag:literal, $list_answer:ident, $answer:ident, $params:ident) => {
        #[doc = concat!("List ", $tag, ", ordered by id.")]
        #[utoipa::path(
            get, path = $list_path, tag = $tag, summary = concat!("List ", $tag, ", ordered by id."),
            params(super::schema::ListParams),
            responses(
                (status = 200, description = "A page. `limit` shows the size applied.", body = super::schema::$list_answer,
                 headers(("ETag" = String, description = "Strong entity tag."), ("Link" = String, description = "`rel=\"next\"` when there is more."))),
                super::schema::CommonErrors,
            )
        )]
        pub async fn $list(call: Call) -> Result<Response, Problem> {
            list(&call, Kind::$kind)
        }

        #[doc = concat!("Get one of the ", $tag, " by id or by any alias, with its evidence.")]
        #[utoipa::path(
            get, path = $get_path, tag = $tag, summary = concat!("Get one of the ", $tag, " by id or by any alias, with its evidence."),
            params(
                ("id" = String, Path, description = "Id, or an upstream spelling of it; a `/` in it may be sent raw or as `%2F`."),
                super::schema::$params
            ),
            responses(
                (status = 200, description = "The item. `resolved_from` is there when an alias was sent.", body = super::schema::$answer,
                 headers(("ETag" = String, description = "Strong entity tag."))),
                (status = 404, description = "No such item; `suggestions` has near ids.", body = super::schema::ProblemDocument, content_type = "application/problem+json"),
                super::schema::CommonErrors,
            )
        )]
        pub async fn $get(call: Call) -> Result<Response, Problem> {
            detail(&call, Kind::$kind).await
        }
    };
}

kind_handlers!(
    Model,
    list_models,
    get_model,
    "/v1/models/list",
    "/v1/models/{id}",
    "models",
    ModelList,
    ModelDetail,
    ModelDetailParams
);
kind_handlers!(
    Tool,
    list_tools,
    get_tool,
    "/v1/tools/list",
    "/v1/tools/{id}",
    "tools",
    ToolList,
    ToolDetail,
    DetailParams
);
kind_handlers!(
    Skill,
    list_skills,
    get_skill,
    "/v1/skills/list",
    "/v1/skills/{id}",
    "skills",
    SkillList,
    SkillDetail,
    DetailParams
);
kind_handlers!(
    Tutorial,
    list_tutorials,
    get_tutorial,
    "/v1/tutorials/list",
    "/v1/tutorials/{id}",
    "tutorials",
    TutorialList,
    TutorialDetail,
    DetailParams
);
kind_handlers!(
    McpServer,
    list_mcp_servers,
    get_mcp_server,
    "/v1/mcp-servers/list",
    "/v1/mcp-servers/{id}",
    "mcp-servers",
    McpServerList,
    McpServerDetail,
    DetailParams
);
kind_handlers!(
    Document,
    list_documents,
    get_document,
    "/v1/documents/list",
    "/v1/documents/{id}",
    "documents",
    DocumentList,
    DocumentDetail,
    DetailParams
);

/// Get an evidence record by its key.
#[utoipa::path(
    get, path = "/v1/evidence/{key}", tag = "evidence",
    params(("key" = String, Path, description = "`evidence_key` of a row.")),
    responses(
        (status = 200, description = "The record.", body = super::schema::Evidence),
        (status = 404, description = "No such key.", body = super::schema::ProblemDocument, content_type = "application/problem+json"),
        super::schema::CommonErrors,
    )
)]
pub async fn get_evidence(call: Call) -> Result<Response, Problem> {
    let key = call.tail("evidence");
    let Some(record) = answer::evidence(&call.snapshot, &key) else {
        return Err(Problem::evidence_not_found(&key));
    };
    Ok(call.asked().data(JSON, || vec![Bytes::from(record)]))
}
