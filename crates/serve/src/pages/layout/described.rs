//! Filters as people read them: by the labels of their fields, never by the names of parameters.

use refdesk_core::Kind;
use refdesk_core::field::{self, FieldDef, Shape};
use refdesk_core::query::{FilterParam, Operator, filters};
use refdesk_core::text::enumerated;

use super::values;

/// The parameters that are no filters of a field, as forms label them.
const LABELS: [(&str, &str); 11] = [
    ("q", "Words"),
    ("type", "Kind"),
    ("path", "Field"),
    ("min_percent", "Percent apart, at least"),
    ("limit", "Rows of a page"),
    ("offset", "First row"),
    ("sort", "Order"),
    ("ids", "Ids"),
    ("price_of", "Whose prices"),
    ("fresh_only", "Only fresh items"),
    ("domain", "Domain"),
];

/// What a parameter is called on a page; `None` for one that no form has.
pub(crate) fn label(name: &str) -> Option<String> {
    let of_form = || LABELS.iter().find(|(known, _)| *known == name).map(|(_, label)| (*label).to_owned());
    let of_field = |param: &FilterParam| match (param.operator, param.field.shape) {
        (Operator::Gte, _) => format!("{}, at least", param.field.label),
        (Operator::Lte, _) => format!("{}, at most", param.field.label),
        _ => param.field.label.to_owned(),
    };
    param(None, name).map(of_field).or_else(of_form)
}

/// Whether a parameter only leaves items out: those with some value, or those that no source lists any more.
pub(crate) fn leaves_out(name: &str) -> bool {
    name == "include_removed" || param(None, name).is_some_and(|param| param.operator == Operator::Not)
}

/// The filters among some parameters, each in words: `Input price at most $3`. Of a name that is sent again the first value counts.
pub(crate) fn all<'a>(kind: Option<Kind>, pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    first_of_each(pairs).filter_map(|(name, value)| in_words(kind, name, value)).collect()
}

/// The first value of each name.
pub(crate) fn first_of_each<'a>(
    pairs: impl Iterator<Item = (&'a str, &'a str)>,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut names: Vec<&str> = Vec::new();
    pairs.filter(move |(name, _)| {
        let is_first = !names.contains(name);
        names.push(name);
        is_first
    })
}

/// An order, as `sort` names it: `Input price`, `Offers, the most first`.
pub(crate) fn order(kind: Option<Kind>, sort: &str) -> String {
    let one = |key: &str| {
        let name = key.trim_start_matches('-');
        let field = kinds(kind).find_map(|kind| field::named(kind, name));
        let label = field.map_or_else(|| values::words(name), |field| field.label.to_owned());
        let last = match field.map(|field| field.shape) {
            Some(Shape::Count | Shape::Price) => "the most first",
            Some(Shape::Date | Shape::Time) => "the latest first",
            _ => "from the end",
        };
        if key.starts_with('-') { format!("{label}, {last}") } else { label }
    };
    sort.split(',').map(str::trim).map(one).collect::<Vec<_>>().join(", then ")
}

fn kinds(kind: Option<Kind>) -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(move |other| kind.is_none_or(|kind| kind == *other))
}

fn param(kind: Option<Kind>, name: &str) -> Option<&'static FilterParam> {
    kinds(kind).flat_map(filters).find(|param| param.name == name)
}

fn in_words(kind: Option<Kind>, name: &str, value: &str) -> Option<String> {
    let Some(FilterParam { field, operator, .. }) = param(kind, name) else { return of_form(name, value) };
    let label = field.label;
    let is_on = matches!(value.trim(), "true" | "1");
    let is_time = matches!(field.shape, Shape::Date | Shape::Time);
    Some(match (operator, field.shape) {
        (Operator::Equals, Shape::Flag) => format!("{label}: {}", if is_on { "yes" } else { "no" }),
        (Operator::Equals, Shape::Words { all: true }) => format!("{label} {}", words(field, value, "and")),
        (Operator::Equals, _) => format!("{label} {}", words(field, value, "or")),
        (Operator::Not, _) => format!("{label} not {}", words(field, value, "or")),
        (Operator::Gte, _) if is_time => format!("{label} since {}", values::shown(value)),
        (Operator::Lte, _) if is_time => format!("{label} until {}", values::shown(value)),
        (Operator::Gte, _) => format!("{label} at least {}", amount(field, value)),
        (Operator::Lte, _) => format!("{label} at most {}", amount(field, value)),
        (Operator::IsNull, _) => format!("{label} {}", if is_on { "unknown" } else { "known" }),
    })
}

/// What a form has besides the filters of fields.
fn of_form(name: &str, value: &str) -> Option<String> {
    let is_on = matches!(value.trim(), "true" | "1");
    match name {
        "q" => Some(format!("“{}”", values::excerpt(value, 60))),
        "fresh_only" if is_on => Some("only what is fresh".to_owned()),
        "include_removed" if !is_on => Some("without what its source removed".to_owned()),
        "stale" => Some(if is_on { "only what is stale" } else { "without what is stale" }.to_owned()),
        "price_of" if value.trim() == "cheapest" => Some("prices of the cheapest seller".to_owned()),
        "price_of" => Some(format!("prices of {}", values::excerpt(value, 60))),
        "ids" => Some(values::counted(field::split(value).len(), "id")),
        _ => None,
    }
}

fn words(field: &FieldDef, value: &str, last: &str) -> String {
    // Elsewhere `!` is a letter like others.
    let one = |word: &String| match word.strip_prefix('!').filter(|_| field.has_negation()) {
        Some(word) => format!("not {}", values::words(&values::shown(word))),
        None => values::words(&values::shown(word)),
    };
    let words: Vec<String> = field::split(value).iter().map(one).collect();
    enumerated(&words, last)
}

fn amount(field: &FieldDef, value: &str) -> String {
    let value = values::shown(value.trim());
    match field.shape {
        Shape::Price => format!("${value}"),
        _ => value.parse::<u64>().map_or(value, values::count),
    }
}

#[cfg(test)]
mod tests {
    use super::{all, label, order};
    use refdesk_core::Kind;

    #[test]
    fn filters_are_told_by_the_labels_of_their_fields() {
        for (name, value, told) in [
            ("price_input__lte", "0", "Input price at most $0"),
            ("context_tokens__gte", "200000", "Context at least 200,000"),
            ("context_tokens__gte", "200k", "Context at least 200k"),
            ("status__not", "deprecated,retired", "Status not deprecated or retired"),
            ("capability", "tool_call,!batch", "Capability tool call and not batch"),
            ("vendor", "OpenAI,Google", "Vendor OpenAI or Google"),
            ("vendor", "!OpenAI", "Vendor !OpenAI"),
            ("released_on__gte", "2026", "Released since 2026"),
            ("open_weights", "true", "Open weights: yes"),
            ("family__isnull", "true", "Family unknown"),
            ("include_removed", "false", "without what its source removed"),
            ("stale", "true", "only what is stale"),
            ("stale", "false", "without what is stale"),
            ("price_of", "cheapest", "prices of the cheapest seller"),
            ("price_of", "openrouter", "prices of openrouter"),
        ] {
            assert_eq!(all(Some(Kind::Model), [(name, value)].into_iter()), [told], "{name}={value}");
        }
        assert!(all(None, [("limit", "5"), ("colour", "red")].into_iter()).is_empty(), "these are no filters");
        let repeated = [("vendor", "OpenAI"), ("vendor", "Google"), ("status", "active")];
        assert_eq!(
            all(Some(Kind::Model), repeated.into_iter()),
            ["Vendor OpenAI", "Status active"],
            "the first counts"
        );
    }

    #[test]
    fn labels_and_orders_have_no_names_of_parameters() {
        assert_eq!(label("price_input__lte").as_deref(), Some("Input price, at most"));
        assert_eq!(label("min_percent").as_deref(), Some("Percent apart, at least"));
        assert_eq!(label("colour__gte"), None);
        assert_eq!(order(Some(Kind::Model), "-offers"), "Offers, the most first");
        assert_eq!(
            order(Some(Kind::Model), "price_input,-released_on"),
            "Input price, then Released, the latest first"
        );
    }
}
