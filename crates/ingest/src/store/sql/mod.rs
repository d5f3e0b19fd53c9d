//! What both engines share below the methods of the store: one connection of either, the values that go into its statements and come out
//! of them, rows as facts, and which rows could not be read.
//!
//! SQL is written once, in the dialect that both engines speak (`$1` parameters, `ON CONFLICT`, `RETURNING`); where they differ a statement
//! comes in two spellings ([`Session::spelled`]). sqlx's own `Any` driver was left aside: it knows no arrays, so no batches.

pub(super) mod row;
mod session;
mod unreadable;
mod value;

pub(super) use session::{Keep, Session, Writes, within};
pub(crate) use unreadable::FACT;
pub(super) use unreadable::Unreadable;
pub(super) use value::{Column, Row, Value};
