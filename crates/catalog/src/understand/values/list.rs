//! Names side by side, any of which will do: `A, B or C`, `from A or from B`.

use super::LISTING;
use crate::understand::reading::Reading;

/// The names that go on a list behind one which ends in front of `end`, and where the last of them ends. What introduces the first may be
/// `repeated` behind what joins them; an open list goes on with nothing between.
pub fn others<'a, T>(
    reading: &Reading<'a>,
    mut end: usize,
    repeated: &[&str],
    is_open: bool,
    named_at: impl Fn(&Reading<'a>, usize) -> Option<(T, usize)>,
) -> (Vec<T>, usize) {
    let mut names = Vec::new();
    loop {
        let is_joined = reading.is(end, &LISTING);
        if !is_joined && !is_open && !reading.words[end - 1].ends_clause {
            break;
        }
        let mut next = end + usize::from(is_joined);
        next += usize::from(is_joined && reading.is(next, repeated));
        let Some((name, taken)) = named_at(reading, next) else { break };
        names.push(name);
        end = next + taken;
    }
    (names, end)
}
