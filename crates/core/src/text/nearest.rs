//! The known word that is nearest to one that is not known, by edit distance (optimal string alignment, in any case).
//!
//! Other rules are kept where they have another purpose: what is refused as a misspelt parameter ([`query`](crate::query)), how surely a
//! spelling names an item, and which values stand beside one that nobody has.

/// The nearest known word, however far it is; the first of those that are equally near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    known.into_iter().min_by_key(|known| distance(&word, known))
}

/// All known words, the nearest first.
pub fn nearest_first<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let mut known: Vec<&str> = known.into_iter().collect();
    known.sort_by_cached_key(|known| distance(&word, known));
    known
}

/// The known word that is meant by a misspelt one: at most a third of its letters are wrong, and one in any case where it has three.
pub fn meant<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let nearest = nearest(word, known)?;
    let letters = word.chars().count().max(nearest.chars().count());
    (distance(&word.to_lowercase(), nearest) <= letters / 3).then_some(nearest)
}

/// ` (did you mean `listen`?)`, or nothing where no known word is meant.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    meant(word, known).map(|meant| format!(" (did you mean `{meant}`?)")).unwrap_or_default()
}

fn distance(lower_case: &str, known: &str) -> usize {
    strsim::osa_distance(lower_case, &known.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, meant, nearest, nearest_first};

    const KNOWN: [&str; 4] = ["listen", "base_url", "api_url", "log"];

    #[test]
    fn a_word_is_meant_where_one_is_near_and_the_nearest_is_named_in_any_case() {
        assert_eq!(meant("base_ulr", KNOWN), Some("base_url"));
        assert_eq!(meant("LGO", KNOWN), Some("log"));
        assert_eq!(meant("foo", KNOWN), None, "a word of its own is not a misspelt one");
        assert_eq!(did_you_mean("listem", KNOWN), " (did you mean `listen`?)");
        assert_eq!(did_you_mean("foo", KNOWN), "");
        assert_eq!(nearest("foo", KNOWN), Some("log"));
        assert_eq!(nearest("x", []), None);
        assert_eq!(nearest_first("api_ulr", KNOWN)[..2], ["api_url", "base_url"]);
    }
}
