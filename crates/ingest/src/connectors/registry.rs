//! The connectors that there are: one line each.

use super::Connector;

/// All connectors, by name.
pub const REGISTRY: &[&dyn Connector] = &[
    &super::cards::Cards,
    &super::huggingface::HuggingFace,
    &super::litellm::LiteLlm,
    &super::llm_prices::LlmPrices,
    &super::models_dev::ModelsDev,
    &super::openrouter::OpenRouter,
    &super::cookbook::Cookbook,
    &super::hf_cookbook::HfCookbook,
    &super::llms_txt::LlmsTxt,
    &super::markdown_docs::MarkdownDocs,
    &super::skills_repo::SkillsRepo,
    &super::skills_wellknown::SkillsWellKnown,
    &super::awesome_list::AwesomeList,
    &super::composio::Composio,
    &super::docker_mcp::DockerMcp,
    &super::mcp_registry::McpRegistry,
    &super::mcp_servers_data::McpServersData,
    &super::mental_models::MentalModels,
    &super::methods_csv::MethodsCsv,
    &super::patterns_repo::PatternsRepo,
];

/// The connector of that name.
pub fn find(name: &str) -> Option<&'static dyn Connector> {
    REGISTRY.iter().copied().find(|connector| connector.name() == name)
}
