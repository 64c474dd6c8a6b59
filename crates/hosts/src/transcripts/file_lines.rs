//! The lines of a transcript, one by one. A line longer than anything a host writes is skipped without being held.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// A longer line is skipped. What a tool printed may stand in a line three times.
const LONGEST_LINE: u64 = 32 << 20;

/// A file read line by line.
pub(crate) struct FileLines {
    file: BufReader<File>,
    line: Vec<u8>,
    bytes: u64,
}

/// The next line.
pub(crate) enum FileLine<'a> {
    /// A line with something in it, without its end. What is no UTF-8 has been replaced.
    Text(Cow<'a, str>),
    TooLong,
}

impl FileLines {
    pub(crate) fn open(path: &Path) -> io::Result<FileLines> {
        // A pipe of this name would block.
        if !path.metadata()?.is_file() {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        Ok(FileLines {
            file: BufReader::with_capacity(1 << 18, File::open(path)?),
            line: Vec::new(),
            bytes: 0,
        })
    }

    /// Returns the next line that is not empty. A file that cannot be read on has no more lines.
    pub(crate) fn next_line(&mut self) -> Option<FileLine<'_>> {
        loop {
            self.line.clear();
            let read = (&mut self.file).take(LONGEST_LINE).read_until(b'\n', &mut self.line).ok()?;
            if read == 0 {
                return None;
            }
            self.bytes += read as u64;
            if read as u64 == LONGEST_LINE && self.line.last() != Some(&b'\n') {
                self.bytes += self.file.skip_until(b'\n').ok()? as u64;
                self.line = Vec::new();
                return Some(FileLine::TooLong);
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        let line = self.line.trim_ascii();
        // Replacing invalid bytes is slower than finding that there are none.
        Some(FileLine::Text(
            str::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed),
        ))
    }

    /// Returns how much has been read.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Whether a line can be a whole row. One that was being written when its writer died is not.
pub(crate) fn is_whole(line: &str) -> bool {
    line.starts_with('{') && line.ends_with('}')
}
