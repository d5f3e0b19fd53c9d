//! How questions are read as filters, orders and names.

mod grammar;
mod languages;
mod named_things;
mod numbers;
pub mod questions;
mod understanding;
mod wording;
