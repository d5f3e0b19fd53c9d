//! Text analysis, shared by documents, queries and snippets: tokenising, folding, stemming, stop words and highlighting; and lists of words.
//!
//! The same analyzer runs at index and at query time, so a word matches itself wherever it came from. Names are normalised
//! differently, see `names::spelling`. Start at [`tokenize`](self::tokenize::tokenize).

mod american;
mod fold;
pub(crate) mod highlight;
mod lists;
pub(crate) mod passages;
mod prefix_filter;
mod query_words;
mod stem;
mod stop_words;
mod tokenize;

pub use fold::{fold, folded};
pub use lists::WordSet;
pub use query_words::is_language;
pub(crate) use query_words::{WORDS_MAX, query_words};
pub use refdesk_core::text::word_array;
pub use stem::Stemmers;
pub use stop_words::is_stop_word;
pub(crate) use tokenize::tokenize;
