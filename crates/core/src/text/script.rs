//! Scripts that are written without spaces between words, by the blocks of the Unicode Character Database. Text in them is cut into single
//! characters or bigrams. Hangul is among them: its words have spaces between them, and particles grown onto them.

/// Whether a character is in a block of a script without spaces between words: Thai, Lao, Myanmar, Khmer, Han, kana, hangul. Marks and
/// punctuation of these blocks are, too.
pub fn is_unspaced(c: char) -> bool {
    // Most characters are below all of them.
    c >= '\u{e00}'
        && matches!(c as u32,
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1100..=0x11ff | 0x1780..=0x17ff | 0x3005..=0x3007 | 0x3040..=0x30ff
        | 0x3130..=0x318f | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff
        | 0xff66..=0xff9f | 0x20000..=0x3ffff)
}

#[cfg(test)]
mod tests {
    use super::is_unspaced;

    #[test]
    fn words_of_some_scripts_have_no_spaces_between_them() {
        for c in "กลາမខ漢字仮名カナｶ한글々𠀀".chars() {
            assert!(is_unspaced(c), "{c}");
        }
        for c in "aé1ßбالعहא 。、-\u{4dc0}".chars() {
            assert!(!is_unspaced(c), "{c}");
        }
    }
}
