//! The word lists that come with the program, as texts. The head of each file explains its format.

/// Classes of words and phrases that mean the same.
pub(crate) const THESAURUS: &str = include_str!("data/concepts.txt");
/// English words for those of other languages.
pub(crate) const LEXICON: &str = include_str!("data/lexicon.txt");
pub(crate) const STOP_WORDS: &str = include_str!("data/stop_words.txt");
/// Stop words of other languages.
pub(crate) const FOREIGN_STOP_WORDS: &str = include_str!("data/foreign_stop_words.txt");
/// Short requests of the kind that cards answer.
pub(crate) const IN_DOMAIN: &str = include_str!("data/in_domain.txt");
/// Everyday requests that no card answers.
pub(crate) const OUT_OF_DOMAIN: &str = include_str!("data/out_of_domain.txt");
/// Requests that ask for what the card does that they name; `NAME` stands for the name of any card.
pub(crate) const NAMING_IN_DOMAIN: &str = include_str!("data/naming_in_domain.txt");
/// Requests that ask for something else with the name of a card.
pub(crate) const NAMING_OUT_OF_DOMAIN: &str = include_str!("data/naming_out_of_domain.txt");

/// All of them: what a router is trained with beside its cards.
pub(crate) const ALL: [&str; 8] = [
    THESAURUS,
    LEXICON,
    STOP_WORDS,
    FOREIGN_STOP_WORDS,
    IN_DOMAIN,
    OUT_OF_DOMAIN,
    NAMING_IN_DOMAIN,
    NAMING_OUT_OF_DOMAIN,
];
