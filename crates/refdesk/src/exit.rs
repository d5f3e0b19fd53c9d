//! How a command ends.

use std::process::ExitCode;

/// How a command ends, as a script sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Found or done.
    Done,
    /// Nothing found, or a check found something.
    NotFound,
    /// An error.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::NotFound => 1,
            Exit::Failed => 2,
        })
    }
}
