//! Comparisons with a thing that is named behind them, read as a small grammar: `cheaper than`, `no more expensive than`, `twice as cheap as`,
//! `as much context as`, `half the price of`, `the same context window as`, `costs less than`.

mod behind_name;

use super::factor::{Factor, factor};
use crate::understand::measures::Measure;
use crate::understand::words::{PhraseRows, Word, Words};
use behind_name::{beats, further, similar_but};
use refdesk_core::field::Side;
use refdesk_search::text::word_array;

pub use behind_name::{LIKE, joined};

/// Fields of models.
type Fields = &'static [&'static str];

/// What a comparison says of the value of the thing that is named where it ends.
#[derive(Debug, Clone, Copy)]
pub struct Comparative {
    /// The sides that the value bounds.
    pub sides: &'static [Side],
    pub strictness: Strictness,
    pub factor: Factor,
    /// The fields that are compared.
    pub fields: Fields,
    /// Where the name begins.
    pub end: usize,
    /// Where the words of the comparison end, if they stand behind the name.
    pub end_behind_name: Option<usize>,
    /// What else is compared: `more context and lower prices than`.
    pub also: Option<(Side, Fields)>,
}

/// Whether what is equal belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// `cheaper than`
    Beyond,
    /// `no more expensive than`
    UpTo,
}

impl Comparative {
    /// Beyond the value itself of the thing that is named from a position on.
    fn beyond(sides: &'static [Side], fields: Fields, end: usize) -> Self {
        let (strictness, factor) = (Strictness::Beyond, Factor::default());
        Self { sides, strictness, factor, fields, end, end_behind_name: None, also: None }
    }

    /// What else is compared, as a comparison of its own.
    pub fn further(self, said: Side, fields: Fields) -> Self {
        Self::beyond(side(said), fields, self.end)
    }

    /// Whether prices are compared.
    pub fn is_of_price(&self) -> bool {
        self.fields.iter().all(|field| field.starts_with("price_"))
    }
}

const LEAST: &[Side] = &[Side::Least];
const MOST: &[Side] = &[Side::Most];
const BOTH: &[Side] = &[Side::Least, Side::Most];
const PRICES: Fields = Measure::Price.fields();
/// The words behind name them.
const NAMED_BEHIND: Fields = &[];

/// Words, their side, and the fields that they compare where they name them. Before `than` …
static COMPARATIVES: PhraseRows<(Side, Fields)> = PhraseRows::new(&[
    ("cheaper,less expensive,more affordable,lower priced,less costly,more inexpensive", (Side::Most, PRICES)),
    ("more expensive,pricier,more pricey,dearer,costlier,more costly,higher priced,steeper", (Side::Least, PRICES)),
    ("bigger,larger,longer,more,greater,higher,wider", (Side::Least, NAMED_BEHIND)),
    ("smaller,shorter,less,lower,fewer", (Side::Most, NAMED_BEHIND)),
]);
/// … and between `as` and `as`.
static ADJECTIVES: PhraseRows<(Side, Fields)> = PhraseRows::new(&[
    ("cheap,affordable,inexpensive", (Side::Most, PRICES)),
    ("expensive,costly,pricey,dear,steep", (Side::Least, PRICES)),
    ("much,many,large,big,long,high,great,wide", (Side::Least, NAMED_BEHIND)),
    ("little,few,small,short,low", (Side::Most, NAMED_BEHIND)),
]);
/// Bounds in front of a multiple: `less than half the price of`.
static MULTIPLE_BOUNDS: PhraseRows<(&[Side], Strictness)> = PhraseRows::new(&[
    ("at least,no less than,not less than", (LEAST, Strictness::UpTo)),
    ("at most,no more than,not more than,up to", (MOST, Strictness::UpTo)),
    ("less than,under,below,cheaper than", (MOST, Strictness::Beyond)),
    ("more than,over,above", (LEAST, Strictness::Beyond)),
]);
/// Verbs of prices: what costs less is cheaper.
const COSTS: [&str; 8] = ["cost", "costs", "costing", "priced", "charge", "charges", "charging", "sold"];

/// The fields of what is compared, where its name begins at a position, and where that ends.
fn measured_at(words: &[Word<'_>], at: usize) -> Option<(Fields, usize)> {
    let (taken, measure) = Measure::at(words, at).filter(|(_, measure)| measure.is_number())?;
    Some((measure.fields(), at + taken))
}

/// What links a comparison with the thing that is named behind it. Most questions have none, and need no second look.
const LINKS: [&str; 15] =
    word_array("beat beats undercut undercuts than as of to for below under beneath above over like");

/// The first comparison of a question, and where it begins.
pub fn first_comparative(words: &[Word<'_>]) -> Option<(usize, Comparative)> {
    comparatives(words).next()
}

/// The comparisons of a question, and where each begins.
pub fn comparatives<'w>(words: &'w [Word<'_>]) -> impl Iterator<Item = (usize, Comparative)> + 'w {
    let mut at = if words.iter().any(|word| word.is(&LINKS)) { 0 } else { words.len() };
    std::iter::from_fn(move || {
        let (start, found) = (at..words.len()).find_map(|at| Some((at, comparative(words, at)?)))?;
        at = found.end;
        Some((start, found))
    })
}

/// The comparison that begins at a position.
fn comparative(words: &[Word<'_>], at: usize) -> Option<Comparative> {
    than(words, at)
        .or_else(|| measure_than(words, at))
        .or_else(|| as_as(words, at))
        .or_else(|| multiple_of(words, at))
        .or_else(|| same_as(words, at))
        .or_else(|| similar_but(words, at))
        .or_else(|| beats(words, at))
}

const fn side(side: Side) -> &'static [Side] {
    match side {
        Side::Least => LEAST,
        Side::Most => MOST,
    }
}

/// The comparison with a number that begins at a position: `more expensive than $5`, `at least as pricey as $5`, `a higher output price than $5`.
/// What costs `as much as $5` may cost less.
pub fn with_number(words: &[Word<'_>], at: usize) -> Option<Comparative> {
    let as_much = || {
        let adjective = ADJECTIVES.at(words, at + 1).filter(|_| words.is(at, &["as"]));
        adjective.is_some_and(|(_, (_, fields))| fields.is_empty())
    };
    let said =
        than(words, at).or_else(|| measure_than(words, at)).or_else(|| as_as(words, at).filter(|_| !as_much()))?;
    (said.also.is_none() && said.factor == Factor::default()).then_some(said)
}

/// `cheaper than`, `not more expensive than`, `3 times cheaper than`, `a bigger context than`, `higher in price than`, `costs less than`
fn than(words: &[Word<'_>], at: usize) -> Option<Comparative> {
    let costs = usize::from(words.is(at, &COSTS));
    let hedge = bound_of_factor(words, at + costs);
    let hedged = hedge.map_or(0, |(taken, ..)| taken);
    let negation = usize::from(costs + hedged == 0 && words.is(at, &["no", "not"]));
    let (factor, multiplied) = factor(words, at + negation + costs + hedged).unwrap_or_default();
    let start = at + negation + costs + hedged + multiplied;
    if let Some((below_or_above, priced)) = priced(words, start).filter(|_| costs > 0) {
        return Some(Comparative { factor: factor.beyond(below_or_above), ..priced });
    }
    let (taken, (said, fields)) = COMPARATIVES.at(words, start)?;
    let mut end = start + taken;
    let mut fields = *fields;
    if fields.is_empty() && costs > 0 {
        fields = PRICES;
    } else if let Some(named) = measured_at(words, words.past(end, &["in"])).filter(|_| fields.is_empty()) {
        // `higher output price`, `higher in price`
        (fields, end) = named;
    } else if let Some(priced) = Measure::priced(words, end).filter(|_| fields == PRICES) {
        (fields, end) = (priced.fields(), end + 1);
        end = words.past(end, &["price", "prices", "tokens", "token", "cost"]);
    }
    // As `más contexto que gpt-4o` is put in English: `more than context gpt-4o`.
    let is_turned = fields.is_empty() && words.is(end, &["than"]);
    if is_turned {
        // The comparison ends where its `than` would follow.
        let (named, named_end) = measured_at(words, end + 1)?;
        (fields, end) = (named, named_end - 1);
    }
    // `cheaper alternatives to gpt-4o`
    let is_alternative = words.is(end, &["alternative", "alternatives", "option", "options", "replacement"])
        && words.is(end + 1, &["to", "for", "than"]);
    end += usize::from(is_alternative);
    let also = further(words, end).filter(|(.., end)| !fields.is_empty() && words.is(*end, &["than"]));
    end = also.map_or(end, |(.., end)| end);
    let also = also.map(|(side, fields, _)| (side, fields));
    if fields.is_empty() || !(is_turned || is_alternative || words.is(end, &["than"])) {
        return None;
    }
    // What is half as expensive is `50% cheaper`, too.
    let is_beyond = negation + multiplied == 0;
    let strictness = if is_beyond { Strictness::Beyond } else { Strictness::UpTo };
    let (sides, strictness) = match hedge {
        // `at least 20% cheaper` costs at most so much, and `at most 20% cheaper` at least.
        Some((_, bound, strictness)) => (if bound == Side::Least { *said } else { said.opposite() }, strictness),
        None => (if negation > 0 { said.opposite() } else { *said }, strictness),
    };
    let factor = factor.beyond(*said);
    Some(Comparative { strictness, factor, also, ..Comparative::beyond(side(sides), fields, end + 1) })
}

/// `output limit larger than`, `context window that is bigger than`, `output price lower than`
fn measure_than(words: &[Word<'_>], at: usize) -> Option<Comparative> {
    let (fields, start) = measured_at(words, at)?;
    let start = words.past(words.past(start, &["that"]), &["is", "are"]);
    let (taken, (said, of)) = COMPARATIVES.at(words, start)?;
    let end = start + taken;
    // `output price more expensive than`
    let is_of_it = of.is_empty() || fields.iter().all(|field| of.contains(field));
    let is_than = is_of_it && words.is(end, &["than"]);
    is_than.then(|| Comparative::beyond(side(*said), fields, end + 1))
}

/// The bound that stands in front of a factor, and how many words say it: `at most 20%`, `less than twice`. `at least` needs none.
fn bound_of_factor(words: &[Word<'_>], at: usize) -> Option<(usize, Side, Strictness)> {
    let (taken, (sides, strictness)) = MULTIPLE_BOUNDS.at(words, at)?;
    let bound = *sides.first()?;
    let is_bound = factor(words, at + taken).is_some() || (bound, *strictness) == (Side::Least, Strictness::UpTo);
    is_bound.then_some((taken, bound, *strictness))
}

/// `priced below`, `costs under`: what stands behind the verb.
fn priced(words: &[Word<'_>], at: usize) -> Option<(Side, Comparative)> {
    let is_below = words.is(at, &["below", "under", "beneath"]);
    let said = if is_below { Side::Most } else { Side::Least };
    let priced = Comparative::beyond(side(said), PRICES, at + 1);
    (is_below || words.is(at, &["above", "over"])).then_some((said, priced))
}

/// `as cheap as`, `at least as expensive as`, `twice as much context as`, `not as expensive as`
fn as_as(words: &[Word<'_>], at: usize) -> Option<Comparative> {
    let negation = usize::from(words.is(at, &["not"]));
    let hedge = bound_of_factor(words, at + negation).or_else(|| {
        let (taken, (sides, strictness)) = MULTIPLE_BOUNDS.at(words, at + negation)?;
        (*strictness == Strictness::UpTo).then_some((taken, *sides.first()?, *strictness))
    });
    let hedged = hedge.map_or(0, |(taken, ..)| taken);
    let (factor, multiplied) = factor(words, at + negation + hedged).unwrap_or_default();
    let mut end = at + negation + hedged + multiplied;
    if !words.is(end, &["as"]) {
        return None;
    }
    let (taken, (said, fields)) = ADJECTIVES.at(words, end + 1)?;
    end += 1 + taken;
    end = words.past(end, &["a", "an", "of"]);
    let mut fields = *fields;
    if let Some(named) = measured_at(words, end).filter(|_| fields.is_empty()) {
        (fields, end) = named;
    } else if fields.is_empty() && words.is_behind(at, &COSTS) {
        // `that cost half as much as`
        fields = PRICES;
    }
    if fields.is_empty() || !words.is(end, &["as"]) {
        return None;
    }
    let is_cheap = fields == PRICES && *said == Side::Most;
    let meant = if *said == Side::Most || factor.is_less_than_one() { Side::Most } else { Side::Least };
    let factor = if *said == Side::Most { factor.as_little() } else { factor };
    let (sides, strictness) = match hedge {
        _ if negation > 0 => (meant.opposite(), Strictness::Beyond),
        // What is at least as cheap costs at most as much.
        Some((_, bound, strictness)) => (if is_cheap { bound.opposite() } else { bound }, strictness),
        None => (meant, Strictness::UpTo),
    };
    Some(Comparative { strictness, factor, ..Comparative::beyond(side(sides), fields, end + 1) })
}

/// `half the price of`, `at most twice the price of`, `below the price of`
fn multiple_of(words: &[Word<'_>], at: usize) -> Option<Comparative> {
    let bounds = MULTIPLE_BOUNDS.at(words, at);
    let bounded = bounds.map_or(0, |(taken, _)| taken);
    let multiplied = factor(words, at + bounded);
    let (factor, taken) = multiplied.unwrap_or_default();
    let start = words.past(at + bounded + taken, &["the", "a", "of"]);
    let (fields, end) = measured_at(words, words.past(start, &["the"]))?;
    if (bounds.is_none() && multiplied.is_none()) || !words.is(end, &["of"]) {
        return None;
    }
    let (sides, strictness) = match bounds {
        Some((_, (sides, strictness))) => (*sides, *strictness),
        None if factor.is_less_than_one() => (MOST, Strictness::UpTo),
        None => (LEAST, Strictness::UpTo),
    };
    Some(Comparative { strictness, factor, ..Comparative::beyond(sides, fields, end + 1) })
}

/// `the same context window as`
fn same_as(words: &[Word<'_>], at: usize) -> Option<Comparative> {
    let is_same = words.is(at, &["same", "equal", "identical"]);
    let (fields, end) = measured_at(words, at + 1).filter(|_| is_same)?;
    let same = Comparative { strictness: Strictness::UpTo, ..Comparative::beyond(BOTH, fields, end + 1) };
    words.is(end, &["as", "than"]).then_some(same)
}
