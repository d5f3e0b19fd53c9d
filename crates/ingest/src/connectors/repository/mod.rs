//! What items of public repositories have in common: addresses at code hosts, public hosts, licences, secrets that must not be shown.

pub mod code_host;
pub mod license;
pub mod literal_secret;
pub mod public_host;
pub mod public_url;
pub mod redact;
pub mod repo;
pub mod shown_secrets;
