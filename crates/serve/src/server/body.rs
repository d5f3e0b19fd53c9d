//! The bodies of requests and responses, which report their progress to the [`Connection`].

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::response::Response;
use bytes::Bytes;
use hyper::body::Incoming;

use super::connection::Connection;

/// The body of a response. It is dropped when hyper has all of it.
pub(super) struct ResponseBody {
    body: axum::body::Body,
    connection: Arc<Connection>,
}

impl ResponseBody {
    pub(super) fn wrap(response: Response, connection: &Arc<Connection>) -> http::Response<Self> {
        response.map(|body| Self { body, connection: Arc::clone(connection) })
    }
}

impl http_body::Body for ResponseBody {
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

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.connection.answered();
    }
}

/// The body of a request. It counts the bytes that arrive.
pub(super) struct RequestBody {
    body: Incoming,
    connection: Arc<Connection>,
}

impl RequestBody {
    /// The body of a request whose headers arrived. Most requests have none, and boxing one costs an allocation.
    pub(super) fn wrap(body: Incoming, connection: &Arc<Connection>) -> axum::body::Body {
        if http_body::Body::is_end_stream(&body) {
            connection.request_arrived();
            return axum::body::Body::empty();
        }
        axum::body::Body::new(Self { body, connection: Arc::clone(connection) })
    }
}

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame {
            self.connection.body_arrived(frame.data_ref().map_or(0, Bytes::len));
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

impl Drop for RequestBody {
    fn drop(&mut self) {
        self.connection.request_arrived();
    }
}
