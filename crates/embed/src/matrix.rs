//! The vectors of all passages in one block, scanned whole: below 100,000 items an approximate index is not worth its errors.

use super::vector::{Code, dot};

/// What a passage is of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Its name and description or the beginning of its text.
    Own,
    /// One of its tools, commands or example questions.
    Part,
}

/// Cosines of one item to a question, by the role of its passages; 0 where it has none or the cosine is below 0.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Likeness {
    /// Of the item itself.
    pub own: f32,
    /// Of its best part: a tool, a command, an example question.
    pub part: f32,
}

/// The vectors of passages, ordered by item.
#[derive(Debug, Clone, Default)]
pub struct Matrix {
    dimensions: usize,
    values: Vec<i8>,
    scales: Vec<f32>,
    /// Item and role of each row.
    owners: Vec<(u32, Role)>,
}

impl Matrix {
    /// Without rows yet, and with room for this many.
    pub fn with_capacity(dimensions: usize, rows: usize) -> Self {
        Self {
            dimensions,
            values: Vec::with_capacity(rows * dimensions),
            scales: Vec::with_capacity(rows),
            owners: Vec::with_capacity(rows),
        }
    }

    /// Adds a row. Rows come in the order of their items, so ordinals never fall; a code of another length is left out.
    pub fn push(&mut self, ordinal: u32, role: Role, code: &Code) {
        debug_assert!(self.owners.last().is_none_or(|(last, _)| *last <= ordinal), "rows come in the order of items");
        if code.values().len() == self.dimensions {
            self.values.extend_from_slice(code.values());
            self.scales.push(code.scale());
            self.owners.push((ordinal, role));
        }
    }

    /// Number of rows.
    pub const fn len(&self) -> usize {
        self.scales.len()
    }

    /// True without rows.
    pub const fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Every wanted item with its likeness to the query, by ordinal.
    pub fn likenesses(&self, query: &Code, wanted: impl Fn(u32) -> bool) -> Vec<(u32, Likeness)> {
        let mut out: Vec<(u32, Likeness)> = Vec::new();
        if query.values().len() != self.dimensions || self.dimensions == 0 {
            return out;
        }
        // Whether the last item is wanted: rows of one item stand together.
        let mut last = (u32::MAX, false);
        for ((row, scale), (ordinal, role)) in
            self.values.chunks_exact(self.dimensions).zip(&self.scales).zip(&self.owners)
        {
            if last.0 != *ordinal {
                last = (*ordinal, wanted(*ordinal));
                if last.1 {
                    out.push((*ordinal, Likeness::default()));
                }
            }
            if let (true, Some((_, likeness))) = (last.1, out.last_mut()) {
                let score = dot(row, query.values()) as f32 * scale * query.scale();
                match role {
                    Role::Own => likeness.own = likeness.own.max(score),
                    Role::Part => likeness.part = likeness.part.max(score),
                }
            }
        }
        out
    }

    /// The cosine of each wanted item's best passage, in the order of the ordinals.
    pub fn cosines(&self, query: &Code, wanted: impl Fn(u32) -> bool) -> Vec<(u32, f32)> {
        let likenesses = self.likenesses(query, wanted);
        likenesses.into_iter().map(|(ordinal, likeness)| (ordinal, likeness.own.max(likeness.part))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Likeness, Matrix, Role};
    use crate::Code;

    #[test]
    fn an_item_is_as_near_as_its_best_passage() {
        let mut matrix = Matrix::with_capacity(2, 8);
        for (ordinal, role, vector) in [
            (0, Role::Own, [1.0, 0.0]),
            (1, Role::Own, [0.0, 1.0]),
            (1, Role::Part, [0.8, 0.6]),
            (2, Role::Own, [0.6, 0.8]),
            (3, Role::Own, [1.0, 0.0]),
            (4, Role::Own, [-1.0, 0.0]),
        ] {
            matrix.push(ordinal, role, &Code::quantize(&vector));
        }
        matrix.push(5, Role::Own, &Code::quantize(&[1.0]));
        assert_eq!(matrix.len(), 6, "a vector of another model is left out");
        let query = Code::quantize(&[1.0, 0.0]);
        let cosines = matrix.cosines(&query, |ordinal| ordinal != 3);
        assert_eq!(cosines.iter().map(|(ordinal, _)| *ordinal).collect::<Vec<_>>(), [0, 1, 2, 4], "in their order");
        for ((_, cosine), expected) in cosines.iter().zip([1.0, 0.8, 0.6, 0.0]) {
            assert!((cosine - expected).abs() < 0.01, "{cosines:?}");
        }
        let all = matrix.likenesses(&query, |ordinal| ordinal == 1);
        assert_eq!(all.len(), 1);
        let Likeness { own, part } = all[0].1;
        assert!(own.abs() < 1e-6 && (part - 0.8).abs() < 0.01, "{own} {part}");
        assert!(matrix.cosines(&Code::quantize(&[1.0]), |_| true).is_empty(), "a query of another model finds nothing");
    }
}
