//! Search and routing.

mod frameworks;
mod grammar;
mod hybrid;
mod languages;
mod named_things;
mod numbers;
mod passages;
mod questions;
mod search;
mod understanding;
mod wording;
