//! Which kind of thing a question means: `mcp server to read mail`, `vision model tutorial`.

mod explained;
mod guide;
mod lacking;
mod not_asked;
mod subject;

use std::ops::Range;
use std::sync::LazyLock;

use super::measures::Measure;
use super::vocabulary;
use super::words::{self, DETERMINERS, PhraseRows, Phrases, Word, Words, marked, table};
use explained::explained;
use guide::{guide, other_text};
pub use lacking::{with_negations_apart, with_plain_negations};
use not_asked::{is_in_trouble, is_led, is_missed, is_of_object, value_beyond};
use refdesk_core::Kind;
use refdesk_core::text::script::is_unspaced;
use refdesk_search::text::{WordSet, is_stop_word, word_array};
use subject::is_said_of;
pub use subject::{is_kind, is_of_several, kind_of, named_before, take_repeated};

/// A kind that words say, and whether they say a topic beside it: `vector database`.
#[derive(Debug, Clone, Copy)]
struct Said {
    kind: Kind,
    topical: bool,
    /// They say it only where the question begins: `documents in Chinese`, but not `sign documents`.
    leading: bool,
}

/// Kinds by what they are called; none for phrases that say nothing.
static KINDS: LazyLock<Phrases<Option<Said>>> = LazyLock::new(|| {
    let rows = table(include_str!("kinds.txt"));
    Phrases::new(rows.flat_map(|row| {
        let kind = Kind::parse(row[0]);
        marked(row[1], &['+', '^']).map(move |(phrase, mark)| {
            let (topical, leading) = (mark == Some('+'), mark == Some('^'));
            (phrase, kind.map(|kind| Said { kind, topical, leading }))
        })
    }))
});

/// Words of scripts that have no blanks between words; they are looked for within longer ones.
static UNSPACED: LazyLock<Vec<(&str, Kind)>> = LazyLock::new(|| {
    let unspaced = KINDS.single_words().filter(|(word, _)| word.chars().any(is_unspaced));
    let mut words: Vec<(&str, Kind)> = unspaced.filter_map(|(word, said)| Some((word, (*said)?.kind))).collect();
    words.sort_unstable_by_key(|(word, _)| (std::cmp::Reverse(word.len()), *word));
    words
});

/// What comes after these words of a question says more about the thing, and is not the thing itself.
static AFTER_HEAD: WordSet = WordSet::new(
    "for to about on with without that which who of in into from using under over by via as at like and or inside through",
);
/// The same in other languages, once the thing was named: words of theirs are others in English, and names.
static AFTER_FOREIGN_HEAD: WordSet = WordSet::new(
    "para con sin sobre de del da do das dos que pour avec sans sur du des qui fur mit ohne uber von zum zur das die der \
     для с без о об из на который которая per senza con su",
);

/// Participles of what a thing has, once it was named: `models lacking tool support`.
const AFTER_NAMED_HEAD: [&str; 10] =
    word_array("lacking supporting offering having providing featuring including accepting needing requiring");

/// Words that ask for a thing: what they are followed by is what is asked for, and a preposition behind one describes nothing yet.
static SEEKING: WordSet = WordSet::new(
    "find finding need needs want wants get give gives gimme list lists show search searching recommend suggest looking look is are was \
     does do can has have should will there any with me us what whats what's which know choose pick select like prefer best compare all only see browse name names \
     one some ask asking kind kinds type types sort sorts set sets example examples recommendation recommendations \
     alternative alternatives number overview most",
);

/// Nouns that a word for a kind only modifies: `LLM calls`, `model weights`.
static COMPOUNDS: WordSet = WordSet::new(
    "call calls provider providers output outputs response responses request requests prompt prompts app apps application \
     applications gateway gateways proxy proxies router routers routing api apis trace traces tracing observability \
     evaluation evaluations evals serving inference deployment deployments memory agent agents usage spend traffic keys \
     input inputs interactions conversations workflows pipeline pipelines chain chains backend backends endpoint endpoints \
     registry hub zoo training fine-tuning finetuning engineering ops security safety client clients host hosts",
);

/// The same behind words for models only: servers and tools are called so themselves.
static COMPOUNDS_OF_MODELS: WordSet = WordSet::new(
    "runner runners runtime runtimes launcher launchers benchmark benchmarks benchmarking leaderboard leaderboards playground playgrounds \
     wrapper wrappers guardrail guardrails firewall firewalls sdk sdks cli clis gui guis ui uis chatbot chatbots",
);

/// Verbs whose object a kind of thing is: who runs or tests models is not looking for one.
static ACTS_ON: WordSet = WordSet::new(
    "run runs running host hosting serve serving deploy deploying debug debugging test evaluate evaluating monitor train \
     finetune fine-tune connect orchestrate benchmark route trace log secure let make",
);

/// What follows these is asked for, whatever was said before: `for my agent I need a …`.
const RESTARTS: [&str; 3] = ["need", "want", "find"];
/// Words that stand before a thing as well, as long as none was named: `fast and cheap models`, `which server`.
const ALSO_BEFORE_HEAD: [&str; 7] = ["and", "or", "which", "who", "like", "und", "y"];
/// Prepositions of what a thing has, which is said before it, too: `with vision models`.
const OF_PROPERTIES: [&str; 7] = ["with", "without", "under", "over", "in", "by", "of"];
/// Prepositions of several words: what follows is never what is asked for.
static COMPOUND_PREPOSITIONS: PhraseRows<()> =
    PhraseRows::new(&[("in front of,on top of,on behalf of,by means of", ())]);
/// What stands behind `to` in the names of conversions: `speech to text`.
const CONVERTED: [&str; 7] = ["text", "speech", "image", "video", "audio", "sql", "code"];
/// Comparisons that begin with a preposition.
static COMPARISONS: PhraseRows<()> = PhraseRows::new(&[("at least,at most,up to", ())]);
/// Words between a determiner and the thing: `my local model`.
const BEFORE_HEAD_MAX: usize = 2;

/// A question that starts so asks for knowledge and not for a thing of a kind.
static ASKS_FOR_KNOWLEDGE: WordSet = WordSet::new(
    "how why explain build building create creating write writing make develop install configure setup deploy train test \
     testing debug publish",
);

/// A kind, and the words that say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The kind that is meant.
    pub kind: Kind,
    /// Position of the first word that says so.
    pub at: usize,
    /// How many words say it; none when it is a part of a longer word.
    pub taken: usize,
    /// Whether they say more than the kind.
    pub topical: bool,
}

/// How many words say a kind at a position, and which.
fn said_at(words: &[Word<'_>], at: usize) -> Option<(usize, Said)> {
    let (taken, said) = KINDS.admitted_at(words, at, Option::is_some)?;
    Some((taken, (*said)?))
}

/// Whether a text says a kind and nothing but values that things of it have: who types `remote MCP server` means any, whatever is called so.
pub fn is_described(text: &str) -> bool {
    let words = words::words(text);
    head(&words).is_some_and(|head| {
        head.at + head.taken == words.len() && (0..head.at).all(|at| vocabulary::knows(head.kind, &words, at))
    })
}

/// The kind that a question means: its head noun, which is the last before the words that only describe it.
pub fn head(words: &[Word<'_>]) -> Option<Head> {
    if words.first().is_some_and(|word| word.is_in(&ASKS_FOR_KNOWLEDGE)) {
        return last_behind_deed(words);
    }
    if let Some(at) = explained(words) {
        return Some(Head { kind: Kind::Document, at, taken: 0, topical: true });
    }
    let (mut head, mut at, mut described) = (None, 0, false);
    while at < words.len() {
        if let Some((taken, said)) = KINDS.at(words, at) {
            // `models missing tool support`: what is named has this.
            if let Some(value) = head.and_then(|head| value_beyond(words, at, taken, head)) {
                at += value;
                continue;
            }
            if said.is_some() && is_in_trouble(words, at + taken) {
                return None;
            }
            if let Some(said) = said.filter(|_| !described)
                && (!said.leading || is_led(words, at, at + taken, said.kind))
            {
                head = head_behind(words, head, Head { kind: said.kind, at, taken, topical: said.topical });
            }
            at += taken;
            continue;
        }
        if let Some(taken) = vocabulary::length_at(words, at) {
            at += taken;
            continue;
        }
        // `context at least 200k model`, as other languages order it, says where nothing is.
        if let Some(end) = COMPARISONS.end_at(words, at) {
            at = end;
            continue;
        }
        described = (described || describes(words, at, head.is_some()) || is_said_of(words, at, head))
            && !restarts(words, at, head);
        at += 1;
    }
    head.or_else(|| guide(words)).or_else(|| last(words)).or_else(|| {
        let beyond_ascii = words.iter().enumerate().filter(|(_, word)| !word.folded.is_ascii());
        let (at, kind) = beyond_ascii.into_iter().find_map(|(at, word)| {
            let word = word.folded.as_str();
            UNSPACED.iter().find(|(part, _)| word.contains(part)).map(|(_, kind)| (at, *kind))
        })?;
        Some(Head { kind, at, taken: 0, topical: true })
    })
}

/// Whether what follows a word is asked for, whatever was said before: `for a budget of $2, which model …`. Of what was named, and behind a
/// preposition, it only says more: `docs on which models …`.
fn restarts(words: &[Word<'_>], at: usize, head: Option<Head>) -> bool {
    let is_behind_preposition = || at > 0 && words[at - 1].is_in(&AFTER_HEAD);
    let is_choice = words[at].is(&["which", "what"]) && said_at(words, at + 1).is_some();
    words[at].is(&RESTARTS) || is_choice && head.is_none() && !is_behind_preposition()
}

/// The head of a question behind which another one was said, if that is not part of it.
fn head_behind(words: &[Word<'_>], head: Option<Head>, said: Head) -> Option<Head> {
    let Head { kind, at, taken, topical } = said;
    let before = head.filter(|before| before.at + before.taken == at);
    if !is_asked_for(words, at..at + taken, kind) {
        // `get library docs into …`: what only modifies them is not asked for, either.
        return head.filter(|_| before.is_none());
    }
    // The kind was named by a word that says nothing else.
    let named = head.filter(|before| {
        before.kind == kind && !before.topical && !topical && !vocabulary::knows(kind, words, before.at)
    });
    Some(match named {
        // `code generation model open weights`: a value of what was named.
        Some(named) if vocabulary::knows(kind, words, at) => named,
        // `cookbook tutorials`
        Some(named) if before.is_some() => Head { taken: named.taken + taken, ..named },
        _ => said,
    })
}

/// What the word for a kind may mean as well: people call servers tools, and a guide is a page or a tutorial.
pub fn also(words: &[Word<'_>], head: Head) -> Option<Kind> {
    match head.taken {
        1 if words.is(head.at, &["tool", "tools"]) => Some(Kind::McpServer),
        1 => other_text(words, head),
        _ => None,
    }
}

/// The word for a kind that ends a question after all that it said of the thing: `save money by reusing a prefix tutorial`. Not for models, and
/// not behind a preposition: those are rather what the thing is for.
fn last(words: &[Word<'_>]) -> Option<Head> {
    const LAST: [Kind; 3] = [Kind::Skill, Kind::Tutorial, Kind::McpServer];
    // The longest phrase that ends there: of `mcp server` the last word alone says less.
    let (at, taken, said) = (1..words.len()).find_map(|at| {
        let (taken, said) = said_at(words, at)?;
        (at + taken == words.len()).then_some((at, taken, said))
    })?;
    let Said { kind, topical, leading } = said;
    // `authentication for remote mcp servers`
    let begin = (0..at).rev().take_while(|before| vocabulary::knows(kind, words, *before)).last().unwrap_or(at);
    let before = begin.checked_sub(1).map_or("", |before| words[before].folded.as_str());
    let is_of_thing =
        AFTER_HEAD.contains(before) || AFTER_FOREIGN_HEAD.contains(before) || DETERMINERS.contains(&before);
    let is_last =
        !leading && LAST.contains(&kind) && !is_of_thing && !is_done_without(words, at) && !words[at - 1].ends_clause;
    is_last.then_some(Head { kind, at, taken, topical })
}

/// The same behind what shall be done: `build a voice agent tutorial`, `make powerpoint slides skill`. Who would `create a custom skill`
/// looks for no skill of that name, and who would `run a notebook` has one.
fn last_behind_deed(words: &[Word<'_>]) -> Option<Head> {
    let head = last(words).filter(|head| !vocabulary::knows(head.kind, words, head.at))?;
    let first = 1 + usize::from(words.is(1, &DETERMINERS));
    let named = head.at.saturating_sub(first);
    let is_named = match head.kind {
        Kind::Tutorial => named > 0,
        Kind::Skill => named > 1 && !words.is(0, &["how", "why", "explain"]),
        _ => false,
    };
    is_named.then_some(head)
}

fn is_superlative(word: &str) -> bool {
    word.ends_with("est") || word == "most"
}

/// Whether what follows a word only describes the thing that is asked for.
fn describes(words: &[Word<'_>], at: usize, is_head_known: bool) -> bool {
    let folded = |at: usize| words.get(at).map_or("", |word| word.folded.as_str());
    let word = folded(at);
    if AFTER_FOREIGN_HEAD.contains(word) || AFTER_NAMED_HEAD.contains(&word) {
        return is_head_known;
    }
    // `one endpoint in front of models`
    if COMPOUND_PREPOSITIONS.at(words, at).is_some() {
        return true;
    }
    let is_sought = at > 0 && SEEKING.contains(folded(at - 1));
    let is_conversion = word == "to" && CONVERTED.contains(&folded(at + 1));
    // `newest to oldest claude models`
    let is_degree =
        |word: &str| word.ends_with("est") || ["most", "least", "old", "new", "low", "high"].contains(&word);
    let is_order = word == "to" && at > 0 && is_degree(folded(at - 1)) && is_degree(folded(at + 1));
    let ends_clause = |end: usize| end == words.len() || words[end - 1].ends_clause;
    let last_is_kind =
        || (at + 1..words.len()).any(|from| said_at(words, from).is_some_and(|(taken, _)| ends_clause(from + taken)));
    let is_property = || OF_PROPERTIES.contains(&word) && last_is_kind() && !is_of_object(words, at);
    AFTER_HEAD.contains(word)
        && !is_sought
        && !is_conversion
        && !is_order
        && (is_head_known || !(ALSO_BEFORE_HEAD.contains(&word) || is_property()))
}

/// Whose thing it is that shall be able to do something: `my coding agent needs …`.
const OWN: [&str; 4] = ["my", "our", "your", "their"];
/// What stands behind what shall be able to do something …
const NEEDING: [&str; 13] =
    ["to", "need", "needs", "get", "gets", "can", "could", "should", "must", "has", "have", "read", "access"];
/// … and before it: `give an llm access to …`, `let my agent read …`.
const ENABLING: [&str; 12] =
    ["give", "gives", "giving", "let", "lets", "letting", "allow", "allows", "help", "helps", "enable", "enables"];
/// What it shall do, behind `can an llm`.
const REACHING: [&str; 9] = ["get", "access", "read", "reach", "see", "look", "use", "call", "talk"];

/// Whether words for a kind say for what something is looked for, and not what is looked for.
fn is_to_be_enabled(words: &[Word<'_>], kind: &Range<usize>, determiner: usize) -> bool {
    let is = |at: Option<usize>, any: &[&str]| at.is_some_and(|at| words.is(at, any));
    let (next, verb) = (Some(kind.end), determiner.checked_sub(1));
    is(Some(determiner), &OWN) && is(next, &NEEDING)
        || is(verb, &ENABLING)
        || is(verb, &["can", "could", "should"]) && is(next, &REACHING)
}

/// Whether words before a verb, the last of them first, say that an agent shall do it: of `my coding agent should know the docs`, `agent should`.
fn is_of_agent<'w>(mut before: impl Iterator<Item = &'w str>) -> bool {
    const OBLIGING: [&str; 5] = ["should", "must", "can", "could", "shall"];
    const AGENTS: [&str; 8] = ["agent", "agents", "assistant", "assistants", "bot", "chatbot", "claude", "cursor"];
    let mut is = |any: &[&str]| before.next().is_some_and(|word| any.contains(&word));
    is(&OBLIGING) && is(&AGENTS)
}

/// Whether what words for a kind say is what something does without: `store embeddings without any server`.
fn is_done_without(words: &[Word<'_>], at: usize) -> bool {
    let mut before = words[..at].iter().rev().map(|word| word.folded.as_str());
    before.find(|word| !["any", "a", "an", "another", "extra", "separate"].contains(word)) == Some("without")
}

/// What models have, or is done with them, behind a word that says which: `gated models access request`, `models rate limits`.
const BEHIND_COMPOUND: [&str; 7] = ["request", "requests", "limit", "limits", "stats", "statistics", "page"];

/// Whether words for a kind only say of what the thing is that is named behind them: `llm benchmark`. What stands behind the word for a tutorial
/// is what that is about.
fn is_part_of_compound(words: &[Word<'_>], end: usize, kind: Kind) -> bool {
    let Some(next) = words.get(end).filter(|_| kind != Kind::Tutorial) else { return false };
    let word = next.folded.as_str();
    // `models input < $1, output < $4`
    let is_priced = kind == Kind::Model
        && words.is(end, &["input", "output"])
        && words[end + 1..].iter().take(2).any(|word| word.folded.starts_with('$'));
    if COMPOUNDS.contains(word) && !is_priced || kind == Kind::Model && COMPOUNDS_OF_MODELS.contains(word) {
        return true;
    }
    let says_which = word.chars().all(char::is_alphabetic)
        && !next.ends_clause
        && !is_stop_word(word)
        && !vocabulary::knows(kind, words, end)
        && Measure::at(words, end).is_none_or(|(taken, _)| taken == 1);
    kind == Kind::Model && says_which && words.is(end + 1, &BEHIND_COMPOUND)
}

/// Whether words for a kind say what is asked for, and not what something else is of, or is done to.
fn is_asked_for(words: &[Word<'_>], kind: Range<usize>, said: Kind) -> bool {
    // `get library docs into the prompt`, `convert models into gguf`: it is moved, or something else is made of it.
    let is_moved = words.get(kind.end).is_some_and(|next| next.folded == "into");
    if is_moved || is_done_without(words, kind.start) || is_part_of_compound(words, kind.end, said) {
        return false;
    }
    let before = words[..kind.start].iter().rev().map(|word| word.folded.as_str());
    let determiner = before.clone().take(BEFORE_HEAD_MAX + 1).position(|word| DETERMINERS.contains(&word));
    let is_enabled = |between| is_to_be_enabled(words, &kind, kind.start - 1 - between);
    if determiner.is_some_and(|between| is_enabled(between) || is_missed(before.clone().skip(between))) {
        return false;
    }
    let Some(verb) = before.clone().nth(determiner.map_or(0, |between| between + 1)) else { return true };
    if determiner.is_some_and(|between| is_of_agent(before.clone().skip(between + 2))) {
        return false;
    }
    match determiner {
        Some(between) if before.clone().take(between).any(is_superlative) => true,
        Some(_) => SEEKING.contains(verb) || AFTER_HEAD.contains(verb),
        None => !before.take(BEFORE_HEAD_MAX).any(|word| ACTS_ON.contains(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::{table, words};
    use super::head;
    use refdesk_core::Kind;

    #[test]
    fn which_asks_for_a_kind_where_nothing_was_named_before() {
        for (question, kind) in [
            ("for a budget of $2, which model should I use", Some(Kind::Model)),
            ("to write unit tests which model is best", Some(Kind::Model)),
            ("docs on which models have vision", Some(Kind::Document)),
            ("about which model", None),
        ] {
            assert_eq!(head(&words(question)).map(|head| head.kind), kind, "{question}");
        }
    }

    #[test]
    fn every_row_is_of_a_kind_or_says_that_it_is_of_none() {
        for row in table(include_str!("kinds.txt")) {
            let is_kind = Kind::ALL.iter().any(|kind| kind.search_type() == row[0]);
            assert!(is_kind || row[0] == "none", "{row:?}");
        }
    }
}
