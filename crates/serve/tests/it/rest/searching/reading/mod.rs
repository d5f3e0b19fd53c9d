//! How questions are read as filters, orders and names.

mod bounds_and_days;
mod comparing;
mod everyday;
mod grammar;
mod languages;
pub mod named_things;
mod numbers;
mod phrasing;
mod quantities;
pub mod questions;
pub mod understanding;
mod values;
pub mod wording;
