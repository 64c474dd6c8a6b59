//! A home and a store of its own for each test, and a look at its files from outside.

use crate::kit::{KEEP, NOW, any_of, arrival, draft, everywhere, injection, new, project_ref};
use backstory_memory::{
    Content, Digest, EventId, Memory, MemoryId, ProjectId, ProjectRef, Redacted, SessionId, Timestamp, Writer,
};
use backstory_store::{
    CheckDepth, CheckReport, DistilOutcome, DistilledMemory, Filter, ForgetReport, Home, IncomingEvent,
    MaintainReport, MemoryOrigin, NewMemory, OnRepeat, Purpose, RecordOutcome, RetentionPolicy, Spool, Store,
    WordQuery,
};
use rusqlite::Connection;
use std::fs;
use std::ops::{Deref, DerefMut, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// A home in a temporary folder, which is removed with its last user.
#[derive(Clone)]
pub(crate) struct TestHome {
    // None where somebody else removes it.
    _dir: Option<Arc<TempDir>>,
    home: Home,
}

impl Deref for TestHome {
    type Target = Home;

    fn deref(&self) -> &Home {
        &self.home
    }
}

impl From<Home> for TestHome {
    fn from(home: Home) -> TestHome {
        TestHome { _dir: None, home }
    }
}

impl TestHome {
    pub(crate) fn new() -> TestHome {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path().join("home"));
        TestHome { _dir: Some(Arc::new(dir)), home }
    }

    pub(crate) fn open(&self) -> TestStore {
        self.open_for(Purpose::Command)
    }

    pub(crate) fn hook(&self) -> TestStore {
        self.open_for(Purpose::Hook)
    }

    pub(crate) fn open_for(&self, purpose: Purpose) -> TestStore {
        let store = Store::open(self, purpose, NOW).unwrap();
        TestStore { store, test: self.clone() }
    }

    /// The database's write-ahead log.
    pub(crate) fn log(&self) -> PathBuf {
        self.root().join("backstory.db-wal")
    }

    /// Another home beside this one.
    pub(crate) fn sibling(&self, name: &str) -> TestHome {
        Home::new(self.beside(name)).into()
    }

    /// A path beside the home.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root().with_file_name(name)
    }

    /// Every file and folder of the home.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        paths_under(self.root())
    }
}

/// An open store. What its methods write is of the project at `/home/u/one` and succeeds.
pub(crate) struct TestStore {
    store: Store,
    pub(crate) test: TestHome,
}

impl Deref for TestStore {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl DerefMut for TestStore {
    fn deref_mut(&mut self) -> &mut Store {
        &mut self.store
    }
}

impl TestStore {
    /// Opens a store in a home of its own.
    pub(crate) fn new() -> TestStore {
        TestHome::new().open()
    }

    /// Closes the store; its home stays.
    pub(crate) fn close(self) -> TestHome {
        self.test
    }

    pub(crate) fn raw(&self) -> Connection {
        raw(self.home())
    }

    /// The number an SQL query returns.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        number(&self.raw(), sql)
    }

    pub(crate) fn project_of(&mut self, project_ref: ProjectRef) -> ProjectId {
        self.projects_mut().find_or_create(&Redacted::vouch(project_ref), NOW).unwrap()
    }

    pub(crate) fn project_at(&mut self, root: &str) -> ProjectId {
        self.project_of(project_ref(root))
    }

    pub(crate) fn project(&mut self) -> ProjectId {
        self.project_at("/home/u/one")
    }

    /// The session its host calls `name`.
    pub(crate) fn session(&mut self, name: &str) -> SessionId {
        let project = self.project();
        self.sessions_mut().find_or_create(project, "test", &Redacted::vouch(name.into()), NOW).unwrap()
    }

    pub(crate) fn record(&mut self, arrival: &IncomingEvent) -> RecordOutcome {
        self.events_mut().record(arrival).unwrap()
    }

    /// Records events by number, in the session `s`.
    pub(crate) fn record_all(&mut self, numbers: Range<u64>) {
        for number in numbers {
            self.record(&arrival("s", number));
        }
    }

    pub(crate) fn note(&mut self, title: &str, body: &str) -> MemoryId {
        self.remember(draft(title, body))
    }

    pub(crate) fn remember(&mut self, content: Content) -> MemoryId {
        let project = self.project();
        self.remember_in(project, content)
    }

    pub(crate) fn remember_in(&mut self, project: ProjectId, content: Content) -> MemoryId {
        self.remember_at(project, content, NOW)
    }

    pub(crate) fn remember_at(&mut self, project: ProjectId, content: Content, at: Timestamp) -> MemoryId {
        let memory = NewMemory { created_at: at, ..new(project, content) };
        self.memories_mut().remember(&memory).unwrap()
    }

    /// Writes what the rules derived about a subject in a session.
    pub(crate) fn distil(&mut self, session: SessionId, subject: Digest, memory: NewMemory) -> DistilOutcome {
        let origin = MemoryOrigin { writer: Some(Writer::Rules), ..memory.origin };
        let memory = NewMemory { origin, ..memory };
        let item = DistilledMemory {
            subject,
            memory,
            on_repeat: OnRepeat::Replace,
            same_as: None,
            replaces: Vec::new(),
            contradicts: Vec::new(),
        };
        self.memories_mut().write_distilled(session, EventId(0), &[item]).unwrap()[0]
    }

    /// Writes `count` notes in one transaction, titled `note N`, each with a body of about 200 bytes.
    pub(crate) fn fill(&mut self, count: usize) -> Vec<MemoryId> {
        let project = self.project();
        let filler = "the quick brown fox jumps over the lazy dog and runs on ".repeat(3);
        let notes: Vec<NewMemory> = (0..count)
            .map(|n| new(project, draft(&format!("note {n}"), &format!("{filler} body{n}x"))))
            .collect();
        self.memories_mut().remember_all(&notes).unwrap();
        (1..=i64::try_from(count).unwrap()).map(MemoryId).collect()
    }

    pub(crate) fn memory(&self, id: MemoryId) -> Memory {
        self.memories().get(id).unwrap().unwrap()
    }

    pub(crate) fn revise(&mut self, id: MemoryId, content: Content, at: Timestamp) {
        self.memories_mut().revise(id, &Redacted::vouch(content), at).unwrap();
    }

    pub(crate) fn supersede(&mut self, old: MemoryId, content: Content) -> MemoryId {
        let by = new(self.project(), content);
        self.memories_mut().supersede(old, &by).unwrap()
    }

    pub(crate) fn forget(&mut self, ids: &[MemoryId]) -> ForgetReport {
        self.memories_mut().forget(ids, NOW).unwrap()
    }

    /// Records an injection at a prompt of a session.
    pub(crate) fn inject(&mut self, session: SessionId, ids: &[MemoryId], at: Timestamp) {
        let injection = injection(self.project(), session, ids, at);
        self.injections_mut().record(&injection).unwrap();
    }

    /// What the word index finds by exactly these words.
    pub(crate) fn found(&self, query: &WordQuery, filter: &Filter) -> Vec<MemoryId> {
        self.search().exact(query, filter).unwrap().iter().map(|hit| hit.memory).collect()
    }

    pub(crate) fn found_by(&self, word: &str) -> Vec<MemoryId> {
        self.found(&any_of(&[word]), &everywhere())
    }

    pub(crate) fn check(&self) -> CheckReport {
        self.upkeep().check(CheckDepth::Full).unwrap()
    }

    pub(crate) fn maintain(&mut self, policy: RetentionPolicy, at: Timestamp) -> MaintainReport {
        self.upkeep_mut().maintain(policy, at).unwrap()
    }

    pub(crate) fn back_up(&mut self) -> PathBuf {
        self.upkeep_mut().back_up(KEEP, NOW).unwrap()
    }
}

/// Does what a hook does with an event. Returns whether it is on the disk, in the database or in the spool.
pub(crate) fn is_kept(home: &Home, arrival: &IncomingEvent) -> bool {
    let recorded =
        Store::open(home, Purpose::Hook, NOW).and_then(|mut store| store.events_mut().record(arrival));
    match recorded {
        Ok(outcome) => matches!(outcome, RecordOutcome::Stored(_)),
        Err(error) => {
            assert!(error.is_storage_failure(), "a hook would not even try the spool: {error:?}");
            home.prepare().and_then(|()| Spool::new(home).push(arrival)).is_ok()
        }
    }
}

/// Opens the database without any of our rules.
pub(crate) fn raw(home: &Home) -> Connection {
    let db = Connection::open(home.database()).unwrap();
    db.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
    db
}

pub(crate) fn number(db: &Connection, sql: &str) -> i64 {
    db.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Looks into the database from outside.
pub(crate) fn ask(home: &Home, sql: &str) -> i64 {
    number(&raw(home), sql)
}

pub(crate) fn paths_under(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.to_owned()];
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(paths_under(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}

/// Every place a word stands in as plain bytes, in any case: the file, and the word with a little of what follows.
pub(crate) fn grep(root: &Path, word: &str) -> Vec<(PathBuf, String)> {
    let word = word.to_lowercase();
    let mut found = Vec::new();
    for path in paths_under(root).into_iter().filter(|path| path.is_file()) {
        let bytes = fs::read(&path).unwrap().to_ascii_lowercase();
        let text = String::from_utf8_lossy(&bytes);
        for (at, _) in text.match_indices(&word) {
            let rest: String = text[at..].chars().take(word.chars().count() + 6).collect();
            found.push((path.clone(), rest));
        }
    }
    found
}

/// SQLite's own opinion and the word index's, from outside.
pub(crate) fn assert_sound(home: &Home) {
    let db = raw(home);
    let verdict: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    db.execute("INSERT INTO memory_words (memory_words) VALUES ('integrity-check')", []).unwrap();
}
