//! British spellings of English words as American ones, so that both have one stem: `organise` and `organize`, `behaviour` and `behavior`.
//! Snowball keeps them apart.

use refdesk_core::text::word_array;

/// How words begin in British and in American spelling.
const BEGINNINGS: [(&str, &str); 32] = [
    ("armour", "armor"),
    ("artefact", "artifact"),
    ("analogue", "analog"),
    ("behaviour", "behavior"),
    ("cancell", "cancel"),
    ("catalogue", "catalog"),
    ("centre", "center"),
    ("channell", "channel"),
    ("colour", "color"),
    ("defence", "defense"),
    ("dialogue", "dialog"),
    ("endeavour", "endeavor"),
    ("favour", "favor"),
    ("fibre", "fiber"),
    ("flavour", "flavor"),
    ("grey", "gray"),
    ("harbour", "harbor"),
    ("honour", "honor"),
    ("humour", "humor"),
    ("judgement", "judgment"),
    ("labell", "label"),
    ("labour", "labor"),
    ("licence", "license"),
    ("modell", "model"),
    ("neighbour", "neighbor"),
    ("offence", "offense"),
    ("practis", "practic"),
    ("rumour", "rumor"),
    ("signall", "signal"),
    ("theatre", "theater"),
    ("travell", "travel"),
    ("tunnell", "tunnel"),
];
/// The endings of verbs in `-ise` and of what is made of them.
const ENDINGS: [&str; 9] = ["ise", "ised", "ises", "iser", "isers", "ising", "isation", "isations", "isable"];
/// The endings of verbs in `-yse`; `analyses` is rather the plural of `analysis`.
const ENDINGS_OF_YSE: [&str; 5] = ["yse", "ysed", "yser", "ysers", "ysing"];
/// Fewer letters before such an ending are no word of their own: `noise`, `rising`.
const ROOT_BYTES_MIN: usize = 3;
/// Words that are written so everywhere, up to the `s`: some have a noun in `-ision`, which has their stem.
const WRITTEN_SO: [&str; 29] = word_array(
    "sunris moonris ais uis ois wis pris dvis revis devis rvis levis rovis precis concis excis incis circumcis exercis promis premis demis \
     surmis spis vertis pertis treatis franchis chandis",
);

/// The American spelling of a folded word, if it is another one.
pub(super) fn american(word: &str) -> Option<String> {
    let begins = |british: &str| word.as_bytes().first() == british.as_bytes().first() && word.starts_with(british);
    if let Some((british, american)) = BEGINNINGS.iter().find(|(british, _)| begins(british)) {
        return Some(format!("{american}{}", &word[british.len()..]));
    }
    let respelt = |at: usize, endings: &[&str]| {
        let (root, ending) = word.split_at_checked(at)?;
        let (stated, is_verb) = (word.get(..at + 2)?, root.len() >= ROOT_BYTES_MIN && endings.contains(&ending));
        (is_verb && !WRITTEN_SO.iter().any(|kept| stated.ends_with(kept)))
            .then(|| format!("{root}{}z{}", &ending[..1], &ending[2..]))
    };
    word.rfind("is")
        .and_then(|at| respelt(at, &ENDINGS))
        .or_else(|| word.rfind("lys").and_then(|at| respelt(at + 1, &ENDINGS_OF_YSE)))
}

#[cfg(test)]
mod tests {
    use super::american;

    #[test]
    fn what_is_spelt_in_two_ways_is_spelt_in_one() {
        for (british, expected) in [
            ("organise", "organize"),
            ("organisations", "organizations"),
            ("summarising", "summarizing"),
            ("optimiser", "optimizer"),
            ("tokenised", "tokenized"),
            ("analyse", "analyze"),
            ("analysing", "analyzing"),
            ("behavioural", "behavioral"),
            ("colours", "colors"),
            ("catalogue", "catalog"),
            ("labelled", "labeled"),
            ("modelling", "modeling"),
            ("licence", "license"),
        ] {
            assert_eq!(american(british).as_deref(), Some(expected));
        }
        for word in [
            "promise",
            "exercise",
            "unsupervised",
            "advise",
            "precise",
            "otherwise",
            "enterprise",
            "noise",
            "raising",
            "advertising",
            "expertise",
            "franchise",
            "analysis",
            "programmer",
            "disable",
            "basis",
            "organize",
            "model",
        ] {
            assert_eq!(american(word), None, "{word}");
        }
    }
}
