//! Working frameworks: methods, mental models, prompt patterns.

pub mod framework_source;
pub mod mental_models;
pub mod methods_csv;
pub mod patterns_repo;
