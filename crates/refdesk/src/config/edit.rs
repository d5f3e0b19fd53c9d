//! Switches a source on or off in the text of a configuration file; comments, order and blanks stay.
//!
//! A source that the file names in `[[sources]]` is switched in its entry. A default source is switched by its id in `disabled_sources` and
//! `enabled_sources`: an entry of its own would be one too many, since a file that names any sources has those only.

use std::io::Write as _;
use std::path::Path;

use refdesk_ingest::config::default_sources;
use toml_edit::{Array, DocumentMut, Item, TableLike, Value, value};

use super::ConfigError;

const DISABLED: &str = "disabled_sources";
const ENABLED: &str = "enabled_sources";

/// The text with a source switched.
///
/// # Errors
/// When the text is not valid TOML, or a list has another shape.
pub fn switched(text: &str, id: &str, enabled: bool) -> Result<String, ConfigError> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        ConfigError(format!("the file is not valid TOML: {}", error.message()))
    })?;
    let ships_on = default_sources()
        .ok()
        .and_then(|sources| sources.iter().find(|source| source.id == id).map(|source| source.enabled));
    let is_named = switch_entry(&mut document, id, enabled);
    if enabled {
        take_out(&mut document, DISABLED, id)?;
        if !is_named && ships_on == Some(false) {
            put_in(&mut document, ENABLED, id)?;
        }
    } else {
        take_out(&mut document, ENABLED, id)?;
        if !is_named && ships_on.is_some() {
            put_in(&mut document, DISABLED, id)?;
        }
    }
    Ok(document.to_string())
}

/// Sets `enabled` in the entry of a source; false when the file has none.
fn switch_entry(document: &mut DocumentMut, id: &str, enabled: bool) -> bool {
    let Some(sources) = document.get_mut("sources") else { return false };
    let mut is_named = false;
    let mut switch = |entry: &mut dyn TableLike| {
        if entry.get("id").and_then(Item::as_str) == Some(id) {
            set_flag(entry, enabled);
            is_named = true;
        }
    };
    match sources {
        Item::ArrayOfTables(tables) => tables.iter_mut().for_each(|table| switch(table)),
        Item::Value(Value::Array(tables)) => {
            tables.iter_mut().filter_map(Value::as_inline_table_mut).for_each(|table| switch(table));
        }
        _ => {}
    }
    is_named
}

fn set_flag(entry: &mut dyn TableLike, enabled: bool) {
    match entry.get_mut("enabled") {
        Some(Item::Value(flag)) => {
            let decor = flag.decor().clone();
            *flag = Value::from(enabled);
            *flag.decor_mut() = decor;
        }
        // On is what an entry is when it says nothing.
        _ if enabled => {}
        _ => {
            entry.insert("enabled", value(false));
        }
    }
}

fn list<'a>(document: &'a mut DocumentMut, key: &str) -> Result<Option<&'a mut Array>, ConfigError> {
    let Some(item) = document.get_mut(key) else { return Ok(None) };
    let wrong = || ConfigError(format!("`{key}` must be a list of texts, such as {key} = [\"litellm\"]"));
    item.as_array_mut().map(Some).ok_or_else(wrong)
}

fn take_out(document: &mut DocumentMut, key: &str, id: &str) -> Result<(), ConfigError> {
    if let Some(list) = list(document, key)? {
        list.retain(|value| value.as_str() != Some(id));
        // A blank that stood behind a comma is none before the first.
        let is_one_line = |text: &str| text.chars().all(|c| c == ' ');
        if let Some(first) = list.get_mut(0)
            && first.decor().prefix().and_then(|prefix| prefix.as_str()).is_some_and(is_one_line)
        {
            first.decor_mut().set_prefix("");
        }
    }
    Ok(())
}

fn put_in(document: &mut DocumentMut, key: &str, id: &str) -> Result<(), ConfigError> {
    if document.get(key).is_none() {
        document.insert(key, value(Array::new()));
    }
    if let Some(list) = list(document, key)?
        && !list.iter().any(|value| value.as_str() == Some(id))
    {
        list.push(id);
    }
    Ok(())
}

/// Writes a configuration file: whole or not at all where its folder can be written, else in its place. Its permissions stay.
///
/// # Errors
/// When neither can be written.
pub fn write(file: &Path, text: &str) -> Result<(), ConfigError> {
    // Through a link to what it leads to, so that the link stays one.
    let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    replace(&real, text).or_else(|_| std::fs::write(&real, text)).map_err(|error| {
        ConfigError(format!("{}: cannot be written ({error}); make it writable, or edit it by hand", file.display()))
    })
}

fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let permissions = std::fs::metadata(file).map(|there| there.permissions()).ok();
    let mut scratch = tempfile::NamedTempFile::new_in(folder)?;
    scratch.write_all(text.as_bytes())?;
    scratch.as_file().sync_all()?;
    match permissions {
        Some(permissions) => scratch.as_file().set_permissions(permissions)?,
        // A new file is made as any other, not only for its owner.
        None => drop(std::fs::File::create_new(file)?),
    }
    let made = std::fs::metadata(file).map(|there| there.permissions())?;
    scratch.as_file().set_permissions(made)?;
    scratch.persist(file).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing unwrap is a failing test")]

    use super::switched;

    #[track_caller]
    fn check(before: &str, id: &str, enabled: bool, after: &str) {
        assert_eq!(switched(before, id, enabled).unwrap(), after);
    }

    #[test]
    fn an_entry_of_the_file_is_switched_in_its_place_and_comments_stay() {
        let own =
            "# ours\nlisten = \"127.0.0.1:1\" # port\n\n[[sources]] # cards\nid = \"mine\"\nurl = \"cards\"\n# end\n";
        let off = own.replace("url = \"cards\"\n", "url = \"cards\"\nenabled = false\n");
        check(own, "mine", false, &off);
        check(&off, "mine", true, &off.replace("false", "true"));
        check(
            "[[sources]]\nid = \"a\"\nenabled = true # why\n",
            "a",
            false,
            "[[sources]]\nid = \"a\"\nenabled = false # why\n",
        );
        check(own, "other", true, own);
    }

    #[test]
    fn a_default_source_is_switched_by_lists_so_that_the_others_stay() {
        check("", "litellm", false, "disabled_sources = [\"litellm\"]\n");
        let both = "disabled_sources = [\"litellm\", \"models-dev\"]\n";
        check("disabled_sources = [\"litellm\"]\n", "models-dev", false, both);
        check(both, "models-dev", false, both);
        check(both, "litellm", true, "disabled_sources = [\"models-dev\"]\n");
        check("", "openrouter", true, "enabled_sources = [\"openrouter\"]\n");
        let after = switched("enabled_sources = [\"openrouter\"]\n", "openrouter", false).unwrap();
        assert_eq!(after, "enabled_sources = []\ndisabled_sources = [\"openrouter\"]\n");
        let own = "[[sources]]\nid = \"mine\"\n";
        check(own, "starter-catalog", false, "disabled_sources = [\"starter-catalog\"]\n[[sources]]\nid = \"mine\"\n");
    }

    #[test]
    fn what_cannot_be_edited_says_so() {
        assert!(switched("a = [", "litellm", false).unwrap_err().0.contains("not valid TOML"));
        assert!(switched("disabled_sources = \"x\"", "litellm", false).unwrap_err().0.contains("list of texts"));
    }
}
