//! The pages that are of no kind: the first page, search, questions about several items, where facts come from, how to connect.

pub(crate) mod collections;
pub(crate) mod compare;
pub(crate) mod conflicts;
pub(crate) mod connect;
pub(crate) mod crawlers;
pub(crate) mod docs;
pub(crate) mod evidence;
pub(crate) mod home;
pub(crate) mod problem;
pub(crate) mod router;
pub(crate) mod search;
pub(crate) mod sources;
