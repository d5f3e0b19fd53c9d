//! Pointers from one answer to another: the paths of REST that warnings name, and what they ask for. Other surfaces say them in their own words.

use std::borrow::Cow;
use std::fmt;

/// Where an answer is that is not this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pointer<'a> {
    /// A framework, by its id.
    Framework(Cow<'a, str>),
    /// The prices of all sellers of a model.
    Cost {
        /// Its id.
        model: Cow<'a, str>,
        /// Tokens that go in.
        input: Cow<'a, str>,
        /// Tokens that come out, if any are asked for.
        output: Option<Cow<'a, str>>,
        /// How often, if more than once.
        requests: Option<Cow<'a, str>>,
    },
}

const FRAMEWORK: &str = "/v1/frameworks/";
const COST: &str = "/v1/cost?model=";
const INPUT: &str = "&input_tokens=";
const OUTPUT: &str = "&output_tokens=";
const REQUESTS: &str = "&requests=";

impl<'a> Pointer<'a> {
    /// Reads a word of a warning; none where it is no such path.
    pub fn parse(word: &'a str) -> Option<Self> {
        if let Some(id) = word.strip_prefix(FRAMEWORK) {
            return Some(Self::Framework(id.into()));
        }
        let (model, rest) = word.strip_prefix(COST)?.split_once(INPUT)?;
        let (rest, requests) = split(rest, REQUESTS);
        let (input, output) = split(rest, OUTPUT);
        Some(Self::Cost { model: model.into(), input: input.into(), output, requests })
    }

    /// A warning in which every pointer is told in other words.
    pub fn told(warning: &str, tell: impl Fn(Pointer<'_>) -> String) -> String {
        let words =
            warning.split(' ').map(|word| Pointer::parse(word).map_or(Cow::Borrowed(word), |it| tell(it).into()));
        words.collect::<Vec<_>>().join(" ")
    }
}

fn split<'a>(text: &'a str, parameter: &str) -> (&'a str, Option<Cow<'a, str>>) {
    text.split_once(parameter).map_or((text, None), |(before, value)| (before, Some(value.into())))
}

/// The path of REST.
impl fmt::Display for Pointer<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Framework(id) => write!(out, "{FRAMEWORK}{id}"),
            Self::Cost { model, input, output, requests } => {
                write!(out, "{COST}{model}{INPUT}{input}")?;
                for (parameter, value) in [(OUTPUT, output), (REQUESTS, requests)] {
                    if let Some(value) = value {
                        write!(out, "{parameter}{value}")?;
                    }
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pointer;

    #[test]
    fn a_path_is_read_as_it_was_written() {
        for path in [
            "/v1/frameworks/premortem",
            "/v1/cost?model=o3&input_tokens=1M",
            "/v1/cost?model=o3&input_tokens=2000&output_tokens=500&requests=10000",
        ] {
            assert_eq!(Pointer::parse(path).unwrap().to_string(), path);
        }
        assert_eq!(Pointer::parse("/v1/models/list"), None);
        assert_eq!(Pointer::told("look at /v1/frameworks/x now", |_| "y".to_owned()), "look at y now");
    }
}
