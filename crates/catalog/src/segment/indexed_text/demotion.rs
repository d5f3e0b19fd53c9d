//! The prior of an item among equal matches.

use serde_json::Value;

use crate::resolve::ResolvedItem;
use refdesk_core::Kind;
use refdesk_core::item::{MANUAL_ID, Status, TrustTier};
use refdesk_core::text::words;
use refdesk_search::DEMOTION_MAX;
#[cfg(doc)]
use refdesk_search::DocInput;
use refdesk_search::text::{WordSet, is_stop_word};

/// Steps of what is on its way out: more than a page has for all other reasons together.
const DEPRECATED_STEPS: u8 = 3;
/// Steps of what is gone: a page that is only on its way out ranks before it, whatever else there is against that.
const GONE_STEPS: u8 = 2 * DEPRECATED_STEPS;
/// Steps of a server on its way out. Servers of many makers share one name, `postgres`: whoever types it means one in use, so that these are
/// more than an id counts for beyond a name. One that is gone has the most that there are.
const DEPRECATED_SERVER_STEPS: u8 = 8;
/// Steps of a tutorial: more than those of a server that nobody vouches for.
const TUTORIAL_STEPS: u8 = 3;
/// Steps of what nothing is said of, such as a server that somebody tried out.
const PLACEHOLDER_STEPS: u8 = 3;
/// Steps of a quantised copy: more than a name counts for beyond an alias. Some are called as the model is, `Llama 3.3 70B`, but for their id.
const QUANTISED_STEPS: u8 = 6;
/// What ids say of weights that were rounded.
const QUANTISED: [&str; 12] =
    ["fp8", "fp4", "nvfp4", "mxfp4", "int8", "int4", "8bit", "4bit", "awq", "gptq", "gguf", "w4a16"];
/// A model ranks a step behind for each of these numbers of offers that it does not reach. They grow by doubling, for the tenth seller says
/// less than the second.
const OFFERS: [usize; 4] = [1, 4, 8, 16];

/// Steps by which an item ranks behind an equal one, see [`DocInput::demotion`]: what is current before what goes or is gone, a model
/// whose maker is known before one whose is not, and an MCP server that its maker publishes and that can be installed or called before
/// one of which only a link is known. `is_placeholder`: see [`is_placeholder`]; `is_makers`: it is called as its maker is ([`super::brand`]).
pub fn steps(item: &ResolvedItem, is_placeholder: bool, is_makers: bool) -> u8 {
    let life = match item.status {
        Status::Active | Status::Preview | Status::Published | Status::Candidate | Status::Unknown => 0,
        Status::Deprecated if item.kind == Kind::McpServer => DEPRECATED_SERVER_STEPS,
        Status::Retired | Status::Removed if item.kind == Kind::McpServer => return DEMOTION_MAX,
        Status::Deprecated => DEPRECATED_STEPS,
        Status::Retired | Status::Removed => GONE_STEPS,
    };
    let has = |field: &str| item.fields.get(field).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    life + match item.kind {
        Kind::McpServer => {
            let is_stated =
                item.trust_tier == TrustTier::Official || item.fields.get("official") == Some(&Value::Bool(true));
            let is_link_only = !has("packages") && !has("remotes");
            let placeholder = if is_placeholder { PLACEHOLDER_STEPS } else { 0 };
            u8::from(!is_stated && !is_makers) + u8::from(is_link_only) + placeholder
        }
        // A listing of which nobody can say who made it, what few sell, and a copy that takes less memory.
        Kind::Model => {
            let packed = if is_quantised(&item.id) { QUANTISED_STEPS } else { 0 };
            u8::from(item.vendor.is_none()) + seldom_sold(item) + packed
        }
        // A page of the desk's own manual has words for everything that a catalog is asked for. Who asks for a thing means the thing; a
        // question that the manual answers has more of its words.
        Kind::Document if item.id.starts_with(MANUAL_ID) => return DEMOTION_MAX,
        // Pages are about things: a thing of the same name comes first, and so does the page in the language of most.
        Kind::Document => 1 + u8::from(item.language.as_deref().is_some_and(|language| language != "en")),
        // Its title is often no more than what it is about: `Redis`.
        Kind::Tutorial => TUTORIAL_STEPS,
        _ => 0,
    }
}

/// Words of descriptions that say nothing of what a server does.
static SAYING_NOTHING: WordSet = WordSet::new(include_str!("saying_nothing.txt"));

/// Whether the description of an MCP server is there and says nothing of it: `Description of my MCP server`, `Non functional server (yet)`.
pub fn is_placeholder(item: &ResolvedItem) -> bool {
    if item.kind != Kind::McpServer {
        return false;
    }
    let description = item.fields.get("description").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let mut words = words(&description).peekable();
    words.peek().is_some() && words.all(|word| is_stop_word(word) || SAYING_NOTHING.contains(word))
}

/// Whether the id of a model says that its weights were rounded: `llama-3.3-70b-instruct-fp8`.
fn is_quantised(id: &str) -> bool {
    id.split(['-', '_']).any(|part| QUANTISED.contains(&part))
}

/// Steps by which a model that few sell ranks behind one that many do: 0 from 16 offers on, 4 for none ([`OFFERS`]).
fn seldom_sold(item: &ResolvedItem) -> u8 {
    OFFERS.iter().filter(|many| item.offers.len() < **many).count() as u8
}
