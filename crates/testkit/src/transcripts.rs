//! Generated transcripts of Claude Code, deterministic by seed.

use crate::Corpus;
use std::fmt::Write;

/// The time the first session begins: 2026-02-01 09:00 UTC, three months before it is now in a test.
const FIRST_DAY_MS: i64 = 1_769_936_400_000;
const HOUR_MS: i64 = 3_600_000;

/// One recorded session.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// The id of the session, and the stem of its file.
    pub session: String,
    /// The lines of its file.
    pub text: String,
}

/// A generator of sessions in a project.
#[derive(Debug)]
pub struct Transcripts {
    corpus: Corpus,
    cwd: String,
    made: u32,
}

impl Transcripts {
    /// Starts a generator of sessions in a folder.
    #[must_use]
    pub fn new(seed: u64, cwd: impl Into<String>) -> Transcripts {
        Transcripts { corpus: Corpus::new(seed), cwd: cwd.into(), made: 0 }
    }

    /// Returns the next session, of so many turns. In each a file of about `file_bytes` is read, one is edited, the tests run,
    /// and the user says how something is to be.
    pub fn session(&mut self, turns: usize, file_bytes: usize) -> Transcript {
        self.made += 1;
        let session = format!("00000000-0000-4000-8000-{:012x}", self.made);
        let mut rows = TranscriptRows {
            session: session.clone(),
            cwd: self.cwd.clone(),
            at_ms: FIRST_DAY_MS + i64::from(self.made) * HOUR_MS,
            number: 0,
            text: String::new(),
        };
        for _ in 0..turns {
            self.turn(&mut rows, file_bytes);
        }
        Transcript { session, text: rows.text }
    }

    fn turn(&mut self, rows: &mut TranscriptRows, file_bytes: usize) {
        let known = self.corpus.memory();
        let rule = self.corpus.sentence();
        let file = format!("{}/{}", self.cwd, known.file);
        rows.prompt(&format!("{}. From now on remember: {rule}", self.corpus.question()));
        let mut source = String::new();
        while source.len() < file_bytes {
            // Code, not prose: what a memory says must not stand in a file of the repository by chance.
            writeln!(source, "let value_{} = {};", self.corpus.below(100_000), self.corpus.below(1_000))
                .expect("a string takes it");
        }
        rows.tool(
            "Read",
            &format!("{{\"file_path\":{file:?}}}"),
            &source,
            &format!("{{\"type\":\"text\",\"file\":{{\"filePath\":{file:?},\"content\":{source:?}}}}}"),
            false,
        );
        let (old, new) = (self.corpus.sentence(), self.corpus.sentence());
        rows.tool(
            "Edit",
            &format!("{{\"file_path\":{file:?},\"old_string\":{old:?},\"new_string\":{new:?}}}"),
            "The file has been updated.",
            &format!(
                "{{\"filePath\":{file:?},\"oldString\":{old:?},\"newString\":{new:?},\"structuredPatch\":[]}}"
            ),
            false,
        );
        let fails = self.corpus.below(3) == 0;
        let output = if fails { format!("assertion failed: {old}") } else { "12 passed".to_owned() };
        rows.tool(
            "Bash",
            "{\"command\":\"make test\",\"description\":\"Run the tests\"}",
            &output,
            &format!("{{\"stdout\":{output:?},\"stderr\":\"\",\"interrupted\":false,\"isImage\":false}}"),
            fails,
        );
        // An agent names what it did; work without a name is no memory.
        let name = file.rsplit('/').next().unwrap_or_default();
        rows.say(&format!(
            "Updated the values of {name}. {}. {}\n\nThe tests were run.",
            known.title, known.body
        ));
    }
}

struct TranscriptRows {
    session: String,
    cwd: String,
    at_ms: i64,
    number: u32,
    text: String,
}

impl TranscriptRows {
    fn row(&mut self, sort: &str, rest: &str) {
        self.number += 1;
        self.at_ms += 7_000;
        let uuid = format!("{}-{:08x}", self.session.rsplit('-').next().unwrap_or_default(), self.number);
        let (session, cwd, at) = (&self.session, &self.cwd, iso(self.at_ms));
        writeln!(
            self.text,
            "{{\"parentUuid\":null,\"isSidechain\":false,\"userType\":\"external\",\"cwd\":{cwd:?},\"sessionId\":{session:?},\"version\":\"2.1.325\",\"gitBranch\":\"main\",\"type\":{sort:?},{rest},\"uuid\":{uuid:?},\"timestamp\":{at:?}}}"
        )
        .expect("a string takes it");
    }

    fn prompt(&mut self, text: &str) {
        self.row("user", &format!("\"message\":{{\"role\":\"user\",\"content\":{text:?}}}"));
    }

    fn say(&mut self, text: &str) {
        self.answer(&format!("{{\"type\":\"text\",\"text\":{text:?}}}"));
    }

    fn answer(&mut self, block: &str) {
        let id = format!("msg_{}_{}", self.session, self.number);
        self.row(
            "assistant",
            &format!("\"message\":{{\"id\":{id:?},\"type\":\"message\",\"role\":\"assistant\",\"model\":\"scripted\",\"content\":[{block}]}}"),
        );
    }

    fn tool(&mut self, name: &str, input: &str, result: &str, response: &str, fails: bool) {
        let id = format!("toolu_{}_{}", self.session, self.number);
        self.answer(&format!("{{\"type\":\"tool_use\",\"id\":{id:?},\"name\":{name:?},\"input\":{input}}}"));
        self.row(
            "user",
            &format!("\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":{id:?},\"content\":{result:?},\"is_error\":{fails}}}]}},\"toolUseResult\":{response}"),
        );
    }
}

/// Formats a time as transcripts do. Not by `memory`, whose reading of such times is under test.
fn iso(at_ms: i64) -> String {
    let (days, ms) = (at_ms.div_euclid(86_400_000), at_ms.rem_euclid(86_400_000));
    let (mut year, mut left) = (1970, days);
    let length = |year: i64| if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) { 366 } else { 365 };
    while left >= length(year) {
        left -= length(year);
        year += 1;
    }
    let february = length(year) - 337;
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < days {
            break;
        }
        left -= days;
        month += 1;
    }
    let (seconds, ms) = (ms / 1000, ms % 1000);
    format!(
        "{year:04}-{month:02}-{:02}T{:02}:{:02}:{:02}.{ms:03}Z",
        left + 1,
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}
