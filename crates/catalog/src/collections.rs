//! Collections: parts of the catalog that the configuration names, by a filter, by ids, or both. Their members are decided anew with every
//! generation ([`Collection::of`]); what they show is a view of it ([`Snapshot::within`]).

use serde::Deserialize;

use crate::answer::Unresolved;
use crate::listing;
use crate::segment::Found;
use crate::snapshot::Snapshot;
use refdesk_core::Kind;
use refdesk_core::query::{Expected, ListQuery, Params, filters};
use refdesk_search::Bitmap;

/// Longest id of a collection, in characters.
pub const COLLECTION_ID_CHARS_MAX: usize = 64;
/// Parameters of a list, beside filters, that say which rows are meant; all others say how they are shown.
const CHOOSING: [&str; 5] = ["q", "fresh_only", "include_removed", "stale", "include_candidates"];

/// A `[[collections]]` table of the configuration.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionConfig {
    /// Its name in addresses: `a-z`, `0-9`, `-`.
    pub id: String,
    /// Its name for people; the id when empty.
    #[serde(default)]
    pub title: String,
    /// The kinds it is of: `model`, `mcp-server`, …; all that take the filter when empty.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// What its members meet, as the query string of a list: `capability=tool_call&price_input__lte=3`.
    #[serde(default)]
    pub filter: String,
    /// Members by id or any spelling, beside those that meet the filter.
    #[serde(default)]
    pub ids: Vec<String>,
    /// What is no member, although it meets the filter.
    #[serde(default)]
    pub exclude: Vec<String>,
}

/// What is wrong with a collection: names the key, and says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CollectionError(pub String);

/// A collection whose definition was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Its name in addresses.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What its members meet, as the query string of a list; empty when they are listed by id alone, or all of its kinds are members.
    pub filter: String,
    /// Its kinds, with what is asked of each; nothing when its members are listed by id alone.
    kinds: Vec<(Kind, Option<ListQuery>)>,
    ids: Vec<String>,
    exclude: Vec<String>,
}

/// An id of a collection that names nothing in the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMember {
    /// The collection.
    pub collection: String,
    /// The id, as it was written.
    pub id: String,
    /// The id that is probably meant.
    pub nearest: Option<String>,
}

impl std::fmt::Display for UnknownMember {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { collection, id, nearest } = self;
        write!(f, "collection `{collection}` names `{id}`, but there is no such item")?;
        match nearest {
            Some(nearest) => write!(f, " (did you mean `{nearest}`?)"),
            None => Ok(()),
        }
    }
}

impl Collection {
    /// Checks a definition.
    ///
    /// # Errors
    /// On an id that is no name, an unknown kind, a filter that no list takes, or a definition that says nothing of its members.
    pub fn new(config: CollectionConfig) -> Result<Self, CollectionError> {
        let CollectionConfig { id, title, kinds, filter, ids, exclude } = config;
        let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.is_empty() || id.len() > COLLECTION_ID_CHARS_MAX || !id.chars().all(is_letter) {
            return Err(CollectionError(format!(
                "`id` is {id:?}; it takes 1 to {COLLECTION_ID_CHARS_MAX} of a-z, 0-9 and -"
            )));
        }
        let wrong = |what: String| CollectionError(format!("collection `{id}`: {what}"));
        let filter = filter.trim().trim_start_matches('?');
        if kinds.is_empty() && filter.is_empty() && ids.is_empty() {
            return Err(wrong("it does not say what its members are; set `filter`, `ids` or `kinds`".to_owned()));
        }
        let named = kinds.iter().map(|kind| {
            Kind::parse(kind).ok_or_else(|| {
                let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.singular()).collect();
                wrong(format!("`kinds` has {kind:?}; it takes {}", known.join(", ")))
            })
        });
        let named: Vec<Kind> = named.collect::<Result<_, _>>()?;
        let of_kind = |kind: Kind| asked(kind, filter).map(|query| (kind, query)).map_err(&wrong);
        let kinds: Vec<(Kind, Option<ListQuery>)> = if named.is_empty() {
            // A filter is of the kinds that have all of its fields; when none has, the error of the first says what is wrong.
            let (some, none): (Vec<_>, Vec<_>) = Kind::ALL.into_iter().map(of_kind).partition(Result::is_ok);
            match none.into_iter().next() {
                Some(first) if some.is_empty() => vec![first?],
                _ => some.into_iter().flatten().collect(),
            }
        } else {
            named.into_iter().map(of_kind).collect::<Result<_, _>>()?
        };
        let by_ids_alone = filter.is_empty() && !ids.is_empty();
        let kinds = kinds.into_iter().map(|(kind, query)| (kind, query.filter(|_| !by_ids_alone))).collect();
        let title = if title.trim().is_empty() { id.clone() } else { title };
        Ok(Self { id, title, filter: filter.to_owned(), kinds, ids, exclude })
    }

    /// The kinds that its members are of.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.kinds.iter().map(|(kind, _)| *kind)
    }

    /// Its members by id, beside those that meet the filter.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// What is no member, although it meets the filter.
    pub fn excluded(&self) -> &[String] {
        &self.exclude
    }

    /// The view of the collection on a snapshot, and what of its definition names nothing there. `before` is the view on the generation
    /// before.
    pub fn of(&self, snapshot: &Snapshot, before: Option<&Snapshot>) -> (Snapshot, Vec<UnknownMember>) {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); Kind::ALL.len()];
        for (kind, query) in &self.kinds {
            if let Some(query) = query {
                members[kind.index()] = listing::select(snapshot, *kind, query).rows;
            }
        }
        let mut unknown = Vec::new();
        let mut named = |ids: &[String]| {
            let mut found = Vec::new();
            for id in ids {
                let of_id = self.items(snapshot, id);
                if of_id.is_empty() {
                    let nearest = self.nearest(snapshot, id);
                    unknown.push(UnknownMember { collection: self.id.clone(), id: id.clone(), nearest });
                }
                found.extend(of_id);
            }
            found
        };
        for (kind, row) in named(&self.ids) {
            members[kind.index()].push(row);
        }
        for (kind, row) in named(&self.exclude) {
            members[kind.index()].retain(|member| *member != row);
        }
        let members = members.into_iter().map(|rows| rows.into_iter().collect::<Bitmap>()).collect();
        (snapshot.within(&self.id, &self.title, members, before), unknown)
    }

    /// The items of an id: those that have it for their own, else those of which it is a spelling.
    fn items(&self, snapshot: &Snapshot, id: &str) -> Vec<(Kind, u32)> {
        let (mut own, mut spelt) = (Vec::new(), Vec::new());
        for (kind, _) in &self.kinds {
            match snapshot.find(*kind, id) {
                Found::Id(ordinal) => own.push((*kind, snapshot.locate(ordinal).1)),
                Found::Alias(ordinal) => spelt.push((*kind, snapshot.locate(ordinal).1)),
                Found::Ambiguous(_) | Found::Unknown => {}
            }
        }
        if own.is_empty() { spelt } else { own }
    }

    /// What a detail path suggests: `io.github.github-github-mcp-server` for `github-mcp-server`, before what is only spelt like it.
    fn nearest(&self, snapshot: &Snapshot, id: &str) -> Option<String> {
        let kinds: Vec<Kind> = self.kinds().collect();
        Unresolved::new(snapshot, &kinds, id).suggestions.into_iter().next()
    }
}

/// What a filter asks of a kind.
fn asked(kind: Kind, filter: &str) -> Result<Option<ListQuery>, String> {
    let pairs: Vec<(String, String)> = form_urlencoded::parse(filter.as_bytes()).into_owned().collect();
    let chooses = |name: &str| CHOOSING.contains(&name) || filters(kind).iter().any(|filter| filter.name == name);
    let params = Params::new(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())), ListQuery::names(kind));
    let query = ListQuery::parse(kind, &params).map_err(|error| match error.expected {
        // `detail` says it all: the hint would repeat it, or point to a member that only answers have.
        Expected::Parameter | Expected::Described => format!("`filter`: {}", error.detail),
        _ => format!("`filter`: {} {}", error.detail, error.hint),
    })?;
    match pairs.iter().find(|(name, _)| !chooses(name)) {
        Some((name, _)) => Err(format!("`filter`: `{name}` is not a filter of a list of {}", kind.collection())),
        None => Ok(Some(query)),
    }
}
