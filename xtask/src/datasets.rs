//! `cargo xtask dataset FORMAT IN OUT`: converts a published data set into the JSON format of `backstory eval`. One parser per file.
//!
//! A parser takes the set's unit of gold as the document: a session, a turn, a note. It adds nothing, and leaves out only what cannot be
//! measured: documents without text, and queries whose gold the set itself leaves open. docs/eval.md describes each set.

mod beam;
mod coding_agent_life;
pub(crate) mod converted;
mod devmembench;
mod locomo;
mod longmemeval;
mod mcp_devbench;
mod message;
pub(crate) mod own_sets;
mod remem;

use crate::{TaskResult, say};
use converted::{ConvertedSet, read_json};
use flate2::read::GzDecoder;
use locomo::LocomoGrain;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: cargo xtask dataset FORMAT IN OUT
FORMAT: auto, devmembench, coding-agent-life, mcp-memory-devbench, remem, locomo, locomo-sessions, longmemeval, beam";

/// A published set's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetFormat {
    /// A folder with sessions.json and questions.json.
    DevMemBench,
    /// A folder with sessions.json and queries.json.
    CodingAgentLife,
    /// devbench_dataset.json of mcp-memory-service.
    McpDevbench,
    /// golden.json.
    Remem,
    /// locomo10.json; documents are turns.
    Locomo,
    /// locomo10.json; documents are sessions.
    LocomoSessions,
    /// longmemeval_s.json and its variants; documents are sessions.
    LongMemEval,
    /// The folder of a chat, or a folder of such folders; documents are turns.
    Beam,
}

use SetFormat::{
    Beam, CodingAgentLife, DevMemBench, Locomo, LocomoSessions, LongMemEval, McpDevbench, Remem,
};

/// Every format with its name on the command line.
const FORMATS: [(&str, SetFormat); 8] = [
    ("devmembench", DevMemBench),
    ("coding-agent-life", CodingAgentLife),
    ("mcp-memory-devbench", McpDevbench),
    ("remem", Remem),
    ("locomo", Locomo),
    ("locomo-sessions", LocomoSessions),
    ("longmemeval", LongMemEval),
    ("beam", Beam),
];

/// Keys near the beginning of a file that identify its format, all of them required.
const KEYS: [(SetFormat, &[&str]); 4] = [
    (LongMemEval, &["\"question_id\"", "\"question_type\""]),
    (Locomo, &["\"qa\"", "\"evidence\""]),
    (Remem, &["\"evidence_refs\""]),
    (McpDevbench, &["\"memories\"", "\"memory_type\""]),
];

/// Files that identify the format of a folder, all of them required.
const FILES: [(SetFormat, &[&str]); 4] = [
    (DevMemBench, &["sessions.json", "questions.json"]),
    (CodingAgentLife, &["sessions.json", "queries.json"]),
    (McpDevbench, &["devbench_dataset.json"]),
    (Remem, &["golden.json"]),
];

/// Bytes of a file that are searched for keys.
const BEGINNING: u64 = 256 * 1024;

/// Converts one set.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let [format, input, output] = arguments else { return Err(USAGE.into()) };
    let input = Path::new(input);
    let set = match format.as_str() {
        "auto" => read(input)?,
        name => {
            let (_, format) = FORMATS.iter().find(|(known, _)| *known == name).ok_or(USAGE)?;
            format.parse(input)?
        }
    };
    set.write(Path::new(output))?;
    let (documents, queries, unknown) = (set.documents.len(), set.queries.len(), set.unknown_gold());
    say(&format!("wrote `{output}` (documents: {documents}, queries: {queries}, unknown gold: {unknown})"));
    Ok(())
}

/// Reads a set whose format is recognised by its files or its keys. A packed file is in the format of `eval` already.
pub(crate) fn read(path: &Path) -> TaskResult<ConvertedSet> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(name) = name.strip_suffix(".json.gz") {
        let set: ConvertedSet = serde_json::from_reader(GzDecoder::new(File::open(path)?))?;
        return Ok(ConvertedSet { name: name.trim_end_matches("-part").to_owned(), ..set });
    }
    recognise(path)?.parse(path)
}

impl SetFormat {
    fn parse(self, path: &Path) -> TaskResult<ConvertedSet> {
        let set = match self {
            DevMemBench => devmembench::convert(
                read_json(&path.join("sessions.json"))?,
                read_json(&path.join("questions.json"))?,
            ),
            CodingAgentLife => coding_agent_life::convert(
                read_json(&path.join("sessions.json"))?,
                read_json(&path.join("queries.json"))?,
            ),
            McpDevbench => mcp_devbench::convert(read_json(&in_folder(path, "devbench_dataset.json"))?),
            Remem => remem::convert(&read_json(&in_folder(path, "golden.json"))?),
            Locomo => locomo::convert(read_json(path)?, LocomoGrain::Turns),
            LocomoSessions => locomo::convert(read_json(path)?, LocomoGrain::Sessions),
            LongMemEval => longmemeval::convert(read_json(path)?),
            Beam => beam::read(path)?,
        };
        match set.duplicate_id() {
            Some(id) => Err(format!("two documents of one corpus have the id `{id}`").into()),
            None => Ok(set),
        }
    }
}

/// Recognises the format of a file or a folder.
fn recognise(path: &Path) -> TaskResult<SetFormat> {
    let unknown = || format!("`{}` is not a data set we can parse; name its format\n{USAGE}", path.display());
    if path.is_dir() {
        let has_all = |files: &[&str]| files.iter().all(|file| path.join(file).is_file());
        let format = FILES.iter().find(|(_, files)| has_all(files)).map(|(format, _)| *format);
        return Ok(format.or(beam::is_beam_folder(path).then_some(Beam)).ok_or_else(unknown)?);
    }
    let mut beginning = Vec::new();
    File::open(path)
        .and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning))
        .map_err(|error| format!("`{}`: {error}", path.display()))?;
    let beginning = String::from_utf8_lossy(&beginning);
    let has_all = |keys: &[&str]| keys.iter().all(|key| beginning.contains(key));
    let format = KEYS.iter().find(|(_, keys)| has_all(keys)).map(|(format, _)| *format);
    Ok(format.ok_or_else(unknown)?)
}

/// Returns the file; its name may be left out where its folder is given.
fn in_folder(path: &Path, file: &str) -> PathBuf {
    if path.is_dir() { path.join(file) } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::fs;
    use tempfile::tempdir;

    fn name_of(file: &str, content: &Value) -> String {
        let folder = tempdir().unwrap();
        fs::write(folder.path().join(file), content.to_string()).unwrap();
        read(&folder.path().join(file)).unwrap().name
    }

    #[test]
    fn a_published_file_is_recognised_by_its_keys() {
        let longmemeval = json!([{"question_id": "q", "question_type": "t", "question": "lake?", "question_date": "2023/06/01 (Thu) 10:00", "answer_session_ids": ["s"],
            "haystack_dates": ["2023/05/20 (Sat) 02:21"], "haystack_session_ids": ["s"], "haystack_sessions": [[{"role": "user", "content": "the lake"}]]}]);
        assert_eq!(name_of("set.json", &longmemeval), "longmemeval");
        let locomo = json!([{"sample_id": "c", "qa": [{"question": "Who?", "evidence": ["D1:1"], "category": 1}],
            "conversation": {"session_1": [{"speaker": "Bo", "dia_id": "D1:1", "text": "Me"}]}}]);
        assert_eq!(name_of("set.json", &locomo), "locomo");
        let remem = json!({"queries": [{"id": "q", "query": "x", "project": "p", "evidence_refs": []}], "corpus": []});
        assert_eq!(name_of("set.json", &remem), "remem");
        let devbench = json!({"memories": [{"id": "m", "content": "x", "tags": [], "memory_type": "decision"}], "queries": []});
        assert_eq!(name_of("set.json", &devbench), "mcp-memory-devbench");
    }

    #[test]
    fn an_unknown_file_or_folder_is_refused() {
        let folder = tempdir().unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains("is not a data set"));
        fs::write(folder.path().join("other.json"), "{}").unwrap();
        assert!(read(&folder.path().join("other.json")).is_err());
        assert!(read(&folder.path().join("missing.json")).is_err());
    }

    #[test]
    fn a_folder_of_chats_is_recognised() {
        let folder = tempdir().unwrap();
        let chat = folder.path().join("1");
        fs::create_dir_all(chat.join("probing_questions")).unwrap();
        let turns =
            json!([{"batch_number": 1, "turns": [[{"role": "user", "id": 0, "content": "I keep bees"}]]}]);
        let questions =
            json!({"information_extraction": [{"question": "What do I keep?", "source_chat_ids": [0]}]});
        fs::write(chat.join("chat.json"), turns.to_string()).unwrap();
        fs::write(chat.join("probing_questions/probing_questions.json"), questions.to_string()).unwrap();
        let set = read(folder.path()).unwrap();
        assert_eq!((set.name.as_str(), set.queries[0].gold.join(" ").as_str()), ("beam", "0"));
    }

    #[test]
    fn a_converted_folder_is_written_in_the_format_of_eval() {
        let folder = tempdir().unwrap();
        let sessions = json!([{"sessionId": "S1", "metadata": {}, "messages": [{"role": "user", "content": "Jobs go through the red queue"}]}]);
        let questions = json!([{"questionId": "Q1", "questionType": "architecture", "question": "Which queue do jobs use?", "groundTruth": "red", "haystackSessionIds": ["S1"]}]);
        fs::write(folder.path().join("sessions.json"), sessions.to_string()).unwrap();
        fs::write(folder.path().join("questions.json"), questions.to_string()).unwrap();
        let output = folder.path().join("out.json").to_string_lossy().into_owned();
        run(&["auto".to_owned(), folder.path().to_string_lossy().into_owned(), output.clone()]).unwrap();
        let written: Value = serde_json::from_str(&fs::read_to_string(output).unwrap()).unwrap();
        let expected = json!({"name": "devmembench",
            "documents": [{"id": "S1", "text": "Jobs go through the red queue"}],
            "queries": [{"id": "Q1", "text": "Which queue do jobs use?", "gold": ["S1"], "category": "architecture"}]});
        assert_eq!(written, expected);
    }

    #[test]
    fn two_documents_with_one_id_are_refused() {
        let folder = tempdir().unwrap();
        let session = json!({"id": "s", "content": "[user] x"});
        fs::write(folder.path().join("sessions.json"), json!([session, session]).to_string()).unwrap();
        fs::write(folder.path().join("queries.json"), "[]").unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains("the id `s`"));
    }
}
