//! What is known of a model in one line, for hits whose text says nothing.

use serde_json::Value;

use super::is_stale_where;
use crate::columns::Prices;
use crate::json::text_of;
use crate::resolve::ResolvedItem;
use refdesk_core::Kind;

/// What the line tells, by the members of a row that have it.
const TOLD: [&str; 5] = ["vendor", "limits", "pricing", "modalities", "mode"];

/// Whether something that the line tells is among the stale fields of a row.
pub fn is_line_stale(row: &[u8]) -> bool {
    is_stale_where(row, |path| path.split('.').next().is_some_and(|member| TOLD.contains(&member)))
}

/// `OpenAI · 128,000 tokens of context · $2.50 in, $10 out per 1M tokens · text, image → text`; none when nothing of it is known.
pub fn model_line(item: &ResolvedItem) -> Option<String> {
    if item.kind != Kind::Model {
        return None;
    }
    let at = |group: &str, name: &str| item.fields.get(group).and_then(|group| group.get(name));
    let words = |name: &str| {
        let words = at("modalities", name)?.as_array()?;
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        (!words.is_empty()).then(|| words.join(", "))
    };
    let context = at("limits", "context_tokens").and_then(Value::as_u64);
    let price = |meter: &str| at("pricing", meter).filter(|price| price.is_number());
    let billed = Prices::new(item.fields.get("pricing")).billed_otherwise();
    let prices = match (price("input"), price("output")) {
        _ if let Some(other) = billed => {
            Some(format!("${} per {}", other["price"], text_of(other, "unit").replace('_', " ")))
        }
        (Some(input), Some(output)) => Some(format!("${input} in, ${output} out per 1M tokens")),
        (Some(input), None) => Some(format!("${input} in per 1M tokens")),
        (None, Some(output)) => Some(format!("${output} out per 1M tokens")),
        (None, None) => None,
    };
    let modalities = match (words("input"), words("output")) {
        (Some(input), Some(output)) => Some(format!("{input} → {output}")),
        _ => item.fields.get("mode").and_then(Value::as_str).map(str::to_owned),
    };
    let offers = item.offers.len();
    let sellers = (offers > 0).then(|| if offers == 1 { "1 offer".to_owned() } else { format!("{offers} offers") });
    let known = [
        context.map(|tokens| format!("{} tokens of context", refdesk_core::figures::grouped(tokens))),
        prices,
        modalities,
        sellers,
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    (!known.is_empty()).then(|| item.vendor.iter().cloned().chain(known).collect::<Vec<_>>().join(" · "))
}

#[cfg(test)]
mod tests {
    use super::is_line_stale;

    #[test]
    fn a_line_is_stale_when_a_value_that_it_tells_is_and_not_for_a_description() {
        assert!(is_line_stale(br#"{"stale_fields":["description","pricing.input"]}"#));
        assert!(is_line_stale(br#"{"stale_fields":["limits"]}"#));
        assert!(!is_line_stale(br#"{"stale_fields":["description","summary"]}"#));
        assert!(!is_line_stale(b"{}"));
    }
}
