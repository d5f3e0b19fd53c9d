//! The `[[sources]]` and `[[collections]]` of a configuration file.

use refdesk_core::nearest::did_you_mean;
use refdesk_core::text::word_array;
use std::path::Path;

use refdesk_catalog::collections::{Collection, CollectionConfig};
use refdesk_ingest::config::{SourceConfig, check_sources, default_sources, source_of_entry};

use super::lines::Lines;
use super::{ConfigError, table};

/// Keys of a `[[sources]]` table; a test compares them with [`SourceConfig`].
pub const SOURCE_KEYS: [&str; 17] = word_array(
    "id connector url name interval stale_after enabled trust_tier rank license attribution allow_private \
     serve_restricted disabled_reason token_env token_header options",
);

/// Keys of a `[[collections]]` table; a test compares them with [`CollectionConfig`].
const COLLECTION_KEYS: [&str; 6] = ["id", "title", "kinds", "filter", "ids", "exclude"];

/// The tables of an array of tables, each with its place in the file for errors.
fn tables(
    file: &Path,
    lines: &Lines<'_>,
    name: &str,
    value: toml::Value,
) -> Result<Vec<(String, toml::Table)>, ConfigError> {
    let wrong =
        || ConfigError(format!("{}: `{name}` must be tables, each headed [[{name}]]", lines.of_key(file, name)));
    let toml::Value::Array(tables) = value else { return Err(wrong()) };
    let read = |(position, table): (usize, toml::Value)| {
        let toml::Value::Table(table) = table else { return Err(wrong()) };
        let id = table.get("id").and_then(toml::Value::as_str).unwrap_or("?");
        let place = format!("{}: [[{name}]] number {} (id {id})", lines.of_entry(file, name, position), position + 1);
        Ok((place, table))
    };
    tables.into_iter().enumerate().map(read).collect()
}

/// Takes the unknown keys out of a table, and tells of each. The last that is like none of the known ones tells these, too.
fn take_unknown(table: &mut toml::Table, keys: &[&str]) -> Vec<String> {
    let unknown: Vec<String> = table.keys().filter(|key| !keys.contains(&key.as_str())).cloned().collect();
    let mut known = Some(format!("; the keys are {}", keys.join(", ")));
    let told = |key: &String| {
        table.remove(key);
        if table::find(key).is_some() {
            // TOML counts a line as part of the last table above it.
            return format!("`{key}` is a setting of the whole file: move it above the first line with [[ ]]");
        }
        let near = did_you_mean(key, keys.iter().copied());
        let more = if near.is_empty() { known.take().unwrap_or_default() } else { near };
        format!("unknown key `{key}`{more}")
    };
    let mut told: Vec<String> = unknown.iter().rev().map(told).collect();
    told.reverse();
    told
}

/// All that is wrong with a table, in one error.
fn all_wrong(place: &str, wrong: &[String]) -> ConfigError {
    ConfigError(format!("{place}: {}", wrong.join("; and ")))
}

fn refuse(place: &str, wrong: &[String]) -> Result<(), ConfigError> {
    if wrong.is_empty() { Ok(()) } else { Err(all_wrong(place, wrong)) }
}

/// The collections of a file.
pub fn collections(file: &Path, lines: &Lines<'_>, value: toml::Value) -> Result<Vec<Collection>, ConfigError> {
    let mut collections: Vec<Collection> = Vec::new();
    for (place, mut table) in tables(file, lines, "collections", value)? {
        refuse(&place, &take_unknown(&mut table, &COLLECTION_KEYS))?;
        let config: CollectionConfig = read(table, toml::Table::try_into).map_err(|wrong| all_wrong(&place, &wrong))?;
        let collection = Collection::new(config).map_err(|error| ConfigError(format!("{place}: {error}")))?;
        if collections.iter().any(|known| known.id == collection.id) {
            return Err(ConfigError(format!("{place}: two collections have this id; rename one")));
        }
        collections.push(collection);
    }
    Ok(collections)
}

/// The sources of a file, each on top of the default source of its id.
pub fn sources(file: &Path, lines: &Lines<'_>, value: toml::Value) -> Result<Vec<SourceConfig>, ConfigError> {
    let tables = tables(file, lines, "sources", value)?;
    tables.into_iter().map(|(place, table)| source(&place, table)).collect()
}

fn source(place: &str, mut table: toml::Table) -> Result<SourceConfig, ConfigError> {
    let mut wrong = take_unknown(&mut table, &SOURCE_KEYS);
    let defaults = default_sources().map_err(|error| all_wrong(place, &[in_words(error.message())]))?;
    let id = table.get("id").and_then(toml::Value::as_str).map(str::to_owned);
    let is_default = id.as_deref().is_some_and(|id| defaults.iter().any(|default| default.id == id));
    if let Some(id) = id.filter(|_| !is_default)
        && !["connector", "url"].iter().all(|key| table.contains_key(*key))
    {
        let near = did_you_mean(&id, defaults.iter().map(|default| default.id.as_str()));
        wrong.push(format!("no default source has this id, so it needs a `connector` and a `url`{near}"));
        refuse(place, &wrong)?;
    }
    options_as_texts(&mut table);
    match read(table, source_of_entry) {
        Ok(source) => refuse(place, &wrong).map(|()| source),
        Err(more) => {
            wrong.extend(more);
            Err(all_wrong(place, &wrong))
        }
    }
}

/// Options are texts: `items_max = 5` says `"5"`.
fn options_as_texts(table: &mut toml::Table) {
    let Some(toml::Value::Table(options)) = table.get_mut("options") else { return };
    for (_, value) in options {
        let text = match value {
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Boolean(yes) => yes.to_string(),
            _ => continue,
        };
        *value = toml::Value::String(text);
    }
}

/// What a table says, or all that is wrong with its values: the parser stops at the first, and without that one tells of the next.
fn read<T>(
    mut table: toml::Table,
    parse: impl Fn(toml::Table) -> Result<T, toml::de::Error>,
) -> Result<T, Vec<String>> {
    let error_of = |table: &toml::Table| parse(table.clone()).map_err(|error| in_words(error.message()));
    let mut wrong = Vec::new();
    let mut removed: Vec<String> = Vec::new();
    loop {
        let error = match error_of(&table) {
            Ok(parsed) if wrong.is_empty() => return Ok(parsed),
            Ok(_) => return Err(wrong),
            Err(error) => error,
        };
        if removed.iter().any(|key| error == format!("missing field `{key}`")) {
            return Err(wrong);
        }
        let is_at_fault = |key: &&String| {
            let mut without = table.clone();
            without.remove(*key);
            error_of(&without).err().as_deref() != Some(&error)
        };
        let Some(key) = table.keys().find(is_at_fault).cloned() else {
            wrong.push(error);
            return Err(wrong);
        };
        wrong.push(match error.strip_prefix("is ") {
            Some(_) => format!("`{key}` {error}"),
            None if error.contains(&format!("`{key}`")) => error,
            None => format!("`{key}`: {error}"),
        });
        table.remove(&key);
        removed.push(key);
    }
}

/// What the parser calls the types of values, and what people do.
const TYPES: [(&str, &str); 9] = [
    ("string ", "the text "),
    ("integer ", "the number "),
    ("floating point ", "the fraction "),
    ("boolean ", "the truth value "),
    ("a string", "text in quotes"),
    ("a boolean", "true or false"),
    ("a map", "a table"),
    ("a sequence", "a list"),
    ("i32", "a whole number"),
];

/// What the parser says of a value of another type: ``invalid type: string "5", expected i32``.
fn of_type(message: &str) -> Option<String> {
    let (is, wanted) = message.strip_prefix("invalid type: ")?.split_once(", expected ")?;
    let is = TYPES.iter().find_map(|(theirs, ours)| Some(format!("{ours}{}", is.strip_prefix(theirs)?)));
    let wanted = TYPES.iter().find(|(theirs, _)| *theirs == wanted).map_or(wanted, |(_, ours)| ours);
    Some(format!("is {}, but must be {wanted}", is.as_deref().unwrap_or("of another type").replace('`', "")))
}

/// The same for people, and of a word that is none of a few: ``unknown variant `x`, expected one of `a`, `b` ``.
fn in_words(message: &str) -> String {
    if let Some(of_type) = of_type(message) {
        return of_type;
    }
    let Some((word, known)) = message
        .strip_prefix("unknown variant `")
        .and_then(|rest| rest.split_once("`, expected "))
        .map(|(word, known)| (word, known.trim_start_matches("one of ")))
    else {
        return message.to_owned();
    };
    let words = known.split('`').skip(1).step_by(2);
    format!("unknown word `{word}`{}; write one of {known}", did_you_mean(word, words))
}

/// Checks the sources in force. Relative paths are meant from `base`, where the file lies.
pub fn check(sources: &[SourceConfig], file: Option<&Path>, lines: &Lines<'_>, base: &Path) -> Result<(), ConfigError> {
    check_sources(sources, refdesk_ingest::connectors::find, base).map_err(|error| match file {
        Some(file) => ConfigError(format!("{}: {error}", lines.of_source(file, &error.source_id, &error.key))),
        None => ConfigError(error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::{COLLECTION_KEYS, CollectionConfig, SOURCE_KEYS, SourceConfig};

    #[test]
    fn every_key_of_a_table_is_known() {
        fn error_of<T: serde::de::DeserializeOwned>() -> Option<String> {
            toml::from_str::<T>("unknown = 1").err().map(|error| error.message().to_owned())
        }
        let expected = |keys: &[&str]| {
            let named: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            Some(format!("unknown field `unknown`, expected one of {}", named.join(", ")))
        };
        assert_eq!(error_of::<SourceConfig>(), expected(&SOURCE_KEYS));
        assert_eq!(error_of::<CollectionConfig>(), expected(&COLLECTION_KEYS));
    }
}
