//! Commands that ask: what they print, and what a terminal shows.

mod bridge;
mod commands;
mod figures;
mod help;
mod imports;
mod mcp_stdio;
mod mistyped;
mod next_steps;
mod refusals;
mod shown_questions;
mod terminal;
