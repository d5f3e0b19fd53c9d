//! Which passages of texts fit a query: BM25 (Robertson and Zaragoza 2009) over the passages themselves, as if each were a document and those
//! that are compared the collection. Words of the headings count as if they stood in the text several times (BM25F).

use super::highlight::SnippetGenerator;
use crate::term_weight::idf;

/// Saturation of repeated words.
const K1: f32 = 1.2;
/// How much the length of a passage counts.
const B: f32 = 0.75;
/// A word of the headings counts as often as this many in the text: the author says with it what the passage is about.
const HEADING_WEIGHT: f32 = 3.0;

/// A part of a text, with the headings that it is under.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'t> {
    /// The headings, joined.
    pub headings: &'t str,
    /// The text without its heading.
    pub text: &'t str,
}

/// How well each passage fits, 0 for one without a word of the query. Comparable within one call only.
pub fn score_passages(query: &SnippetGenerator, passages: &[Passage<'_>]) -> Vec<f32> {
    let frequencies = |passage: &Passage<'_>| {
        let mut counts: Vec<f32> = vec![0.0; query.word_count()];
        query.count_words(passage.headings, |word| counts[word] += HEADING_WEIGHT);
        query.count_words(passage.text, |word| counts[word] += 1.0);
        counts
    };
    let counted: Vec<Vec<f32>> = passages.iter().map(frequencies).collect();
    let with = |word: usize| counted.iter().filter(|counts| counts[word] > 0.0).count();
    let word_idf = |word: usize| idf(passages.len() as u32, with(word) as u32);
    let idfs: Vec<f32> = (0..query.word_count()).map(word_idf).collect();
    let lengths: Vec<f32> = passages.iter().map(|passage| passage.text.len() as f32).collect();
    let mean = (lengths.iter().sum::<f32>() / passages.len().max(1) as f32).max(1.0);
    let score = |(counts, length): (&Vec<f32>, &f32)| {
        let norm = K1 * (1.0 - B + B * length / mean);
        counts.iter().zip(&idfs).map(|(count, idf)| idf * count * (K1 + 1.0) / (count + norm)).sum()
    };
    counted.iter().zip(&lengths).map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::{Passage, score_passages};
    use crate::SnippetGenerator;

    #[test]
    fn the_passage_with_the_rare_words_wins_and_a_heading_says_what_it_is_about() {
        let passage = |headings, text| Passage { headings, text };
        let passages = [
            passage("Server", "The server listens on a port. The server answers."),
            passage("Server", "Rotate the certificates of the server once a year."),
            passage("Certificates", "They are files on the disk of the server."),
            passage("Clients", "A client asks."),
        ];
        let scores = |query: &str| score_passages(&SnippetGenerator::new(query), &passages);
        let best = |query: &str| {
            let scores = scores(query);
            (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b]))
        };
        assert_eq!(best("how do I rotate certificates of a server"), Some(1));
        assert_eq!(best("certificate"), Some(2), "stems match, and the heading counts");
        assert!(scores("certificate")[3] < f32::EPSILON && scores("certificate")[1] > 0.1);
        assert!(scores("unheard").iter().all(|score| *score < f32::EPSILON));
        assert!(score_passages(&SnippetGenerator::new("x"), &[]).is_empty());
    }
}
