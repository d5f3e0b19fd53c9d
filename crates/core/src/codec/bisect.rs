//! Binary search over what lies in no slice, because it is packed: it is read by its position.

use std::ops::Range;

/// The first position of a range at which a test that holds first no longer does, or the end of the range.
pub fn partition_point(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let Range { start: mut low, end: mut high } = range;
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
