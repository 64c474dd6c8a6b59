//! What only a host's own transcript has: no hook reports that the user refused a tool, stopped the agent or typed while it worked.
//!
//! Read while the session runs, from where the last reading ended, and never much at once. Not here: where that place is kept.

use super::merged_files::RowReader;
use super::{HostTranscriptEntry, TranscriptItem};
use crate::{AgentEvent, Host};
use backstory_memory::Activity;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// How a transcript is read while its session runs.
#[derive(Clone, Copy)]
pub(crate) struct LiveTranscript {
    pub(crate) rows: fn(&Path) -> Box<dyn RowReader>,
    /// Whether hooks of the host may leave it out.
    pub(crate) is_unreported: fn(&Activity) -> bool,
}

/// What hooks left out, and how far the transcript was read for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnreportedEvents {
    /// The events, in order.
    pub entries: Vec<HostTranscriptEntry>,
    /// Where the next reading begins.
    pub read_to: u64,
    /// Whether the transcript goes on behind what was read.
    pub has_more: bool,
    /// The tool calls of the last turn without a result, as far as rows that are still read hold them.
    pub running: Vec<RunningCall>,
}

/// A tool call without a result yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningCall {
    /// A name that no other call of the host has.
    pub id: String,
    /// What it is to do, as an event.
    pub event: AgentEvent,
}

/// The most that is read at once.
const MOST_BYTES: u64 = 1 << 20;
/// Who is further behind than this goes on near the end: what happened long ago is not worth the time.
const FARTHEST_BEHIND: u64 = 16 << 20;
/// Rows are read again for the sake of a call without a result, as long as they are no more than this.
const MOST_READ_AGAIN: u64 = 256 << 10;

impl Host {
    /// Reads what a transcript has got since `from` and hooks leave out; `None` where it has not grown, or hooks leave out nothing.
    pub fn unreported_events(self, transcript: &Path, from: u64) -> io::Result<Option<UnreportedEvents>> {
        let live = self.spec().transcripts.as_ref().and_then(|source| source.live);
        // A pipe or a device of this name could block us.
        let Some(live) = live.filter(|_| transcript.is_file()) else { return Ok(None) };
        let Some(part) = NewPart::read(transcript, from)? else { return Ok(None) };
        Ok(Some(part.events(live, transcript)))
    }
}

/// A part of a file.
struct NewPart {
    /// Where its whole lines begin.
    at: u64,
    /// Whole lines.
    lines: Vec<u8>,
    /// Where it ends: behind its lines, or behind a line of which only a part was read.
    end: u64,
    /// Whether the file goes on behind it.
    has_more: bool,
}

impl NewPart {
    fn read(path: &Path, from: u64) -> io::Result<Option<NewPart>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        // A file that has become shorter is another one.
        let from = if from <= length { from } else { 0 };
        let is_far_behind = length - from > FARTHEST_BEHIND;
        let begin = if is_far_behind { length.saturating_sub(MOST_BYTES) } else { from };
        // The byte before says whether a line begins here. A piece of a line is never read as one: it may hold anybody's words.
        let before = begin.saturating_sub(1);
        file.seek(SeekFrom::Start(before))?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        let has_more = before + (bytes.len() as u64) < length;
        let first_end = bytes.iter().position(|byte| *byte == b'\n').map(|end| end + 1);
        let last_end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let skipped = if begin == 0 { 0 } else { first_end.unwrap_or(bytes.len()) };
        // The host may still be writing the last line. One that fills all that is read holds a picture: it is skipped.
        let is_piece = last_end <= skipped && has_more;
        let end = before + if is_piece { bytes.len() } else { last_end.max(skipped) } as u64;
        let lines = bytes.get(skipped..last_end.max(skipped)).unwrap_or_default().to_vec();
        Ok((end > from).then_some(NewPart { at: before + skipped as u64, lines, end, has_more }))
    }

    fn events(self, live: LiveTranscript, path: &Path) -> UnreportedEvents {
        let mut rows = (live.rows)(path);
        let mut items = VecDeque::new();
        let (mut at, mut read_to) = (self.at, self.at);
        for line in self.lines.split_inclusive(|byte| *byte == b'\n') {
            at += line.len() as u64;
            let row = String::from_utf8_lossy(line.trim_ascii());
            if !row.is_empty() {
                rows.read(&row, &mut items);
            }
            if !rows.awaits_more() {
                read_to = at;
            }
        }
        // Where nothing is awaited, or what is awaited would hold the place for ever.
        let is_stuck = self.end - read_to > MOST_READ_AGAIN || self.has_more && read_to == self.at;
        let read_to = if is_stuck || !rows.awaits_more() { self.end } else { read_to };
        let entries = items.into_iter().filter_map(|item| match item {
            TranscriptItem::Entry(entry) if (live.is_unreported)(&entry.event.activity) => Some(*entry),
            _ => None,
        });
        let entries = entries.collect();
        UnreportedEvents { entries, read_to, has_more: self.has_more, running: rows.running() }
    }
}
