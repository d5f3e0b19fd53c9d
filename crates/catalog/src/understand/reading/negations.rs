//! What turns the meaning of the words behind it: `no`, `don't`, `other than`, and what may stand between it and what it negates. What is
//! negated and no filter says is taken out of the words to search for in [`super::super::exceptions`].

use super::Reading;
use crate::understand::words::{Word, Words as _, is_participle};
use refdesk_search::text::{WordSet, word_array};

/// Words that turn the meaning of the next ones …
const NEGATIONS: [&str; 12] =
    ["no", "without", "non", "except", "excluding", "exclude", "minus", "neither", "nor", "lack", "lacks", "lacking"];
/// … and of a verb, `not under $5`, beside contractions.
const OF_VERBS: [&str; 3] = ["not", "never", "cannot"];
/// What auxiliaries are contracted to in front of these endings: `don't cost more than $2`. What needn't be may be.
const CONTRACTED: [&str; 19] =
    word_array("do does did ca could wo would sha should must might is are was were ai has have had");
/// Those of them that say what something is.
const OF_BEING: [&str; 5] = ["is", "are", "was", "were", "ai"];
const ENDINGS: [&str; 3] = ["n't", "n’t", "nt"];
/// Most words that negate what stands behind them: `except those made by`.
const NEGATION_WORDS_MAX: usize = 5;
/// Words of a part of a list: `audio input, tool calling or vision`.
const LISTED_WORDS_MAX: usize = 3;
/// What is left out is named behind the second of these: `other than postgres`.
const OTHER: [&str; 2] = ["other", "rather"];
/// Whoever there is, before a `but` that leaves some out.
const ANY: [&str; 7] = ["anything", "anyone", "anybody", "all", "everything", "everyone", "any"];
/// Words that may stand between a negation and what it negates.
pub const BETWEEN: [&str; 58] = word_array(
    "made built published developed trained created released sold hosted models anything any a an need needing require \
     requiring from by for the of support supporting have having has had offer with accept those these ones that is are was were called \
     named about using use do be been being get gets provide include come on over via through",
);
/// Verbs that only hold a question together once a filter or an order of it was understood: `servers that I can install with npm`.
pub static VERBS: WordSet = WordSet::new(
    "charge charges charging using use used uses install installs installed installing supported requiring required \
     require requires needing having run runs running do does doing work works working come comes came let lets \
     sold offered trained talk talks talking speak speaks speaking communicate communicates \
     allow allows allowed published introduced unveiled revealed debuted packaged distributed provide provides make makes made handle \
     handles take takes taking",
);
/// Prepositions behind a verb that a negation turns, in front of what it negates: `don't run on azure`, `not written by anthropic`.
const BEHIND_VERB: [&str; 10] = ["on", "in", "at", "via", "through", "with", "by", "from", "for", "as"];
/// How something is not so, or how it is not there: `don't currently support`, `not yet deprecated`, `not available as open weights`.
const HOW: [&str; 14] = word_array(
    "currently yet really actually already officially natively fully available provided distributed able capable as",
);
/// The same behind a verb: `don't show me`, `without paying`.
const TOLD: [&str; 8] = ["want", "show", "me", "list", "see", "give", "paying", "spending"];
/// What tells somebody what to do without, at the beginning or behind the word for the kind: `skip preview models`, `models ignoring qwen`.
const OMITTING: [&str; 9] = ["skip", "hide", "ignore", "avoid", "omit", "skipping", "ignoring", "avoiding", "omitting"];

/// Whether a folded word turns the meaning of the next ones.
pub fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || negates_verb(word)
}

/// Whether a folded word turns the meaning of a verb: `not`, `don't`, `havent`.
pub fn negates_verb(word: &str) -> bool {
    OF_VERBS.contains(&word) || contracted(word).is_some()
}

/// Whether a folded word says of something what it is not: `isn't`, `weren't`.
pub fn negates_being(word: &str) -> bool {
    contracted(word).is_some_and(|auxiliary| OF_BEING.contains(&auxiliary))
}

/// What stands before the ending of a contraction with `not`: `ca` of `can't`.
fn contracted(word: &str) -> Option<&str> {
    let auxiliary = ENDINGS.into_iter().find_map(|ending| word.strip_suffix(ending))?;
    CONTRACTED.contains(&auxiliary).then_some(auxiliary)
}

impl Reading<'_> {
    /// Whether the word at a position turns the meaning of the next ones.
    pub fn negates(&self, at: usize) -> bool {
        let begins = || at == 0 || self.words[at - 1].ends_clause || self.is(at - 1, &["please", "but"]);
        let is_told = || self.head_end.is_some_and(|end| end == at || begins()) && self.is(at, &OMITTING);
        // `models missing tool support`; elsewhere it says what is looked for.
        let is_missing = || self.head_end == Some(at) && self.is(at, &["missing"]);
        let is_said = |word: &Word<'_>| {
            !word.used && (is_negation(&word.folded) || is_told() || is_missing() || self.is_outside(at))
        };
        self.words.get(at).is_some_and(is_said)
    }

    /// Whether a word at a position leaves out whom it is followed by: `models outside of OpenAI`. Elsewhere it says where something is.
    fn is_outside(&self, at: usize) -> bool {
        let behind_kind = || at.saturating_sub(usize::from(self.is_behind(at, &["from"])));
        self.is(at, &["outside"]) && self.head_end == Some(behind_kind())
    }

    /// Whether an unused word at a position turns the meaning of a verb.
    pub fn denies(&self, at: usize) -> bool {
        self.word(at).is_some_and(negates_verb)
    }

    /// Notes where a phrase ends that so many words negated: what is joined to it is negated, too.
    pub fn note_negated(&mut self, negation: usize, end: usize) {
        if negation > 0 {
            self.negated_end = Some(end);
        }
    }

    /// The same where a name stands, of which `and` joins others as well: `excluding qwen and deepseek`.
    pub fn negation_before_name(&self, at: usize) -> usize {
        match self.negation_before(at) {
            0 => self.joined_to_negated(at, &["and", "&"]),
            negation => negation,
        }
    }

    /// How many words in front of a position negate what stands there: `no`, `not from`, `without any`.
    pub fn negation_before(&self, at: usize) -> usize {
        for length in 1..=NEGATION_WORDS_MAX {
            let Some(first) = at.checked_sub(length) else { break };
            let is_of_verb = self.denies(first) && !self.is_of_asker(first);
            let is_between = |at: usize| self.is_between(at) || is_of_verb && self.is_done_somehow(at);
            if self.negates(first) && (first + 1..at).all(is_between) {
                return length;
            }
        }
        // `other than OpenAI`, `anyone but Google`, `other than those from Google`
        for length in 2..=NEGATION_WORDS_MAX {
            let Some(first) = at.checked_sub(length) else { break };
            if self.is_excepting_pair(first) && (first + 2..at).all(|between| self.is(between, &BETWEEN)) {
                return length;
            }
        }
        // `without vision, audio or tools`; behind a comma alone another condition begins: `no reasoning, tool calling`.
        match self.joined_to_negated(at, &["or", "nor"]) {
            1 if !self.is_listed_with(at, &["or", "nor"]) => 0,
            joined => joined,
        }
    }

    /// Whether one of some words comes before the list ends of which what stands at a position is a part.
    fn is_listed_with(&self, at: usize, joining: &[&str]) -> bool {
        let mut part_words = 0;
        for next in at..self.words.len() {
            if next > at && self.is(next, joining) {
                return true;
            }
            part_words = if self.words[next].ends_clause { 0 } else { part_words + 1 };
            if part_words > LISTED_WORDS_MAX {
                return false;
            }
        }
        false
    }

    /// Whether a word may stand between a negation and what it negates; one that says whose that is may, too, and one for the kind:
    /// `not from china's alibaba`, `exclude models under $1`.
    pub fn is_between(&self, at: usize) -> bool {
        let is_of_whom = |word: &Word<'_>| !word.used && word.is_possessive();
        let is_of_kind = |word: &Word<'_>| word.used && self.head_end.is_some_and(|end| at < end);
        let is_said = |word: &Word<'_>| is_of_whom(word) || is_of_kind(word);
        self.is(at, &BETWEEN)
            || self.is(at, &TOLD)
            || self.is(at, &HOW) && !self.words[at].ends_clause
            || self.words.get(at).is_some_and(is_said)
    }

    /// Whether a negation of a verb says what who asks does not do, and not what cannot be done: `models I haven't tried from openai`.
    fn is_of_asker(&self, at: usize) -> bool {
        let is_asker = self.is_behind(at, &["i", "we"]);
        let may_do =
            |word: &str| word == "cannot" || contracted(word).is_some_and(|verb| ["ca", "could"].contains(&verb));
        is_asker && !self.word(at).is_some_and(may_do)
    }

    /// Whether a verb stands at a position with a preposition behind it: `run on`, `written by`. `no charge on groq` negates none.
    fn is_done_somehow(&self, at: usize) -> bool {
        let is_verb = |word: &str| VERBS.contains(word) || is_participle(word);
        self.word(at).is_some_and(is_verb) && !self.words[at].ends_clause && self.is(at + 1, &BEHIND_VERB)
    }

    /// Whether two words at a position leave out what they are followed by: `other than`, `anything but`, `instead of`.
    pub fn is_excepting_pair(&self, at: usize) -> bool {
        let is_pair = |first: &[&str], second: &[&str]| self.is(at, first) && self.is(at + 1, second);
        is_pair(&OTHER, &["than"]) || is_pair(&ANY, &["but", "except"]) || is_pair(&["instead"], &["of"])
    }

    /// How many words join what stands at a position to the negated phrase before it, counted from that one's last word.
    fn joined_to_negated(&self, at: usize, joining: &[&str]) -> usize {
        let Some(end) = self.negated_end.filter(|end| *end <= at) else { return 0 };
        let is_joined = at > end || self.words[end - 1].ends_clause;
        if is_joined && (end..at).all(|between| self.is(between, joining)) { at - end + 1 } else { 0 }
    }
}
