//! Questions that name things: they ask for things related to one (`alternatives to X`), for several side by side, or about one.

use super::{Relation, about, alternatives, beyond, called, comparison, dated, line, successor};
use crate::resolve::letters;
use crate::resolve::model::makers::is_family;
use crate::snapshot::Snapshot;
use crate::understand::rest::is_said_anyway;
use crate::understand::words::{self, Word};
use crate::understand::{Understood, is_name, is_telling_name, kinds, needs, values};
use refdesk_core::Kind;
use refdesk_search::SegmentSet;
use refdesk_search::text::folded;

/// What is asked.
pub enum Asks {
    /// Things related to a named one; the rest of the question may narrow them.
    Related(Relation),
    /// What is understood of the whole question.
    Understood(Box<Understood>),
}

impl From<Understood> for Asks {
    fn from(understood: Understood) -> Self {
        Self::Understood(Box::new(understood))
    }
}

/// What a question asks of things that it names; nothing where it describes what it asks for.
pub fn asked(snapshot: &Snapshot, words: &[Word<'_>], kind: Option<Kind>, text: &str) -> Option<Asks> {
    let segments = kind.map_or(SegmentSet::ALL, SegmentSet::from);
    let may_be_models = kind.is_none_or(|kind| kind == Kind::Model);
    let of_models = |parse: fn(&Snapshot, &[Word<'_>]) -> Option<Relation>| {
        if may_be_models { parse(snapshot, words).map(Asks::Related) } else { None }
    };
    let others = || alternatives::parse(snapshot, words, segments).filter(|_| !beyond::is_said(words));
    of_models(successor::parse)
        .or_else(|| of_models(dated::parse))
        .or_else(|| others().map(Asks::Related))
        .or_else(|| alternatives::by_description(snapshot, words, segments).map(Asks::from))
        .or_else(|| {
            if beyond::is_of_line(words) || beyond::is_of_several(words) { of_models(beyond::parse) } else { None }
        })
        .or_else(|| side_by_side(snapshot, words, kind, text).map(Asks::from))
        .or_else(|| of_models(beyond::parse))
        .or_else(|| of_models(alternatives::alike_but))
        .or_else(|| about_one(snapshot, words, segments, text).map(Asks::from))
        .or_else(|| of_models(line::priced))
        .or_else(|| of_models(line::made))
        .or_else(|| of_models(line::asked))
}

/// What a question asks for by yet another model, once the words of a relation are understood: `newer than gpt-5 and cheaper than gpt-4o`.
pub fn further(snapshot: &Snapshot, words: &[Word<'_>]) -> Option<Relation> {
    dated::parse(snapshot, words).or_else(|| beyond::parse(snapshot, words)).or_else(|| dated::joined(snapshot, words))
}

fn side_by_side(snapshot: &Snapshot, words: &[Word<'_>], kind: Option<Kind>, text: &str) -> Option<Understood> {
    let compared = compared(snapshot, words);
    (!compared.is_empty()).then(|| Understood { compared, rest: text.to_owned(), kind, ..Understood::default() })
}

/// The one thing that a question asks something about, or the title of a page on making what it asks how to make.
fn about_one(snapshot: &Snapshot, words: &[Word<'_>], segments: SegmentSet, text: &str) -> Option<Understood> {
    let is_about = |text: &str| {
        is_telling_name(snapshot, text, segments)
            && !kinds::is_described(text)
            && !is_rather_family(snapshot, text, segments)
    };
    let says_kind = words.iter().any(|word| kinds::kind_of(std::slice::from_ref(word)).is_some());
    let of_kind = |text: &str| if says_kind { called::told_by_kind(snapshot, text, segments) } else { None };
    let is_name_of_one = |text: &str| is_about(text) || is_end_of_name(snapshot, text) || of_kind(text).is_some();
    // `price of gpt-5 on azure` asks it of the model, and `pricing on azure` of the seller.
    let unsold = about::without_seller(words, |text| values::is_seller(snapshot, text));
    let is_model = |text: &str| is_end_of_name(snapshot, text) || is_name(snapshot, text, Kind::Model.into());
    let of_sold = unsold.and_then(|words| about::name(&words, |text| is_name_of_one(text) && is_model(text)));
    let about =
        of_sold.or_else(|| about::name(words, is_name_of_one)).map(|name| whole(snapshot, name, is_about, of_kind));
    let title = || needs::title(words).filter(|title| is_name(snapshot, title, segments));
    let about = about.or_else(title)?;
    Some(Understood { about: Some(about), rest: text.to_owned(), ..Understood::default() })
}

/// Whether a text is what a family of known models is called, and something else only for short: `gemini` of a program.
fn is_rather_family(snapshot: &Snapshot, text: &str, segments: SegmentSet) -> bool {
    let is_called_so = |found: u32| {
        let own = [snapshot.id(found), &snapshot.name(found)];
        snapshot.kind_of(found) == Kind::Model || own.iter().any(|name| letters(name) == letters(text))
    };
    let are_meant = segments.contains(Kind::Model.index()) && is_family(&folded(text));
    are_meant && line::line(snapshot, text).is_some() && !snapshot.whole_name(text, segments).is_some_and(is_called_so)
}

/// A question that is nothing but the name of a thing and the word for its kind: `GPT-5 Chat (latest) model`. What else describes things is a
/// part of that name.
pub fn named_by_kind(snapshot: &Snapshot, kind: Option<Kind>, text: &str) -> Option<Understood> {
    let segments = kind.map_or(SegmentSet::ALL, SegmentSet::from);
    let words = words::words(text);
    let asking = words.iter().take_while(|word| is_said_anyway(word)).count();
    let named = |start: usize| called::told_by_kind(snapshot, &words::text(&words[start..]), segments);
    let about = snapshot.id(named(0).or_else(|| named(asking))?).to_owned();
    Some(Understood { about: Some(about), rest: text.to_owned(), ..Understood::default() })
}

/// The names that a question compares, whole where it says their ends.
fn compared(snapshot: &Snapshot, words: &[Word<'_>]) -> Vec<String> {
    // `models` is what something is called, and in a question the word for a kind.
    let is_any_name = |text: &str| !kinds::is_kind(text) && is_name(snapshot, text, SegmentSet::ALL);
    let mut compared = comparison::things(words, |text| {
        is_any_name(text)
            || is_family(&folded(text))
            || called::whole_name(snapshot, text).is_some()
            || called::with_kind(snapshot, text, SegmentSet::ALL).is_some()
            || line::is_line(snapshot, text)
    });
    let is_said = |text: &str| is_any_name(text) || is_end_of_name(snapshot, text) || line::is_line(snapshot, text);
    if compared.is_empty() {
        compared = comparison::weighed(words, is_said, |text| is_name(snapshot, text, Kind::Model.into()));
    }
    if compared.is_empty() {
        compared = comparison::listed(words, is_said);
    }
    let of_kind = |name: &str| called::with_kind(snapshot, name, SegmentSet::ALL);
    compared.into_iter().map(|name| whole(snapshot, name, is_any_name, of_kind)).collect()
}

/// The whole name of what is called by the end of it, or the id of what is named with the word for its kind; what is a name stays as it is.
fn whole(
    snapshot: &Snapshot,
    name: String,
    is_name: impl Fn(&str) -> bool,
    of_kind: impl Fn(&str) -> Option<u32>,
) -> String {
    if is_name(&name) {
        return name;
    }
    let id = || of_kind(&name).map(|ordinal| snapshot.id(ordinal).to_owned());
    called::whole_name(snapshot, &name).or_else(id).unwrap_or(name)
}

/// Whether a text with a number is the end of a model's name: `sonnet 4.5`.
fn is_end_of_name(snapshot: &Snapshot, text: &str) -> bool {
    words::has_digit(text) && called::whole_name(snapshot, text).is_some()
}
