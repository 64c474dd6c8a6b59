//! The history of a repository: its commits, newest first, each with its message and its changes.
//!
//! Git's output is read as it arrives and never held as a whole: a repository can be larger than memory, and one commit can change
//! a hundred thousand files. Not here: which commits are worth remembering.

use super::child::{ReadEnd, converse};
use super::safe_tree::{GitNeed, safe_tree};
use backstory_memory::Timestamp;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// A longer message is a pasted file.
const MOST_FIELD_BYTES: usize = 128 * 1024;
/// More files than this say no more about a commit.
const MOST_CHANGES: usize = 2_000;

/// One commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Its full hash.
    pub id: String,
    /// Whether it is a merge.
    pub is_merge: bool,
    /// When its author wrote it.
    pub at: Timestamp,
    /// Its author's name.
    pub author: String,
    /// Its author's email address.
    pub email: String,
    /// Its whole message.
    pub message: String,
    /// The files it changed, as far as they are known; none for a merge.
    pub changes: Vec<CommittedFile>,
    /// How many files it changed.
    pub file_count: usize,
}

/// One file a commit changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedFile {
    /// Its path from the root of the work tree, after the commit.
    pub path: String,
    /// How many lines were added or deleted; 0 for a binary file.
    pub lines: u64,
}

/// How much to read of each commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryDetail {
    /// Its message and the files it changed.
    Files,
    /// Its message only: a clone without the files' contents has no more.
    Message,
}

/// How far a history was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryEnd {
    /// To its beginning, or as far as was wanted.
    Read,
    /// As far as the deadline allowed.
    CutShort,
}

/// Calls `on_commit` with the commits that lead to the one that is checked out, newest first, until it breaks off.
pub fn history(
    root: &Path,
    detail: HistoryDetail,
    deadline: Duration,
    on_commit: &mut dyn FnMut(Commit) -> ControlFlow<()>,
) -> HistoryEnd {
    let plain = [
        "--no-ext-diff",
        "--no-textconv",
        "--no-show-signature",
        "--no-color",
        "--no-notes",
        "--no-decorate",
    ];
    let shape = ["--no-relative", "--no-diff-merges", "--encoding=UTF-8", "-z"];
    let files: &[&str] = match detail {
        HistoryDetail::Files => &["--numstat", "-M"],
        HistoryDetail::Message => &["--no-patch"],
    };
    let format = ["--format=tformat:%H%x00%P%x00%at%x00%aN%x00%aE%x00%B", "HEAD", "--"];
    let arguments = [&["-c", "log.showRoot=true", "log"][..], &plain, &shape, files, &format].concat();
    let Ok(tree) = safe_tree(root, GitNeed::History) else { return HistoryEnd::Read };
    let mut reader =
        LogReader { fields: LogFields::default(), state: LogField::Between, commit: None, on_commit };
    let ended = converse(&tree, &arguments, Vec::new(), deadline, &mut |bytes| reader.read(bytes));
    match ended {
        ReadEnd::Everything => {
            // The last commit may lack files if git gave up on it; those it has are correct. Whether `on_commit` wants more does
            // not matter at the end.
            reader.finish_commit().is_break();
            HistoryEnd::Read
        }
        ReadEnd::Enough => HistoryEnd::Read,
        ReadEnd::Late => HistoryEnd::CutShort,
    }
}

/// What the next field is.
#[derive(Clone, Copy)]
enum LogField {
    /// The hash of a commit, or one more file of the last one.
    Between,
    Parents,
    Time,
    Author,
    Email,
    Message,
    /// The former and the new name of a file in which `lines` changed.
    OldName {
        lines: u64,
    },
    NewName {
        lines: u64,
    },
}

struct LogReader<'a> {
    fields: LogFields,
    state: LogField,
    commit: Option<Commit>,
    on_commit: &'a mut dyn FnMut(Commit) -> ControlFlow<()>,
}

impl LogReader<'_> {
    fn read(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let (part, after) = rest.split_at(end);
            self.fields.push(part);
            let field = self.fields.take();
            self.field(&field)?;
            rest = after.get(1..).unwrap_or_default();
        }
        self.fields.push(rest);
        ControlFlow::Continue(())
    }

    fn field(&mut self, field: &str) -> ControlFlow<()> {
        if let LogField::Between = self.state {
            return self.between(field);
        }
        let Some(commit) = &mut self.commit else { return ControlFlow::Continue(()) };
        self.state = match self.state {
            LogField::Between => LogField::Between,
            LogField::Parents => {
                commit.is_merge = field.contains(' ');
                LogField::Time
            }
            LogField::Time => {
                let seconds: i64 = field.parse().unwrap_or_default();
                commit.at = Timestamp(seconds.saturating_mul(1000));
                LogField::Author
            }
            LogField::Author => {
                field.clone_into(&mut commit.author);
                LogField::Email
            }
            LogField::Email => {
                field.clone_into(&mut commit.email);
                LogField::Message
            }
            LogField::Message => {
                field.clone_into(&mut commit.message);
                LogField::Between
            }
            LogField::OldName { lines } => LogField::NewName { lines },
            LogField::NewName { lines } => {
                commit.changed(field, lines);
                LogField::Between
            }
        };
        ControlFlow::Continue(())
    }

    /// Reads a file, `12<tab>3<tab>its/path`, or `12<tab>3<tab>` if its two names follow; a field without tabs is the hash of a
    /// commit.
    fn between(&mut self, field: &str) -> ControlFlow<()> {
        let field = field.trim_start_matches('\n');
        let mut parts = field.splitn(3, '\t');
        let (Some(added), Some(deleted), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            return self.begin_commit(field);
        };
        // A binary file has no lines to count.
        let lines = |count: &str| count.parse::<u64>().unwrap_or_default();
        let lines = lines(added).saturating_add(lines(deleted));
        match &mut self.commit {
            Some(_) if path.is_empty() => self.state = LogField::OldName { lines },
            Some(commit) => commit.changed(path, lines),
            None => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_commit(&mut self, id: &str) -> ControlFlow<()> {
        let flow = self.finish_commit();
        let is_id = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_id {
            self.commit = Some(Commit { id: id.to_owned(), ..Commit::default() });
            self.state = LogField::Parents;
        }
        flow
    }

    fn finish_commit(&mut self) -> ControlFlow<()> {
        self.commit.take().map_or(ControlFlow::Continue(()), |commit| (self.on_commit)(commit))
    }
}

impl Commit {
    fn changed(&mut self, path: &str, lines: u64) {
        self.file_count += 1;
        if self.changes.len() < MOST_CHANGES {
            self.changes.push(CommittedFile { path: path.to_owned(), lines });
        }
    }
}

/// Joins fields whose parts arrive one by one.
#[derive(Default)]
struct LogFields {
    open: Vec<u8>,
}

impl LogFields {
    fn push(&mut self, part: &[u8]) {
        let room = MOST_FIELD_BYTES.saturating_sub(self.open.len());
        self.open.extend(part.get(..room.min(part.len())).unwrap_or_default());
    }

    fn take(&mut self) -> String {
        let field = String::from_utf8_lossy(&self.open).into_owned();
        self.open.clear();
        field
    }
}
