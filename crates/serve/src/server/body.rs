//! The bodies of requests and responses, which report their progress to the [`Connection`].

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::response::Response;
use bytes::Bytes;
use http_body_util::BodyExt as _;
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

/// Tells the connection, when it is dropped, that a request is complete or the rest of it of no interest.
struct RequestEnd(Arc<Connection>);

impl Drop for RequestEnd {
    fn drop(&mut self) {
        self.0.request_arrived();
    }
}

/// The body of a request whose headers arrived, which counts the bytes that arrive. Most requests have none, and boxing one costs an
/// allocation.
pub(super) fn request_body(body: Incoming, connection: &Arc<Connection>) -> axum::body::Body {
    if http_body::Body::is_end_stream(&body) {
        connection.request_arrived();
        return axum::body::Body::empty();
    }
    let end = RequestEnd(Arc::clone(connection));
    axum::body::Body::new(body.map_frame(move |frame| {
        end.0.body_arrived(frame.data_ref().map_or(0, Bytes::len));
        frame
    }))
}
