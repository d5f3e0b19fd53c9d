//! How questions name values, makers, lines of models, packages and addresses that the catalog has.

mod addressed;
mod alternatives;
mod asking;
mod denials;
mod labels;
mod lines;
mod makers;
