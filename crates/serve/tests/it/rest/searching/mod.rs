//! Search and routing.

mod frameworks;
mod grammar;
mod hybrid;
mod named_things;
mod passages;
mod questions;
mod resolving;
mod search;
mod understanding;
mod wording;
