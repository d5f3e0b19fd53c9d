//! The socket of one connection, below hyper: reports the progress of requests to the [`Connection`], applies the write timeout to a client
//! that does not read its answer, and replaces hyper's bare refusals (malformed, 414, 431) with problem documents.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::StatusCode;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::time::Sleep;

use super::connection::Connection;

/// Bytes that a client has to read within the write timeout for the timeout to start again.
const PROGRESS_BYTES: usize = 64 * 1024;
/// The end of the last header line, and the empty line after it.
const HEADERS_END: &[u8] = b"\n\r\n";
/// How long incoming bytes are discarded after a refusal: closing a socket with unread bytes would discard the answer.
const LINGER_TIME: Duration = Duration::from_secs(1);
/// How many bytes are discarded after a refusal.
const LINGER_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Gives the whole response to bytes of this peer that could not be parsed as a request.
pub(super) type Refuse = dyn Fn(IpAddr, StatusCode) -> Vec<u8> + Send + Sync;

/// A watched socket.
pub(super) struct Wire<S> {
    stream: S,
    peer: IpAddr,
    connection: Arc<Connection>,
    refuse: Option<Arc<Refuse>>,
    write_timeout: Duration,
    /// The write timeout, running while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
    /// Bytes written since `waiting` started.
    written: usize,
    /// The end of a line of the current request was seen.
    line_seen: bool,
    /// The last bytes ended with an empty line, or none arrived yet.
    headers_ended: bool,
    /// Our refusal, and how much of it is written.
    refusal: Option<(Vec<u8>, usize)>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    pub(super) const fn new(
        stream: S,
        peer: IpAddr,
        connection: Arc<Connection>,
        refuse: Option<Arc<Refuse>>,
        write_timeout: Duration,
    ) -> Self {
        Self {
            stream,
            peer,
            connection,
            refuse,
            write_timeout,
            waiting: None,
            written: 0,
            line_seen: false,
            headers_ended: true,
            refusal: None,
        }
    }

    /// Answers a client that sent only a part of its headers in time.
    pub(super) async fn refuse_late_headers(&mut self) {
        if let Some(refuse) = self.refuse.as_ref().filter(|_| self.connection.has_begun() && self.connection.is_quiet())
        {
            let answer = refuse(self.peer, StatusCode::REQUEST_TIMEOUT);
            // The connection closes either way.
            let _ = tokio::time::timeout(LINGER_TIME, self.stream.write_all(&answer)).await;
        }
    }

    /// Closes our side after a refusal and discards what still arrives, so that the client gets the answer.
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
        // The connection closes either way.
        let _ = tokio::time::timeout(LINGER_TIME, drained).await;
    }

    /// Applies the write timeout to the result of a write.
    fn apply_timeout(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            self.written += written.as_ref().map_or(0, |bytes| *bytes);
            if self.written >= PROGRESS_BYTES {
                self.reset_timeout();
            }
            return Poll::Ready(written);
        }
        self.connection.waits_for_reader();
        let write_timeout = self.write_timeout;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(write_timeout)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "write timeout: the client does not read its answer")))
    }

    fn reset_timeout(&mut self) {
        self.waiting = None;
        self.written = 0;
    }

    /// Whether these bytes are hyper's own refusal, which ours replaces.
    fn replaces_refusal(&mut self, bytes: &[u8]) -> bool {
        if self.refusal.is_some() {
            return true;
        }
        let Some(refuse) = self.refuse.as_ref().filter(|_| self.connection.is_quiet()) else { return false };
        let status = bytes.strip_prefix(b"HTTP/1.1 ").or_else(|| bytes.strip_prefix(b"HTTP/1.0 "));
        let Some(status) = status.and_then(|rest| StatusCode::from_bytes(rest.get(..3)?).ok()) else { return false };
        if !status.is_client_error() {
            return false;
        }
        // If the first line has no end, the URI is what is too large.
        let endless = !self.line_seen && !self.headers_ended;
        let is_uri = status == StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE && endless;
        let status = if is_uri { StatusCode::URI_TOO_LONG } else { status };
        self.refusal = Some((refuse(self.peer, status), 0));
        true
    }

    /// Writes the rest of our refusal.
    fn poll_refusal(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some((bytes, at)) = &self.refusal
            && *at < bytes.len()
        {
            let written = Pin::new(&mut self.stream).poll_write(context, &bytes[*at..]);
            let written = ready!(self.apply_timeout(context, written))?;
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
            this.connection.waits_for_bytes();
        } else if let Some(arrived) = buffer.filled().get(before..).filter(|arrived| !arrived.is_empty()) {
            // The end of headers is the only sign here of where a request begins: what follows is its body or the next request.
            let end = memchr::memmem::rfind(arrived, HEADERS_END).map(|at| at + HEADERS_END.len());
            this.line_seen &= end.is_none() && !this.headers_ended;
            this.line_seen |= arrived[end.unwrap_or(0)..].contains(&b'\n');
            this.headers_ended = end == Some(arrived.len());
            this.connection.bytes_arrived();
        }
        read
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.replaces_refusal(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.apply_timeout(context, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.replaces_refusal(bytes.first().map_or(&[], |first| first)) {
            return Poll::Ready(Ok(bytes.iter().map(|slice| slice.len()).sum()));
        }
        let written = Pin::new(&mut this.stream).poll_write_vectored(context, bytes);
        this.apply_timeout(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper flushes when it has nothing left to write.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_refusal(context))?;
        this.reset_timeout();
        this.connection.all_written();
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_refusal(context))?;
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}
