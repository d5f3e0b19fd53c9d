//! Questions that ask about a kind of thing and for none of it, which a text answers: `what is an mcp server`, `mcp vs function calling`,
//! `do I need a skill`, and a part of the Model Context Protocol, `mcp progress notifications`. With other words, the name of the protocol asks for
//! a server: `mcp github`.

use super::guide::{introduced, only_explains};
use super::said_at;
use crate::understand::words::{PhraseRows, Word, Words};
use refdesk_core::{Kind, Stamp};
use refdesk_search::text::WordSet;

/// Where the word for the kind stands that such a question is about.
pub fn explained(words: &[Word<'_>]) -> Option<usize> {
    part_of_protocol(words).or_else(|| defined(words)).or_else(|| weighed(words))
}

/// Where the word for a kind stands of which a question asks what it is, and nothing else: a text tells that.
fn defined(words: &[Word<'_>]) -> Option<usize> {
    let is = |at: usize, any: &[&str]| words.get(at).is_some_and(|word| word.is(any));
    let at = match () {
        () if is(0, &["what"]) && is(1, &["is", "are"]) => 2,
        () if is(0, &["what's", "whats"]) => 1,
        () => return None,
    };
    kind_at(words, at).filter(|(_, end, _)| *end == words.len()).map(|(at, ..)| at)
}

/// What asks about a kind of thing that follows …
static BEFORE_KIND: PhraseRows<()> =
    PhraseRows::new(&[("when should i use,when to use,should i use,do i need,pros and cons of", ())]);
/// … and what does so within a question.
static DIFFERENCES: PhraseRows<()> = PhraseRows::new(&[("difference between,differences between", ())]);
/// What stands between things that are weighed against each other.
const AGAINST: [&str; 2] = ["vs", "versus"];

/// Where the word for a kind stands that a question weighs or introduces.
fn weighed(words: &[Word<'_>]) -> Option<usize> {
    let differs = || (0..words.len()).find_map(|at| DIFFERENCES.end_at(words, at));
    let before = BEFORE_KIND.end_at(words, 0).or_else(|| introduced(words)).or_else(differs);
    if let Some((at, ..)) = before.and_then(|at| kind_at(words, at)) {
        return Some(at);
    }
    // `mcp explained`; `models overview` is a list.
    if let Some((at, end, kind)) = kind_at(words, 0)
        && kind != Kind::Model
        && end < words.len()
        && only_explains(words, end)
    {
        return Some(at);
    }
    // `mcp prompts vs resources vs tools`
    (0..words.len()).filter(|at| words.is(*at, &AGAINST)).find_map(|against| {
        let before = (0..against).find_map(|at| kind_at(words, at).filter(|(_, end, _)| *end == against));
        before.or_else(|| kind_at(words, against + 1)).map(|(at, ..)| at)
    })
}

/// Where words for a kind begin and end at a position, or behind an article there, and which they say.
fn kind_at(words: &[Word<'_>], at: usize) -> Option<(usize, usize, Kind)> {
    let at = words.past(at, &["a", "an", "the"]);
    let (taken, said) = said_at(words, at)?;
    Some((at, at + taken, said.kind))
}

/// The protocol, as it is called.
static PROTOCOL: PhraseRows<()> = PhraseRows::new(&[(
    "mcp,mcp spec,mcp specification,mcp protocol,model context protocol,model context protocol specification",
    (),
)]);
/// Its parts. Servers are named by some of them as well: only where a question names nothing else is the page about one meant.
static PARTS: PhraseRows<()> = PhraseRows::new(&[(
    "schema,schemas,resource,resources,prompts,authorization,authentication,auth,oauth,architecture,versioning,capabilities,\
     completion,progress,cancellation,logging,lifecycle,roots,sampling,elicitation,primitives,pagination,transport,transports,\
     handshake,initialization,json-rpc,jsonrpc,error codes,tool annotations,structured content,output schema,session id,session ids,\
     client registration,list changed,capability negotiation,version negotiation,protocol version,protocol versions,\
     initialize request,initialized notification,changelog,changelogs,release notes",
    (),
)]);
/// Words that say of one which, or what is told of it. Alone they are no parts.
static OF_PARTS: WordSet = WordSet::new(
    "notification notifications request requests response responses message messages error errors header headers token tokens template \
     templates subscription subscriptions negotiation flow url form mode tool tools batching dynamic stdio streamable http sse input \
     output context result results method methods",
);
/// What links a part with the protocol, or says of which version it is.
const LINKING: [&str; 8] = ["in", "of", "the", "and", "latest", "newest", "current", "draft"];

/// Whether a word is a version of the protocol: the day of it. Servers have none such.
fn is_version(word: &str) -> bool {
    word.len() == "YYYY-MM-DD".len() && Stamp::parse(word).is_some()
}

/// Where the protocol is named in a question that names a part or a version of it and nothing else: `mcp resources`, `sampling in mcp`, `model
/// context protocol schema reference`, `mcp 2025-06-18`.
fn part_of_protocol(words: &[Word<'_>]) -> Option<usize> {
    // Most questions name no protocol, and need no look at its names.
    let named =
        (0..words.len()).find(|at| words.is(*at, &["mcp", "model"]) && PROTOCOL.end_at(words, *at).is_some())?;
    let (mut at, mut names_part) = (0, false);
    while at < words.len() && !(names_part && only_explains(words, at)) {
        let part = PARTS.end_at(words, at);
        let is_version = is_version(&words[at].folded);
        names_part |= part.is_some() || is_version;
        let is_of_part = || is_version || words[at].is_in(&OF_PARTS) || words.is(at, &LINKING);
        at = part.or_else(|| PROTOCOL.end_at(words, at)).or_else(|| is_of_part().then_some(at + 1))?;
    }
    names_part.then_some(named)
}
