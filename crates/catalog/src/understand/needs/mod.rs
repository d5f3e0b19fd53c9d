//! Needs: what is to be done, said in a sentence, and what the field calls it.

mod need;
mod synonyms;
mod title;

pub use need::{GAINS, deed, is_topic, need};
pub use synonyms::expansions;
pub use title::{title, way};
