//! Headings of a text: an anchor for each, and levels that fit below the heading of a page, without a jump (WCAG technique H42).

use std::collections::VecDeque;

use pulldown_cmark::{CowStr, Event, HeadingLevel, Tag, TagEnd};
use refdesk_core::text::anchors::{Anchors, anchor};
use refdesk_core::text::split_attributes;

use crate::state::cache::Heading;

/// What anchors of upstream texts begin with.
pub(super) const ANCHOR_PREFIX: &str = "s-";
/// Longest anchor, in characters, without its prefix and number.
const ANCHOR_CHARS_MAX: usize = 80;
/// Highest level of a heading: a page has one of its own.
const LEVEL_MIN: u8 = 2;
/// Lowest level that HTML has.
const LEVEL_MAX: u8 = 6;
/// Most headings that are listed.
const HEADINGS_MAX: usize = 500;

/// The events of a text with anchors and levels set.
pub(super) struct Headings<'t, I> {
    events: I,
    ready: VecDeque<Event<'t>>,
    anchors: Anchors,
    /// Levels of the headings that the next one is inside of: as written, and as shown.
    inside: Vec<(u8, u8)>,
    /// The headings so far.
    pub(super) found: Vec<Heading>,
}

impl<'t, I: Iterator<Item = Event<'t>>> Headings<'t, I> {
    pub(super) fn new(events: I) -> Self {
        Self { events, ready: VecDeque::new(), anchors: Anchors::default(), inside: Vec::new(), found: Vec::new() }
    }

    /// Reads a heading to its end, because its anchor is made of its text.
    fn heading(&mut self, written: HeadingLevel) -> Event<'t> {
        let mut text = String::new();
        for event in self.events.by_ref() {
            let event = match event {
                Event::End(TagEnd::Heading(_)) => break,
                // A heading is one line.
                Event::SoftBreak | Event::HardBreak => Event::Text(CowStr::from(" ")),
                event => event,
            };
            if let Event::Text(piece) | Event::Code(piece) = &event {
                text.push_str(piece);
            }
            self.ready.push_back(event);
        }
        let (words, id) = without_attributes(&text);
        self.lose(text.len() - words.len());
        let wanted = id.map_or_else(|| anchor(words), str::to_owned);
        let (level, anchor) = (self.level(written as u8), self.anchors.unique(cut(&wanted)));
        text.truncate(words.len());
        let shown = heading_level(level);
        self.ready.push_back(Event::End(TagEnd::Heading(shown)));
        let id = Some(CowStr::from(anchor.clone()));
        if self.found.len() < HEADINGS_MAX {
            let anchor = format!("{ANCHOR_PREFIX}{anchor}");
            self.found.push(Heading { level, text: text.trim().to_owned(), anchor });
        }
        Event::Start(Tag::Heading { level: shown, id, classes: Vec::new(), attrs: Vec::new() })
    }

    /// One below the heading that it is inside of.
    fn level(&mut self, written: u8) -> u8 {
        while self.inside.last().is_some_and(|(outer, _)| *outer >= written) {
            self.inside.pop();
        }
        let level = self.inside.last().map_or(LEVEL_MIN, |(_, shown)| (shown + 1).min(LEVEL_MAX));
        self.inside.push((written, level));
        level
    }

    /// Takes bytes from the end of the heading that was read.
    fn lose(&mut self, mut bytes: usize) {
        for event in self.ready.iter_mut().rev() {
            let (Event::Text(piece) | Event::Code(piece)) = event else { continue };
            let kept = piece.len().saturating_sub(bytes);
            bytes -= piece.len() - kept;
            if kept < piece.len() {
                *event = Event::Text(CowStr::from(piece.get(..kept).unwrap_or_default().to_owned()));
            }
            if bytes == 0 {
                return;
            }
        }
    }
}

/// An anchor as far as one may go.
pub(super) fn cut(anchor: &str) -> String {
    anchor.chars().take(ANCHOR_CHARS_MAX).collect()
}

/// A heading without its attribute lists, and the id that they give it. doc-builder writes `Title[[id]]`.
fn without_attributes(text: &str) -> (&str, Option<&str>) {
    let (words, id) = split_attributes(text);
    let built = words.strip_suffix("]]").and_then(|words| words.rsplit_once("[["));
    built.map_or((words, id), |(words, built)| (words.trim_end(), id.or(Some(built))))
}

impl<'t, I: Iterator<Item = Event<'t>>> Iterator for Headings<'t, I> {
    type Item = Event<'t>;

    fn next(&mut self) -> Option<Event<'t>> {
        if let Some(event) = self.ready.pop_front() {
            return Some(event);
        }
        match self.events.next()? {
            Event::Start(Tag::Heading { level, .. }) => Some(self.heading(level)),
            event => Some(event),
        }
    }
}

const fn heading_level(level: u8) -> HeadingLevel {
    match level {
        2 => HeadingLevel::H2,
        3 => HeadingLevel::H3,
        4 => HeadingLevel::H4,
        5 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}
