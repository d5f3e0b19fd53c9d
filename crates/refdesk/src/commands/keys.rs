//! `keys create`, `list`, `revoke`. A running server sees each within seconds, because it reads the same store.

use anyhow::Context as _;
use refdesk_core::key::KeyRecord;
use refdesk_ingest::Span;
use refdesk_ingest::keys::{self, KeyError};
use serde_json::json;

use super::settled;
use crate::app::{App, now};
use crate::cli;
use crate::config::Config;
use crate::exit::Exit;
use crate::output::{self, Fit, Paint, Refusal};
use crate::view::moment_or_dash;

/// `refdesk keys`.
pub async fn run(config: Config, command: cli::Keys, json: bool) -> anyhow::Result<Exit> {
    let app = App::open(config).await?;
    let work = async {
        match command {
            cli::Keys::Create { name, expires, limit } => create(&app, &name, expires.as_deref(), limit, json).await,
            cli::Keys::List => list(&app, json).await,
            cli::Keys::Revoke { key } => revoke(&app, &key, json).await,
        }
    };
    settled(&app.store, work).await
}

async fn create(app: &App, name: &str, expires: Option<&str>, limit: Option<u32>, json: bool) -> anyhow::Result<Exit> {
    let lasts = expires.map(str::parse::<Span>).transpose().context("--expires").map_err(Refusal::mistake)?;
    let expires_at = lasts.map(|span| now().plus_secs(span.as_stamp_secs()));
    let created = keys::create(&app.store, name, expires_at, limit, now()).await;
    let (key, record) = created.map_err(|error| match error {
        KeyError::Name | KeyError::NameTaken(_) | KeyError::Expired => Refusal::mistake(error),
        _ => error.into(),
    })?;
    if json {
        output::json(&json!({"key": key, "record": record}));
        return Ok(Exit::Done);
    }
    output::line(&key);
    let until = expires_at.map_or_else(|| "never expires".to_owned(), |at| format!("expires at {at}"));
    output::say(&format!("{} ({}) {until}. Copy the key now: it is not shown again.", record.name, record.id));
    Ok(Exit::Done)
}

async fn list(app: &App, json: bool) -> anyhow::Result<Exit> {
    let mut keys = app.store.keys().await?;
    // Times that cannot be yet are absent, as everywhere.
    let now = now();
    keys.iter_mut().for_each(|key| key.last_used_at = key.last_used_at.filter(|at| !at.is_ahead_of(now)));
    if json {
        output::json(&json!({"keys": keys}));
        return Ok(Exit::Done);
    }
    if keys.is_empty() {
        output::say("no keys; `refdesk keys create --name NAME` makes one");
        return Ok(Exit::Done);
    }
    let paint = Paint::for_stdout();
    let heads = [
        ("id", Fit::Whole),
        ("name", Fit::Cut),
        ("state", Fit::Whole),
        ("a minute", Fit::Number),
        ("last used", Fit::Optional),
        ("expires", Fit::Optional),
        ("prefix", Fit::Optional),
        ("created", Fit::Optional),
    ];
    let mut rows = Vec::new();
    for key in &keys {
        rows.push(vec![
            key.id.clone(),
            refdesk_core::clean::line(&key.name),
            state(paint, key),
            key.limit_per_minute.map_or_else(|| "default".to_owned(), output::grouped),
            moment_or_dash(key.last_used_at),
            moment_or_dash(key.expires_at),
            format!("{}…", key.prefix),
            moment_or_dash(Some(key.created_at)),
        ]);
    }
    output::columns(paint, &heads, rows).print();
    Ok(Exit::Done)
}

fn state(paint: Paint, key: &KeyRecord) -> String {
    if key.revoked_at.is_some() {
        return paint.bad("revoked");
    }
    if key.expires_at.is_some_and(|at| at <= now()) { paint.warn("expired") } else { paint.good("valid") }
}

async fn revoke(app: &App, wanted: &str, json: bool) -> anyhow::Result<Exit> {
    let earlier = app.store.keys().await?;
    match keys::revoke(&app.store, wanted, now()).await {
        Ok(record) if json => output::json(&json!({"revoked": record})),
        Ok(record) => {
            let since = earlier.iter().find(|key| key.id == record.id).and_then(|key| key.revoked_at);
            let told = format!("{} ({}…, {})", record.id, record.prefix, record.name);
            match since {
                Some(at) => output::line(&format!("{told} was revoked already, at {at}")),
                None => output::line(&format!("revoked {told}")),
            }
        }
        Err(KeyError::NotFound(id)) if keys::revoke_unreadable(&app.store, &id, now()).await? => {
            let told = format!("revoked {id}, whose row in the store cannot be read");
            output::answer(json, &json!({"revoked": {"id": id}}), &told);
        }
        Err(error @ KeyError::NotFound(_)) => return Err(Refusal::not_found(error.to_string()).into()),
        Err(error) => return Err(error.into()),
    }
    Ok(Exit::Done)
}
