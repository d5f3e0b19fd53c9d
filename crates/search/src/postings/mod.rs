//! The inverted index: term dictionary, posting blocks with impacts, and block-max top-k evaluation.
//!
//! The full-text index and the entity-name index are both built on it. What it scores are *documents*: an item, one of its passages,
//! or a name. Each has a *parent*, the ordinal of its item; doc ids are assigned by [`doc_layout`]. Read on at [`inverted_index`],
//! then [`top_k`].

pub(super) mod bitmap;
pub(super) mod dictionary;
pub(super) mod doc_layout;
pub(super) mod doc_terms;
pub(super) mod edit_distance;
pub(super) mod field_masks;
pub(super) mod interner;
pub(super) mod inverted_index;
pub(super) mod posting;
pub(super) mod sparse_index;
pub(super) mod term_map;
pub(super) mod top_k;
