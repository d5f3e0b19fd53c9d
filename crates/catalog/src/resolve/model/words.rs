//! The words of a model's name: which of them tell the model, and which a seller may leave out or put elsewhere.
//!
//! `gemini-flash-1.5` is `gemini-1.5-flash`, `qwen3-coder-480b` leaves out what `qwen3-coder-480b-a35b-instruct` says. Names that may be one
//! have the same [`Words::stem`]; [`mod@super::groups`] decides with everything that the sources state whether they are.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// A name as words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Words {
    /// What every spelling of the model says, sorted: families, versions, dates, tiers.
    pub stem: Vec<String>,
    /// Sizes: `480b`, `8x7b`, active parameters (`a35b`), experts (`16e`).
    pub sizes: BTreeSet<String>,
    /// The checkpoint that was trained to follow instructions, where the maker publishes a base too.
    pub tuned: Option<Tuned>,
    /// `preview`, in a name without a date.
    pub preview: bool,
    /// `latest`.
    pub latest: bool,
    /// Running number of a stable version (`-001`); 0 for none.
    pub number: u8,
}

/// What a maker calls a checkpoint that was trained to follow instructions. One that publishes both forms means two models (Granite).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tuned {
    /// `instruct`, `it`.
    Instruct,
    /// `chat`.
    Chat,
}

/// Makers whose `chat` and `instruct` are products and no forms of published weights (`gpt-5-chat`, `gpt-3.5-turbo-instruct`).
const FORMS_ARE_PRODUCTS: &[&str] = &["openai"];

/// Makers whose `-002` is part of the name (`text-embedding-ada-002`) and no stable version of it (`gemini-2.0-flash-001`).
const NUMBERS_ARE_NAMES: &[&str] = &["openai"];

impl Words {
    /// The words of a normalised name of a maker.
    pub fn parse(maker: &str, name: &str) -> Self {
        let mut words = Self::default();
        let joined = months(name);
        for word in joined.split('-').filter(|word| !word.is_empty()) {
            match word {
                "instruct" | "it" if !FORMS_ARE_PRODUCTS.contains(&maker) => words.tuned = Some(Tuned::Instruct),
                "chat" if !FORMS_ARE_PRODUCTS.contains(&maker) => words.tuned = Some(Tuned::Chat),
                "preview" => words.preview = true,
                "latest" => words.latest = true,
                // DeepSeek's small ones are named with and without it: `deepseek-r1-qwen-7b`.
                "distill" => {}
                _ if is_size(word) => {
                    words.sizes.insert(word.to_owned());
                }
                _ => match running_number(word).filter(|_| !NUMBERS_ARE_NAMES.contains(&maker)) {
                    Some(number) => words.number = number,
                    None => words.stem.push(version(word).to_owned()),
                },
            }
        }
        words.stem.sort_unstable();
        // A date pins what is meant: `kimi-k2-0905-preview` is `kimi-k2-0905`.
        words.preview &= !words.stem.iter().any(|word| is_date(word));
        words
    }

    /// True when a word of the stem tells a generation (`3.2`, `k2`, `v3`): the name is not one that its maker lets move on, as
    /// `mistral-large` and `deepseek-chat` do.
    pub fn versioned(&self) -> bool {
        self.stem.iter().any(|word| word.bytes().any(|b| b.is_ascii_digit()) && !is_date(word))
    }

    /// True when a word of the stem is a date.
    pub fn dated(&self) -> bool {
        self.stem.iter().any(|word| is_date(word))
    }

    /// True when these are the words of `alias` with a date: a snapshot of it.
    pub fn is_snapshot_of(&self, alias: &Self) -> bool {
        self.dated() && !alias.dated() && self.stem.iter().filter(|word| !is_date(word)).eq(alias.stem.iter())
    }
}

/// `8b`, `0.5b`, `1t`, `270m`, `8x7b`, `a35b`, `e4b`, `128e`.
pub fn is_size(word: &str) -> bool {
    let digits = |text: &str| {
        text.bytes().any(|b| b.is_ascii_digit())
            && text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'x')
            && text.starts_with(|c: char| c.is_ascii_digit())
    };
    let active = word.strip_prefix(['a', 'e']).and_then(|rest| rest.strip_suffix('b'));
    let whole = word.strip_suffix(['b', 't', 'm', 'e']);
    active.or(whole).is_some_and(digits)
}

/// `03-2025` is one word: `202503`.
fn months(name: &str) -> Cow<'_, str> {
    let Some((front, year)) = name.rsplit_once('-') else { return Cow::Borrowed(name) };
    match front.rsplit_once('-') {
        Some((front, month)) if month.len() == 2 && year.len() == 4 && is_date(year) && year.starts_with("20") => {
            Cow::Owned(format!("{front}-{year}{month}"))
        }
        _ => Cow::Borrowed(name),
    }
}

/// `v1.1` is `1.1`, `4.0` is `4`.
fn version(word: &str) -> &str {
    let number = word.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(word);
    number.strip_suffix(".0").filter(|rest| !rest.is_empty()).unwrap_or(number)
}

/// `001` to `009`.
fn running_number(word: &str) -> Option<u8> {
    word.strip_prefix("00")
        .filter(|rest| rest.len() == 1)
        .and_then(|rest| rest.parse().ok())
        .filter(|number| *number > 0)
}

/// A word that can only be a date: `20250929`, `250615`, `2407`, `0905`, `05.06`, `2025`.
pub fn is_date(word: &str) -> bool {
    let numeric = word.bytes().all(|b| b.is_ascii_digit());
    let two_digits = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
    let month_and_day = word.split_once('.').is_some_and(|(month, day)| {
        two_digits(month) && two_digits(day) && (1..=12).contains(&month.parse().unwrap_or(0))
    });
    (numeric && matches!(word.len(), 4 | 6 | 8)) || month_and_day
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn spellings_that_may_be_one_model_have_one_stem() {
        for (maker, spellings) in [
            ("google", &["gemini-flash-1.5", "gemini-1.5-flash", "gemini-1.5-flash-001"][..]),
            ("google", &["gemini-3-pro", "gemini-3.0-pro-preview"]),
            ("black-forest-labs", &["flux-pro-v1.1", "flux-1.1-pro"]),
            ("nvidia", &["nemotron-nano-v2-12b-vl", "nemotron-nano-12b-v2-vl"]),
            ("alibaba", &["qwen3-coder-480b", "qwen3-coder-480b-a35b-instruct"]),
            ("meta", &["llama-4-scout", "llama-4-scout-17b-16e-instruct"]),
            ("moonshotai", &["kimi-k2-0905", "kimi-k2-instruct-0905", "kimi-k2-0905-preview"]),
        ] {
            for spelling in spellings {
                assert_eq!(Words::parse(maker, spelling).stem, Words::parse(maker, spellings[0]).stem, "{spelling}");
            }
        }
    }

    #[test]
    fn words_that_tell_another_model_stay_in_the_stem() {
        for (maker, one, other) in [
            ("openai", "gpt-5", "gpt-5-chat"),
            ("openai", "gpt-3.5-turbo", "gpt-3.5-turbo-instruct"),
            ("openai", "text-embedding-ada-002", "text-embedding-ada"),
            ("alibaba", "qwen3-4b", "qwen4-3b"),
            ("black-forest-labs", "flux-pro-1.1", "flux-pro-1.1-ultra"),
            ("alibaba", "qwen3-coder-480b-a35b-instruct", "qwen3-coder-480b-a35b-instruct-fp8"),
            ("deepseek", "deepseek-r1", "deepseek-r1-0528"),
        ] {
            assert_ne!(Words::parse(maker, one).stem, Words::parse(maker, other).stem, "{one} {other}");
        }
    }
}
