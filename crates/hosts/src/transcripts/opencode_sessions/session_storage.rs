//! Where OpenCode keeps sessions, messages and parts: rows of a database, or files of JSON.

use crate::lenient::LenientJson;
use crate::transcripts::bounded_files::{beginning, children};
use crate::transcripts::{DatabaseOpener, TableReader, time};
use backstory_memory::Timestamp;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What is known of a session without reading it.
#[derive(Clone, Debug, Default)]
pub(super) struct StoredSession {
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) directory: Option<String>,
    /// What sort of agent works in it.
    pub(super) agent: String,
    pub(super) began: Option<Timestamp>,
    pub(super) changed: Timestamp,
    /// The file it stands in.
    pub(super) path: Option<PathBuf>,
}

/// What is kept of sessions: JSON by name, in order. What cannot be read is not there.
pub(super) trait SessionStorage {
    /// Returns the names of a session's messages.
    fn messages(&self, session: &str) -> Vec<String>;

    fn message(&self, session: &str, message: &str) -> Option<String>;

    /// Returns the names of a message's parts, and what each says.
    fn parts(&self, message: &str) -> Vec<(String, String)>;
}

/// A database.
pub(super) struct DatabaseStorage {
    tables: Box<dyn TableReader>,
}

/// How long a message is on average, with its parts. Only the progress of a reading is computed from it.
const USUAL_MESSAGE: u64 = 4096;

const COLUMNS: [&str; 7] = ["id", "parent_id", "directory", "agent", "title", "time_created", "time_updated"];

impl DatabaseStorage {
    pub(super) fn open(path: &Path, databases: &dyn DatabaseOpener) -> Result<DatabaseStorage, String> {
        Ok(DatabaseStorage { tables: databases.open(path)? })
    }

    /// Returns every session, the oldest first.
    pub(super) fn sessions(&self) -> Vec<StoredSession> {
        self.sessions_with(None)
    }

    /// Returns a session and those that descend from it.
    pub(super) fn family(&self, root: &str) -> Vec<StoredSession> {
        let mut family = self.sessions_with(Some(("id", root)));
        let mut next = 0;
        while let Some(parent) = family.get(next).map(|session| session.id.clone()) {
            for child in self.sessions_with(Some(("parent_id", &parent))) {
                if family.iter().all(|known| known.id != child.id) {
                    family.push(child);
                }
            }
            next += 1;
        }
        family
    }

    /// Returns how long each session is, about.
    pub(super) fn lengths(&self) -> HashMap<String, u64> {
        let mut lengths = HashMap::new();
        for session in self.rows("message", &["session_id"], None, &[]).into_iter().flatten() {
            *lengths.entry(session).or_default() += USUAL_MESSAGE;
        }
        lengths
    }

    fn sessions_with(&self, only: Option<(&str, &str)>) -> Vec<StoredSession> {
        let rows = self.rows("session", &COLUMNS, only, &["time_created", "id"]);
        rows.into_iter().filter_map(session_of_row).collect()
    }

    fn rows(
        &self,
        table: &str,
        columns: &[&str],
        only: Option<(&str, &str)>,
        order: &[&str],
    ) -> Vec<Vec<String>> {
        self.tables.rows(table, columns, only, order).unwrap_or_default()
    }
}

impl SessionStorage for DatabaseStorage {
    fn messages(&self, session: &str) -> Vec<String> {
        let only = Some(("session_id", session));
        self.rows("message", &["id"], only, &["time_created", "id"]).into_iter().flatten().collect()
    }

    fn message(&self, _session: &str, message: &str) -> Option<String> {
        self.rows("message", &["data"], Some(("id", message)), &[]).into_iter().flatten().next()
    }

    fn parts(&self, message: &str) -> Vec<(String, String)> {
        let rows = self.rows("part", &["id", "data"], Some(("message_id", message)), &["id"]);
        let pair = |row: Vec<String>| <[String; 2]>::try_from(row).ok().map(|[id, data]| (id, data));
        rows.into_iter().filter_map(pair).collect()
    }
}

fn session_of_row(row: Vec<String>) -> Option<StoredSession> {
    let [id, parent, directory, agent, title, began, changed] = <[String; 7]>::try_from(row).ok()?;
    let said = |text: String| Some(text).filter(|text| !text.is_empty());
    let ms = |text: String| text.parse().ok().map(Timestamp);
    let began = ms(began);
    Some(StoredSession {
        id: said(id)?,
        parent: said(parent),
        directory: said(directory),
        agent: said(agent).unwrap_or_else(|| agent_in(&title)),
        began,
        changed: ms(changed).or(began).unwrap_or(Timestamp(0)),
        path: None,
    })
}

/// Returns the agent a subagent's title names: `Look around (@general subagent)`.
fn agent_in(title: &str) -> String {
    let named = title.rsplit_once("(@").and_then(|(_, end)| end.strip_suffix(" subagent)"));
    named.unwrap_or_default().to_owned()
}

/// The files of older versions: `storage/message/SESSION/MESSAGE.json`, `storage/part/MESSAGE/PART.json`.
pub(super) struct FileStorage {
    storage: PathBuf,
}

impl FileStorage {
    pub(super) fn new(storage: &Path) -> FileStorage {
        FileStorage { storage: storage.to_owned() }
    }
}

impl SessionStorage for FileStorage {
    fn messages(&self, session: &str) -> Vec<String> {
        named_in(&self.folder("message", session)).into_iter().map(|(name, _)| name).collect()
    }

    fn message(&self, session: &str, message: &str) -> Option<String> {
        text_of(&self.folder("message", session).join(format!("{message}.json")))
    }

    fn parts(&self, message: &str) -> Vec<(String, String)> {
        let files = named_in(&self.folder("part", message)).into_iter();
        files.map(|(name, path)| (name, text_of(&path).unwrap_or_default())).collect()
    }
}

impl FileStorage {
    /// Returns the folder of what belongs to something. A name that leads elsewhere has none.
    fn folder(&self, sort: &str, name: &str) -> PathBuf {
        let is_name = !name.contains(['/', '\\', '\0']) && !matches!(name, "" | "." | "..");
        self.storage.join(sort).join(if is_name { name } else { "none" })
    }
}

/// Returns the sessions of `storage/session/PROJECT/SESSION.json`, the oldest first.
pub(super) fn sessions_in(folder: &Path) -> Vec<StoredSession> {
    let files = children(folder).into_iter().flat_map(|project| named_in(&project));
    let mut sessions: Vec<StoredSession> = files.filter_map(|(_, path)| session_in(&path)).collect();
    sessions.sort_by(|one, other| (one.began, &one.id).cmp(&(other.began, &other.id)));
    sessions
}

/// Reads what a file says of a session.
pub(super) fn session_in(path: &Path) -> Option<StoredSession> {
    let text = text_of(path)?;
    let json = LenientJson::read_only(&text, |depth, _| depth <= 2);
    let said = |name: &str| json.said(name).map(str::to_owned);
    let times = json.get("time");
    let began = time(times.get("created"));
    Some(StoredSession {
        id: said("id")?,
        parent: said("parentID"),
        directory: said("directory"),
        agent: said("agent").unwrap_or_else(|| agent_in(json.str("title"))),
        began,
        changed: time(times.get("updated")).or(began).unwrap_or(Timestamp(0)),
        path: Some(path.to_owned()),
    })
}

/// Returns the files of JSON in a folder, by name. Ids are made so that their order is the order of time.
fn named_in(folder: &Path) -> Vec<(String, PathBuf)> {
    let named = children(folder).into_iter().filter_map(|path| {
        let name = path.file_name()?.to_str()?.strip_suffix(".json")?.to_owned();
        Some((name, path))
    });
    let mut named: Vec<(String, PathBuf)> = named.collect();
    named.sort();
    named
}

/// A longer file is none of OpenCode's.
const LONGEST_FILE: u64 = 32 << 20;

fn text_of(path: &Path) -> Option<String> {
    path.metadata().ok().filter(|it| it.len() <= LONGEST_FILE)?;
    beginning(path, LONGEST_FILE)
}
