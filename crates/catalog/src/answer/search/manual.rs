//! Pages of the desk's own manual. They rank behind what the catalog is of, so that who asks for a thing gets the thing. One that says in
//! its summary how to do what is asked (`how do I back up`) stands among the first hits all the same.

use crate::segment::render::text_at;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::item::MANUAL_ID;
use refdesk_core::query::SearchQuery;
use refdesk_search::text::folded;

/// A single word is a topic of many pages.
const WORDS_MIN: usize = 2;
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

/// The page of the manual that says how to do what is asked.
pub fn page(snapshot: &Snapshot, query: &SearchQuery) -> Option<u32> {
    if query.fresh_only || !query.understand || query.kind.is_some_and(|kind| kind != Kind::Document) {
        return None;
    }
    let asked = folded(query.text.trim_end_matches(['?', ' ', '.']));
    let deed = ASKS_HOW.iter().find_map(|asks| asked.strip_prefix(asks))?.trim();
    if deed.split(' ').count() < WORDS_MIN {
        return None;
    }
    let documents = snapshot.segment(Kind::Document);
    let tells = |row: &u32| {
        let summary = documents.item(*row).description;
        folded(&text_at(summary.of(documents.row(*row)))).contains(deed)
    };
    let (_, mut pages) = documents.rows_with_prefix(MANUAL_ID);
    let page = pages.find(|row| snapshot.shows(Kind::Document, *row) && tells(row))?;
    Some(snapshot.ordinal(Kind::Document, page))
}
