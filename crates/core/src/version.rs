//! Versions of the program, `MAJOR.MINOR.PATCH`: which of two is the older one. Not versions of models or of schemas.

/// Whether a version is older than another; nothing is older than one that is empty. A part that is not a number counts as 0.
pub fn is_older(version: &str, than: &str) -> bool {
    let numbers = |text: &str| text.split('.').map(|part| part.parse::<u64>().unwrap_or(0)).collect::<Vec<_>>();
    !than.is_empty() && numbers(version) < numbers(than)
}

#[cfg(test)]
mod tests {
    use super::is_older;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, than, older) in
            [("0.9.9", "0.10.0", true), ("0.2.0", "0.2.0", false), ("0.10.0", "0.2.0", false), ("0.1.0", "", false)]
        {
            assert_eq!(is_older(version, than), older, "{version} {than}");
        }
    }
}
