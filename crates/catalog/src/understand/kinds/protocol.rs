//! Questions about a part of the Model Context Protocol, which a page of its specification answers: `mcp progress notifications`. With other
//! words, the name of the protocol asks for a server: `mcp github`.

use super::guide::only_explains;
use crate::understand::words::{PhraseRows, Word, Words};
use refdesk_core::Stamp;
use refdesk_search::text::WordSet;

/// The protocol, as it is called.
static PROTOCOL: PhraseRows<()> = PhraseRows::new(&[(
    "mcp,mcp spec,mcp specification,mcp protocol,model context protocol,model context protocol specification",
    (),
)]);
/// Its parts. Servers are named by some of them as well: only where a question names nothing else is the page about one meant.
static PARTS: PhraseRows<()> = PhraseRows::new(&[(
    "schema,schemas,resource,resources,prompts,authorization,authentication,auth,oauth,architecture,versioning,capabilities,completion,progress,cancellation,\
     logging,lifecycle,roots,sampling,elicitation,primitives,pagination,transport,transports,handshake,initialization,json-rpc,jsonrpc,\
     error codes,tool annotations,structured content,output schema,session id,session ids,client registration,list changed,\
     capability negotiation,version negotiation,protocol version,protocol versions,initialize request,initialized notification,\
     changelog,changelogs,release notes",
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
pub fn part_of_protocol(words: &[Word<'_>]) -> Option<usize> {
    // Most questions name no protocol, and need no look at its names.
    let named =
        (0..words.len()).find(|at| words.is(*at, &["mcp", "model"]) && PROTOCOL.end_at(words, *at).is_some())?;
    let (mut at, mut names_part) = (0, false);
    while at < words.len() && !(names_part && only_explains(words, at)) {
        let part = PARTS.end_at(words, at);
        let is_version = is_version(&words[at].folded);
        names_part |= part.is_some() || is_version;
        let is_of_part = || is_version || OF_PARTS.contains(words[at].folded.as_str()) || words.is(at, &LINKING);
        at = part.or_else(|| PROTOCOL.end_at(words, at)).or_else(|| is_of_part().then_some(at + 1))?;
    }
    names_part.then_some(named)
}
