//! Meaning over a catalog: which texts stand for an item ([`passages`](mod@passages)), and which items and cards are near a question.
//! Vectors are the work of `refdesk-embed`; fusing them with the text channel is that of `refdesk-search`.

mod near;
mod passages;

pub use near::{card_likenesses, item_similarities};
pub use passages::{Passage, passages};
