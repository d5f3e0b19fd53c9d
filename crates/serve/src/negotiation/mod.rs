//! Content negotiation (RFC 9110, section 12): q-values of `Accept…` headers, and the content codings of answers.

mod encoding;

use http::{HeaderMap, HeaderName};

pub(crate) use encoding::ContentEncoding;

/// JSON in UTF-8.
pub(crate) const JSON: &str = "application/json";
/// JSON objects, one a line.
pub(crate) const NDJSON: &str = "application/x-ndjson";
/// A page.
pub(crate) const HTML: &str = "text/html; charset=utf-8";
/// Comma-separated values.
pub(crate) const CSV: &str = "text/csv";
/// What a text may be asked for as: in an answer of its own, as it is, or as a page.
pub(crate) const FULL_TEXT_MEDIA_TYPES: [&str; 3] = [JSON, "text/markdown", "text/html"];
/// The weight of `q=1`, which a value without a q-value has.
const WEIGHT_OF_ONE: u16 = 1000;

/// An element of an `Accept…` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WeightedValue<'a> {
    /// The media type or content coding, without parameters.
    pub(crate) name: &'a str,
    /// Its q-value in thousandths; 0 means not acceptable, and so does a q-value that is not a number.
    pub(crate) weight: u16,
}

/// The elements of an `Accept…` header, in the order they were sent.
pub(crate) fn weighted_values<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> impl Iterator<Item = WeightedValue<'a>> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|element| {
        let mut parameters = element.split(';').map(str::trim);
        let name = parameters.next().unwrap_or_default();
        let q_value = parameters.find_map(|parameter| {
            let (key, value) = parameter.split_once('=')?;
            key.eq_ignore_ascii_case("q").then_some(value)
        });
        WeightedValue { name, weight: q_value.map_or(WEIGHT_OF_ONE, parse_weight) }
    })
}

fn parse_weight(q_value: &str) -> u16 {
    let q_value = q_value.trim().parse::<f64>().unwrap_or(0.0);
    // The cast turns NaN into 0.
    (q_value.clamp(0.0, 1.0) * f64::from(WEIGHT_OF_ONE)) as u16
}

/// The offered media type that the client prefers: the highest q-value, then the one named first. Only types named in full count; a client
/// that names none of them gets the first.
pub(crate) fn preferred_media_type<'t>(headers: &HeaderMap, offered: [&'t str; 3]) -> &'t str {
    let [default, ..] = offered;
    let mut best = (0, default);
    for value in weighted_values(headers, &http::header::ACCEPT) {
        let named = offered.iter().find(|offered| offered.eq_ignore_ascii_case(value.name));
        if let Some(named) = named.filter(|_| value.weight > best.0) {
            best = (value.weight, named);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, header};

    use super::{preferred_media_type, weighted_values};

    fn accept(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static(value))])
    }

    #[test]
    fn a_q_value_weighs_its_own_value_whatever_stands_before_it() {
        for (sent, weights) in [
            ("a", vec![("a", 1000)]),
            ("a;q=0.5, b ; q=0.25", vec![("a", 500), ("b", 250)]),
            ("a;level=1;Q=0.4", vec![("a", 400)]),
            ("a;q=0, b;q=0.000", vec![("a", 0), ("b", 0)]),
            ("a;q=7, b;q=-1, c;q=x, d;q=NaN", vec![("a", 1000), ("b", 0), ("c", 0), ("d", 0)]),
        ] {
            let headers = accept(sent);
            let found = weighted_values(&headers, &header::ACCEPT).map(|value| (value.name, value.weight));
            assert_eq!(found.collect::<Vec<_>>(), weights, "{sent}");
        }
    }

    #[test]
    fn the_media_type_with_the_highest_q_value_wins_and_then_the_one_named_first() {
        let offered = ["application/json", "text/markdown", "text/html"];
        for (sent, preferred) in [
            ("text/html, text/markdown", "text/html"),
            ("text/html;q=0.5, text/markdown;q=0.6", "text/markdown"),
            ("text/html;q=0", "application/json"),
            ("*/*", "application/json"),
            ("TEXT/HTML", "text/html"),
        ] {
            assert_eq!(preferred_media_type(&accept(sent), offered), preferred, "{sent}");
        }
    }
}
