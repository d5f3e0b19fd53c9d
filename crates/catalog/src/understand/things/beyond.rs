//! Models that are beyond a named one in something: `cheaper than gpt-4o`, `a bigger context than claude sonnet 4.5`. Its value is the bound,
//! and it is none of them.

use std::sync::LazyLock;

use serde_json::Value;

use super::relation::{Relation, name_from};
use super::successor::model_named;
use crate::json;
use crate::snapshot::Snapshot;
use crate::understand::modalities::of_mode;
use crate::understand::words::{Phrases, Word, is_one_of};
use refdesk_core::Kind;
use refdesk_core::field;
use refdesk_core::field::Side;

/// Comparisons that say what they compare …
const OF_PRICE: [(&str, Side); 2] = [
    ("cheaper,less expensive,more affordable,lower priced,less costly", Side::Most),
    ("more expensive,pricier,dearer,costlier,more costly,higher priced", Side::Least),
];
/// … and those behind which it is named.
const OF_ANYTHING: [(&str, Side); 2] =
    [("bigger,larger,longer,more,greater,higher,wider", Side::Least), ("smaller,shorter,less,lower,fewer", Side::Most)];
/// What is named behind them, and its fields.
const MEASURES: [(&str, &[&str]); 5] = [
    ("context window size,context window,context length,context size,context", &["context_tokens"]),
    ("max output tokens,max output,output tokens,output length,output limit,output", &["output_tokens"]),
    ("input price,input prices,input cost", &["price_input"]),
    ("output price,output prices,output cost", &["price_output"]),
    ("price,prices,cost,costs,pricing", &["price_input", "price_output"]),
];
/// A comparison: its side, and the fields where it names them.
type Comparison = (Side, &'static [&'static str]);
static COMPARISONS: LazyLock<Phrases<Comparison>> = LazyLock::new(|| {
    let of_price = OF_PRICE.iter().map(|row| (row, &["price_input", "price_output"][..]));
    let of_anything = OF_ANYTHING.iter().map(|row| (row, &[][..]));
    Phrases::new(
        of_price
            .chain(of_anything)
            .flat_map(|((words, side), fields)| words.split(',').map(move |phrase| (phrase, (*side, fields)))),
    )
});
static FIELDS: LazyLock<Phrases<&[&str]>> = LazyLock::new(|| {
    Phrases::new(MEASURES.iter().flat_map(|(words, fields)| words.split(',').map(move |phrase| (phrase, *fields))))
});

/// The models that a question asks for so, if it does.
pub fn parse(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    let (start, than, (side, fields)) = (0..words.len()).find_map(|at| comparison(words, at))?;
    // `cheaper than $5` compares with no model.
    words.get(than + 1).filter(|next| next.folded.starts_with(char::is_alphabetic))?;
    let (ordinal, end) = name_from(words, than + 1, &|name: &str| model_named(snapshot, name))?;
    let (segment, row) = snapshot.locate(ordinal);
    let model: Value = json::read_own(segment.row(row));
    let mut params = vec![of_mode(model.get("mode").and_then(Value::as_str))];
    for name in fields {
        let path = field::named(Kind::Model, name)?.path.replace('.', "/");
        let value = model.pointer(&format!("/{path}")).filter(|value| value.is_number())?;
        params.push(bound(name, value, side));
    }
    Some(Relation { kind: Kind::Model, taken: start..end, params, beside: Some(ordinal), line: String::new() })
}

/// A comparison at a position: where its `than` stands, and what it compares.
fn comparison(words: &[Word<'_>], at: usize) -> Option<(usize, usize, Comparison)> {
    let (taken, (side, fields)) = COMPARISONS.at(words, at, |_| true)?;
    let behind = FIELDS.at(words, at + taken, |_| true);
    let (than, fields) = match behind {
        Some((length, named)) if fields.is_empty() => (at + taken + length, *named),
        _ => (at + taken, *fields),
    };
    (is_one_of(words, than, &["than"]) && !fields.is_empty()).then_some((at, than, (*side, fields)))
}

/// The parameter for what is beyond a value. There is a next number of tokens, but no next price.
fn bound(name: &str, value: &Value, side: Side) -> (String, String) {
    let value = match (value.as_u64().filter(|_| name.ends_with("_tokens")), side) {
        (Some(tokens), Side::Least) => (tokens + 1).to_string(),
        (Some(tokens), Side::Most) => tokens.saturating_sub(1).to_string(),
        (None, _) => value.to_string(),
    };
    let operator = if side == Side::Least { "gte" } else { "lte" };
    (format!("{name}__{operator}"), value)
}
