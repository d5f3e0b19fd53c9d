//! Makers by the region that they are from: `no chinese models`, `models from europe`, `not made in china`.

use std::ops::Range;
use std::sync::LazyLock;

use crate::resolve::model::makers;
use crate::understand::reading::Reading;
use crate::understand::words::{self, Phrases, Words as _, marked, table};
use refdesk_core::Kind;
use refdesk_search::text::{folded, word_array};

/// How a region is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Marked `~`: `china`, which stands behind a preposition.
    Name,
    /// `chinese`
    Adjective,
    /// Marked `^`: `french`, which may be something else and stands between a preposition and a word for makers.
    OfMakers,
}

/// A region as it is said.
#[derive(Debug, Clone, Copy)]
struct Said {
    form: Form,
    /// Slugs of the makers that are from there.
    makers: &'static str,
}

static REGIONS: LazyLock<Phrases<Said>> = LazyLock::new(|| {
    Phrases::new(table(include_str!("regions.txt")).flat_map(|row| {
        let makers = row[1];
        marked(row[0], &['~', '^']).map(move |(phrase, mark)| {
            let form = match mark {
                Some('~') => Form::Name,
                Some(_) => Form::OfMakers,
                None => Form::Adjective,
            };
            (phrase, Said { form, makers })
        })
    }))
});

/// What links a maker with the name of a region …
const LINKS: [&str; 10] = ["from", "of", "by", "made", "built", "trained", "developed", "created", "based", OUTSIDE];
/// … with this behind some of them; alone it says where something runs: `hosted in europe`.
const IN: &str = "in";
/// Who is from there is left out.
const OUTSIDE: &str = "outside";
/// Who makes models …
const MAKERS: [&str; 15] = word_array(
    "vendor vendors maker makers lab labs company companies startup startups start-ups firm firms developers providers",
);
/// … and what else an adjective is said of beside the word for the kind.
const OF_ADJECTIVE: [&str; 2] = ["made", "ones"];

/// Reads it at a position. An adjective only before the word for the kind, or where it is left out: `good at chinese` is of a language.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    if reading.kind != Kind::Model {
        return false;
    }
    let Some((taken, said)) = REGIONS.at(&reading.words, at) else { return false };
    let said = *said;
    let is_name = said.form == Form::Name;
    // `from`, `made in`, `outside of`, `by companies in`
    let start = if is_name { reading.start_of(at, &[&LINKS[..], &[IN], &MAKERS].concat()) } else { at };
    let negation = reading.negation_before(start);
    let end = match said.form {
        Form::Name => at + taken,
        Form::Adjective => reading.end_of(at + taken, &[&MAKERS[..], &OF_ADJECTIVE].concat()),
        Form::OfMakers => reading.end_of(at + taken, &MAKERS),
    };
    let is_of_makers = end > at + taken;
    let is_said = match said.form {
        Form::Name => (start..at).any(|link| reading.is(link, &LINKS)),
        Form::Adjective => is_of_makers || reading.is_before_kind(end) || negation > 0,
        // `show us providers` is of no country.
        Form::OfMakers => is_of_makers && (at == 0 || negation > 0 || reading.is(at - 1, &LINKS)),
    };
    let is_outside = (start..at).any(|link| reading.is(link, &[OUTSIDE]));
    if !is_said || !set(reading, said, is_outside != (negation > 0), start - negation..end) {
        return false;
    }
    reading.note_negated(negation, end);
    true
}

/// Sets the makers of a region that the catalog has, or leaves them out.
fn set(reading: &mut Reading<'_>, said: Said, is_left_out: bool, range: Range<usize>) -> bool {
    let names: Vec<String> = said.makers.split(", ").filter_map(makers::display_name).map(folded).collect();
    let from_there: Vec<&str> = reading.values("vendor").filter(|vendor| names.contains(&folded(vendor))).collect();
    if from_there.is_empty() {
        return false;
    }
    reading.filter("vendor", is_left_out, &from_there);
    let shown = words::text(&reading.words[range.clone()]);
    reading.warn(format!("`{shown}` goes by where makers have their headquarters, as far as refdesk knows"));
    reading.take(range);
    true
}

#[cfg(test)]
mod tests {
    use super::makers;
    use crate::understand::words::table;

    #[test]
    fn the_makers_of_every_region_are_known() {
        for row in table(include_str!("regions.txt")) {
            assert_eq!(row.len(), 2, "{row:?}");
            for maker in row[1].split(", ") {
                assert!(makers::display_name(maker).is_some(), "{maker} is no maker");
            }
        }
    }
}
