//! Text analysis for the router: tokens, language identification, word-by-word translation, concepts, spelling correction.

pub(crate) mod concepts;
mod lexicon;
pub(crate) mod spelling;
mod stop_words;
mod token;
mod tokenize;

pub(crate) use stop_words::is_stop_word;
pub(crate) use token::{Token, fold};
pub(crate) use tokenize::{TokenizedText, tokenize};
