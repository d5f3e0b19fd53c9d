//! One attempt: a request with its redirects, and the body streamed up to its cap.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{
    ACCEPT_ENCODING, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LINK,
    LOCATION, RETRY_AFTER,
};
use url::Url;

use super::error::{FetchCode, FetchError, classify};
use super::guard::{GuardedResolver, Permission};
use super::gzip::{self, Gunzip};
use super::settings::FetchSettings;
use super::{Deadline, FetchRequest, Fetched, Origin, Token, retry};
use crate::duration::Span;
use crate::memory_budget::{NoRoom, PIECE_BYTES, Room, Taken};

/// Longest header value that is kept as a validator.
const VALIDATOR_CHARS_MAX: usize = 1_024;
/// The codings that a body may come in.
const ENCODINGS: HeaderValue = HeaderValue::from_static("gzip, br, zstd");

/// A client whose every connection goes through the guard.
pub(super) fn client(settings: &FetchSettings, permission: &Permission) -> Result<reqwest::Client, reqwest::Error> {
    let builder = || {
        let builder = reqwest::Client::builder()
            .user_agent(&settings.user_agent)
            .connect_timeout(settings.connect_timeout)
            .read_timeout(settings.read_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            // Bodies of several members: see `gzip`.
            .no_gzip()
            .dns_resolver(GuardedResolver(Arc::new(permission.clone())));
        match &settings.proxy {
            Some(proxy) => reqwest::Proxy::all(proxy).map(|proxy| builder.no_proxy().proxy(proxy)),
            // A proxy of the environment would resolve the names out of the guard's sight.
            None => Ok(builder.no_proxy()),
        }
    };
    builder()?.build().or_else(|error| {
        // A machine without certificates can still fetch over loopback; https then fails with a clear TLS error.
        tracing::warn!(%error, "no certificates of the system can be used; install ca-certificates to fetch over https");
        builder()?.tls_certs_only([]).build()
    })
}

/// An attempt that failed, and how long the upstream asks to wait before the next.
pub(super) struct FailedAttempt {
    pub(super) error: FetchError,
    pub(super) retry_after: Option<Duration>,
}

impl From<FetchError> for FailedAttempt {
    fn from(error: FetchError) -> Self {
        Self { error, retry_after: None }
    }
}

/// Asks once, follows redirects, reads the body. `sent` counts the requests.
pub(super) async fn once(
    client: &reqwest::Client,
    settings: &FetchSettings,
    origin: &Origin,
    ask: &FetchRequest<'_>,
    sent: &mut u64,
) -> Result<Fetched, FailedAttempt> {
    let mut url = ask.url.clone();
    let deadline = Deadline::new(&origin.room, settings.total_timeout);
    for _ in 0..=settings.redirects_max {
        origin
            .permission
            .check(&url)
            .map_err(|blocked| FetchError::new(FetchCode::BlockedAddress, &url, blocked.to_string()))?;
        if url.scheme() == "http" && origin.url.scheme() == "https" {
            let reason = "leads from https to plain http, which is not followed";
            return Err(FetchError::new(FetchCode::Redirect, &url, reason).into());
        }
        let headers = request_headers(origin, ask, &url)?;
        *sent += 1;
        let asked = client.get(url.clone()).headers(headers).send();
        let response = deadline.within(asked).await.ok_or_else(|| overdue(settings, &url))?;
        let response = response.map_err(|error| classify(&error, &url))?;
        let status = response.status().as_u16();
        match status {
            200 => return Ok(read(response, settings, origin, &deadline, &url).await?),
            304 if ask.last.is_some() => return Ok(not_modified(&response, ask)),
            404 if ask.may_be_missing => return Ok(read(response, settings, origin, &deadline, &url).await?),
            301 | 302 | 303 | 307 | 308 => url = target(&response, &url)?,
            _ => return Err(refused(&response, &url)),
        }
    }
    let reason = format!("more than {} redirects", settings.redirects_max);
    Err(FetchError::new(FetchCode::Redirect, ask.url, reason).into())
}

fn request_headers(origin: &Origin, ask: &FetchRequest<'_>, url: &Url) -> Result<HeaderMap, FetchError> {
    let mut headers = HeaderMap::from_iter([(ACCEPT_ENCODING, ENCODINGS)]);
    // Secrets go to the source's own origin only, never where a redirect or a page leads.
    if url.origin() == origin.url.origin() {
        let own = origin.token.as_ref();
        let asked = ask.secret_headers.iter();
        let asked = asked.map(|(name, variable)| Token { variable: variable.clone(), header: Some(name.clone()) });
        // The operator's token takes the place of what the connector would look for.
        let asked = asked.filter(|token| own.is_none_or(|own| !own.has_header_of(token)));
        for token in asked.chain(own.cloned()) {
            let (name, value) = token.request_header(url)?;
            headers.insert(name, value);
        }
    }
    let validators = ask.last.into_iter().flat_map(|last| {
        [
            (IF_NONE_MATCH, last.etag.as_deref()),
            (IF_MODIFIED_SINCE, last.last_modified.as_deref().filter(|_| last.etag.is_none())),
        ]
    });
    for (name, value) in validators {
        if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
            headers.insert(name, value);
        }
    }
    Ok(headers)
}

fn target(response: &reqwest::Response, url: &Url) -> Result<Url, FetchError> {
    let wrong = |reason: &str| FetchError::new(FetchCode::Redirect, url, reason);
    let location = text_header(response, &LOCATION).ok_or_else(|| wrong("a redirect without a target"))?;
    let target = url.join(&location).map_err(|_| wrong("a redirect whose target is not a URL"))?;
    match target.scheme() {
        "https" => Ok(target),
        "http" if url.scheme() == "http" => Ok(target),
        "http" => Err(wrong("redirects from https to plain http, which is not followed")),
        _ => Err(wrong("redirects to something that is not a web address")),
    }
}

fn refused(response: &reqwest::Response, url: &Url) -> FailedAttempt {
    let status = response.status().as_u16();
    let hint = match status {
        401 | 403 => "; the source may need a key, or refuses this client",
        404 | 410 => "; check the url of the source",
        429 => "; the source asks for fewer requests",
        _ => "",
    };
    let mut error = FetchError::new(FetchCode::Status, url, format!("the upstream answered {status}{hint}"));
    error.status = Some(status);
    let answered_at = text_header(response, &reqwest::header::DATE).and_then(|date| retry::http_date_secs(&date));
    let now = answered_at.unwrap_or_else(|| jiff::Timestamp::now().as_second());
    let retry_after = text_header(response, &RETRY_AFTER).and_then(|header| retry::retry_after(&header, now));
    FailedAttempt { error, retry_after }
}

fn not_modified(response: &reqwest::Response, ask: &FetchRequest<'_>) -> Fetched {
    let last = ask.last;
    // The tag that was asked with is that of the bytes that are here. Another one would be of bytes that never came, and asking with it
    // would never bring them.
    let tag = last.and_then(|last| last.etag.clone());
    let date = text_header(response, &LAST_MODIFIED);
    Fetched {
        status: 304,
        body: Bytes::new(),
        content_hash: last.map(|last| last.content_hash.clone()).unwrap_or_default(),
        etag: tag.or_else(|| text_header(response, &ETAG)),
        last_modified: date.or_else(|| last.and_then(|last| last.last_modified.clone())),
        link: None,
        requests: 0,
    }
}

fn overdue(settings: &FetchSettings, url: &Url) -> FetchError {
    let reason = format!("the answer was not complete after {}", Span(settings.total_timeout));
    FetchError::new(FetchCode::Timeout, url, reason)
}

async fn read(
    mut response: reqwest::Response,
    settings: &FetchSettings,
    origin: &Origin,
    deadline: &Deadline<'_>,
    url: &Url,
) -> Result<Fetched, FetchError> {
    let bytes_max = settings.body_bytes_max.min(origin.body_bytes_max);
    let too_large = || {
        let bound = if bytes_max == settings.body_bytes_max { "body_bytes_max" } else { "the source's bound" };
        FetchError::new(FetchCode::TooLarge, url, format!("the body is larger than {bound} = {bytes_max} bytes"))
    };
    let status = response.status().as_u16();
    let (etag, last_modified) = (text_header(&response, &ETAG), text_header(&response, &LAST_MODIFIED));
    let link = text_header(&response, &LINK);
    // The length is that of the coded body, so it can only refuse early; the cap below counts decoded bytes.
    if response.content_length().is_some_and(|length| length > bytes_max) {
        return Err(too_large());
    }
    let full = |full: NoRoom| FetchError::new(FetchCode::TooLarge, url, full.to_string());
    let mut body = Segments::new(&origin.room);
    let mut taken = Taken::new(&origin.room);
    let garbled = |error: std::io::Error| {
        FetchError::new(FetchCode::Decode, url, format!("the body is incomplete or garbled: {error}"))
    };
    let mut gunzip = gzip::is_coded(response.headers()).then(Gunzip::default);
    let mut came: u64 = 0;
    loop {
        let chunk = deadline.within(response.chunk()).await.ok_or_else(|| overdue(settings, url))?;
        let chunk = chunk.map_err(|error| classify(&error, url))?;
        let is_end = chunk.is_none();
        let chunk = chunk.unwrap_or_default();
        came += chunk.len() as u64;
        let mut coded = &chunk[..];
        loop {
            let piece = match &mut gunzip {
                None => Cow::Borrowed(std::mem::take(&mut coded)),
                Some(gunzip) if is_end => Cow::Owned(std::mem::take(gunzip).finish().map_err(garbled)?),
                Some(gunzip) => Cow::Owned(gunzip.decode(&mut coded).map_err(garbled)?),
            };
            if came.max((body.bytes + piece.len()) as u64) > bytes_max {
                return Err(too_large());
            }
            taken.more(body.costs(piece.len()) as u64).await.map_err(full)?;
            body.push(&piece);
            if coded.is_empty() {
                break;
            }
            // A few bytes may stand for many.
            tokio::task::yield_now().await;
        }
        if is_end {
            break;
        }
    }
    // Segments and the whole are there at once for a moment.
    let mut whole = Taken::new(&origin.room);
    whole.more(body.bytes as u64).await.map_err(full)?;
    let body = body.whole();
    taken.keep();
    drop(whole);
    let content_hash = refdesk_core::hash::content_hash(&body);
    Ok(Fetched { status, body, content_hash, etag, last_modified, link, requests: 0 })
}

/// A body while it comes in. It is held in pieces that the room lends, because a block that grows is copied again and again.
struct Segments<'a> {
    room: &'a Room,
    pieces: Vec<Vec<u8>>,
    bytes: usize,
}

impl<'a> Segments<'a> {
    const fn new(room: &'a Room) -> Self {
        Self { room, pieces: Vec::new(), bytes: 0 }
    }

    /// How much memory it takes to hold so many bytes more.
    fn costs(&self, more: usize) -> usize {
        let free = self.pieces.last().map_or(0, |piece| PIECE_BYTES.saturating_sub(piece.len()));
        more.saturating_sub(free).div_ceil(PIECE_BYTES) * PIECE_BYTES
    }

    fn push(&mut self, mut chunk: &[u8]) {
        self.bytes += chunk.len();
        while !chunk.is_empty() {
            match self.pieces.last_mut().filter(|piece| piece.len() < PIECE_BYTES) {
                Some(piece) => {
                    let (now, later) = chunk.split_at(chunk.len().min(PIECE_BYTES - piece.len()));
                    piece.extend_from_slice(now);
                    chunk = later;
                }
                None => self.pieces.push(self.room.lend()),
            }
        }
    }

    /// The body in one block.
    fn whole(mut self) -> Bytes {
        let mut whole = Vec::with_capacity(self.bytes);
        for piece in std::mem::take(&mut self.pieces) {
            whole.extend_from_slice(&piece);
            self.room.give_back(piece);
        }
        Bytes::from(whole)
    }
}

impl Drop for Segments<'_> {
    fn drop(&mut self) {
        self.pieces.drain(..).for_each(|piece| self.room.give_back(piece));
    }
}

fn text_header(response: &reqwest::Response, name: &HeaderName) -> Option<String> {
    let value = response.headers().get(name)?.to_str().ok()?;
    (value.len() <= VALIDATOR_CHARS_MAX || *name == LINK || *name == LOCATION).then(|| value.to_owned())
}
