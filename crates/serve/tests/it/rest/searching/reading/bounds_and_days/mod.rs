//! Limits, days, orders and comparisons that other words stand between or in front of.

mod bounds;
mod orders;
mod periods;
mod relations;
mod sums;
