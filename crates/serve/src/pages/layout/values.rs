//! Values as people read them: exact prices, grouped counts, words for yes, no and unknown.

use maud::{Markup, html};
use refdesk_core::Usd;
use refdesk_core::field::FIELDS;
use serde_json::Value;

/// Stands for what no source states, in an element of the class `unknown`: the sheet shows a dash, and the word is there for who reads or
/// copies it.
pub(crate) const UNKNOWN: &str = "unknown";

/// The language of the pages.
pub(crate) const PAGE_LANGUAGE: &str = "en";

/// The mark of what no source states.
pub(crate) fn unknown() -> Markup {
    html! { span.unknown { (UNKNOWN) } }
}

/// A text, without characters that only deceive (bidirectional overrides, zero-width ones).
pub(crate) fn shown(text: &str) -> String {
    refdesk_core::clean::visible(text).into_owned()
}

/// `auto` for a text with letters that are written from right to left: its own first letter then decides, and the words around it stay in
/// their places. Other texts need no attribute.
pub(crate) fn direction(text: &str) -> Option<&'static str> {
    let is_rtl = |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}');
    text.contains(is_rtl).then_some("auto")
}

/// The language that an item is written in, if it is another than that of the page around it: how a screen reader pronounces it, and which
/// shapes its letters have.
pub(crate) fn language(item: &Value) -> Option<&str> {
    text(item, "language").filter(|tag| is_foreign(tag))
}

/// Whether a tag names a language, and another than that of the pages.
pub(crate) fn is_foreign(tag: &str) -> bool {
    tag != PAGE_LANGUAGE && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// A text of an upstream among others, apart from which its direction stays.
pub(crate) fn isolated(text: &str) -> Markup {
    html! { @if direction(text).is_some() { bdi { (text) } } @else { (text) } }
}

/// An id in a narrow column: a line may end behind the signs that part its words, rather than within one. What is copied is the id alone.
pub(crate) fn breakable(id: &str) -> Markup {
    html! { @for (at, part) in id.split_inclusive(['_', '.', '/', ':']).enumerate() { @if at > 0 { wbr; } (part) } }
}

/// Pieces with something between them.
pub(crate) fn joined(between: &str, pieces: impl Iterator<Item = Markup>) -> Markup {
    html! { @for (at, piece) in pieces.enumerate() { @if at > 0 { (between) } (piece) } }
}

/// A text in which backticks stand around code, such as an error that names a parameter. Its direction stays apart from that around it.
pub(crate) fn coded(text: &str) -> Markup {
    let text = shown(text);
    let is_paired = text.matches('`').count().is_multiple_of(2);
    let parts = html! {
        @if is_paired {
            @for (at, part) in text.split('`').enumerate() { @if at % 2 == 1 { code { (part) } } @else { (part) } }
        } @else { (text) }
    };
    html! { @if direction(&text).is_some() { bdi { (parts) } } @else { (parts) } }
}

/// The member of an object, when it is a text with something in it.
pub(crate) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value[name].as_str().filter(|text| !text.is_empty())
}

/// The entries of a member that is a list; none where it is no list.
pub(crate) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[][..], Vec::as_slice)
}

/// An exact amount: `$0.0375`, `$0`, `$1,234.5`.
pub(crate) fn dollars(value: &Value) -> Option<String> {
    Usd::from_json(value).map(|amount| format!("${}", count(amount)))
}

/// An exact amount, or unknown.
pub(crate) fn price(value: &Value) -> Markup {
    dollars(value).map_or_else(unknown, |price| html! { (price) })
}

pub(crate) use refdesk_core::field_names::{sentence, words};
pub(crate) use refdesk_core::figures::{counted, grouped as count, percent};

/// The day of a moment, `2026-05-31`.
pub(crate) fn day(stamp: &str) -> &str {
    stamp.get(..10).unwrap_or(stamp)
}

/// A moment as a machine and a person read it.
pub(crate) fn moment(stamp: &str) -> Markup {
    let words = stamp.replace('T', " ").replace('Z', " UTC");
    html! { time datetime=(stamp) { (words) } }
}

/// A span of time in its largest whole unit: `7 days`, `90 minutes`.
pub(crate) fn period(seconds: u64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let (length, unit) = units
        .into_iter()
        .find(|(length, _)| seconds >= *length && seconds.is_multiple_of(*length))
        .unwrap_or((1, "second"));
    counted(seconds / length, unit)
}

/// A moment by its day.
pub(crate) fn date(stamp: &str) -> Markup {
    html! { time datetime=(stamp) title=[(day(stamp) != stamp).then_some(stamp)] { (day(stamp)) } }
}

/// `yes`, `no`, or unknown.
pub(crate) fn flag(value: Option<bool>) -> Markup {
    match value {
        Some(true) => html! { span.yes { "yes" } },
        Some(false) => html! { span.no { "no" } },
        None => unknown(),
    }
}

/// Any value of an answer, as people read it.
pub(crate) fn any(value: &Value) -> Markup {
    match value {
        Value::Null => unknown(),
        Value::Bool(value) => flag(Some(*value)),
        Value::Number(number) => number.as_u64().map_or_else(|| html! { (number) }, |number| html! { (count(number)) }),
        Value::String(text) if text.is_empty() => unknown(),
        Value::String(text) => isolated(&shown(text)),
        // No source says that there is none: it says nothing of them.
        Value::Array(values) if values.is_empty() => unknown(),
        // What one entry states ends with the entry.
        Value::Array(values) if values.iter().any(Value::is_object) => {
            html! { ul.lines { @for value in values { li { (any(value)) } } } }
        }
        Value::Array(values) => joined(", ", values.iter().map(any)),
        Value::Object(members) => {
            let inner = |value: &Value| {
                if value.is_object() {
                    html! { "(" (any(value)) ")" }
                } else {
                    any(value)
                }
            };
            joined("; ", members.iter().map(|(name, value)| html! { (words(name)) ": " (inner(value)) }))
        }
    }
}

/// Whether a path leads to a moment, of which people see the day.
pub(crate) fn is_date(path: &str) -> bool {
    path.ends_with("_at") || path.ends_with("_on")
}

/// The value at a path: exact where it is an amount of money, a link where it is an address.
pub(crate) fn at_path(path: &str, value: &Value) -> Markup {
    if is_unstated(path, value) {
        return unknown();
    }
    let is_price = path.starts_with("price_") || path.split('.').any(|part| part == "pricing");
    let is_unit = path.rsplit('.').next() == Some("unit");
    match value {
        // A year is no amount.
        Value::Number(year) if path.ends_with("year") => html! { (year) },
        Value::Number(_) if is_price => html! { (dollars(value).unwrap_or_default()) },
        Value::String(stamp) if is_date(path) => date(stamp),
        Value::String(unit) if is_unit => html! { (words(&shown(unit))) },
        Value::String(url) if path.ends_with("url") => outside(url),
        value => any(value),
    }
}

/// Whether a value is the word for what no source states: a status has one, everything else is null.
pub(crate) fn is_unstated(path: &str, value: &Value) -> bool {
    path == "status" && value == UNKNOWN
}

/// A path of fields as words: the label that filters and columns give the field (`limits.output_tokens` is `Most output`), or else its own.
pub(crate) fn path_in_words(path: &str) -> String {
    let field = FIELDS.iter().find(|field| field.path == path);
    field.map_or_else(|| sentence(&words(&path.replace('.', ", "))), |field| field.label.to_owned())
}

/// The members of an offer that sources disagree on.
const OF_OFFERS: [&str; 2] = [".pricing.", ".limits."];

/// The path of a conflict as words. Below `offers` it begins with the names of a seller and of its id, which stay as they are.
pub(crate) fn path(path: &str) -> Markup {
    let Some(offer) = path.strip_prefix("offers.") else { return html! { (shown(&path_in_words(path))) } };
    let end = OF_OFFERS.iter().filter_map(|member| offer.rfind(member)).max();
    let (offer, below) = offer.split_at(end.unwrap_or(offer.len()));
    html! {
        "Offer " code { (breakable(&shown(offer))) }
        @if let Some(below) = below.strip_prefix('.') { ": " (path_in_words(below).to_lowercase()) }
    }
}

/// JSON over several lines. A value that is in memory can always be written.
pub(crate) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// The first words of a text, on one line, without characters that only deceive.
pub(crate) use refdesk_core::clean::excerpt;

/// A link to a page of the world, when its address is one. Others are shown and lead nowhere.
pub(crate) fn outside(url: &str) -> Markup {
    let is_link = url.starts_with("https://") || url.starts_with("http://");
    html! {
        @if is_link { a.outside href=(url) rel="noopener noreferrer nofollow" { (shown(url)) } } @else { (shown(url)) }
    }
}

#[cfg(test)]
mod tests {
    use super::{any, at_path, count, dollars, path};
    use serde_json::json;

    #[test]
    fn prices_are_exact_and_never_rounded() {
        for (price, shown) in [
            (json!(0.0375), "$0.0375"),
            (json!(0), "$0"),
            (json!(2.99999), "$2.99999"),
            (json!(15), "$15"),
            (json!(1_234_567.5), "$1,234,567.5"),
            (json!(0.000_000_1), "$0.0000001"),
        ] {
            assert_eq!(dollars(&price).as_deref(), Some(shown));
        }
        assert_eq!(dollars(&json!(null)), None);
        assert_eq!(at_path("pricing.input", &json!(0.3)).into_string(), "$0.3");
    }

    #[test]
    fn paths_are_words_and_the_ids_of_sellers_stay_as_they_are() {
        assert_eq!(path("limits.output_tokens").into_string(), "Most output", "as a column of lists is called");
        assert_eq!(path("pricing.input_audio").into_string(), "Pricing, input audio");
        assert_eq!(
            path("offers.vertex_ai.a.b/c_1.5.pricing.cache_read").into_string(),
            "Offer <code>vertex_<wbr>ai.<wbr>a.<wbr>b/<wbr>c_<wbr>1.<wbr>5</code>: cache read price"
        );
        assert_eq!(path("offers.hub.a_b").into_string(), "Offer <code>hub.<wbr>a_<wbr>b</code>");
    }

    #[test]
    fn what_an_entry_of_a_list_states_ends_with_the_entry() {
        let packages = json!([{"identifier": "a", "transport": {"type": "stdio"}}, {"identifier": "b"}]);
        let entries = "<li>identifier: a; transport: (type: stdio)</li><li>identifier: b</li>";
        assert_eq!(any(&packages).into_string(), format!("<ul class=\"lines\">{entries}</ul>"));
        assert_eq!(any(&json!(["text", "image"])).into_string(), "text, image");
    }

    #[test]
    fn what_is_unknown_is_not_zero_and_says_so() {
        assert_eq!(any(&json!(null)).into_string(), "<span class=\"unknown\">unknown</span>");
        assert_eq!(any(&json!(0)).into_string(), "0");
        assert_eq!(any(&json!([])).into_string(), any(&json!(null)).into_string(), "nobody says that there is none");
        assert_eq!(count(1_048_576), "1,048,576");
        assert_eq!(count(999), "999");
        assert_eq!(at_path("status", &json!("unknown")).into_string(), any(&json!(null)).into_string());
        assert_eq!(at_path("vendor", &json!("unknown")).into_string(), "unknown", "a vendor may be called so");
    }
}
