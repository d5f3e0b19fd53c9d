//! What follows of all that was read of a question: filters and an order that go without saying, what is left to search for, and whether
//! anything was understood at all.

use super::leaning;
use super::leaning::unmeasured::{self, Unmeasured};
use super::order::take_count;
use super::params::{self, Param, param};
use super::reading::{Reading, day};
use super::rest::rest_of;
use super::things::GONE;
use super::words;
use super::{Understood, amounts, exceptions, joined, modalities};
use crate::listing;
use crate::resolve::model::makers;
use refdesk_core::field;
use refdesk_core::item::Status;
use refdesk_core::query::Warning;
use refdesk_core::{Kind, Stamp};

/// What is shown instead of the best, where the question has other words.
const WORDS_INSTEAD: &str = "what has the other words is shown";

/// Concludes a reading of a text; `given` is the kind that the request names.
pub fn conclude(mut reading: Reading<'_>, given: Option<Kind>, text: &str) -> Understood {
    if amounts::is_doubtful(&mut reading) {
        let (kind, warnings) = (given.is_none().then_some(reading.kind), reading.warnings);
        return Understood { kind, warnings, rest: text.to_owned(), ..Understood::default() };
    }
    if reading.kind == Kind::Model {
        amounts::leave_out_sizes(&mut reading);
    }
    take_count(&mut reading);
    joined::weigh(&mut reading);
    let unmeasured = unmeasured::take(&mut reading);
    let leaves_all = leave_out_negations(&mut reading, given);
    let asks_for_any = !leaves_all && unmeasured::asks_for_any(&mut reading, given, text, unmeasured.as_ref());
    let asks_for_all = leaves_all || asks_for_any;
    leaning::parse(&mut reading);
    amounts::take_back_presumed(&mut reading);
    let with = |left: String, words: &&str| format!("{left} {words}").trim_start().to_owned();
    let (left, kind) = (reading.instead.iter().fold(rest_of(&reading), with), reading.kind);
    if let Some(unmeasured) = unmeasured.as_ref().filter(|_| kind != Kind::Model) {
        tell_unmeasured(&mut reading, unmeasured, &left, asks_for_any);
    }
    leave_out_implied(&mut reading);
    take_price_of_seller(&mut reading);
    leave_out_other_outputs(&mut reading);
    let mut understood = Understood {
        kind: Some(kind),
        params: reading.params,
        rest: left,
        wanted: reading.wanted,
        unwanted: reading.unwanted,
        warnings: reading.warnings,
        ..Understood::default()
    };
    if understood.params.is_empty() && !asks_for_all {
        understood.warnings.extend(unmeasured.filter(|_| kind == Kind::Model).map(|it| it.told(WORDS_INSTEAD)));
        if given.is_some() {
            understood.kind = None;
            understood.rest = understood.wanted.clone().unwrap_or_else(|| text.to_owned());
        }
        return understood;
    }
    imply(&mut understood, kind, unmeasured.as_ref());
    // A value of the catalog that no parameter takes, such as one that is too long.
    let why = match understood.list() {
        None => Some("the filters that were read make no valid list, so the question was searched as text".to_owned()),
        Some(list) => listing::contradictions(&list.selection)
            .map(|contradiction| format!("the limits contradict each other and stay text: {contradiction}")),
    };
    if let Some(why) = why {
        understood.warnings.push(why.into());
        understood.params.clear();
        understood.rest = text.to_owned();
    }
    understood
}

/// What draws or ranks has no price of written output.
fn leave_out_implied(reading: &mut Reading<'_>) {
    let is_of_another = |(name, value): &Param| match name.as_str() {
        "model_mode" => value != "chat",
        "output_modalities" => !value.contains("text"),
        _ => false,
    };
    if reading.params.iter().any(is_of_another) {
        let implied = reading.implied.take();
        reading.params.retain(|(name, _)| implied.as_ref() != Some(name));
    }
}

/// Adds what goes without saying: an order, and that what is gone is not meant.
fn imply(understood: &mut Understood, kind: Kind, unmeasured: Option<&Unmeasured>) {
    let order = understood.param("sort").map(str::to_owned);
    // Who asks for what has no day of retirement does not ask for what is retired.
    let asks_for_status = understood.params.iter().any(|(name, value)| {
        name.starts_with("status")
            || (name.starts_with("retires") || name.starts_with("deprecated"))
                && !(name.ends_with("__isnull") && value == "true")
    });
    if understood.rest.is_empty() {
        understood.add_natural_order();
    }
    if let Some(unmeasured) = unmeasured.filter(|_| kind == Kind::Model && order.is_none()) {
        understood.warnings.push(unmeasured.told(match understood.param("sort") {
            None => WORDS_INSTEAD,
            Some("-offers") => "what most sellers offer comes first",
            Some(_) => "they are shown in the order of their days",
        }));
    }
    // Many cost nothing, and many have the same window: what more sell comes first of these.
    if let Some((_, sort)) = understood.params.iter_mut().find(|(name, sort)| name == "sort" && is_of_answers(sort)) {
        sort.push_str(",-offers");
    }
    if !asks_for_status
        && !is_of_the_past(order.as_deref(), &understood.params)
        && field::named(kind, "status").is_some()
    {
        // Who asks for the best of some kind means one that stays.
        let gone = if order.is_some() { GONE } else { "retired" };
        understood.params.push(param("status__not", gone));
    }
    understood.params.push(param("include_removed", "false"));
}

/// Says that no source measures what a question wants most of, and what is shown of a kind other than models.
fn tell_unmeasured(reading: &mut Reading<'_>, unmeasured: &Unmeasured, left: &str, asks_for_any: bool) {
    reading.warn(unmeasured.told(match (left.is_empty(), reading.kind) {
        (false, _) => WORDS_INSTEAD,
        (true, Kind::McpServer) if reading.has("official") => {
            "those that their makers publish are shown, updated last first"
        }
        (true, Kind::McpServer) => "those updated last come first",
        (true, _) => "they are shown in the order of their ids",
    }));
    if reading.params.is_empty() && !asks_for_any && reading.wanted.is_none() {
        reading.wanted = Some(unmeasured.left(reading));
    }
}

/// Who names one seller means its prices: `free models on openrouter`.
fn take_price_of_seller(reading: &mut Reading<'_>) {
    let is_priced = |(name, value): &Param| {
        name.starts_with("price_") && !name.ends_with("__isnull") || name == "sort" && value.contains("price_")
    };
    let seller = reading.param("seller").map(str::to_owned);
    // `openai models on azure with prices`; whether a price is known is asked of all sellers.
    let speaks_of_price = || {
        reading.words.iter().any(|word| word.is(&words::PRICES))
            && !reading.params.iter().any(|(name, _)| name.starts_with("price_"))
    };
    let Some(seller) = seller.filter(|_| reading.params.iter().any(is_priced) || speaks_of_price()) else { return };
    // The spellings of one seller; those of several have no price in common.
    let spellings = field::split(&seller);
    let first = makers::seller(&spellings[0]).name;
    if spellings.iter().all(|other| makers::seller(other).name == first) {
        reading.set("price_of", &seller);
    }
}

/// Whether an order goes by what models that answer have: a number of tokens, or their price.
fn is_of_answers(order: &str) -> bool {
    order.contains("_tokens") || order.contains("price_")
}

/// Leaves out what draws, speaks or ranks where models are asked for by price or by tokens, or for nothing: whatever number stands there, it has no
/// context and no price of an answer to speak of, and bills something else.
fn leave_out_other_outputs(reading: &mut Reading<'_>) {
    let is_free = ["price_input__lte", "price_output__lte"].iter().all(|price| reading.param(price) == Some("0"));
    // What hears or watches may be made for nothing else.
    let is_of_outputs = |(name, value): &Param| {
        name == "model_mode"
            || name.starts_with("output_modalities")
            || name == "input_modalities" && ["audio", "video"].iter().any(|input| value.contains(input))
    };
    if !(is_free || reading.param("sort").is_some_and(is_of_answers)) || reading.params.iter().any(is_of_outputs) {
        return;
    }
    reading.set("output_modalities__not", "audio,image,video");
    if !reading.has("model_mode__not") {
        reading.set("model_mode__not", modalities::OTHER_THAN_CHAT);
    }
}

/// Takes negations that were not understood out of the words to search for: beside filters, or where nothing else is said, which asks for all
/// things of the kind; else only those that say what is not wanted. Tells whether it asks for all.
fn leave_out_negations(reading: &mut Reading<'_>, given: Option<Kind>) -> bool {
    let (words, warnings) = (reading.words.clone(), reading.warnings.len());
    exceptions::leave_out(reading, false);
    if !reading.params.is_empty() || reading.warnings.len() == warnings && !reading.is_taken_back {
        return false;
    }
    let asks_for_all = given.is_none() && rest_of(reading).is_empty();
    if !asks_for_all {
        reading.words.clone_from(&words);
        reading.warnings.truncate(warnings);
        reading.unwanted.clear();
        exceptions::leave_out(reading, true);
        let kept = words.iter().zip(&reading.words).filter(|(before, now)| before.used == now.used);
        let is_any_left_out = reading.warnings.len() > warnings;
        reading.wanted = is_any_left_out.then(|| words::text(kept.map(|(word, _)| word)));
    }
    asks_for_all
}

/// Whether a question is of what was released up to some day, in no order but that of days: what is gone by now belongs to it.
fn is_of_the_past(order: Option<&str>, params: &[Param]) -> bool {
    let has_end = params::value(params, "released_on__lte").is_some();
    order == Some("released_on") || has_end && order.is_none_or(|order| order == "-released_on")
}

/// The order of a list of which none was said: by the day that was asked about, else what many sell first.
fn natural_order(kind: Kind, params: &[Param]) -> Option<Param> {
    let is_about = |field: &str| params.iter().any(|(name, _)| name.starts_with(field));
    let order = match kind {
        Kind::Model if params::value(params, "retires_on__isnull") == Some("true") => "-offers",
        Kind::Model if is_about("retires_on") => "retires_on",
        Kind::Model if is_about("released_on") => "-released_on",
        Kind::Model => "-offers",
        Kind::Tutorial if is_about("published_on") => "-published_on",
        Kind::McpServer => "-updated_at",
        _ => return None,
    };
    Some(param("sort", order))
}

/// The days on which models come to an end, and what they are then.
const ENDS: [(&str, Status); 2] = [("deprecated_on", Status::Deprecated), ("retires_on", Status::Retired)];

impl Understood {
    /// The same without the words that are searched for, in the order of a list of which none was said.
    #[must_use]
    pub fn without_words(mut self) -> Self {
        self.rest.clear();
        self.add_natural_order();
        self
    }

    /// Adds an order where none was said.
    fn add_natural_order(&mut self) {
        if let Some(kind) = self.kind.filter(|_| self.param("sort").is_none()) {
            self.params.extend(natural_order(kind, &self.params));
        }
    }

    /// The same of what became so on a day that no source states, where a question asks for what was deprecated or retired in a time that has
    /// begun, with what tells of it.
    pub fn of_unknown_day(&self, now: Stamp) -> Option<(Self, Warning)> {
        let today = day(now);
        let (field, status) = ENDS.into_iter().find(|(field, _)| {
            let bound = |side: &str| self.param(&format!("{field}__{side}"));
            bound("gte").or_else(|| bound("lte")).is_some_and(|first| first < today.as_str())
        })?;
        let mut other = self.clone();
        let is_of_day = |(name, value): &Param| {
            name.starts_with(field) || name.starts_with("status") || name == "sort" && value.ends_with(field)
        };
        other.params.retain(|param| !is_of_day(param));
        other.params.extend([param(&format!("{field}__isnull"), "true"), param("status", status.as_str())]);
        if other.rest.is_empty() {
            other.add_natural_order();
        }
        let status = status.as_str();
        let told = format!(
            "nothing is known to have been {status} then; showing what is {status} since a day that no source states"
        );
        Some((other, told.into()))
    }

    /// The same of things of another status.
    #[must_use]
    pub fn with_status(mut self, status: Status) -> Self {
        for (_, value) in self.params.iter_mut().filter(|(name, _)| name == "status") {
            status.as_str().clone_into(value);
        }
        self
    }
}
