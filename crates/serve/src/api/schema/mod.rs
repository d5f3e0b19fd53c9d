//! Shapes of requests and answers, for the OpenAPI document: answers are written as bytes by `refdesk_catalog::answer`, and a test
//! compares these shapes with real answers. Pages read counts of facets by theirs.

#![expect(
    missing_docs,
    reason = "each field is described by its name in docs/api.md; a description stands where that is not enough"
)]

mod errors;
mod evidence;
mod frameworks;
mod kinds;
mod questions;
mod search;

pub use errors::{CommonErrors, ProblemDocument};
pub use evidence::{Conflict, Evidence, FieldEvidence};
pub use frameworks::*;
pub use kinds::*;
pub use questions::*;
pub use search::{ChosenHits, Matched, SearchAnswer, SearchHit};
