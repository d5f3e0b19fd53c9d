//! A secret of the environment in a request header: `token_env` of a source, or the key that a connector asks for.

use refdesk_core::text::word_array;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use url::Url;

use super::error::{FetchCode, FetchError};

/// Fewest characters of what is taken for a token and not for the name of a variable.
const PASTED_CHARS_MIN: usize = 20;

/// Headers that say what the request is, and are no place for a token.
const RESERVED_HEADERS: [&str; 18] = word_array(
    "accept accept-encoding connection content-length content-type expect host if-modified-since if-none-match \
     keep-alive proxy-authenticate proxy-authorization range te trailer transfer-encoding upgrade user-agent",
);

/// Where a token comes from, and how it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The environment variable that holds it.
    pub variable: String,
    /// The header that it goes into as it is; without one it is `Authorization: Bearer …`.
    pub header: Option<String>,
}

impl Token {
    /// Whether the variable has the form of a name.
    pub fn names_variable(&self) -> bool {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !self.variable.is_empty()
            && self.variable.chars().all(is_of_name)
            && !self.variable.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether the variable looks like a token that was pasted where its name belongs. Names of variables are in capitals, or short.
    pub fn looks_pasted(&self) -> bool {
        let has = |is_of_kind: fn(&char) -> bool| self.variable.chars().any(|c| is_of_kind(&c));
        self.variable.len() >= PASTED_CHARS_MIN && has(char::is_ascii_digit) && has(char::is_ascii_lowercase)
    }

    /// Whether the header has the form of a name.
    pub fn names_header(&self) -> bool {
        self.header.as_deref().is_none_or(|name| HeaderName::try_from(name).is_ok())
    }

    /// Whether the header is one that every request sets for itself, or that holds between two hops only (RFC 9110, section 7.6.1).
    pub fn names_reserved_header(&self) -> bool {
        let name = self.header.as_deref().unwrap_or_default();
        RESERVED_HEADERS.iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
    }

    /// Whether both go into the same header.
    pub(super) fn has_header_of(&self, other: &Self) -> bool {
        let name = |token: &Self| token.header.as_deref().map(str::to_ascii_lowercase);
        name(self) == name(other)
    }

    /// Whether the environment has it.
    pub fn is_set(&self) -> bool {
        self.value().is_some()
    }

    fn value(&self) -> Option<String> {
        std::env::var(&self.variable).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    pub(super) fn request_header(&self, url: &Url) -> Result<(HeaderName, HeaderValue), FetchError> {
        let failed = |reason: String| FetchError::new(FetchCode::Request, url, reason);
        let (name, of_what) = match &self.header {
            Some(name) => {
                let known = HeaderName::try_from(name.as_str());
                (known.map_err(|_| failed(format!("`{name}` is not a header name")))?, name.as_str())
            }
            None => (AUTHORIZATION, "token"),
        };
        let value = self.value().ok_or_else(|| {
            failed(format!(
                "the environment variable {} is not set; it holds the {of_what} of this source",
                self.variable
            ))
        })?;
        let sent = if self.header.is_some() { value } else { format!("Bearer {value}") };
        let mut value = HeaderValue::try_from(sent)
            .map_err(|_| failed(format!("the value of {} cannot stand in a header", self.variable)))?;
        value.set_sensitive(true);
        Ok((name, value))
    }
}
