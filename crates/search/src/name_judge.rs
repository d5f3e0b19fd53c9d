//! Scores one name against a query, and decides whether the query calls it at all.
//!
//! Called is a name that the query spells, begins, covers with all its pieces, or mentions. Score: the share of the query
//! that is covered (by inverse document frequency), bonuses for whole, leading and trailing matches, penalties for what
//! only one side has.

use super::dictionary::mistyped;
use super::name_query::{NameHit, Scope};
use super::name_question::{COMPLETED, CORRECTED_ONCE, CORRECTED_TWICE, CORRECTION_TIMES, Item, Question, RECUT};
use super::names::{NameEntry, Names};
use super::spelling::{dice, trigrams};
use super::{How, MatchField, NameKind};

/// Below this similarity two names are not near.
pub(super) const NEAR_MIN: f32 = 0.35;
/// Share of the query's weight that a name mentioned in a longer question must have.
const MENTION_MIN: f32 = 0.3;
/// Likewise for a name without a number, which may be ordinary words.
const WORDY_MENTION_MIN: f32 = 0.5;
/// What a name gains at most when the query names the same core of another provider: `io.githb/mcp` is meant for `io.github/mcp`
/// among all that are called `mcp`.
const SAME_PROVIDER: f32 = 0.25;
/// What a name gains at most when the word that is being typed in it is a common one among names.
const COMMON_WORD: f32 = 0.05;

impl Names {
    /// The score of one name, when the query really calls it.
    pub(super) fn judge(&self, question: &Question, at: u32, scope: &Scope<'_>) -> Option<NameHit> {
        let entry = &self.entry(at);
        let name = self.text(at);
        let core = core_of(entry, name);
        let asked = question.spelling.squashed.as_str();
        let asked_core = question.spelling.core_text();
        let whole = asked == name;
        let whole_core = asked == core || asked_core == core || asked_core == name;
        let mut cover = Cover::default();
        let mut rating = if whole && question.unfinished.is_none() {
            2.0 - 0.03 * different_breaks(question.breaks, entry.breaks, name.len())
        } else if whole_core && question.unfinished.is_none() {
            let provider_lost = asked != core && asked_core != asked;
            if provider_lost {
                score_of_core(question, name, core)
            } else {
                1.8 - 0.01 * f32::from(entry.pieces - entry.core_pieces)
            }
        } else if asked.len() >= 2 && name.starts_with(asked) {
            score_of_beginning(question, entry, name) + COMMON_WORD * self.commonness_at(entry, asked.len())
        } else if asked.len() >= 2 && core.starts_with(asked) {
            1.25 - 0.01 * f32::from(entry.pieces)
        } else {
            cover = self.cover(question, entry, scope);
            if !cover.calls() && !self.mentioned(question, entry, scope) {
                return None;
            }
            score_of_cover(question, entry, name, &cover)
        };
        rating += match entry.kind {
            NameKind::Id => 0.02,
            NameKind::Name => 0.01,
            NameKind::Alias => 0.0,
        };
        let how = match (whole || whole_core, entry.kind) {
            (_, NameKind::Alias) if whole || !cover.fuzzy => How::Alias,
            (true, _) => How::Exact,
            _ if cover.fuzzy => How::Fuzzy,
            _ => How::Text,
        };
        let score = rating - self.demoted_by(entry.ord);
        Some(NameHit { ord: entry.ord, score, field: field(entry.kind), how, entry: at, fuzzy: cover.fuzzy })
    }

    /// How common among names the piece is within which a prefix of the name ends: 0 to 1, 0 where it ends at a border.
    fn commonness_at(&self, entry: &NameEntry, prefix_bytes: usize) -> f32 {
        let mut end = 0;
        for piece in self.pieces(entry).0 {
            end += self.dictionary.word(*piece).len();
            if end >= prefix_bytes {
                let items = if end == prefix_bytes { 0 } else { self.index.items(*piece) };
                return (1.0 + items as f32).ln() / (1.0 + self.items as f32).ln();
            }
        }
        0.0
    }

    fn cover(&self, question: &Question, entry: &NameEntry, scope: &Scope<'_>) -> Cover {
        let (pieces, versions) = self.pieces(entry);
        let mut cover = Cover { complete: true, ..Cover::default() };
        let mut covered = 0_u64;
        let mut covered_more = 0;
        let mut before = 0_u64;
        let mut got = 0.0;
        let (mut missed, mut misses) = (0, 0);
        for (i, item) in question.items.iter().enumerate() {
            let (mut best, mut taken) = (0.0_f32, 0_u64);
            for (term, sureness) in &item.alternatives {
                // Each piece of the name answers for one piece of the query: `3 3` needs both numbers.
                let mut here = (0..pieces.len()).filter(|at| pieces[*at] == *term && covered >> at & 1 == 0);
                if let Some(here) = here.next().filter(|_| *sureness > best) {
                    best = *sureness;
                    taken = 1 << here;
                } else if *sureness > best && versions.contains(term) {
                    best = *sureness;
                    covered_more += 2;
                }
            }
            covered |= taken;
            cover.torn += u32::from(item.glued && taken != 0 && before != 0 && taken != before << 1);
            before = taken;
            if best == 0.0 && !item.number {
                let repeated = item.alternatives.iter().filter(|(term, _)| pieces.contains(term));
                best = repeated.map(|(_, sureness)| *sureness).fold(0.0, f32::max);
            }
            for (first, term) in &question.joined {
                if (*first == i || first + 1 == i)
                    && best < 0.9
                    && let Some(here) = pieces.iter().position(|piece| piece == term)
                {
                    best = RECUT;
                    covered |= 1 << here;
                }
            }
            if item.content {
                got += item.idf * best;
                cover.complete &= best >= 0.5;
                cover.sure |= best > COMPLETED || (best > 0.0 && best < COMPLETED);
                if best < 0.5 {
                    (missed, misses) = (i, misses + 1);
                }
                cover.fuzzy |= (best - CORRECTED_ONCE).abs() < 0.01 || (best - CORRECTED_TWICE).abs() < 0.01;
                cover.missing_numbers += usize::from(item.number && best == 0.0);
            } else {
                cover.small_words += usize::from(best > 0.0);
                cover.small_words_missed += usize::from(best == 0.0);
            }
        }
        if misses == 1
            && got > 0.0
            && let Some(at) = self.misspelt(question, missed, entry, covered, scope)
        {
            covered |= 1 << at;
            got += question.items[missed].idf * CORRECTED_ONCE;
            (cover.complete, cover.fuzzy) = (true, true);
        }
        let mut weight = question.weight;
        for (version, idf) in &question.versions {
            weight += idf;
            if version.is_some_and(|version| versions.contains(&version)) {
                got += idf;
            }
        }
        cover.share = if weight > 0.0 { got / weight } else { 0.0 };
        for (i, piece) in pieces.iter().enumerate().filter(|(i, _)| covered >> i & 1 == 0) {
            let around = i < entry.lead as usize || i >= (entry.lead + entry.core_pieces) as usize;
            let number = self.dictionary.word(*piece).starts_with(|c: char| c.is_ascii_digit());
            if covered_more > 0 && number {
                covered_more -= 1;
            } else if around {
                cover.spare_around += 1;
            } else if number {
                cover.spare_numbers += 1;
            } else {
                cover.spare_words += 1;
            }
        }
        cover
    }

    /// The one piece of a name that the query lacks, when the one word that the name lacks stands in its place and is that
    /// piece mistyped. All the rest agrees, so short and even known words are corrected, if they are much rarer.
    fn misspelt(
        &self,
        question: &Question,
        missed: usize,
        entry: &NameEntry,
        covered: u64,
        scope: &Scope<'_>,
    ) -> Option<usize> {
        let (pieces, _) = self.pieces(entry);
        let core = entry.lead as usize..(entry.lead + entry.core_pieces) as usize;
        let mut open = core.clone().filter(|at| covered >> at & 1 == 0);
        let (at, None) = (open.next()?, open.next()) else { return None };
        let asked = question.items.len();
        let in_place = (asked == core.len() && missed == at - core.start) || (asked == pieces.len() && missed == at);
        if !in_place {
            return None;
        }
        let word = question.spelling.squashed.get(question.items[missed].range.clone())?;
        let meant = self.dictionary.word(pieces[at]);
        // Texts are counted by stems: of one stem with the right word, the wrong one has no count of its own.
        let rarer = || (scope.in_texts)(word) * CORRECTION_TIMES <= (scope.in_texts)(meant);
        (mistyped(word, meant) && ((scope.same_stem)(word, meant) || rarer())).then_some(at)
    }

    /// True when a longer question has the whole name in it, and the name says something.
    fn mentioned(&self, question: &Question, entry: &NameEntry, scope: &Scope<'_>) -> bool {
        let (pieces, _) = self.pieces(entry);
        let core = &pieces[entry.lead as usize..(entry.lead + entry.core_pieces) as usize];
        // A completion is no mention; a correction is one within a name of several pieces.
        let sure_enough = |sure: f32| sure >= 0.9 || (core.len() > 1 && (sure - CORRECTED_ONCE).abs() < 0.01);
        let stands =
            |item: &Item, piece: u32| item.alternatives.iter().any(|(term, sure)| *term == piece && sure_enough(*sure));
        let Some(start) = question
            .items
            .windows(core.len())
            .position(|items| items.iter().zip(core).all(|(item, piece)| stands(item, *piece)))
        else {
            return false;
        };
        let items = &question.items[start..start + core.len()];
        let share = items.iter().filter(|item| item.content).map(|item| item.idf).sum::<f32>()
            / question.named_weight.max(0.01);
        if let ([item], [piece]) = (items, core) {
            // One word is a name only where it is no ordinary word.
            let rare = (scope.in_texts)(self.dictionary.word(*piece)) <= (self.items / 100).max(1);
            return question.contents <= 2 && item.content && !item.number && rare;
        }
        let least = if items.iter().any(|item| item.number) { MENTION_MIN } else { WORDY_MENTION_MIN };
        items.iter().any(|item| item.content && !item.number) && share >= least
    }
}

/// How query and name cover each other.
#[derive(Debug, Default)]
struct Cover {
    /// Covered share of the query, 0 to 1, by weight.
    share: f32,
    /// Every content piece of the query is in the name.
    complete: bool,
    fuzzy: bool,
    missing_numbers: usize,
    /// Some content piece of the query is in the name by more than a completion.
    sure: bool,
    /// Question words that the name has too, and that it has not.
    small_words: usize,
    small_words_missed: usize,
    /// Pieces that are glued together in the query and apart in the name.
    torn: u32,
    spare_words: usize,
    spare_numbers: usize,
    spare_around: usize,
}

impl Cover {
    /// The query calls the name. Who asks a question is no longer typing a name: there a completion alone does not call.
    const fn calls(&self) -> bool {
        self.complete && (self.sure || self.small_words_missed == 0)
    }
}

/// A name of the same core, of another provider or none: good where the core says most of what is asked, little where it is `mcp`.
fn score_of_core(question: &Question, name: &str, core: &str) -> f32 {
    let (asked, asked_core) = (question.spelling.squashed.as_str(), question.spelling.core_text());
    let asked_provider = before_core(asked, asked_core);
    let within = |item: &&Item| item.content && item.range.start >= asked_provider.len();
    let share = question.items.iter().filter(within).map(|item| item.idf).sum::<f32>() / question.weight.max(0.01);
    1.2 + 0.3 * share.min(1.0) + SAME_PROVIDER * alike(asked_provider, before_core(name, core))
}

/// What stands before the core of a name.
fn before_core<'a>(name: &'a str, core: &str) -> &'a str {
    &name[..core.as_ptr() as usize - name.as_ptr() as usize]
}

/// How much alike two providers are, 0 to 1; 0 where there is none.
fn alike(asked: &str, provider: &str) -> f32 {
    if mistyped(asked, provider) { 1.0 } else { dice(&trigrams(asked), &trigrams(provider)) }
}

/// A name without provider and date.
fn core_of<'a>(entry: &NameEntry, name: &'a str) -> &'a str {
    let (start, length) = entry.core_bytes();
    &name[start..start + length]
}

/// A name that goes on after the query: best at a separator, less within a word or a number.
fn score_of_beginning(question: &Question, entry: &NameEntry, name: &str) -> f32 {
    let asked = question.spelling.squashed.as_str();
    let mut score = 1.3 - 0.005 * f32::from(entry.pieces);
    score -= 0.03 * different_breaks(question.breaks, entry.breaks, asked.len());
    let next = name[asked.len()..].chars().next();
    let last = asked.chars().next_back();
    let here = if asked.len() < 32 { entry.breaks >> asked.len() } else { 0 };
    let (border, dot) = (here & 1 == 1, here >> 32 & 1 == 1);
    if let Some(separator) = question.unfinished {
        score -= if !border {
            0.3
        } else if dot == (separator == '.') {
            0.0
        } else {
            0.1
        };
    } else if border {
        score += 0.05;
    } else if let (Some(next), Some(last)) = (next, last)
        && next.is_ascii_digit() == last.is_ascii_digit()
    {
        // `mini` is found in `o3-mini` rather than in `minimax`, when `mini` is a word of names.
        let known =
            matches!(question.items.as_slice(), [item] if item.alternatives.first().is_some_and(|a| a.1 >= 1.0));
        score -= if last.is_ascii_digit() {
            0.1
        } else if known {
            0.35
        } else {
            0.0
        };
    }
    score
}

fn score_of_cover(question: &Question, entry: &NameEntry, name: &str, cover: &Cover) -> f32 {
    let asked = question.spelling.squashed.as_str();
    let mut score = cover.share + 0.02 * cover.small_words as f32;
    if cover.complete && cover.spare_words + cover.spare_numbers == 0 {
        // A small word that the name lacks may be the beginning of its next word: names that go on so come before.
        score += if cover.small_words_missed == 0 { 0.35 } else { 0.2 };
    } else if name.ends_with(asked) {
        let start = name.len() - asked.len();
        score += if start < 32 && entry.breaks >> start & 1 == 1 { 0.13 } else { 0.1 };
    }
    score -= 0.3 * cover.torn as f32;
    if cover.fuzzy {
        let alike = dice(&question.trigrams, &trigrams(name));
        score += 0.6 * (alike - NEAR_MIN).max(0.0);
    }
    score -= 0.03 * cover.spare_words as f32 + 0.06 * cover.spare_numbers as f32 + 0.01 * cover.spare_around as f32;
    score - 0.5 * cover.missing_numbers as f32
}

/// Separators that only one of two spellings has within the first bytes; a dot for another separator counts a third.
fn different_breaks(a: u64, b: u64, bytes: usize) -> f32 {
    let within = if bytes >= 32 { u32::MAX } else { (1 << bytes) - 1 };
    let differing = |shift: u32| (((a ^ b) >> shift) as u32 & within).count_ones() as f32;
    differing(0) + differing(32) / 3.0
}

/// The field of a name.
pub(super) fn field(kind: NameKind) -> MatchField {
    match kind {
        NameKind::Id => MatchField::Id,
        NameKind::Name => MatchField::Name,
        NameKind::Alias => MatchField::Alias,
    }
}
