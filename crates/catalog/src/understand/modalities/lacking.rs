//! Modalities that there are to be none of: `without image`, `no pictures`, `without text output`. What is called so in front of the word for
//! models, `no image models`, is read in `before_kind`.

use super::{OUTPUT, PDF, TEXT, modality_of};
use crate::understand::reading::Reading;
use crate::understand::words::Word;
use refdesk_search::text::is_stop_word;

/// What says in front of a noun that things have none of it, even where the word for them follows: `without image models`.
pub(super) const LACKING: [&str; 4] = ["without", "lack", "lacks", "lacking"];

/// Reads such a noun at a position: what has none of it neither takes nor gives any. Text is told only of what is given.
pub(super) fn lacked(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some(noun) = reading.word(at).map(|word| word.trim_end_matches('s')) else { return false };
    let is_text = noun == TEXT && reading.is(at + 1, &OUTPUT);
    let Some(modality) = modality_of(noun).or(is_text.then_some(TEXT)) else { return false };
    let end = at + 1 + usize::from(is_text);
    // `no speech to text`
    let is_of_more = |next: &Word<'_>| !next.used && (!is_stop_word(&next.folded) || next.is(&["to", "into"]));
    if reading.words.get(end).is_some_and(is_of_more) && !reading.words[end - 1].ends_clause {
        return false;
    }
    let negation = reading.negation_before(at);
    if negation == 0 {
        return false;
    }
    if modality != TEXT {
        reading.set("input_modalities__not", modality);
    }
    if modality != PDF {
        reading.set("output_modalities__not", modality);
    }
    reading.take(at - negation..end);
    reading.note_negated(negation, end);
    true
}
