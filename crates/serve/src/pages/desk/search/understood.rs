//! How a question was read, in the words of the pages: what it asks for, in which order, what it leaves out, and the list that it equals.

use maud::{Markup, html};
use refdesk_core::Kind;
use serde_json::Value;

use super::{SAME, Tab, tab_target};
use crate::pages::layout::target::Target;
use crate::pages::layout::{described, plural, values};

/// What was understood of the question, and the list that it equals.
pub(super) fn understood(answer: &Value, tab: Tab, target: &Target) -> Markup {
    let understood = &answer["understood"];
    let Some(filters) = understood["filters"].as_object() else { return html! {} };
    let named = understood["kind"].as_str().and_then(Kind::parse);
    let sort = understood["sort"].as_str().map(|sort| format!("sorted by {}", described::order(named, sort)));
    let sent = filters.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    let (mut left_out, mut asked): (Vec<_>, Vec<_>) = sent.partition(|(name, _)| described::leaves_out(name));
    if asked.is_empty() && sort.is_none() {
        asked.append(&mut left_out);
    }
    let asked = described::all(named, asked.into_iter());
    let parts: Vec<String> = named.map(|kind| plural(kind).to_owned()).into_iter().chain(asked).chain(sort).collect();
    let list = list(understood);
    let compared: Vec<&str> = values::list(understood, "compared").iter().filter_map(Value::as_str).collect();
    html! {
        @match named {
            // A kind alone leaves nothing out.
            Some(kind) if parts.len() == 1 && list.is_none() => (kind_alone(kind, tab, target)),
            _ if parts.is_empty() => {},
            _ => div.notice.quiet {
                p {
                    "Understood as: " (parts.join("; ")) ". "
                    @if let Some(list) = list {
                        a href=(list) { @if answer["total"] == 0 { "Which of these to leave out" } @else { "All of them as a table" } }
                    }
                }
                (without(named, &left_out))
            },
        }
        @if !compared.is_empty() {
            p.notice.quiet { a href=(Target::new("/compare").with("ids", compared.join(",")).href()) { "Compare " (values::shown(&compared.join(" with "))) } " side by side." }
        }
    }
}

/// The page of the list that a question equals.
fn list(understood: &Value) -> Option<String> {
    let (path, query) = understood["list_url"].as_str()?.strip_prefix("/v1")?.split_once('?')?;
    Some(format!("{}?{query}", path.strip_suffix("/list")?))
}

/// The same with its kind, as a page from which links are made.
pub(super) fn listed(answer: &Value) -> Option<(Kind, Target)> {
    let list = list(&answer["understood"])?;
    let (path, query) = list.split_once('?')?;
    let kind = Kind::of_path_segment(path.strip_prefix('/')?)?;
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    Some((kind, Target::new(path).with_pairs(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())))))
}

fn kind_alone(kind: Kind, tab: Tab, target: &Target) -> Markup {
    html! {
        @if tab.is_none() {
            p.notice.quiet {
                "Understood as a question about " (plural(kind)) "; other kinds are shown too. "
                a href=(tab_target(Some(kind), &SAME, target).href()) { "Only " (plural(kind)) }
            }
        }
    }
}

/// What a question leaves out beside what it asks for, much of which goes without saying: small screens fold it, and name its fields.
fn without(kind: Tab, left_out: &[(&str, &str)]) -> Markup {
    let labels: Vec<String> = left_out.iter().filter_map(|(name, _)| described::label(name)).collect();
    let told = described::all(kind, left_out.iter().copied()).join("; ");
    html! {
        @if !labels.is_empty() {
            details.fold { summary { "Also left out: by " (labels.join(", ")) } p { "Also: " (told) "." } }
        } @else if !told.is_empty() { p { "Also: " (told) "." } }
    }
}
