//! Models by the day that a named one came: `newer than gpt-4o`, `what came out after claude opus 4.1`, `released before o3`.

use serde_json::Value;

use super::relation::{Relation, named};
use super::successor::model_named;
use crate::json;
use crate::snapshot::Snapshot;
use crate::understand::modalities::of_mode;
use crate::understand::reading::{day_after, day_before};
use crate::understand::words::{PhraseRows, Word};
use refdesk_core::Kind;

/// Phrases before the model that others are newer than …
static NEWER: PhraseRows<()> = PhraseRows::new(&[(
    "newer than,more recent than,later than,released after,launched after,came out after,come out after,out since",
    (),
)]);
/// … or older.
static OLDER: PhraseRows<()> =
    PhraseRows::new(&[("older than,earlier than,released before,launched before,came out before,come out before", ())]);

/// The models that a question asks for so, if it does.
pub fn parse(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    let find = |name: &str| model_named(snapshot, name);
    let newer = named(words, &NEWER, &[], find);
    let is_newer = newer.is_some();
    let (ordinal, taken) = newer.or_else(|| named(words, &OLDER, &[], find))?;
    let model: Value = json::read_own(snapshot.row(ordinal));
    let text = |name: &str| model.get(name).and_then(Value::as_str);
    let released = text("released_on")?;
    // A model of the same day is neither newer nor older.
    let (bound, day) =
        if is_newer { ("released_on__gte", day_after(released)?) } else { ("released_on__lte", day_before(released)?) };
    let params = vec![of_mode(text("mode")), (bound.to_owned(), day), ("sort".to_owned(), "-released_on".to_owned())];
    Some(Relation { beside: Some(ordinal), ..Relation::new(Kind::Model, taken, params) })
}
