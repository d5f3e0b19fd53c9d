//! A view of a snapshot: the same segments, of which only some items are shown, and everything that is asked of them answers as if there
//! were no others. What is a member is decided once, in [`Snapshot::within`].

use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

use super::{Snapshot, short_hex};
use crate::segment::EvidenceRecord;
use refdesk_core::Kind;
use refdesk_core::fact::EvidenceKey;
use refdesk_route::Card;
use refdesk_search::{AnalysedQuery, Bitmap, Coverage, SearchOutcome, SearchRequest, SegmentSet};

/// Which items a view shows.
#[derive(Debug, Clone)]
pub struct View {
    /// Its name in addresses.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// Rows by kind.
    members: Vec<Bitmap>,
    /// Rows of the cards that its router knows, in their order.
    cards: Vec<u32>,
}

impl View {
    /// Number of items of all kinds.
    pub fn len(&self) -> usize {
        self.members.iter().map(Bitmap::len).sum()
    }

    /// True when it shows nothing.
    pub fn is_empty(&self) -> bool {
        self.members.iter().all(Bitmap::is_empty)
    }
}

impl Snapshot {
    /// A view of some rows of each kind, in the order of [`Kind::ALL`]. It shares everything with this snapshot but the router, which is
    /// trained on the cards that it shows, or taken over from this snapshot or `before` where these are the same.
    #[must_use]
    pub fn within(&self, id: &str, title: &str, members: Vec<Bitmap>, before: Option<&Self>) -> Self {
        let frameworks = self.segment(Kind::Framework);
        let shown = |row: &u32| members[Kind::Framework.index()].contains(*row);
        let (cards, rows): (Vec<&Card>, Vec<u32>) = frameworks.cards_and_rows().filter(|(_, row)| shown(row)).unzip();
        let mut routers = [Some(self), before].into_iter().flatten().filter_map(|snapshot| snapshot.router.get());
        let router = routers.find(|router| router.cards().iter().eq(cards.iter().copied())).cloned();
        let mut revision = Sha256::new();
        revision.update(&self.revision);
        revision.update(id);
        members.iter().flat_map(Bitmap::words).for_each(|word| revision.update(word.to_le_bytes()));
        Self {
            revision: short_hex(revision),
            router: router.map_or_else(OnceLock::new, OnceLock::from),
            // The cache has one router, that of all cards.
            router_cache: None,
            stats: self.stats.within(&self.segments, &members),
            view: Some(View { id: id.to_owned(), title: title.to_owned(), members, cards: rows }),
            ..self.clone()
        }
    }

    /// What is shown, when that is not everything.
    pub const fn view(&self) -> Option<&View> {
        self.view.as_ref()
    }

    /// Whether a row of a kind is shown.
    pub fn shows(&self, kind: Kind, row: u32) -> bool {
        self.view.as_ref().is_none_or(|view| view.members[kind.index()].contains(row))
    }

    fn members(&self) -> &[Bitmap] {
        self.view.as_ref().map_or(&[], |view| &view.members)
    }

    /// The rows of a kind that lists show, by id.
    pub fn listed_rows(&self, kind: Kind, include_candidates: bool, fresh_only: bool) -> impl Iterator<Item = u32> {
        let listed = self.segment(kind).listed(include_candidates, fresh_only);
        listed.page(0, listed.len()).filter(move |row| self.shows(kind, *row))
    }

    /// How many listed ids begin with a text, and the first `limit` of them.
    pub fn ids_with_prefix(&self, kind: Kind, prefix: &str, limit: usize) -> (usize, Vec<&str>) {
        let segment = self.segment(kind);
        let (count, rows) = segment.rows_with_prefix(prefix);
        if self.view.is_none() {
            return (count, rows.take(limit).map(|row| segment.id(row)).collect());
        }
        let mut ids: Vec<&str> = rows.filter(|row| self.shows(kind, *row)).map(|row| segment.id(row)).collect();
        let count = ids.len();
        ids.truncate(limit);
        (count, ids)
    }

    /// A search among what is shown; `only` of the request is of items that are shown.
    pub fn search(&self, request: &SearchRequest<'_>) -> SearchOutcome {
        let only = if request.only.is_empty() { self.members() } else { request.only };
        self.index.search(&SearchRequest { only, ..*request })
    }

    /// How much of the words of a request some items have.
    pub fn coverage(&self, request: &SearchRequest<'_>, items: impl IntoIterator<Item = u32>) -> Coverage {
        self.index.coverage(request, items)
    }

    /// Analyses a text, for more than one search.
    pub fn analyse(&self, text: &str) -> AnalysedQuery {
        self.index.analyse(text)
    }

    /// The shown item of some kinds of which a text is the whole name, in any spelling.
    pub fn whole_name(&self, text: &str, segments: SegmentSet) -> Option<u32> {
        self.whole_name_among(text, segments, self.members())
    }

    /// The same among some rows of each kind, which have to be shown.
    pub fn whole_name_among(&self, text: &str, segments: SegmentSet, only: &[Bitmap]) -> Option<u32> {
        self.index.whole_name(text, segments, only)
    }

    /// Ordinals of the items with the most similar names of all that were compared for so many, best first: some can be left out.
    pub fn names_compared(&self, text: &str, segments: SegmentSet, limit: usize) -> Vec<u32> {
        self.index.names_compared(text, segments, self.members(), limit)
    }

    /// The ordinal of a card of the router.
    pub fn card_ordinal(&self, card: usize) -> u32 {
        let row = match &self.view {
            Some(view) => view.cards[card],
            None => self.segment(Kind::Framework).card_row(card),
        };
        self.ordinal(Kind::Framework, row)
    }

    /// The evidence record with a key, of an item that is shown.
    pub fn evidence(&self, key: &str) -> Option<EvidenceRecord<'_>> {
        let key = EvidenceKey::parse(key)?;
        self.segments.iter().find_map(|segment| {
            let evidence = segment.all_evidence();
            let slot = evidence.slot(key)?;
            let is_shown = self.view.is_none()
                || (0..segment.len()).any(|row| self.shows(segment.kind(), row) && segment.rests_on(row, slot));
            is_shown.then(|| evidence.get(slot))
        })
    }

    /// Whether an item rests on the evidence record with a key.
    pub fn rests_on(&self, ordinal: u32, key: &str) -> bool {
        let (segment, row) = self.locate(ordinal);
        let slot = EvidenceKey::parse(key).and_then(|key| segment.all_evidence().slot(key));
        slot.is_some_and(|slot| segment.rests_on(row, slot))
    }

    /// The first item that is shown and rests on the evidence record with a key. Nothing leads from a record to its items, so this looks
    /// through the items of a kind.
    pub fn item_on(&self, key: &str) -> Option<(Kind, u32)> {
        let key = EvidenceKey::parse(key)?;
        self.segments.iter().find_map(|segment| {
            let (kind, slot) = (segment.kind(), segment.all_evidence().slot(key)?);
            let row = (0..segment.len()).find(|row| self.shows(kind, *row) && segment.rests_on(*row, slot))?;
            Some((kind, self.ordinal(kind, row)))
        })
    }
}
