//! Pages of the desk's own manual. They rank behind what the catalog is of, so that who asks for a thing gets the thing. One that says in
//! its summary how to do what is asked (`how do I back up`) stands among the first hits all the same.

use crate::resolve::letters;
use crate::segment::render::text_at;
use crate::snapshot::Snapshot;
use crate::understand::content_words;
use refdesk_core::Kind;
use refdesk_core::item::MANUAL_ID;
use refdesk_core::query::SearchQuery;
use refdesk_core::text;
use refdesk_search::text::{Stemmers, folded};

/// Shorter words are parts of too many others.
const COMPOUND_CHARS_MIN: usize = 5;

/// What a question begins with that asks how something is done.
const ASKS_HOW: [&str; 8] = [
    "how do i ",
    "how do we ",
    "how do you ",
    "how can i ",
    "how can we ",
    "how to ",
    "how does one ",
    "how should i ",
];

/// The page of the manual that says how to do what is asked: its summary has all words of it, however they are inflected. Of several, one
/// that says it in the same words, then one that has a word of it in its title, then the one that says least beside it.
pub fn page(snapshot: &Snapshot, query: &SearchQuery) -> Option<u32> {
    if query.fresh_only || !query.understand || query.kind.is_some_and(|kind| kind != Kind::Document) {
        return None;
    }
    let asked = folded(query.text.trim_end_matches(['?', ' ', '.']));
    let deed = ASKS_HOW.iter().find_map(|asks| asked.strip_prefix(asks))?.trim();
    let words: Vec<&str> = content_words(deed).collect();
    if words.is_empty() {
        return None;
    }
    let (documents, stemmers) = (snapshot.segment(Kind::Document), Stemmers::default());
    let stems_of =
        |told: &str| -> Vec<String> { text::words(told).map(|word| stemmers.stem(word).into_owned()).collect() };
    let tells = |row: u32| {
        let summary = folded(&text_at(documents.item(row).description.of(documents.row(row))));
        let (stems, title) = (stems_of(&summary), stems_of(&folded(&documents.name(row))));
        // Together or apart: `back up`, `backup`.
        let compounds = letters(&summary);
        let is_in = |stems: &[String], word: &str| stems.iter().any(|stem| **stem == *stemmers.stem(word));
        let has = |word: &&str| {
            is_in(&stems, word) || word.chars().count() >= COMPOUND_CHARS_MIN && compounds.contains(*word)
        };
        let is_titled = words.iter().any(|word| is_in(&title, word));
        words.iter().all(has).then(|| (!summary.contains(deed), !is_titled, summary.len()))
    };
    let (_, pages) = documents.rows_with_prefix(MANUAL_ID);
    let shown = pages.filter(|row| snapshot.shows(Kind::Document, *row));
    let (_, page) = shown.filter_map(|row| Some((tells(row)?, row))).min()?;
    Some(snapshot.ordinal(Kind::Document, page))
}
