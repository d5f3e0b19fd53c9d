//! A listing that comes in pages, each of which names the cursor of the next.

use std::collections::BTreeSet;

use crate::connectors::ParseError;

/// The pages of a listing that came so far.
pub struct Pages {
    count: usize,
    most: usize,
    cursors: BTreeSet<String>,
}

impl Pages {
    /// None yet, of a listing that has at most so many.
    pub const fn new(most: usize) -> Self {
        Self { count: 0, most, cursors: BTreeSet::new() }
    }

    /// Counts a page, and gives back the cursor of the next that it names, if any.
    ///
    /// # Errors
    /// When the listing goes on and on, or comes back to a page.
    pub fn add(&mut self, next: Option<String>) -> Result<Option<String>, ParseError> {
        self.count += 1;
        let Some(cursor) = next else { return Ok(None) };
        let fault = if self.count >= self.most {
            format!("the listing goes on after {} pages; its paging seems not to end", self.most)
        } else if self.cursors.insert(cursor.clone()) {
            return Ok(Some(cursor));
        } else {
            format!("the cursor `{cursor}` came a second time; the paging runs in a circle")
        };
        Err(ParseError::new(fault))
    }

    /// Whether no page came.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// What the request for the next page is called.
    pub fn next_tag(&self) -> String {
        format!("page {}", self.count + 1)
    }
}
