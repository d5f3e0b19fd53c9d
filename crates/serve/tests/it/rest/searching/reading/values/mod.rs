//! How questions name values, makers, packages and addresses that the catalog has.

mod addressed;
mod alternatives;
mod asking;
mod denials;
mod labels;
mod makers;
