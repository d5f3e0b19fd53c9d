//! The entity-name index: known-item search over ids, names and aliases in every spelling.
//!
//! A name is normalised ([`spelling`]) and indexed by its tokens, its versions and character trigrams ([`builder`], [`index`]). A query
//! is parsed as a name ([`query_parser`]) against the merged terms of all segments ([`terms`]), candidates are looked up in each segment
//! ([`query`]), and each is scored, or rejected, on its own ([`scorer`], by how query and name cover each other: [`coverage`]).
//! Names that only look like a query are found by their [`trigrams`].

mod builder;
mod coverage;
mod entry;
mod hit;
mod index;
mod query;
mod query_parser;
mod scorer;
mod spelling;
mod terms;
mod trigrams;

pub(super) use builder::NameIndexBuilder;
pub(super) use hit::{NameHit, NameScope};
pub(super) use index::NameIndex;
pub(super) use query::{CANDIDATES, SORTED_MAX, SimilarName};
pub(super) use query_parser::NameQuery;
pub(super) use scorer::PrefixRank;
pub use spelling::NormalForm;
pub(super) use spelling::NormalisedName;
pub(super) use terms::{NameTerms, TrigramQuery};
