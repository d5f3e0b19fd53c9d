//! The cards as the router sees them: their lines by field, the index over those, and mentions of their names.

pub(crate) mod fields;
pub(crate) mod index;
mod mention;
pub(crate) mod names;
mod near_name;
pub(crate) mod postings;
mod ridge_similarity;
