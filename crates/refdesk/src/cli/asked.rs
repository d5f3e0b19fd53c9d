//! Flags and arguments that are parameters of REST: what is typed is sent under the parameter's name ([`parameter`]). The rows of each
//! command are in [`questions`](super::questions).

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use super::filters;
use super::parameters::parameter;
use super::questions::{FLAGS, LIST, SEARCH};

/// A parameter as it is typed: its name, what stands behind it or in its place, and what the help says of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flag(pub(super) &'static str, pub(super) Takes, pub(super) &'static str);

/// What is typed of a parameter, with what the help calls it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Takes {
    /// Nothing but the flag, which sends this.
    Switch(&'static str),
    /// A text behind a flag.
    Text(&'static str),
    /// A text that may begin with `-`.
    Keys(&'static str),
    /// A number, which may be below zero, to be refused as one.
    Number(&'static str),
    /// A number of tokens behind a flag that has this name, too.
    Tokens(&'static str),
    /// An argument.
    Word(&'static str),
    /// All arguments, which are sent with the second between them.
    Words(&'static str, &'static str),
}

impl Flag {
    fn arg(&self) -> Arg {
        let Self(name, takes, help) = *self;
        let argument = Arg::new(name).help(help);
        let flag = argument.clone().long(name);
        match takes {
            Takes::Switch(_) => flag.action(ArgAction::SetTrue),
            Takes::Text(value) => flag.value_name(value),
            Takes::Keys(value) => flag.value_name(value).allow_hyphen_values(true),
            Takes::Number(value) => flag.value_name(value).allow_negative_numbers(true),
            Takes::Tokens(alias) => flag.alias(alias).value_name("TOKENS").allow_negative_numbers(true),
            Takes::Word(value) => argument.value_name(value).required(true),
            Takes::Words(value, _) => argument.value_name(value).required(true).num_args(1..).action(ArgAction::Append),
        }
    }

    fn typed(&self, matches: &ArgMatches) -> Option<String> {
        let Self(name, takes, _) = *self;
        match takes {
            Takes::Switch(sent) => matches.get_flag(name).then(|| sent.to_owned()),
            Takes::Words(_, between) => {
                let words: Vec<&str> = matches.get_many::<String>(name)?.map(String::as_str).collect();
                Some(words.join(between))
            }
            _ => matches.get_one(name).cloned(),
        }
    }
}

/// What was typed for a command, as REST names it.
#[derive(Debug, Clone)]
pub struct Asked<const COMMAND: usize>(Vec<(String, String)>);

impl<const COMMAND: usize> Asked<COMMAND> {
    const HAS_FILTERS: bool = COMMAND == SEARCH || COMMAND == LIST;

    /// The value of a parameter, where it was typed.
    pub fn get(&self, parameter: &str) -> Option<&str> {
        self.pairs().into_iter().find(|(name, _)| *name == parameter).map(|(_, value)| value)
    }

    /// All of them.
    pub fn pairs(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }
}

impl<const COMMAND: usize> Args for Asked<COMMAND> {
    fn augment_args(command: Command) -> Command {
        let filters = Self::HAS_FILTERS.then(filters::args).into_iter().flatten();
        command.args(FLAGS[COMMAND].concat().iter().map(Flag::arg)).args(filters)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const COMMAND: usize> FromArgMatches for Asked<COMMAND> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let own = FLAGS[COMMAND].iter().copied().flatten();
        let own = own.filter_map(|flag| Some((parameter(flag.0), flag.typed(matches)?)));
        let filters = Self::HAS_FILTERS.then(|| filters::typed(matches)).into_iter().flatten();
        Ok(Self(own.chain(filters).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
