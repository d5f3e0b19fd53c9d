//! `WordPiece` (Schuster and Nakajima 2012), as BERT's uncased models cut texts: cleaned, lower case without accents, words and punctuation
//! apart, and each word as the longest pieces of the vocabulary. Marks inside a text (`[SEP]`) are text, never marks.

use std::collections::HashMap;

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

use super::{ModelError, file};

/// Marks around every text: the first and the last.
pub(super) const MARKS: usize = 2;
/// Longer words are unknown.
const WORD_CHARS_MAX: usize = 100;

/// Cuts texts into word pieces.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    vocabulary: HashMap<Box<str>, u32>,
    unknown: u32,
    first: u32,
    last: u32,
    /// What stands before a piece that is not the first of its word.
    inner: String,
    lower: bool,
    strip_accents: bool,
    split_cjk: bool,
    clean: bool,
}

impl Tokenizer {
    /// Reads `tokenizer.json`.
    ///
    /// # Errors
    /// When it is damaged or not a word-piece vocabulary with BERT's rules.
    pub fn from_json(json: &[u8]) -> Result<Self, ModelError> {
        let wrong = |problem: String| ModelError::new(file::TOKENIZER, problem);
        let read: TokenizerFile = serde_json::from_slice(json).map_err(|error| wrong(error.to_string()))?;
        for (part, found, wanted) in [
            ("model", read.model.kind.as_deref(), "WordPiece"),
            ("normalizer", read.normalizer.as_ref().and_then(|part| part.kind.as_deref()), "BertNormalizer"),
            ("pre_tokenizer", read.pre_tokenizer.as_ref().and_then(|part| part.kind.as_deref()), "BertPreTokenizer"),
        ] {
            if let Some(found) = found.filter(|found| *found != wanted) {
                return Err(wrong(format!("its {part} is {found:?}; only {wanted:?} can be run")));
            }
        }
        let mut made = Self::new(read.model.vocab, file::TOKENIZER)?;
        if let Some(inner) = read.model.continuing_subword_prefix {
            made.inner = inner;
        }
        if let Some(rules) = read.normalizer {
            made.clean = rules.clean_text.unwrap_or(true);
            made.split_cjk = rules.handle_chinese_chars.unwrap_or(true);
            made.lower = rules.lowercase.unwrap_or(true);
            made.strip_accents = rules.strip_accents.unwrap_or(made.lower);
        }
        Ok(made)
    }

    /// Reads `vocab.txt`, for an uncased model.
    ///
    /// # Errors
    /// When it is not UTF-8 or lacks a mark.
    pub fn from_vocabulary(text: &[u8]) -> Result<Self, ModelError> {
        let text = std::str::from_utf8(text).map_err(|error| ModelError::new(file::VOCABULARY, error.to_string()))?;
        let lines = text.lines().enumerate().map(|(id, line)| (line.trim_end().into(), id as u32));
        Self::new(lines.collect(), file::VOCABULARY)
    }

    fn new(vocabulary: HashMap<Box<str>, u32>, file: &'static str) -> Result<Self, ModelError> {
        let mark = |name: &str| {
            let missing = || ModelError::new(file, format!("has no word piece {name}"));
            vocabulary.get(name).copied().ok_or_else(missing)
        };
        let (unknown, first, last) = (mark("[UNK]")?, mark("[CLS]")?, mark("[SEP]")?);
        let inner = "##".to_owned();
        Ok(Self {
            vocabulary,
            unknown,
            first,
            last,
            inner,
            lower: true,
            strip_accents: true,
            split_cjk: true,
            clean: true,
        })
    }

    /// The largest id that a text can hold.
    pub(super) fn highest_id(&self) -> u32 {
        self.vocabulary.values().copied().max().unwrap_or(0)
    }

    /// The ids of a text's pieces between the two marks, at most `tokens_max` in all.
    pub fn encode(&self, text: &str, tokens_max: usize) -> Vec<u32> {
        let room = tokens_max.saturating_sub(MARKS);
        let mut ids = vec![self.first];
        let mut word = String::new();
        let mut piece = String::new();
        for c in self.normal(text) {
            if ids.len() > room {
                break;
            }
            if c.is_whitespace() {
                self.cut(&mut word, &mut piece, &mut ids);
            } else if is_punctuation(c) || (self.split_cjk && is_cjk(c)) {
                self.cut(&mut word, &mut piece, &mut ids);
                word.push(c);
                self.cut(&mut word, &mut piece, &mut ids);
            } else {
                word.push(c);
            }
        }
        self.cut(&mut word, &mut piece, &mut ids);
        ids.truncate(room + 1);
        ids.push(self.last);
        ids
    }

    /// The characters after cleaning, decomposition and folding.
    fn normal<'a>(&'a self, text: &'a str) -> impl Iterator<Item = char> + 'a {
        let cleaned = text.chars().filter_map(move |c| if self.clean { cleaned(c) } else { Some(c) });
        let (plain, stripped) = if self.strip_accents {
            (None, Some(cleaned.nfd().filter(|c| c.general_category() != GeneralCategory::NonspacingMark)))
        } else {
            (Some(cleaned), None)
        };
        let folded = plain.into_iter().flatten().chain(stripped.into_iter().flatten());
        folded.flat_map(move |c| {
            let (lower, same) = if self.lower { (Some(c.to_lowercase()), None) } else { (None, Some(c)) };
            lower.into_iter().flatten().chain(same)
        })
    }

    /// Appends the pieces of a word, longest first, and empties it. A word with an unknown piece is unknown as a whole.
    fn cut(&self, word: &mut String, piece: &mut String, ids: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let before = ids.len();
        let mut from = 0;
        if word.chars().nth(WORD_CHARS_MAX).is_some() {
            ids.push(self.unknown);
            word.clear();
            return;
        }
        while from < word.len() {
            let mut to = word.len();
            let found = loop {
                piece.clear();
                if from > 0 {
                    piece.push_str(&self.inner);
                }
                piece.push_str(&word[from..to]);
                if let Some(id) = self.vocabulary.get(piece.as_str()) {
                    break Some(*id);
                }
                match word[from..to].char_indices().next_back() {
                    Some((last, _)) if last > 0 => to = from + last,
                    _ => break None,
                }
            };
            if let Some(id) = found {
                ids.push(id);
                from = to;
            } else {
                ids.truncate(before);
                ids.push(self.unknown);
                break;
            }
        }
        word.clear();
    }
}

/// What is read of `tokenizer.json`.
#[derive(Deserialize)]
struct TokenizerFile {
    model: ModelPart,
    normalizer: Option<Rules>,
    pre_tokenizer: Option<Named>,
}

#[derive(Deserialize)]
struct ModelPart {
    #[serde(rename = "type")]
    kind: Option<String>,
    vocab: HashMap<Box<str>, u32>,
    continuing_subword_prefix: Option<String>,
}

#[derive(Deserialize)]
struct Rules {
    #[serde(rename = "type")]
    kind: Option<String>,
    clean_text: Option<bool>,
    handle_chinese_chars: Option<bool>,
    strip_accents: Option<bool>,
    lowercase: Option<bool>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// Blanks of all sorts become one, control and other invisible characters nothing.
fn cleaned(c: char) -> Option<char> {
    match c {
        '\t' | '\n' | '\r' => Some(' '),
        '\u{0}' | '\u{fffd}' => None,
        _ if c.is_whitespace() => Some(' '),
        _ if c.is_ascii() => (!c.is_control()).then_some(c),
        _ => (c.general_category_group() != GeneralCategoryGroup::Other).then_some(c),
    }
}

/// All ASCII signs that are neither letter nor digit, and what Unicode calls punctuation.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || (!c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Punctuation)
}

/// Han characters stand alone; kana and hangul do not.
const fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b73f}'
        | '\u{2b740}'..='\u{2b81f}' | '\u{2b820}'..='\u{2ceaf}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use super::Tokenizer;

    const PIECES: &[&str] = &[
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "play", "##ing", "##s", "un", "##aff", "##able", ",", "'", "cafe",
        "strasse", "ß", "中", "文", "a", "##b", "-", "«", "ab",
    ];

    fn check(text: &str, pieces: &str) {
        let tokenizer = Tokenizer::from_vocabulary(PIECES.join("\n").as_bytes()).unwrap();
        let ids = tokenizer.encode(text, 64);
        let named: Vec<&str> = ids[1..ids.len() - 1].iter().map(|id| PIECES[*id as usize]).collect();
        assert_eq!(named.join(" "), pieces, "{text:?}");
        assert_eq!((ids[0], ids[ids.len() - 1]), (2, 3), "{text:?}");
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces_of_the_vocabulary() {
        check("playing plays", "play ##ing play ##s");
        check("unaffable", "un ##aff ##able");
        check("ab abb", "ab ab ##b");
        check("playx", "[UNK]");
        check("", "");
        check(&"a".repeat(101), "[UNK]");
    }

    #[test]
    fn case_accents_blanks_and_invisible_characters_do_not_count() {
        check("CAFÉ cafe\u{301}", "cafe cafe");
        check(" play\u{a0}\t\r\nplay\u{200b}ing\u{0} ", "play play ##ing");
        check("ß", "ß");
    }

    #[test]
    fn punctuation_and_han_characters_stand_alone() {
        check("play,'play-«play", "play , ' play - « play");
        check("a中文b", "a 中 文 [UNK]");
        check("[SEP]", "[UNK] [UNK] [UNK]");
    }

    #[test]
    fn long_texts_are_cut_and_keep_their_last_mark() {
        let tokenizer = Tokenizer::from_vocabulary(PIECES.join("\n").as_bytes()).unwrap();
        assert_eq!(tokenizer.encode("playing playing playing", 5), [2, 4, 5, 4, 3]);
    }

    #[test]
    fn a_json_vocabulary_gives_the_same_as_a_plain_one() {
        let vocab: serde_json::Map<String, serde_json::Value> =
            PIECES.iter().enumerate().map(|(id, piece)| ((*piece).to_owned(), id.into())).collect();
        let json = serde_json::json!({"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true}, "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocab}});
        let from_json = Tokenizer::from_json(json.to_string().as_bytes()).unwrap();
        let plain = Tokenizer::from_vocabulary(PIECES.join("\n").as_bytes()).unwrap();
        for text in ["Playing, unaffable café 中文", "a-b"] {
            assert_eq!(from_json.encode(text, 64), plain.encode(text, 64));
        }
        let other = serde_json::json!({"model": {"type": "BPE", "vocab": {}}}).to_string();
        let error = Tokenizer::from_json(other.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, r#"tokenizer.json: its model is "BPE"; only "WordPiece" can be run"#);
    }
}
