//! What the parser of the command line refuses, in words that help: flags that there are not, and groups without a command. Also what a
//! program reads of what is not known.

use crate::common::Desk;
use serde_json::{Value, json};

/// The parser advised `-- --no-such`, and nothing takes that as a value.
#[test]
fn an_unknown_flag_is_told_with_the_one_that_is_meant_or_where_they_are() {
    let desk = Desk::new();
    for (args, told) in [
        (
            &["list", "tool", "--no-such"][..],
            "`refdesk list --help` lists the flags, the filters of each kind among them",
        ),
        (&["list", "model", "--input-price-lte", "3"], "'--price-input-lte'"),
        (&["list", "model", "--provider", "OpenAI"], "'--seller'"),
        (&["list", "model", "--vision"], "'--input-modalities image'"),
        (&["list", "model", "--modality", "image"], "'--input-modalities'"),
        (&["list", "model", "--context", "200k"], "'--context-tokens-gte'"),
        (&["list", "model", "--price", "3"], "'--price-input-lte'"),
        (&["list", "model", "--vendr", "OpenAI"], "'--vendor'"),
        (&["get", "model", "gpt-5", "--no-such"], "`refdesk get --help` lists the flags"),
        (&["sources", "add", "litellm", "--intervall", "1d"], "'--interval'"),
        (&["keys", "create", "--naem", "ci"], "'--name'"),
        (&["serve", "--jsn"], "'--json'"),
    ] {
        let done = desk.run(args).expect(2);
        assert!(done.err.contains(told) && !done.err.contains("'-- --"), "{args:?}: {done:?}");
    }
    let words = desk.run(&["search", "what", "does", "--no-such", "do"]).expect(2);
    assert!(words.err.contains("'-- --no-such'"), "words may begin so: {words:?}");
    let problem = desk.json(&["list", "model", "--vendr", "OpenAI"]);
    assert_eq!((&problem["code"], &problem["suggestions"]), (&json!("invalid_argument"), &json!(["--vendor"])));
}

#[test]
fn a_source_that_is_named_where_a_command_belongs_is_told_with_the_command_that_shows_it() {
    let desk = Desk::new();
    let shown = desk.run(&["sources", "litellm"]).expect(2);
    assert!(shown.err.contains("`refdesk sources show litellm` shows one source"), "{shown:?}");
    let misspelt = desk.run(&["sources", "enalbe"]).expect(2);
    assert!(misspelt.err.contains("'enable'") && !misspelt.err.contains("shows one source"), "{misspelt:?}");
    let review = desk.run(&["sources", "review", "litellm"]).expect(2);
    assert!(!review.err.contains("shows one source"), "{review:?}");
}

#[test]
fn a_group_that_is_named_alone_tells_its_commands_to_programs() {
    let desk = Desk::new();
    for (args, told) in [
        (&["keys", "--json"][..], "`refdesk keys` takes a command: create, list, revoke"),
        (&["--json", "keys"], "`refdesk keys` takes a command: create, list, revoke"),
        (&["frameworks", "--json"], "`refdesk frameworks` takes a command: lint"),
        (&["eval", "--offline", "--json"], "`refdesk eval` takes a command: search, routing"),
    ] {
        let problem = desk.run(args).expect(2).json();
        assert_eq!((&problem["detail"], &problem["code"]), (&json!(told), &json!("invalid_argument")), "{args:?}");
    }
}

#[test]
fn what_a_migration_does_not_know_is_null() {
    let desk = Desk::new();
    let fresh = desk.json(&["migrate"]);
    assert_eq!((&fresh["min_version"], &fresh["segment_format"]), (&Value::Null, &Value::Null), "{fresh}");
    let finished = desk.json(&["migrate", "--finish"]);
    assert_eq!(finished["min_version"], env!("CARGO_PKG_VERSION"));
    assert!(finished["segment_format"].as_u64().is_some_and(|format| format > 0), "{finished}");
}
