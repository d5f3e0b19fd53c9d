//! Tells a literal secret from what may be shown: templates (`Bearer {token}`), placeholders, plain words, paths and addresses.
//!
//! A secret is a concrete value in a place that is marked or named like one, or a token of a known form anywhere. What stands in such
//! a place and is built of `{name}`, `${NAME}` or `<name>` says how a secret is sent, not which, and is shown.

use std::sync::LazyLock;

use refdesk_core::text::listed_lines;
use url::Url;

/// The word lists. The head of the file explains its format.
const LISTS: &str = include_str!("literal_secret.txt");

/// The word lists, read once.
struct WordLists {
    /// Beginnings of tokens, sorted, and the fewest characters that follow.
    known_forms: Vec<(&'static str, usize)>,
    stand_ins: Vec<&'static str>,
    typed_runs: Vec<&'static str>,
    schemes: Vec<&'static str>,
    secret_words: Vec<&'static str>,
    open_keys: Vec<&'static str>,
    about_it: Vec<&'static str>,
}

static WORDS: LazyLock<WordLists> = LazyLock::new(|| WordLists {
    known_forms: {
        let mut forms: Vec<_> = list("known forms").filter_map(known_form).collect();
        forms.sort_unstable();
        forms
    },
    stand_ins: list("stand-ins").collect(),
    typed_runs: list("typed runs").collect(),
    schemes: list("schemes").collect(),
    secret_words: list("secret words").collect(),
    open_keys: list("open keys").collect(),
    about_it: list("about it").collect(),
});

fn list(name: &str) -> impl Iterator<Item = &'static str> {
    let is_name = move |line: &str| line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) == Some(name);
    listed_lines(LISTS).skip_while(move |line| !is_name(line)).skip(1).take_while(|line| !line.starts_with('['))
}

/// The beginning of a token and the fewest characters that follow, as a line has them; a test reads all of them.
fn known_form(line: &'static str) -> Option<(&'static str, usize)> {
    let (form, least) = line.split_once(' ')?;
    Some((form, least.parse().ok()?))
}

/// Fewest characters of a whole token of any form; most words are shorter, and are not looked at more closely.
const FORM_CHARS_MIN: usize = 16;
/// Fewest characters in the longest piece of a token of a known form.
const CORE_CHARS_MIN: usize = 10;
/// Characters in a row by which a line of a key is told from words; whole lines have 64.
const KEY_LINE_CHARS: usize = 32;
/// Fewest characters in one piece, and fewest letters and digits in it, that make a word look like drawn at random.
const RANDOM_CHARS_MIN: usize = 16;
const RANDOM_EACH_MIN: usize = 3;

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a place that its source marks as secret.
    Marked,
    /// In a place that is only named like a secret.
    Named,
    /// In a request header.
    Header,
    /// Anywhere else.
    Plain,
}

impl Place {
    /// Where the value of something of this name stands.
    pub fn of_name(name: &str) -> Self {
        if names_secret(name) { Self::Named } else { Self::Plain }
    }
}

/// True when the value is a secret itself.
pub fn is_literal(value: &str, place: Place) -> bool {
    let value = value.trim();
    if let Some((name, assigned)) = assignment(value)
        && names_secret(name)
    {
        return is_literal(assigned, if place == Place::Marked { place } else { Place::Named });
    }
    let (rest, is_template) = without_templates(value);
    let words =
        || rest.split([' ', ',', ';', '"', '\'', '\t', '\n']).filter(|word| !is_scheme(word) && !word.is_empty());
    if words().any(is_known_form) || holds_private_key(value) {
        return true;
    }
    match place {
        Place::Plain => false,
        Place::Header => words().any(|word| is_random(word) && !stands_in(word)),
        _ if is_template => words().any(is_random),
        Place::Named if is_harmless(value) => false,
        Place::Named | Place::Marked => words().any(|word| !stands_in(word) && !is_flag(word)),
    }
}

/// True when an example of a value is a secret itself: of a known form, or drawn at random in a place for secrets.
pub fn is_literal_example(value: &str, place: Place) -> bool {
    let (rest, _) = without_templates(value);
    let mut words = rest.split_whitespace();
    words.any(|word| {
        is_known_form(word) && !is_typed(word)
            || place != Place::Plain && is_random(word) && !stands_in(word) && !is_typed(word)
    })
}

/// True for what people type into examples.
fn is_typed(word: &str) -> bool {
    let folded = word.to_lowercase();
    WORDS.typed_runs.iter().any(|run| folded.contains(run))
}

/// Where a token of a known form begins in a word of prose. Placeholders, runs of typed keys and JSON web tokens are examples there, and
/// no secrets.
pub fn token_in_prose(word: &str) -> Option<usize> {
    known_form_at(word).filter(|_| !stands_in(word) && !is_typed(word))
}

/// True for names such as `GITHUB_TOKEN`, `--api-key` and `clientSecret`, and not for `TOKEN_TTL`, `MAX_TOKENS` and `KEY_ID`.
pub fn names_secret(name: &str) -> bool {
    let words = words_of(name);
    let Some(last) = words.last() else { return false };
    if WORDS.about_it.contains(&last.as_str()) {
        return false;
    }
    let before = words.len().checked_sub(2).and_then(|at| words.get(at)).map(String::as_str);
    let is_key = matches!(last.as_str(), "key" | "keys") && !before.is_some_and(|word| WORDS.open_keys.contains(&word));
    is_key || words.iter().any(|word| WORDS.secret_words.contains(&word.as_str()) || word.ends_with("apikey"))
}

/// The address without user info and secret query values, when it has any.
pub fn without_secrets(address: &str) -> Option<String> {
    let mut url = Url::parse(address).ok()?;
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, value)| !is_literal(value, Place::of_name(name)))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    let has_user = url.password().is_some_and(|password| is_literal(&decoded(password), Place::Marked));
    if !has_user && kept.len() == url.query_pairs().count() {
        return None;
    }
    if has_user {
        url.set_password(None).ok()?;
        url.set_username("").ok()?;
    }
    url.set_query(None);
    if !kept.is_empty() {
        url.query_pairs_mut().extend_pairs(kept);
    }
    Some(url.into())
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Words of a name: split at signs and at humps.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let hump = c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
        if !c.is_alphanumeric() || hump {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// `NAME=value` and `--name=value`.
fn assignment(value: &str) -> Option<(&str, &str)> {
    let (name, assigned) = value.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    is_name.then_some((name, assigned))
}

/// The text with blanks for `{name}`, `{{name}}`, `${NAME}`, `$NAME` and `<name>`, and whether there were any.
fn without_templates(value: &str) -> (String, bool) {
    let mut rest = String::with_capacity(value.len());
    let mut found = false;
    let mut chars = value.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = match c {
            '{' => value[at..].find('}').map(|end| at + end),
            '<' => value[at..].find('>').map(|end| at + end),
            '$' => {
                let name = value[at + 1..].chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').count();
                (name > 0).then_some(at + name)
            }
            _ => None,
        };
        match end {
            Some(end) => {
                found = true;
                rest.push(' ');
                while chars.next_if(|(at, c)| *at <= end || *c == '}').is_some() {}
            }
            None if c == '$' => rest.push(' '),
            None => rest.push(c),
        }
    }
    (rest, found)
}

fn is_scheme(word: &str) -> bool {
    WORDS.schemes.contains(&word.to_lowercase().as_str())
}

/// A token of a form that its issuer chose, or a JSON web token, unless it stands in for one.
fn is_known_form(word: &str) -> bool {
    let is_web_token = || word.find("eyJ").is_some_and(|at| word[at..].contains(".eyJ"));
    word.len() >= FORM_CHARS_MIN && (known_form_at(word).is_some() || is_web_token()) && !stands_in(word)
}

/// A private key in PEM: its heading, and lines of it. The heading alone says in which form a key is wanted.
pub fn holds_private_key(value: &str) -> bool {
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    let behind = value.split_once("PRIVATE KEY-----").map_or("", |(_, behind)| behind);
    behind.split(|c| !is_of_key(c)).any(|piece| piece.len() >= KEY_LINE_CHARS) && !stands_in(value)
}

/// Where a token of a form that its issuer chose begins.
fn known_form_at(word: &str) -> Option<usize> {
    if word.len() < FORM_CHARS_MIN {
        return None;
    }
    let bytes = word.as_bytes();
    // `task-…` does not begin with `sk-`; in JSON, the `n` of `\n` is the end of a line.
    let opens = |at: usize| match bytes[..at] {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., before] => !before.is_ascii_alphanumeric(),
        [] => true,
    };
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    // A slug such as `sk-learn-tutorials-2024` has no long piece.
    let has_core = |token: &str| {
        let mut pieces = token.split(['-', '_', '.']);
        pieces.any(|piece| piece.len() >= CORE_CHARS_MIN && piece.bytes().any(|b| b.is_ascii_digit()))
    };
    let begins = |at: usize| {
        let forms = &WORDS.known_forms;
        let from = forms.partition_point(|(form, _)| form.as_bytes()[..1] < bytes[at..=at]);
        let same = forms[from..].iter().take_while(|(form, _)| form.as_bytes()[..1] == bytes[at..=at]);
        same.filter(|(form, _)| bytes[at..].starts_with(form.as_bytes())).any(|(form, least)| {
            let tail = &word[at + form.len()..];
            let token = &tail[..tail.find(|c| !is_token(c)).unwrap_or(tail.len())];
            token.len() >= *least && has_core(token)
        })
    };
    (0..bytes.len()).find(|at| opens(*at) && begins(*at))
}

fn stands_in(word: &str) -> bool {
    let folded = word.to_lowercase();
    WORDS.stand_ins.iter().any(|part| folded.contains(part)) || WORDS.secret_words.contains(&folded.as_str())
}

fn is_flag(word: &str) -> bool {
    matches!(word.to_lowercase().as_str(), "true" | "false" | "none" | "null" | "optional" | "required")
}

/// True for letters and digits mixed in one piece, as generators draw them.
fn is_random(word: &str) -> bool {
    word.split(['-', '_', '.', '/', ':']).any(|piece| {
        let digits = piece.bytes().filter(u8::is_ascii_digit).count();
        let letters = piece.bytes().filter(u8::is_ascii_alphabetic).count();
        piece.len() >= RANDOM_CHARS_MIN && digits >= RANDOM_EACH_MIN && letters >= RANDOM_EACH_MIN
    })
}

/// Numbers, paths and addresses in a place that is only named like a secret.
fn is_harmless(value: &str) -> bool {
    let is_path = ["/", "./", "../", "~/"].iter().any(|front| value.starts_with(front));
    let is_address = Url::parse(value).is_ok_and(|url| url.has_host() && url.password().is_none());
    value.parse::<f64>().is_ok() || is_path || is_address
}

#[cfg(test)]
mod tests {
    use super::{Place, WORDS, is_literal, is_literal_example, list, names_secret, without_secrets};

    #[test]
    fn every_line_of_the_word_lists_is_read() {
        let lists = [
            &WORDS.stand_ins,
            &WORDS.typed_runs,
            &WORDS.schemes,
            &WORDS.secret_words,
            &WORDS.open_keys,
            &WORDS.about_it,
        ];
        assert_eq!(lists.map(Vec::len), [16, 5, 9, 16, 9, 40]);
        assert_eq!((WORDS.known_forms.len(), list("known forms").count()), (46, 46), "each with a number");
        assert!(WORDS.known_forms.contains(&("AIza", 30)) && WORDS.stand_ins.contains(&"…"));
    }

    #[test]
    fn templates_and_stand_ins_are_no_secrets_and_concrete_values_are() {
        for (value, place, literal) in [
            ("Bearer {smithery_api_key}", Place::Marked, false),
            ("App {KEY}", Place::Marked, false),
            ("Bearer ${CLOSE_API_KEY}", Place::Named, false),
            ("$TOKEN", Place::Marked, false),
            ("Bearer <your token>", Place::Marked, false),
            ("{{lamp.token}}", Place::Marked, false),
            ("Bearer YOUR_PAT_TOKEN", Place::Marked, false),
            ("Bearer hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxx", Place::Marked, false),
            ("", Place::Marked, false),
            ("true", Place::Marked, false),
            ("3600000", Place::Named, false),
            ("/run/secrets/token", Place::Named, false),
            ("all", Place::Header, false),
            ("claude-sonnet-4-5-20250929", Place::Header, false),
            ("hunter-2", Place::Marked, true),
            ("hunter-2", Place::Named, true),
            ("hunter-2", Place::Plain, false),
            ("Bearer hunter-7", Place::Named, true),
            ("Basic dXNlcjpwYXNz", Place::Named, true),
            ("LAMP_API_KEY=hunter-5", Place::Plain, true),
            ("LAMP_API_KEY={key}", Place::Plain, false),
            ("--max-tokens=4096", Place::Plain, false),
            ("sk-proj-abcdef1234567890abcdef", Place::Plain, true),
            ("{prefix} ghp_0123456789abcdef0123456789abcdef0123", Place::Plain, true),
            ("AKIA1234567890ABCDEF", Place::Plain, true),
            ("AKIAIOSFODNN7EXAMPLE", Place::Plain, false),
            ("task-runner-2-with-a-long-name", Place::Plain, false),
            ("sk-learn-tutorials-2024-edition", Place::Plain, false),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", Place::Plain, true),
            ("f3b1c9d84e7a4d6f9c2b", Place::Header, true),
            (
                "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\n-----END PRIVATE KEY-----",
                Place::Plain,
                true,
            ),
            ("A key that begins with -----BEGIN PRIVATE KEY-----, in one line", Place::Plain, false),
        ] {
            assert_eq!(is_literal(value, place), literal, "{value} {place:?}");
        }
        assert!(!is_literal_example("patABC123.def456ghi789jkl012mno345", Place::Marked));
        assert!(is_literal_example("pia_5cFd9jtG3zbY4VpREewTP17uzdfn", Place::Marked));
    }

    #[test]
    fn a_name_tells_a_secret_by_its_words() {
        for name in
            ["GITHUB_TOKEN", "--api-key", "clientSecret", "x-zoom-key", "LAMP_PASSWORD", "X-Mcp-Auth-Token", "apiKey"]
        {
            assert!(names_secret(name), "{name}");
        }
        for name in ["TOKEN_TTL", "MAX_TOKENS", "AWS_ACCESS_KEY_ID", "primary_key", "monkey", "LAMP_COLOUR", "path"] {
            assert!(!names_secret(name), "{name}");
        }
    }

    #[test]
    fn an_address_loses_its_secrets_only() {
        for (address, shown) in [
            ("https://lamp.example/mcp?api_key=f00dbabe&room=1", Some("https://lamp.example/mcp?room=1")),
            ("https://user:hunter-2@lamp.example/", Some("https://lamp.example/")),
            ("https://lamp.example/mcp?api_key={key}", None),
            ("https://huggingface.co/mcp?login", None),
        ] {
            assert_eq!(without_secrets(address).as_deref(), shown, "{address}");
        }
    }
}
