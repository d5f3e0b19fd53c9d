//! Days and periods: `released since June`, `retires this quarter`, `shut down in 2026`, `between March and June 2025`, `in the last 30 days`.

mod beside_kind;
mod digits;
mod doing;
mod happening;
mod part_of_year;
mod period;
mod state;
mod to_come;

pub use beside_kind::parse as beside_kind;
pub use doing::take_back;
pub use part_of_year::MONTHS;
pub use period::are_said as are_periods_said;
pub use state::are_said as are_states_said;

use std::sync::LazyLock;

use super::amounts::Cursor;
use super::reading::{Reading, day_after, day_before};
use super::vocabulary::is_part_of_topic;
use super::words::{PhraseRows, Phrases, Words as _};
use digits::first_day;
use happening::Happening;
use period::Period;
use refdesk_core::Kind;
use refdesk_core::field::Side;

/// What happens on a day.
static EVENTS: PhraseRows<&str> = PhraseRows::new(&[
    (
        "retire,retires,retiring,retirement,retirements,retired,sunset,sunsets,sunsetting,shutdown,shutdowns,shut down,shuts down,\
         shutting down,eol,end of life,discontinued,discontinuation,discontinuing,turned off,switched off,phased out,\
         go away,goes away,going away,gone,go offline,goes offline,going offline,taken offline,taken down,expire,expires,expiring,disappear,\
         disappears,disappearing,stop working,stops working,end of support,no longer available",
        "retires_on",
    ),
    ("deprecated,deprecation,deprecations", "deprecated_on"),
    ("released,release,releases,launched,announced,came,new", "released_on"),
    ("published,written", "published_on"),
    (
        "cutoff,cut-off,knowledge cutoff,knowledge cut-off,training cutoff,training cut-off,training data cutoff,training data,knowledge,\
         knowledge ends,knowledge ending,training ends,trained on data,trained with data,trained on information",
        "knowledge_cutoff",
    ),
    ("updated,changed,modified", "updated_since"),
    ("verified,checked", "verified_since"),
]);
/// What says up to when a model was taught, in front of the day.
static REACHING: LazyLock<Phrases<()>> = LazyLock::new(|| {
    let what = ["training data", "knowledge", "trained", "trained on data", "training", "data"];
    let until = ["up to", "until", "till", "through", "as recent as", "until at least", "up to at least"];
    let of_what = what.iter().flat_map(|what| until.iter().map(move |until| format!("{what} {until}")));
    let knowing =
        "know about,knows about,know of,knows of,aware of,knowledge of,know what happened,knows what happened";
    let phrases: Vec<String> = of_what.chain(knowing.split(',').map(str::to_owned)).collect();
    Phrases::new(phrases.iter().map(|phrase| (phrase.as_str(), ())))
});
/// Most words of an event.
const EVENT_WORDS_MAX: usize = 3;
/// What words for what is over begin with: without a day, the status tells it.
const IS_OVER: [&str; 4] = ["retired", "discontinued", "gone", "no"];
/// What such words begin with: `shut down`, `turned off`, `phased out`, `taken offline`.
const BEGINS_TO_BE_OVER: [&str; 5] = ["shut", "turned", "switched", "phased", "taken"];
/// Words that announce an event.
const TO_COME: [&str; 5] = ["upcoming", "planned", "scheduled", "announced", "known"];

/// What numbers are of that look like years: `between 2000 and 2048 tokens`, `up to 2048 dimensions`.
const OTHER_UNITS: [&str; 4] = ["tokens", "token", "dimensions", "parameters"];

/// What stands between an event and its period.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PeriodRelation {
    Since,
    After,
    Before,
    Until,
    Within,
}

impl PeriodRelation {
    /// What the rest of all days is; none of what has two ends.
    const fn opposite(self) -> Option<Self> {
        match self {
            Self::Since => Some(Self::Before),
            Self::After => Some(Self::Until),
            Self::Before => Some(Self::Since),
            Self::Until => Some(Self::After),
            Self::Within => None,
        }
    }
}

static RELATIONS: PhraseRows<PeriodRelation> = PhraseRows::new(&[
    ("since,starting,in or after,on or after,during or after", PeriodRelation::Since),
    ("after,newer than,later than,younger than", PeriodRelation::After),
    ("before,older than,earlier than,prior to", PeriodRelation::Before),
    ("until,till,by,up to,in or before,on or before,during or before", PeriodRelation::Until),
    ("in,during,within,on,from,at", PeriodRelation::Within),
]);

/// Reads an event with its period, or a period alone, at a position.
pub fn parse(reading: &mut Reading<'_>, at: usize) -> bool {
    if reaching(reading, at) {
        return true;
    }
    let event = event_at(reading, at);
    // An event that the kind knows nothing of does not leave its period to another.
    if event.is_none() && is_behind_event(reading, at) {
        return false;
    }
    if event.is_none() && state::parse(reading, at) {
        return true;
    }
    let field = event.map_or_else(|| own_day(reading.kind), |(field, _)| field);
    if !takes(reading.kind, field) {
        return of_no_field(reading, at, event.map(|(_, length)| length));
    }
    // `server for news since 2020`: nothing is said of when the server was changed.
    if event.is_none() && field == "updated_since" && is_part_of_topic(reading, at) {
        return false;
    }
    if let Some((field, taken)) = event
        && dated(reading, field, at, at + taken)
    {
        return true;
    }
    let happening = Happening::new(reading, at, field, event.map(|(_, taken)| taken));
    happening.within_range(reading).unwrap_or_else(|| happening.in_period(reading))
}

/// Warns of a period of an event that things of the kind have no day of. What happens behind a period may have one.
fn of_no_field(reading: &mut Reading<'_>, at: usize, event: Option<usize>) -> bool {
    let Some(length) = event else { return before_event(reading, at) };
    let (relation, after) = relation_at(reading, at + length);
    if let Some(period) = relation.and_then(|_| period::at(reading, after, false)) {
        let kind = reading.kind.label();
        reading.warn_of_words(at..after + period.taken, &format!("{kind} lists cannot be filtered by that date"));
    }
    false
}

/// Reads how long ago something was at a position: `older than 2 years`, `not older than a year`, `less than 6 months old`.
fn aged(reading: &mut Reading<'_>, field: &str, at: usize, relation: Option<PeriodRelation>, after: usize) -> bool {
    let compared = match relation {
        Some(PeriodRelation::After) if reading.is(after - 1, &["than"]) => {
            Some([PeriodRelation::Since, PeriodRelation::Until])
        }
        Some(PeriodRelation::Before) if reading.is(after - 1, &["than"]) => {
            Some([PeriodRelation::Until, PeriodRelation::Since])
        }
        _ => None,
    };
    let negation = if compared.is_some() { reading.negation_before(at) } else { 0 };
    let (relation, after) = if let Some([said, opposite]) = compared {
        (if negation > 0 { opposite } else { said }, after)
    } else {
        let mut cursor = Cursor { reading, at };
        let Some((side, _)) = cursor.bounds().and_then(<[_]>::first) else { return false };
        (if *side == Side::Most { PeriodRelation::Since } else { PeriodRelation::Until }, cursor.at)
    };
    let Some(period) = period::ago(reading, after) else { return false };
    let end = after + period.taken;
    let is_age = compared.is_some() || reading.is(end - 1, &["old", "ago"]);
    is_age && set(reading, field, relation, &period) && taken(reading, at - negation, end)
}

/// What is known of a time: `know about events since 2025`.
const HAPPENED: [&str; 5] = ["events", "news", "things", "anything", "everything"];

/// Reads up to when a model was taught: `training data up to 2025`, which it has then.
fn reaching(reading: &mut Reading<'_>, at: usize) -> bool {
    let Some((length, ())) = REACHING.at(&reading.words, at) else {
        return false;
    };
    let (said, start) = relation_at(reading, reading.past(at + length, &HAPPENED));
    let Some(period) = period::at(reading, start, false).filter(|_| reading.kind == Kind::Model) else {
        return false;
    };
    let end = reading.past(start + period.taken, &HAPPENED);
    // `until mid 2025 or later`
    let later = open_end(reading, end, false).filter(|(relation, _)| *relation == PeriodRelation::Since);
    let end = later.map_or(end, |(_, end)| end);
    let relation = match said {
        Some(PeriodRelation::After) => PeriodRelation::After,
        Some(PeriodRelation::Before | PeriodRelation::Until) => {
            reading.warn_of_words(at..end, "a cutoff says since when a model knows nothing: say `after` or `since`");
            return taken(reading, at, end);
        }
        _ => PeriodRelation::Since,
    };
    set(reading, "knowledge_cutoff", relation, &period) && taken(reading, at, end)
}

/// Marks what was read as understood.
fn taken(reading: &mut Reading<'_>, start: usize, end: usize) -> bool {
    reading.take(start..end);
    true
}

/// The day of things of a kind of which most is known.
const fn own_day(kind: Kind) -> &'static str {
    match kind {
        Kind::Model => "released_on",
        Kind::Tutorial => "published_on",
        _ => "updated_since",
    }
}

/// The field of the event that a position speaks of, and how many words name it.
fn event_at(reading: &Reading<'_>, at: usize) -> Option<(&'static str, usize)> {
    let (taken, field) = EVENTS.at(&reading.words, at)?;
    // `agent knowledge` is a topic, `knowledge until June 2025` a day.
    let is_topic = taken == 1
        && reading.is(at, &["knowledge"])
        && !(reading.kind == Kind::Model && reading.is(at + 1, &["until", "to", "before", "after", "since", "beyond"]));
    // Models are published as well as released, and tutorials released.
    let is_out =
        matches!(*field, "released_on" | "published_on") && matches!(reading.kind, Kind::Model | Kind::Tutorial);
    (!is_topic).then_some((if is_out { own_day(reading.kind) } else { field }, taken))
}

/// Whether an event ends in front of a position.
fn is_behind_event(reading: &Reading<'_>, at: usize) -> bool {
    (at.saturating_sub(EVENT_WORDS_MAX)..at)
        .any(|from| event_at(reading, from).is_some_and(|(_, taken)| from + taken == at))
}

/// Reads a period directly in front of what happens then, `2025 released models`, as `2025年发布的模型` is put in English, or beside the word for the
/// kind.
fn before_event(reading: &mut Reading<'_>, at: usize) -> bool {
    if beside_kind(reading, at) {
        return true;
    }
    let Some(period) = period::at(reading, at, false) else { return false };
    let Some((field, length)) = event_at(reading, at + period.taken) else { return false };
    let end = at + period.taken + length;
    takes(reading.kind, field) && set(reading, field, PeriodRelation::Within, &period) && taken(reading, at, end)
}

/// Reads whether there is a day at all: `with a shutdown date`, `with no retirement date`.
fn dated(reading: &mut Reading<'_>, field: &str, at: usize, end: usize) -> bool {
    let is_date = reading.is(end, &["date", "dates"]);
    if field.ends_with("_since") || is_followed_by_period(reading, end + usize::from(is_date)) {
        return false;
    }
    let mut start = at;
    while start > 0 && (reading.is(start - 1, &["a", "an", "any", "the", "set"]) || reading.is(start - 1, &TO_COME)) {
        start -= 1;
    }
    let negation = reading.negation_before(start);
    let is_with = reading.is_behind(start, &["with", "having", "have"]);
    // `no announced end of life`
    let is_no = negation > 0 && field == "retires_on" && reading.is(start - negation, &["no", "without"]);
    if !(is_date && (negation > 0 || is_with) || is_no) {
        return false;
    }
    reading.set(&format!("{field}__isnull"), if negation > 0 { "true" } else { "false" });
    reading.is_of_models |= reading.kind == Kind::Model;
    taken(reading, start - negation.max(usize::from(is_with)), end + usize::from(is_date))
}

fn is_followed_by_period(reading: &Reading<'_>, at: usize) -> bool {
    let (_, after) = relation_at(reading, at);
    period::at(reading, after, false).is_some() || period::range_at(reading, at, false).is_some()
}

/// Behind a period: `or later`, `or earlier`, `onwards`; `from 2024 on`.
fn open_end(reading: &Reading<'_>, at: usize, is_from: bool) -> Option<(PeriodRelation, usize)> {
    if reading.is(at, &["onwards", "onward"]) || is_from && reading.is(at, &["on"]) {
        return Some((PeriodRelation::Since, at + 1));
    }
    // In `after June and before August` another bound begins.
    if !reading.is(at, &["or", "and"]) || period::at(reading, at + 2, false).is_some() {
        return None;
    }
    if reading.is(at + 1, &["later", "newer", "after", "since", "onwards"]) {
        return Some((PeriodRelation::Since, at + 2));
    }
    reading.is(at + 1, &["earlier", "before", "older"]).then_some((PeriodRelation::Until, at + 2))
}

/// Whether a kind has a field.
fn takes(kind: Kind, field: &str) -> bool {
    match field {
        "updated_since" | "verified_since" => true,
        _ => refdesk_core::field::named(kind, field).is_some(),
    }
}

/// Sets the bounds of a period, where the field can say them and the question gave it none before.
fn set(reading: &mut Reading<'_>, field: &str, relation: PeriodRelation, period: &Period) -> bool {
    set_from(reading, field, relation, period, None)
}

/// The same of what is not before a day.
fn set_from(
    reading: &mut Reading<'_>,
    field: &str,
    relation: PeriodRelation,
    period: &Period,
    from: Option<String>,
) -> bool {
    let (first, last) = match relation {
        PeriodRelation::Since => (Some(period.first.clone()), None),
        PeriodRelation::After => (day_after(&period.last), None),
        PeriodRelation::Before => (None, day_before(&period.first)),
        PeriodRelation::Until => (None, Some(period.last.clone())),
        PeriodRelation::Within => (Some(period.first.clone()), Some(period.last.clone())),
    };
    if field.ends_with("_since") {
        // Times have no end among the filters; a period that goes on until now needs none.
        let goes_on = |last: &String| reading.today().is_some_and(|today| **last >= today.day[..last.len()]);
        let is_open = last.as_ref().is_none_or(goes_on);
        let Some(first) = first.filter(|_| is_open) else { return false };
        return !reading.has(field) && reading.bound(field, &first_day(&first));
    }
    let bounds = [("gte", from.or(first)), ("lte", last)];
    let is_set = reading.all_or_none(|reading| {
        bounds.iter().all(|(operator, bound)| {
            bound.as_ref().is_none_or(|bound| reading.bound(&format!("{field}__{operator}"), bound))
        })
    });
    if !is_set {
        reading.warn(format!(
            "a second period of `{field}` was not understood: only one can be filtered by, and `{}` is outside it",
            period.first
        ));
        reading.not_understood.push(period.first.clone());
    }
    reading.is_of_models |= is_set && reading.kind == Kind::Model;
    is_set
}

/// The relation that is meant of a period, which is said from `start` to `end`, and how many words in front of it negate it. Nothing where no
/// filter says what is left; a warning says so.
fn turned(
    reading: &mut Reading<'_>,
    relation: PeriodRelation,
    start: usize,
    end: usize,
) -> Option<(PeriodRelation, usize)> {
    let negation = reading.negation_before(start);
    if negation == 0 {
        return Some((relation, 0));
    }
    let opposite = relation.opposite();
    if opposite.is_none() {
        reading.warn_of_words(start - negation..end, "no filter leaves out a period");
    }
    opposite.map(|opposite| (opposite, negation))
}

/// What stands between an event and its period at a position, and where that ends.
fn relation_at(reading: &Reading<'_>, at: usize) -> (Option<PeriodRelation>, usize) {
    // `before the end of the year` is within it.
    let ended = reading.past(at + 1, &["the"]);
    if reading.is(at, &["before", "by", "until", "till"]) && reading.is_phrase(ended, &["end", "of"]) {
        return (Some(PeriodRelation::Until), ended + 2);
    }
    // `of` says nothing of days but directly behind the kind: `models of 2025`, `models of the last 6 months`.
    if reading.is(at, &["of"]) && reading.head_end == Some(at) {
        return (Some(PeriodRelation::Within), ended);
    }
    // `no earlier than`, `not before`, `no later than`
    if reading.is(at, &["no", "not"]) {
        let (said, after) = relation_at(reading, at + 1);
        let turned = said.filter(|said| matches!(said, PeriodRelation::Before | PeriodRelation::After));
        return turned.and_then(PeriodRelation::opposite).map_or((None, at), |turned| (Some(turned), after));
    }
    match RELATIONS.at(&reading.words, at) {
        // `since the summer of 2025`
        Some((1, relation)) => (Some(*relation), reading.past(at + 1, &["the"])),
        Some((taken, relation)) => (Some(*relation), at + taken),
        None => (None, at),
    }
}
