//! When the facts of a segment were last confirmed, kept apart from it. A sync that finds nothing new only confirms: the segment's bytes
//! stay, and so do its name and the copies of it on other machines; the table of times beside it is all that is new.
//!
//! Most facts of a source are confirmed in the same pass, so the table has the few distinct times, and for each fact which of them.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::columns::Codes;
use refdesk_core::codec::packed::Packed;
use refdesk_core::fact::Confirmed;
use refdesk_core::{Stamp, cooperative};

/// When each fact of a segment was last taken and last verified, by the place of its evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Times {
    distinct: Vec<Confirmed>,
    codes: Codes,
}

impl FromIterator<Confirmed> for Times {
    fn from_iter<I: IntoIterator<Item = Confirmed>>(times: I) -> Self {
        let mut numbers = BTreeMap::new();
        let mut met = Vec::new();
        for times in times {
            let next = numbers.len() as u32;
            met.push(*numbers.entry(times).or_insert(next));
        }
        Self::numbered(numbers, met)
    }
}

impl Times {
    /// The table of facts that have these numbers; it numbers times by their order, so that equal facts give equal tables.
    fn numbered(numbers: BTreeMap<Confirmed, u32>, mut codes: Vec<u32>) -> Self {
        let mut ordered = vec![0; numbers.len()];
        for (number, place) in numbers.values().zip(0..) {
            ordered[*number as usize] = place;
        }
        codes.iter_mut().for_each(|code| *code = ordered[*code as usize]);
        Self { distinct: numbers.into_keys().collect(), codes: Codes::new(&codes) }
    }

    /// Number of facts.
    pub const fn len(&self) -> usize {
        self.codes.len()
    }

    /// True when there is no fact.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The times of a fact.
    pub fn get(&self, slot: u32) -> Confirmed {
        self.distinct[self.number(slot) as usize]
    }

    /// Which of the distinct times are those of a fact.
    fn number(&self, slot: u32) -> u32 {
        self.codes.get(slot)
    }

    /// Adds the times of facts, by place, to a hash.
    pub fn add_to(&self, hasher: &mut Sha256) {
        for Confirmed { last_synced_at, last_verified_at } in &self.distinct {
            // A moment that is not there differs from every one that is.
            let verified = last_verified_at.map_or([0; 9], |at| {
                let mut bytes = [1; 9];
                bytes[1..].copy_from_slice(&at.0.to_le_bytes());
                bytes
            });
            hasher.update(last_synced_at.0.to_le_bytes());
            hasher.update(verified);
        }
        cooperative::yielding(0..self.len() as u32).for_each(|slot| hasher.update(self.number(slot).to_le_bytes()));
    }
}

/// Characters of a written time.
pub const TIME_CHARS: usize = 20;

refdesk_core::closed_set! {
    /// One of the two times of a fact, by its name in rows.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Which {
        /// [`Confirmed::last_synced_at`].
        Synced => "last_synced_at",
        /// [`Confirmed::last_verified_at`].
        Verified => "last_verified_at",
    }
}

/// Where a row shows one of the times of a fact. A segment has two of these for each row and each offer, so they are small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownTime {
    start: u32,
    /// The place of the fact's evidence doubled, and one more for [`Which::Verified`].
    code: u32,
}

impl ShownTime {
    /// A time of the fact whose evidence is at `slot`, when a row ends with it as a JSON text that begins at `start`. A time that is not
    /// known stays so until the fact itself is another.
    pub fn within(row: &[u8], start: u32, slot: u32, which: Which) -> Option<Self> {
        let is_shown = row.len() == start as usize + TIME_CHARS + 2;
        is_shown.then(|| Self { start: start + 1, code: slot << 1 | u32::from(which == Which::Verified) })
    }

    /// The same time in a text in which the row begins at `offset`.
    #[must_use]
    pub const fn behind(self, offset: u32) -> Self {
        Self { start: self.start + offset, ..self }
    }

    /// Where it is.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + TIME_CHARS
    }

    /// Place of the fact's evidence.
    pub const fn slot(self) -> u32 {
        self.code >> 1
    }

    const fn which(self) -> Which {
        if self.code & 1 == 0 { Which::Synced } else { Which::Verified }
    }
}

impl Packed for ShownTime {
    const BYTES: usize = <(u32, u32)>::BYTES;

    fn pack(&self, out: &mut Vec<u8>) {
        (self.start, self.code).pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        let (start, code) = Packed::unpack(bytes);
        Self { start, code }
    }
}

/// The times of a table, written.
#[derive(Debug)]
pub struct WrittenTimes<'a> {
    times: &'a Times,
    /// For each distinct pair of them both.
    texts: Vec<[[u8; TIME_CHARS]; 2]>,
}

impl<'a> WrittenTimes<'a> {
    /// Writes the times of a table.
    pub fn new(times: &'a Times) -> Self {
        let both =
            |times: &Confirmed| [times.last_synced_at, times.last_verified_at.unwrap_or_default()].map(Stamp::written);
        Self { times, texts: times.distinct.iter().map(both).collect() }
    }

    /// The text of a time that is shown.
    pub fn of(&self, shown: ShownTime) -> &[u8; TIME_CHARS] {
        &self.texts[self.times.number(shown.slot()) as usize][shown.which() as usize]
    }
}

/// What stands where a row shows a time, while it has none.
pub const BLANK_TIME: [u8; TIME_CHARS] = *b"0000-00-00T00:00:00Z";

/// The facts that one pass confirmed, as a manifest lists them.
#[derive(Serialize, Deserialize)]
struct Pass {
    #[serde(flatten)]
    times: Confirmed,
    /// Places of the facts, as ranges: `0-411,413`.
    facts: String,
}

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut ranges: Vec<Vec<Range<u32>>> = vec![Vec::new(); self.distinct.len()];
        for slot in 0..self.len() as u32 {
            let of_pass = &mut ranges[self.number(slot) as usize];
            match of_pass.last_mut().filter(|last| last.end == slot) {
                Some(last) => last.end += 1,
                None => of_pass.push(slot..slot + 1),
            }
        }
        let written = |range: &Range<u32>| match range.len() {
            1 => range.start.to_string(),
            _ => format!("{}-{}", range.start, range.end - 1),
        };
        let passes = self.distinct.iter().zip(&ranges).map(|(times, ranges)| Pass {
            times: *times,
            facts: ranges.iter().map(written).collect::<Vec<_>>().join(","),
        });
        serializer.collect_seq(passes)
    }
}

impl<'de> Deserialize<'de> for Times {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let passes = Vec::<Pass>::deserialize(deserializer)?;
        let (mut numbers, mut ranges) = (BTreeMap::new(), Vec::new());
        for Pass { times, facts } in passes {
            let next = numbers.len() as u32;
            let number = *numbers.entry(times).or_insert(next);
            for range in facts.split(',').filter(|range| !range.is_empty()) {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let place = |text: &str| text.parse::<u32>().map_err(serde::de::Error::custom);
                ranges.push((place(first)?, place(last)?, number));
            }
        }
        ranges.sort_unstable();
        let mut codes = Vec::new();
        for (first, last, number) in ranges {
            // A table with a gap, or with a fact twice, is none.
            if first as usize != codes.len() || !(first..FACTS_MAX).contains(&last) {
                return Err(serde::de::Error::custom(format!("times of facts do not go on at {}", codes.len())));
            }
            codes.resize(last as usize + 1, number);
        }
        Ok(Self::numbered(numbers, codes))
    }
}

/// Most facts that a table is believed to have, so that a damaged one asks for no endless memory.
const FACTS_MAX: u32 = 1 << 28;
