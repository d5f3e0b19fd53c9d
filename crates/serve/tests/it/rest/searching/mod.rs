//! Search and routing.

mod frameworks;
mod hybrid;
mod passages;
mod reading;
mod resolving;
mod search;
