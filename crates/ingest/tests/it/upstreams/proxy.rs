//! A TCP proxy between a test and a server, which can swallow everything without a word: a black hole, as a firewall or a dead machine is.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

pub struct Proxy {
    pub address: SocketAddr,
    swallows: Arc<AtomicBool>,
    accepted: Arc<AtomicUsize>,
}

impl Proxy {
    /// Stands before a server.
    pub async fn before(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let swallows = Arc::new(AtomicBool::new(false));
        let swallowing = Arc::clone(&swallows);
        let accepted = Arc::new(AtomicUsize::new(0));
        let accepting = Arc::clone(&accepted);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                accepting.fetch_add(1, Ordering::SeqCst);
                let Ok(server) = TcpStream::connect(&server).await else { continue };
                let ((client_in, client_out), (server_in, server_out)) = (client.into_split(), server.into_split());
                tokio::spawn(pass(client_in, server_out, Arc::clone(&swallowing)));
                tokio::spawn(pass(server_in, client_out, Arc::clone(&swallowing)));
            }
        });
        Self { address, swallows, accepted }
    }

    /// How many connections were made so far.
    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    /// Whether nothing comes through from now on, over connections that are open as over new ones.
    pub fn swallow(&self, swallows: bool) {
        self.swallows.store(swallows, Ordering::SeqCst);
    }
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, swallowing: Arc<AtomicBool>) {
    let mut bytes = vec![0; 1 << 16];
    let mut is_lost = false;
    while let Ok(length) = from.read(&mut bytes).await {
        // What was swallowed once does not come after all.
        is_lost |= swallowing.load(Ordering::SeqCst);
        if length == 0 {
            break;
        }
        if !is_lost && to.write_all(&bytes[..length]).await.is_err() {
            break;
        }
    }
}
