//! What requests to a model cost at every seller: exact decimals, tiers by the whole prompt, and what no price is known of said to be
//! missing, never counted as nothing.

use std::cmp::Reverse;

use rust_decimal::Decimal;
use serde_json::Value;

use crate::columns::{ListedSeller, Prices, Sold, is_called};
use crate::json::{self, Object};
use crate::listing::PriceEvidence;
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use refdesk_core::Usd;
use refdesk_core::figures::grouped;
use refdesk_core::query::{CostQuery, Warning};

/// The unit of prices that a cost can be made of.
pub(super) const UNIT: &str = "1M_tokens";
/// The currency.
const CURRENCY: &str = "USD";
/// The member of prices that has the tiers.
const TIERS: &str = "tiers";
/// Tokens of that unit.
const TOKENS_OF_UNIT: u32 = 1_000_000;
/// Most unknown sellers that get a warning each, and most sellers that are named in one.
const SELLERS_TOLD: usize = 5;
/// The meter of what each request costs beside its tokens, which is its unit as well.
const REQUEST: &str = "request";
/// The member of prices that has those by other meters.
const OTHERS: &str = "other";
/// The meter of a plan, whose price no source states.
const SUBSCRIPTION: &str = "subscription";

/// What is counted, and how much of it.
struct CountedMeter {
    name: &'static str,
    /// Its price, and the one that counts where that is not stated.
    prices: [&'static str; 2],
    tokens: u64,
}

struct CostLine {
    meter: &'static str,
    /// Tokens, or requests where they are the meter.
    tokens: Decimal,
    /// Of a million of them.
    price: Usd,
    /// The member of the prices that states it.
    stated_at: &'static str,
    amount: Decimal,
}

struct Cost<'a> {
    seller: ListedSeller<'a>,
    lines: Vec<CostLine>,
    missing: Vec<&'a str>,
    /// Tokens above which the prices count.
    tier: Option<u64>,
    total: Option<Decimal>,
}

/// The cost of a model's requests at every seller.
pub fn cost(snapshot: &Snapshot, ordinal: u32, query: &CostQuery, warnings: &[Warning]) -> Vec<u8> {
    let row: Value = json::read_own(snapshot.row(ordinal));
    let is_asked = |seller: &ListedSeller<'_>| {
        query.sellers.is_empty() || query.sellers.iter().any(|asked| is_called(seller.name, asked))
    };
    let sellers = Sold::of_row(&row).sellers().filter(is_asked);
    let mut costs: Vec<Cost<'_>> = sellers.map(|seller| of_seller(seller, query)).collect();
    costs.sort_by_cached_key(|cost| {
        let total = cost.total.filter(|_| !query.by_seller);
        let is_last = !cost.seller.is_maker && !query.by_seller;
        (!query.by_seller && total.is_none(), total, is_last, cost.seller.name.to_owned())
    });
    let mut out = Vec::with_capacity(2048);
    let mut object = Object::open(&mut out);
    object.text("model", snapshot.id(ordinal));
    let mut asked = Object::open(object.name("request"));
    let meters = [
        ("input_tokens", query.input_tokens),
        ("output_tokens", query.output_tokens),
        ("cache_read_tokens", query.cache_read_tokens),
        ("cache_write_tokens", query.cache_write_tokens),
        ("reasoning_tokens", query.reasoning_tokens),
        ("requests", query.requests),
    ];
    meters.iter().for_each(|(name, tokens)| asked.value(name, tokens));
    asked.flag("batch", query.batch);
    asked.close();
    object.objects("sellers", &costs, |object, cost| write(cost, snapshot.locate(ordinal), object));
    let unknown = without_line(&row, query);
    let told = included(&costs).into_iter().chain(free(&costs)).chain(beyond_limits(&row, &costs, query));
    let told: Vec<Warning> = told.collect();
    object.value("warnings", &warnings.iter().chain(&unknown).chain(&told).collect::<Vec<_>>());
    object.close();
    out
}

/// Says why there is no line, or none of a seller that is asked for.
fn without_line(row: &Value, query: &CostQuery) -> Vec<Warning> {
    let known: Vec<&str> = Sold::of_row(row).sellers().map(|seller| seller.name).collect();
    if known.is_empty() {
        let status = row["status"].as_str().unwrap_or_default();
        return vec![Warning::from(format!("no source knows a seller of this model; its status is `{status}`"))];
    }
    let is_unknown = |asked: &&String| !known.iter().any(|name| is_called(name, asked));
    let told = |asked: &String| {
        let shown = refdesk_core::clean::quoted(asked);
        let meant = refdesk_core::nearest::did_you_mean(shown.as_str(), known.iter().copied());
        let told = format!("no seller `{shown}` states a price of this model{meant}; without `seller` all are listed");
        Warning::from(told)
    };
    query.sellers.iter().filter(is_unknown).take(SELLERS_TOLD).map(told).collect()
}

/// Some sellers as a sentence lists them, each once: `` `a`, `b` and 3 more ``. Nothing where there is none.
fn named<'a>(sellers: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut all: Vec<&str> = Vec::new();
    for seller in sellers {
        if !all.contains(&seller) {
            all.push(seller);
        }
    }
    let named: Vec<String> = all.iter().take(SELLERS_TOLD).map(|name| refdesk_core::clean::quoted(name)).collect();
    let others = all.len() - named.len();
    let others = if others == 0 { String::new() } else { format!(" and {others} more") };
    (!all.is_empty()).then(|| format!("`{}`{others}", named.join("`, `")))
}

/// Says which sellers include the model in a plan, so that no total tells what a request costs there.
fn included(costs: &[Cost<'_>]) -> Option<Warning> {
    let plans =
        named(costs.iter().map(|cost| cost.seller).filter(|seller| seller.is_included).map(|seller| seller.name))?;
    Some(format!("{plans}: the price is 0 because a subscription includes the model").into())
}

/// Says for which sellers a price of 0 is stated beside others who charge, and what the cheapest of these asks: few sell without conditions what
/// they ask nothing for.
fn free(costs: &[Cost<'_>]) -> Option<Warning> {
    let totals = || costs.iter().filter_map(|cost| Some((cost.total?, cost.seller.name)));
    let (total, seller) = totals().filter(|(total, _)| !total.is_zero()).min_by_key(|(total, _)| *total)?;
    let free = named(totals().filter(|(total, _)| total.is_zero()).map(|(_, seller)| seller))?;
    let seller = refdesk_core::clean::quoted(seller);
    Some(format!("a price of 0 is stated for {free}; the lowest total above 0 is {total} at `{seller}`").into())
}

/// Says which tokens of a request are more than one takes or gives: at every seller, which is then said of the model, or at some of them. One that
/// states no limit has the model's.
fn beyond_limits(row: &Value, costs: &[Cost<'_>], query: &CostQuery) -> Vec<Warning> {
    let told = |tokens: u64, names: &[&str], verb: &str| {
        let limit = |limits: &Value| names.iter().find_map(|name| limits[*name].as_u64().filter(|most| *most > 0));
        let of_model = limit(&row["limits"]);
        let limits = costs.iter().map(|cost| (cost.seller.name, limit(cost.seller.member("limits")).or(of_model)));
        let is_beyond = |most: Option<u64>| most.is_some_and(|most| tokens > most);
        let (beyond, within): (Vec<_>, Vec<_>) = limits.partition(|(_, most)| is_beyond(*most));
        let tokens = grouped(tokens);
        if within.is_empty() && query.sellers.is_empty() {
            let of_sellers = beyond.iter().filter_map(|(_, most)| *most).max();
            let most = grouped(of_sellers.or(of_model.filter(|_| is_beyond(of_model)))?);
            return Some(format!(
                "{tokens} tokens are more than the {most} that this model {verb} in one request; `requests` counts several"
            ));
        }
        // Another id of the same seller may do.
        let names = beyond.iter().map(|(name, _)| *name).filter(|name| within.iter().all(|(other, _)| other != name));
        let sellers = named(names)?;
        Some(format!("{tokens} tokens are more than one request {verb} at {sellers}; `requests` counts several"))
    };
    let prompt = query.input_tokens + query.cache_read_tokens + query.cache_write_tokens;
    let input = told(prompt, &["input_tokens", "context_tokens"], "takes");
    let output = told(query.output_tokens, &["output_tokens"], "gives");
    input.into_iter().chain(output).map(Warning::from).collect()
}

/// The evidence of the prices that a cost of the maker is made of, the one that adds most first; where there is no such price, of all it states.
fn makers_evidence<'s>(cost: &Cost<'_>, (segment, at): (&'s Segment, u32)) -> PriceEvidence<'s> {
    let mut lines: Vec<&CostLine> = cost.lines.iter().collect();
    lines.sort_by_key(|line| Reverse(line.amount));
    if lines.is_empty() {
        return PriceEvidence::of_pricing(segment, at, cost.seller.pricing.unwrap_or(&Value::Null));
    }
    PriceEvidence::of_meters(segment, at, lines.iter().map(|line| line.stated_at))
}

/// What is counted of a request. Reasoning is a part of the output, and billed as such where it has no price of its own.
fn meters(query: &CostQuery) -> Vec<CountedMeter> {
    let (input, output, reasoning) =
        if query.batch { ("batch_input", "batch_output", "batch_output") } else { ("input", "output", "reasoning") };
    let meter = |name, tokens| CountedMeter { name, prices: [name; 2], tokens };
    let all = [
        meter(input, query.input_tokens),
        meter("cache_read", query.cache_read_tokens),
        meter("cache_write", query.cache_write_tokens),
        meter(output, query.output_tokens - query.reasoning_tokens),
        CountedMeter { prices: [reasoning, output], ..meter("reasoning", query.reasoning_tokens) },
    ];
    all.into_iter().filter(|meter| meter.tokens > 0).collect()
}

/// The highest tier that a prompt of so many tokens is above.
pub(super) fn tier_of(pricing: &Value, prompt: u64) -> Option<(u64, &Value)> {
    let tiers = pricing.get(TIERS).and_then(Value::as_array).into_iter().flatten();
    let above = tiers.filter_map(|tier| Some((tier.get("above_context_tokens")?.as_u64()?, tier)));
    above.filter(|(above, _)| prompt > *above).max_by_key(|(above, _)| *above)
}

fn of_seller<'a>(seller: ListedSeller<'a>, query: &CostQuery) -> Cost<'a> {
    let prompt = query.input_tokens + query.cache_read_tokens + query.cache_write_tokens;
    let pricing = seller.pricing.unwrap_or(&Value::Null);
    let is_priced = pricing["unit"] == UNIT && pricing["currency"] == CURRENCY;
    let tier = if is_priced { tier_of(pricing, prompt) } else { None };
    let price_of = |meter: &CountedMeter| {
        let below = |name: &&&str| pricing.get(**name).and_then(Usd::from_json);
        let above = |name: &&&str| tier.and_then(|(_, tier)| tier.get(**name)).and_then(Usd::from_json);
        // A tier holds for the whole request: a price below it is none above it. Which price is meant, the seller says by stating it anywhere.
        let meant = meter.prices.iter().find(|name| is_priced && (below(name).is_some() || above(name).is_some()))?;
        let (price, stated_at) = if tier.is_some() { (above(&meant)?, TIERS) } else { (below(&meant)?, *meant) };
        Some((price, stated_at))
    };
    let (mut lines, mut missing) = (Vec::new(), Vec::new());
    for meter in meters(query) {
        let tokens = Decimal::from(meter.tokens).checked_mul(Decimal::from(query.requests));
        let line = price_of(&meter).zip(tokens).and_then(|((price, stated_at), tokens)| {
            Some(CostLine { meter: meter.name, tokens, price, stated_at, amount: amount(tokens, price)? })
        });
        match line {
            Some(line) => lines.push(line),
            None => missing.push(meter.name),
        }
    }
    for meter in billed_otherwise(&lines, pricing) {
        if !missing.contains(&meter) {
            missing.push(meter);
        }
    }
    match price_of_request(pricing).map(|price| requests(price, pricing, query)) {
        Some(Some(line)) => lines.push(line),
        Some(None) => missing.push(REQUEST),
        None => {}
    }
    missing.extend(seller.is_included.then_some(SUBSCRIPTION));
    let sum = lines.iter().try_fold(Decimal::ZERO, |sum, line| sum.checked_add(line.amount));
    let total = sum.filter(|_| missing.is_empty()).map(|sum| sum.normalize());
    Cost { seller, lines, missing, tier: tier.map(|(above, _)| above), total }
}

/// What so many tokens cost. A product that no decimal holds is made of the price of one token: a price that is known is not missing.
fn amount(tokens: Decimal, price: Usd) -> Option<Decimal> {
    let (price, unit) = (price.decimal(), Decimal::from(TOKENS_OF_UNIT));
    let exact = tokens.checked_mul(price).and_then(|product| product.checked_div(unit));
    exact.or_else(|| price.checked_div(unit)?.checked_mul(tokens)).map(|amount| amount.normalize())
}

/// Meters that the seller bills by instead of tokens: those with a price where all tokens cost nothing, or none has a price.
fn billed_otherwise<'a>(lines: &[CostLine], pricing: &'a Value) -> impl Iterator<Item = &'a str> {
    let prices = Prices::new(Some(pricing));
    let is_nothing = lines.iter().all(|line| line.amount.is_zero()) && !(lines.is_empty() && prices.charges_tokens());
    let others = prices.charged_others().filter(move |_| is_nothing);
    others.filter(|other| !is_of_request(other)).filter_map(|other| other.get("meter").and_then(Value::as_str))
}

/// Whether a price is what every request costs, unlike that of a web search, which is a request as well.
fn is_of_request(other: &Value) -> bool {
    other["meter"] == REQUEST && other["unit"] == REQUEST
}

/// The stated price of a request, unless that is nothing.
fn price_of_request(pricing: &Value) -> Option<&Value> {
    Prices::new(Some(pricing)).charged_others().find(|other| is_of_request(other)).map(|other| &other["price"])
}

/// What the requests cost beside their tokens. Of those in a batch no price is known.
fn requests(price: &Value, pricing: &Value, query: &CostQuery) -> Option<CostLine> {
    let price = Usd::from_json(price).filter(|_| !query.batch && pricing["currency"] == CURRENCY)?.per_million()?;
    let requests = Decimal::from(query.requests);
    Some(CostLine { meter: REQUEST, tokens: requests, price, stated_at: OTHERS, amount: amount(requests, price)? })
}

/// A decimal with its own digits.
fn exact(object: &mut Object<'_>, name: &str, amount: Option<Decimal>) {
    match amount {
        Some(amount) => object.raw(name, amount.to_string()),
        None => object.raw(name, "null"),
    }
}

fn write(cost: &Cost<'_>, row: (&Segment, u32), object: &mut Object<'_>) {
    object.value("seller", cost.seller.stated_name());
    object.text("api_model_id", cost.seller.api_model_id(row.0.makers_id(row.1)));
    object.flag("first_party", cost.seller.is_maker);
    exact(object, "total", cost.total);
    object.text("currency", CURRENCY);
    object.objects("lines", &cost.lines, |entry, line| {
        entry.text("meter", line.meter);
        exact(entry, "tokens", Some(line.tokens));
        exact(entry, "price_per_1m", Some(line.price.decimal()));
        exact(entry, "amount", Some(line.amount));
    });
    object.value("tier", &cost.tier.map(|above| serde_json::json!({"above_context_tokens": above})));
    object.value("missing", &cost.missing);
    object.flag("comparable", cost.missing.is_empty());
    if cost.seller.is_maker {
        let PriceEvidence { record, is_stale } = makers_evidence(cost, row);
        object.flag("stale", is_stale);
        object.plain("evidence_key", &record.key.written());
    } else {
        object.flag("stale", *cost.seller.member("stale") == true);
        object.value("evidence_key", cost.seller.member("evidence_key"));
    }
}
