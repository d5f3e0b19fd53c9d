//! The bodies of a request and of its answer on a connection, which tell [`Held`] how far they have come.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::response::Response;
use bytes::Bytes;
use hyper::body::Incoming;

use super::held::Held;

/// The body of an answer, which tells when hyper has all of it.
pub(crate) struct Answering {
    body: axum::body::Body,
    held: Arc<Held>,
}

impl Answering {
    pub(crate) fn of(response: Response, held: &Arc<Held>) -> http::Response<Self> {
        response.map(|body| Self { body, held: Arc::clone(held) })
    }
}

impl http_body::Body for Answering {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.held.answered();
    }
}

/// The body of a request, which tells what came of it.
pub(crate) struct Arriving {
    body: Incoming,
    held: Arc<Held>,
}

impl Arriving {
    /// The body of a request whose headers have come; most requests have none, and boxing one costs an allocation.
    pub(crate) fn of(body: Incoming, held: &Arc<Held>) -> axum::body::Body {
        if http_body::Body::is_end_stream(&body) {
            held.request_came();
            return axum::body::Body::empty();
        }
        axum::body::Body::new(Self { body, held: Arc::clone(held) })
    }
}

impl http_body::Body for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame {
            self.held.body_came(frame.data_ref().map_or(0, Bytes::len));
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        self.held.request_came();
    }
}
