//! What the tests stand on: a home of its own, small builders, other processes, and a look at raw bytes.

use backstory_memory::{
    Content, Event, EventKind, IdempotencyKey, Injected, Injection, Kind, MemoryId, Moment, ProjectId,
    ProjectKey, ProjectRef, Provenance, SessionId, Shingles, Timestamp, Tokens,
};
use backstory_store::{
    Home, IncomingEvent, MemoryOrigin, NewMemory, Purpose, RetentionPolicy, Store, WordQuery,
};
pub(crate) use backstory_testkit::{bar, size};
use rusqlite::Connection;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub(crate) const NOW: Timestamp = Timestamp(1_800_000_000_000);
pub(crate) const DAY: i64 = Timestamp::DAY_MS;
const CHILD_HOME: &str = "BACKSTORY_TEST_CHILD_HOME";

/// Keeps nothing back: what is old goes at once, a copy is made every run.
pub(crate) const KEEP: RetentionPolicy =
    RetentionPolicy { events_days: 30, receipts: 100, backups: 3, backup_hours: 0 };

pub(crate) struct TestHome {
    dir: TempDir,
    pub(crate) home: Home,
}

impl TestHome {
    pub(crate) fn new() -> TestHome {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path().join("home"));
        TestHome { dir, home }
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.home, Purpose::Command, NOW).unwrap()
    }

    pub(crate) fn hook(&self) -> Store {
        Store::open(&self.home, Purpose::Hook, NOW).unwrap()
    }

    /// A folder beside the home.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Every file and folder of the home.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        paths_under(self.home.root())
    }
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

pub(crate) fn project_ref(root: &str) -> ProjectRef {
    let name = root.rsplit('/').next().unwrap().to_owned();
    ProjectRef { keys: vec![ProjectKey::Path(root.to_owned())], name, root: root.to_owned(), parent: None }
}

/// The event number `number` of the session `session`, in the project at `/home/u/one`.
pub(crate) fn arrival(session: &str, number: u64) -> IncomingEvent {
    arrival_saying(session, &format!("event {number}"), NOW)
}

pub(crate) fn arrival_saying(session: &str, text: &str, at: Timestamp) -> IncomingEvent {
    let payload = format!("{{\"prompt\":{text:?}}}");
    let event = Event {
        key: IdempotencyKey::new("test", session, EventKind::Prompt, "", &payload),
        host: "test".into(),
        host_session: session.into(),
        kind: EventKind::Prompt,
        tool: None,
        at,
        provenance: Provenance::User,
        payload,
        truncated: false,
    };
    IncomingEvent { event, project_ref: project_ref("/home/u/one") }
}

/// Records events by number, in the session `s`.
pub(crate) fn record_all(store: &mut Store, numbers: std::ops::Range<u64>) {
    for number in numbers {
        store.events_mut().record(&arrival("s", number)).unwrap();
    }
}

pub(crate) fn project(store: &mut Store, root: &str) -> ProjectId {
    store.projects_mut().find_or_create(&project_ref(root), NOW).unwrap()
}

pub(crate) fn draft(title: &str, body: &str) -> Content {
    Content::new(Kind::Note, title, body)
}

pub(crate) fn new(project: ProjectId, content: Content) -> NewMemory {
    NewMemory { uid: None, project, origin: MemoryOrigin::default(), content, created_at: NOW }
}

pub(crate) fn note(store: &mut Store, title: &str, body: &str) -> MemoryId {
    let project = project(store, "/home/u/one");
    store.memories_mut().remember(&new(project, draft(title, body))).unwrap()
}

/// `count` notes in one transaction, titled `note N`, each with a body of about 200 bytes.
pub(crate) fn fill(store: &mut Store, count: usize) -> Vec<MemoryId> {
    let project = project(store, "/home/u/one");
    let filler = "the quick brown fox jumps over the lazy dog and runs on ".repeat(3);
    let notes: Vec<NewMemory> = (0..count)
        .map(|n| new(project, draft(&format!("note {n}"), &format!("{filler} body{n}x"))))
        .collect();
    store.memories_mut().remember_all(&notes).unwrap();
    (1..=i64::try_from(count).unwrap()).map(MemoryId).collect()
}

pub(crate) fn any_of(words: &[&str]) -> WordQuery {
    let mut query = WordQuery::default();
    words.iter().for_each(|word| query.word(word));
    query
}

/// A command that runs one test of this binary in a process of its own, on the home given.
pub(crate) fn child(test: &str, home: &Home) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(CHILD_HOME, home.root());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The same through a shell that first does `preparation`.
pub(crate) fn child_after(preparation: &str, test: &str, home: &Home) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{preparation}; exec \"$0\" --exact {test} --nocapture"));
    command.arg(std::env::current_exe().unwrap()).env(CHILD_HOME, home.root());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The home a child was given; `None` in an ordinary run, where such a test has nothing to do.
#[expect(clippy::disallowed_methods, reason = "how a parent speaks to its child")]
pub(crate) fn child_home() -> Option<Home> {
    std::env::var_os(CHILD_HOME).map(|root| Home::new(PathBuf::from(root)))
}

/// Says something to the parent, past the test harness's capture.
pub(crate) fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    // One write a line: the parent may kill us at any byte.
    out.write_all(format!("\ntell:{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// What a child told.
pub(crate) fn told(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    // A line the child could not finish is no acknowledgement.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter_map(|line| line.strip_prefix("tell:").map(str::to_owned)).collect()
}

/// Runs a child that must succeed, and returns what it told.
pub(crate) fn run(mut command: Command) -> Vec<String> {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    told(&output.stdout)
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Says loudly that a situation could not be made here.
pub(crate) fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// A small generator of our own: the same damage every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below.max(1)
    }
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

/// What a session is told at a prompt.
pub(crate) fn injection(
    project: ProjectId,
    session: SessionId,
    ids: &[MemoryId],
    at: Timestamp,
) -> Injection {
    let given = |(rank, id): (u32, &MemoryId)| Injected {
        memory: *id,
        section: "relevant".into(),
        rank,
        score: 0.5,
        tokens: Tokens(7),
        reasons: vec!["words 3.00".into()],
    };
    Injection {
        project,
        session: Some(session),
        moment: Moment::Prompt,
        at,
        tokens: Tokens(20),
        budget: Tokens(600),
        bytes: 80,
        build_us: 900,
        sections: vec!["relevant".into()],
        sections_skipped: Vec::new(),
        text: "what was told".into(),
        shingles: Shingles::default(),
        memories: (1..).zip(ids).map(given).collect(),
    }
}
