//! The targets of links: a path of the desk and its parameters, of which a link changes some.

use refdesk_core::Kind;

/// A path below the root of the desk, with parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    path: String,
    pairs: Vec<(String, String)>,
}

impl Target {
    /// A path that is encoded already.
    pub(crate) fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), pairs: Vec::new() }
    }

    /// The page of an item.
    pub(crate) fn item(kind: Kind, id: &str) -> Self {
        Self::below(kind.path_segment(), id)
    }

    /// The page of something that has an id.
    pub(crate) fn below(segment: &str, id: &str) -> Self {
        Self::new(format!("/{segment}/{}", percent_encoding::utf8_percent_encode(id, &IN_PATH)))
    }

    /// The page of an evidence record, told of which item it is asked.
    pub(crate) fn evidence(key: &str, kind: Kind, id: &str) -> Self {
        Self::below("evidence", key).with("kind", kind.path_segment()).with("id", id)
    }

    /// With the parameters that were sent, but the blank ones that a form sends for what was left open.
    pub(crate) fn with_pairs<'p>(mut self, pairs: impl IntoIterator<Item = (&'p str, &'p str)>) -> Self {
        let filled = pairs.into_iter().filter(|(_, value)| !value.trim().is_empty());
        self.pairs.extend(filled.map(|(name, value)| (name.to_owned(), value.to_owned())));
        self
    }

    /// The same path under another one, with the same parameters.
    pub(crate) fn at(&self, path: impl Into<String>) -> Self {
        Self { path: path.into(), pairs: self.pairs.clone() }
    }

    /// The path alone.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Whether it has no parameters.
    pub(crate) fn is_plain(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The first value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.pairs().find(|(sent, _)| *sent == name).map(|(_, value)| value)
    }

    /// Whether a flag is set, in either spelling.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        matches!(self.get(name), Some("true" | "1"))
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Without a parameter.
    pub(crate) fn without(&self, name: &str) -> Self {
        let mut without = self.clone();
        without.pairs.retain(|(sent, _)| sent != name);
        without
    }

    /// With one value for a parameter.
    pub(crate) fn with(&self, name: &str, value: impl Into<String>) -> Self {
        let mut with = self.without(name);
        with.pairs.push((name.to_owned(), value.into()));
        with
    }

    /// What stands in `href`, below the root of the desk.
    pub(crate) fn href(&self) -> String {
        if self.pairs.is_empty() {
            return self.path.clone();
        }
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(self.pairs()).finish();
        [&self.path, "?", &query].concat()
    }
}

/// What a segment of a path cannot hold as it is (RFC 3986, `pchar`); `/` stays, because ids of upstreams have it.
const IN_PATH: percent_encoding::AsciiSet = percent_encoding::NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/')
    .remove(b':')
    .remove(b'@');

#[cfg(test)]
mod tests {
    use super::Target;
    use refdesk_core::Kind;

    #[test]
    fn links_change_one_parameter_and_keep_the_others() {
        let sent = [("vendor", "A&B"), ("q", " "), ("limit", "5")];
        let target = Target::new("/models").with_pairs(sent);
        assert_eq!(target.href(), "/models?vendor=A%26B&limit=5", "what a form leaves open is left out");
        assert_eq!(target.with("vendor", "C").href(), "/models?limit=5&vendor=C");
        assert_eq!(target.without("vendor").without("limit").href(), "/models");
    }

    #[test]
    fn ids_of_any_spelling_stay_in_their_path() {
        for (id, path) in [
            ("anthropic/claude", "/models/anthropic/claude"),
            ("a b?c#d", "/models/a%20b%3Fc%23d"),
            ("100%", "/models/100%25"),
            ("\u{202e}x", "/models/%E2%80%AEx"),
        ] {
            assert_eq!(Target::item(Kind::Model, id).href(), path);
        }
    }
}
