//! Adds a source to the text of a configuration file, or switches one on or off; comments, order and blanks stay.
//!
//! A source that the file names in `[[sources]]` is switched in its entry. A default source that it does not name is switched by its id in
//! `disabled_sources` and `enabled_sources`.

use refdesk_ingest::config::default_sources;
use toml_edit::{Array, ArrayOfTables, Decor, DocumentMut, Item, RawString, Table, TableLike, Value, value};

use super::ConfigError;
use super::entries::SOURCE_KEYS;
use super::table::key;

const DISABLED: &str = key::DISABLED_SOURCES.row.key;
const ENABLED: &str = key::ENABLED_SOURCES.row.key;
const DEFAULTS: &str = key::DEFAULT_SOURCES.row.key;

/// The document as a text, its lines ended as those of the text it was read from: TOML knows both ways, and the library writes one.
fn written(document: &DocumentMut, text: &str) -> String {
    let written = document.to_string();
    if text.contains("\r\n") { written.replace("\r\n", "\n").replace('\n', "\r\n") } else { written }
}

/// The text with a source switched.
///
/// # Errors
/// When the text is not valid TOML, or a list has another shape.
pub fn switched(text: &str, id: &str, enabled: bool) -> Result<String, ConfigError> {
    let mut document = document(text)?;
    let ships_on = default_sources()
        .ok()
        .and_then(|sources| sources.iter().find(|source| source.id == id).map(|source| source.enabled));
    let says_nothing = ships_on.unwrap_or(true);
    let is_named = entries(&mut document, id, |entry| set_flag(entry, enabled, says_nothing));
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
    Ok(written(&document, text))
}

/// The text with an entry more, and with `default_sources = true` before the first of all: the file of somebody who adds a source says that
/// it has the others, too.
///
/// # Errors
/// When the text is not valid TOML, or `sources` has another shape.
pub fn added(text: &str, entry: &toml::Table) -> Result<String, ConfigError> {
    let mut document = document(text)?;
    if document.get("sources").is_none() && document.get(DEFAULTS).is_none() {
        document.insert(DEFAULTS, value(true));
    }
    let mut table = as_table(entry)?;
    if !document.is_empty() {
        table.decor_mut().set_prefix("\n");
    }
    let sources = document.entry("sources").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    match sources {
        Item::ArrayOfTables(tables) => tables.push(table),
        Item::Value(Value::Array(tables)) => tables.push(table.into_inline_table()),
        _ => return Err(ConfigError("`sources` must be tables, each headed [[sources]]".into())),
    }
    Ok(written(&document, text))
}

/// The text with other values in the entry of a source that it has; what `entry` does not name stays.
///
/// # Errors
/// When the text is not valid TOML.
pub fn changed(text: &str, entry: &toml::Table) -> Result<String, ConfigError> {
    let mut document = document(text)?;
    let new = as_table(entry)?;
    let id = new.get("id").and_then(Item::as_str).unwrap_or_default();
    entries(&mut document, id, |known| {
        for (key, item) in new.iter().filter(|(key, _)| *key != "id") {
            match (item.as_table_like(), known.get_mut(key).and_then(Item::as_table_like_mut)) {
                (Some(options), Some(known)) => options.iter().for_each(|(key, item)| put(known, key, item)),
                _ => put(known, key, item),
            }
        }
    });
    Ok(written(&document, text))
}

/// Whether a text has an entry of a source.
///
/// # Errors
/// When the text is not valid TOML.
pub fn names(text: &str, id: &str) -> Result<bool, ConfigError> {
    let mut document = document(text)?;
    Ok(entries(&mut document, id, |_| {}))
}

fn document(text: &str) -> Result<DocumentMut, ConfigError> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| ConfigError(format!("the file is not valid TOML: {}", error.message())))
}

fn as_table(entry: &toml::Table) -> Result<Table, ConfigError> {
    let written =
        toml::to_string(entry).map_err(|error| ConfigError(format!("the entry cannot be written: {error}")))?;
    let mut table = document(&written)?.as_table().clone();
    // A table keeps the place that it had in its own document, which in another one is behind some other entry.
    for (_, item) in table.iter_mut() {
        if let Some(nested) = item.as_table_mut() {
            nested.set_position(None);
        }
    }
    let place = |key: &str| SOURCE_KEYS.iter().position(|known| *known == key);
    table.sort_values_by(|one, _, other, _| place(one.get()).cmp(&place(other.get())));
    Ok(table)
}

/// Does something with each entry of a source; false when the file has none.
fn entries(document: &mut DocumentMut, id: &str, change: impl Fn(&mut dyn TableLike)) -> bool {
    let mut is_named = false;
    let mut look = |entry: &mut dyn TableLike| {
        if entry.get("id").and_then(Item::as_str) == Some(id) {
            change(entry);
            is_named = true;
        }
    };
    match document.get_mut("sources") {
        Some(Item::ArrayOfTables(tables)) => tables.iter_mut().for_each(|table| look(table)),
        Some(Item::Value(Value::Array(tables))) => {
            tables.iter_mut().filter_map(Value::as_inline_table_mut).for_each(|table| look(table));
        }
        _ => {}
    }
    is_named
}

/// Gives a key a value; what stands around the one before stays.
fn put(entry: &mut dyn TableLike, key: &str, item: &Item) {
    match (entry.get_mut(key), item) {
        (Some(Item::Value(known)), Item::Value(new)) => {
            let decor = known.decor().clone();
            *known = new.clone();
            *known.decor_mut() = decor;
        }
        _ => drop(entry.insert(key, item.clone())),
    }
}

/// `says_nothing` is what an entry is that does not have the key.
fn set_flag(entry: &mut dyn TableLike, enabled: bool, says_nothing: bool) {
    if entry.contains_key("enabled") || enabled != says_nothing {
        put(entry, "enabled", &value(enabled));
    }
}

fn list<'a>(document: &'a mut DocumentMut, key: &str) -> Result<Option<&'a mut Array>, ConfigError> {
    let Some(item) = document.get_mut(key) else { return Ok(None) };
    let wrong = || ConfigError(format!("`{key}` must be a list of texts, such as {key} = [\"litellm\"]"));
    item.as_array_mut().map(Some).ok_or_else(wrong)
}

fn take_out(document: &mut DocumentMut, key: &str, id: &str) -> Result<(), ConfigError> {
    if let Some(list) = list(document, key)? {
        let place = |list: &Array| list.iter().position(|value| value.as_str() == Some(id));
        while let Some(at) = place(list) {
            remove(list, at);
        }
    }
    Ok(())
}

/// Takes a value out of a list; the comments above it and behind it stay.
fn remove(list: &mut Array, at: usize) {
    let removed = list.remove(at);
    let (above, behind) = (before(&removed), raw(removed.decor().suffix()));
    let kept = |after: &str| format!("{above}{}{}", behind.trim_start(), after.trim_start());
    if let Some(next) = list.get_mut(at) {
        let kept = kept(&before(next));
        next.decor_mut().set_prefix(kept);
        return;
    }
    let trailing = raw(Some(list.trailing()));
    let kept = kept(&trailing);
    let ends_with_comma = list.trailing_comma();
    let tail = match (kept.contains('#'), ends_with_comma) {
        (true, _) => format!("{}\n", kept.trim_end()),
        (false, true) => trailing,
        (false, false) => behind,
    };
    match at.checked_sub(1).and_then(|last| list.get_mut(last)) {
        Some(last) if !ends_with_comma => last.decor_mut().set_suffix(tail),
        _ => list.set_trailing(tail),
    }
}

fn put_in(document: &mut DocumentMut, key: &str, id: &str) -> Result<(), ConfigError> {
    if document.get(key).is_none() {
        document.insert(key, value(Array::new()));
    }
    if let Some(list) = list(document, key)?
        && !list.iter().any(|value| value.as_str() == Some(id))
    {
        push(list, id);
    }
    Ok(())
}

/// Puts a value at the end of a list; on a line of its own where the last one has one.
fn push(list: &mut Array, id: &str) {
    let last = list.len().checked_sub(1);
    let Some((at, indent)) = last.and_then(|at| Some((at, indent(&before(list.get(at)?))?))) else {
        list.push(id);
        return;
    };
    let ends_with_comma = list.trailing_comma();
    let behind = list.get(at).and_then(|last| last.decor().suffix());
    let tail = if ends_with_comma { raw(Some(list.trailing())) } else { raw(behind) };
    // What stands behind the last one is a comment on that.
    let mut new = Value::from(id);
    *new.decor_mut() = Decor::new(format!("{}\n{indent}", tail.trim_end()), "");
    let end = format!("\n{}", self::indent(&tail).unwrap_or_default());
    if ends_with_comma {
        list.set_trailing(end);
    } else {
        new.decor_mut().set_suffix(end);
        if let Some(last) = list.get_mut(at) {
            last.decor_mut().set_suffix("");
        }
    }
    list.push_formatted(new);
}

/// What stands between a value and the one before it.
fn before(value: &Value) -> String {
    raw(value.decor().prefix())
}

fn raw(text: Option<&RawString>) -> String {
    text.and_then(RawString::as_str).unwrap_or_default().to_owned()
}

/// The blanks at the beginning of the last line, where there is more than one.
fn indent(text: &str) -> Option<String> {
    text.rsplit_once('\n').map(|(_, last)| last.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{added, changed, switched};

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
    fn lines_end_as_they_did() {
        let own = "listen = \"127.0.0.1:1\"\r\n\r\n[[sources]]\r\nid = \"mine\"\r\nurl = \"cards\"\r\n";
        check(own, "mine", false, &format!("{own}enabled = false\r\n"));
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
    fn a_list_with_a_line_for_each_keeps_its_lines_and_its_comments() {
        let two = "disabled_sources = [\n  # too large\n  \"litellm\", # ask Ada\n  \"llms-txt\"\n]\n";
        let one = "disabled_sources = [\n  # too large\n  # ask Ada\n  \"llms-txt\"\n]\n";
        check(two, "litellm", true, one);
        let first = "disabled_sources = [\n  # too large\n  \"litellm\" # ask Ada\n]\n";
        check(two, "llms-txt", true, first);
        check("disabled_sources = [\n  \"litellm\",\n]\n", "litellm", true, "disabled_sources = [\n]\n");
        let more = "disabled_sources = [\n  # too large\n  \"litellm\", # ask Ada\n  \"models-dev\"\n]\n";
        check(first, "models-dev", false, more);
        let comma = "disabled_sources = [\n    \"litellm\", # ask Ada\n]\n";
        let more = "disabled_sources = [\n    \"litellm\", # ask Ada\n    \"models-dev\",\n]\n";
        check(comma, "models-dev", false, more);
        check(more, "models-dev", true, comma);
    }

    #[test]
    fn an_entry_of_a_default_source_that_ships_off_is_switched_on_in_words() {
        let own = "[[sources]]\nid = \"openrouter\"\nrank = 3\n";
        check(own, "openrouter", true, &format!("{own}enabled = true\n"));
        check(own, "openrouter", false, own);
    }

    #[test]
    fn an_added_source_stands_at_the_end_and_the_first_one_says_that_the_default_ones_stay() {
        let entry: toml::Table = toml::from_str("id = 'mine'\nurl = 'cards'\n[options]\nref = 'v1'\n").unwrap();
        let shown = "[[sources]]\nid = \"mine\"\nurl = \"cards\"\n\n[sources.options]\nref = \"v1\"\n";
        assert_eq!(added("", &entry).unwrap(), format!("default_sources = true\n\n{shown}"));
        let own = "# ours\nlisten = \"127.0.0.1:1\" # port\n";
        assert_eq!(added(own, &entry).unwrap(), format!("{own}default_sources = true\n\n{shown}"));
        let named = "[[sources]] # first\nid = \"a\"\n";
        assert_eq!(added(named, &entry).unwrap(), format!("{named}\n{shown}"));
        let only = "default_sources = false\n";
        assert_eq!(added(only, &entry).unwrap(), format!("{only}\n{shown}"));
        assert!(added("sources = 3", &entry).unwrap_err().0.contains("[[sources]]"));
    }

    #[test]
    fn an_entry_is_changed_in_what_is_named_and_nowhere_else() {
        let own = "[[sources]] # prices\nid = \"models-dev\"\ninterval = \"12h\" # often\n\n[sources.options]\nref = \"v1\"\n";
        let entry = |text: &str| -> toml::Table { toml::from_str(text).unwrap() };
        let change = entry("id = 'models-dev'\ninterval = '6h'\nrank = 3\n[options]\npath = 'docs'\n");
        assert_eq!(
            changed(own, &change).unwrap(),
            own.replace("12h", "6h").replace("# often\n", "# often\nrank = 3\n") + "path = \"docs\"\n"
        );
        let inline = "sources = [{ id = \"a\", rank = 1 }]\n";
        let change = entry("id = 'a'\nrank = 2\n[options]\nref = 'v1'\n");
        assert_eq!(
            changed(inline, &change).unwrap(),
            "sources = [{ id = \"a\", rank = 2 , options = { ref = \"v1\" } }]\n"
        );
    }

    #[test]
    fn what_cannot_be_edited_says_so() {
        assert!(switched("a = [", "litellm", false).unwrap_err().0.contains("not valid TOML"));
        assert!(switched("disabled_sources = \"x\"", "litellm", false).unwrap_err().0.contains("list of texts"));
    }
}
