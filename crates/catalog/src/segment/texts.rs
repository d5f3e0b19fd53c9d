//! Texts that a segment keeps outside memory: the beginnings of bodies, of which nothing but snippets is cut.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A store of texts by place. The core does no I/O: whoever has files hands one in.
pub trait Texts: fmt::Debug + Send + Sync {
    /// Takes some bytes and tells where they are; `None` when it cannot take them, then they stay in memory.
    fn put(&mut self, bytes: &[u8]) -> Option<u64>;
    /// Some bytes from a place on; `None` when they cannot be read.
    fn get(&self, at: u64, bytes: usize) -> Option<Vec<u8>>;
    /// How many were put.
    fn bytes(&self) -> u64;
}

/// Bytes that are read at once of what may be long.
const PIECE: usize = 1 << 16;

/// Some bytes from a place on, piece by piece; `None` where one cannot be read.
pub fn pieces(texts: &dyn Texts, at: u64, bytes: u64) -> impl Iterator<Item = Option<Vec<u8>>> {
    let starts = (0..bytes).step_by(PIECE);
    starts.map(move |start| texts.get(at + start, (bytes - start).min(PIECE as u64) as usize))
}

/// Where a text is, with its checksum: what a disk made of it is never shown.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct TextPlace {
    at: u64,
    bytes: u32,
    crc: u32,
}

/// A text of an item.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub enum ItemText<'a> {
    /// In memory.
    Here(&'a str),
    /// Among the segment's [`Texts`].
    There(TextPlace),
}

impl<'a> ItemText<'a> {
    /// A text, put outside where that can be done.
    pub fn kept(text: &'a str, texts: &mut Option<Box<dyn Texts>>) -> Self {
        let place = texts.as_mut().and_then(|texts| texts.put(text.as_bytes()));
        place.map_or(Self::Here(text), |at| {
            Self::There(TextPlace { at, bytes: text.len() as u32, crc: crc32fast::hash(text.as_bytes()) })
        })
    }

    /// The text; `None` when it cannot be read.
    pub fn read(self, texts: Option<&dyn Texts>) -> Option<Cow<'a, str>> {
        match self {
            Self::Here(text) => Some(Cow::Borrowed(text)),
            Self::There(TextPlace { at, bytes, crc }) => {
                let bytes = texts?.get(at, bytes as usize).filter(|bytes| crc32fast::hash(bytes) == crc)?;
                String::from_utf8(bytes).ok().map(Cow::Owned)
            }
        }
    }
}
