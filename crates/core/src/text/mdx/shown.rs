//! What a reader reads in place of a tag.

use super::literal::Literal;
use super::tag::{Role, Tag, Value};

/// What else stands on the lines of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// It has them for itself.
    Nothing,
    Words,
}

const TITLES: [&str; 5] = ["title", "label", "name", "caption", "heading"];
const LINKS: [&str; 4] = ["href", "link", "url", "to"];
const DESCRIPTIONS: [&str; 7] = ["description", "text", "content", "children", "summary", "tip", "subtitle"];
const CODE: [&str; 4] = ["code", "command", "packages", "package"];
/// Words in the names of components whose text is code.
const CODE_COMPONENTS: [&str; 5] = ["snippet", "code", "command", "install", "terminal"];
/// Attributes whose strings are not for readers, however long they are.
const UNREAD: [&str; 8] = ["class", "className", "style", "id", "icon", "d", "viewBox", "srcSet"];
/// Names of icons, and the mark that each shows.
const ICONS: [(&str, &str); 8] = [
    ("check", "✓"),
    ("checkmark", "✓"),
    ("circle-check", "✓"),
    ("yes", "✓"),
    ("cross", "✗"),
    ("xmark", "✗"),
    ("circle-xmark", "✗"),
    ("no", "✗"),
];
/// Longest text of a component on one line that becomes a link, in bytes.
const LINK_TEXT_BYTES: usize = 500;

/// What a component without children shows; `None` when it has a text that cannot be read, so that it stays as it is written.
pub(super) fn alone(tag: &Tag<'_>, around: Around) -> Option<String> {
    let readable = [&TITLES[..], &DESCRIPTIONS, &CODE].concat();
    if tag.attributes.iter().any(|(name, value)| *value == Value::Expression && readable.contains(name)) {
        return None;
    }
    let mut parts: Vec<String> = Vec::new();
    parts.extend(statement(tag));
    let lists = tag.attributes.iter().filter_map(|(_, value)| match value {
        Value::Literal(Literal::List(items)) => Some(items),
        _ => None,
    });
    for items in lists {
        let mut list = String::new();
        items.iter().for_each(|item| add_item(item, 0, &mut list));
        parts.extend((!list.is_empty()).then_some(list));
    }
    let text = parts.join("\n\n");
    match around {
        Around::Words if text.contains('\n') => None,
        Around::Words => Some(text),
        // A paragraph of its own.
        Around::Nothing if text.is_empty() => Some(text),
        Around::Nothing => Some(format!("{}\n", text.trim_end())),
    }
}

/// The code, the link, the words or the mark that a component is.
fn statement(tag: &Tag<'_>) -> Option<String> {
    let name = tag.name.to_ascii_lowercase();
    let icon = if name == "icon" { tag.text(&["icon", "name"])? } else { &name };
    if let Some((_, mark)) = ICONS.iter().find(|(named, _)| *named == icon) {
        return Some((*mark).to_owned());
    }
    if name == "icon" {
        return None;
    }
    let is_code = CODE_COMPONENTS.iter().any(|word| name.contains(word));
    let code = tag.text(&CODE).or_else(|| tag.text(&["text", "children"]).filter(|_| is_code));
    if let Some(code) = code {
        return Some(as_code(code));
    }
    let head = linked(tag.text(&TITLES), tag.text(&LINKS));
    let said = [head, tag.text(&DESCRIPTIONS).map(one_line)].into_iter().flatten().collect::<Vec<_>>().join(": ");
    if !said.is_empty() {
        return Some(said);
    }
    let source = tag.text(&["src"]);
    linked(tag.text(&["alt"]).or(source.map(|_| tag.name)), source).or_else(|| prose(tag))
}

/// The texts of several words among attributes that nothing is known of.
fn prose(tag: &Tag<'_>) -> Option<String> {
    let texts = tag.attributes.iter().filter(|(name, _)| !UNREAD.contains(name)).filter_map(|(_, value)| match value {
        Value::Literal(literal) => literal.text().map(str::trim).filter(|text| text.contains(char::is_whitespace)),
        _ => None,
    });
    let texts: Vec<String> = texts.map(one_line).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

/// What stands in place of the tags around children: a heading, or a link where they are a few words on a line.
pub(super) fn around_children(
    tag: &Tag<'_>,
    parent: Option<&Tag<'_>>,
    position: usize,
    around: Around,
    inner: &str,
) -> (String, String) {
    let link = tag.text(&LINKS);
    if around == Around::Words {
        let is_text = inner.len() <= LINK_TEXT_BYTES && !inner.contains(['\n', '[', ']']) && !inner.trim().is_empty();
        let title = tag.text(&TITLES).and_then(|title| linked(Some(title), link));
        let after = tag.text(&DESCRIPTIONS).map_or(String::new(), |said| format!(" ({})", one_line(said)));
        return match (title, link.filter(|_| is_text).map(target)) {
            (Some(title), _) => (format!("{title}: "), after),
            (None, Some(link)) => ("[".into(), format!("]({link}){after}")),
            (None, None) => (String::new(), after),
        };
    }
    let title = tag.text(&TITLES).map(str::to_owned).or_else(|| nth_item(parent?, position));
    let head = linked(title.as_deref(), link).map(|head| if title.is_some() { format!("**{head}**") } else { head });
    let said: Vec<String> = [head, tag.text(&DESCRIPTIONS).map(one_line)].into_iter().flatten().collect();
    if said.is_empty() { (String::new(), String::new()) } else { (format!("\n{}\n", said.join("\n\n")), String::new()) }
}

/// The name that a parent gives to one of its children: `<Tabs items={['npm', 'pnpm']}>`.
fn nth_item(parent: &Tag<'_>, position: usize) -> Option<String> {
    let (_, items) = parent.attributes.iter().find(|(name, _)| *name == "items")?;
    let Value::Literal(Literal::List(items)) = items else { return None };
    items.get(position)?.text().map(str::to_owned)
}

/// An element of HTML without the attributes that only JSX has.
pub(super) fn element(tag: &Tag<'_>) -> String {
    let mut out = format!("<{}", tag.name);
    for (name, value) in &tag.attributes {
        match value {
            Value::Literal(Literal::Text(text)) if !text.contains('"') => out.push_str(&format!(" {name}=\"{text}\"")),
            Value::Flag => out.push_str(&format!(" {name}")),
            _ => {}
        }
    }
    out.push_str(if tag.role == Role::Both { " />" } else { ">" });
    out
}

/// An item of a list of objects, with the lists in it below.
fn add_item(item: &Literal, depth: usize, out: &mut String) {
    let margin = "  ".repeat(depth);
    let members = match item {
        Literal::Text(text) => return out.push_str(&format!("{margin}- {}\n", one_line(text))),
        Literal::List(items) => return items.iter().for_each(|item| add_item(item, depth, out)),
        Literal::Object(members) => members,
        Literal::Other => return,
    };
    let text = |names: &[&str]| {
        let named = |name: &&str| {
            let (_, value) = members.iter().find(|(key, _)| key == name)?;
            value.text().map(str::trim).filter(|text| !text.is_empty())
        };
        names.iter().find_map(named)
    };
    let kind = text(&["type"]);
    let head = match (text(&TITLES).or_else(|| text(&["role"])), text(&LINKS)) {
        // What has a type is a name in code.
        (Some(title), None) if kind.is_some() => Some(as_code(title)),
        (title, link) => linked(title, link),
    };
    let kind = kind.map(|kind| if head.is_some() { format!("({})", as_code(kind)) } else { as_code(kind) });
    let head: Vec<String> = [head, kind].into_iter().flatten().collect();
    let said = [Some(head.join(" ")), text(&DESCRIPTIONS).map(one_line)];
    let said: Vec<String> = said.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let below = if said.is_empty() { depth } else { depth + 1 };
    if !said.is_empty() {
        out.push_str(&format!("{margin}- {}\n", said.join(": ")));
    }
    for (_, value) in members {
        match value {
            Literal::List(items) => items.iter().for_each(|item| add_item(item, below, out)),
            Literal::Object(_) => add_item(value, below, out),
            _ => {}
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Code between more backticks than it has itself; of several lines it is a block.
fn as_code(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    if code.contains('\n') {
        let fence = "`".repeat(longest.max(2) + 1);
        return format!("{fence}\n{code}\n{fence}");
    }
    let ticks = "`".repeat(longest + 1);
    let space = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{code}{space}{ticks}")
}

/// A title, as a link where it has one; a link without a title has its address for one.
fn linked(title: Option<&str>, link: Option<&str>) -> Option<String> {
    match (title, link) {
        (title, Some(link)) => Some(as_link(title.unwrap_or(link), link)),
        (title, None) => title.map(one_line),
    }
}

fn as_link(text: &str, link: &str) -> String {
    let text = one_line(text).replace('[', "\\[").replace(']', "\\]");
    format!("[{text}]({})", target(link))
}

/// A link's target as Markdown takes it.
fn target(link: &str) -> String {
    let link: String = link.chars().filter(|c| !matches!(c, '<' | '>' | '\n' | '\r')).collect();
    if link.contains([' ', '(', ')']) { format!("<{link}>") } else { link }
}
