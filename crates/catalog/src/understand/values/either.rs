//! Makers and lines of models side by side, any of which will do: `claude or gpt models`, `from deepseek, qwen or llama`. The filters of a list
//! hold together, so one of them says it all: that of lines where each name is one, else that of makers.

use super::vendor::vendor_at;
use super::{FROM, LISTING, VALUE_WORDS_MAX, listed_behind};
use crate::resolve::model::makers::{self, is_family};
use crate::understand::reading::Reading;
use crate::understand::vocabulary::is_part_of_topic;
use crate::understand::words::Words as _;
use refdesk_core::Kind;
use refdesk_search::text::is_stop_word;

/// What is named at a position: a line of models, their maker, or both by one word.
#[derive(Debug, Clone)]
struct Named<'a> {
    at: usize,
    series: Option<&'a str>,
    /// In all spellings.
    vendor: Option<Vec<&'a str>>,
}

/// Reads them at a position where the first stands, if not all are makers.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    let is_listed =
        |at: usize| reading.is(at + 1, &LISTING) || reading.words.get(at).is_some_and(|word| word.ends_clause);
    if reading.kind != Kind::Model || !(at..at + VALUE_WORDS_MAX).any(is_listed) {
        return false;
    }
    let Some((first, taken)) = named_at(reading, at) else { return false };
    let (others, end) = listed_behind(reading, at + taken, &[], false, named_at);
    let names: Vec<Named<'_>> = std::iter::once(first).chain(others).collect();
    let introduced = reading.is_behind(at, &FROM);
    // `claude or gpt coding models`
    let leads_to_head = reading.leads_to_kind(end, |word| word.used || !is_stop_word(&word.folded));
    let before_head = leads_to_head || reading.words.get(end).is_some_and(|next| next.used || next.folded == "open");
    let after_order = at > 0 && reading.words[at - 1].used && reading.has("sort");
    if names.len() < 2
        || names.iter().all(|name| name.vendor.is_some())
        || !(introduced || before_head || after_order || reading.head_end.is_none())
        || !introduced && is_part_of_topic(reading, at)
        || reading.negation_before_name(at) > 0
    {
        return false;
    }
    let series: Option<Vec<&str>> = names.iter().map(|name| name.series).collect();
    if let Some(series) = series {
        reading.filter("series", false, &series);
    } else {
        let makers = names.iter().map(|name| name.vendor.clone().or_else(|| Some(vec![maker_of(reading, name.at)?])));
        let Some(makers) = makers.collect::<Option<Vec<Vec<&str>>>>() else { return false };
        for (name, maker) in names.iter().zip(makers) {
            reading.filter("vendor", false, &maker);
            if name.vendor.is_none() {
                let (said, maker) = (reading.words[name.at].text, maker[0]);
                reading.warn(format!(
                    "`{said}` stands for all that {maker} makes: no filter takes makers beside lines of models"
                ));
            }
        }
    }
    reading.take(at - usize::from(introduced)..end);
    true
}

/// What is named at a position, and how many words name it.
fn named_at<'a>(reading: &Reading<'a>, at: usize) -> Option<(Named<'a>, usize)> {
    let said = &reading.words.get(at).filter(|word| !word.used)?.folded;
    let series = if is_family(said) { reading.values("series").find(|series| series == said) } else { None };
    let vendor = vendor_at(reading, at);
    let taken = vendor.as_ref().map_or(1, |(_, taken)| *taken);
    let named = Named { at, series, vendor: vendor.map(|(maker, _)| maker) };
    (named.series.is_some() || named.vendor.is_some()).then_some((named, taken))
}

/// The maker of the line of models that is named at a position.
fn maker_of<'a>(reading: &Reading<'a>, at: usize) -> Option<&'a str> {
    let maker = makers::display_name(makers::family(&reading.words[at].folded)?)?;
    reading.values("vendor").find(|vendor| *vendor == maker)
}
