//! The connectors that there are: one line each.

use super::{Connector, cards, documents, frameworks, mcp, models, skills};

/// All connectors, by name.
pub static REGISTRY: &[Connector] = &[
    cards::CONNECTOR,
    models::huggingface::CONNECTOR,
    models::litellm::CONNECTOR,
    models::llm_prices::CONNECTOR,
    models::models_dev::CONNECTOR,
    models::openrouter::CONNECTOR,
    documents::cookbook::CONNECTOR,
    documents::hf_cookbook::CONNECTOR,
    documents::llms_txt::CONNECTOR,
    documents::markdown_docs::CONNECTOR,
    skills::skills_repo::CONNECTOR,
    skills::skills_wellknown::CONNECTOR,
    mcp::awesome_list::CONNECTOR,
    mcp::composio::CONNECTOR,
    mcp::docker_mcp::CONNECTOR,
    mcp::mcp_registry::CONNECTOR,
    mcp::mcp_servers_data::CONNECTOR,
    frameworks::mental_models::CONNECTOR,
    frameworks::methods_csv::CONNECTOR,
    frameworks::patterns_repo::CONNECTOR,
];

/// The connector of that name.
pub fn find(name: &str) -> Option<&'static Connector> {
    REGISTRY.iter().find(|connector| connector.name == name)
}
