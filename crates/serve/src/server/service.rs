//! The services that hyper calls for the requests of one connection: the [`Pipeline`], or any axum router.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::ConnectInfo;
use futures::FutureExt as _;
use http::Request;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::service::TowerToHyperService;
use tower::ServiceExt as _;

use super::body::{ResponseBody, request_body};
use super::connection::Connection;
use crate::http::client_address::{client_address, is_trusted_proxy};
use crate::middleware::Pipeline;

/// What hyper calls for each request of a connection.
pub(super) trait RequestService:
    Service<Request<Incoming>, Response = http::Response<ResponseBody>, Error = Infallible, Future: Send + 'static>
    + Send
    + 'static
{
}

impl<S> RequestService for S where
    S: Service<Request<Incoming>, Response = http::Response<ResponseBody>, Error = Infallible, Future: Send + 'static>
        + Send
        + 'static
{
}

/// The pipeline for one connection.
pub(super) fn pipeline_service(
    pipeline: &Arc<Pipeline>,
    peer: SocketAddr,
    connection: Arc<Connection>,
) -> impl RequestService + use<> {
    let pipeline = Arc::clone(pipeline);
    service_fn(move |request: Request<Incoming>| {
        let settings = &pipeline.state.settings;
        let by_proxy = is_trusted_proxy(settings, peer.ip());
        connection.headers_arrived(by_proxy.then(|| client_address(settings, peer.ip(), request.headers())));
        let request = request.map(|body| request_body(body, &connection));
        let connection = Arc::clone(&connection);
        let answer = pipeline.answer(Some(peer.ip()), request);
        answer.map(move |response| Ok::<_, Infallible>(ResponseBody::wrap(response, &connection)))
    })
}

/// A router for one connection. It gets the peer's address as an extension of the request.
pub(super) fn router_service(router: Router, peer: SocketAddr, connection: Arc<Connection>) -> impl RequestService {
    TowerToHyperService::new(tower::service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        connection.headers_arrived(None);
        let (router, connection) = (router.clone(), Arc::clone(&connection));
        let request = request.map(|body| request_body(body, &connection));
        async move { router.oneshot(request).await.map(|response| ResponseBody::wrap(response, &connection)) }
    }))
}
