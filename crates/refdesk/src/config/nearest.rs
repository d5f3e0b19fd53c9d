//! "Did you mean": the known word that is nearest to one that is not known, by its edit distance (optimal string alignment), and none where
//! none is near.

/// The known word that is meant by a misspelt one: at most a third of its letters are wrong, and one in any case where it has three.
pub fn near<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let distance = |candidate: &str| strsim::osa_distance(&word, &candidate.to_lowercase());
    let nearest = known.map(|candidate| (distance(candidate), candidate)).min_by_key(|(distance, _)| *distance)?;
    let letters = word.chars().count().max(nearest.1.chars().count());
    (nearest.0 <= letters / 3).then_some(nearest.1)
}

/// `; did you mean `listen`?`, or nothing where no known word is near.
pub fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    near(word, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn the_nearest_key_is_named_where_one_is_near() {
        let near = |word: &str| near(word, ["listen", "base_url", "api_url", "log"].into_iter());
        assert_eq!(near("base_ulr"), Some("base_url"));
        assert_eq!(near("lgo"), Some("log"));
        assert_eq!(near("foo"), None, "a word of its own is none that is misspelt");
    }
}
