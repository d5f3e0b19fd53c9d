//! Passages: the sections of the found full texts that fit the question best, within a budget of tokens, so that whoever asks needs no second
//! call. A long section is cut into pieces at its paragraphs; pieces are ranked over all texts of an answer.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use refdesk_core::query::{CHARS_PER_TOKEN, SearchQuery};
use refdesk_core::text::fence::Fence;
use refdesk_core::text::mdx::Readable;
use refdesk_core::text::sections::sections;
use refdesk_search::{Passage, SearchHit, SnippetGenerator, score_passages};

use crate::json::Object;
use crate::snapshot::Snapshot;

use super::super::body_key;
use super::Searched;

/// Longest piece of a text, in bytes: about 400 tokens of English.
const PIECE_BYTES_MAX: usize = 1_600;
/// Most full texts of one answer that passages are looked for in: those of the best hits.
pub const PASSAGE_TEXTS_MAX: usize = 10;

/// Full texts of hits, as far as a question wants them.
#[derive(Debug, Clone, Default)]
pub struct HitTexts {
    /// Whole texts of document hits, by ordinal.
    pub markdown: HashMap<u32, String>,
    passages: HashMap<u32, Vec<ChosenPassage>>,
}

/// A piece of a text that is shown.
#[derive(Debug, Clone, PartialEq)]
struct ChosenPassage {
    headings: Vec<String>,
    /// Characters of the text before it.
    offset: usize,
    text: String,
    score: f32,
}

/// A piece of one of the found texts.
struct Piece<'t> {
    hit: u32,
    text: &'t str,
    path: Vec<&'t str>,
    range: Range<usize>,
    /// What a reader reads there.
    shown: Cow<'t, str>,
}

impl HitTexts {
    /// The hits whose full texts a question wants.
    pub fn wanted(snapshot: &Snapshot, query: &SearchQuery, hits: &[SearchHit]) -> Vec<u32> {
        let kind_of = |hit: &SearchHit| snapshot.kind_of(hit.ordinal);
        let whole = |hit: &&SearchHit| query.include_markdown && kind_of(hit) == refdesk_core::Kind::Document;
        let with_text = hits.iter().filter(|hit| query.passages > 0 && body_key(kind_of(hit)).is_some());
        let wanted = hits.iter().filter(whole).chain(with_text.take(PASSAGE_TEXTS_MAX)).map(|hit| hit.ordinal);
        let mut wanted: Vec<u32> = wanted.collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// What a question wants of the full texts that were read.
    pub fn new(snapshot: &Snapshot, query: &SearchQuery, searched: &Searched, read: HashMap<u32, String>) -> Self {
        let passages = if query.passages > 0 { chosen(query, searched, &read) } else { HashMap::new() };
        let is_document = |ordinal: u32| snapshot.kind_of(ordinal) == refdesk_core::Kind::Document;
        let whole = read.into_iter().filter(|(ordinal, _)| query.include_markdown && is_document(*ordinal));
        Self { markdown: whole.collect(), passages }
    }

    /// Passages alone.
    #[must_use]
    pub fn without_markdown(&self) -> Self {
        Self { markdown: HashMap::new(), passages: self.passages.clone() }
    }

    /// Writes what there is of a hit.
    pub(super) fn write(&self, ordinal: u32, object: &mut Object<'_>) {
        if let Some(markdown) = self.markdown.get(&ordinal) {
            object.text("markdown", markdown);
        }
        let Some(passages) = self.passages.get(&ordinal) else { return };
        object.objects("passages", passages, |object, passage| {
            object.value("headings", &passage.headings);
            object.count("offset", passage.offset);
            object.count("tokens", tokens(&passage.text));
            object.value("score", &super::rounded(passage.score));
            object.text("text", &passage.text);
        });
    }
}

/// About how many tokens a text has.
fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARS_PER_TOKEN)
}

/// The best pieces, the best of each hit before the second best of any, as far as the budget goes.
fn chosen(query: &SearchQuery, searched: &Searched, read: &HashMap<u32, String>) -> HashMap<u32, Vec<ChosenPassage>> {
    let hits: Vec<u32> = searched
        .outcome
        .hits
        .iter()
        .map(|hit| hit.ordinal)
        .filter(|hit| read.contains_key(hit))
        .take(PASSAGE_TEXTS_MAX)
        .collect();
    let pieces: Vec<Piece<'_>> = hits.iter().flat_map(|hit| pieces(*hit, &read[hit])).collect();
    let generator = SnippetGenerator::new(searched.wanted(query)).with_corrected(&searched.outcome.corrected);
    let headings: Vec<String> = pieces.iter().map(|piece| piece.path.join("\n")).collect();
    let passages: Vec<Passage<'_>> =
        pieces.iter().zip(&headings).map(|(piece, headings)| Passage { headings, text: &piece.shown }).collect();
    let scores = score_passages(&generator, &passages);
    // By hit, best first; what stands first in a text says what it is about, where no piece has a word of the question.
    let ranked: Vec<Vec<usize>> = hits
        .iter()
        .map(|hit| {
            let own: Vec<usize> = (0..pieces.len()).filter(|at| pieces[*at].hit == *hit).collect();
            let mut fitting: Vec<usize> = own.iter().copied().filter(|at| scores[*at] > 0.0).collect();
            fitting.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
            if fitting.is_empty() { own.into_iter().take(1).collect() } else { fitting }
        })
        .collect();
    let mut left = query.budget_tokens;
    let mut found: HashMap<u32, Vec<ChosenPassage>> = HashMap::new();
    for round in 0..query.passages {
        for at in ranked.iter().filter_map(|ranked| ranked.get(round).copied()) {
            let piece = &pieces[at];
            let text = piece.shown.trim_end();
            let needed = tokens(text);
            // A budget that is smaller than any piece still shows how the best one begins.
            let shown: String = match (needed <= left, found.is_empty()) {
                (true, _) => text.to_owned(),
                (false, true) => text.chars().take(left.saturating_mul(CHARS_PER_TOKEN)).collect(),
                (false, false) => continue,
            };
            left -= needed.min(left);
            found.entry(piece.hit).or_default().push(ChosenPassage {
                headings: piece.path.iter().map(|heading| (*heading).to_owned()).collect(),
                offset: piece.text[..piece.range.start].chars().count(),
                text: shown,
                score: scores[at],
            });
        }
    }
    found
}

/// The sections of a text, long ones in pieces.
fn pieces(hit: u32, text: &str) -> impl Iterator<Item = Piece<'_>> {
    let readable = Readable::new(text);
    let ranges = sections(text).into_iter().flat_map(|section| {
        let ranges = cut(text, section.range);
        ranges.into_iter().map(move |range| (section.path.clone(), range))
    });
    let pieces = ranges.flat_map(move |(path, range)| {
        let shown: Vec<Cow<'_, str>> = match readable.part(range.clone()) {
            // What a component shows may be much longer than what stands there of it.
            Cow::Owned(shown) => {
                let shown = shown.trim_start_matches('\n');
                cut(shown, 0..shown.len()).into_iter().map(|part| Cow::Owned(shown[part].to_owned())).collect()
            }
            shown @ Cow::Borrowed(_) => vec![shown],
        };
        shown.into_iter().map(move |shown| Piece { hit, text, path: path.clone(), range: range.clone(), shown })
    });
    pieces.filter(|piece| !piece.shown.trim().is_empty())
}

/// A range in pieces of at most [`PIECE_BYTES_MAX`]: at blank lines outside fenced code where there are such, else at lines, else anywhere.
fn cut(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut paragraph, mut at) = (range.start, range.start, range.start);
    let mut fence = None::<Fence>;
    for line in text[range.clone()].split_inclusive('\n') {
        let end = at + line.len();
        if end - start > PIECE_BYTES_MAX && at > start {
            let to = if paragraph > start { paragraph } else { at };
            found.push(start..to);
            start = to;
        }
        while end - start > PIECE_BYTES_MAX {
            let to = text.floor_char_boundary(start + PIECE_BYTES_MAX);
            found.push(start..to);
            start = to;
        }
        fence = Fence::below(fence, line);
        at = end;
        if line.trim().is_empty() && fence.is_none() {
            paragraph = at;
        }
    }
    found.push(start..range.end);
    found.retain(|range| !text[range.clone()].trim().is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::{PIECE_BYTES_MAX, cut, pieces};

    #[test]
    fn long_sections_are_cut_at_paragraphs_and_nothing_is_lost() {
        let paragraph = format!("{}\n\n", "word ".repeat(100));
        let text = format!("# One\n\n{}## Two\nshort\n", paragraph.repeat(8));
        let found: Vec<_> = pieces(7, &text).collect();
        let joined: String = found.iter().map(|piece| &text[piece.range.clone()]).collect();
        assert_eq!(joined, text);
        assert!(found.iter().all(|piece| piece.range.len() <= PIECE_BYTES_MAX && piece.hit == 7));
        assert!(found[1..found.len() - 1].iter().all(|piece| text[piece.range.clone()].starts_with("word ")));
        assert_eq!(found.last().map(|piece| piece.path.clone()), Some(vec!["One", "Two"]));
    }

    #[test]
    fn what_a_component_shows_is_cut_as_any_long_text_is() {
        let row = |at: usize| {
            format!("    {{ name: 'field{at}', type: 'string', description: 'What field number {at} is for.' }},\n")
        };
        let rows: String = (0..100).map(row).collect();
        let text = format!("# Fields\n\n<PropertiesTable\n  content={{[\n{rows}  ]}}\n/>\n");
        let found: Vec<_> = pieces(7, &text).collect();
        assert!(found.len() > 1 && found.iter().all(|piece| piece.shown.len() <= PIECE_BYTES_MAX));
        let joined: String = found.iter().map(|piece| &*piece.shown).collect();
        for at in 0..100 {
            let line = format!("- `field{at}` (`string`): What field number {at} is for.\n");
            assert_eq!(joined.matches(&line).count(), 1, "{line}{joined}");
        }
    }

    #[test]
    fn a_fence_within_a_longer_one_ends_nothing() {
        let words = "word ".repeat(100);
        let text = format!("{words}\n\n````md\n```\n{words}\n\n```\n{words}\n\n{words}\n````\n\n{words}\n");
        let found: Vec<_> = cut(&text, 0..text.len()).into_iter().map(|range| &text[range]).collect();
        assert!(found[0].ends_with("word \n\n") && found[1].starts_with("````md\n"), "{found:?}");
    }

    #[test]
    fn a_line_longer_than_a_piece_is_cut_between_characters() {
        let text = "é".repeat(PIECE_BYTES_MAX * 2);
        let found = cut(&text, 0..text.len());
        assert_eq!(found.iter().map(|range| &text[range.clone()]).collect::<String>(), text);
        assert!(found.len() >= 4 && found.iter().all(|range| range.len() <= PIECE_BYTES_MAX));
        assert!(cut("\n \n", 0..3).is_empty(), "blanks are no piece");
    }
}
