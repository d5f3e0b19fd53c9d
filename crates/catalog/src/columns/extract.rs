//! What an item's values are: read at the field's path, or told of several fields.

use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::auth::auth;
use super::matching::is_same_word;
use crate::json::text_of;
use crate::resolve::model::makers;
use crate::resolve::price::meters;
use crate::resolve::{ResolvedItem, leaf};
use refdesk_core::Usd;
use refdesk_core::clean::line;
use refdesk_core::field::FieldDef;
use refdesk_core::item::{Capabilities, Modalities, Status};

/// Parts of input for each part of output in a blended price.
const BLENDED_INPUT_PARTS: u32 = 3;

/// The prices of one seller.
#[derive(Debug, Clone, Copy)]
pub struct Prices<'a>(Option<&'a Value>);

impl<'a> Prices<'a> {
    /// Of an object `pricing`.
    pub fn new(pricing: Option<&'a Value>) -> Self {
        Self(pricing.filter(|pricing| pricing.is_object()))
    }

    fn usd(self, name: &str) -> Option<Usd> {
        self.0?.get(name).and_then(Usd::from_json)
    }

    /// A price by its field, as it stands in rows.
    pub fn get(self, field: &FieldDef) -> Option<String> {
        match field.path.strip_prefix("pricing.") {
            Some(name) => self.0?.get(name).and_then(scalar),
            None => self.blended().map(|price| price.to_string()),
        }
    }

    /// What is charged for where tokens cost nothing, such as queries or images: the first entry of the other prices. None where tokens have a
    /// price, or nothing has.
    pub fn billed_otherwise(self) -> Option<&'a Value> {
        let of_tokens = [self.usd("input"), self.usd("output")];
        if !of_tokens.iter().flatten().all(|price| price.is_zero()) || of_tokens.iter().all(Option::is_none) {
            return None;
        }
        self.charged_others().next()
    }

    /// Whether tokens cost something, by any of their meters.
    pub fn charges_tokens(self) -> bool {
        let meters = self.0.and_then(Value::as_object).map(meters::all).unwrap_or_default();
        meters.iter().any(|meter| !meter.path.starts_with("pricing.other.") && !meter.price.is_zero())
    }

    /// The prices by other meters than tokens, without those of nothing.
    pub fn charged_others(self) -> impl Iterator<Item = &'a Value> {
        let others = self.0.and_then(|pricing| pricing.get("other")?.as_array()).into_iter().flatten();
        others.filter(|other| other.get("price").and_then(Usd::from_json).is_some_and(|price| !price.is_zero()))
    }

    /// Three parts of input and one of output.
    pub fn blended(self) -> Option<Decimal> {
        let (input, output) = (self.usd("input")?.decimal(), self.usd("output")?.decimal());
        let sum = input.checked_mul(Decimal::from(BLENDED_INPUT_PARTS))?.checked_add(output)?;
        Some(sum.checked_div(Decimal::from(BLENDED_INPUT_PARTS + 1))?.normalize())
    }
}

/// A seller of a model.
#[derive(Debug, Clone, Copy)]
pub struct ListedSeller<'a> {
    /// Its name, as its source spells it.
    pub name: &'a str,
    /// Whether it is the maker at its own price.
    pub is_maker: bool,
    /// Its prices as it states them, where it states any.
    pub pricing: Option<&'a Value>,
    /// Whether it is a plan whose subscription [includes the model](is_included).
    pub is_included: bool,
    /// Of a row: the offer, or the row itself for the maker.
    stated: &'a Value,
}

impl<'a> ListedSeller<'a> {
    fn new(name: &'a str, is_maker: bool, pricing: Option<&'a Value>, stated: &'a Value) -> Self {
        let pricing = pricing.filter(|pricing| pricing.is_object());
        let is_included = !is_maker && pricing.is_some_and(|pricing| is_included(name, pricing));
        Self { name, is_maker, pricing, is_included, stated }
    }

    /// What it charges for the model: filters, orders and comparisons of prices go by it.
    pub fn charged(self) -> Option<&'a Value> {
        self.pricing.filter(|_| !self.is_included)
    }

    /// What the row says of it: of an offer, or of the model itself for the maker; null where it says nothing.
    pub fn member(self, name: &str) -> &'a Value {
        &self.stated[name]
    }

    /// Its name as it stands in the row.
    pub fn stated_name(self) -> &'a Value {
        self.member(if self.is_maker { "vendor" } else { "provider" })
    }

    /// The id to send to it, given [that of the maker](crate::segment::Segment::makers_id).
    pub fn api_model_id(self, makers_id: &'a str) -> &'a str {
        if self.is_maker { makers_id } else { text_of(self.stated, "api_model_id") }
    }
}

/// Who sells a model: the maker where it has a price of its own, then everyone with an offer, in their order. A maker whose model is retired
/// or removed sells it no more, nor does who has such an offer.
#[derive(Debug)]
pub struct Sold<'a>(Vec<ListedSeller<'a>>);

impl<'a> Sold<'a> {
    /// Of a row.
    pub fn of_row(row: &'a Value) -> Self {
        let offers = row.get("offers").and_then(Value::as_array).into_iter().flatten();
        let ends_sale = |of: &Value| Status::of(of).is_some_and(Status::ends_sale);
        let sold = offers.filter(|offer| !ends_sale(offer));
        let sold = sold.map(|offer| ListedSeller::new(text_of(offer, "provider"), false, offer.get("pricing"), offer));
        let own = row.get("pricing").filter(|_| !ends_sale(row));
        Self::new(ListedSeller::new(text_of(row, "vendor"), true, own, row), sold)
    }

    /// Of an item that is not rendered yet.
    pub fn of_item(item: &'a ResolvedItem) -> Self {
        let stated = &Value::Null;
        let sold = item.offers.iter().filter(|offer| !offer.status.ends_sale());
        let sold = sold.map(|offer| ListedSeller::new(&offer.provider, false, Some(&offer.pricing), stated));
        let own = item.fields.get("pricing").filter(|_| !item.status.ends_sale());
        let maker = item.vendor.as_deref().unwrap_or_default();
        Self::new(ListedSeller::new(maker, true, own, stated), sold)
    }

    /// Of the maker, without prices where it does not sell the model, and the offers that are sold.
    fn new(maker: ListedSeller<'a>, offers: impl Iterator<Item = ListedSeller<'a>>) -> Self {
        let maker = Some(maker).filter(|maker| maker.pricing.is_some());
        Self(maker.into_iter().chain(offers).collect())
    }

    /// All of them.
    pub fn sellers(self) -> impl Iterator<Item = ListedSeller<'a>> {
        self.0.into_iter()
    }

    /// The seller with the lowest blended price, the first of several.
    pub fn cheapest(&self) -> Option<ListedSeller<'a>> {
        let priced = self.0.iter().filter_map(|seller| Some((Prices::new(seller.charged()).blended()?, *seller)));
        priced.min_by_key(|(price, _)| *price).map(|(_, seller)| seller)
    }

    /// The seller with a name, in any spelling: the maker at its own price, or else its offer with the lowest blended price.
    pub fn seller(self, names: &[String]) -> Option<ListedSeller<'a>> {
        let is_named = |seller: &ListedSeller<'_>| names.iter().any(|name| is_called(seller.name, name));
        self.sellers().filter(is_named).min_by_key(|seller| {
            let price = Prices::new(seller.charged()).blended();
            (!seller.is_maker, price.is_none(), price)
        })
    }
}

/// Whether an offer is of a plan whose subscription includes the model: prices of nothing, which say how it is paid and not that it is free.
pub fn is_included(seller: &str, pricing: &Value) -> bool {
    makers::is_plan(seller) && pricing.as_object().is_some_and(meters::are_zero)
}

/// Whether a seller's name is what a request calls it: by the rule of filters, in any case and as one line of visible characters, or in
/// another spelling of the seller (`fireworks_ai` for `fireworks-ai`).
pub fn is_called(name: &str, asked: &str) -> bool {
    // Nearly all names are found without a copy of any.
    name.eq_ignore_ascii_case(asked)
        || makers::seller_name(name) == makers::seller_name(asked)
        || is_same_word(&line(name), &line(asked))
}

/// A scalar as a text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(line(text)),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Values of a list of objects at a key; objects in it may nest one deeper.
fn of_each(list: Option<&Value>, key: &[&str]) -> impl Iterator<Item = String> {
    let entries = list.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(move |entry| key.iter().try_fold(entry, |value, name| value.get(*name)).and_then(scalar))
}

fn is_filled(value: Option<&Value>) -> bool {
    value.and_then(Value::as_array).is_some_and(|list| !list.is_empty())
}

fn flag(value: bool) -> Vec<String> {
    vec![value.to_string()]
}

/// The values of a field of an item; none when unknown.
pub fn values(item: &ResolvedItem, lead_source: &str, field: &FieldDef, own: Prices<'_>) -> Vec<String> {
    let fields = &item.fields;
    if field.is_price() {
        return own.get(field).into_iter().collect();
    }
    let word =
        |text: Option<&str>| -> Vec<String> { text.filter(|text| !text.is_empty()).map(line).into_iter().collect() };
    match field.name {
        "name" => word(Some(&item.name)),
        "vendor" => word(item.vendor.as_deref()),
        "status" => word(Some(item.status.as_str())),
        "trust_tier" => word(Some(item.trust_tier.as_str())),
        "language" => word(item.language.as_deref()),
        "source" => word(Some(lead_source)),
        "has_conflicts" => flag(!item.conflicts.is_empty()),
        "offers" => vec![item.offers.len().to_string()],
        "seller" => seller_names(Sold::of_item(item)),
        "series" => word(Some(series(&item.id))),
        "has_files" => flag(is_filled(fields.get("files"))),
        "has_tools" => flag(is_filled(fields.get("tools"))),
        "input_modalities" | "output_modalities" => {
            let list =
                leaf(fields, field.path).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            list.map(|word| Modalities::in_one_word(word).to_owned()).collect()
        }
        "auth" => auth(fields).map(str::to_owned).into_iter().collect(),
        "updated_at" if field.path == "changed_at" => item.changed_at.map(|at| at.to_string()).into_iter().collect(),
        _ if field.is_list_of_parts() => words_of_parts(fields, field),
        _ => match leaf(fields, field.path) {
            Some(Value::Array(list)) => list.iter().filter_map(scalar).collect(),
            found => found.and_then(scalar).into_iter().collect(),
        },
    }
}

/// The words of a field whose list is told of several parts of a row ([`FieldDef::is_list_of_parts`]).
pub fn words_of_row(row: &Value, field: &FieldDef) -> Vec<String> {
    match (field.name, row) {
        ("seller", _) => seller_names(Sold::of_row(row)),
        (_, Value::Object(fields)) => words_of_parts(fields, field),
        _ => Vec::new(),
    }
}

fn words_of_parts(fields: &Map<String, Value>, field: &FieldDef) -> Vec<String> {
    let packages = fields.get("packages");
    match field.name {
        "capability" => capabilities(fields.get("capabilities")),
        "domain" => {
            let secondary = fields.get("secondary_domains").and_then(Value::as_array).into_iter().flatten();
            fields.get("domain").into_iter().chain(secondary).filter_map(scalar).collect()
        }
        "install_type" => {
            let types = [("packages", "package"), ("remotes", "remote")].into_iter();
            types.filter(|(list, _)| is_filled(fields.get(*list))).map(|(_, name)| name.to_owned()).collect()
        }
        "transport" => {
            of_each(fields.get("remotes"), &["type"]).chain(of_each(packages, &["transport", "type"])).collect()
        }
        "registry_type" => of_each(packages, &["registryType"]).chain(of_each(packages, &["registry_type"])).collect(),
        name => unreachable!("a list of parts that is not told of here: {name}"),
    }
}

/// The letters that the id of a model begins with, which its makers keep from version to version: `gpt` of `gpt-4o-mini`. Unlike the family it is
/// known of every model, and no source states it.
fn series(id: &str) -> &str {
    &id[..id.find(|c: char| !c.is_alphabetic()).unwrap_or(id.len())]
}

fn seller_names(sold: Sold<'_>) -> Vec<String> {
    let names = sold.sellers().map(|seller| seller.name).filter(|name| !name.is_empty());
    names.map(line).collect()
}

/// The names of capabilities; one that is known not to be there has a `!` before it.
fn capabilities(value: Option<&Value>) -> Vec<String> {
    let Some(Value::Object(capabilities)) = value else { return Vec::new() };
    let named = |(name, value): (&String, &Value)| match value {
        Value::Bool(true) => Some(name.clone()),
        Value::Bool(false) => Some(format!("!{name}")),
        _ => None,
    };
    debug_assert!(serde_json::from_value::<Capabilities>(Value::Object(capabilities.clone())).is_ok());
    capabilities.iter().filter_map(named).collect()
}
