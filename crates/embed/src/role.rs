//! What a text that is encoded is of its item.

/// What a passage is of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Its name and description or the beginning of its text.
    Own,
    /// One of its tools, commands or example questions.
    Part,
}
