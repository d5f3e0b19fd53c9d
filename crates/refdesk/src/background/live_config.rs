//! The configuration in force, one for all tasks of a desk: what one of them reads anew, the others follow, and one that is started again
//! begins with it.

use std::sync::Arc;

use tokio::sync::watch;

use crate::config::Config;

/// The configuration in force. Cheap to clone; all clones are one.
#[derive(Debug, Clone)]
pub struct LiveConfig(Arc<watch::Sender<Arc<Config>>>);

impl LiveConfig {
    /// What is in force at the start.
    pub fn new(config: Config) -> Self {
        Self(Arc::new(watch::Sender::new(Arc::new(config))))
    }

    /// What is in force.
    pub fn get(&self) -> Arc<Config> {
        Arc::clone(&self.0.borrow())
    }

    /// Puts one in force that was made of what was `seen`. It gives way when another was put in force since.
    pub fn replace(&self, seen: &Arc<Config>, config: Config) {
        self.0.send_if_modified(|now| {
            let is_seen = Arc::ptr_eq(now, seen);
            if is_seen {
                *now = Arc::new(config);
            }
            is_seen
        });
    }

    /// Follows it from now on.
    pub fn follow(&self) -> FollowedConfig {
        FollowedConfig { changes: self.0.subscribe(), seen: self.get(), live: self.clone() }
    }
}

/// The configuration as one of its followers has seen it last.
#[derive(Debug)]
pub struct FollowedConfig {
    live: LiveConfig,
    seen: Arc<Config>,
    changes: watch::Receiver<Arc<Config>>,
}

impl FollowedConfig {
    /// What was seen last.
    pub fn seen(&self) -> &Config {
        &self.seen
    }

    /// What is in force, when that is another one than was seen last.
    pub fn newer(&mut self) -> Option<Arc<Config>> {
        let now = self.live.get();
        (!Arc::ptr_eq(&now, &self.seen)).then(|| {
            self.seen = Arc::clone(&now);
            now
        })
    }

    /// Waits until another one is put in force.
    pub async fn changed(&mut self) {
        // It lives as long as this.
        if self.changes.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Puts one in force that was made of what was seen last. It gives way when another was put in force since.
    pub fn replace(&self, config: Config) {
        self.live.replace(&self.seen, config);
    }

    /// The one that all tasks share.
    pub const fn live(&self) -> &LiveConfig {
        &self.live
    }
}
