//! A record of several files: the session's own and those of its subagents, read as one in the order of time.
//!
//! A session may have hundreds of subagents: a file is open only while there is something to be read from it.

use super::lines::{Line, Lines};
use super::{Entries, Reading};
use backstory_memory::Timestamp;
use std::collections::VecDeque;
use std::io;
use std::path::Path;

/// What understands the rows of one file.
pub(crate) trait Rows {
    /// Understands a row: what it tells is put behind what was told.
    fn read(&mut self, row: &str, told: &mut VecDeque<Reading>);

    /// Tells what only the end of the file makes clear.
    fn end(&mut self, told: &mut VecDeque<Reading>);
}

/// One file, entry by entry.
pub(crate) struct FileEntries<R> {
    lines: Lines,
    rows: R,
    told: VecDeque<Reading>,
    is_over: bool,
}

impl<R: Rows> FileEntries<R> {
    pub(crate) fn open(path: &Path, rows: R) -> io::Result<FileEntries<R>> {
        Ok(FileEntries { lines: Lines::open(path)?, rows, told: VecDeque::new(), is_over: false })
    }

    /// Returns what is next, without going on.
    fn peek(&mut self) -> Option<&Reading> {
        while self.told.is_empty() && !self.is_over {
            match self.lines.next_line() {
                Some(Line::Text(row)) => self.rows.read(&row, &mut self.told),
                Some(Line::TooLong) => self.told.push_back(Reading::Unreadable("a line too long")),
                None => {
                    self.is_over = true;
                    self.rows.end(&mut self.told);
                }
            }
        }
        self.told.front()
    }

    /// Returns when what is next happened. What cannot be read is next at once.
    fn next_at(&mut self) -> Option<Timestamp> {
        self.peek().map(|reading| match reading {
            Reading::Entry(entry) => entry.at,
            Reading::Unreadable(_) => Timestamp(i64::MIN),
        })
    }
}

impl<R: Rows> Iterator for FileEntries<R> {
    type Item = Reading;

    fn next(&mut self) -> Option<Reading> {
        self.peek()?;
        self.told.pop_front()
    }
}

impl<R: Rows> Entries for FileEntries<R> {
    fn bytes_read(&self) -> u64 {
        self.lines.bytes()
    }
}

/// A file that is read once its time has come.
pub(crate) struct Beside<'a, R> {
    pub(crate) began: Timestamp,
    pub(crate) path: &'a Path,
    pub(crate) rows: R,
}

/// Several files, entry by entry.
pub(crate) struct Merged<'a, R> {
    own: FileEntries<R>,
    /// The last is the next to begin.
    waiting: Vec<Beside<'a, R>>,
    open: Vec<FileEntries<R>>,
    /// How much was read of files that are over.
    bytes: u64,
}

impl<'a, R: Rows> Merged<'a, R> {
    pub(crate) fn new(own: FileEntries<R>, mut beside: Vec<Beside<'a, R>>) -> Merged<'a, R> {
        beside.sort_by(|one, other| (other.began, other.path).cmp(&(one.began, one.path)));
        Merged { own, waiting: beside, open: Vec::new(), bytes: 0 }
    }

    /// Returns which of the open files is next, and when. Those that are over are let go.
    fn next_open(&mut self) -> Option<(Timestamp, usize)> {
        let is_over = |file: &mut FileEntries<R>| file.peek().is_none();
        self.bytes += self.open.extract_if(.., is_over).map(|file| file.bytes_read()).sum::<u64>();
        let nexts = self.open.iter_mut().enumerate();
        nexts.filter_map(|(number, file)| file.next_at().map(|at| (at, number))).min()
    }
}

impl<R: Rows> Iterator for Merged<'_, R> {
    type Item = Reading;

    fn next(&mut self) -> Option<Reading> {
        let own = self.own.next_at();
        loop {
            let open = self.next_open();
            let first = own.into_iter().chain(open.map(|(at, _)| at)).min();
            let begins = |next: &mut Beside<'_, R>| first.is_none_or(|first| next.began <= first);
            if let Some(next) = self.waiting.pop_if(begins) {
                match FileEntries::open(next.path, next.rows) {
                    Ok(file) => self.open.push(file),
                    Err(_) => return Some(Reading::Unreadable("a file beside it")),
                }
                continue;
            }
            // What a subagent closes with comes before what its parent is told of it.
            return match open {
                Some((at, number)) if own.is_none_or(|own| at <= own) => {
                    self.open.get_mut(number).and_then(Iterator::next)
                }
                _ => self.own.next(),
            };
        }
    }
}

impl<R: Rows> Entries for Merged<'_, R> {
    fn bytes_read(&self) -> u64 {
        self.bytes + self.own.bytes_read() + self.open.iter().map(Entries::bytes_read).sum::<u64>()
    }
}
