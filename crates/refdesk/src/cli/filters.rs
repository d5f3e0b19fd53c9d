//! The flags of `list` that choose rows, made of the table of fields: `price_input__lte` of REST is `--price-input-lte` here.

use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use refdesk_core::Kind;
use refdesk_core::field::Shape;
use refdesk_core::query::{FilterParam, Operator, filters};

/// Heading of these flags in the help.
const HEADING: &str = "Filters";

/// The filters that were typed, as REST names them.
#[derive(Debug, Clone, Default)]
pub struct Filters(pub Vec<(&'static str, String)>);

/// A filter and its flag: `--price-input-lte`.
struct FilterFlag {
    filter: &'static FilterParam,
    long: String,
}

/// Every filter of any kind, once.
static ALL: LazyLock<Vec<FilterFlag>> = LazyLock::new(|| {
    let mut all: Vec<FilterFlag> = Vec::new();
    for filter in Kind::ALL.into_iter().flat_map(filters) {
        if !all.iter().any(|known| known.filter.name == filter.name) {
            all.push(FilterFlag { filter, long: filter.name.replace("__", "-").replace('_', "-") });
        }
    }
    all
});

fn arg(FilterFlag { filter, long }: &'static FilterFlag) -> Arg {
    let same = || {
        Kind::ALL
            .into_iter()
            .filter_map(|kind| Some((kind, filters(kind).iter().find(|other| other.name == filter.name)?)))
    };
    let kinds: Vec<&str> = same().map(|(kind, _)| kind.label()).collect();
    // What kinds have under one name may have other values there.
    let has_values = matches!(filter.operator, Operator::Equals | Operator::Not);
    let others = same().filter(|(_, other)| has_values && other.field.allowed != filter.field.allowed);
    let others: String =
        others.map(|(kind, other)| format!("; of a {}: {}", kind.label(), other.field.allowed.join(", "))).collect();
    let of = if kinds.len() == Kind::ALL.len() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let is_flag = filter.operator == Operator::IsNull || filter.field.shape == Shape::Flag;
    let arg = Arg::new(filter.name.as_str())
        .long(long.as_str())
        .help(format!("{}{others}{of}", filter.description().trim_end_matches('.')))
        .help_heading(HEADING)
        .action(ArgAction::Set)
        .allow_hyphen_values(true)
        // What is rarely needed is in the long help only.
        .hide_short_help(matches!(filter.operator, Operator::Not | Operator::IsNull));
    if is_flag {
        arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("true|false")
    } else {
        arg.value_name("VALUE")
    }
}

impl Args for Filters {
    fn augment_args(command: Command) -> Command {
        command.args(ALL.iter().map(arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Filters {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let typed = |FilterFlag { filter, .. }: &'static FilterFlag| {
            matches.get_one::<String>(&filter.name).map(|value| (filter.name.as_str(), value.clone()))
        };
        Ok(Self(ALL.iter().filter_map(typed).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
