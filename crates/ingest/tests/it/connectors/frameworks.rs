//! The connectors of frameworks over small fixtures in their upstreams' shapes: all they bring in are candidates.

use std::error::Error;

use crate::tarball::{Outcome, fact, fixture, fixture_batch, reject, run, target};
use bytes::Bytes;
use refdesk_core::item::{Domain, Framework, Item, Status};
use refdesk_core::{Fact, HashBasis};
use refdesk_ingest::connectors::Batch;

fn repository(connector: &str, options: &[(&str, &str)]) -> Result<Batch, Box<dyn Error>> {
    let batch = fixture_batch(connector, options)?;
    assert!(batch.facts.iter().all(|fact| fact.head.status == Status::Candidate));
    Ok(batch)
}

fn framework(fact: &Fact) -> Result<&Framework, String> {
    let Item::Framework(framework) = &fact.item else { return Err(format!("{} is no framework", fact.key)) };
    Ok(framework)
}

#[test]
fn four_shapes_of_tables_give_methods() -> Outcome {
    let batch = repository("methods-csv", &[])?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (10, 6, 4), "{:?}", batch.rejects);
    let audit = fact(&batch, "assets/methods.csv#Lamp Audit")?;
    assert_eq!((audit.head.name.as_str(), audit.head.vendor.as_deref()), ("Lamp Audit", Some("lamp")));
    assert_eq!(audit.source_url, "https://github.com/lamp/methods-csv/blob/main/assets/methods.csv");
    assert_eq!(framework(audit)?.summary, "Look at every lamp, and at \"dead\" ones twice");
    assert_eq!(framework(audit)?.domain, Domain::Risk);
    assert_eq!(
        framework(audit)?.output.as_ref().map(|output| output.artifact.as_str()),
        Some("lamps → findings → repairs")
    );
    assert_eq!(
        std::str::from_utf8(audit.record.as_bytes())?,
        r#"{"category":"risk","description":"Look at every lamp, and at \"dead\" ones twice","method_name":"Lamp Audit","num":"1","output_pattern":"lamps → findings → repairs"}"#
    );
    let walk = fact(&batch, "assets/methods.csv#Dark Walk")?;
    assert_eq!(framework(walk)?.domain, Domain::Thinking, "an unknown category falls to its table's own domain");
    let dig = fact(&batch, "assets/brain-methods.csv#Wick Digging")?;
    assert_eq!(framework(dig)?.domain, Domain::ProblemSolving);
    assert_eq!(framework(dig)?.when_to_use, ["diagnosis", "unstuck"]);
    assert_eq!(framework(dig)?.steps, ["Ask what feeds the wick, five times"]);
    let scales = fact(&batch, "src/solving-methods.csv#Lamp Scales")?;
    assert_eq!(framework(scales)?.steps, ["Which lamp is brighter?", "Which lamp lasts longer?"]);
    assert_eq!(framework(scales)?.domain, Domain::Decision);
    assert_eq!(framework(fact(&batch, "src/design-methods.csv#Lamp Watching")?)?.domain, Domain::Research);
    for (key, reason) in [
        ("assets/methods.csv row 3", "the row has 4 fields, the header 5; quote fields that hold commas"),
        ("assets/brain-methods.csv row 3", "`technique_name` is missing or no text"),
        ("src/solving-methods.csv row 2", "`Lamp Scales` stands in the table twice"),
    ] {
        assert_eq!(reject(&batch, key)?.reason, reason);
    }
    assert!(
        reject(&batch, "src/odd-methods.csv")?
            .reason
            .starts_with("src/odd-methods.csv has the columns lamp, oil; expected ")
    );
    Ok(())
}

#[test]
fn ids_carry_the_family_and_the_table_where_a_name_stands_in_two() -> Outcome {
    let batch = repository("methods-csv", &[])?;
    let id = |key: &str| fact(&batch, key).map(|fact| fact.head.id.clone());
    assert_eq!(id("assets/brain-methods.csv#Lamp Audit")?, "bmad-lamp-audit", "the first by path");
    assert_eq!(id("assets/methods.csv#Lamp Audit")?, "bmad-methods-lamp-audit");
    let own = repository("methods-csv", &[("prefix", "Lamps"), ("vendor", "Lamp Works")])?;
    let scales = fact(&own, "src/solving-methods.csv#Lamp Scales")?;
    assert_eq!((scales.head.id.as_str(), scales.head.vendor.as_deref()), ("lamps-lamp-scales", Some("Lamp Works")));
    Ok(())
}

#[test]
fn one_raw_table_reads_as_one_in_a_repository() -> Outcome {
    let body = fixture("methods-csv/src/design-methods.csv")?;
    let url = "http://127.0.0.1:9900/any/raw.githubusercontent.com/lamp/methods/0123abc/src/design-methods.csv";
    let batch = run("methods-csv", &target(url, &[])?, |_| Some(body.clone()))?;
    let watching = fact(&batch, "src/design-methods.csv#Lamp Watching")?;
    assert_eq!(watching.source_url, "https://github.com/lamp/methods/blob/0123abc/src/design-methods.csv");
    assert_eq!(framework(watching)?.steps, ["Watch without lighting", "Note where they stumble"]);
    assert!(run("methods-csv", &target(url, &[])?, |_| Some(Bytes::from_static(b"<html>"))).is_err());
    Ok(())
}

#[test]
fn mental_models_keep_their_steps_and_occasions() -> Outcome {
    let body = fixture("mental-models/models.json")?;
    let url = "http://127.0.0.1:9900/any/raw.githubusercontent.com/lamp/models/main/data/models.json";
    let batch = run("mental-models", &target(url, &[])?, |_| Some(body.clone()))?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (4, 2, 2), "{:?}", batch.rejects);
    let lamp = fact(&batch, "SY9")?;
    assert_eq!((lamp.head.id.as_str(), lamp.head.status), ("hummbl-lamp-before-map", Status::Candidate));
    assert_eq!(lamp.head.aliases, ["SY9"]);
    assert_eq!(lamp.source_url, "https://github.com/lamp/models/blob/main/data/models.json");
    assert_eq!(framework(lamp)?.domain, Domain::Strategy);
    assert_eq!(framework(lamp)?.when_to_use, ["When it is dark", "when the map is large"]);
    assert_eq!(framework(lamp)?.steps, ["Find the lamp.", "Light it: step 3) of the manual.", "Read."]);
    assert_eq!(framework(fact(&batch, "P1")?)?.steps, ["Just do it."]);
    assert_eq!(reject(&batch, "item 3")?.reason, "the code `P1` is listed twice");
    assert_eq!(reject(&batch, "item 4")?.reason, "`definition` is missing or no text");
    Ok(())
}

#[test]
fn patterns_carry_their_prompt_as_it_stands() -> Outcome {
    let batch = repository("patterns-repo", &[])?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (7, 3, 4), "{:?}", batch.rejects);
    assert_eq!(batch.ignored["second descriptions of a pattern"], 1);
    let trim = fact(&batch, "data/patterns/trim_wick/system.md")?;
    assert_eq!((trim.head.id.as_str(), trim.head.name.as_str()), ("fabric-trim-wick", "Trim wick"));
    assert_eq!(trim.head.aliases, ["trim_wick"]);
    assert_eq!(trim.source_url, "https://github.com/lamp/patterns-repo/blob/main/data/patterns/trim_wick/system.md");
    let fields = framework(trim)?;
    assert_eq!((fields.summary.as_str(), fields.domain), ("Trims a wick to the right length.", Domain::Security));
    assert_eq!(fields.steps, ["Take the lamp from the table.", "Trim the wick.", "Light it."]);
    assert_eq!(fields.inputs.iter().map(|input| input.name.as_str()).collect::<Vec<_>>(), ["input", "room"]);
    assert_eq!(
        fields.output.as_ref().map(|output| output.template_markdown.as_str()),
        Some("- Print the length of the wick.")
    );
    let raw = fixture("patterns-repo/data/patterns/trim_wick/system.md")?;
    let prompt = fields.prompt.as_ref().ok_or("no prompt")?;
    assert_eq!((prompt.text.as_bytes(), prompt.variables.as_slice()), (raw.as_ref(), ["room".to_owned()].as_slice()));
    assert_eq!(format!("sha256:{}", prompt.sha256), trim.record.content_hash(), "the prompt is the file");
    assert_eq!(trim.record.basis(), HashBasis::Bytes);
    let light = fact(&batch, "data/patterns/light_lamp/system.md")?;
    assert_eq!(framework(light)?.summary, "Light the lamp that the input names.", "nobody describes it");
    let strategy = fact(&batch, "data/strategies/lamp.json")?;
    assert_eq!(
        (strategy.head.id.as_str(), strategy.head.name.as_str()),
        ("fabric-strategy-lamp", "Lamp-by-Lamp (LbL) Prompting")
    );
    assert_eq!(
        framework(strategy)?.prompt.as_ref().map(|prompt| prompt.text.as_str()),
        Some("Light one lamp after the other, and say which.")
    );
    for (key, reason) in [
        ("data/patterns/empty_tank/system.md", "data/patterns/empty_tank/system.md is empty"),
        ("data/strategies/dark.json", "data/strategies/dark.json `prompt` is missing or no text"),
        (
            "description of gone_lamp",
            "pattern_descriptions.json describes `gone_lamp`, but the repository has no patterns/gone_lamp/system.md",
        ),
        ("scripts/pattern_descriptions/pattern_descriptions.json item 4", "`patternName` is missing or no text"),
    ] {
        assert_eq!(reject(&batch, key)?.reason, reason);
    }
    Ok(())
}
