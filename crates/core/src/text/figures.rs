//! Numbers as people read them.

use std::fmt::Display;

/// A number from 0 with its thousands apart: `16,312`, `1,234.5`. What is no plain number stays as it is.
pub fn grouped(number: impl Display) -> String {
    let text = number.to_string();
    let (digits, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

/// A count with its noun: `1 fact`, `16,312 facts`. For nouns whose plural is regular.
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = grouped(count);
    format!("{count} {noun}{}", if count == "1" { "" } else { "s" })
}

/// A part of one as a percentage: `83 %`.
pub fn percent(part: f64) -> String {
    format!("{} %", (part * 100.0).round())
}

#[cfg(test)]
mod tests {
    use super::{counted, grouped, percent};

    #[test]
    fn thousands_are_apart_and_one_has_no_plural() {
        assert_eq!([0, 999, 1_000, 1_048_576].map(grouped), ["0", "999", "1,000", "1,048,576"]);
        assert_eq!([1234.5, 0.0375, 999.25].map(grouped), ["1,234.5", "0.0375", "999.25"]);
        assert_eq!(["-1234", "1e21", "200k"].map(grouped), ["-1234", "1e21", "200k"]);
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!([0, 1, 16_312].map(|count| counted(count, "fact")), ["0 facts", "1 fact", "16,312 facts"]);
        assert_eq!([0.0, 0.826, 1.0].map(percent), ["0 %", "83 %", "100 %"]);
    }
}
