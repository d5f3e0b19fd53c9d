//! A name of a card, its mention in a question, and the words around one that add nothing to it.

use refdesk_search::text::word_array;
use serde::{Deserialize, Serialize};

use crate::text::{Token, TokenizedText};

/// A mention of a card's name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NameMention {
    /// Position of the card.
    pub card: u32,
    /// 1 for a clear mention, less if it may be an ordinary word, negative if rejected.
    pub strength: f32,
    /// First token.
    pub from: usize,
    /// Token after the last.
    pub to: usize,
    /// Of a name of several words, each of which is an everyday one: `game day`, `the outside view`.
    pub everyday: bool,
}

/// A name of a card.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Name {
    /// Its words.
    pub(super) stems: Vec<String>,
    /// Position of the card.
    pub(super) card: u32,
    /// An ordinary word as well.
    pub(super) ordinary: bool,
    /// Several words, each of which is an everyday one.
    pub(super) everyday: bool,
    /// As written, for names in capitals.
    pub(super) written: String,
}

/// Words that make an ordinary word beside them the name of a method, as the stemmer leaves them.
pub(super) const METHOD_WORDS: [&str; 28] = word_array(
    "method framework analysi model matrix technique techniqu score prompt approach canva diagram goal principl theori process map \
     tree workshop session exercis format board cycl loop acronym templat criteria",
);
/// The same in the languages that questions come in, where they differ and are no English words: `SWOT-Analyse`, `matriz de Eisenhower`.
/// They make no ordinary word a name.
const FOREIGN_METHOD_WORDS: [&str; 30] = word_array(
    "analys analis analisi matriz matric diagramm diagrama diagrammi prinzip princip principio metodo modelo modello technik tecnica \
     teoria ziel objectif objetivo obiettivi zyklus ciclo mapa mappa regel regla proceso processo prozess",
);

/// What a method is done with or written on. They make no ordinary word a name, and none of so few letters: a `cap table` is another thing.
const FORMS: [&str; 11] =
    word_array("chart grid tabl workflow meet agenda worksheet spreadsheet sheet checklist poster");
/// One-word names of so few letters are many other things as well.
pub(super) const SHORT_NAME_LETTERS_MAX: usize = 3;

/// Whether a mention names its card beyond doubt, and does not reject it: words of every day can stand together by chance.
pub(crate) fn is_clear(mention: &NameMention) -> bool {
    mention.strength >= 1.0 && !mention.everyday
}

/// Whether a mention is all that a question says: `do a premortem`, `SWOT analysis`, `RACI chart`.
pub(crate) fn is_all_of(mention: &NameMention, text: &TokenizedText) -> bool {
    is_all_names(std::slice::from_ref(mention), text)
}

/// Whether the names that mentions say are all that a question says, but for a word between two of them: `premortem vs red team`.
pub(crate) fn is_all_names(mentions: &[NameMention], text: &TokenizedText) -> bool {
    let named: Vec<NameMention> = mentions.iter().filter(|mention| mention.strength >= 1.0).copied().collect();
    let beside = words_beside(&named, text);
    let is_between =
        |at: &usize| named.iter().any(|mention| mention.to <= *at) && named.iter().any(|mention| *at < mention.from);
    beside.len() < named.len() && beside.iter().all(is_between)
}

/// Whether a mention is most of what a question says: `SWOT analysis for my bakery`, `let's do five whys about the outage`.
pub(crate) fn is_most_of(mention: &NameMention, text: &TokenizedText) -> bool {
    let beside = words_beside(std::slice::from_ref(mention), text);
    mention.strength >= 1.0 && beside.len() <= mention.to - mention.from
}

/// The words that a question has beside names and that say more than what every method is done with.
fn words_beside(named: &[NameMention], text: &TokenizedText) -> Vec<usize> {
    let is_within = |at: usize| named.iter().any(|mention| (mention.from..mention.to).contains(&at));
    let is_long = |(at, token): (usize, &Token)| is_within(at) && token.folded.len() > SHORT_NAME_LETTERS_MAX;
    let has_forms = text.tokens.iter().enumerate().any(is_long);
    let says_more = |(at, token): &(usize, &Token)| {
        let is_form = has_forms && FORMS.contains(&token.stem.as_str());
        !is_within(*at) && !token.stop && !is_form && !is_method_word(token)
    };
    text.tokens.iter().enumerate().filter(says_more).map(|(at, _)| at).collect()
}

/// Whether a word says that something is a method and not which: `analysis`, `Diagramm`.
pub(super) fn is_method_word(token: &Token) -> bool {
    METHOD_WORDS.contains(&token.stem.as_str()) || FOREIGN_METHOD_WORDS.contains(&token.stem.as_str())
}
