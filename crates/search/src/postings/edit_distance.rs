//! Optimal string alignment distance (restricted Damerau-Levenshtein), cut off at a small bound, and how many edits a word may have.
//!
//! Own code rather than the `strsim` crate: typo look-up runs this for every dictionary word of about the same length and letters.
//! `strsim::osa_distance` allocates three rows per call and cannot stop early, where this works on the stack and gives up as soon as
//! a whole row exceeds the bound. A test holds both to the same results.

/// Shorter words are never corrected, nor are they corrections.
pub(crate) const TYPO_CHARS_MIN: usize = 3;
/// Longer words are never corrected, nor are they corrections.
pub(crate) const TYPO_CHARS_MAX: usize = 24;

/// Edits allowed in a word: none below 4 letters or with a digit, one for 4 to 7, two from 8.
pub(crate) fn max_edits(word: &str) -> u8 {
    if !word.chars().all(char::is_alphabetic) {
        return 0;
    }
    match word.chars().count() {
        4..=7 => 1,
        8..=TYPO_CHARS_MAX => 2,
        _ => 0,
    }
}

/// Whether one word may be a misspelling of another: one edit up to 7 letters, two from 8; letters only, at least three. Looser than
/// the typo look-up of a dictionary, for a word whose context already matches.
pub(crate) fn is_misspelling(word: &str, other: &str) -> bool {
    let edits = max_edits(word).max(1);
    let (n, m) = (word.chars().count(), other.chars().count());
    let fit = |count: usize| (TYPO_CHARS_MIN..=TYPO_CHARS_MAX).contains(&count);
    fit(n)
        && fit(m)
        && n.abs_diff(m) <= usize::from(edits)
        && word.chars().chain(other.chars()).all(char::is_alphabetic)
        && within_distance(word, other, edits)
}

/// Whether the optimal string alignment distance of two words of at most [`TYPO_CHARS_MAX`] letters (and two more) is at most `edits`.
pub(crate) fn within_distance(a: &str, b: &str, edits: u8) -> bool {
    const WIDTH: usize = TYPO_CHARS_MAX + 3;
    let mut left = ['\0'; WIDTH];
    let mut right = ['\0'; WIDTH];
    let n = a.chars().zip(left.iter_mut()).map(|(c, slot)| *slot = c).count();
    let m = b.chars().zip(right.iter_mut()).map(|(c, slot)| *slot = c).count();
    let mut rows = [[0_u8; WIDTH + 1]; 3];
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j as u8;
    }
    for i in 1..=n {
        let (row, previous, before_previous) = (i % 3, (i + 2) % 3, (i + 1) % 3);
        rows[row][0] = i as u8;
        let mut least = rows[row][0];
        for j in 1..=m {
            let cost = u8::from(left[i - 1] != right[j - 1]);
            let mut cell = (rows[previous][j] + 1).min(rows[row][j - 1] + 1).min(rows[previous][j - 1] + cost);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                cell = cell.min(rows[before_previous][j - 2] + 1);
            }
            rows[row][j] = cell;
            least = least.min(cell);
        }
        if least > edits {
            return false;
        }
    }
    rows[n % 3][m] <= edits
}

#[cfg(test)]
mod tests {
    use super::within_distance;

    #[test]
    fn distances_are_those_of_strsim() {
        let words = [
            "", "a", "ab", "ba", "abc", "acb", "cab", "abcd", "badc", "heron", "hreon", "herno", "haron", "ehron",
            "straße",
        ];
        for a in words {
            for b in words {
                let distance = strsim::osa_distance(a, b);
                for edits in 0..=2 {
                    assert_eq!(within_distance(a, b, edits), distance <= usize::from(edits), "{a} {b} {edits}");
                }
            }
        }
    }
}
