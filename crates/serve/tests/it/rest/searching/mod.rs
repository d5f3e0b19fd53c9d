//! Search and routing.

mod as_typed;
mod asked_in_short;
mod asked_otherwise;
mod careful;
mod frameworks;
mod hanging_together;
mod hybrid;
mod passages;
mod reading;
mod resolving;
mod search;
mod totals;
