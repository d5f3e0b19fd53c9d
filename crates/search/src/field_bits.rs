//! In which fields a unit has a term, for every posting of an index, in half a byte: nearly all postings have one of a few
//! combinations of fields. Read for hits alone, never while units are scored.

use refdesk_core::codec::packed;
use serde::{Deserialize, Serialize};

/// Combinations that have a number; the number behind them stands for all others.
const NUMBERED: usize = 15;

/// See the module.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct FieldBits {
    /// The most frequent combinations, as bits.
    frequent: Vec<u8>,
    /// A number for each posting, two in a byte.
    #[serde(with = "packed")]
    numbers: Box<[u8]>,
    /// Postings with other combinations, in their order.
    #[serde(with = "packed")]
    others: Box<[(u32, u8)]>,
}

impl FieldBits {
    /// Keeps the bits of each posting.
    pub(super) fn of(bits: &[u8]) -> Self {
        let mut counts = [0_u32; 256];
        bits.iter().for_each(|bits| counts[usize::from(*bits)] += 1);
        let mut frequent: Vec<u8> = (0..=u8::MAX).filter(|bits| counts[usize::from(*bits)] > 0).collect();
        frequent.sort_by_key(|bits| u32::MAX - counts[usize::from(*bits)]);
        frequent.truncate(NUMBERED);
        let mut number_of = [NUMBERED as u8; 256];
        for (number, bits) in (0..).zip(&frequent) {
            number_of[usize::from(*bits)] = number;
        }
        let number = |bits: &u8| number_of[usize::from(*bits)];
        let numbers = bits.chunks(2).map(|two| number(&two[0]) | two.get(1).map_or(0, number) << 4).collect();
        let others = (0..).zip(bits).filter(|(_, bits)| usize::from(number(bits)) == NUMBERED);
        Self { frequent, numbers, others: others.map(|(posting, bits)| (posting, *bits)).collect() }
    }

    /// The bits of a posting; 0 where none are kept.
    pub(super) fn get(&self, posting: usize) -> u8 {
        let Some(two) = self.numbers.get(posting / 2) else { return 0 };
        let number = two >> (posting % 2 * 4) & 0xf;
        self.frequent.get(usize::from(number)).copied().unwrap_or_else(|| {
            let other = self.others.binary_search_by_key(&(posting as u32), |(other, _)| *other);
            other.map_or(0, |at| self.others[at].1)
        })
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.numbers.len() + self.others.len() * size_of::<(u32, u8)>()
    }
}

#[cfg(test)]
mod tests {
    use super::FieldBits;

    #[test]
    fn every_posting_has_its_bits_again() {
        let rare = (0..=u8::MAX).collect::<Vec<_>>();
        let bits: Vec<u8> = [vec![3; 100], rare, vec![64; 101], vec![0; 7]].concat();
        for some in [&bits[..], &bits[..463], &bits[..1], &[]] {
            let kept = FieldBits::of(some);
            assert!((0..some.len()).all(|posting| kept.get(posting) == some[posting]));
        }
        assert_eq!(FieldBits::of(&bits).others.len(), 256 - 15);
        assert_eq!(FieldBits::default().get(0), 0);
    }
}
