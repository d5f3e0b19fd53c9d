//! The level of a model's prices: what a pending price is judged by.
