//! `postcard` to and from a stream. Its own reader of streams wants a buffer that holds the longest text, whose size nobody knows before; and
//! it has no place for an error of the stream, which is kept beside it here.

use std::io::{Error, Read, Write};

use postcard::{Deserializer, de_flavors, ser_flavors};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ImageError;
use super::frames::{FrameReader, FrameWriter};

/// Writes a value.
pub fn write<T: Serialize + ?Sized>(value: &T, frames: &mut FrameWriter<'_>) -> Result<(), ImageError> {
    let mut failed = None;
    let written = postcard::serialize_with_flavor(value, Sink { frames, failed: &mut failed });
    written.map_err(|error| told(&error, failed))
}

/// Reads a value.
pub fn read<T: DeserializeOwned>(frames: &mut FrameReader<'_>) -> Result<T, ImageError> {
    let (mut taken, mut failed) = (Vec::new(), None);
    let source = Source { frames, taken: &mut taken, failed: &mut failed };
    T::deserialize(&mut Deserializer::from_flavor(source)).map_err(|error| told(&error, failed))
}

fn told(error: &postcard::Error, failed: Option<Error>) -> ImageError {
    failed.map_or_else(|| ImageError::Content(error.to_string()), ImageError::Io)
}

struct Sink<'s, 'f> {
    frames: &'s mut FrameWriter<'f>,
    failed: &'s mut Option<Error>,
}

impl ser_flavors::Flavor for Sink<'_, '_> {
    type Output = ();

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.frames.write_all(bytes).map_err(|error| {
            *self.failed = Some(error);
            postcard::Error::SerializeBufferFull
        })
    }

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

struct Source<'s, 'f> {
    frames: &'s mut FrameReader<'f>,
    /// The text or byte string that is being read, where it is in more than one frame.
    taken: &'s mut Vec<u8>,
    failed: &'s mut Option<Error>,
}

impl Source<'_, '_> {
    fn fail(&mut self, error: Error) -> postcard::Error {
        *self.failed = Some(error);
        postcard::Error::DeserializeUnexpectedEnd
    }
}

impl<'de, 's: 'de, 'f: 's> de_flavors::Flavor<'de> for Source<'s, 'f> {
    type Remainder = ();
    type Source = ();

    #[inline]
    fn pop(&mut self) -> postcard::Result<u8> {
        let mut byte = [0];
        self.frames.read_exact(&mut byte).map_err(|error| self.fail(error))?;
        Ok(byte[0])
    }

    /// Nothing can be borrowed from a stream: values that are read here own what they are made of.
    fn try_take_n(&mut self, _: usize) -> postcard::Result<&'de [u8]> {
        Err(postcard::Error::WontImplement)
    }

    fn try_take_n_temp<'t>(&'t mut self, bytes: usize) -> postcard::Result<&'t [u8]>
    where
        'de: 't,
    {
        if bytes <= self.frames.at_hand().len() {
            return Ok(self.frames.pass(bytes));
        }
        self.taken.clear();
        // Room is made for what comes, not for what a length says.
        match self.frames.by_ref().take(bytes as u64).read_to_end(self.taken) {
            Ok(read) if read == bytes => Ok(self.taken),
            Ok(_) => Err(postcard::Error::DeserializeUnexpectedEnd),
            Err(error) => Err(self.fail(error)),
        }
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
