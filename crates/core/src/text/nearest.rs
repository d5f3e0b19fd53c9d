//! The known word that is nearest to one that is not known, by edit distance (optimal string alignment, in any case).
//!
//! Other rules are kept where they have another purpose: what is refused as a misspelt parameter ([`query`](crate::query)), how surely a
//! spelling names an item, and which values stand beside one that nobody has.

/// The nearest known word, however far it is; the first of those that are equally near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    known.into_iter().min_by_key(|known| distance(&word, known))
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

/// Letters that two words begin with alike which are taken for one: `modality` and `modalities`.
const SAME_LETTERS: usize = 5;
/// Operators of parameters, and what they are called in front of a name.
const OPERATORS: [(&str, &str); 2] = [("max", "lte"), ("min", "gte")];

/// Ends of the names of parameters that turn a filter round, and the letters with which a name says that it means one.
const TURNS: [(&str, &str); 2] = [("__not", "not"), ("__isnull", "null")];

/// The parameter that is nearest to a name, the words of both taken in any order: of `input_price__lte` it is `price_input__lte`, of
/// `max_price` the first limit of a price. Beside it, whether it is near: has a word of the name, or few other letters. A filter that is
/// turned round is the nearest only where the name says so: `modalities.input` is `input_modalities`, whatever letters the others share.
pub fn nearest_parameter<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<(&'a str, bool)> {
    let name = name.to_lowercase();
    let words = parameter_words(&name);
    let shared = |known: &str| {
        let others = parameter_words(known);
        let is_shared = |word: &&&str| others.iter().any(|other| is_same(word, other));
        words
            .iter()
            .filter(is_shared)
            .partition::<Vec<&&str>, _>(|word| OPERATORS.iter().any(|(_, operator)| *operator == **word))
    };
    let rank = |known: &&str| {
        let (operators, told) = shared(known);
        (
            std::cmp::Reverse(told.len()),
            std::cmp::Reverse(operators.len()),
            is_turned(&name, known),
            distance(&name, known),
        )
    };
    let nearest = known.into_iter().min_by_key(rank)?;
    let is_near = !shared(nearest).1.is_empty() || meant(&name, [nearest]).is_some();
    Some((nearest, is_near))
}

/// Whether a parameter turns a filter round, which the name does not say.
fn is_turned(name: &str, known: &str) -> bool {
    !name.contains("__") && TURNS.iter().any(|(end, said)| known.ends_with(end) && !name.ends_with(said))
}

/// The words of the name of a parameter or of a path, operators as filters have them.
fn parameter_words(name: &str) -> Vec<&str> {
    let words = name.split(['_', '.']).filter(|word| !word.is_empty());
    words.map(|word| OPERATORS.iter().find(|(said, _)| *said == word).map_or(word, |(_, operator)| *operator)).collect()
}

fn is_same(word: &str, other: &str) -> bool {
    let alike = word.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    word == other || alike >= SAME_LETTERS
}

fn distance(lower_case: &str, known: &str) -> usize {
    strsim::osa_distance(lower_case, &known.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, meant, nearest, nearest_parameter};

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
    }

    #[test]
    fn a_parameter_is_nearest_by_its_words_in_any_order() {
        let known =
            ["vendor", "seller", "input_modalities", "input_tokens__lte", "price_input__gte", "price_input__lte"];
        for (name, expected) in [
            ("input_price__lte", ("price_input__lte", true)),
            ("max_price", ("price_input__lte", true)),
            ("min_price", ("price_input__gte", true)),
            ("modality", ("input_modalities", true)),
            ("vendr", ("vendor", true)),
            ("zzz", ("vendor", false)),
        ] {
            assert_eq!(nearest_parameter(name, known), Some(expected), "{name}");
        }
    }

    #[test]
    fn a_filter_that_is_turned_round_is_meant_only_by_a_name_that_says_so() {
        let known = ["auth", "auth__not", "auth__isnull", "input_modalities", "input_modalities__not", "status__not"];
        for (name, expected) in [
            ("auth_required", "auth"),
            ("modalities.input", "input_modalities"),
            ("auth_not", "auth__not"),
            ("auth__nt", "auth__not"),
            ("auth_is_null", "auth__isnull"),
            ("status", "status__not"),
        ] {
            assert_eq!(nearest_parameter(name, known).map(|(nearest, _)| nearest), Some(expected), "{name}");
        }
    }
}
