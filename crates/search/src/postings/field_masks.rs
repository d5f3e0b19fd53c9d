//! The field mask of every posting (in which fields the document has the term), dictionary-encoded to 4 bits: nearly all postings have one
//! of a few combinations of fields. Read to explain hits, never while documents are scored, so it is kept apart from the postings.

use refdesk_core::codec::packed;
use serde::{Deserialize, Serialize};

/// Masks with a code of their own; the next code is the escape for all others.
const CODES: usize = 15;

/// See the [module](self).
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct FieldMasks {
    /// The most frequent masks, by code.
    frequent: Vec<u8>,
    /// A code for each posting, two in a byte.
    #[serde(with = "packed")]
    codes: Box<[u8]>,
    /// Postings with an escaped mask, sorted: (posting, mask).
    #[serde(with = "packed")]
    escaped: Box<[(u32, u8)]>,
}

impl FieldMasks {
    /// Encodes the mask of each posting.
    pub(crate) fn new(masks: &[u8]) -> Self {
        let mut counts = [0_u32; 256];
        masks.iter().for_each(|mask| counts[usize::from(*mask)] += 1);
        let mut frequent: Vec<u8> = (0..=u8::MAX).filter(|mask| counts[usize::from(*mask)] > 0).collect();
        frequent.sort_by_key(|mask| u32::MAX - counts[usize::from(*mask)]);
        frequent.truncate(CODES);
        let mut code_of = [CODES as u8; 256];
        for (code, mask) in (0..).zip(&frequent) {
            code_of[usize::from(*mask)] = code;
        }
        let code = |mask: &u8| code_of[usize::from(*mask)];
        let codes = masks.chunks(2).map(|pair| code(&pair[0]) | pair.get(1).map_or(0, code) << 4).collect();
        let escaped = (0..).zip(masks).filter(|(_, mask)| usize::from(code(mask)) == CODES);
        Self { frequent, codes, escaped: escaped.map(|(posting, mask)| (posting, *mask)).collect() }
    }

    /// The mask of a posting; 0 in an index without fields.
    pub(crate) fn get(&self, posting: usize) -> u8 {
        let Some(pair) = self.codes.get(posting / 2) else { return 0 };
        let code = pair >> (posting % 2 * 4) & 0xf;
        self.frequent.get(usize::from(code)).copied().unwrap_or_else(|| {
            let found = self.escaped.binary_search_by_key(&(posting as u32), |(other, _)| *other);
            found.map_or(0, |at| self.escaped[at].1)
        })
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.codes.len() + self.escaped.len() * size_of::<(u32, u8)>()
    }
}

#[cfg(test)]
mod tests {
    use super::FieldMasks;

    #[test]
    fn every_mask_is_decoded_as_it_was_encoded() {
        let rare = (0..=u8::MAX).collect::<Vec<_>>();
        let masks: Vec<u8> = [vec![3; 100], rare, vec![64; 101], vec![0; 7]].concat();
        for some in [&masks[..], &masks[..463], &masks[..1], &[]] {
            let encoded = FieldMasks::new(some);
            assert!((0..some.len()).all(|posting| encoded.get(posting) == some[posting]));
        }
        assert_eq!(FieldMasks::new(&masks).escaped.len(), 256 - 15);
        assert_eq!(FieldMasks::default().get(0), 0);
    }
}
