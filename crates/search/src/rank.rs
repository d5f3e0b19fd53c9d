//! One ranking out of both channels: items called by name first, then by text (with meaning, where it is given).

use super::layered::{Beside, Gone};
use super::layout::{Ages, GROUPS};
use super::name_query::{NameHit, Scope};
use super::needs::{Plan, match_fields};
use super::{Hit, How, Index, MatchField, Near, Outcome, Request};

/// Longer queries are cut here.
const QUERY_CHARS_MAX: usize = 2_000;
/// Items of the text channel that take part in a hybrid ranking, at least.
const HYBRID_DEPTH: usize = 200;
/// Most that the text channel weighs in a hybrid ranking; the rest is meaning.
const TEXT_SHARE_MAX: f32 = 0.75;
/// Both weigh the same when the best text has this much of what the question asks for, for each unit of the best cosine.
const EVEN_AT: f32 = 0.35;
/// Texts that have nothing to do with each other are about so near.
const UNRELATED: f32 = 0.05;

impl Index {
    /// Finds the best items for a request.
    pub fn search(&self, request: &Request<'_>) -> Outcome {
        let alone = Beside::alone();
        let found = self.find(request, &alone);
        if !found.hits.is_empty() {
            return found;
        }
        Outcome { excluded_stale: found.excluded_stale, ..self.meant(request, &alone) }
    }

    /// The score of an item that has every word of a text to the full.
    pub(super) fn ideal(&self, text: &str) -> f32 {
        self.needs.plan(cut(text), &|_| 0).ideal
    }

    /// Finds the best items of a layer.
    pub(super) fn find(&self, request: &Request<'_>, beside: &Beside<'_>) -> Outcome {
        let text = cut(request.text);
        let mut plan = self.needs.plan(text, beside.others_with);
        plan.ideal = beside.ideal.unwrap_or(plan.ideal);
        let ages = if request.fresh_only { Ages::Fresh } else { Ages::All };
        let mut corrected = self.needs.corrected(&plan);
        let limit = request.limit.max(1);
        let named =
            self.with_scope(request.groups, ages, limit, beside, |scope| self.names.find(text, scope, &mut corrected));
        let depth = if request.semantic.is_some() { request.limit.max(HYBRID_DEPTH) } else { request.limit };
        let layout = &self.needs.index.layout;
        let ranges = layout.ranges(request.groups, ages);
        let found = super::collect::collect(&self.needs.index, &plan.clauses, &ranges, depth.max(1), beside.gone);
        let mut total = found.total;
        let texts: Vec<(u32, u32, f32)> = found
            .best
            .iter()
            .map(|(score, place)| (layout.owners[*place as usize], *place, *score as f32 / plan.ideal.max(1.0)))
            .collect();
        let ranked = match request.semantic {
            Some(near) => self.fuse(texts, near, (request.groups, ages), beside, &mut total),
            None => texts.into_iter().map(|(ord, place, score)| (ord, place, score, false)).collect(),
        };
        total += named.iter().filter(|hit| !self.in_text(hit.ord, &plan)).count();
        let hits = self.merge(named, ranked, &plan, request.limit);
        let excluded_stale = if request.fresh_only { self.excluded_stale(text, &plan, request, beside) } else { 0 };
        Outcome { total: total.max(hits.len()), hits, excluded_stale, corrected }
    }

    /// A last resort when nothing is found: items whose names look much like the query.
    pub(super) fn meant(&self, request: &Request<'_>, beside: &Beside<'_>) -> Outcome {
        let text = cut(request.text);
        let ages = if request.fresh_only { Ages::Fresh } else { Ages::All };
        let plan = self.needs.plan(text, beside.others_with);
        let mut corrected = self.needs.corrected(&plan);
        let meant = |scope: &Scope<'_>| self.names.meant(text, scope, &mut corrected);
        let named = self.with_scope(request.groups, ages, request.limit, beside, meant);
        let total = named.len();
        Outcome { hits: self.merge(named, Vec::new(), &plan, request.limit), total, excluded_stale: 0, corrected }
    }

    /// Ordinals of items with the nearest names ("did you mean"), best first.
    pub fn near_names(&self, text: &str, groups: u8, limit: usize) -> Vec<u32> {
        self.alike_names(text, groups, limit, Beside::alone().gone).into_iter().map(|(ord, _)| ord).collect()
    }

    /// The same of a layer, with how much alike they are.
    pub(super) fn alike_names(&self, text: &str, groups: u8, limit: usize, gone: &Gone) -> Vec<(u32, f32)> {
        let ranges = self.names.index.layout.ranges(groups, Ages::All);
        self.names.near(cut(text), &ranges, limit, gone).into_iter().map(|(ord, _, alike)| (ord, alike)).collect()
    }

    fn with_scope<T>(
        &self,
        groups: u8,
        ages: Ages,
        limit: usize,
        beside: &Beside<'_>,
        ask: impl FnOnce(&Scope<'_>) -> T,
    ) -> T {
        let ranges = self.names.index.layout.ranges(groups, ages);
        let allowed = |ord: u32| {
            let class = self.classes[ord as usize] as usize;
            ages.include(class >= GROUPS) && groups >> (class % GROUPS) & 1 == 1 && !beside.gone.has(ord)
        };
        let in_texts = |word: &str| self.needs.items_with(word) + (beside.others_with)(word);
        let same_stem = |word: &str, other: &str| self.needs.same_stem(word, other);
        ask(&Scope { ranges, allowed: &allowed, in_texts: &in_texts, same_stem: &same_stem, gone: beside.gone, limit })
    }

    /// Stale items that would have been found: exact when few (see [`Outcome::total`]).
    fn excluded_stale(&self, text: &str, plan: &Plan, request: &Request<'_>, beside: &Beside<'_>) -> usize {
        let ranges = self.needs.index.layout.ranges(request.groups, Ages::Stale);
        if ranges.is_empty() {
            return 0;
        }
        let found = super::collect::collect(&self.needs.index, &plan.clauses, &ranges, 1, beside.gone).total;
        let ask = |scope: &Scope<'_>| self.names.find(text, scope, &mut Vec::new());
        let named = self.with_scope(request.groups, Ages::Stale, 64, beside, ask);
        found + named.iter().filter(|hit| !self.in_text(hit.ord, plan)).count()
    }

    pub(super) fn is_stale(&self, ord: u32) -> bool {
        self.classes[ord as usize] as usize >= GROUPS
    }

    fn in_text(&self, ord: u32, plan: &Plan) -> bool {
        let place = self.needs.own_place(ord);
        plan.clauses.iter().any(|clause| self.needs.index.fields_at(clause.term, place) != 0)
    }

    /// Text and meaning, each scaled by its best: a convex combination. The more of the question the best text has, beside how near the
    /// nearest item is, the more text weighs: a question whose words hardly occur is a matter of meaning.
    fn fuse(
        &self,
        texts: Vec<(u32, u32, f32)>,
        near: &Near,
        (groups, ages): (u8, Ages),
        beside: &Beside<'_>,
        total: &mut usize,
    ) -> Vec<(u32, u32, f32, bool)> {
        let best = texts.iter().map(|text| text.2).fold(f32::MIN_POSITIVE, f32::max);
        let nearest = near.nearest.iter().map(|(_, cosine)| *cosine).fold(0.0, f32::max);
        let share = text_share(best, nearest);
        let by_meaning = |cosine: f32| {
            let related = nearest - UNRELATED;
            if related > 0.0 { (1.0 - share) * ((cosine - UNRELATED) / related).clamp(0.0, 1.0) } else { 0.0 }
        };
        let cosine = |ord: u32| near.cosine((beside.ordinal_of)(ord)).unwrap_or(0.0);
        let mut ranked: Vec<(u32, u32, f32, bool)> = texts
            .into_iter()
            .map(|(ord, place, score)| (ord, place, share * score / best + by_meaning(cosine(ord)), false))
            .collect();
        ranked.sort_unstable_by_key(|row| row.0);
        let known = ranked.len();
        self.with_scope(groups, ages, 0, beside, |scope| {
            for (ordinal, cosine) in &near.nearest {
                let Some(ord) = (beside.item_at)(*ordinal).filter(|ord| (*ord as usize) < self.len()) else { continue };
                if !(scope.allowed)(ord) {
                    continue;
                }
                match ranked[..known].binary_search_by_key(&ord, |row| row.0) {
                    Ok(at) => ranked[at].3 = true,
                    Err(_) => ranked.push((ord, self.needs.own_place(ord), by_meaning(*cosine), true)),
                }
            }
        });
        *total = (*total).max(ranked.len());
        for row in &mut ranked {
            row.2 = (row.2 * 4096.0).round() / 4096.0;
        }
        ranked
            .sort_by(|a, b| b.2.total_cmp(&a.2).then(self.is_stale(a.0).cmp(&self.is_stale(b.0))).then(a.0.cmp(&b.0)));
        ranked
    }

    fn merge(
        &self,
        mut named: Vec<NameHit>,
        ranked: Vec<(u32, u32, f32, bool)>,
        plan: &Plan,
        limit: usize,
    ) -> Vec<Hit> {
        named.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then(self.is_stale(a.ord).cmp(&self.is_stale(b.ord))).then(a.ord.cmp(&b.ord))
        });
        let mut hits: Vec<Hit> = Vec::with_capacity(limit);
        for hit in named.into_iter().take(limit) {
            let mut matched = vec![(hit.field, hit.how)];
            let place = self.needs.own_place(hit.ord);
            self.add_matched(place, hit.ord, plan, false, &mut matched);
            hits.push(Hit { ord: hit.ord, score: 1.0 + (hit.score / 3.0).clamp(0.0, 1.0), matched });
        }
        let called = hits.len();
        for (ord, place, score, semantic) in ranked {
            if hits.len() >= limit {
                break;
            }
            if hits[..called].iter().any(|hit| hit.ord == ord) {
                continue;
            }
            let mut matched = Vec::new();
            self.add_matched(place, ord, plan, semantic, &mut matched);
            hits.push(Hit { ord, score: score.clamp(0.0, 1.0), matched });
        }
        hits
    }

    /// Adds the fields in which an item's best unit and its own unit hold the wanted words.
    fn add_matched(&self, place: u32, ord: u32, plan: &Plan, semantic: bool, matched: &mut Vec<(MatchField, How)>) {
        let own = self.needs.own_place(ord);
        let (mut whole, mut fuzzy) = (0, 0);
        for wanted in &plan.wanted {
            for term in &wanted.terms {
                let mut bits = self.needs.index.fields_at(*term, own);
                if place != own {
                    bits |= self.needs.index.fields_at(*term, place);
                }
                if wanted.fuzzy { fuzzy |= bits } else { whole |= bits }
            }
        }
        for field in match_fields(whole) {
            if !matched.iter().any(|(known, _)| *known == field) {
                matched.push((field, How::Text));
            }
        }
        for field in match_fields(fuzzy) {
            if !matched.iter().any(|(known, _)| *known == field) {
                matched.push((field, How::Fuzzy));
            }
        }
        if semantic {
            matched.push((MatchField::Description, How::Semantic));
        }
    }
}

/// What text weighs, 0 to [`TEXT_SHARE_MAX`], when the best text has `best` of what is asked for and the nearest item is `nearest`.
fn text_share(best: f32, nearest: f32) -> f32 {
    (best / (best + EVEN_AT * nearest)).min(TEXT_SHARE_MAX)
}

/// At most [`QUERY_CHARS_MAX`] characters.
fn cut(text: &str) -> &str {
    text.char_indices().nth(QUERY_CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}
