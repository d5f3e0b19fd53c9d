//! What both engines share below the methods of the store: one connection of either, the values that go into its statements and come out
//! of them, rows as facts, which rows could not be read, what is asked and how many calls of it failed.
//!
//! SQL is written once, in the dialect that both engines speak (`$1` parameters, `ON CONFLICT`, `RETURNING`); where they differ a statement
//! comes in two spellings ([`Session::spelled`]). sqlx's own `Any` driver was left aside: it knows no arrays, so no batches.

mod disk_fault;
mod operation;
pub(super) mod row;
mod session;
mod unreadable;
mod value;

pub(super) use disk_fault::DiskFault;
pub use operation::failures_by_operation;
pub(super) use operation::{Operation, counted};
pub(super) use session::{Keep, Session, Writes, within};
pub(crate) use unreadable::FACT;
pub(super) use unreadable::Unreadable;
pub(super) use value::{Column, Row, Value};
