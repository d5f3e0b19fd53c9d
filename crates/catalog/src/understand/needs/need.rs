//! Questions that say what is to be done and not by what kind of thing: `post messages into a Slack channel`.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::understand::words::{self, DETERMINERS, Word};
use refdesk_core::Kind;

/// Shorter ones are names and topics …
const WORDS_MIN: usize = 4;
/// … unless they begin with what is to be done, or end with it as other languages do: `book a flight`.
const WORDS_WITH_VERB_MIN: usize = 2;
/// What things are asked to do.
static VERBS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words::set(
        "analyse analyze annotate automate book booking browse buy call check clean clip control convert crawl create crop delete deploy detect digitise \
         digitize dictate download draw edit encrypt extract fetch file fill forecast generate get identify inspect invite log look manage message \
         monitor notify order organise organize parse pay plan play post predict print publish query read record redact remember remind remove rename \
         reply rent reserve resize sanitise sanitize save scan schedule scrape sell send share ship sign simulate store sum summarise summarize \
         sync take text track transcribe transfer translate turn upload validate verify visualise visualize watch",
    )
});
/// Words of a conversion, and what stands at its end.
const CONVERSION_WORDS: usize = 3;
const CONVERTED: [&str; 7] = ["text", "speech", "voice", "audio", "image", "video", "music"];
/// What people call a program that is to do it: a question that ends so is a need as well.
const PROGRAMS: [&str; 8] = ["app", "apps", "application", "program", "software", "service", "bot", "plugin"];
/// Whoever asks of today or tomorrow wants what is so then, and no text about it.
const OF_NOW: [&str; 5] = ["today", "tomorrow", "tonight", "now", "currently"];
/// Who begins so wants to read, not to do.
static ASKS_TO_READ: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    words::set(
        "how what whats what's why when where which who is are does do can explain learn understand guide introduction intro \
         overview best example examples documentation docs list compare difference",
    )
});
/// Who says so wants to be led through it.
const GUIDED: [&[&str]; 3] = [&["step", "by", "step"], &["from", "scratch"], &["for", "beginners"]];
/// Words between `my` and the one who is to do it.
const OF_ADDRESSEE: [&str; 6] = ["ai", "coding", "own", "local", "llm", "chat"];
/// Who is to do it.
const ADDRESSEES: [&str; 12] = [
    "agent",
    "agents",
    "assistant",
    "assistants",
    "editor",
    "ide",
    "bot",
    "chatbot",
    "claude",
    "cursor",
    "copilot",
    "chat",
];
/// What stands before them.
const BEFORE_ADDRESSEE: [&str; 13] =
    ["into", "from", "in", "through", "with", "via", "to", "by", "let", "for", "have", "give", "inside"];

/// Percent that the texts of a kind count more for such a question: it is met by what acts rather than by what tells how, as skills do, too.
pub const GAINS: [(Kind, u32); 2] = [(Kind::McpServer, 60), (Kind::Tool, 60)];

/// What is to be done, without the words for who is to do it; nothing where the question asks for something to read.
pub fn need(text: &str) -> Option<String> {
    let words = words::words(text);
    let (first, last) = (words.first()?, words.last()?);
    // `speech to text`
    let is_conversion =
        words.len() == CONVERSION_WORDS && words[1].folded == "to" && CONVERTED.contains(&last.folded.as_str());
    let has_verb = [first, last].iter().any(|word| VERBS.contains(word.folded.as_str()))
        || PROGRAMS.contains(&last.folded.as_str())
        || is_conversion;
    let words_min = if has_verb { WORDS_WITH_VERB_MIN } else { WORDS_MIN };
    let is_of_now = OF_NOW.contains(&last.folded.as_str());
    let is_guide = GUIDED.iter().any(|phrase| (0..words.len()).any(|at| words::is_phrase(&words, at, phrase)));
    if words.len() < words_min || ASKS_TO_READ.contains(first.folded.as_str()) && !is_of_now || is_guide {
        return None;
    }
    let mut said: Vec<&str> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let taken = addressee(&words, at);
        if taken == 0 {
            said.push(words[at].text);
        }
        at += taken.max(1);
    }
    Some(said.join(" "))
}

/// How many words from a position on say who is to do it: `into my coding agent`.
fn addressee(words: &[Word<'_>], at: usize) -> usize {
    let is = |at: usize, any: &[&str]| words::is_one_of(words, at, any);
    if !is(at, &BEFORE_ADDRESSEE) {
        return 0;
    }
    let mut next = at + 1;
    next += usize::from(is(next, &DETERMINERS));
    while is(next, &OF_ADDRESSEE) && (is(next + 1, &ADDRESSEES) || is(next + 1, &OF_ADDRESSEE)) {
        next += 1;
    }
    if is(next, &ADDRESSEES) { next + 1 - at } else { 0 }
}
