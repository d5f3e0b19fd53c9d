//! Long lists of numbers as byte strings: `#[serde(with = "crate::codec::packed")]`. Element by element they would take several
//! times as long to read.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde::ser::{SerializeSeq as _, Serializer};
use serde::{Deserialize, Serialize};
use serde_bytes::Bytes;

use crate::cooperative;

/// Something of a fixed number of bytes.
pub trait Packed: Sized {
    /// How many.
    const BYTES: usize;
    /// Appends them.
    fn pack(&self, out: &mut Vec<u8>);
    /// The value of so many bytes.
    fn unpack(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Packed for $number {
            const BYTES: usize = size_of::<$number>();

            fn pack(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn unpack(bytes: &[u8]) -> Self {
                Self::from_le_bytes(std::array::from_fn(|at| bytes[at]))
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 f32);

impl<T: Packed, const N: usize> Packed for [T; N] {
    const BYTES: usize = T::BYTES * N;

    fn pack(&self, out: &mut Vec<u8>) {
        for part in self {
            part.pack(out);
        }
    }

    fn unpack(bytes: &[u8]) -> Self {
        std::array::from_fn(|at| T::unpack(&bytes[at * T::BYTES..(at + 1) * T::BYTES]))
    }
}

impl<A: Packed, B: Packed> Packed for (A, B) {
    const BYTES: usize = A::BYTES + B::BYTES;

    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
    }

    fn unpack(bytes: &[u8]) -> Self {
        let (first, second) = bytes.split_at(A::BYTES);
        (A::unpack(first), B::unpack(second))
    }
}

/// Elements in one byte string; a list is as many strings as it needs.
const STRING_ELEMENTS: usize = 1 << 16;

/// Writes a list.
///
/// # Errors
/// When it cannot be written.
pub fn serialize<T: Packed, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let strings = list.chunks(STRING_ELEMENTS);
    let mut seq = serializer.serialize_seq(Some(strings.len()))?;
    let mut packed = Vec::with_capacity(STRING_ELEMENTS.min(list.len()) * T::BYTES);
    for some in strings {
        packed.clear();
        some.iter().for_each(|element| element.pack(&mut packed));
        cooperative::yield_now();
        seq.serialize_element(Bytes::new(&packed))?;
    }
    seq.end()
}

/// Reads a list.
///
/// # Errors
/// When it cannot be read.
pub fn deserialize<'de, T: Packed, C: From<Vec<T>>, D: Deserializer<'de>>(deserializer: D) -> Result<C, D::Error> {
    let mut list: Vec<T> = Vec::new();
    deserializer.deserialize_seq(Strings(&mut list))?;
    Ok(C::from(list))
}

/// A list that is no field.
#[derive(Debug)]
pub struct List<L>(pub L);

impl<T: Packed> Serialize for List<&[T]> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

impl<'de, T: Packed> Deserialize<'de> for List<Vec<T>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(Self)
    }
}

/// Takes the byte strings of a list. What reads them knows no more of the elements, so it is compiled once for all of them.
trait Unpack {
    /// Makes room for so many strings.
    fn reserve(&mut self, strings: usize);
    /// Adds the elements of one.
    fn unpack(&mut self, string: &[u8]);
}

impl<T: Packed> Unpack for Vec<T> {
    fn reserve(&mut self, strings: usize) {
        // A damaged length may ask for more room than there is; reading fails then, because the elements do not come.
        let _ = self.try_reserve(strings.saturating_mul(STRING_ELEMENTS));
    }

    fn unpack(&mut self, string: &[u8]) {
        self.extend(string.chunks_exact(T::BYTES).map(T::unpack));
    }
}

struct Strings<'a>(&'a mut dyn Unpack);

impl<'de> Visitor<'de> for Strings<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of byte strings")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        if let Some(strings) = seq.size_hint().filter(|strings| *strings > 1) {
            self.0.reserve(strings);
        }
        while seq.next_element_seed(OneString(self.0))?.is_some() {}
        Ok(())
    }
}

/// Unpacks a byte string where the reader has it, without a copy.
struct OneString<'a>(&'a mut dyn Unpack);

impl<'de> DeserializeSeed<'de> for OneString<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_byte_buf(self)
    }
}

impl Visitor<'_> for OneString<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a byte string")
    }

    fn visit_bytes<E: serde::de::Error>(self, string: &[u8]) -> Result<(), E> {
        self.0.unpack(string);
        Ok(())
    }
}
