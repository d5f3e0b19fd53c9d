//! Texts on what a question says beside their publisher, or beside a tool or a line of models of theirs: `streaming in the vercel ai sdk`. All
//! their pages have the words that say whose they are, and the ranking would go by how often.

use super::super::placed::put_first;
use super::super::{editions, searched_kinds};
use super::{PUBLISHER_WORDS, made_by};
use crate::resolve::model::makers;
use crate::snapshot::Snapshot;
use crate::understand::{DETERMINERS, Understood};
use refdesk_core::Kind;
use refdesk_core::query::SearchQuery;
use refdesk_core::text;
use refdesk_search::text::{Stemmers, folded, is_stop_word};
use refdesk_search::{SearchHit, SearchOutcome, SearchRequest, SegmentSet, Telling};

/// What stands between a topic and the thing that it belongs to.
const LINKS: [&str; 9] = ["in", "with", "for", "of", "on", "by", "from", "using", "via"];
/// Verbs that say nothing of a topic.
const USES: [&str; 4] = ["use", "using", "work", "works"];
/// Pages that are looked at, and that are put first.
const LOOKED_AT: usize = 10;
const SHOWN: usize = 3;

/// Puts the publisher's texts first that have all words of the topic in their titles, unless the first hit has them in its name already and is
/// one of these or no text.
pub fn put(snapshot: &Snapshot, query: &SearchQuery, understood: &Understood, outcome: &mut SearchOutcome) {
    let is_text = |kind: Kind| matches!(kind, Kind::Document | Kind::Tutorial);
    let is_read = !understood.params.is_empty() || !understood.compared.is_empty() || understood.names_one();
    let asked = match understood.kind {
        None => query.text.as_str(),
        Some(kind) if is_text(kind) => understood.rest.as_str(),
        Some(_) => return,
    };
    let segments: SegmentSet = searched_kinds(query.kind).filter(|kind| is_text(*kind)).collect();
    if !query.understand || is_read || segments.is_empty() {
        return;
    }
    let Some((topic, publisher)) = topic_of(snapshot, asked) else { return };
    let by = made_by(snapshot, segments, &publisher);
    let stemmers = Stemmers::default();
    let stems = |said: &str| -> Vec<String> {
        text::words(&folded(said)).map(|word| stemmers.stem(word).into_owned()).collect()
    };
    let topic_stems = stems(&topic);
    let is_on_topic = |name: &str| {
        let stems = stems(name);
        topic_stems.iter().all(|stem| stems.contains(stem))
    };
    let is_found = |first: &SearchHit| {
        let (kind, row) = (snapshot.kind_of(first.ordinal), snapshot.locate(first.ordinal).1);
        (!is_text(kind) || by[kind.index()].contains(row))
            && is_on_topic(&format!("{} {}", snapshot.name(first.ordinal), snapshot.id(first.ordinal)))
    };
    if topic_stems.is_empty() || outcome.hits.first().is_some_and(is_found) {
        return;
    }
    let analysed = snapshot.analyse(&topic);
    let request = SearchRequest {
        segments,
        fresh_only: query.fresh_only,
        only: &by,
        telling: Telling::Described,
        ..SearchRequest::new(&analysed, LOOKED_AT)
    };
    let found = editions::search(snapshot, &request).hits.into_iter();
    let told: Vec<SearchHit> =
        found.filter(|hit| is_on_topic(&snapshot.name(hit.ordinal))).take(SHOWN.min(query.limit)).collect();
    if !told.is_empty() {
        put_first(snapshot, told, query.limit, outcome);
    }
}

/// The topic of a question that begins with whose it is, or ends with that behind a preposition, and the folded name of who publishes on it.
fn topic_of(snapshot: &Snapshot, asked: &str) -> Option<(String, String)> {
    let asked = folded(asked.trim_end_matches(|c: char| c.is_ascii_punctuation() || c.is_whitespace()));
    let words: Vec<&str> = asked.split_whitespace().collect();
    let lengths = || (1..=PUBLISHER_WORDS.min(words.len().saturating_sub(1))).rev();
    let in_front = |length: usize| {
        let (name, topic) = words.split_at(length);
        Some((topic, publisher(snapshot, name)?))
    };
    let behind = |length: usize| {
        let (before, name) = words.split_at(words.len() - length);
        let determiners = before.iter().rev().take_while(|word| DETERMINERS.contains(*word)).count();
        let (link, topic) = before[..before.len() - determiners].split_last()?;
        if LINKS.contains(link) { Some((topic, publisher(snapshot, name)?)) } else { None }
    };
    let (topic, publisher) = lengths().find_map(in_front).or_else(|| lengths().find_map(behind))?;
    let says = |word: &&&str| !is_stop_word(word) && !USES.contains(*word);
    let topic: Vec<&str> = topic.iter().filter(says).copied().collect();
    (!topic.is_empty()).then(|| (topic.join(" "), publisher))
}

/// Who publishes texts under a name, or makes the tool or the line of models that is called so; all names folded.
fn publisher(snapshot: &Snapshot, name: &[&str]) -> Option<String> {
    let name = name.join(" ");
    let of_line = || {
        let maker =
            makers::family(&name).filter(|_| makers::is_family(&name)).and_then(makers::display_name).map(folded);
        maker.filter(|maker| snapshot.is_publisher(maker))
    };
    snapshot.publisher_called(&name).map(str::to_owned).or_else(of_line)
}
