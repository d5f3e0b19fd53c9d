//! Which of the generations that all nodes know of this one shows. The node publishes in one place after the other: what took longer to be
//! fetched than it took the node to become the leader and make the next does not take that back.

use std::sync::{Arc, Mutex};

use refdesk_core::parallel::locked;

/// The id of the generation that is shown; 0 while it is one of the node's own. Cheap to clone.
#[derive(Clone, Default)]
pub struct Shown(Arc<Mutex<i64>>);

impl Shown {
    /// That id.
    pub fn id(&self) -> i64 {
        *locked(&self.0)
    }

    /// The node begins with this generation.
    pub fn begin(&self, id: i64) {
        *locked(&self.0) = id;
    }

    /// The database went back behind what is shown: the newest that it knows is taken up, whatever its id.
    pub fn go_back_to(&self, newest: i64) {
        let mut shown = locked(&self.0);
        *shown = (*shown).min(newest.saturating_sub(1)).max(0);
    }

    /// Publishes a generation that this node has just told the others: it is the newest, whatever was shown before.
    pub fn publish_own(&self, id: i64, publish: impl FnOnce()) {
        let mut shown = locked(&self.0);
        publish();
        *shown = id;
    }

    /// Lets a generation be published, unless one of a higher id is shown.
    pub fn publish(&self, id: i64, publish: impl FnOnce()) {
        let mut shown = locked(&self.0);
        if id < *shown {
            tracing::info!(generation = id, shown = *shown, "a newer generation is shown");
            return;
        }
        publish();
        *shown = id;
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;

    #[test]
    fn a_generation_that_comes_late_does_not_replace_a_newer_one() {
        let (shown, mut published) = (Shown::default(), Vec::new());
        for id in [3, 5, 4, 5, 6] {
            shown.publish(id, || published.push(id));
        }
        assert_eq!((published, shown.id()), (vec![3, 5, 5, 6], 6));
    }

    #[test]
    fn after_the_database_went_back_its_newest_generation_is_shown() {
        let (shown, mut published) = (Shown::default(), Vec::new());
        shown.begin(38);
        shown.publish(37, || published.push(37));
        shown.go_back_to(37);
        shown.publish(37, || published.push(37));
        assert_eq!((&published, shown.id()), (&vec![37], 37), "a follower");
        shown.begin(40);
        shown.publish_own(38, || published.push(38));
        assert_eq!((published, shown.id()), (vec![37, 38], 38), "who leads");
    }
}
