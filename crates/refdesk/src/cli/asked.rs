//! Flags and arguments that are parameters of REST: what is typed is sent under the parameter's name ([`parameter`]). The rows of each
//! command are in [`questions`](super::questions).

use std::marker::PhantomData;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::filters;
use super::flag::Flag;
use super::parameters::parameter;

/// A command that asks.
pub(super) trait Question: Clone {
    /// Its flags, in the order of its help.
    const FLAGS: &[&[Flag]];
    /// Whether the filters of the fields are flags of it, too.
    const HAS_FILTERS: bool;
}

/// What was typed for a command, as REST names it.
#[derive(Debug, Clone)]
pub struct Asked<Q>(Vec<(String, String)>, PhantomData<Q>);

impl<Q> Asked<Q> {
    /// The value of a parameter, where it was typed.
    pub fn get(&self, parameter: &str) -> Option<&str> {
        self.pairs().into_iter().find(|(name, _)| *name == parameter).map(|(_, value)| value)
    }

    /// All of them.
    pub fn pairs(&self) -> Vec<(&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }
}

impl<Q: Question> Args for Asked<Q> {
    fn augment_args(command: Command) -> Command {
        let filters = Q::HAS_FILTERS.then(filters::args).into_iter().flatten();
        command.args(Q::FLAGS.concat().iter().map(Flag::arg)).args(filters)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<Q: Question> FromArgMatches for Asked<Q> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let own = Q::FLAGS.iter().copied().flatten();
        let own = own.filter_map(|flag| Some((parameter(flag.0), flag.typed(matches)?)));
        let filters = Q::HAS_FILTERS.then(|| filters::typed(matches)).into_iter().flatten();
        Ok(Self(own.chain(filters).collect(), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
