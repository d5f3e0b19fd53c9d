//! Lists of models with their limits and prices.

pub mod huggingface;
pub mod litellm;
pub mod llm_prices;
pub mod models_dev;
pub mod openrouter;
