//! Reads a `SKILL.md` as the Agent Skills specification describes it: YAML front matter, then Markdown. Shared by the connectors
//! that find skills; where a skill was found is theirs to say. Numbers stay as they are written, for the values of `metadata` are texts.

use refdesk_core::item::Skill;
use refdesk_core::text::split_front_matter;
use serde_json::{Map, Value};

use crate::connectors::formats::yaml;
use crate::connectors::repository::repo::utf8;

/// Name of the file that makes a folder a skill.
pub const FILE_NAME: &str = "SKILL.md";

/// The skill that a `SKILL.md` states; `repository` and `files` are left empty. By the specification it is called as its folder ("" where that
/// has no name), which counts where the front matter states no name.
///
/// # Errors
/// When it is no text, has no front matter or no `description`, or when nothing names it.
pub fn parse(folder: &str, bytes: &[u8]) -> Result<Skill, String> {
    let text = utf8(bytes)?;
    let (front, _) = split_front_matter(text)
        .ok_or("has no YAML front matter; a skill starts with `---`, `name:` and `description:`")?;
    let mut map = yaml::written_mapping(front)
        .or_else(|error| by_entry(front).filter(|map| !folder.is_empty() || map.contains_key("name")).ok_or(error))
        .map_err(|error| format!("line {}: its front matter is not valid YAML: {}", error.line + 1, error.message))?;
    let of_folder = Some(folder.to_owned()).filter(|folder| !folder.is_empty());
    let name = text_of(&mut map, "name").or(of_folder).ok_or("its front matter has no `name`")?;
    let description = text_of(&mut map, "description").ok_or("its front matter has no `description`")?;
    Ok(Skill {
        name,
        description: Some(description),
        license: map.shift_remove("license").as_ref().and_then(yaml::words),
        compatibility: text_of(&mut map, "compatibility"),
        allowed_tools: allowed_tools(map.shift_remove("allowed-tools").or_else(|| map.shift_remove("allowed_tools"))),
        metadata: metadata(map),
        token_estimate: Some(bytes.len() as u64 / 4),
        ..Skill::default()
    })
}

/// Front matter that is not valid YAML as a whole, as authors write `description: Use when: …`. None if it states a key twice, for which was
/// meant is not ours to guess, or lacks the description that every skill has: then the error helps more.
fn by_entry(front: &str) -> Option<Map<String, Value>> {
    let entries = yaml::entries(front, ':', |entry| yaml::written_mapping(entry).ok());
    let stated = entries.len();
    let map: Map<String, Value> = entries.into_iter().collect();
    (map.len() == stated && map.contains_key("description")).then_some(map)
}

/// A scalar as text.
fn text_of(map: &mut Map<String, Value>, key: &str) -> Option<String> {
    let text = yaml::scalar(&map.shift_remove(key)?)?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A list, or one text separated by commas or blanks outside of parentheses: `Read, Bash(git log:*)`.
fn allowed_tools(value: Option<Value>) -> Vec<String> {
    match value {
        Some(Value::Array(tools)) => tools.iter().filter_map(|tool| tool.as_str().map(str::to_owned)).collect(),
        Some(Value::String(text)) => {
            let mut depth = 0_usize;
            let separated = text.split(|c: char| {
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0 && (c == ',' || c.is_whitespace())
            });
            separated.filter(|tool| !tool.is_empty()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// The `metadata` map and every further key of the front matter.
fn metadata(mut map: Map<String, Value>) -> Option<Value> {
    let mut all = match map.shift_remove("metadata") {
        Some(Value::Object(metadata)) => metadata,
        Some(Value::Null) | None => Map::new(),
        Some(other) => Map::from_iter([("metadata".to_owned(), other)]),
    };
    for (key, value) in map {
        all.entry(key).or_insert(value);
    }
    (!all.is_empty()).then_some(Value::Object(all))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn front_matter_becomes_fields_and_the_rest_of_it_metadata() {
        let skill = parse(
            "",
            b"---\nname: tidy\ndescription: >-\n  Puts things\n  back.\nversion: 1.2\nallowed-tools: Read, Bash(git log:*) Edit\nmetadata:\n  author: me\n---\n# Tidy\n",
        );
        let Ok(skill) = skill else { return assert_eq!(skill.err(), None) };
        assert_eq!(skill.description.as_deref(), Some("Puts things back."));
        assert_eq!(skill.allowed_tools, ["Read", "Bash(git log:*)", "Edit"]);
        assert_eq!(
            skill.metadata.map(|value| value.to_string()).as_deref(),
            Some(r#"{"author":"me","version":"1.2"}"#)
        );
    }

    #[test]
    fn front_matter_is_read_as_people_write_it() {
        let read = |front: &str| {
            let skill = parse("", format!("---\n{front}---\n# Tidy\n").as_bytes())?;
            let metadata = skill.metadata.map(|value| value.to_string()).unwrap_or_default();
            Ok::<_, String>((skill.description.unwrap_or_default(), metadata))
        };
        let ok = |description: &str, metadata: &str| Ok((description.to_owned(), metadata.to_owned()));
        assert_eq!(
            read(
                "name: tidy\ndescription: Use this skill when: the user asks\nmetadata:\n  version: 1.10\n  tags: [a, 2.0]\n"
            ),
            ok("Use this skill when: the user asks", r#"{"version":"1.10","tags":["a","2.0"]}"#)
        );
        assert_eq!(read("name: tidy\ndescription: @user asks: tidy\n"), ok("@user asks: tidy", ""));
        assert_eq!(read("name: tidy\ndescription: d\nmetadata: {version: 1.10}\n"), ok("d", r#"{"version":"1.10"}"#));
        let twice = read("name: tidy\ndescription: a\ndescription: b\n");
        assert_eq!(
            twice.err().as_deref(),
            Some("line 4: its front matter is not valid YAML: `description` stands twice: leave one out")
        );
        let no_name = read("description: @user\n").err().unwrap_or_default();
        assert!(no_name.contains("line 2: its front matter is not valid YAML"), "{no_name}");
    }

    #[test]
    fn what_is_missing_is_named() {
        for (text, reason) in [
            ("# Tidy", "has no YAML front matter; a skill starts with `---`, `name:` and `description:`"),
            ("---\ndescription: d\n---\n", "its front matter has no `name`"),
            ("---\nname: tidy\n---\n", "its front matter has no `description`"),
        ] {
            assert_eq!(parse("", text.as_bytes()).map(|skill| skill.name), Err(reason.to_owned()));
        }
    }
}
