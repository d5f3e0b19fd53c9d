//! What an answer says is odd about the request or about itself, and what to do about it. REST names a path; every other surface says the
//! same advice in its own calls, links or commands.

use std::fmt;

use serde::{Serialize, Serializer};

/// How REST advises to look at the member of an answer that has what may have been meant.
pub const SEE_SUGGESTIONS: &str = "; see `suggestions`";

/// Where REST says how the sources stand.
pub const SOURCES_PATH: &str = "/v1/sources/status";

/// A warning of an answer. As text and in JSON it is what REST says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What is odd. It may quote what was typed, so nobody looks for advice in it.
    pub text: String,
    /// What to do about it; it is said behind the text.
    pub advice: Option<Advice>,
}

/// What to do about a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advice {
    /// Look at the framework of this id.
    Framework(String),
    /// Describe this problem to the router of frameworks.
    Router(String),
    /// Ask for the prices of all sellers.
    Cost {
        /// The id of the model.
        model: String,
        /// Parameters of the question, such as `input_tokens`.
        usage: Vec<(&'static str, String)>,
    },
    /// Search for the words as they were typed; with how REST says it.
    AsTyped(&'static str),
    /// Send these parameters too, which leave out such items as the text names.
    LeaveOut(&'static [(&'static str, &'static str)]),
    /// Choose one of the answer's `suggestions`.
    Suggestions,
    /// Send another value for this field; the text names the nearest.
    OtherValue(&'static str),
    /// Look at the state of the sources.
    Sources,
}

impl Warning {
    /// A warning with advice.
    pub fn new(text: impl Into<String>, advice: Advice) -> Self {
        Self { text: text.into(), advice: Some(advice) }
    }

    /// As REST says it to who asks below `base`, such as `/c/team`: what its paths begin with.
    pub fn told(&self, base: &str) -> String {
        let advice = match &self.advice {
            Some(Advice::Framework(id)) => format!(" {base}/v1/frameworks/{id}"),
            Some(Advice::Router(_)) => format!(" {base}/v1/frameworks/route"),
            Some(Advice::Cost { model, usage }) => {
                let usage: String = usage.iter().map(|(name, value)| format!("&{name}={value}")).collect();
                format!(" {base}/v1/cost?model={model}{usage}")
            }
            Some(Advice::AsTyped(told)) => (*told).to_owned(),
            Some(Advice::LeaveOut(params)) => {
                let params: Vec<String> = params.iter().map(|(name, value)| format!("`{name}={value}`")).collect();
                format!(": add {} to leave such items out", params.join(" and "))
            }
            Some(Advice::Suggestions) => SEE_SUGGESTIONS.to_owned(),
            Some(Advice::Sources) => format!(" {SOURCES_PATH}"),
            Some(Advice::OtherValue(_)) | None => String::new(),
        };
        format!("{}{advice}", self.text)
    }
}

impl From<String> for Warning {
    fn from(text: String) -> Self {
        Self { text, advice: None }
    }
}

impl From<&str> for Warning {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.told(""))
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
