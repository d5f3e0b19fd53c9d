//! API keys: made, listed and revoked here; their format and checksum are `refdesk_core::key`. The key itself is shown once and
//! stored nowhere.

use rand::TryRngCore as _;
use rand::rngs::OsRng;
use refdesk_core::Stamp;
use refdesk_core::key;

use crate::store::{KeyRecord, Store, StoreError};

/// Longest name of a key, in characters.
pub const NAME_CHARS_MAX: usize = 100;
const ID_BYTES: usize = 6;

/// Why a key cannot be made or revoked.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The name is empty or too long, or has characters that a terminal would obey.
    #[error(
        "a key needs a name of 1 to {NAME_CHARS_MAX} characters, none of them a control character, to tell it from others"
    )]
    Name,
    /// A live key has the name.
    #[error("a key named `{0}` already exists; revoke it first or choose another name")]
    NameTaken(String),
    /// The expiry lies in the past.
    #[error("the key would have expired already; give a later moment")]
    Expired,
    /// Nothing fits.
    #[error("no key has the id, prefix or name `{0}`; `refdesk keys list` shows them")]
    NotFound(String),
    /// Several fit.
    #[error("`{0}` fits several keys; give the id of one: {1}")]
    Ambiguous(String, String),
    /// The system's generator failed.
    #[error("the system gives no random numbers: {0}")]
    Random(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes a key. The text of it is returned once and kept nowhere.
///
/// # Errors
/// When the name or expiry do not fit, or the store fails.
pub async fn create(
    store: &Store,
    name: &str,
    expires_at: Option<Stamp>,
    limit_per_minute: Option<u32>,
    now: Stamp,
) -> Result<(String, KeyRecord), KeyError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return Err(KeyError::Name);
    }
    if expires_at.is_some_and(|at| at <= now) {
        return Err(KeyError::Expired);
    }
    let live = |key: &KeyRecord| key.revoked_at.is_none() && key.expires_at.is_none_or(|at| at > now);
    if store.keys().await?.iter().any(|key| key.name == name && live(key)) {
        return Err(KeyError::NameTaken(name.to_owned()));
    }
    let mut random = random_bytes()?.into_iter().cycle();
    // A cycle never ends, so no byte is a default.
    let text = key::generate(|| random.next().unwrap_or_default());
    let record = KeyRecord {
        id: format!("key_{}", refdesk_core::hash::hex(&random_bytes()?[..ID_BYTES])),
        fingerprint: key::fingerprint(&text),
        prefix: key::display_prefix(&text).to_owned(),
        name: name.to_owned(),
        created_at: now,
        expires_at,
        revoked_at: None,
        last_used_at: None,
        limit_per_minute,
    };
    store.insert_key(&record).await?;
    Ok((text, record))
}

/// Revokes the key with this id, display prefix or name. A revoked key stays in the list.
///
/// # Errors
/// When none or several live keys fit, or the store fails.
pub async fn revoke(store: &Store, wanted: &str, now: Stamp) -> Result<KeyRecord, KeyError> {
    let wanted = wanted.trim();
    let keys = store.keys().await?;
    let fits = |key: &&KeyRecord| key.id == wanted || key.prefix == wanted || key.name == wanted;
    let mut fitting: Vec<&KeyRecord> = keys.iter().filter(fits).filter(|key| key.revoked_at.is_none()).collect();
    if fitting.is_empty() {
        fitting = keys.iter().filter(fits).collect();
    }
    match fitting.as_slice() {
        [] => Err(KeyError::NotFound(wanted.to_owned())),
        [only] => {
            store.revoke_key(&only.id, now).await?;
            Ok(KeyRecord { revoked_at: Some(only.revoked_at.unwrap_or(now)), ..(*only).clone() })
        }
        several => {
            let ids = several.iter().map(|key| key.id.as_str()).collect::<Vec<_>>().join(", ");
            Err(KeyError::Ambiguous(wanted.to_owned(), ids))
        }
    }
}

/// Revokes a key whose row cannot be read, by its id: such a key is refused already, and is told of until then. Whether there was one.
///
/// # Errors
/// When the store fails.
pub async fn revoke_unreadable(store: &Store, id: &str, now: Stamp) -> Result<bool, KeyError> {
    let is_known = store.unreadable().iter().any(|row| row.what == "key" && row.id == id);
    Ok(is_known && store.revoke_key(id, now).await?)
}

/// Random bytes of the operating system: several times what a key takes, so that the generator never runs out of usable ones.
fn random_bytes() -> Result<[u8; 256], KeyError> {
    let mut bytes = [0_u8; 256];
    OsRng.try_fill_bytes(&mut bytes).map_err(|error| KeyError::Random(error.to_string()))?;
    Ok(bytes)
}
