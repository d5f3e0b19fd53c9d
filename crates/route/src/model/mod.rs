//! The ranking model: a linear combination of features, then logistic models for the decision and its confidence.

pub(crate) mod decision;
pub(crate) mod features;
pub(crate) mod in_domain;
pub(crate) mod independence;
pub(crate) mod logistic_regression;
