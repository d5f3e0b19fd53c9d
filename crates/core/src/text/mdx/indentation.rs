//! What the children of components are indented by. MDX knows no indented code; in Markdown it would be code.

use std::ops::Range;

use super::Edit;
use super::scan::Found;

/// A component that is open at a line.
struct Block {
    end: usize,
    /// What its lines lose, in blanks.
    loses: usize,
}

/// The blanks that lines lose, as edits in order of the text.
pub(super) fn edits(text: &str, found: &Found) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut open: Vec<Block> = Vec::new();
    let Some(first) = found.blocks.first() else { return edits };
    let (mut blocks, mut at) = (found.blocks.iter().peekable(), first.start);
    while at < text.len() && (blocks.peek().is_some() || !open.is_empty()) {
        open.retain(|block| block.end > at);
        while let Some(range) = blocks.next_if(|range| range.start <= at) {
            if !range.is_empty() {
                let block = block(text, found, range, open.last());
                open.push(block);
            }
        }
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        let blanks = blanks(&text[at..end]).min(open.last().map_or(0, |block| block.loses));
        if blanks > 0 && !is_inside_place(found, at) {
            edits.push(Edit { range: at..at + blanks, text: String::new() });
        }
        at = end;
    }
    edits
}

/// What the lines of a block lose: what they are indented by beyond its tags, whose own line loses what its parent's lines do.
fn block(text: &str, found: &Found, range: &Range<usize>, parent: Option<&Block>) -> Block {
    let mut least = usize::MAX;
    let mut at = range.start;
    for line in text[range.clone()].split_inclusive('\n') {
        if !line.trim().is_empty() && !is_inside(&found.code, at) && !is_inside_place(found, at) {
            least = least.min(blanks(line));
        }
        at += line.len();
    }
    let target = blanks(&text[range.end..]).saturating_sub(parent.map_or(0, |parent| parent.loses));
    Block { end: range.end, loses: if least == usize::MAX { 0 } else { least.saturating_sub(target) } }
}

fn blanks(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn is_inside(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.start <= at)
}

/// Whether a line goes on with a tag that began above.
fn is_inside_place(found: &Found, at: usize) -> bool {
    let next = found.places.partition_point(|place| place.range.end <= at);
    found.places.get(next).is_some_and(|place| place.range.start < at)
}
