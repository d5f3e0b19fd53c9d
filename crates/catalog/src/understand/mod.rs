//! Rule-based semantic parsing: `cheapest vision model with 1M context` read as the parameters of a list.
//!
//! A deterministic grammar over the fields, units and values that the catalog has; nothing is guessed. What is not surely understood
//! stays text: an order with words left over, a limit without a unit, a word without the kind of thing that is asked for.
//! [`crate::answer`] shows what was understood, with the list that it equals.

mod amounts;
mod conclusion;
mod dates;
mod exceptions;
mod joined;
mod kinds;
mod leaning;
mod measures;
mod modalities;
mod needs;
mod order;
mod params;
mod reading;
mod rest;
mod spelling;
mod things;
mod translation;
mod values;
mod vocabulary;
mod words;

use crate::listing;
use crate::resolve::model::makers::is_family;
use crate::snapshot::Snapshot;
use conclusion::conclude;
use kinds::Head;
use params::Param;
use reading::Reading;
use refdesk_core::Kind;
use refdesk_core::query::{ListQuery, Warning};
use refdesk_search::text::is_stop_word;
use refdesk_search::{SearchRequest, SegmentSet};
use rest::rest_of;
use things::asked::Asks;
use things::{Comparative, Relation, Strictness, with_number};
use words::{PhraseRows, Word, Words};

use amounts::spoken;
pub use amounts::{TokensAsked, tokens_asked};
pub use kinds::is_kind;
pub use needs::{Asked, GAINS, deed, expansions, made};
pub use rest::content_words;
pub use things::about::{asks_for_price, asks_for_status, asks_of_sellers, meters_asked};
pub use things::line::{UnknownVersion, line, unknown_version};
pub use things::package::packaged;
pub use things::successor::model_called;
pub use translation::{translated, with_letter, without_quantisation};
pub use words::DETERMINERS;

/// A single word that more than one in so many items has is an ordinary one.
const ORDINARY_SHARE: usize = 50;
/// What asks for a number of things.
static COUNTING: PhraseRows<()> = PhraseRows::new(&[("how many,number of,count of", ())]);
/// Longer texts are no questions.
const WORDS_MAX: usize = 40;

/// What was understood of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Understood {
    /// The kind that is meant.
    pub kind: Option<Kind>,
    /// Filters and `sort` of a list of the kind.
    pub params: Vec<Param>,
    /// Names that are compared.
    pub compared: Vec<String>,
    /// The name of what is asked about.
    pub about: Option<String>,
    /// The package that a command starts or installs, where a server comes in it.
    pub package: Option<String>,
    /// The item that things are asked for beside: it is none of them.
    pub beside: Option<u32>,
    /// What is searched for beyond that.
    pub rest: String,
    /// That is not what was typed, but the line of the model whose successors are asked for.
    pub is_rest_implied: bool,
    /// The question without what it says is not wanted, where that was no filter.
    pub wanted: Option<String>,
    /// Words that name what it says is not wanted.
    pub unwanted: Vec<String>,
    /// What the word for the kind may mean as well: a tool may be a server.
    pub also: Option<Kind>,
    /// What looked like a filter and was not taken for one.
    pub warnings: Vec<Warning>,
}

impl Understood {
    /// Whether nothing was understood.
    pub const fn is_empty(&self) -> bool {
        self.kind.is_none() && self.params.is_empty() && self.compared.is_empty()
    }

    /// Whether it names one thing, and does not describe what it asks for.
    pub const fn names_one(&self) -> bool {
        self.about.is_some() || self.package.is_some()
    }

    /// The value of a parameter.
    pub fn param(&self, name: &str) -> Option<&str> {
        params::value(&self.params, name)
    }

    /// The list that a question with filters or an order equals; none when it has neither.
    pub fn list(&self) -> Option<ListQuery> {
        let kind = self.kind?;
        if self.params.is_empty() {
            return None;
        }
        let pairs = self.params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let text = (!self.rest.is_empty() && self.param("sort").is_none()).then_some(("q", self.rest.as_str()));
        params::list(kind, pairs.chain(text))
    }
}

/// Reads a question about a kind, or about any.
pub fn understand(snapshot: &Snapshot, text: &str, kind: Option<Kind>) -> Understood {
    if let Some(filters) = values::parameters::parse(snapshot, text, kind) {
        return conclude(filters, kind, text);
    }
    if kind.is_none_or(|kind| kind == Kind::McpServer)
        && let Some(package) = packaged(snapshot, text)
    {
        return Understood { package: Some(package.to_owned()), rest: text.to_owned(), ..Understood::default() };
    }
    let words = kinds::with_plain_negations(without_counting(words::words(text)));
    let words = kinds::with_negations_apart(words);
    if words.len() > WORDS_MAX || is_single_name(&words, kind) {
        let is_family = words.len() == 1 && is_family(&words[0].folded);
        return Understood { kind: (is_family && kind.is_none()).then_some(Kind::Model), ..Understood::default() };
    }
    match things::asked::asked(snapshot, &words, kind, text) {
        Some(Asks::Related(relation)) => related(snapshot, words, relation, text),
        Some(Asks::Understood(understood)) => *understood,
        None => {
            let understood = described(snapshot, words, kind, text);
            let named =
                if understood.params.is_empty() { None } else { things::asked::named_by_kind(snapshot, kind, text) };
            named.unwrap_or(understood)
        }
    }
}

/// Whether one word is a name; not in scripts without blanks, nor for several things of a kind, nor what models of some mode are called:
/// `rerankers`. Where a parameter names the kind, `cheapest` is an order.
fn is_single_name(words: &[Word<'_>], kind: Option<Kind>) -> bool {
    let is_mode = || kinds::head(words).is_some_and(|head| vocabulary::knows(head.kind, words, head.at));
    let is_order = || kind.is_some() && order::is_superlative(words);
    words.len() < 2
        && words.iter().all(|word| word.text.is_ascii())
        && !kinds::is_of_several(words)
        && !is_mode()
        && !is_order()
}

/// Reads a question that describes what it asks for and names no thing.
fn described(snapshot: &Snapshot, words: Vec<Word<'_>>, kind: Option<Kind>, text: &str) -> Understood {
    let (words, misspelt) = spelling::corrected(snapshot, words);
    let named = values::ahead(snapshot, &words, kind, |words| head_of(words).map(|head| head.kind));
    let (words, params) = named.unwrap_or((words, Vec::new()));
    let head = head_of(&words).or_else(|| things::line::members(snapshot, &words));
    let meant = kind
        .or(head.map(|head| head.kind))
        .or_else(|| things::line::is_asked_for(snapshot, &words).then_some(Kind::Model));
    let also = head.and_then(|head| Some((head.kind, kinds::also(&words, head)?)));
    let mut reading = begun(snapshot, words, head, meant.unwrap_or(Kind::Model));
    reading.params = params;
    apply(&mut reading, &TELLING);
    // Without a kind, a number, an order, a day or what models alone are and do must say that they are meant; else the text is not looked
    // through for values.
    let is_described = meant.is_none() && !reading.is_of_models && tells_models(&reading);
    if meant.is_some() || reading.is_of_models || is_described {
        describe(&mut reading);
    }
    // Who names no kind means models when it is a matter of tokens, prices or days, and nothing is left over.
    let is_sure = meant.is_some()
        || ((reading.is_of_models || is_described)
            && rest_of(&reading).is_empty()
            && is_telling(&reading.params)
            && !is_of_own_text(&reading)
            && (reading.is_of_models || are_there(&reading)));
    if !is_sure {
        return only_exceptions(reading, text);
    }
    let mut understood = conclude(reading, kind, text);
    understood.also = also.filter(|(kind, _)| understood.kind == Some(*kind)).map(|(_, also)| also);
    if !understood.is_empty() {
        understood.warnings.extend(misspelt);
    }
    understood
}

/// Whether words say what models alone are and do, or who makes and who sells them.
fn tells_models(reading: &Reading<'_>) -> bool {
    vocabulary::tells_models(&reading.words) || things::line::are_made_and_sold(reading.snapshot, &reading.words)
}

/// What is understood of a question of no kind and without filters: what it says is not wanted.
fn only_exceptions(reading: Reading<'_>, text: &str) -> Understood {
    let Reading { snapshot, mut words, warnings, .. } = reading;
    words.iter_mut().for_each(|word| word.used = false);
    let mut understood = Understood { warnings, rest: text.to_owned(), ..Understood::default() };
    if let Some((wanted, unwanted, warnings)) = exceptions::split(snapshot, words) {
        understood.warnings.extend(warnings);
        (understood.wanted, understood.unwanted) = (Some(wanted), unwanted);
    }
    understood
}

/// The words of a question without those that ask for a number: the total of the answer is that. `how many models support vision`
fn without_counting(mut words: Vec<Word<'_>>) -> Vec<Word<'_>> {
    if let Some(end) = COUNTING.end_at(&words, 0).filter(|end| *end < words.len()) {
        words.drain(..end);
    }
    words
}

/// The word for the kind of a question. Beside other abilities and a price, `tools` are what models call: `vision + tools under $2`.
fn head_of(words: &[Word<'_>]) -> Option<Head> {
    let head = kinds::head(words)?;
    let before = &words[..head.at];
    let is_ability = head.kind == Kind::Tool
        && head.taken == 1
        && words.is(head.at, &["tool", "tools"])
        && amounts::are_of_money(words)
        && vocabulary::abilities(before).next().is_some();
    if is_ability { kinds::head(before) } else { Some(head) }
}

/// A reading that begins: the words that say nothing but its kind are understood.
fn begun<'a>(snapshot: &'a Snapshot, mut words: Vec<Word<'a>>, head: Option<Head>, kind: Kind) -> Reading<'a> {
    let head = head.filter(|head| head.kind == kind);
    // A `reranker` is a model, and says which; so does a `vector database`.
    if let Some(head) = head.filter(|head| !head.topical && !vocabulary::knows(head.kind, &words, head.at)) {
        let end = head.at + head.taken;
        // `tool named fetch`; what is `called by` something else has no such name.
        let is_named =
            words.is(end, &["named", "called"]) && words.get(end + 1).is_some_and(|name| !is_stop_word(&name.folded));
        words::take(&mut words, head.at..end + usize::from(is_named));
    }
    if let Some(head) = head {
        kinds::take_repeated(&mut words, head);
    }
    let mut reading = Reading::new(snapshot, kind, words, head.map(|head| head.at + head.taken));
    note_subjects(&mut reading);
    reading.said = reading::Said::of(&reading.words);
    // `all models except image models` names the kind twice.
    let leaves_out = |at: &usize| reading.negates(*at) || reading.is_excepting_pair(*at);
    let exception = head.and_then(|head| (0..head.at).find(leaves_out));
    if let Some(said) = exception.and_then(|end| kinds::named_before(&reading.words, end, kind)) {
        reading.take(said);
    }
    reading
}

/// Notes what the words of a question may be of: rules for anything else need not be tried.
fn note_subjects(reading: &mut Reading<'_>) {
    reading.speaks_of_amounts = amounts::are_said(&reading.words);
    reading.speaks_of_periods = dates::are_periods_said(&reading.words);
    reading.speaks_of_states = dates::are_states_said(&reading.words);
}

/// The language of the texts that a question asks for, as a code.
pub fn language_asked(text: &str) -> Option<&'static str> {
    vocabulary::language_said(&words::words(text))
}

/// Reads what a question says beside a relation to a named thing.
fn related(snapshot: &Snapshot, mut words: Vec<Word<'_>>, mut relation: Relation, text: &str) -> Understood {
    let (kind, beside) = (relation.kind, relation.beside);
    relation.take(&mut words);
    while let Some(further) = (kind == Kind::Model).then(|| things::asked::further(snapshot, &words)).flatten() {
        further.take(&mut words);
        relation.add(further);
    }
    // `instead of claude 3 opus, it's retired`: why is no filter of what else there is.
    let end = relation.taken.end;
    if words[end - 1].ends_clause && words.is(end, &["it's", "it’s", "its", "it", "which", "because", "as"]) {
        let length = words.len();
        words::take(&mut words, end..length);
    }
    let head = kinds::head(&words);
    let mut reading = begun(snapshot, words, head, kind);
    apply(&mut reading, &TELLING);
    describe(&mut reading);
    while let Some(unread) = things::beyond::unread(&reading.words).filter(|_| kind == Kind::Model) {
        reading.warn_of_words(unread.clone(), "no model of that name states what is compared");
        reading.take(unread);
    }
    reading.warnings.extend(relation.warning.clone());
    let line = relation.complete(&mut reading);
    let mut understood = conclude(reading, Some(kind), text);
    if understood.params.is_empty() {
        return understood;
    }
    understood.beside = beside;
    if understood.rest.is_empty() {
        understood.is_rest_implied = !line.is_empty();
        understood.rest = line;
    }
    understood
}

/// Whether parameters say by themselves that models are meant: `longest output`, and not `latest` or `cheapest` alone.
fn is_telling(params: &[Param]) -> bool {
    params.len() > 1
        || params.iter().any(|(name, value)| {
            let is_of_meter = value.contains("price_") && !value.contains("blended");
            name != "sort" || value.contains("_tokens") || value.contains("knowledge") || is_of_meter
        })
}

/// Whether there is anything that is as a question describes it.
fn are_there(reading: &Reading<'_>) -> bool {
    let described = Understood { kind: Some(reading.kind), params: reading.params.clone(), ..Understood::default() };
    let rows = |list| listing::select_beside(reading.snapshot, reading.kind, &list, None).rows;
    described.list().is_some_and(|list| !rows(list).is_empty())
}

/// What one asks who has a text of so many tokens, and not which models there are.
const ADVISING: [&[&str]; 4] = [&["what", "to", "do"], &["how", "to"], &["how", "do"], &["how", "can"]];

/// Whether a number of tokens is that of a text rather than of what models take: `prompt under 200 tokens`, `200k tokens what to do`.
fn is_of_own_text(reading: &Reading<'_>) -> bool {
    let has = |any: &[&str]| reading.words.iter().any(|word| word.is(any));
    let is_most = matches!(&reading.params[..], [(name, _)] if name == "context_tokens__lte");
    let is_said = |phrase: &&[&str]| {
        reading
            .words
            .windows(phrase.len())
            .any(|words| words.iter().zip(*phrase).all(|(word, part)| word.folded == *part))
    };
    is_most && !has(&["context", "window"]) || ADVISING.iter().any(is_said)
}

/// A rule: parses what stands at a position, and tells whether it could.
type ParseRule = fn(&mut Reading<'_>, usize) -> bool;
/// Orders, limits and days say by themselves what is asked for …
const TELLING: [ParseRule; 3] = [order::parse, amounts::parse, dates::parse];
/// … and these describe what is known to be a thing of a kind.
const DESCRIBING: [ParseRule; 5] =
    [values::metered, vocabulary::parse, modalities::parse, values::parse, things::line::by_word];
/// … and these are read once the values between them and the word for the kind are.
const BEFORE_VALUES: [ParseRule; 2] = [dates::beside_kind, order::before_values];

/// Reads what describes a thing of a kind, but for what is negated in a way that is not known.
fn describe(reading: &mut Reading<'_>) {
    // Most questions deny nothing, and have no filter to take back.
    if (0..reading.words.len()).any(|at| reading.denies(at)) {
        for rule in DESCRIBING {
            for at in 0..reading.words.len() {
                if !reading.words[at].used {
                    exceptions::unless_denied(reading, at, rule);
                }
            }
        }
    } else {
        apply(reading, &DESCRIBING);
    }
    apply(reading, &BEFORE_VALUES);
    dates::take_back(reading);
}

/// Applies rules, each from left to right; what says less comes after what says more.
fn apply(reading: &mut Reading<'_>, rules: &[ParseRule]) {
    for rule in rules {
        for at in 0..reading.words.len() {
            if !reading.words[at].used {
                rule(reading, at);
            }
        }
    }
}

/// Whether a text is the whole name of something in some segments: `Remote MCP` is one.
pub fn is_name(snapshot: &Snapshot, text: &str, segments: SegmentSet) -> bool {
    snapshot.whole_name(text, segments).is_some()
}

/// The same for a text within a question: a word that many items have is an ordinary one there, whatever is called by it.
fn is_telling_name(snapshot: &Snapshot, text: &str, segments: SegmentSet) -> bool {
    is_name(snapshot, text, segments)
        && (words::is_more_than_a_word(text) || rarity(snapshot, text, segments) >= ORDINARY_SHARE)
}

/// Of how many items about one has a text: more than there are where none has it.
fn rarity(snapshot: &Snapshot, text: &str, segments: SegmentSet) -> usize {
    let found = snapshot.search(&SearchRequest { segments, ..SearchRequest::new(text, 1) });
    let items = snapshot.item_count() as usize;
    // A few items are no measure of what is ordinary.
    if found.total <= 1 { usize::MAX } else { items / found.total }
}
