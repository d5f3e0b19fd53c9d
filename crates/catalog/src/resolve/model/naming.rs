//! A model's name for people, without what a source writes around it: the maker in front (`Baidu: CoBuddy`, `Z-AI/GLM-4.6`), and the
//! offer's variant behind (`CoBuddy (free)`). Vendor and offers say both, and the name of one offer is not that of the model.

use super::{ModelIdentity, maker_slug, makers};
use crate::resolve::names::letters;

/// What a fact calls its model. `id` is the seller's.
pub fn plain_name<'a>(said: &'a str, id: &str, identity: &ModelIdentity) -> &'a str {
    let name = without_variant(said, identity.variant.as_deref());
    identity.maker.as_deref().map_or(name, |maker| without_maker(name, id, maker))
}

/// A word in brackets at the end is left out where the id says it too.
fn without_variant<'a>(name: &'a str, variant: Option<&str>) -> &'a str {
    let Some((front, word)) = name.strip_suffix(')').and_then(|name| name.rsplit_once(" (")) else { return name };
    let is_variant = variant.is_some_and(|parts| parts.split('/').any(|part| part.eq_ignore_ascii_case(word)));
    if is_variant && !front.trim().is_empty() { front.trim() } else { name }
}

/// A maker before a slash is left out only where the id begins so too: `perplexity/search` is all that this service is called.
fn without_maker<'a>(name: &'a str, id: &str, maker: &str) -> &'a str {
    let is_in_id = |front: &str| {
        let mut segments = id.trim_start_matches('~').split('/').rev().skip(1);
        segments.any(|segment| segment.eq_ignore_ascii_case(front))
    };
    let rest = match (name.split_once(": "), name.split_once('/')) {
        (Some((front, rest)), _) if is_maker(front, maker) => rest.trim(),
        (_, Some((front, rest))) if is_maker(front, maker) && is_in_id(front) => rest.trim(),
        _ => return name,
    };
    if rest.is_empty() { name } else { rest }
}

/// Whether the words in front of a name are how people write the maker: `AionLabs`, `Mistral` for Mistral AI, `Z.ai`.
fn is_maker(front: &str, maker: &str) -> bool {
    let shown = makers::display_name(maker).unwrap_or(maker);
    let first_word = shown.split(' ').next().unwrap_or(shown);
    maker_slug(front) == maker || [maker, shown, first_word].iter().any(|spelling| letters(spelling) == letters(front))
}

#[cfg(test)]
mod tests {
    use super::plain_name;
    use crate::resolve::model::{StatedIdentity, parse_identity};

    #[test]
    fn a_name_is_the_models_and_not_the_offers() {
        for (seller, id, said, name) in [
            ("openrouter", "baidu/cobuddy:free", "CoBuddy (free)", "CoBuddy"),
            ("kilo", "baidu/cobuddy:free", "Baidu: CoBuddy (free)", "CoBuddy"),
            ("kilo", "mistralai/devstral-medium", "Mistral: Devstral Medium", "Devstral Medium"),
            ("kilo", "nousresearch/hermes-4-70b", "Nous: Hermes 4 70B", "Hermes 4 70B"),
            ("openrouter", "~anthropic/claude-haiku-latest", "Anthropic: Claude Haiku Latest", "Claude Haiku Latest"),
            // A maker that is in no table is known by the id.
            ("kilo", "lampworks/wick-7b", "Lamp Works: Wick 7B", "Wick 7B"),
            ("qiniu-ai", "z-ai/autoglm-phone-9b", "Z-Ai/Autoglm Phone 9b", "Autoglm Phone 9b"),
            ("deepinfra", "deepseek-ai/deepseek-vl2", "deepseek-ai/deepseek-vl2", "deepseek-vl2"),
            // What the id does not say is the model's own.
            ("anthropic", "claude-haiku-4-5", "Claude Haiku 4.5 (latest)", "Claude Haiku 4.5 (latest)"),
            ("xai", "grok-4-fast", "Grok 4 Fast (Reasoning)", "Grok 4 Fast (Reasoning)"),
            ("kilo", "baidu/cobuddy", "CoBuddy: Free", "CoBuddy: Free"),
            ("nano-gpt", "deepseek-chat-cheaper", "DeepSeek V3/Chat Cheaper", "DeepSeek V3/Chat Cheaper"),
            ("perplexity", "search", "perplexity/search", "perplexity/search"),
            ("openrouter", "baidu/x:free", "(free)", "(free)"),
        ] {
            let identity = parse_identity(StatedIdentity { provider: Some(seller), id, ..StatedIdentity::default() });
            assert_eq!(plain_name(said, id, &identity), name, "{seller} {id}: {identity:?}");
        }
    }
}
