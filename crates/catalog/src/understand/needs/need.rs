//! Questions that say what is to be done and not by what kind of thing: `post messages into a Slack channel`.

use crate::understand::words::{self, DETERMINERS, PhraseRows, Word, Words};
use refdesk_core::Kind;
use refdesk_search::text::{WordSet, word_array};

/// Shorter ones are names and topics …
const WORDS_MIN: usize = 4;
/// … unless they begin with what is to be done, or end with it as other languages do: `book a flight`.
const WORDS_WITH_VERB_MIN: usize = 2;
/// What things are asked to do.
static VERBS: WordSet = WordSet::new(
    "analyse analyze annotate automate book booking browse buy call check clean clip compress control convert crawl create crop delete deploy detect digitise \
     digitize dictate download draw edit encrypt export extract fetch file fill forecast generate get identify import inspect invite log look manage merge message \
     migrate monitor notify order organise organize parse pay plan play post predict print publish query read record redact remember remind remove rename \
     reply rent reserve resize rewrite rotate sanitise sanitize save scan schedule scrape sell send share ship shrink sign simulate split store sum \
     summarise summarize swap sync take text track transcribe transfer translate turn upload validate verify visualise visualize watch",
);
/// The same, where more than one word follows: `search engine` is a thing.
const SEEKING: [&str; 3] = ["find", "search", "look"];
/// So many words a need has that begins with one of these.
const WORDS_WITH_SEEKING: usize = 3;
/// What a need is introduced with: it says nothing of what is to be done.
static OPENINGS: PhraseRows<()> = PhraseRows::new(&[(
    "is there anything,is there something,is there any way,is there a way,is there a good way,is there any,are there any,\
     do you have anything,do you have something,do you know of anything,do you know anything,do you know something,do you know a way,\
     does anyone know,does anybody know,help me,help us,please help me,a thing,a way,some way,need something,need a way,\
     can you recommend,can you suggest,could you recommend,could you suggest,can anyone recommend,\
     what can i use,what could i use,what should i use,what do i use,what can we use,what could we use,what should we use,what do we use,\
     what do people use,what do you use,what would you use,what's a good way,whats a good way,what is a good way,what's the best way,\
     whats the best way,what is the best way,what's the easiest way,whats the easiest way,what is the easiest way,best way,good way,\
     easiest way,any way,any good way,anything,something,can claude,could claude,can my agent,could my agent,can an agent,can an llm,\
     can my llm,can my assistant,can i,could i,can we,could we,is it possible,i want,we want,i need,we need,i would like,i'd like,\
     looking for,i am looking for,i'm looking for,im looking for",
    (),
)]);
/// What stands between such an opening and what is to be done.
static BEHIND_OPENING: WordSet = WordSet::new(
    "a an any some good nice simple easy something anything someone thing way ways that which can could will would lets let allows makes \
     help helps me us to for of how what people use",
);
/// Who asks for the way to do these wants to be told how: no program does them.
const LEARNT: [&str; 14] =
    word_array("build create write make develop install configure set setup deploy train test debug publish");
/// Words of a conversion, and what stands at its end.
const CONVERSION_WORDS: usize = 3;
const CONVERTED: [&str; 7] = ["text", "speech", "voice", "audio", "image", "video", "music"];
/// What people call a program that is to do it, and what is done: a question that ends so is a need as well, `currency converter`,
/// `dns lookup`. Not what texts explain, too (`retriever`, `text splitter`, `prompt caching`, `experiment tracking`).
static PROGRAMS: WordSet = WordSet::new(
    "app apps application program software service bot plugin \
     checker converter crawler downloader finder organiser organizer planner scanner scheduler scraper summariser summarizer tracker \
     translator uploader automation booking bookings conversion lookup lookups scheduling scraping",
);
/// Whoever asks of today or tomorrow wants what is so then, and no text about it.
const OF_NOW: [&str; 5] = ["today", "tomorrow", "tonight", "now", "currently"];
/// Who begins so wants to read, not to do.
static ASKS_TO_READ: WordSet = WordSet::new(
    "how what whats what's why when where which who is are does do can explain learn understand guide introduction intro \
     overview best example examples documentation docs list compare difference",
);
/// Who says so wants to be led through it.
static GUIDED: PhraseRows<()> = PhraseRows::new(&[("step by step,from scratch,for beginners", ())]);
/// Words between `my` and the one who is to do it.
const OF_ADDRESSEE: [&str; 6] = ["ai", "coding", "own", "local", "llm", "chat"];
/// Who is to do it.
const ADDRESSEES: [&str; 12] =
    word_array("agent agents assistant assistants editor ide bot chatbot claude cursor copilot chat");
/// What agents are called after as well.
const MODELS: [&str; 5] = ["ai", "llm", "gpt", "chatgpt", "gemini"];
/// What stands before them.
const BEFORE_ADDRESSEE: [&str; 13] =
    ["into", "from", "in", "through", "with", "via", "to", "by", "let", "for", "have", "give", "inside"];

/// Percent that the texts of a kind count more for such a question, and for a topic: it is met by what acts rather than by what tells how, as
/// skills do, too.
pub const GAINS: [(Kind, u32); 2] = [(Kind::McpServer, 60), (Kind::Tool, 60)];

/// What is to be done, without the words for who is to do it; nothing where the question asks for something to read.
pub fn need(all: &[Word<'_>]) -> Option<String> {
    let begin = opening(all);
    let words = &all[begin..closing(all).max(begin)];
    let (first, last) = (words.first()?, words.last()?);
    let asks_for_way = all[..begin].iter().any(|word| word.folded == "way");
    if asks_for_way && first.is(&LEARNT) {
        return None;
    }
    // `speech to text`
    let is_conversion = words.len() == CONVERSION_WORDS && words[1].folded == "to" && last.is(&CONVERTED);
    let has_verb = [first, last].iter().any(|word| word.is_in(&VERBS)) || last.is_in(&PROGRAMS) || is_conversion;
    let words_min = if first.is(&SEEKING) {
        WORDS_WITH_SEEKING
    } else if has_verb || begin > 0 {
        WORDS_WITH_VERB_MIN
    } else {
        WORDS_MIN
    };
    let is_of_now = last.is(&OF_NOW);
    let is_guide = (0..words.len()).any(|at| GUIDED.at(words, at).is_some());
    if words.len() < words_min || first.is_in(&ASKS_TO_READ) && !is_of_now || is_guide {
        return None;
    }
    let mut said: Vec<&str> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        at = addressee(words, at).unwrap_or_else(|| {
            said.push(words[at].text);
            at + 1
        });
    }
    Some(said.join(" "))
}

/// What stands before the means with which something is done …
const WITH: [&str; 3] = ["with", "using", "via"];
/// … which ends the question in so many words.
const MEANS_WORDS_MAX: usize = 2;

/// Whether some words say what nobody has done for them: no program does it, or they name what they do it with.
pub fn is_told(words: &[Word<'_>]) -> bool {
    let is_with = |word: &Word<'_>| word.is(&WITH);
    let names_means = words.iter().rev().take(MEANS_WORDS_MAX + 1).any(is_with);
    let is_done = words.first().is_some_and(|first| first.is_in(&VERBS) || first.is(&SEEKING));
    words.len() > 1 && (names_means || !is_done)
}

/// Whether a text is a topic of a few words, `dns records`, and no question for something to read.
pub fn is_topic(words: &[Word<'_>]) -> bool {
    let says_to_read = |word: &Word<'_>| word.is_in(&ASKS_TO_READ);
    (WORDS_WITH_VERB_MIN..WORDS_MIN).contains(&words.len()) && !words.iter().any(says_to_read)
}

/// What the end of a need says of whatever meets it: `(self hosted, open source)`, `ideally free`.
static CLOSINGS: PhraseRows<()> = PhraseRows::new(&[(
    "self hosted,self-hosted,selfhosted,open source,open-source,opensource,free,for free,ideally,preferably,if possible,\
     please,thanks,thank you,or so,or similar,or something,somehow,on the cheap",
    (),
)]);
/// Words of the longest of these.
const CLOSING_WORDS: usize = 2;

/// Where what is to be done ends, before words that say of what kind it should be.
fn closing(words: &[Word<'_>]) -> usize {
    let mut end = words.len();
    let closes = |at: usize, end: usize| at > 0 && CLOSINGS.end_at(words, at) == Some(end);
    while let Some(at) = (end.saturating_sub(CLOSING_WORDS)..end).find(|at| closes(*at, end)) {
        end = at;
        // `self hosted and open source`
        end -= usize::from(end > 1 && words.is(end - 1, &["and", "or", "but"]));
    }
    end
}

/// Where the words end that only introduce what is to be done: `is there anything that can`, `i need my bot to`, `let claude`.
fn opening(words: &[Word<'_>]) -> usize {
    let Some(opening) = OPENINGS.end_at(words, 0).or_else(|| enabling(words)) else {
        return letting(words).or_else(|| acting(words, 0, false)).unwrap_or_default();
    };
    let behind = words[opening..].iter().take_while(|word| word.is_in(&BEHIND_OPENING));
    let end = opening + behind.count();
    let is_let = (opening..end).any(|at| words.is(at, &["let", "lets"]));
    acting(words, end, is_let).unwrap_or(end)
}

/// Where the rest of a question begins, if that says what is to be done and not what is to be read.
fn begin_of_deed(words: &[Word<'_>], at: usize) -> Option<usize> {
    let is_deed = |word: &Word<'_>| {
        let word = word.folded.as_str();
        !ASKS_TO_READ.contains(word) && !["be", "not", "never"].contains(&word)
    };
    words.get(at).is_some_and(is_deed).then_some(at)
}

/// Where the words from a position on end that say who shall do what follows: `my coding agent should be able to`, behind an opening `my bot to`,
/// and behind `lets` the agent alone.
fn acting(words: &[Word<'_>], at: usize, is_let: bool) -> Option<usize> {
    let end = anyone_at(words, at)?;
    let told = match () {
        () if words.is(end, &["should", "must", "shall"]) => 1,
        () if words.is(end, &["needs", "has", "ought"]) && words.is(end + 1, &["to"]) => 2,
        () if words.is(end, &["to"]) && at > 0 => 1,
        () if is_let => 0,
        () => return None,
    };
    let able = if words.is_phrase(end + told, &["be", "able", "to"]) { 3 } else { 0 };
    begin_of_deed(words, end + told + able)
}

/// Where the words at the beginning end that let an agent do what follows: `give cursor a way to`, `let gpt`, `make the AI`.
fn letting(words: &[Word<'_>]) -> Option<usize> {
    let agent_end = anyone_at(words, 1).filter(|_| words.is(0, &LETTING))?;
    let end = words.past(agent_end, &["code", "desktop"]);
    let has_way = words.is_phrase(end, &["a", "way", "to"]) || words.is_phrase(end, &["the", "ability", "to"]);
    let end = if has_way { end + 3 } else { words.past(end, &["to"]) };
    let is_told = has_way || words.is(0, &["let", "have"]) || is_done(words, end);
    begin_of_deed(words, end).filter(|_| is_told)
}

/// What is searched for beside the word for a kind, without who shall do it: `see my screen` of `lets claude see my screen`. Nothing where it
/// says nobody.
pub fn deed(rest: &str) -> Option<String> {
    let words = words::words(rest);
    // `shows how to call tools`
    if words.is(0, &["shows", "showing", "explains", "explaining", "teaches", "teaching"]) {
        let how = words.past(1, &["me", "us", "you"]);
        let is_how = words.is_phrase(how, &["how", "to"]) && how + 2 < words.len();
        return is_how.then(|| words::text(&words[how + 2..]));
    }
    let is_let = words.is(0, &["let", "lets", "allows", "helps", "gives"]);
    let is_asker = || is_let && words.is(1, &["me", "us"]);
    let who_end = anyone_at(&words, usize::from(is_let)).or_else(|| is_asker().then_some(2))?;
    let end = words.past(who_end, if is_let { &["to"] } else { &["can", "could", "should"] });
    // `agent can use` says nothing without the agent.
    let is_deed = (is_let || end > who_end) && end + 1 < words.len();
    is_deed.then(|| words::text(&words[end..]))
}

/// Whether what stands at a position is something to do.
fn is_done(words: &[Word<'_>], at: usize) -> bool {
    words.get(at).is_some_and(|word| {
        let word = word.folded.as_str();
        VERBS.contains(word) || SEEKING.contains(&word) || word == "access"
    })
}

/// What one does for an agent so that it can do something.
const LETTING: [&str; 9] = ["let", "have", "give", "make", "get", "enable", "allow", "help", "teach"];

/// Where the words at the beginning end that ask how an agent comes to do what follows: `how do I let my agent`, `how can claude`. What follows
/// must be something to do: how an agent becomes faster is told by a text.
fn enabling(words: &[Word<'_>]) -> Option<usize> {
    if !words.is(0, &["how"]) || !words.is(1, &["can", "could", "do", "should", "to"]) {
        return None;
    }
    let who = words.past(2, &["i", "we", "you"]);
    let agent = words.past(who, &LETTING);
    if agent == who && (who > 2 || !words.is(1, &["can", "could"])) {
        return None;
    }
    let end = words.past(agent_at(words, agent)?, &["code", "desktop"]);
    let end = words.past(end, &["to"]);
    is_done(words, end).then_some(end)
}

/// Where the words from a position on end that say who is to do it: `into my coding agent`.
fn addressee(words: &[Word<'_>], at: usize) -> Option<usize> {
    agent_at(words, at + 1).filter(|_| words.is(at, &BEFORE_ADDRESSEE))
}

/// Where the words from a position on end that name an agent: `my coding agent`.
fn agent_at(words: &[Word<'_>], at: usize) -> Option<usize> {
    let mut next = words.past(at, &DETERMINERS);
    while words.is(next, &OF_ADDRESSEE) && (words.is(next + 1, &ADDRESSEES) || words.is(next + 1, &OF_ADDRESSEE)) {
        next += 1;
    }
    words.is(next, &ADDRESSEES).then_some(next + 1)
}

/// The same where it is clear that somebody shall do something: people say it of the model, too.
fn anyone_at(words: &[Word<'_>], at: usize) -> Option<usize> {
    let model = words.past(at, &DETERMINERS);
    agent_at(words, at).or_else(|| words.is(model, &MODELS).then_some(model + 1))
}

#[cfg(test)]
mod tests {
    use super::{deed, need};
    use crate::understand::words::words;

    #[test]
    fn who_shall_do_it_is_not_searched_for_beside_a_kind() {
        for (rest, said) in [
            ("lets claude see my screen", Some("see my screen")),
            ("allows an llm to query tables", Some("query tables")),
            ("lets me send mail", Some("send mail")),
            ("agent can access our gitlab", Some("access our gitlab")),
            ("gives my agent access to orders", Some("access to orders")),
            ("shows how to call tools", Some("call tools")),
            ("agent can use", None),
            ("claude skills", None),
            ("postgres", None),
        ] {
            assert_eq!(deed(rest).as_deref(), said, "{rest}");
        }
    }

    #[test]
    fn how_a_need_is_introduced_and_how_it_ends_is_no_part_of_it() {
        for (question, said) in [
            ("is there anything to resize pictures", "resize pictures"),
            ("can you recommend something that turns scans into text", "turns scans into text"),
            ("what can i use to send mail", "send mail"),
            ("whats a good way to keep track of bills", "keep track of bills"),
            ("can claude book a flight", "book a flight"),
            ("resize pictures (self hosted, open source)", "resize pictures"),
            ("send mail, ideally free", "send mail"),
            ("find cheap flights", "find cheap flights"),
            ("how do i let my coding agent book meetings", "book meetings"),
            ("how can claude code read my mail", "read my mail"),
            ("how do i give my agent access to github", "access to github"),
            ("something that lets my agent read invoices", "read invoices"),
            ("is there a way to let an agent buy tickets", "buy tickets"),
            ("i need my chatbot to check the weather", "check the weather"),
            ("my coding agent should be able to send mail", "send mail"),
            ("let gpt query our warehouse", "query our warehouse"),
            ("i want claude to be able to read mail", "read mail"),
            ("make the AI fill in forms", "fill in forms"),
            ("give cursor a way to see our tables", "see our tables"),
            ("help me plan a trip", "plan a trip"),
            ("make my agent faster", "make my agent faster"),
            ("currency converter", "currency converter"),
            ("company data lookup", "company data lookup"),
        ] {
            assert_eq!(need(&words(question)).as_deref(), Some(said), "{question}");
        }
        // A thing, and what wants to be learnt.
        for question in [
            "search engine",
            "parent document retriever",
            "converter",
            "best way to build an agent",
            "explain how agents remember things",
            "how do i make my agent more reliable",
            "how do i get claude to output json",
            "how can i stream responses",
        ] {
            assert_eq!(need(&words(question)), None, "{question}");
        }
    }
}
