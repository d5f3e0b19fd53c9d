//! Search and routing.

mod frameworks;
mod hybrid;
mod passages;
mod questions;
mod search;
mod understanding;
