//! White space in patterns.

/// Unicode's white space, which requests are trimmed of, for a character class: `\\s` means less in some dialects of regular expressions.
pub(super) const WHITE_SPACE: &str = r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";
