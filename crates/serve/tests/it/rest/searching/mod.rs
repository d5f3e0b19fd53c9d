//! Search and routing.

mod frameworks;
mod grammar;
mod hybrid;
mod passages;
mod questions;
mod search;
mod understanding;
