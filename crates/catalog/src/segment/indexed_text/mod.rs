//! What the search index reads of an item: names, texts by field, passages, and how it ranks among equal ones.

mod brand;
mod demotion;
mod tasks;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::render;
use crate::json::text_of;
use crate::resolve::{CODE_HOSTS, ResolvedItem, letters};
use refdesk_core::Kind;
use refdesk_search::{DocInput, Field, NameKind};

/// What addresses of repositories begin with that says where something is hosted, and nothing of it.
const REPOSITORIES: [&str; 3] = ["https://github.com/", "https://gitlab.com/", "https://bitbucket.org/"];

/// What the search index reads of an item.
#[derive(Debug)]
pub struct IndexedText {
    /// The item.
    pub item: ResolvedItem,
    /// The texts of its bodies, by fact.
    pub body_texts: Vec<String>,
}

impl IndexedText {
    /// What the search index reads.
    pub fn document(&self) -> DocInput<'_> {
        let item = &self.item;
        // Whoever looks for `send email` means nothing that somebody tried out under such an id: it is found by the words of it, as a text.
        let is_placeholder = demotion::is_placeholder(item);
        let brand = brand::of(item);
        let names = if is_placeholder { Vec::new() } else { names(item, brand) };
        let mut fields = vec![(Field::Title, own_name(&item.name)), (Field::Description, render::description(item))];
        fields.extend(is_placeholder.then_some((Field::Keywords, item.id.as_str())));
        fields.extend(item.vendor.as_deref().map(|vendor| (Field::Keywords, vendor)));
        let mut passages = Vec::new();
        for (name, value) in &item.fields {
            texts(name, value, &mut fields, &mut passages);
        }
        if item.kind == Kind::Model {
            fields.extend(tasks::of_model(&item.id, &item.fields).map(|task| (Field::Keywords, task)));
        }
        fields.extend(self.body_texts.iter().filter(|text| !text.is_empty()).map(|text| (Field::Body, text.as_str())));
        DocInput { demotion: demotion::steps(item, is_placeholder, brand.is_some()), names, fields, passages }
    }
}

/// Adds everything that the index reads of a document to a hash. Segments on disk have it, so it is over bytes that no toolchain and no
/// machine decides, as `std::hash` does: each list behind its length, each text behind its length in bytes.
pub fn add_to(hasher: &mut Sha256, document: &DocInput<'_>) {
    let DocInput { demotion, names, fields, passages } = document;
    let length = |hasher: &mut Sha256, length: usize| hasher.update((length as u64).to_le_bytes());
    let text = |hasher: &mut Sha256, text: &str| {
        length(hasher, text.len());
        hasher.update(text);
    };
    hasher.update([*demotion]);
    length(hasher, names.len());
    for (kind, name) in names {
        hasher.update([*kind as u8]);
        text(hasher, name);
    }
    length(hasher, fields.len());
    for (field, said) in fields {
        hasher.update([*field as u8]);
        text(hasher, said);
    }
    length(hasher, passages.len());
    for said in passages.iter().flat_map(|(name, said)| [name, said]) {
        text(hasher, said);
    }
}

/// What the item is called. The path of a page and the seller of an offer are no words of a name: whoever types such an address finds the
/// item by [`crate::snapshot::Snapshot::find`].
fn names<'a>(item: &'a ResolvedItem, brand: Option<&'a str>) -> Vec<(NameKind, &'a str)> {
    let own_id = own_name(&item.id);
    let is_hosted = own_id != item.id;
    let id = match item.kind {
        Kind::Document | Kind::Tutorial => NameKind::Path,
        _ if is_hosted => NameKind::Path,
        _ => NameKind::Id,
    };
    let mut names = vec![(id, item.id.as_str()), (NameKind::Name, own_name(&item.name))];
    names.extend(is_hosted.then_some((NameKind::Id, own_id)));
    names.extend(brand.map(|brand| (NameKind::Brand, brand)));
    let is_address = |alias: &&str| REPOSITORIES.iter().any(|host| alias.starts_with(host));
    for alias in item.aliases.iter().map(String::as_str).filter(|alias| !is_address(alias)) {
        let name = match alias.rsplit_once('/') {
            None => own_name(alias),
            // `io.github.somebody/weather`
            Some((_, name)) if own_name(alias) != alias => name,
            Some((path, name))
                if item.kind == Kind::Model
                    && item.vendor.as_deref().is_none_or(|vendor| !is_made_by(path, vendor)) =>
            {
                name
            }
            Some(_) if item.kind == Kind::Model => alias,
            Some(_) if item.kind == Kind::Tool || item.kind == Kind::McpServer => match named_at(alias) {
                Some(name) => name,
                None => continue,
            },
            Some(_) => continue,
        };
        names.push((NameKind::Alias, name));
    }
    names
}

/// What a spelling of a server or a tool with a slash calls it: of the path of a record its folder, where the file is called the same
/// (`data/lamp/lamp.yml`), and of an address on the web nothing.
fn named_at(alias: &str) -> Option<&str> {
    if alias.contains("://") {
        return None;
    }
    let file = alias.rsplit_once('/').and_then(|(folders, file)| Some((folders.rsplit_once('/')?.1, file)));
    let record = file.and_then(|(folder, file)| Some((folder, file.rsplit_once('.')?)));
    match record {
        Some((folder, (name, ending))) if ending.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            (folder == name).then_some(name)
        }
        _ => Some(alias),
    }
}

/// A name without where it is hosted: whoever looks for `github` means none of `io.github.somebody/weather`.
fn own_name(name: &str) -> &str {
    CODE_HOSTS.iter().find_map(|namespace| name.strip_prefix(namespace)).filter(|own| !own.is_empty()).unwrap_or(name)
}

/// Whether the path in front of a model's name is its maker: `meta-llama` is of Meta.
fn is_made_by(path: &str, vendor: &str) -> bool {
    let (path, vendor) = (letters(path), letters(vendor));
    path.starts_with(&vendor) || vendor.starts_with(&path)
}

/// Sorts the kind-specific fields into what the index searches.
fn texts<'b>(name: &str, value: &'b Value, fields: &mut Vec<(Field, &'b str)>, passages: &mut Vec<(&'b str, &'b str)>) {
    match (name, value) {
        ("category" | "family" | "mode" | "section" | "format" | "name", Value::String(text)) => {
            fields.push((Field::Keywords, own_name(text)));
        }
        ("topics" | "tags" | "platforms" | "authors", Value::Array(list)) => {
            fields.extend(list.iter().filter_map(Value::as_str).map(|text| (Field::Keywords, text)));
        }
        ("headings", Value::Array(list)) => {
            fields.extend(list.iter().map(|heading| (Field::Headings, text_of(heading, "text"))));
        }
        ("tools", Value::Array(list)) => {
            passages.extend(list.iter().map(|tool| (text_of(tool, "name"), text_of(tool, "description"))));
        }
        ("commands", Value::Array(list)) => {
            passages.extend(list.iter().map(|command| (text_of(command, "name"), text_of(command, "summary"))));
        }
        ("when_to_use" | "example_questions" | "steps", Value::Array(list)) => {
            fields.extend(list.iter().filter_map(Value::as_str).map(|text| (Field::Body, text)));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::add_to;
    use refdesk_search::{DocInput, Field, NameKind};

    #[test]
    fn a_document_is_hashed_as_the_same_bytes_by_every_toolchain() {
        let document = DocInput {
            demotion: 3,
            names: vec![(NameKind::Id, "a/b"), (NameKind::Alias, "B")],
            fields: vec![(Field::Body, "é")],
            passages: vec![("run", "")],
        };
        let mut hasher = Sha256::new();
        add_to(&mut hasher, &document);
        let bytes: &[u8] = b"\x03\
            \x02\0\0\0\0\0\0\0\
            \x00\x03\0\0\0\0\0\0\0a/b\
            \x03\x01\0\0\0\0\0\0\0B\
            \x01\0\0\0\0\0\0\0\
            \x04\x02\0\0\0\0\0\0\0\xc3\xa9\
            \x01\0\0\0\0\0\0\0\
            \x03\0\0\0\0\0\0\0run\0\0\0\0\0\0\0\0";
        assert_eq!(hasher.finalize(), Sha256::digest(bytes));
    }
}
