//! The body of an answer that is made of several pieces: a list is sent as slices of the snapshot, without a copy.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;

/// A body of pieces in memory. Most answers are one piece, which needs no queue.
pub(super) fn body_from_pieces(mut pieces: Vec<Bytes>) -> Body {
    match (pieces.pop(), pieces.is_empty()) {
        (Some(only), true) => Body::from(only),
        (last, _) => Body::new(PieceBody::new(pieces.into_iter().chain(last))),
    }
}

/// Pieces with a known total length.
struct PieceBody {
    left: VecDeque<Bytes>,
    bytes_left: u64,
}

impl PieceBody {
    fn new(pieces: impl IntoIterator<Item = Bytes>) -> Self {
        let left: VecDeque<Bytes> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let bytes_left = left.iter().map(|piece| piece.len() as u64).sum();
        Self { left, bytes_left }
    }
}

impl http_body::Body for PieceBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        let next = self.left.pop_front();
        if let Some(piece) = &next {
            self.bytes_left -= piece.len() as u64;
        }
        Poll::Ready(next.map(|piece| Ok(http_body::Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        http_body::SizeHint::with_exact(self.bytes_left)
    }
}
