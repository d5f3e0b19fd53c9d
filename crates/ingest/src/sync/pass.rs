//! One pass over a source: first a conditional look whether anything changed, then, if so, the connector's requests in its order.
//! Connectors run on the blocking pool, and a panic of one is a failed pass, not a failed process.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesOrdered;
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::census::{Census, CensusCount};
use crate::connectors::{Answer, Batch, FetchSession, ParseError, Request};
use crate::fetch::{Deadline, FetchCode, FetchError, FetchRequest, Fetched, Fetcher, Origin};
use crate::memory_budget::Room;
use crate::store::Validator;

/// What a pass cost so far.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) requests: AtomicU64,
    pub(super) bytes: AtomicU64,
    pub(super) not_modified: AtomicU64,
}

impl Counters {
    fn add(&self, reply: &Fetched) {
        self.requests.fetch_add(reply.requests, Ordering::Relaxed);
        self.bytes.fetch_add(reply.body.len() as u64, Ordering::Relaxed);
    }

    fn add_failed(&self, error: &FetchError) {
        self.requests.fetch_add(error.requests, Ordering::Relaxed);
    }
}

/// Why a pass failed.
#[derive(Debug)]
pub(super) enum PassError {
    /// Nothing usable came.
    Fetch(FetchError),
    /// What came could not be read.
    Parse(ParseError),
    /// The connector broke.
    Panic,
    /// It took longer than a pass may.
    Overdue(Duration),
}

impl From<FetchError> for PassError {
    fn from(error: FetchError) -> Self {
        Self::Fetch(error)
    }
}

/// What the look at the last pass's requests showed.
pub(super) enum Revalidation {
    /// All say the same. The validators are up to date; `synced` tells that bytes came in.
    Unchanged { validators: Vec<Validator>, synced: bool, status: Option<u16> },
    /// Something changed; bodies that came already, by url.
    Changed(HashMap<String, Fetched>),
}

pub(super) struct Passed {
    pub(super) batch: Batch,
    /// What the accountant counted in the same answers.
    pub(super) counted: Option<CensusCount>,
    pub(super) validators: Vec<Validator>,
    pub(super) status: Option<u16>,
}

/// What happens while a pass runs.
pub(super) type PassProgress<'a> = &'a (dyn Fn(usize) + Send + Sync);

/// The upstream of a source, as one attempt asks it.
#[derive(Clone, Copy)]
pub(super) struct Upstream<'a> {
    pub(super) fetcher: &'a Fetcher,
    pub(super) origin: &'a Origin,
    pub(super) counters: &'a Counters,
    pub(super) progress: PassProgress<'a>,
}

impl Upstream<'_> {
    /// Asks the requests of the last good pass again, conditionally, until one says something else.
    pub(super) async fn revalidate(&self, last: &[Validator]) -> Result<Revalidation, FetchError> {
        let Self { fetcher, counters, progress, .. } = *self;
        let opens = |validator: &Validator| last.first().is_some_and(|first| first.url == validator.url);
        let mut waiting = last.iter();
        let mut flying = FuturesOrdered::new();
        let mut bodies = HashMap::new();
        let (mut validators, mut synced, mut differs) = (Vec::with_capacity(last.len()), false, false);
        loop {
            while flying.len() < fetcher.settings().source_concurrency_max.max(1)
                && !differs
                && let Some(validator) = waiting.next()
            {
                flying.push_back(async move { (validator, self.ask_again(validator).await) });
            }
            let Some((validator, reply)) = flying.next().await else { break };
            let reply = match reply {
                Some(Ok(reply)) => reply,
                // A page of the last pass may rightly be gone, and a cursor of it too old to be answered well; the full pass decides. What
                // opens the pass it would ask again.
                Some(Err(error)) if !is_gone(&error) && (opens(validator) || !is_answered(&error)) => {
                    return Err(error);
                }
                Some(Err(_)) | None => {
                    differs = true;
                    continue;
                }
            };
            counters.add(&reply);
            progress(waiting.len() + flying.len());
            if reply.equals(validator) {
                counters.not_modified.fetch_add(1, Ordering::Relaxed);
                synced |= reply.status != 304;
                validators.push(Validator {
                    etag: reply.etag.clone(),
                    last_modified: reply.last_modified.clone(),
                    ..validator.clone()
                });
            } else {
                differs = true;
            }
            if reply.status != 304 {
                bodies.insert(validator.url.clone(), reply);
            }
        }
        if differs {
            return Ok(Revalidation::Changed(bodies));
        }
        let status = validators.first().and_then(|_| self.http_status(if synced { 200 } else { 304 }));
        Ok(Revalidation::Unchanged { validators, synced, status })
    }

    /// The HTTP status of an answer; none of what is read from a disk.
    fn http_status(&self, status: u16) -> Option<u16> {
        (self.origin.url.scheme() != "file").then_some(status)
    }

    /// Asks a request of the last pass again; `None` for an address that cannot be read.
    async fn ask_again(&self, last: &Validator) -> Option<Result<Fetched, FetchError>> {
        let url = Url::parse(&last.url).ok()?;
        let ask = FetchRequest {
            url: &url,
            may_be_missing: last.status == 404,
            secret_headers: &last.secret_headers,
            last: Some(last),
        };
        let reply = self.fetcher.fetch(self.origin, &ask).await;
        Some(reply.inspect_err(|error| self.counters.add_failed(error)))
    }

    /// Runs a pass to its end. `bodies` are answers that came while looking.
    pub(super) async fn run(
        &self,
        reading: Reading,
        mut bodies: HashMap<String, Fetched>,
    ) -> Result<Passed, PassError> {
        let settings = self.fetcher.settings();
        let room = &self.origin.room;
        let too_large =
            |url: &Url, message: String| PassError::Fetch(FetchError::new(FetchCode::TooLarge, url, message));
        let (mut reading, first) = step(room, reading, |reading| Ok(reading.pass.first())).await?;
        let mut queue: VecDeque<Request> = first.into();
        let mut flying = FuturesOrdered::new();
        // An upstream that sends a little now and then would keep others from their turn for hours.
        let deadline = Deadline::new(room, settings.pass_timeout);
        let (mut asked, mut bytes, mut status) = (0_usize, 0_u64, None);
        let mut validators = Vec::new();
        loop {
            while flying.len() < settings.source_concurrency_max.max(1)
                && let Some(request) = queue.pop_front()
            {
                asked += 1;
                if asked > settings.pass_requests_max {
                    let message =
                        format!("the pass needs more than pass_requests_max = {} requests", settings.pass_requests_max);
                    return Err(too_large(&request.url, message));
                }
                let known = bodies.remove(request.url.as_str());
                flying.push_back(self.answer(request, known));
            }
            let next = deadline.within(flying.next()).await.ok_or(PassError::Overdue(settings.pass_timeout))?;
            let Some((request, reply)) = next else { break };
            let reply = reply?;
            bytes += reply.body.len() as u64;
            if bytes > settings.pass_bytes_max {
                let message = format!("the pass brought more than pass_bytes_max = {} bytes", settings.pass_bytes_max);
                return Err(too_large(&request.url, message));
            }
            // What may be missing, such as a page that a list links to, says nothing of the source.
            if reply.status != 404 {
                status = self.http_status(reply.status);
            }
            validators.push(Validator {
                url: request.url.to_string(),
                status: reply.status,
                etag: reply.etag,
                last_modified: reply.last_modified,
                content_hash: reply.content_hash,
                secret_headers: request.secret_headers,
            });
            let answer =
                Answer { tag: request.tag, url: request.url, status: reply.status, link: reply.link, body: reply.body };
            let more;
            (reading, more) = step(room, reading, move |reading| reading.accept(answer)).await?;
            queue.extend(more);
            (self.progress)(queue.len() + flying.len());
        }
        let (batch, counted) = blocking(room, move || reading.finish()).await?;
        Ok(Passed { batch, counted, validators, status })
    }

    async fn answer(&self, request: Request, known: Option<Fetched>) -> (Request, Result<Fetched, FetchError>) {
        if let Some(known) = known {
            return (request, Ok(known));
        }
        let ask = FetchRequest {
            url: &request.url,
            may_be_missing: request.may_be_missing,
            secret_headers: &request.secret_headers,
            last: None,
        };
        let reply = self.fetcher.fetch(self.origin, &ask).await;
        match &reply {
            Ok(reply) => self.counters.add(reply),
            Err(error) => self.counters.add_failed(error),
        }
        (request, reply)
    }
}

/// A pass, and the accountant that sees the same answers.
pub(super) struct Reading {
    pub(super) pass: Box<dyn FetchSession>,
    pub(super) census: Census,
}

impl Reading {
    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        self.census.see(&answer);
        self.pass.accept(answer)
    }

    fn finish(self) -> Result<(Batch, Option<CensusCount>), ParseError> {
        let batch = self.pass.finish()?;
        // A pass over what changed names a part of the items, and says of others what was known.
        let counted = if batch.partial { None } else { self.census.counted() };
        Ok((batch, counted))
    }
}

fn is_gone(error: &FetchError) -> bool {
    matches!(error.status, Some(400 | 404 | 410 | 422)) || (error.code == FetchCode::File && error.requests == 0)
}

/// Whether the upstream answered with an error that asking otherwise may avoid: not for want of a right, nor because it is asked too much.
pub(super) fn is_answered(error: &FetchError) -> bool {
    error.status.is_some_and(|status| status >= 400 && !matches!(status, 401 | 403 | 429))
}

/// Has a connector read something on the blocking pool.
async fn step<T: Send + 'static>(
    room: &Room,
    mut reading: Reading,
    read: impl FnOnce(&mut Reading) -> Result<T, ParseError> + Send + 'static,
) -> Result<(Reading, T), PassError> {
    blocking(room, move || read(&mut reading).map(|read| (reading, read))).await
}

/// Runs one step of a connector on the blocking pool.
async fn blocking<T: Send + 'static>(
    room: &Room,
    step: impl FnOnce() -> Result<T, ParseError> + Send + 'static,
) -> Result<T, PassError> {
    let room = room.clone();
    let done = tokio::task::spawn_blocking(move || room.enter(step)).await;
    done.map_err(|_| PassError::Panic)?.map_err(PassError::Parse)
}

/// One hash over all bodies of a pass: that of the body itself when there is only one.
pub(super) fn combined_hash(validators: &[Validator]) -> Option<String> {
    match validators {
        [] => None,
        [only] => Some(only.content_hash.clone()),
        many => {
            let mut hasher = Sha256::new();
            for validator in many {
                hasher.update(validator.content_hash.as_bytes());
                hasher.update([b'\n']);
            }
            Some(refdesk_core::hash::sha256_text(&hasher.finalize()))
        }
    }
}
