//! A transcript of several files: the session's own and those of its subagents, read as one in the order of time.
//!
//! A session may have hundreds of subagents: a file is open only while there is something to be read from it.

use super::file_lines::{FileLine, FileLines};
use super::unreported_events::RunningCall;
use super::{TranscriptItem, TranscriptReader};
use backstory_memory::Timestamp;
use std::collections::VecDeque;
use std::io;
use std::path::Path;

/// Turns the rows of one file into items.
pub(crate) trait RowReader {
    /// Reads a row, and appends its items to `out`.
    fn read(&mut self, row: &str, out: &mut VecDeque<TranscriptItem>);

    /// Appends the items that are known only at the end of the file.
    fn end(&mut self, out: &mut VecDeque<TranscriptItem>);

    /// Whether rows that were read are needed to understand later ones.
    fn awaits_more(&self) -> bool {
        false
    }

    /// Returns the tool calls that have no result yet, where rows tell.
    fn running(&self) -> Vec<RunningCall> {
        Vec::new()
    }
}

/// One file, entry by entry.
pub(crate) struct FileReader<R> {
    lines: FileLines,
    rows: R,
    ready: VecDeque<TranscriptItem>,
    is_over: bool,
}

impl<R: RowReader> FileReader<R> {
    pub(crate) fn open(path: &Path, rows: R) -> io::Result<FileReader<R>> {
        Ok(FileReader { lines: FileLines::open(path)?, rows, ready: VecDeque::new(), is_over: false })
    }

    /// Returns the next item without consuming it.
    fn peek(&mut self) -> Option<&TranscriptItem> {
        while self.ready.is_empty() && !self.is_over {
            match self.lines.next_line() {
                Some(FileLine::Text(row)) => self.rows.read(&row, &mut self.ready),
                Some(FileLine::TooLong) => {
                    self.ready.push_back(TranscriptItem::Unreadable("a line too long"));
                }
                None => {
                    self.is_over = true;
                    self.rows.end(&mut self.ready);
                }
            }
        }
        self.ready.front()
    }

    /// Returns the time of the next item. One that cannot be read comes first.
    fn next_at(&mut self) -> Option<Timestamp> {
        self.peek().map(|item| match item {
            TranscriptItem::Entry(entry) => entry.at,
            TranscriptItem::Unreadable(_) => Timestamp(i64::MIN),
        })
    }
}

impl<R: RowReader> Iterator for FileReader<R> {
    type Item = TranscriptItem;

    fn next(&mut self) -> Option<TranscriptItem> {
        self.peek()?;
        self.ready.pop_front()
    }
}

impl<R: RowReader> TranscriptReader for FileReader<R> {
    fn bytes_read(&self) -> u64 {
        self.lines.bytes()
    }
}

/// A file that is opened when its first entry is next.
pub(crate) struct SubagentFile<'a, R> {
    pub(crate) began: Timestamp,
    pub(crate) path: &'a Path,
    pub(crate) rows: R,
}

/// Several files, entry by entry.
pub(crate) struct MergedFiles<'a, R> {
    own: FileReader<R>,
    /// The last is the next to begin.
    waiting: Vec<SubagentFile<'a, R>>,
    open: Vec<FileReader<R>>,
    /// The bytes of the files that were read to their end.
    bytes: u64,
}

impl<'a, R: RowReader> MergedFiles<'a, R> {
    pub(crate) fn new(own: FileReader<R>, mut beside: Vec<SubagentFile<'a, R>>) -> MergedFiles<'a, R> {
        beside.sort_by(|one, other| (other.began, other.path).cmp(&(one.began, one.path)));
        MergedFiles { own, waiting: beside, open: Vec::new(), bytes: 0 }
    }

    /// Returns the open file with the earliest entry, and its time. Files that are read to their end are closed.
    fn next_open(&mut self) -> Option<(Timestamp, usize)> {
        let is_over = |file: &mut FileReader<R>| file.peek().is_none();
        self.bytes += self.open.extract_if(.., is_over).map(|file| file.bytes_read()).sum::<u64>();
        let nexts = self.open.iter_mut().enumerate();
        nexts.filter_map(|(number, file)| file.next_at().map(|at| (at, number))).min()
    }
}

impl<R: RowReader> Iterator for MergedFiles<'_, R> {
    type Item = TranscriptItem;

    fn next(&mut self) -> Option<TranscriptItem> {
        let own = self.own.next_at();
        loop {
            let open = self.next_open();
            let first = own.into_iter().chain(open.map(|(at, _)| at)).min();
            let begins = |next: &mut SubagentFile<'_, R>| first.is_none_or(|first| next.began <= first);
            if let Some(next) = self.waiting.pop_if(begins) {
                match FileReader::open(next.path, next.rows) {
                    Ok(file) => self.open.push(file),
                    Err(_) => return Some(TranscriptItem::Unreadable("a file beside it")),
                }
                continue;
            }
            // A subagent's closing message comes before the result its parent gets.
            return match open {
                Some((at, number)) if own.is_none_or(|own| at <= own) => {
                    self.open.get_mut(number).and_then(Iterator::next)
                }
                _ => self.own.next(),
            };
        }
    }
}

impl<R: RowReader> TranscriptReader for MergedFiles<'_, R> {
    fn bytes_read(&self) -> u64 {
        self.bytes + self.own.bytes_read() + self.open.iter().map(TranscriptReader::bytes_read).sum::<u64>()
    }
}
