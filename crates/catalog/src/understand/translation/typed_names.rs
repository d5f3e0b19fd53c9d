//! Names typed otherwise than the catalog has them: with the digit that looks like a letter of theirs, `gpt-40 mini` for `gpt-4o mini`, `03-mini`
//! for `o3-mini`, and as files with rounded weights are called by `llama.cpp` and Ollama: `llama3.1:8b-instruct-q4_K_M`, `phi-4.Q8_0.gguf`. How the
//! weights were rounded is no part of what the model is called.

use crate::snapshot::Snapshot;
use crate::understand::is_name;
use crate::understand::words::has_digit;
use refdesk_core::Kind;
use refdesk_search::text::is_stop_word;

/// Longer texts are no names.
const NAME_CHARS: usize = 40;

/// A text with the letter in place of the digit, where a model has that name and none the other; `None` where it is so already. A version
/// is one digit beside the letter, so that `gemini 2.0` and `70b` are none.
pub fn with_letter(snapshot: &Snapshot, text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > NAME_CHARS || !text.contains('0') {
        return None;
    }
    let is_digit = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let goes_on = |at: Option<usize>| is_digit(at) || at.is_some_and(|at| text.as_bytes().get(at) == Some(&b'.'));
    let zeros = text.match_indices('0').map(|(at, _)| at);
    // `40`, `03`: exactly two digits, one of them a zero.
    let mut letters = zeros.filter(|at| {
        let (before, behind) = (at.checked_sub(1), Some(at + 1));
        let is_size = text[at + 1..].starts_with(char::is_alphabetic);
        let ends = is_digit(before) && !goes_on(behind) && !goes_on(at.checked_sub(2)) && !is_size;
        let begins = is_digit(behind) && !goes_on(before) && !goes_on(Some(at + 2));
        ends || begins
    });
    let at = letters.next()?;
    let meant = format!("{}o{}", &text[..at], &text[at + 1..]);
    let models = Kind::Model.into();
    (is_name(snapshot, &meant, models) && !is_name(snapshot, text, models)).then_some(meant)
}

const EXTENSION: &str = ".gguf";
/// What stands between a name and how its weights were rounded.
const SEPARATORS: [char; 3] = ['-', '.', ':'];
/// What may follow the number of bits: `tools/quantize` of `llama.cpp`.
const VARIANTS: [&str; 10] = ["0", "1", "k", "s", "m", "l", "xl", "xs", "xxs", "nl"];

/// The text without that, where it names such a file; `None` where it does not.
pub fn without_quantisation(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut names: Vec<&str> = words.iter().map(|word| name_of_file(word).unwrap_or(word)).collect();
    if let Some((last, others)) = names.split_last()
        && is_quantisation(last)
        && is_size_of(others)
    {
        names.pop();
    }
    (names != words).then(|| names.join(" "))
}

/// The name in front of how the weights were rounded.
fn name_of_file(word: &str) -> Option<&str> {
    let end = word.len().checked_sub(EXTENSION.len()).filter(|end| word.is_char_boundary(*end));
    let name = end.filter(|end| word[*end..].eq_ignore_ascii_case(EXTENSION)).map(|end| &word[..end]);
    let of_form = name.unwrap_or(word).rsplit_once(SEPARATORS).filter(|(_, form)| is_quantisation(form));
    of_form.map(|(name, _)| name).or(name).filter(|name| !name.is_empty())
}

/// `q4_K_M`, `Q8_0`, `iq2_xxs`.
fn is_quantisation(form: &str) -> bool {
    let form = form.to_ascii_lowercase();
    let mut parts = form.strip_prefix('i').unwrap_or(&form).split('_');
    let has_bits = parts.next().is_some_and(|bits| matches!(bits.as_bytes(), [b'q', b'1'..=b'8']));
    let mut variants = parts.peekable();
    has_bits && variants.peek().is_some() && variants.all(|variant| VARIANTS.contains(&variant))
}

/// Whether words are a name with a number, `qwen2.5 7b`, and nothing that one says of `q4_K_M` itself.
fn is_size_of(words: &[&str]) -> bool {
    words.iter().any(|word| has_digit(word))
        && !words.iter().any(|word| is_quantisation(word) || is_stop_word(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::without_quantisation;

    #[test]
    fn how_weights_were_rounded_is_no_part_of_a_name() {
        for (typed, name) in [
            ("llama3.1:8b-instruct-q4_K_M", "llama3.1:8b-instruct"),
            ("mistral-7b-instruct-v0.3.Q5_K_M.gguf", "mistral-7b-instruct-v0.3"),
            ("how much memory for gemma-2-9b-it-IQ2_XXS", "how much memory for gemma-2-9b-it"),
            ("qwen2.5 7b Q8_0", "qwen2.5 7b"),
            ("phi-4.gguf", "phi-4"),
        ] {
            assert_eq!(without_quantisation(typed).as_deref(), Some(name), "{typed}");
        }
        for typed in [
            "what is q4_K_M",
            "q4_K_M vs q5_K_M",
            "q4_K_M",
            ".gguf",
            "convert a 7b model to q4_0",
            "results-q4_2025",
            "phi-4",
            "ｑ4_0",
        ] {
            assert_eq!(without_quantisation(typed), None, "{typed}");
        }
    }
}
