//! Questions about things that they name: one thing, things side by side, what came after one, what there is beside one.

pub mod about;
pub mod alternatives;
pub mod asked;
pub mod beyond;
pub mod called;
mod comparative;
pub mod comparison;
pub mod dated;
mod factor;
pub mod line;
pub mod package;
mod relation;
pub mod successor;

pub use comparative::{Comparative, Strictness, with_number};
pub use relation::{GONE, Relation};
