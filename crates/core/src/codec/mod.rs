//! How derived data is kept on disk, so that a start need not make it again: its parts in the `postcard` format in checked [`frames`], long
//! lists of numbers packed ([`packed`]), many texts as one ([`TextList`]). Whoever writes an image puts the number of its format into it.

mod bisect;
mod frames;
pub mod packed;
mod stream;
mod text_list;

use std::io::{Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use bisect::partition_point;
pub use packed::List;
pub use text_list::TextList;

use frames::{FrameReader, FrameWriter};

/// Why an image could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The file could not be read or written, or its bytes are damaged.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The bytes are whole but something else than the reader expects.
    #[error("not the expected content: {0}")]
    Content(String),
}

/// Writes the parts of an image, one after the other.
pub struct ImageWriter<'a>(FrameWriter<'a>);

impl<'a> ImageWriter<'a> {
    /// An image that goes to `out`.
    pub const fn new(out: &'a mut dyn Write) -> Self {
        Self(FrameWriter::new(out))
    }

    /// Adds a part.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put<T: Serialize + ?Sized>(&mut self, part: &T) -> Result<(), ImageError> {
        stream::write(part, &mut self.0)
    }

    /// Ends the image; without that it counts as damaged.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<(), ImageError> {
        Ok(self.0.finish()?)
    }
}

/// Reads the parts of an image in the order in which they were written.
pub struct ImageReader<'a>(FrameReader<'a>);

impl<'a> ImageReader<'a> {
    /// The image that comes from `input`.
    pub const fn new(input: &'a mut dyn Read) -> Self {
        Self(FrameReader::new(input))
    }

    /// The next part.
    ///
    /// # Errors
    /// When it cannot be read, is damaged or something else.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<T, ImageError> {
        stream::read(&mut self.0)
    }

    /// Makes sure that the image ends here.
    ///
    /// # Errors
    /// When there is more, or the end is missing.
    pub fn finish(self) -> Result<(), ImageError> {
        Ok(self.0.finish()?)
    }
}
