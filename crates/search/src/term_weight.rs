//! Weights of the terms of a query: inverse document frequency as BM25 has it (Robertson and Zaragoza 2009, in the form of Lucene, which is
//! never negative), in integer steps, so that every platform ranks alike; and what terms weigh that only stand for a typed word.

/// Integer steps in one unit of inverse document frequency.
const IDF_STEPS: f32 = 64.0;
/// Terms with a beginning that are looked at for completions.
pub(crate) const COMPLETIONS_SCANNED_MAX: usize = 512;
/// Completions of the last word that are looked up; the most frequent are kept.
pub(crate) const COMPLETIONS_MAX: usize = 8;
/// Corrections of an unknown word that are looked up; the most frequent are kept.
pub(crate) const CORRECTIONS_MAX: usize = 4;
/// A correction is at least this many times as frequent as the word it corrects.
pub(crate) const CORRECTION_FREQUENCY_RATIO: u32 = 8;
/// Share of a word's weight that a correction by one edit has, and one by two.
pub(crate) const ONE_EDIT_WEIGHT: f32 = 0.75;
pub(crate) const TWO_EDITS_WEIGHT: f32 = 0.5;

/// Inverse document frequency of a term that `doc_freq` of some items have.
pub(crate) fn idf(items: u32, doc_freq: u32) -> f32 {
    let (all, with) = (items as f32, doc_freq.min(items) as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// The integer weight of a term; at least 1.
pub(crate) fn term_weight(idf: f32, factor: f32) -> u32 {
    (idf * factor * IDF_STEPS).round().max(1.0) as u32
}

#[cfg(test)]
mod tests {
    use super::{idf, term_weight};

    #[test]
    fn a_rare_term_weighs_more_and_one_that_all_items_have_still_weighs_something() {
        // ln(1 + (100 - 1 + .5) / 1.5) and ln(1 + .5 / 100.5).
        assert!((idf(100, 1) - 4.209_655).abs() < 1e-5, "{}", idf(100, 1));
        assert!((idf(100, 100) - 0.004_963).abs() < 1e-5, "{}", idf(100, 100));
        assert!((idf(100, 200) - idf(100, 100)).abs() < f32::EPSILON, "no more items have a term than there are");
        assert_eq!([term_weight(4.0, 1.0), term_weight(4.0, 0.5), term_weight(0.001, 1.0)], [256, 128, 1]);
    }
}
