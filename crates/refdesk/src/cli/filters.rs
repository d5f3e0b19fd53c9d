//! The flags of `list` that choose rows, made of the table of fields: `price_input__lte` of REST is `--price-input-lte` here.

use std::ffi::OsString;
use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches};
use refdesk_core::Kind;
use refdesk_core::field::Shape;
use refdesk_core::query::{FilterParam, Operator, filters};

/// A filter and its flag: `--price-input-lte`.
struct FilterFlag {
    filter: &'static FilterParam,
    long: String,
    /// The kinds that have it, in words.
    kinds: Vec<&'static str>,
    /// Where it stands in the help.
    heading: String,
}

/// Every filter of any kind, once.
static ALL: LazyLock<Vec<FilterFlag>> = LazyLock::new(|| {
    let mut all: Vec<FilterFlag> = Vec::new();
    for filter in Kind::ALL.into_iter().flat_map(filters) {
        if !all.iter().any(|known| known.filter.name == filter.name) {
            let kinds = Kind::ALL.into_iter().filter(|kind| filters(*kind).iter().any(|one| one.name == filter.name));
            let kinds: Vec<&str> = kinds.map(Kind::label).collect();
            let long = filter.name.replace("__", "-").replace('_', "-");
            all.push(FilterFlag { filter, long, heading: heading(&kinds), kinds });
        }
    }
    all
});

/// Filters stand by the kinds that have them.
fn heading(kinds: &[&str]) -> String {
    match kinds {
        [kind] => format!("Filters of {kind}s"),
        some if some.len() < Kind::ALL.len() => "Filters of several kinds".to_owned(),
        _ => "Filters of all kinds".to_owned(),
    }
}

fn arg(flag: &'static FilterFlag) -> Arg {
    let FilterFlag { filter, long, kinds, heading } = flag;
    let same = || {
        Kind::ALL
            .into_iter()
            .filter_map(|kind| Some((kind, filters(kind).iter().find(|other| other.name == filter.name)?)))
    };
    // What kinds have under one name may have other values there.
    let has_values = matches!(filter.operator, Operator::Equals | Operator::Not);
    let others = same().filter(|(_, other)| has_values && other.field.allowed != filter.field.allowed);
    let others: String =
        others.map(|(kind, other)| format!("; of a {}: {}", kind.label(), other.field.allowed.join(", "))).collect();
    let is_told_of = (2..Kind::ALL.len()).contains(&kinds.len());
    let of = if is_told_of { format!(" ({})", kinds.join(", ")) } else { String::new() };
    let description = filter.description();
    // Which values it takes an error says, too.
    let short = description.split(" Takes ").next().unwrap_or_default();
    let told = |description: &str| format!("{}{others}{of}", description.trim_end_matches('.'));
    let arg = Arg::new(filter.name.as_str())
        .long(long.as_str())
        .help(told(short))
        .long_help(told(&description))
        .help_heading(heading.as_str())
        .action(ArgAction::Set)
        .allow_hyphen_values(true)
        // What is rarely needed is in the long help only.
        .hide_short_help(matches!(filter.operator, Operator::Not | Operator::IsNull));
    if flag.is_switch() {
        arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("true|false")
    } else {
        arg.value_name("VALUE")
    }
}

impl FilterFlag {
    /// Whether it may stand alone, which means true.
    fn is_switch(&self) -> bool {
        self.filter.operator == Operator::IsNull || self.filter.field.shape == Shape::Flag
    }
}

/// Arguments in which a flag that may stand alone is joined to the `true` or `false` behind it, as `--official=false`: by itself such a word is
/// one of the words to look for.
pub fn with_joined_flags(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut is_over = false;
    for argument in arguments {
        let is_value = argument == "true" || argument == "false";
        let is_switch = |flag: &OsString| {
            let long = flag.to_str().and_then(|flag| flag.strip_prefix("--"));
            long.is_some_and(|long| ALL.iter().any(|known| known.long == long && known.is_switch()))
        };
        match joined.last_mut() {
            Some(flag) if is_value && !is_over && is_switch(flag) => {
                flag.push("=");
                flag.push(argument);
            }
            _ => {
                is_over |= argument == "--";
                joined.push(argument);
            }
        }
    }
    joined
}

/// The flags of all filters.
pub(super) fn args() -> impl Iterator<Item = Arg> {
    ALL.iter().map(arg)
}

/// The filters that were typed, as REST names them.
pub(super) fn typed(matches: &ArgMatches) -> impl Iterator<Item = (String, String)> {
    ALL.iter().filter_map(|FilterFlag { filter, .. }| {
        matches.get_one::<String>(&filter.name).map(|value| (filter.name.clone(), value.clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::with_joined_flags;

    #[test]
    fn a_flag_that_may_stand_alone_takes_the_truth_behind_it() {
        for (typed, read) in [
            ("refdesk search postgres --official false", "refdesk search postgres --official=false"),
            ("refdesk list model --open-weights true --limit 3", "refdesk list model --open-weights=true --limit 3"),
            ("refdesk list model --price-input-isnull true", "refdesk list model --price-input-isnull=true"),
            ("refdesk search --official postgres", "refdesk search --official postgres"),
            ("refdesk search --vendor true", "refdesk search --vendor true"),
            ("refdesk search -- --official false", "refdesk search -- --official false"),
        ] {
            let words = with_joined_flags(typed.split(' ').map(Into::into));
            let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
            assert_eq!(words.join(" "), read);
        }
    }
}
