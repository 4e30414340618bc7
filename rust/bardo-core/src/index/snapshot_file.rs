//! Format of a snapshot file: arrays as they are in memory, values by postcard, and a checksum over the whole file at
//! the end. No data may be used before [`Reader::finish`] has verified the checksum.

use std::io::{self, Read, Write};

use bytemuck::Pod;
use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::Xxh3;

/// Bytes of a length or of the checksum.
const NUMBER_BYTES: u64 = 8;

/// Writes the parts of a snapshot in order.
pub(crate) struct Writer<W: Write> {
    to: W,
    checksum: Xxh3,
}

impl<W: Write> Writer<W> {
    /// Starts a file with a magic number that readers check.
    pub fn new(to: W, mark: &[u8]) -> io::Result<Self> {
        let mut writer = Self { to, checksum: Xxh3::new() };
        writer.bytes(mark)?;
        Ok(writer)
    }

    /// Writes an array.
    pub fn array<T: Pod>(&mut self, numbers: &[T]) -> io::Result<()> {
        self.bytes(&(numbers.len() as u64).to_ne_bytes())?;
        self.bytes(bytemuck::cast_slice(numbers))
    }

    /// Writes any other value.
    pub fn value<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        self.array(&postcard::to_stdvec(value).map_err(io::Error::other)?)
    }

    /// Writes the checksum.
    pub fn finish(mut self) -> io::Result<W> {
        let checksum = self.checksum.digest();
        self.to.write_all(&checksum.to_ne_bytes())?;
        Ok(self.to)
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.update(bytes);
        self.to.write_all(bytes)
    }
}

/// Reads the parts of a snapshot in the order in which they were written.
pub(crate) struct Reader<R: Read> {
    from: R,
    /// Remaining bytes, so that no length allocates more memory than the file can fill.
    left: u64,
    checksum: Xxh3,
}

impl<R: Read> Reader<R> {
    /// Refuses a file that does not begin with the magic number.
    pub fn new(from: R, bytes: u64, mark: &[u8]) -> io::Result<Self> {
        let mut reader = Self { from, left: bytes, checksum: Xxh3::new() };
        let mut found = vec![0; mark.len()];
        reader.bytes(&mut found)?;
        if found != mark {
            return Err(io::Error::other(
                "it was written by another version of bardo or on another kind of machine",
            ));
        }
        Ok(reader)
    }

    /// Reads an array.
    pub fn array<T: Pod>(&mut self) -> io::Result<Vec<T>> {
        let mut length = [0; NUMBER_BYTES as usize];
        self.bytes(&mut length)?;
        let length = u64::from_ne_bytes(length);
        if length.checked_mul(size_of::<T>() as u64).is_none_or(|bytes| bytes > self.left) {
            return Err(io::Error::other("a part is longer than the file"));
        }
        let mut numbers = vec![T::zeroed(); length as usize];
        self.bytes(bytemuck::cast_slice_mut(&mut numbers))?;
        Ok(numbers)
    }

    /// Reads any other value.
    pub fn value<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        let bytes = self.array::<u8>()?;
        match postcard::from_bytes(&bytes) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.why(io::Error::other(error))),
        }
    }

    /// Finds the cause of an unreadable part: nearly always the file was damaged.
    fn why(&mut self, error: io::Error) -> io::Error {
        let mut rest = vec![0; usize::try_from(self.left.saturating_sub(NUMBER_BYTES)).unwrap_or(0)];
        let checked = self.bytes(&mut rest).and_then(|()| self.check());
        checked.err().unwrap_or(error)
    }

    /// Verifies the checksum; refuses a damaged file.
    pub fn finish(mut self) -> io::Result<()> {
        self.check()
    }

    fn check(&mut self) -> io::Result<()> {
        let expected = self.checksum.digest();
        let mut found = [0; NUMBER_BYTES as usize];
        self.bytes(&mut found)?;
        if u64::from_ne_bytes(found) != expected || self.left != 0 {
            return Err(io::Error::other("its checksum does not agree"));
        }
        Ok(())
    }

    fn bytes(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.from.read_exact(bytes)?;
        self.left = self.left.saturating_sub(bytes.len() as u64);
        self.checksum.update(bytes);
        Ok(())
    }
}
