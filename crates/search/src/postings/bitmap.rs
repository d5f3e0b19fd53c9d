//! Bitmaps over the items of a segment, and the filter made of them (Lucene keeps its live docs likewise).

/// A set of items of one segment, one bit each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bitmap(Vec<u64>);

impl Bitmap {
    /// Whether an item is in the set.
    pub fn contains(&self, item: u32) -> bool {
        self.0.get(item as usize / 64).is_some_and(|word| word >> (item % 64) & 1 == 1)
    }

    /// Adds an item.
    pub fn insert(&mut self, item: u32) {
        let word = item as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (item % 64);
    }

    /// Its items, rising.
    pub fn items(&self) -> impl Iterator<Item = u32> {
        self.0.iter().zip(0_u32..).flat_map(|(word, at)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < u64::BITS).then_some(at * u64::BITS + bit)
            })
        })
    }

    /// Its bits, 64 items a word, the first item in the lowest bit.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// Number of items in the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// True when no item is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

impl FromIterator<u32> for Bitmap {
    fn from_iter<T: IntoIterator<Item = u32>>(items: T) -> Self {
        let mut bitmap = Self::default();
        items.into_iter().for_each(|item| bitmap.insert(item));
        bitmap
    }
}

/// Which items a query considers, by freshness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FreshnessFilter {
    Fresh,
    Stale,
    All,
}

/// Which items of a segment a query considers: by freshness, and only those of a set where there is one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ItemFilter<'a> {
    pub stale: &'a Bitmap,
    pub freshness: FreshnessFilter,
    pub only: Option<&'a Bitmap>,
}

impl ItemFilter<'_> {
    pub(crate) fn includes(self, item: u32) -> bool {
        let by_freshness = match self.freshness {
            FreshnessFilter::All => true,
            FreshnessFilter::Fresh => !self.stale.contains(item),
            FreshnessFilter::Stale => self.stale.contains(item),
        };
        by_freshness && self.only.is_none_or(|only| only.contains(item))
    }

    /// How many of a segment's items are left out, at most.
    pub(crate) fn left_out(self, items: usize) -> usize {
        let by_freshness = match self.freshness {
            FreshnessFilter::All => 0,
            FreshnessFilter::Fresh => self.stale.len(),
            FreshnessFilter::Stale => items - self.stale.len(),
        };
        by_freshness + self.only.map_or(0, |only| items - only.len())
    }
}
