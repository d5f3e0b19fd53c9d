//! Where and how requests are counted together, and what is wrong with such settings.

use std::time::Duration;

/// Longest name of a deployment.
const DEPLOYMENT_CHARS_MAX: usize = 64;

refdesk_core::closed_set! {
    /// What becomes of requests while Redis does not answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum OnFailure {
        /// Each node counts by itself: at most the number of nodes times the limit.
        #[default]
        Local => "local",
        /// All are let through.
        Open => "open",
        /// All that count are refused with a 429.
        Closed => "closed",
    }
}

/// Where and how requests are counted together.
#[derive(Clone)]
pub struct SharedRates {
    /// `redis://…`, `rediss://…` or `unix://…`, with the password if there is one.
    pub url: String,
    /// Name of the deployment: nodes with one name count together.
    pub deployment: String,
    /// Longest wait for one decision.
    pub timeout: Duration,
    /// What becomes of requests while Redis does not answer.
    pub on_failure: OnFailure,
    /// Most callers that are remembered in this process.
    pub callers_max: usize,
}

/// Settings that no counter can be made of. None repeats the URL, which may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SharedRatesError {
    /// Not a URL of Redis.
    #[error(
        "redis_url is not a URL of a Redis or Valkey server; write it as redis://:PASSWORD@host:6379/0, or rediss:// with TLS"
    )]
    Url,
    /// Several deployments on one Redis would count together.
    #[error(
        "redis_url is set, so deployment must name this deployment with 1 to 64 of the characters A-Z a-z 0-9 . _ -: deployments with one \
         name count together. Set deployment, or REFDESK_DEPLOYMENT, to the same name on all nodes"
    )]
    Deployment,
}

impl SharedRates {
    /// Checks them without a connection.
    ///
    /// # Errors
    /// What is wrong with the URL or the name of the deployment.
    pub fn check(&self) -> Result<(), SharedRatesError> {
        self.client().map(|_| ())
    }

    pub(super) fn client(&self) -> Result<redis::Client, SharedRatesError> {
        let client = redis::Client::open(self.url.as_str()).map_err(|_| SharedRatesError::Url)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let has_length = (1..=DEPLOYMENT_CHARS_MAX).contains(&self.deployment.len());
        if has_length && self.deployment.bytes().all(is_plain) { Ok(client) } else { Err(SharedRatesError::Deployment) }
    }
}
