//! A flag or an argument that is a parameter of REST.

use clap::{Arg, ArgAction, ArgMatches};

/// The kind of a list, which is a part of its path and no parameter.
pub(crate) const KIND: &str = "kind";

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
    /// A kind behind a flag, which also has the name that the argument of `list` and `get` has.
    Kind,
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
    /// The argument of the parser.
    pub(super) fn arg(&self) -> Arg {
        let Self(name, takes, help) = *self;
        let argument = Arg::new(name).help(help);
        let flag = argument.clone().long(name);
        match takes {
            Takes::Switch(_) => flag.action(ArgAction::SetTrue),
            Takes::Text(value) => flag.value_name(value),
            Takes::Kind => flag.alias(KIND).value_name("TYPE"),
            Takes::Keys(value) => flag.value_name(value).allow_hyphen_values(true),
            Takes::Number(value) => flag.value_name(value).allow_negative_numbers(true),
            Takes::Tokens(alias) => flag.alias(alias).value_name("TOKENS").allow_negative_numbers(true),
            Takes::Word(value) => argument.value_name(value).required(true),
            Takes::Words(value, _) => argument.value_name(value).required(true).num_args(1..).action(ArgAction::Append),
        }
    }

    /// What was typed of it, as it is sent.
    pub(super) fn typed(&self, matches: &ArgMatches) -> Option<String> {
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
