//! The protocol without its methods: strict JSON-RPC, versions and headers of the eras, cursors of paged lists.

pub(super) mod cursor;
pub(super) mod era;
pub(super) mod request;
pub(super) mod rpc;
