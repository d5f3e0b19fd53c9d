//! The pass of a source that is the answer to one request: a file, a list, the archive of a repository.

use bytes::Bytes;

use super::{Answer, Batch, FetchSession, ParseError, Request, Target};

/// Turns the body of the answer into a batch.
type ReadBody = Box<dyn Fn(&Target, &Bytes) -> Result<Batch, ParseError> + Send>;

/// A pass that fetches the target's url and reads what comes.
pub struct SingleRequestSession {
    target: Target,
    tag: &'static str,
    /// What to say when nothing came.
    missing: String,
    read: ReadBody,
    batch: Option<Batch>,
}

impl SingleRequestSession {
    /// Opens it. `tag` is what the request is called, and `missing` what is said when nothing came.
    pub fn open(
        target: &Target,
        tag: &'static str,
        missing: impl Into<String>,
        read: impl Fn(&Target, &Bytes) -> Result<Batch, ParseError> + Send + 'static,
    ) -> Box<dyn FetchSession> {
        Box::new(Self { target: target.clone(), tag, missing: missing.into(), read: Box::new(read), batch: None })
    }
}

impl FetchSession for SingleRequestSession {
    fn first(&mut self) -> Vec<Request> {
        vec![Request::get(self.target.url.clone(), self.tag)]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        self.batch = Some((self.read)(&self.target, &answer.body)?);
        Ok(Vec::new())
    }

    fn finish(self: Box<Self>) -> Result<Batch, ParseError> {
        let Self { batch, missing, .. } = *self;
        batch.ok_or_else(|| ParseError::new(missing))
    }
}
