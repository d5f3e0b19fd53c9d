//! What all sources of frameworks share: a row of somebody's table or a prompt in their repository becomes a candidate.
//!
//! A fact's status is what its publication score says, never more. Ids carry the source's family (`bmad-…`), so that they never
//! stand in the way of a card of our own.

use refdesk_core::hash::{hex, sha256};
use refdesk_core::item::{Domain, Framework, Prompt};
use refdesk_core::slug::slugify;

use crate::connectors::Target;
use crate::connectors::formats::{distinct, placeholders};

/// The id of what a source of a family calls so.
pub fn id(family: &str, own: &str) -> String {
    slugify(&format!("{family}-{own}"))
}

/// A framework of which only domain and summary are known.
pub const fn outline(domain: Domain, summary: String) -> Framework {
    Framework {
        domain,
        secondary_domains: Vec::new(),
        summary,
        when_to_use: Vec::new(),
        when_not_to_use: Vec::new(),
        example_questions: Vec::new(),
        anti_examples: Vec::new(),
        inputs: Vec::new(),
        steps: Vec::new(),
        output: None,
        quality_checks: Vec::new(),
        failure_modes: Vec::new(),
        origin: None,
        prompt: None,
    }
}

/// A prompt and the `{{variables}}` in it.
pub fn prompt(version: &str, text: String) -> Prompt {
    let sha256 = hex(&sha256(text.as_bytes()));
    Prompt { version: version.to_owned(), sha256, variables: variables(&text), text }
}

/// Names in `{{name}}`, each once, in order; expressions of template languages are none.
fn variables(text: &str) -> Vec<String> {
    let is_name = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    distinct(placeholders(text).filter(is_name).map(str::to_owned))
}

/// The option `prefix`, else the connector's own family.
pub fn family(target: &Target, own: &str) -> String {
    target.option("prefix").map_or_else(|| own.to_owned(), slugify)
}

/// The option `vendor`, else the owner of the repository.
pub fn vendor(target: &Target, repository_url: Option<&str>) -> Option<String> {
    target.text("vendor").or_else(|| crate::connectors::repository::code_host::owner(repository_url?))
}

#[cfg(test)]
mod tests {
    use super::prompt;

    #[test]
    fn a_prompt_names_its_variables_and_its_hash() {
        let made = prompt("1", "abc".into());
        assert_eq!(made.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let made = prompt("1", "To {{lamp_id}}: {{ page.title }} {{x || 'y'}} {{lamp_id}} {{open".into());
        assert_eq!(made.variables, ["lamp_id"]);
    }
}
