//! Refuses new handshakes on a listening socket, and keeps those under way.
//!
//! Closing a listening socket resets the clients in its queue, and one can come in between the last `accept` and the close: its connection was
//! made and its request sent. So the system is told first to drop the packets that begin a handshake.

use std::io;

use tokio::net::TcpListener;

/// Drops every packet with SYN and without ACK. A client that is dropped tries again after a second: it is then refused, or is taken by the
/// service that listens next. The filter sees packets from their TCP header on.
#[cfg(target_os = "linux")]
pub(super) fn refuse(listener: &TcpListener) -> io::Result<()> {
    use socket2::{SockFilter, SockRef};

    /// Offset of the flags in a TCP header (RFC 9293, section 3.1).
    const FLAGS: u32 = 13;
    const SYN: u32 = 0x02;
    const ACK: u32 = 0x10;
    // The instructions of a classic BPF program, as <linux/filter.h> numbers them.
    const LOAD_BYTE: u16 = 0x30;
    const AND: u16 = 0x54;
    const SKIP_UNLESS_EQUAL: u16 = 0x15;
    const KEEP_BYTES: u16 = 0x06;

    SockRef::from(listener).attach_filter(&[
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS),
        SockFilter::new(AND, 0, 0, SYN | ACK),
        SockFilter::new(SKIP_UNLESS_EQUAL, 0, 1, SYN),
        SockFilter::new(KEEP_BYTES, 0, 0, 0),
        SockFilter::new(KEEP_BYTES, 0, 0, u32::MAX),
    ])
}

/// Other systems have no such filter that works without privileges.
#[cfg(not(target_os = "linux"))]
pub(super) fn refuse(_: &TcpListener) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
