//! JSON lines: one record a line, read leniently and written exactly.

use crate::error::RecordError;
use crate::record::MemoryRecord;
use std::io::{self, BufRead, Read, Write};

/// A longer line is no memory.
const MAX_LINE_BYTES: u64 = 16 << 20;

/// Reads records, and counts lines and bytes.
pub(crate) struct JsonlReader<R> {
    reader: R,
    line: Vec<u8>,
    number: u64,
    bytes_read: u64,
}

impl<R: BufRead> JsonlReader<R> {
    pub(crate) fn new(reader: R) -> JsonlReader<R> {
        JsonlReader { reader, line: Vec::new(), number: 0, bytes_read: 0 }
    }

    /// Returns the number of the last line, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Reads the next line that is not blank; nothing at the end.
    pub(crate) fn next_record(&mut self) -> io::Result<Option<Result<MemoryRecord, RecordError>>> {
        loop {
            self.line.clear();
            let read = self.reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut self.line)? as u64;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.bytes_read += read;
            if read == MAX_LINE_BYTES && self.line.last() != Some(&b'\n') {
                self.bytes_read += self.reader.skip_until(b'\n')? as u64;
                return Ok(Some(Err(RecordError::TooLong)));
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some(parse(&self.line)));
            }
        }
    }
}

fn parse(line: &[u8]) -> Result<MemoryRecord, RecordError> {
    let text = std::str::from_utf8(line)?;
    MemoryRecord::parse(text.trim_start_matches('\u{feff}'))
}

/// Writes a record as one line.
pub(crate) fn write_record(out: &mut dyn Write, record: &MemoryRecord) -> io::Result<()> {
    writeln!(out, "{}", serde_json::to_string(record)?)
}
