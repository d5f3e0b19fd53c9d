//! Caches of finished answers: details ready to send, compressed bodies, and rendered texts. Each has a bound in bytes.

mod detail;
mod encoded;
mod rendered_text;

use std::sync::OnceLock;

use bytes::Bytes;

use crate::settings::Settings;

pub(crate) use detail::{CachedDetail, DetailCache};
pub(crate) use encoded::EncodedBodyCache;
pub(crate) use rendered_text::{Heading, RenderedText, RenderedTextCache, RenderedTextKey};

/// The caches that are not of one generation: rendered texts outlive generations, compressed bodies are dropped when one is published. Details
/// belong to their [`Generation`](super::generation::Generation).
#[derive(Debug)]
pub(crate) struct Caches {
    pub(crate) encoded_bodies: EncodedBodyCache,
    pub(crate) texts: RenderedTextCache,
    /// The OpenAPI document: rendered once, because anyone may ask for it without being counted.
    pub(crate) openapi_json: OnceLock<Bytes>,
    /// The same document as an HTML page.
    pub(crate) openapi_page: OnceLock<String>,
}

impl Caches {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            encoded_bodies: EncodedBodyCache::new(settings.encoded_cache_bytes),
            texts: RenderedTextCache::new(settings.page_cache_bytes),
            openapi_json: OnceLock::new(),
            openapi_page: OnceLock::new(),
        }
    }
}
