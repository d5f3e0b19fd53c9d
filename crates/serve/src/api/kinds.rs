//! The operations that every kind has: list, detail and comparison. The handlers of the kinds differ only in their description in the
//! OpenAPI document.

use axum::response::Response;
use refdesk_core::Kind;

use super::{catalog, questions};
use crate::http::problem::Problem;
use crate::http::request::ApiRequest;

/// Declares the three handlers of each kind with their descriptions for the OpenAPI document.
macro_rules! kind_handlers {
    ($(
        $kind:ident $tag:literal $singular:literal
        $list:ident $list_path:literal $list_answer:ident
        $get:ident $get_path:literal $answer:ident
        $compare:ident $compare_path:literal;
    )*) => {$(
        #[doc = concat!("List ", $singular, "s, in the order of `sort` or of their ids.")]
        #[utoipa::path(
            get, path = $list_path, tag = $tag, summary = concat!("List ", $singular, "s, in the order of `sort` or of their ids."),
            responses(
                (status = 200, description = "A page. `limit` shows the size applied.", body = super::schema::$list_answer),
                super::schema::CommonErrors,
            )
        )]
        pub async fn $list(request: ApiRequest) -> Result<Response, Problem> {
            catalog::list(&request, Kind::$kind)
        }

        #[doc = concat!("Get one ", $singular, " by id or alias, with its evidence.")]
        #[utoipa::path(
            get, path = $get_path, tag = $tag, summary = concat!("Get one ", $singular, " by id or alias, with its evidence."),
            params(("id" = String, Path, description = "Id, or an upstream spelling of it; a `/` in it may be sent raw or as `%2F`.")),
            responses(
                (status = 200, description = "The item, with `resolved_from` if you sent an alias.", body = super::schema::$answer),
                (status = 404, description = "No such item; `suggestions` has near ids.", body = super::schema::ProblemDocument, content_type = "application/problem+json"),
                super::schema::CommonErrors,
            )
        )]
        pub async fn $get(request: ApiRequest) -> Result<Response, Problem> {
            catalog::detail(&request, Kind::$kind).await
        }

        #[doc = concat!("Compare 2 to 10 ", $singular, "s: every field, which differ, and the best values.")]
        #[utoipa::path(
            get, path = $compare_path, tag = $tag, summary = concat!("Compare 2 to 10 ", $singular, "s."),
            responses(
                (status = 200, description = "A row for each field that at least one of them has.", body = super::schema::CompareAnswer),
                super::schema::CommonErrors,
            )
        )]
        pub async fn $compare(request: ApiRequest) -> Result<Response, Problem> {
            questions::compare(&request, Kind::$kind)
        }
    )*};
}

kind_handlers! {
    Model "models" "model"
        list_models "/v1/models/list" ModelList get_model "/v1/models/{id}" ModelDetail compare_models "/v1/models/compare";
    Tool "tools" "tool"
        list_tools "/v1/tools/list" ToolList get_tool "/v1/tools/{id}" ToolDetail compare_tools "/v1/tools/compare";
    Skill "skills" "skill"
        list_skills "/v1/skills/list" SkillList get_skill "/v1/skills/{id}" SkillDetail compare_skills "/v1/skills/compare";
    Tutorial "tutorials" "tutorial"
        list_tutorials "/v1/tutorials/list" TutorialList get_tutorial "/v1/tutorials/{id}" TutorialDetail compare_tutorials "/v1/tutorials/compare";
    McpServer "mcp-servers" "MCP server"
        list_mcp_servers "/v1/mcp-servers/list" McpServerList get_mcp_server "/v1/mcp-servers/{id}" McpServerDetail compare_mcp_servers "/v1/mcp-servers/compare";
    Document "documents" "document"
        list_documents "/v1/documents/list" DocumentList get_document "/v1/documents/{id}" DocumentDetail compare_documents "/v1/documents/compare";
    Framework "frameworks" "framework"
        list_frameworks "/v1/frameworks/list" FrameworkList get_framework "/v1/frameworks/{id}" FrameworkDetail compare_frameworks "/v1/frameworks/compare";
}
