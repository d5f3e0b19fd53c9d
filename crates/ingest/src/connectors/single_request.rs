//! The pass of a source that is the answer to one request: a file, a list, the archive of a repository.

use super::{Answer, Batch, FetchSession, ParseError, Request, Target};

/// Turns the body of the answer into a batch.
type ReadBody = Box<dyn Fn(&Target, &[u8]) -> Result<Batch, ParseError> + Send>;

/// A pass that fetches the target's url and reads what comes.
pub struct SingleRequestSession {
    target: Target,
    read: ReadBody,
    batch: Option<Batch>,
}

impl SingleRequestSession {
    /// Opens it.
    pub fn open(
        target: &Target,
        read: impl Fn(&Target, &[u8]) -> Result<Batch, ParseError> + Send + 'static,
    ) -> Box<dyn FetchSession> {
        Box::new(Self { target: target.clone(), read: Box::new(read), batch: None })
    }
}

impl FetchSession for SingleRequestSession {
    fn first(&mut self) -> Vec<Request> {
        vec![Request::get(self.target.url.clone(), "file")]
    }

    fn accept(&mut self, answer: Answer) -> Result<Vec<Request>, ParseError> {
        self.batch = Some((self.read)(&self.target, &answer.body)?);
        Ok(Vec::new())
    }

    fn finish(self: Box<Self>) -> Result<Batch, ParseError> {
        self.batch.ok_or_else(|| ParseError::new("no answer came in"))
    }
}
