//! The connectors that there are: one line each.

use crate::connectors::Connector;

/// All connectors, by name.
pub const REGISTRY: &[&dyn Connector] = &[
    &crate::connectors::cards::Cards,
    &crate::connectors::models::huggingface::HuggingFace,
    &crate::connectors::models::litellm::LiteLlm,
    &crate::connectors::models::llm_prices::LlmPrices,
    &crate::connectors::models::models_dev::ModelsDev,
    &crate::connectors::models::openrouter::OpenRouter,
    &crate::connectors::documents::cookbook::Cookbook,
    &crate::connectors::documents::hf_cookbook::HfCookbook,
    &crate::connectors::documents::llms_txt::LlmsTxt,
    &crate::connectors::documents::markdown_docs::MarkdownDocs,
    &crate::connectors::skills::skills_repo::SkillsRepo,
    &crate::connectors::skills::skills_wellknown::SkillsWellKnown,
    &crate::connectors::mcp::awesome_list::AwesomeList,
    &crate::connectors::mcp::composio::Composio,
    &crate::connectors::mcp::docker_mcp::DockerMcp,
    &crate::connectors::mcp::mcp_registry::McpRegistry,
    &crate::connectors::mcp::mcp_servers_data::McpServersData,
    &crate::connectors::frameworks::mental_models::MentalModels,
    &crate::connectors::frameworks::methods_csv::MethodsCsv,
    &crate::connectors::frameworks::patterns_repo::PatternsRepo,
];

/// The connector of that name.
pub fn find(name: &str) -> Option<&'static dyn Connector> {
    REGISTRY.iter().copied().find(|connector| connector.name() == name)
}
