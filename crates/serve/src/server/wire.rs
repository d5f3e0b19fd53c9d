//! The socket of one connection, below hyper: tells where its request stands ([`Held`]), cuts off a client that leaves its answer
//! unread, and writes a problem document in place of the bare refusals of hyper (malformed, 414, 431), which know no request.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::StatusCode;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::time::Sleep;

use super::held::Held;

/// Bytes that a client has to take in the time for unread answers, to get that time again.
const PROGRESS_BYTES: usize = 64 * 1024;
/// The end of the last line of headers, and the empty line after it.
const HEADERS_END: &[u8] = b"\n\r\n";
/// How long is read and dropped after a refusal: a socket that is closed with unread bytes takes the answer along.
const LINGER: Duration = Duration::from_secs(1);
/// How many bytes are read and dropped after a refusal.
const LINGER_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Writes the whole answer to a request that could not be read.
pub(crate) type Refuse = dyn Fn(StatusCode) -> Vec<u8> + Send + Sync;

/// A socket that is watched.
pub(super) struct Wire<S> {
    stream: S,
    held: Arc<Held>,
    refuse: Option<Arc<Refuse>>,
    unread_max: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
    /// Bytes taken since `waiting` runs.
    taken: usize,
    /// A line of the request that is coming was seen to its end.
    line_seen: bool,
    /// What came last ended with an empty line, or nothing came yet.
    headers_ended: bool,
    /// Our refusal, as far as it is not written.
    refusal: Option<(Vec<u8>, usize)>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(super) const fn new(stream: S, held: Arc<Held>, refuse: Option<Arc<Refuse>>, unread_max: Duration) -> Self {
        Self {
            stream,
            held,
            refuse,
            unread_max,
            waiting: None,
            taken: 0,
            line_seen: false,
            headers_ended: true,
            refusal: None,
        }
    }

    /// Tells a client that has sent a part of its headers that they did not come in time.
    pub(super) async fn refuse_late_headers(&mut self) {
        if let Some(refuse) = self.refuse.as_ref().filter(|_| self.held.has_begun() && self.held.is_quiet()) {
            let answer = refuse(StatusCode::REQUEST_TIMEOUT);
            let _ = tokio::time::timeout(LINGER, self.stream.write_all(&answer)).await;
        }
    }

    /// Closes our side after a refusal and drops what still comes, so that the answer arrives.
    pub(super) async fn linger(&mut self) {
        if self.refusal.is_none() {
            return;
        }
        let drained = async {
            self.stream.shutdown().await?;
            let (mut buffer, mut left) = (vec![0; 16 * 1024], LINGER_BYTES_MAX);
            while left > 0 {
                let read = self.stream.read(&mut buffer).await?;
                if read == 0 {
                    break;
                }
                left = left.saturating_sub(read);
            }
            io::Result::Ok(())
        };
        // It is over either way.
        let _ = tokio::time::timeout(LINGER, drained).await;
    }

    /// Counts how long a write waits.
    fn watch(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            self.taken += written.as_ref().map_or(0, |bytes| *bytes);
            if self.taken >= PROGRESS_BYTES {
                self.all_taken();
            }
            return Poll::Ready(written);
        }
        self.held.waits_for_reader();
        let unread_max = self.unread_max;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(unread_max)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read its answer")))
    }

    fn all_taken(&mut self) {
        self.waiting = None;
        self.taken = 0;
    }

    /// Whether these bytes are hyper's own refusal; then ours takes their place.
    fn takes_over(&mut self, bytes: &[u8]) -> bool {
        if self.refusal.is_some() {
            return true;
        }
        let Some(refuse) = self.refuse.as_ref().filter(|_| self.held.is_quiet()) else { return false };
        let status = bytes.strip_prefix(b"HTTP/1.1 ").or_else(|| bytes.strip_prefix(b"HTTP/1.0 "));
        let Some(status) = status.and_then(|rest| StatusCode::from_bytes(rest.get(..3)?).ok()) else { return false };
        if !status.is_client_error() {
            return false;
        }
        // What is too large without an end of its first line is a URI.
        let endless = !self.line_seen && !self.headers_ended;
        let is_uri = status == StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE && endless;
        self.refusal = Some((refuse(if is_uri { StatusCode::URI_TOO_LONG } else { status }), 0));
        true
    }

    /// Writes what is left of our refusal.
    fn poll_refusal(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some((bytes, at)) = &self.refusal
            && *at < bytes.len()
        {
            let written = Pin::new(&mut self.stream).poll_write(context, &bytes[*at..]);
            let written = ready!(self.watch(context, written))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            if let Some((_, at)) = &mut self.refusal {
                *at += written;
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Wire<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if read.is_pending() {
            this.held.waits_for_bytes();
        } else if let Some(came) = buffer.filled().get(before..).filter(|came| !came.is_empty()) {
            // What follows the end of headers begins a request, or is a body; of all else it is not known here where one begins.
            let end = memchr::memmem::rfind(came, HEADERS_END).map(|at| at + HEADERS_END.len());
            this.line_seen &= end.is_none() && !this.headers_ended;
            this.line_seen |= came[end.unwrap_or(0)..].contains(&b'\n');
            this.headers_ended = end == Some(came.len());
            this.held.bytes_came();
        }
        read
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.takes_over(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.watch(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.takes_over(bytes.first().map_or(&[], |first| first)) {
            return Poll::Ready(Ok(bytes.iter().map(|slice| slice.len()).sum()));
        }
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, bytes);
        this.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper flushes when it has nothing left to write.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_refusal(context))?;
        this.all_taken();
        this.held.all_written();
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_refusal(context))?;
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}
