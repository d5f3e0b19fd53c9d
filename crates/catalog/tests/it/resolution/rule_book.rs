//! The rule book as the manual shows it.

use refdesk_catalog::resolve::rules::{Choice, RULES};
use refdesk_core::Kind;

/// The rule book as a Markdown table.
fn markdown() -> String {
    let mut out =
        String::from("| kind | fields | chosen | who may state them, best first | why |\n|---|---|---|---|---|\n");
    for rule in RULES {
        let kind = rule.kind.map_or("every kind", Kind::label);
        let fields = match rule.fields {
            [] => "all others".to_owned(),
            fields => {
                fields.iter().map(|field| format!("`{}`", field.trim_end_matches('.'))).collect::<Vec<_>>().join(", ")
            }
        };
        let chosen = match rule.choice {
            Choice::Each => "each by itself",
            Choice::Together | Choice::Led(_) => "together, from one source",
            Choice::Checked | Choice::Offer => "together, checked against each other",
        };
        let mut roles: Vec<String> = rule.roles.iter().map(|role| format!("`{}`", role.as_str())).collect();
        roles.dedup();
        let roles = roles.join(", ");
        out.push_str(&format!("| {kind} | {fields} | {chosen} | {roles} | {} |\n", rule.why));
    }
    out
}

#[test]
fn the_manual_has_the_rule_book_as_it_is() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual/which-value-is-shown.md");
    let manual = std::fs::read_to_string(&path).unwrap();
    let (front, rest) = manual.split_once("<!-- rules -->\n").unwrap();
    let (shown, end) = rest.split_once("<!-- /rules -->").unwrap();
    let rules = markdown();
    if std::env::var_os("REFDESK_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{front}<!-- rules -->\n{rules}<!-- /rules -->{end}")).unwrap();
        return;
    }
    assert_eq!(shown, rules, "REFDESK_WRITE_DOCS=1 cargo test -p refdesk-catalog --test it resolution:: writes it");
}
