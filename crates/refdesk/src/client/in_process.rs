//! A desk in the process of a command, asked as one over the network is.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{Request, Response, header};
use refdesk_catalog::snapshot::Snapshot;
use refdesk_core::query::QUERY_CHARS_MAX;
use refdesk_ingest::sync::SyncResult;
use refdesk_serve::{AppState, LocalToken, Settings};
use tower::ServiceExt as _;

use super::Extent;
use crate::app::App;
use crate::config::{Config, key};
use crate::output::Refusal;
use crate::{desk, evaluation, output, semantic};

/// Its answers tell the last evaluation of the router, which is read from the store.
const ROUTE: &str = "/v1/frameworks/route";
/// What a request can have for a target, in bytes: `http` takes no more.
const TARGET_BYTES_MAX: usize = u16::MAX as usize - 1;
/// Who asks.
const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A desk over the store of a configuration.
pub struct InProcess {
    /// The store.
    pub app: App,
    state: Arc<AppState>,
    router: Router,
    token: LocalToken,
}

impl InProcess {
    /// Opens the store, brings the bundled cards into it, and reads as much of the catalog as is needed.
    ///
    /// # Errors
    /// When one of them cannot be read, or the embedding model cannot.
    pub async fn open(config: &Config, extent: Extent<'_>) -> anyhow::Result<Self> {
        let app = App::open(config.clone()).await?;
        take_bundled(&app).await?;
        let snapshot = match extent {
            Extent::Part(part) => app.part(part).await?,
            Extent::PartWith(part, has) => {
                let snapshot = app.part(part).await?;
                if has(&snapshot) { snapshot } else { app.snapshot().await? }
            }
            Extent::Whole | Extent::WithVectors => app.snapshot().await?,
        };
        let token = LocalToken::random();
        // What else is set is about callers of the network.
        let settings = Settings {
            local_token: Some(token.clone()),
            train_routers: false,
            path_bytes_max: TARGET_BYTES_MAX,
            uri_bytes_max: TARGET_BYTES_MAX,
            collections: app.config.collections.clone(),
            export_rows_max: app.config.get(key::EXPORT_ROWS_MAX),
            ..Settings::default()
        };
        let state = Arc::new(desk::over(&app, snapshot, settings));
        if matches!(extent, Extent::WithVectors)
            && let Some(model) = semantic::open(&app.config).await?
        {
            model.put(semantic::vectors(&app.store, model.encoder(), &state.snapshot()).await?);
            state.set_semantic(model);
        }
        Ok(Self { router: refdesk_serve::router(Arc::clone(&state)), app, state, token })
    }

    /// What it answers from.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.state.snapshot()
    }

    /// The answer to a request as the command line of this machine sends it.
    ///
    /// # Errors
    /// When the target is longer than a request can have.
    pub async fn answer(&self, target: &str) -> anyhow::Result<Response<Body>> {
        if target.len() > TARGET_BYTES_MAX {
            let told = format!(
                "what is asked takes {} bytes of a request, which has at most {TARGET_BYTES_MAX}; of a question the first \
                 {QUERY_CHARS_MAX} characters are read",
                target.len()
            );
            return Err(Refusal::invalid_query(told).into());
        }
        if target.starts_with(ROUTE) {
            let last = evaluation::last(&self.app.store, self.snapshot().router()).await;
            self.state.set_evaluated(last);
        }
        let request = Request::get(target)
            .header(header::HOST, "localhost")
            .header(header::ACCEPT, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token.text()))
            .extension(ConnectInfo(PEER))
            .body(Body::empty())?;
        Ok(self.router.clone().oneshot(request).await?)
    }
}

/// Brings the bundled cards into the store. Where they cannot be read the look-up goes on without them, and says so.
async fn take_bundled(app: &App) -> anyhow::Result<()> {
    let result = app.sync_bundled().await?.map(|report| report.result);
    if let Some(SyncResult::Failed { error } | SyncResult::Quarantined { error }) = result {
        output::say(&format!("warning: the bundled cards are not up to date in the store: {}", error.message));
    }
    Ok(())
}
