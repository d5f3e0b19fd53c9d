//! Questions about one named thing: `does ollama support gguf`, `which tools does the github mcp server offer`, `max output of gpt-4o`.
//! What they say beside the name is asked of the thing, and is no filter and no other thing to look for.

use crate::understand::amounts::{is_numeric, is_of_tokens};
use crate::understand::kinds::is_kind;
use crate::understand::measures::{is_amount, is_attribute};
use crate::understand::needs::behind_how;
use crate::understand::order::cheapest_at;
use crate::understand::rest::is_said_in_short;
use crate::understand::words::{self, DETERMINERS, PRICES, SELLS, Word, Words};
use refdesk_search::text::{is_stop_word, word_array};

/// Longer names are none.
const NAME_WORDS_MAX: usize = 10;
/// Words between a question word and its verb: `which environment variables does …`.
const BEFORE_VERB_MAX: usize = 4;
/// Words that a question begins with …
const QUESTION_WORDS: [&str; 7] = ["which", "what", "how", "when", "where", "why", "who"];
/// … and verbs that stand before whom it is about.
const AUXILIARIES: [&str; 12] =
    ["does", "do", "did", "is", "are", "was", "were", "can", "could", "will", "has", "should"];
/// What is done to the thing that is named behind it.
const HANDLING: [&str; 14] =
    word_array("install uninstall configure setup use run deploy connect update upgrade start host access call");
/// What stands between such a thing and another one that it is used with.
const TOGETHER: [&str; 2] = ["with", "together"];
/// Prepositions between what is asked and the name that ends the question: `cost of 2M tokens with gpt-4o`.
const OF: [&str; 5] = ["of", "for", "with", "on", "using"];
/// What a price that is asked for may be per: `whisper price per minute`, `per 1k tokens`.
const UNITS: [&str; 17] = word_array(
    "minute second hour image page picture character characters request call song video 1k 1000 1m mtok 1mtok",
);
/// What a price of cached tokens is for: `cache write price`.
const CACHED: [&str; 3] = ["cached", "cache", "caching"];
const CACHE_USES: [&str; 8] = word_array("read reads hit hits write writes writing creation");
/// What is done to tokens whose price is asked for: `what does it cost to process 2M tokens with …`.
const PROCESSING: [&str; 5] = ["process", "run", "use", "send", "generate"];
/// What who asks for a price does: `what do I pay for 3M output tokens of …`.
const PAYING: [&str; 3] = ["pay", "paying", "charged"];
/// What stands before these beside attributes.
const LISTED: [&str; 3] = ["list", "show", "tools"];
/// Words for the end of a thing.
const STATUS_WORDS: [&str; 17] = word_array(
    "shutdown shut switched turned end-of-life deprecated deprecation retired retire retires retirement sunset \
     discontinued eol available active status",
);
/// Who sells, and what they do.
const SELLERS: [&str; 4] = ["seller", "sellers", "provider", "providers"];
const SELLING: [&str; 4] = ["sell", "sells", "charge", "charges"];
/// What stands before who sells something: `price of gpt-5 on azure`.
const SOLD_ON: [&str; 5] = ["on", "at", "via", "through", "from"];
/// Most words of a seller's name.
const SELLER_WORDS_MAX: usize = 3;
/// What is sold.
const MODELS: [&str; 4] = ["models", "model", "llms", "llm"];
/// Words of a kind that ends a name, behind which `tools` are its own: `github mcp server tools`.
const SERVERS: [&str; 3] = ["server", "mcp", "servers"];

/// The name that a question asks something about, as it was typed; `is_name` tells what names something.
pub fn name(words: &[Word<'_>], is_name: impl Fn(&str) -> bool) -> Option<String> {
    let question = Question { words, is_name };
    question
        .behind_of()
        .or_else(|| question.behind_auxiliary())
        .or_else(|| question.handled())
        .or_else(|| question.longest_from(sold(words)?))
        .or_else(|| question.before_attributes())
        .or_else(|| question.behind_attributes())
        .or_else(|| question.between_attributes())
        .or_else(|| question.at_lowest_price())
}

/// The words of a question about a price without who sells the thing, if it says that last: `price of gpt-5 on azure`, `gpt-5 on azure price`.
pub fn without_seller<'w>(words: &[Word<'w>], is_seller: impl Fn(&str) -> bool) -> Option<Vec<Word<'w>>> {
    if !is_of_price(words) && !asks_how_much(words) {
        return None;
    }
    let end = 1 + words.iter().rposition(|word| !is_asked(word))?;
    let first = end.saturating_sub(SELLER_WORDS_MAX + 1).max(1);
    let link = (first..end - 1).find(|at| words.is(*at, &SOLD_ON) && is_seller(&words::text(&words[at + 1..end])))?;
    Some([&words[..link], &words[end..]].concat())
}

/// A question in which a name is looked for.
struct Question<'q, 'w, F> {
    words: &'q [Word<'w>],
    is_name: F,
}

impl<F: Fn(&str) -> bool> Question<'_, '_, F> {
    /// Some words, if they are a name.
    fn named(&self, words: &[Word<'_>]) -> Option<String> {
        let text = words::text(words);
        (self.is_name)(&text).then_some(text)
    }

    /// The longest name that begins at a position, or behind a determiner there.
    fn longest_from(&self, at: usize) -> Option<String> {
        self.longest_at(at).map(|(name, _)| name)
    }

    /// The same, and where its words end.
    fn longest_at(&self, at: usize) -> Option<(String, usize)> {
        let start = self.behind_determiner(at);
        let rest = self.words.get(start..)?;
        rest.first().filter(|word| !is_stop_word(&word.folded))?;
        let mut lengths = (1..=NAME_WORDS_MAX.min(rest.len())).rev();
        lengths.find_map(|taken| Some((self.named(&rest[..taken])?, start + taken)))
    }

    fn behind_determiner(&self, at: usize) -> usize {
        self.words.past(at, &DETERMINERS)
    }

    /// `context window of gpt-4o`, `list the tools of the github mcp server`
    fn behind_of(&self) -> Option<String> {
        let of = self.words.iter().rposition(|word| word.is(&OF))?;
        let asked = &self.words[..of];
        let is_listed = |word: &Word<'_>| word.is(&LISTED);
        let is_attribute = |word: &Word<'_>| is_listed(word) || is_attribute(&word.folded);
        let asks_for_price = is_of_price(asked);
        let is_processed = |word: &Word<'_>| asks_for_price && (word.is(&PROCESSING) || word.is(&PAYING));
        // What is done with a thing is not asked of it: `how to cache prompts with redis`.
        let deed = behind_how(self.words);
        let asks_of_it = (0..of).any(|at| is_attribute(&asked[at]) && deed != Some(at))
            && asked.iter().enumerate().all(|(at, word)| {
                self.only_asks(at, asks_for_price) || is_listed(word) || is_quantity(word) || is_processed(word)
            });
        let name = self.words.get(self.behind_determiner(of + 1)..)?;
        (asks_of_it && (1..=NAME_WORDS_MAX).contains(&name.len())).then(|| self.named(name)).flatten()
    }

    /// `does playwright support firefox`, `which models does ollama run`
    fn behind_auxiliary(&self) -> Option<String> {
        // `how to do` asks for what is done.
        let is_auxiliary = |at: usize| self.words.is(at, &AUXILIARIES) && !self.words.is_behind(at, &["to"]);
        let reach = if self.words.is(0, &QUESTION_WORDS) { BEFORE_VERB_MAX } else { 0 };
        let auxiliary = (0..=reach).find(|at| is_auxiliary(*at))?;
        // `which tools are MCP clients` asks for tools, `what models does groq sell` for models.
        let asked = self.words.get(1..auxiliary).unwrap_or_default();
        let is_of_kind = self.words.is(auxiliary, &["are", "is", "were", "was"])
            || asked.last().is_some_and(|last| last.is(&MODELS))
                && self.words.last().is_some_and(|last| last.is(&SELLS));
        if is_of_kind && !asked.is_empty() && is_kind(&words::text(asked)) {
            return None;
        }
        self.longest_from(auxiliary + 1)
    }

    /// `how do I install playwright`; what is used together with another thing is not what is asked about: `use langchain with pinecone`.
    fn handled(&self) -> Option<String> {
        let (name, end) = self.longest_at(handled(self.words)?)?;
        let is_told = behind_how(self.words).is_some() && self.words.is(end, &TOGETHER) && end + 1 < self.words.len();
        (!is_told).then_some(name)
    }

    /// `batch discount gpt-4o`, `price claude opus 4.1`, `price per 1k tokens gpt-4o`
    fn behind_attributes(&self) -> Option<String> {
        let behind = |asked: usize| {
            let is_any = self.words[..asked].iter().any(|word| is_attribute(&word.folded));
            let name = self.words.get(asked..).filter(|name| is_any && (1..=NAME_WORDS_MAX).contains(&name.len()))?;
            self.named(name)
        };
        let asked = self.asked_until(false);
        // What a price is per may begin a name as well.
        let of_price = || Some(self.asked_until(true)).filter(|more| *more > asked && is_of_price(self.words));
        behind(asked).or_else(|| behind(of_price()?))
    }

    /// `llama 3.3 70b license`, `github mcp server tools`
    fn before_attributes(&self) -> Option<String> {
        let end = self.asked_from()?;
        // `slack mcp server without login` says what is looked for, and asks nothing of the one that is called so.
        let is_lack = |pair: &[Word<'_>]| pair[0].is(&["without", "no"]) && is_attribute(&pair[1].folded);
        if self.words[end..].windows(2).any(is_lack) {
            return None;
        }
        let asks_from = |end: usize| self.words[end..].iter().any(|word| is_attribute(&word.folded));
        if asks_from(end) {
            let (name, end) = self.longest_to(0, end)?;
            return asks_from(end).then_some(name);
        }
        let (last, before) = self.words.split_last()?;
        let is_of_server = last.folded == "tools" && before.last().is_some_and(|word| word.is(&SERVERS));
        is_of_server.then(|| self.named(before)).flatten()
    }

    /// `price claude opus 4.1 per 1k tokens`
    fn between_attributes(&self) -> Option<String> {
        let (begin, end) = (self.asked_until(false), self.asked_from()?);
        if begin == 0 || begin >= end || end == self.words.len() {
            return None;
        }
        let (name, end) = self.longest_to(begin, end)?;
        let mut asked = self.words[..begin].iter().chain(&self.words[end..]);
        asked.any(|word| is_attribute(&word.folded)).then_some(name)
    }

    /// `cheapest gpt-4o`, `lowest price for gpt-4o`, `free gpt-4o`: who names nothing but one version asks who sells it for least. A line
    /// of models has no number, and several things have the word for their kind.
    fn at_lowest_price(&self) -> Option<String> {
        let start = self.words.iter().take_while(|word| is_stop_word(&word.folded) || word.is(&["whats"])).count();
        let name = if let Some(end) = least_at(self.words, start) {
            self.words.get(self.behind_determiner(self.words.past(self.words.past(end, &PRICES), &OF))..)?
        } else {
            let end = (start + 1..self.words.len()).find(|at| least_at(self.words, *at) == Some(self.words.len()))?;
            &self.words[start..end]
        };
        let is_of_one = words::has_digit(&words::text(name)) && !name.iter().any(|word| is_kind(word.text));
        (is_of_one && name.len() <= NAME_WORDS_MAX).then(|| self.named(name)).flatten()
    }

    /// The longest name that begins at a position, and where it ends, at `end` or behind it: names end with words that also ask or say nothing
    /// (`gpt 5.1 codex max`, `gemma 4 31b it`).
    fn longest_to(&self, begin: usize, end: usize) -> Option<(String, usize)> {
        let longest = self.words.len().min(begin + NAME_WORDS_MAX).max(end);
        (end..=longest).rev().find_map(|end| Some((self.named(&self.words[begin..end])?, end)))
    }

    /// Where the words begin that end the question and only ask: `price per minute`, `with 200k input and 5k output, what does it cost`.
    fn asked_from(&self) -> Option<usize> {
        let asks_for_price = is_of_price(self.words);
        let last = (0..self.words.len()).rposition(|at| !self.only_asks(at, asks_for_price))?;
        Some(last + 1)
    }

    /// Where the words end that begin the question and only ask, those among them that a price is asked per if they are `of_price`.
    fn asked_until(&self, of_price: bool) -> usize {
        let only_asks = |at: &usize| if of_price { self.only_asks(*at, true) } else { is_asked(&self.words[*at]) };
        (0..self.words.len()).take_while(only_asks).count()
    }

    /// Whether a word only asks, or says what a price that is asked for is per.
    fn only_asks(&self, at: usize, asks_for_price: bool) -> bool {
        let word = &self.words[at];
        let is_unit = || self.words.is(at, &UNITS) && self.words.is(at - 1, &["per", "a"]);
        let is_of_cache = || word.is(&CACHE_USES) && self.words.is(at - 1, &CACHED);
        is_asked(word)
            || word.is(&["per"])
            || at > 0 && (is_unit() || asks_for_price && (is_quantity(word) || word.is(&PAYING) || is_of_cache()))
    }
}

/// Whether a word is for what is asked of a thing, or says nothing.
fn is_asked(word: &Word<'_>) -> bool {
    let folded = word.folded.as_str();
    is_attribute(folded) || is_stop_word(folded) || folded == "whats" || is_said_in_short(folded)
}

/// Whether words ask for a price.
fn is_of_price(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| word.is(&PRICES) || word.is(&PAYING))
}

/// Whether a word is of a number of tokens: `200k`, `million`, `tokens`.
fn is_quantity(word: &Word<'_>) -> bool {
    is_numeric(&word.folded) || is_of_tokens(&word.folded) || is_amount(&word.folded)
}

/// Whether a question asks how long its thing is still there.
pub fn asks_for_status(text: &str) -> bool {
    let words = words::words(text);
    words.iter().any(|word| word.is(&STATUS_WORDS))
        || (0..words.len()).any(|at| words.is_phrase(at, &["end", "of", "life"]))
}

/// Where the name begins of what is sold: `who sells …`, `which providers offer …`, `cheapest place to run …`.
fn sold(words: &[Word<'_>]) -> Option<usize> {
    if let Some(end) = place_to_buy(words) {
        return Some(end);
    }
    let by_whom = usize::from(words.is(0, &["which", "what"]));
    let is_asked = words.is(by_whom, if by_whom == 0 { &["who"] } else { &SELLERS });
    (is_asked && words.is(by_whom + 1, &SELLS)).then_some(by_whom + 2)
}

/// Places where a model is bought …
const PLACES: [&str; 8] = ["place", "way", "host", "hoster", "seller", "provider", "api", "where"];
/// … and what is done there.
const BUYING: [&str; 12] =
    ["run", "use", "buy", "rent", "get", "host", "call", "access", "find", "running", "using", "hosting"];

/// Where the words end that ask for the place to buy something: `cheapest place to run`, `where can i buy`, `cheapest host for`.
fn place_to_buy(words: &[Word<'_>]) -> Option<usize> {
    let mut at = usize::from(words.is(0, &["the", "what's", "whats", "which"]));
    if words.is(at, &["what"]) {
        at += 1 + usize::from(words.is(at + 1, &["is"])) + usize::from(words.is(at + 2, &["the"]));
    }
    let is_superlative = words.is(at, &["cheapest"]);
    let place = at + usize::from(is_superlative);
    if !words.is(place, &PLACES) || !is_superlative && !words.is_phrase(place, &["where"]) {
        return None;
    }
    let end = words.end_of(place + 1, &["to", "for", "can", "could", "do", "should", "i", "we", "you", "is", "of"]);
    (end > place + 1).then(|| words.past(end, &BUYING))
}

/// Whether a question asks what sellers ask for its thing: `who sells …`, `what does … cost on openrouter`.
pub fn asks_of_sellers(text: &str) -> bool {
    let words = words::words(text);
    let has = |any: &[&str]| words.iter().any(|word| word.is(any));
    sold(&words).is_some() || has(&SELLERS) || has(&SELLING) || has(&PRICES) && has(&["on", "at", "via", "through"])
}

/// Whether a question asks what its thing costs: `price of …`, `how much is …`, `cheapest …`, `is … free`.
pub fn asks_for_price(text: &str) -> bool {
    let words = words::words(text);
    are_of_price(&words) || (0..words.len()).any(|at| least_at(&words, at).is_some())
}

/// Where the words end that ask at a position for the lowest price, or for none.
fn least_at(words: &[Word<'_>], at: usize) -> Option<usize> {
    cheapest_at(words, at).or_else(|| words.is(at, &["free"]).then_some(at + 1))
}

/// The same for its words.
pub fn are_of_price(words: &[Word<'_>]) -> bool {
    is_of_price(words) || asks_how_much(words)
}

fn asks_how_much(words: &[Word<'_>]) -> bool {
    (0..words.len()).any(|at| words.is_phrase(at, &["how", "much"]))
}

/// Words for the tokens that a price is of: what is written, what is read …
const WRITTEN: [&str; 4] = ["output", "outputs", "completion", "completions"];
const READ: [&str; 4] = ["input", "inputs", "prompt", "prompts"];
/// … and what a cache keeps, where these say that it is written there.
const KEPT: [&str; 4] = ["write", "writes", "writing", "creation"];
/// What stands before output that no price is of, or no price of tokens of text.
const OF_ANOTHER_OUTPUT: [&str; 7] = ["max", "maximum", "longest", "structured", "image", "audio", "video"];

/// The meters whose prices a question asks for, as the parameters of a cost are called; none where it says no meter: `gpt-5 output price`.
pub fn meters_asked(text: &str) -> Vec<&'static str> {
    let words = words::words(text);
    let has = |any: &[&str]| words.iter().any(|word| word.is(any));
    let is_cached = has(&CACHED);
    let is_written = |at: usize| words.is(at, &WRITTEN) && !words.is_behind(at, &OF_ANOTHER_OUTPUT);
    let meters = [
        // `cached input price`, `prompt caching`
        ("input_tokens", has(&READ) && !is_cached),
        ("output_tokens", (0..words.len()).any(is_written)),
        ("cache_read_tokens", is_cached && !has(&KEPT)),
        ("cache_write_tokens", is_cached && has(&KEPT)),
    ];
    meters.into_iter().filter(|(_, is_asked)| *is_asked).map(|(meter, _)| meter).collect()
}

/// Where the name begins of what is handled: `how do I install …`, `install …`.
fn handled(words: &[Word<'_>]) -> Option<usize> {
    let mut at = 0;
    if words.is(0, &["how"]) {
        at = words.end_of(1, &["do", "can", "to", "should", "i", "we", "you", "one"]);
    } else if words.is(0, &["can", "should"]) && words.is(1, &["i", "we", "you"]) {
        at = 2;
    }
    if words.is_phrase(at, &["set", "up"]) {
        return Some(at + 2);
    }
    words.is(at, &HANDLING).then_some(at + 1)
}
