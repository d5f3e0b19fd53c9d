//! Dated names: a snapshot `gpt-4o-2024-08-06` is another model than the alias `gpt-4o`, and the two are linked by what this tells.
//!
//! A date with its year is one for every maker. A shorter form is one only for the makers that write dates so: `0613` is June 13th for
//! `OpenAI`, `2407` July 2024 for Mistral, and a size, a context or a running number for others. Google's `-001` counts and dates nothing.

use super::ModelIdentity;

/// Makers that write month and day without a year, and the year and month in which they began. `OpenAI` did so for less than a year, which
/// tells the year; where the habit lasted longer, the year stays unknown.
///
/// `DeepSeek` is not here: its undated name means the first release of published weights, not an alias that moves on.
const MONTH_DAY: &[(&str, Option<(u16, u16)>)] =
    &[("openai", Some((2023, 3))), ("xai", None), ("alibaba", None), ("zai", None), ("google", None)];

/// Makers that write the last two digits of the year and the month: `mistral-large-2407`.
const YEAR_MONTH: &[&str] = &["mistral"];

/// Makers that write the last two digits of the year, month and day: `doubao-seed-1.6-250615`.
const YEAR_MONTH_DAY: &[&str] = &["bytedance"];

/// The key of the name without its trailing date ([`ModelIdentity::key`]) and the date: `YYYY-MM-DD`, `YYYY-MM`, or `--MM-DD`
/// (ISO 8601's form without a year, which sorts before the others) where the maker leaves the year out.
///
/// `None` when the name ends in no date, or is nothing else.
pub fn undated(identity: &ModelIdentity) -> Option<(String, String)> {
    let (front, date) = split(&identity.name, identity.maker.as_deref().unwrap_or_default())?;
    let undated = ModelIdentity { name: front.to_owned(), ..identity.clone() };
    Some((undated.key(), date))
}

/// The date at the end of a name, in the forms of [`undated`].
pub fn dated_on(identity: &ModelIdentity) -> Option<String> {
    split(&identity.name, identity.maker.as_deref().unwrap_or_default()).map(|(_, date)| date)
}

/// Splits a normalised name (`20250929` for `2025-09-29`, `05.06` for `05-06`) before its trailing date.
fn split<'a>(name: &'a str, maker: &str) -> Option<(&'a str, String)> {
    let (front, last) = name.rsplit_once('-').filter(|(front, _)| !front.is_empty())?;
    if let Some((earlier, middle)) = front.rsplit_once('-')
        && let Some(date) = two_words(middle, last)
    {
        return Some((earlier, date));
    }
    one_word(last, maker).map(|date| (front, date))
}

/// `03-2025` and `2025-03`.
fn two_words(first: &str, second: &str) -> Option<String> {
    let (year, month) = match (first.len(), second.len()) {
        (2, 4) => (second, first),
        (4, 2) => (first, second),
        _ => return None,
    };
    month_of(number(year)?, number(month)?)
}

/// `20250929`, `250615`, `2407`, `0613` and `05.06`.
fn one_word(word: &str, maker: &str) -> Option<String> {
    if !word.is_ascii() {
        return None;
    }
    match word.len() {
        8 => day_of(number(&word[..4])?, number(&word[4..6])?, number(&word[6..])?),
        6 if YEAR_MONTH_DAY.contains(&maker) => {
            day_of(2000 + number(&word[..2])?, number(&word[2..4])?, number(&word[4..])?)
        }
        4 if YEAR_MONTH.contains(&maker) => month_of(2000 + number(&word[..2])?, number(&word[2..])?),
        4 | 5 => {
            let began = MONTH_DAY.iter().find(|(habit, _)| *habit == maker)?.1;
            let (month, day) = word
                .split_once('.')
                .filter(|(month, _)| month.len() == 2)
                .or_else(|| (word.len() == 4).then(|| word.split_at(2)))?;
            let (month, day) = (number(month)?, number(day)?);
            match began {
                Some((year, first)) => day_of(if month < first { year + 1 } else { year }, month, day),
                None => is_day(month, day).then(|| format!("--{month:02}-{day:02}")),
            }
        }
        _ => None,
    }
}

fn number(digits: &str) -> Option<u16> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

fn is_day(month: u16, day: u16) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

fn day_of(year: u16, month: u16, day: u16) -> Option<String> {
    ((2018..2100).contains(&year) && is_day(month, day)).then(|| format!("{year}-{month:02}-{day:02}"))
}

fn month_of(year: u16, month: u16) -> Option<String> {
    ((2018..2100).contains(&year) && is_day(month, 1)).then(|| format!("{year}-{month:02}"))
}

#[cfg(test)]
mod tests {
    use super::undated;
    use crate::resolve::model::{StatedIdentity, parse_identity};

    #[test]
    fn a_trailing_date_is_split_from_the_name_where_its_maker_writes_dates_so() {
        for (provider, id, split) in [
            ("anthropic", "claude-sonnet-4-5-20250929", Some(("anthropic/claude-sonnet-4.5", "2025-09-29"))),
            ("vertex_ai", "claude-sonnet-4-5@20250929", Some(("anthropic/claude-sonnet-4.5", "2025-09-29"))),
            ("openai", "gpt-4o-2024-08-06", Some(("openai/gpt-4o", "2024-08-06"))),
            ("openai", "gpt-4-0613", Some(("openai/gpt-4", "2023-06-13"))),
            ("openai", "gpt-3.5-turbo-0125", Some(("openai/gpt-3.5-turbo", "2024-01-25"))),
            ("mistral", "mistral-large-2407", Some(("mistral/mistral-large", "2024-07"))),
            ("cohere", "command-a-03-2025", Some(("cohere/command-a", "2025-03"))),
            ("google", "gemini-2.5-flash-preview-09-2025", Some(("google/gemini-2.5-flash-preview", "2025-09"))),
            ("google", "gemini-2.5-pro-preview-05-06", Some(("google/gemini-2.5-pro-preview", "--05-06"))),
            ("xai", "grok-4-0709", Some(("xai/grok-4", "--07-09"))),
            ("volcengine", "doubao-seed-1-6-250615", Some(("bytedance/seed-1.6", "2025-06-15"))),
            ("alibaba", "qwen-plus-2025-07-28", Some(("alibaba/qwen-plus", "2025-07-28"))),
            // A count, a context, a size, a release of weights, a version, a month that is none.
            ("google", "gemini-1.5-pro-001", None),
            ("groq", "llama3-8b-8192", None),
            ("alibaba", "qwen3-235b-a22b-2507", None),
            ("deepseek", "deepseek-v3-0324", None),
            ("openai", "gpt-4-9999", None),
            ("mistral", "mistral-large-2413", None),
            ("openai", "gpt-4.1", None),
            ("x", "20250929", None),
            // Words of as many bytes as a date that are no digits, and no ASCII.
            ("x", "größe-äöü", None),
            ("x", "acme-modèles", None),
            ("bytedance", "x-豆包", None),
            ("mistral", "mistral-aéb", None),
        ] {
            let identity = parse_identity(StatedIdentity { provider: Some(provider), id, ..StatedIdentity::default() });
            let wanted = split.map(|(key, date)| (key.to_owned(), date.to_owned()));
            assert_eq!(undated(&identity), wanted, "{provider}: {id}");
        }
    }
}
