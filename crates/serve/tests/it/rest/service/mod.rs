//! What holds for every request: errors, headers, keys, limits, health.

mod errors;
mod health;
mod http_manners;
mod keys_and_limits;
