//! What people type: examples below the help of a command. Each can be typed, and those that ask find something on a new desk; tests hold
//! them to it.

/// Examples below a heading as clap writes its own.
macro_rules! examples {
    ($($line:literal)+) => {
        concat!("\u{1b}[1m\u{1b}[4mExamples:\u{1b}[0m" $(, "\n  ", $line)+)
    };
}

pub(super) const FIRST: &str = examples! {
    "refdesk serve --open                   # REST, MCP and pages in a browser"
    "refdesk search tool for vector search  # the same catalog, in this terminal"
    "refdesk sync                           # fetch what the public sources say"
};
pub(super) const SERVE: &str = examples! {
    "refdesk serve --open"
    "refdesk serve --listen 0.0.0.0:8787 --require-key"
};
pub(super) const MCP: &str = examples! {
    "refdesk mcp"
    "refdesk mcp --url https://desk.example.org"
};
pub(super) const SYNC: &str = examples! {
    "refdesk sync"
    "refdesk sync litellm models-dev"
};
pub(super) const SEARCH: &str = examples! {
    "refdesk search sonnet 4.5"
    "refdesk search tool for vector search"
    "refdesk search cheapest model with vision and 200k context"
    "refdesk search how do I back up --type document --passages 2"
    "refdesk search open models --type model --sort=-context_tokens --json"
};
pub(super) const GET: &str = examples! {
    "refdesk get model gpt-5"
    "refdesk get model anthropic/claude-sonnet-4.5 --json"
    "refdesk get document refdesk-manual-operations --raw"
    "refdesk get framework premortem --prompt"
};
pub(super) const LIST: &str = examples! {
    "refdesk list model --capability tool_call --price-input-lte 1 --sort=-offers"
    "refdesk list model --vendor OpenAI --fields display_name,pricing.input"
    "refdesk list mcp-server --q postgres"
    "refdesk list model --limit 1 --facets vendor,capability"
    "refdesk list tool --format csv"
};
pub(super) const COMPARE: &str = examples! {
    "refdesk compare gpt-5 claude-sonnet-4-5"
};
pub(super) const COST: &str = examples! {
    "refdesk cost gpt-5 --input 20k --output 2k --requests 1000"
    "refdesk cost claude-sonnet-4-5 --input 5k --cache-read 100k --output 1k"
};
pub(super) const RESOLVE: &str = examples! {
    "refdesk resolve gpt4omini anthropic/claude-sonnet-4.5"
};
pub(super) const CONFLICTS: &str = examples! {
    "refdesk conflicts --type model --path pricing --min-percent 50"
};
pub(super) const ROUTE: &str = examples! {
    "refdesk route 'we launch in two weeks and I worry about what could go wrong'"
};
pub(super) const SOURCES_ADD: &str = examples! {
    "refdesk sources add our-cards --connector cards --url ./cards --interval 1h"
    "refdesk sources add litellm --interval 1d"
};
pub(super) const KEYS_CREATE: &str = examples! {
    "refdesk keys create --name ci --expires 90d"
};
pub(super) const EXPORT: &str = examples! {
    "refdesk export catalog.tar.zst"
    "refdesk export models.csv --format csv --type model"
    "refdesk export - --format ndjson --type tool | jq .id"
};
pub(super) const COMPLETIONS: &str = examples! {
    "source <(refdesk completions bash)     # in ~/.bashrc"
    "source <(refdesk completions zsh)      # in ~/.zshrc, after compinit"
    "refdesk completions fish > ~/.config/fish/completions/refdesk.fish"
};
