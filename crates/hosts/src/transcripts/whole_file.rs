//! A transcript that is one JSON value: its long list is read element by element, so that only one is held.

use super::merged_files::RowReader;
use super::{TranscriptItem, TranscriptReader};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// A longer element is skipped, as a longer line is.
const LONGEST_ELEMENT: usize = 32 << 20;

/// How much is kept of what stands around the list.
const LONGEST_HEAD: usize = 1 << 16;

/// The elements of one list, read as rows. The fields before the list are the first row.
pub(crate) struct WholeFileReader<R> {
    file: BufReader<File>,
    cutter: ElementCutter,
    rows: R,
    ready: VecDeque<TranscriptItem>,
    bytes: u64,
    is_over: bool,
}

impl<R: RowReader> WholeFileReader<R> {
    /// Opens a file whose object holds a list of this name.
    pub(crate) fn open(path: &Path, list: &'static str, rows: R) -> io::Result<WholeFileReader<R>> {
        // A pipe of this name would block.
        if !path.metadata()?.is_file() {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        let file = BufReader::with_capacity(1 << 18, File::open(path)?);
        let cutter = ElementCutter::new(list);
        Ok(WholeFileReader { file, cutter, rows, ready: VecDeque::new(), bytes: 0, is_over: false })
    }

    fn read_on(&mut self) {
        let (cutter, rows, out) = (&mut self.cutter, &mut self.rows, &mut self.ready);
        let read = self.file.fill_buf().map_or(0, |bytes| {
            bytes.iter().position(|byte| cutter.take(*byte)).map_or(bytes.len(), |at| at + 1)
        });
        self.file.consume(read);
        self.bytes += read as u64;
        if read == 0 {
            self.is_over = true;
            cutter.end();
        }
        for piece in cutter.cut.drain(..) {
            match piece {
                Some(text) => rows.read(&String::from_utf8_lossy(&text), out),
                None => out.push_back(TranscriptItem::Unreadable("a line too long")),
            }
        }
        if self.is_over {
            rows.end(out);
        }
    }
}

impl<R: RowReader> Iterator for WholeFileReader<R> {
    type Item = TranscriptItem;

    fn next(&mut self) -> Option<TranscriptItem> {
        while self.ready.is_empty() && !self.is_over {
            self.read_on();
        }
        self.ready.pop_front()
    }
}

impl<R: RowReader> TranscriptReader for WholeFileReader<R> {
    fn bytes_read(&self) -> u64 {
        self.bytes
    }
}

/// Cuts a value into the elements of its list, byte by byte.
struct ElementCutter {
    list: &'static str,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// The last string of the object itself: the name of the field that follows.
    name: Vec<u8>,
    /// Whether the list is being read.
    in_list: bool,
    head: Option<Vec<u8>>,
    element: Vec<u8>,
    cut: Vec<Option<Vec<u8>>>,
}

impl ElementCutter {
    fn new(list: &'static str) -> ElementCutter {
        ElementCutter {
            list,
            depth: 0,
            in_string: false,
            is_escaped: false,
            name: Vec::new(),
            in_list: false,
            head: Some(Vec::new()),
            element: Vec::new(),
            cut: Vec::new(),
        }
    }

    /// Takes a byte. Returns whether it completes an element.
    fn take(&mut self, byte: u8) -> bool {
        let was_in_string = self.in_string;
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_string => self.is_escaped = true,
            b'"' => self.in_string = !self.in_string,
            b'{' | b'[' if !self.in_string => return self.open(byte),
            b'}' | b']' if !self.in_string => return self.close(byte),
            _ => {}
        }
        self.keep(byte);
        if self.depth == 1 && self.in_string {
            if was_in_string {
                self.name.push(byte);
            } else {
                self.name.clear();
            }
            self.name.truncate(LONGEST_HEAD);
        }
        false
    }

    fn open(&mut self, byte: u8) -> bool {
        self.depth += 1;
        if self.depth == 2 && byte == b'[' && self.name == self.list.as_bytes() {
            self.in_list = true;
            self.cut.extend(self.head.take().map(Some));
            return true;
        }
        self.keep(byte);
        false
    }

    fn close(&mut self, byte: u8) -> bool {
        self.keep(byte);
        self.depth = self.depth.saturating_sub(1);
        if self.in_list && self.depth == 2 {
            let element = std::mem::take(&mut self.element);
            self.cut.push((element.len() <= LONGEST_ELEMENT).then_some(element));
            return true;
        }
        self.in_list &= self.depth >= 2;
        false
    }

    fn keep(&mut self, byte: u8) {
        if self.in_list {
            // One byte more than the limit marks the element as too long.
            if self.depth > 2 && self.element.len() <= LONGEST_ELEMENT {
                self.element.push(byte);
            }
        } else if self.depth <= 1
            && let Some(head) = self.head.as_mut().filter(|head| head.len() < LONGEST_HEAD)
        {
            head.push(byte);
        }
    }

    /// Returns the rest of a cut file, which may be the beginning of an element.
    fn end(&mut self) {
        let rest = if self.in_list { std::mem::take(&mut self.element) } else { Vec::new() };
        self.cut.extend(self.head.take().map(Some));
        self.cut.extend(Some(rest).filter(|rest| !rest.is_empty()).map(Some));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let mut cutter = ElementCutter::new("items");
        for byte in text.bytes() {
            cutter.take(byte);
        }
        cutter.end();
        cutter.cut.into_iter().map(|piece| String::from_utf8(piece.unwrap()).unwrap()).collect()
    }

    #[test]
    fn a_list_is_split_into_its_elements() {
        let text = r#"{"a": "x", "other": [{"b": 1}], "items": [ {"c": "]}\"{"}, {"d": [{"e": {}}]} ], "z": {"items": [{}]}}"#;
        assert_eq!(
            cut(text),
            [r#"{"a": "x", "other": , "items": "#, r#"{"c": "]}\"{"}"#, r#"{"d": [{"e": {}}]}"#]
        );
    }

    #[test]
    fn a_cut_list_is_read_up_to_the_cut() {
        assert_eq!(
            cut(r#"{"items": [{"a": 1}, {"b": "wor"#),
            [r#"{"items": "#, r#"{"a": 1}"#, r#"{"b": "wor"#]
        );
        assert_eq!(cut(r#"{"a": 1}"#), [r#"{"a": 1"#.to_owned() + "}"]);
        assert_eq!(cut("]]}}{"), ["]]}}{"]);
    }
}
