//! The level of a model's prices, by which a price that is new or moved far is judged until its source states it again.
//!
//! Witnesses are, in this order: other sources' price of the same seller for the same variant; the median of the other sellers' plain
//! prices; without any of these, the price that was believed before. A price that a second source confirms is believed at once.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::meters::{self, MeterPrice};
use super::pending::is_believed;
use super::{BELIEVED_AFTER_SECS, NEW_PRICE_RATIO_MAX, PRICE_PER_MILLION_MAX, PRICE_RATIO_MAX, far_off, is_off};
use refdesk_core::fact::{StatedBy, StoredFact, Verdict};
use refdesk_core::{Stamp, Usd};

/// A new price is judged by other sellers only when so many of them have one.
const SIBLINGS_MIN: usize = 2;

/// The prices that one live fact of a model states.
#[derive(Debug, Clone, Copy)]
pub struct Quote<'a> {
    /// The fact.
    pub fact: &'a StoredFact,
    /// Who sells.
    pub seller: &'a str,
    /// What the offer is a variant of the model of, if it is no plain one.
    pub variant: Option<&'a str>,
    /// Rank of the source; smaller is better.
    pub rank: i32,
    /// The stated prices.
    pub pricing: &'a Map<String, Value>,
}

/// A price that is not believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unbelieved {
    /// Place of its quote.
    pub quote: usize,
    /// Dotted path below the offer.
    pub path: String,
    /// The price.
    pub price: Usd,
    /// Why it is not believed by itself.
    pub doubt: Doubt,
    /// The median of the other sellers' prices.
    pub siblings: Option<Usd>,
    /// The price of the same seller in the best other source.
    pub others: Option<Usd>,
    /// It is far off none of these, and above [`PRICE_PER_MILLION_MAX`].
    pub is_too_high: bool,
}

/// Why a price is not believed by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubt {
    /// The price that was believed before.
    pub before: Option<Usd>,
    /// Since when the source states it.
    pub since: Option<Stamp>,
    /// An operator refused it.
    pub refused: bool,
}

impl Doubt {
    /// The price from which it moved. One in the place of zero moved by no factor: it is judged as a new one.
    pub fn before_it_moved(self) -> Option<Usd> {
        self.before.filter(|before| !before.is_zero())
    }
}

/// The prices that are not believed, by quote and path.
pub fn judge(quotes: &[Quote<'_>]) -> Vec<Unbelieved> {
    let is_open = |quote: &Quote<'_>| !quote.fact.pending.is_empty() || is_new(quote.fact);
    if !quotes.iter().any(is_open) {
        return Vec::new();
    }
    let stated: Vec<Vec<MeterPrice>> = quotes.iter().map(|quote| meters::all(quote.pricing)).collect();
    let mut unbelieved = Vec::new();
    for (place, quote) in quotes.iter().enumerate() {
        for meter in &stated[place] {
            if let Some(doubt) = doubt(quote.fact, &meter.path)
                && !meter.price.is_zero()
                && let Some(found) = against_witnesses(quotes, &stated, place, meter, doubt)
            {
                unbelieved.push(found);
            }
        }
    }
    unbelieved
}

/// Listed in one state of its source's bytes only, and for less than a day.
fn is_new(fact: &StoredFact) -> bool {
    let standing = &fact.standing;
    let age = standing.last_verified_at.map_or(0, |at| at.secs_since(standing.first_seen_at));
    !standing.restated && age < BELIEVED_AFTER_SECS && fact.provenance.stated_by != Some(StatedBy::Card)
}

fn doubt(fact: &StoredFact, path: &str) -> Option<Doubt> {
    let seen_at = fact.standing.last_verified_at.unwrap_or(fact.standing.last_synced_at);
    match fact.pending.iter().find(|pending| pending.path == path) {
        Some(pending) if is_believed(pending, seen_at) => None,
        Some(pending) => Some(Doubt {
            before: pending.before,
            since: Some(pending.since),
            refused: pending.verdict == Some(Verdict::Refused),
        }),
        None if is_new(fact) => Some(Doubt { before: None, since: Some(fact.standing.first_seen_at), refused: false }),
        None => None,
    }
}

fn is_doubted(fact: &StoredFact, path: &str) -> bool {
    doubt(fact, path).is_some()
}

fn against_witnesses(
    quotes: &[Quote<'_>],
    stated: &[Vec<MeterPrice>],
    place: usize,
    meter: &MeterPrice,
    doubt: Doubt,
) -> Option<Unbelieved> {
    let (quote, price) = (&quotes[place], meter.price);
    let priced = |other: usize| {
        let known = stated[other].iter().find(|known| known.path == meter.path)?;
        Some(known.price).filter(|price| !price.is_zero())
    };
    let of_seller = |other: &usize| {
        let other = &quotes[*other];
        other.fact.source_id != quote.fact.source_id && other.seller == quote.seller && other.variant == quote.variant
    };
    let mut same: Vec<usize> = (0..quotes.len()).filter(of_seller).filter(|at| priced(*at).is_some()).collect();
    // A source that stood by its price for long knows better than one that came up with it now; then the better rank counts.
    same.sort_by_key(|at| (is_doubted(quotes[*at].fact, &meter.path), quotes[*at].rank));
    let others = same.first().and_then(|at| priced(*at));
    let siblings = median_of_sellers(quotes, quote.seller, &priced);
    let found = Unbelieved {
        quote: place,
        path: meter.path.clone(),
        price,
        doubt,
        siblings: siblings.map(|(median, _)| median),
        others,
        is_too_high: false,
    };
    if doubt.refused {
        return Some(found);
    }
    if same.iter().any(|at| priced(*at).is_some_and(|other| !far_off(price, other))) {
        return None;
    }
    let is_moved = doubt.before_it_moved().is_some();
    let (fewest, ratio_max) = if is_moved { (1, PRICE_RATIO_MAX) } else { (SIBLINGS_MIN, NEW_PRICE_RATIO_MAX) };
    let enough = siblings.filter(|(_, count)| *count >= fewest);
    let by_siblings = enough.map(|(median, _)| is_off(price, median, ratio_max));
    let knows_better = same.first().is_some_and(|at| {
        let theirs = is_doubted(quotes[*at].fact, &meter.path);
        !theirs || quotes[*at].rank <= quote.rank
    });
    let is_far = match by_siblings {
        Some(is_far) => is_far,
        None if knows_better => true,
        None => doubt.before.is_some_and(|before| far_off(price, before)),
    };
    let highest = rust_decimal::Decimal::from(PRICE_PER_MILLION_MAX);
    let is_too_high = !is_far && meter.per_million_tokens && price.decimal() > highest;
    (is_far || is_too_high).then_some(Unbelieved { is_too_high, ..found })
}

/// The median of the plain prices of all other sellers, and how many they are.
fn median_of_sellers(
    quotes: &[Quote<'_>],
    seller: &str,
    priced: &dyn Fn(usize) -> Option<Usd>,
) -> Option<(Usd, usize)> {
    let mut by_seller: BTreeMap<&str, (i32, Usd)> = BTreeMap::new();
    for (at, quote) in quotes.iter().enumerate().filter(|(_, quote)| quote.seller != seller && quote.variant.is_none())
    {
        let Some(price) = priced(at) else { continue };
        let best = by_seller.entry(quote.seller).or_insert((quote.rank, price));
        if quote.rank < best.0 {
            *best = (quote.rank, price);
        }
    }
    let mut prices: Vec<Usd> = by_seller.into_values().map(|(_, price)| price).collect();
    prices.sort_unstable();
    let last = prices.len().checked_sub(1)?;
    // Of an even number that between the two in the middle: the lower one alone would let one slip below speak for all.
    let (low, high) = (prices[last / 2], prices[last - last / 2]);
    Some((if low == high { low } else { low.mean(high)? }, prices.len()))
}
