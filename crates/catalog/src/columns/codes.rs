//! The numbers of a column's values, in as few bytes a row as the highest needs.

use serde::{Deserialize, Serialize};

use refdesk_core::codec::packed;

/// A number a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Codes {
    /// Below 2⁸.
    One(#[serde(with = "packed")] Vec<u8>),
    /// Below 2¹⁶.
    Two(#[serde(with = "packed")] Vec<u16>),
    /// Below 2³².
    Four(#[serde(with = "packed")] Vec<u32>),
}

impl Default for Codes {
    fn default() -> Self {
        Self::One(Vec::new())
    }
}

/// Runs the same code for each width.
macro_rules! each_width {
    ($codes:expr, $list:ident => $do:expr) => {
        match $codes {
            Codes::One($list) => $do,
            Codes::Two($list) => $do,
            Codes::Four($list) => $do,
        }
    };
}

#[expect(clippy::useless_conversion, reason = "the code is the same for each width")]
impl Codes {
    /// Packs numbers.
    #[expect(clippy::cast_possible_truncation, reason = "the width is that of the highest")]
    pub fn new(codes: &[u32]) -> Self {
        match codes.iter().max().copied().unwrap_or_default() {
            0..=0xff => Self::One(codes.iter().map(|code| *code as u8).collect()),
            0x100..=0xffff => Self::Two(codes.iter().map(|code| *code as u16).collect()),
            _ => Self::Four(codes.to_vec()),
        }
    }

    /// Number of rows.
    pub const fn len(&self) -> usize {
        each_width!(self, codes => codes.len())
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        each_width!(self, codes => size_of_val(codes.as_slice()))
    }

    /// The highest number.
    pub fn max(&self) -> u32 {
        each_width!(self, codes => codes.iter().max().map_or(0, |code| u32::from(*code)))
    }

    /// The number of a row.
    pub fn get(&self, row: u32) -> u32 {
        each_width!(self, codes => u32::from(codes[row as usize]))
    }

    /// Keeps those of some rows whose number is accepted.
    pub fn retain(&self, rows: &mut Vec<u32>, is_accepted: impl Fn(u32) -> bool) {
        each_width!(self, codes => rows.retain(|row| is_accepted(u32::from(codes[*row as usize]))));
    }

    /// Calls `each` with the number of each of some rows.
    pub fn for_each(&self, rows: &[u32], mut each: impl FnMut(u32)) {
        each_width!(self, codes => rows.iter().for_each(|row| each(u32::from(codes[*row as usize]))));
    }
}
