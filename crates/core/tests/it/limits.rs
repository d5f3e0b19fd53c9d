//! How much of a text is kept, however long it came. `docs/limits.md` names these tests.

use refdesk_core::Reject;
use refdesk_core::fact::{REJECT_EXCERPT_CHARS_MAX, REJECT_KEY_BYTES_MAX, REJECT_REASON_CHARS_MAX};
use refdesk_core::slug::{ID_CHARS_MAX, is_id, slugify};
use refdesk_core::text::split_attributes;

#[test]
fn key_reason_and_excerpt_of_a_reject_are_cut() {
    let long = "x".repeat(5_000);
    let reject = Reject::new(long.as_str(), long.as_str(), &long);
    for (text, chars_max) in [(&reject.reason, REJECT_REASON_CHARS_MAX), (&reject.excerpt, REJECT_EXCERPT_CHARS_MAX)] {
        assert_eq!(text.strip_suffix('…').map(str::len), Some(chars_max));
    }
    assert_eq!(reject.key, long[..REJECT_KEY_BYTES_MAX], "a key is compared, so it has no ellipsis");
    assert_eq!(Reject::new("ä".repeat(1_000), "", "").key.len(), REJECT_KEY_BYTES_MAX);
    assert_eq!(Reject::new(" a  b\0\u{200b}", "", "").key, " a  b\u{200b}");
}

#[test]
fn an_id_is_never_longer_than_the_limit() {
    for word in ["l", "lamp", "Lamp ", "a-", "la.", "Ⅷ "] {
        let id = slugify(&word.repeat(1_000));
        assert!((ID_CHARS_MAX - 1..=ID_CHARS_MAX).contains(&id.len()) && is_id(&id), "{word}: {} characters", id.len());
    }
    assert!(is_id(&"a".repeat(ID_CHARS_MAX)) && !is_id(&"a".repeat(ID_CHARS_MAX + 1)));
}

#[test]
fn attributes_of_a_line_that_is_longer_than_any_heading_are_left_in_it() {
    let heading = |bytes: usize| format!("{} {{#id}}", "h".repeat(bytes - " {#id}".len()));
    assert_eq!(split_attributes(&heading(2_000)).1, Some("id"));
    let long = heading(2_001);
    assert_eq!(split_attributes(&long), (long.as_str(), None));
}
