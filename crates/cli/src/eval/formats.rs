//! The ways data sets are written: our own, and those of published sets. One file each turns a published one into ours.
//!
//! A converter takes what its set calls a unit of gold as the document: a session, a turn, a note. It adds nothing and leaves out
//! only what cannot be asked: a document without words, a question whose gold the set itself leaves open.

mod beam;
mod coding_agent_life;
mod devmembench;
mod locomo;
mod longmemeval;
mod mcp_memory_devbench;
mod message;
mod remem;

use crate::eval::data_set::{DataSet, read_json};
use crate::failure::Failure;
use clap::ValueEnum;
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A way to write a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Told by how it begins
    Auto,
    /// Our own, see docs/eval.md
    Backstory,
    /// DevMemBench: a folder with sessions.json and questions.json
    Devmembench,
    /// coding-agent-life-v1: a folder with sessions.json and queries.json
    CodingAgentLife,
    /// The devbench of mcp-memory-service: devbench_dataset.json
    McpMemoryDevbench,
    /// remem: golden.json
    Remem,
    /// LoCoMo: locomo10.json; documents are turns
    Locomo,
    /// LoCoMo: locomo10.json; documents are sessions
    LocomoSessions,
    /// LongMemEval: longmemeval_s.json and its sisters; documents are sessions
    Longmemeval,
    /// BEAM: the folder of a chat, or of many; documents are turns
    Beam,
}

/// What tells a file's format: words near its beginning, all of them.
const SIGNS: [(Format, &[&str]); 4] = [
    (Format::Longmemeval, &["\"question_id\"", "\"question_type\""]),
    (Format::Locomo, &["\"qa\"", "\"evidence\""]),
    (Format::Remem, &["\"evidence_refs\""]),
    (Format::McpMemoryDevbench, &["\"memories\"", "\"memory_type\""]),
];

/// What tells a folder's format: files in it, all of them.
const FILES: [(Format, &[&str]); 4] = [
    (Format::Devmembench, &["sessions.json", "questions.json"]),
    (Format::CodingAgentLife, &["sessions.json", "queries.json"]),
    (Format::McpMemoryDevbench, &["devbench_dataset.json"]),
    (Format::Remem, &["golden.json"]),
];

/// How far into a file its signs are looked for.
const BEGINNING: u64 = 256 * 1024;

impl Format {
    /// Reads a set as one of ours.
    pub(crate) fn read(self, path: &Path) -> Result<DataSet, Failure> {
        let mut set = match self {
            Format::Auto => return tell(path)?.read(path),
            Format::Backstory => read_json(path)?,
            Format::Devmembench => devmembench::convert(
                read_json(&path.join("sessions.json"))?,
                read_json(&path.join("questions.json"))?,
            ),
            Format::CodingAgentLife => coding_agent_life::convert(
                read_json(&path.join("sessions.json"))?,
                read_json(&path.join("queries.json"))?,
            ),
            Format::McpMemoryDevbench => {
                mcp_memory_devbench::convert(read_json(&in_folder(path, "devbench_dataset.json"))?)
            }
            Format::Remem => remem::convert(&read_json(&in_folder(path, "golden.json"))?),
            Format::Locomo => locomo::convert(read_json(path)?, locomo::Grain::Turns),
            Format::LocomoSessions => locomo::convert(read_json(path)?, locomo::Grain::Sessions),
            Format::Longmemeval => longmemeval::convert(read_json(path)?),
            Format::Beam => beam::read(path)?,
        };
        if set.name.is_empty() {
            set.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        refuse_twins(&set)?;
        Ok(set)
    }
}

/// Tells the format of a file or a folder.
fn tell(path: &Path) -> Result<Format, Failure> {
    if path.is_dir() {
        let holds_all = |files: &[&str]| files.iter().all(|file| path.join(file).is_file());
        let told = FILES.iter().find(|(_, files)| holds_all(files)).map(|(format, _)| *format);
        return told.or(beam::is_one(path).then_some(Format::Beam)).ok_or_else(|| {
            Failure::user(format!("`{}` holds no data set we know", path.display()))
                .hint("name the file, or say what it is with `--format`")
        });
    }
    let mut beginning = Vec::new();
    File::open(path)
        .and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning))
        .map_err(|error| Failure::of_path("read", path, &error))?;
    let beginning = String::from_utf8_lossy(&beginning);
    let shows_all = |signs: &[&str]| signs.iter().all(|sign| beginning.contains(sign));
    let told = SIGNS.iter().find(|(_, signs)| shows_all(signs)).map(|(format, _)| *format);
    Ok(told.unwrap_or(Format::Backstory))
}

/// Returns the file, where its folder was named.
fn in_folder(path: &Path, file: &str) -> std::path::PathBuf {
    if path.is_dir() { path.join(file) } else { path.to_owned() }
}

/// Refuses a set where an id means two documents: which one is gold?
fn refuse_twins(set: &DataSet) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    match set.documents.iter().find(|document| !seen.insert((&document.corpus, &document.id))) {
        Some(twin) => Err(Failure::user(format!("two documents of one corpus are called `{}`", twin.id))),
        None => Ok(()),
    }
}
