//! What happens when something that this crate wrote itself cannot be read again. A segment on disk has a checksum and is checked when it is
//! read, so this is a defect of the program, and no value in place of what is lost would be true.

use std::fmt::Display;

/// Ends the work at hand: the server answers a request that panics with a 500, and a build that panics is no generation. Nothing else in
/// this crate panics on purpose.
#[cold]
#[expect(clippy::panic, reason = "no value in place of what is lost would be true")]
pub fn broken(what: &str, why: impl Display) -> ! {
    panic!("{what}: {why}; this is a defect of refdesk")
}
