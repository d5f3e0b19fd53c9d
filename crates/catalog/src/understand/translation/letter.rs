//! Names typed with the digit that looks like a letter of theirs: `gpt-40 mini` for `gpt-4o mini`, `03-mini` for `o3-mini`. A version is one digit
//! beside the letter, so that `gemini 2.0` and `70b` are none.

use crate::snapshot::Snapshot;
use crate::understand::is_name;
use refdesk_core::Kind;

/// Longer texts are no names.
const NAME_CHARS: usize = 40;

/// A text with the letter in place of the digit, where a model has that name and none the other; `None` where it is so already.
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
