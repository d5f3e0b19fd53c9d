//! Where the links of a text lead. Those that begin with `/` are of the site that publishes the text, others of its file; one within the
//! text finds its anchor as GitHub and browsers would. A link that leads nowhere, or has no words, is none: its words stay.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use percent_encoding::percent_decode_str;
use refdesk_core::text::anchors::anchor;
use url::Url;

use super::headings::{ANCHOR_PREFIX, cut};

/// Where relative links of a text lead from.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinkBase {
    /// The file that was read. Sources that ship inside the binary have no address.
    file: Option<Url>,
    /// Its page on the site that publishes it.
    page: Option<Url>,
}

impl LinkBase {
    /// The file at `source_url`, published at `page`.
    pub(crate) fn new(source_url: &str, page: Option<&str>) -> Self {
        let web = |url: &str| Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let file = web(source_url);
        let mut page = page.and_then(web);
        // The page of a folder is where its other pages lie below.
        let is_index = file
            .as_ref()
            .and_then(|file| file.path_segments()?.next_back()?.split('.').next())
            .is_some_and(|stem| matches!(stem.to_ascii_lowercase().as_str(), "index" | "_index" | "readme"));
        if let Some(page) = page.as_mut().filter(|page| is_index && !page.path().ends_with('/')) {
            page.set_path(&format!("{}/", page.path()));
        }
        Self { file, page }
    }

    /// Both addresses; an empty one where there is none.
    pub(super) fn addresses(&self) -> [&str; 2] {
        [&self.file, &self.page].map(|url| url.as_ref().map_or("", Url::as_str))
    }

    /// Where a relative link leads. A file in a repository knows nothing of the site that its links from `/` are of.
    fn join(&self, link: &str) -> Option<Url> {
        let file = self.file.as_ref();
        let base = if link.starts_with('/') && !link.starts_with("//") {
            self.page.as_ref().or_else(|| file.filter(|file| !is_in_repository(file)))
        } else if has_ending(link) {
            file.or(self.page.as_ref())
        } else {
            self.page.as_ref().or(file)
        };
        base?.join(link).ok().filter(|joined| matches!(joined.scheme(), "http" | "https"))
    }
}

impl ammonia::UrlRelativeEvaluate<'_> for LinkBase {
    fn evaluate<'l>(&self, link: &'l str) -> Option<Cow<'l, str>> {
        match link.strip_prefix('#') {
            Some("") => Some(link.into()),
            Some(anchor) => Some(format!("#{ANCHOR_PREFIX}{anchor}").into()),
            None => self.join(link).map(|joined| String::from(joined).into()),
        }
    }
}

/// The page of a file, as code hosts have it: `…/blob/<commit>/<path>`.
fn is_in_repository(url: &Url) -> bool {
    url.path_segments().is_some_and(|mut segments| segments.any(|segment| segment == "blob"))
}

/// Whether a link names a file, as links between the files of a repository do; those between pages of a site have no ending.
fn has_ending(link: &str) -> bool {
    let path = link.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty())
}

/// Sanitised HTML with each link within the text at its anchor, each anchor once, and without links that lead nowhere or have no words.
///
/// Quotes of its words are escaped, so that no words look like an attribute: a page writes those of its own links anew below the path of
/// the desk.
pub(super) fn finished(html: &str) -> String {
    let listed: Vec<&str> = tags(html)
        .flat_map(|tag| attributes(&html[tag.start..tag.end]))
        .filter_map(|(name, value)| match name {
            "id" => value.strip_prefix(ANCHOR_PREFIX),
            "name" => Some(value),
            _ => None,
        })
        .collect();
    // Of several the first counts, which is inserted last.
    let bare = listed.iter().rev().map(|anchor| (bare(anchor), *anchor)).collect();
    let anchors = listed.into_iter().collect();
    let mut finishing = Finishing {
        html,
        anchors,
        bare,
        given: HashSet::new(),
        out: String::with_capacity(html.len()),
        open: Vec::new(),
    };
    let mut at = 0;
    for tag in tags(html) {
        finishing.words(&html[at..tag.start]);
        finishing.tag(&tag);
        at = tag.end;
    }
    finishing.words(&html[at..]);
    finishing.out
}

/// An anchor without the marks between its words.
fn bare(anchor: &str) -> String {
    anchor.replace(['-', '_'], "")
}

struct Finishing<'t> {
    html: &'t str,
    /// All of the text, without their prefix.
    anchors: HashSet<&'t str>,
    /// The same by their letters and digits: not every site writes `-` and `_` where GitHub does.
    bare: HashMap<String, &'t str>,
    /// Those that stand in the output.
    given: HashSet<&'t str>,
    out: String,
    /// Whether each open link stays.
    open: Vec<bool>,
}

impl Finishing<'_> {
    fn words(&mut self, between_tags: &str) {
        self.out.push_str(&between_tags.replace('"', "&quot;"));
    }

    fn tag(&mut self, tag: &TagSpan) {
        let written = &self.html[tag.start..tag.end];
        if written == "</a>" {
            if self.open.pop().unwrap_or(true) {
                self.out.push_str(written);
            }
            return;
        }
        let is_link = written.starts_with("<a ") || written == "<a>";
        let has_anchor = |(name, _): (&str, &str)| matches!(name, "id" | "name");
        if !is_link && !attributes(written).any(has_anchor) {
            self.out.push_str(written);
            return;
        }
        let (mut kept, mut leads, mut has_id) = (String::new(), false, false);
        for (name, value) in attributes(written) {
            match name {
                "id" | "name" => {
                    let anchor = value.strip_prefix(ANCHOR_PREFIX).filter(|_| name == "id").unwrap_or(value);
                    if !self.given.insert(anchor) {
                        continue;
                    }
                    let id = format!(" id=\"{ANCHOR_PREFIX}{anchor}\"");
                    // An element has one id: where it has a `name` too, the second anchor stands before it.
                    if has_id {
                        self.out.push_str(&format!("<span{id}></span>"));
                    } else {
                        kept.push_str(&id);
                    }
                    has_id = true;
                }
                "href" => {
                    let Some(href) = self.href(value).filter(|_| self.has_words(tag.end)) else { continue };
                    leads = true;
                    kept.push_str(&format!(" href=\"{href}\""));
                }
                "rel" => {}
                _ => kept.push_str(&format!(" {name}=\"{value}\"")),
            }
        }
        // `rel` says something of where a link leads, and nothing without that.
        let rel = attributes(written).find(|(name, _)| *name == "rel" && leads);
        kept.extend(rel.map(|(name, value)| format!(" {name}=\"{value}\"")));
        let stays = !is_link || !kept.is_empty();
        if is_link {
            self.open.push(stays);
        }
        if stays {
            let name = written[1..].split([' ', '>']).next().unwrap_or_default();
            self.out.push_str(&format!("<{name}{kept}>"));
        }
    }

    /// The address of a link; `None` for an anchor that the text does not have.
    fn href<'l>(&self, value: &'l str) -> Option<Cow<'l, str>> {
        let Some(wanted) = value.strip_prefix('#').and_then(|rest| rest.strip_prefix(ANCHOR_PREFIX)) else {
            return Some(value.into());
        };
        if self.anchors.contains(wanted) {
            return Some(value.into());
        }
        let wanted = percent_decode_str(wanted).decode_utf8_lossy().replace("&amp;", "&");
        let candidates = [cut(&wanted), cut(&anchor(&wanted))];
        let found = candidates.iter().find(|candidate| self.anchors.contains(candidate.as_str()));
        let found = found.map(String::as_str).or_else(|| self.bare.get(&bare(&candidates[1])).copied())?;
        Some(format!("#{ANCHOR_PREFIX}{found}").into())
    }

    /// Whether anything is to be read between the end of a link's tag and its closing tag.
    fn has_words(&self, from: usize) -> bool {
        let mut at = from;
        for tag in tags(&self.html[from..]) {
            if !self.html[at..from + tag.start].trim().is_empty() {
                return true;
            }
            at = from + tag.end;
            if &self.html[from + tag.start..at] == "</a>" {
                return false;
            }
        }
        false
    }
}

/// Where a tag begins and ends.
struct TagSpan {
    start: usize,
    end: usize,
}

/// The tags of sanitised HTML, in which `<` and `>` are written as entities everywhere else.
fn tags(html: &str) -> impl Iterator<Item = TagSpan> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + html[at..].find('<')?;
        at = start + html[start..].find('>')? + 1;
        Some(TagSpan { start, end: at })
    })
}

/// The names and values of a tag's attributes, as the sanitiser writes them.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = tag.trim_end_matches('>');
    std::iter::from_fn(move || {
        let (_, from) = rest.split_once(' ')?;
        let (name, after) = from.split_once("=\"")?;
        let (value, behind) = after.split_once('"')?;
        rest = behind;
        Some((name, value))
    })
}
