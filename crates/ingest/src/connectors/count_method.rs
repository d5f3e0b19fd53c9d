//! How the items of an upstream are counted without its connector: what [`crate::census`] does, as each connector declares it.

/// How the items of a connector are counted.
#[derive(Debug, Clone, Copy)]
pub enum CountMethod {
    /// Keys or elements of a JSON answer.
    Json(JsonRule),
    /// Entries of a repository's tarball.
    Tarball(TarballRule),
    /// Lines of a text.
    Lines(LineRule),
}

/// A step down into a JSON value.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// To the value of this key.
    Key(&'static str),
    /// To every value of the object.
    Every,
}

/// Where the items stand.
#[derive(Debug, Clone, Copy)]
pub enum JsonRule {
    /// They are the keys of the object there; in place of an object that is missing stands one item.
    Keys(&'static [Step]),
    /// They are the elements of the list there, in every answer; without steps of the answer itself.
    Elements(&'static [Step]),
    /// The same, in the first answer only.
    FirstAnswer(&'static [Step]),
    /// `servers`, or a bare list, in the answers to the listing.
    Registry,
}

/// What is an item of the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TarballRule {
    /// Every entry.
    Files,
    /// Every entry, and what the marketplaces list: plugins and skills.
    Skills,
    /// Every entry, and the rows of the tables of methods.
    Tables,
    /// Every entry, and the elements of the tables of descriptions.
    Patterns,
    /// Files that may be cards.
    Cards,
    /// Entries of the registry, and tutorials that it does not name.
    Cookbook,
    /// Pages that toctrees list, and tutorials that none lists.
    Toctrees,
    /// Servers and their tools.
    Servers,
    /// YAML files below the folder.
    Entries,
}

/// What a line must be to be an item.
#[derive(Debug, Clone, Copy)]
pub enum LineRule {
    /// A bullet, a numbered item, or a row of a table with a link.
    Bullets,
    /// A line with a link, in the first answer; the text itself is one more.
    LinksOfIndex,
}
