//! The cards as the router sees them: their lines by field, the index over those, and mentions of their names.

pub(crate) mod fields;
pub(crate) mod index;
pub(crate) mod names;
pub(crate) mod postings;
mod ridge_similarity;
