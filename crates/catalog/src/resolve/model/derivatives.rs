//! Names of a family that are not its maker's: somebody trained on, merged or cut a Llama or a Qwen and kept the family in the name.
//!
//! Where an id tells no maker, the family does ([`super::makers::family`]), unless the name looks like a derivative: makers put what a
//! model is for before its size (`qwen3-coder-30b`), and behind it only how it was trained, packed or dated. A word of another sort
//! behind the size (`qwen3.5-27b-bluestar`) is the work's own name, and its maker is unknown rather than Alibaba.
//!
//! And families that only a source gives to somebody else's model, which took the letters inside of a word for them.

use super::makers;
use super::words::is_size;
use refdesk_search::text::WordSet;

/// Words behind a size that makers themselves put there.
static TECHNICAL: WordSet = WordSet::new(include_str!("data/technical_words.txt"));

/// Words that tell a derivative wherever they stand.
static TELLING: WordSet = WordSet::new(include_str!("data/derivative_words.txt"));

/// True when a normalised name is of somebody who built on the family that it begins with.
pub fn is_derivative(name: &str) -> bool {
    if name.split('-').any(|word| TELLING.contains(word)) {
        return true;
    }
    let behind_size = name.split('-').skip_while(|word| !is_size(word) || word.ends_with('e'));
    behind_size.skip(1).any(|word| !is_technical(word))
}

/// Whether a family is another maker's, and the ids and names of a model have its letters only inside of words: `yi` of `tongyi`, `ling` of
/// `kling`. A single letter (`o`) has to be a word, for nothing of another name descends from that. What is called after a model of that
/// maker (`phind-codellama`), or tells nothing of its family (`aion-1.0` of Llama), may well descend from it.
pub fn is_mistaken_family(family: &str, maker: &str, names: &[&str]) -> bool {
    let family = family.to_lowercase();
    let Some(of) = makers::line(&family).filter(|of| *of != maker) else { return false };
    let letters: Vec<&str> = words_of_letters(&family).collect();
    let [line] = letters[..] else { return false };
    let names: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let words: Vec<&str> = names.iter().flat_map(|name| words_of_letters(name)).collect();
    let is_called_so = words.iter().any(|word| *word == line || makers::family(word) == Some(of));
    !is_called_so && (line.len() == 1 || words.iter().any(|word| word.contains(line)))
}

/// The words of a name between all that is no letter.
fn words_of_letters(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

/// Known, a number of any form (`v0.2`, `2507`, `128k`, `4bit`, `q4`, `iq4`), or a single letter.
fn is_technical(word: &str) -> bool {
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    TECHNICAL.contains(word) || is_size(word) || word.len() <= 1 || (digits > 0 && letters <= 3)
}

#[cfg(test)]
mod tests {
    use super::is_derivative;

    #[test]
    fn a_name_of_its_own_behind_the_size_is_a_derivative() {
        for name in [
            "qwen3.5-27b-bluestar-v2",
            "qwen2.5-32b-eva-v0.2",
            "gemma-4-31b-larkspur-v0.5",
            "llama-3.3-70b-euryale",
            "llama-2-uncensored",
            "glm-4.6-derestricted-v5",
        ] {
            assert!(is_derivative(name), "{name}");
        }
    }

    #[test]
    fn what_makers_put_behind_the_size_is_none() {
        for name in [
            "qwen3-235b-a22b-instruct-2507-fp8",
            "llama-4-scout-17b-16e-instruct",
            "llama-3.2-11b-vision-instruct",
            "qwen2.5-coder-32b-instruct-32k-rope",
            "gemma-4-e4b-it-mlx-4bit",
            "deepseek-r1-0528-qwen3-8b",
            "mistral-7b-instruct-v0.3",
            "claude-opus-4.5-20251101",
            "gpt-oss-120b",
        ] {
            assert!(!is_derivative(name), "{name}");
        }
    }
}
