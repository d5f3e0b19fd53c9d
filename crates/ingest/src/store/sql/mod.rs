//! What both engines share below the methods of the store: one connection of either, the values that go into its statements and come out
//! of them, rows as facts, which rows could not be read, and how many calls failed.
//!
//! SQL is written once, in the dialect that both engines speak (`$1` parameters, `ON CONFLICT`, `RETURNING`); where they differ a statement
//! comes in two spellings ([`Session::spelled`]). sqlx's own `Any` driver was left aside: it knows no arrays, so no batches.

mod failures;
pub(super) mod row;
mod session;
mod unreadable;
mod value;

pub(super) use failures::counted;
pub use failures::failures_by_operation;
pub(super) use session::{Keep, Session, Writes, within};
pub(crate) use unreadable::FACT;
pub(super) use unreadable::Unreadable;
pub(super) use value::{Column, Row, Value};
