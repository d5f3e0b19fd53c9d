//! How a command asks: with a request of REST, to the desk that runs on the same data directory, or else to one in this process over as
//! much of the catalog as the question needs. So a command shows what REST answers, and nothing is looked up in two ways.

mod in_process;
mod problem;

use axum::body::{Body, to_bytes};
use http::{Response, StatusCode};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::query::Mode;
use refdesk_ingest::generation::Part;
use serde_json::Value;

use crate::config::Config;
use crate::service::Service;

pub use in_process::InProcess;
pub use problem::{Problem, Reply, no_item};

/// How much of the catalog a question needs where no desk runs that has all of it.
#[derive(Clone, Copy)]
pub enum Extent<'a> {
    /// A part.
    Part(Part<'a>),
    /// A part, or all where the part does not have what is looked for: that may still have names like it elsewhere.
    PartWith(Part<'a>, &'a dyn Fn(&Snapshot) -> bool),
    /// All of it.
    Whole,
    /// All of it, with the vectors of its texts.
    WithVectors,
}

impl<'a> Extent<'a> {
    /// A part for a question of words alone; one by meaning needs the vectors of all texts.
    pub const fn of_mode(mode: Mode, part: Part<'a>) -> Self {
        match mode {
            Mode::Lexical => Self::Part(part),
            Mode::Hybrid => Self::WithVectors,
        }
    }
}

/// Asks a desk.
pub struct Client<'a> {
    config: &'a Config,
    extent: Extent<'a>,
    running: Option<Service>,
    own: Option<InProcess>,
}

impl<'a> Client<'a> {
    /// Asks the desk that runs on the data directory of a configuration, if there is one.
    pub async fn new(config: &'a Config, extent: Extent<'a>) -> Self {
        Self { running: Service::find(config).await, ..Self::alone(config, extent) }
    }

    /// Asks no other process.
    pub const fn alone(config: &'a Config, extent: Extent<'a>) -> Self {
        Self { config, extent, running: None, own: None }
    }

    /// The desk in this process, opened where that was not needed before.
    ///
    /// # Errors
    /// When the store or the catalog cannot be read.
    pub async fn own(&mut self) -> anyhow::Result<&InProcess> {
        let own = match self.own.take() {
            Some(own) => own,
            None => InProcess::open(self.config, self.extent).await?,
        };
        Ok(self.own.insert(own))
    }

    /// What a desk replies at a path.
    ///
    /// # Errors
    /// When no desk can answer.
    pub async fn json(&mut self, path: &str, pairs: &[(&str, &str)]) -> anyhow::Result<Reply> {
        let target = target(path, pairs);
        if let Some(service) = &mut self.running {
            if let Some((status, answer)) = service.json(&target).await {
                return Problem::or_answer(status, answer);
            }
            self.running = None;
        }
        let answer = self.own().await?.answer(&target).await?;
        let status = answer.status();
        let json = serde_json::from_slice(&to_bytes(answer.into_body(), usize::MAX).await?)?;
        Problem::or_answer(status, json)
    }

    /// The same where only a mistake of this program is refused: its parameters were checked before.
    ///
    /// # Errors
    /// When no desk can answer, or it refuses the request.
    pub async fn answer(&mut self, path: &str, pairs: &[(&str, &str)]) -> anyhow::Result<Value> {
        self.json(path, pairs).await?.map_err(Problem::into_error)
    }

    /// The answer at a path in another format than JSON, as it comes.
    ///
    /// # Errors
    /// When no desk can answer.
    pub async fn stream(&mut self, path: &str, pairs: &[(&str, &str)]) -> anyhow::Result<Response<Body>> {
        let target = target(path, pairs);
        if let Some(service) = &mut self.running {
            match service.answer(&target).await {
                Some(answer) if answer.status() == StatusCode::OK => return Ok(answer.map(Body::new)),
                _ => self.running = None,
            }
        }
        self.own().await?.answer(&target).await
    }
}

fn target(path: &str, pairs: &[(&str, &str)]) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}
