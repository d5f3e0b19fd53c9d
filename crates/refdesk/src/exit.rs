//! How a command ends.

use std::process::ExitCode;

/// How a command ends, as a script sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Found or done.
    Done,
    /// A question found nothing: no hit, no row, no such item, no conflict. Or a check found something. What only tells how the desk stands
    /// (`sources`, `keys list`) is done also where there is nothing.
    NotFound,
    /// An error. What would change something fails also where nothing has the name.
    Failed,
}

impl Exit {
    /// How a question or a check ends: done where it found what was asked for, or nothing that is wrong.
    pub const fn of_answer(is_found: bool) -> Self {
        if is_found { Self::Done } else { Self::NotFound }
    }
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
