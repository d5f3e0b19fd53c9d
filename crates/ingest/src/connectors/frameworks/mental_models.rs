//! `mental-models`: mental models in one JSON file, as HUMMBL's Base120 publishes them. Candidates only.
//!
//! `definition` is the summary, `when_to_use` is split at `;`, `how_to_apply` at `1) 2) 3)`. The example and the code of the
//! transformation have no field and stay in the record; the transformation decides the domain.

use std::collections::BTreeSet;

use refdesk_core::item::{Domain, Head, Item};
use refdesk_core::{Fact, Kind, clean};
use serde_json::Value;

use crate::connectors::formats::json_fields::{canonical_record, required, reread, text};
use crate::connectors::formats::json_text;
use crate::connectors::frameworks::framework_source::{family, id, outline, vendor};
use crate::connectors::repository::code_host;
use crate::connectors::{Batch, Connector, CountMethod, JsonRule, ParseError, SingleRequestSession, Step, Target};

const EXPECTED: &str = "mental models as HUMMBL publishes them: an object with a list `models`";
/// What ids start with, unless the option `prefix` says otherwise.
const FAMILY: &str = "hummbl";
/// What a transformation is for: perspective, inversion, composition, decomposition, recursion, meta-systems.
const DOMAINS: [(&str, Domain); 6] = [
    ("P", Domain::Thinking),
    ("IN", Domain::Thinking),
    ("CO", Domain::ProblemSolving),
    ("DE", Domain::ProblemSolving),
    ("RE", Domain::Learning),
    ("SY", Domain::Strategy),
];

/// The connector.
pub const CONNECTOR: Connector = Connector {
    name: "mental-models",
    kinds: &[Kind::Framework],
    description: "Mental models in one JSON file, as HUMMBL's Base120 publishes them",
    options: &[
        ("prefix", "what the ids start with; default: hummbl"),
        ("vendor", "publisher of the models; default: the owner of the repository"),
    ],
    count: CountMethod::Json(JsonRule::Elements(&[Step::Key("models")])),
    open: |target| Ok(SingleRequestSession::open(target, parse)),
    reread: |target, _, record| reread(record, |model| fact(target, model)),
    ..Connector::RECORDS
};

fn parse(target: &Target, file: &[u8]) -> Result<Batch, ParseError> {
    let models = json_text::list_in(&json_text::object(file, EXPECTED)?, "models", EXPECTED)?;
    let mut batch = Batch::default();
    let mut seen = BTreeSet::new();
    for (position, model) in models.into_iter().enumerate() {
        let read = json_text::read(model, |model| fact(target, model)).and_then(|fact| {
            if seen.insert(fact.key.clone()) {
                Ok(fact)
            } else {
                Err(format!("the code `{}` is listed twice", fact.key))
            }
        });
        let key = format!("item {}", position + 1);
        batch.take(read.map_err(|reason| json_text::reject(key, reason, model, &["code"])));
    }
    batch.with_facts(format!("no model could be read; expected {EXPECTED}"))
}

fn fact(target: &Target, value: &Value) -> Result<Fact, String> {
    let model = value.as_object().ok_or("the model is not an object")?;
    let code = required(model, "code")?;
    let name = clean::line(required(model, "name")?);
    let transformation = text(model, "transformation").unwrap_or_default();
    let domain =
        DOMAINS.iter().find(|(code, _)| *code == transformation).map_or(Domain::Thinking, |(_, domain)| *domain);
    let mut framework = outline(domain, clean::line(required(model, "definition")?));
    framework.when_to_use = text(model, "when_to_use").map(occasions).unwrap_or_default();
    framework.steps = text(model, "how_to_apply").map(steps).unwrap_or_default();
    let (repository, _) = code_host::raw_file(target);
    let head = Head {
        id: id(&family(target, FAMILY), &name),
        name,
        vendor: vendor(target, repository.url.as_deref()),
        status: framework.publication_score().status(),
        aliases: vec![code.to_owned()],
        ..Head::default()
    };
    let page = code_host::raw_file_page(target);
    Ok(Fact { head, ..Fact::new(code, Item::Framework(framework), canonical_record(value)?, page) })
}

/// `When a; when b.` is two occasions.
fn occasions(text: &str) -> Vec<String> {
    let parts = text.split(';').map(|part| clean::line(part).trim_end_matches('.').to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// `1) First. 2) Second.` is two steps; a number that does not follow on, or stands inside a sentence, is part of the text.
fn steps(text: &str) -> Vec<String> {
    let Some(mut rest) = text.trim().strip_prefix("1)") else { return vec![clean::line(text)] };
    let mut steps = Vec::new();
    for number in 2.. {
        let mark = format!(" {number}) ");
        let ends_sentence = |at: &usize| rest[..*at].trim_end().ends_with(['.', ';', ':', '!', '?', ')', '"', '\'']);
        let Some(at) = rest.match_indices(&mark).map(|(at, _)| at).find(ends_sentence) else { break };
        steps.push(clean::line(&rest[..at]));
        rest = &rest[at + mark.len()..];
    }
    steps.push(clean::line(rest));
    steps.retain(|step| !step.is_empty());
    steps
}

#[cfg(test)]
mod tests {
    use super::{occasions, steps};

    #[test]
    fn numbered_sentences_are_steps() {
        assert_eq!(steps("1) Fill it (2) times. 2) Light it. 3) Wait."), ["Fill it (2) times.", "Light it.", "Wait."]);
        assert_eq!(steps("Just light it."), ["Just light it."]);
        assert_eq!(occasions("At night; in a cave."), ["At night", "in a cave"]);
    }
}
