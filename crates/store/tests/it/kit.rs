//! Small builders of what the tests write and search for.

use backstory_memory::{
    Content, Event, EventKind, IdempotencyKey, Injected, Injection, Kind, MemoryId, Moment, ProjectId,
    ProjectKey, ProjectRef, Provenance, Redacted, SessionId, Shingles, Timestamp, Tokens, identifier_terms,
    words,
};
use backstory_store::{
    Filter, IncomingEvent, MemoryOrigin, NewMemory, Receipt, RetentionPolicy, Scope, WordQuery,
};
pub(crate) use backstory_testkit::{bar, size};

pub(crate) const NOW: Timestamp = Timestamp(1_800_000_000_000);
pub(crate) const DAY: i64 = Timestamp::DAY_MS;

/// Events for 30 days, and a copy at every run.
pub(crate) const KEEP: RetentionPolicy =
    RetentionPolicy { events_days: 30, receipts: 100, backups: 3, backup_hours: 0 };

pub(crate) fn within(project: ProjectId) -> Filter {
    Filter::within(Scope::Project(project))
}

pub(crate) fn everywhere() -> Filter {
    Filter::within(Scope::Everywhere)
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
    IncomingEvent { event: Redacted::vouch(event), project_ref: Redacted::vouch(project_ref("/home/u/one")) }
}

pub(crate) fn draft(title: &str, body: &str) -> Content {
    Content::new(Kind::Note, title, body)
}

/// A note that names files.
pub(crate) fn about(files: &[&str], body: &str) -> Content {
    Content { files: owned(files), ..draft("title", body) }
}

pub(crate) fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(crate) fn of_kind(kind: Kind, title: &str) -> Content {
    Content { kind, ..draft(title, title) }
}

pub(crate) fn receipt(event: &str) -> Receipt {
    Receipt {
        host: "test".into(),
        event: Redacted::vouch(event.into()),
        at: NOW,
        duration_us: 1,
        bytes_in: 2,
        bytes_out: 0,
        outcome: "kept".into(),
        missing_fields: Vec::new(),
    }
}

pub(crate) fn new(project: ProjectId, content: Content) -> NewMemory {
    let content = Redacted::vouch(content);
    NewMemory { uid: None, project, origin: MemoryOrigin::default(), content, created_at: NOW }
}

/// A memory that came from a session.
pub(crate) fn new_in_session(project: ProjectId, session: SessionId, content: Content) -> NewMemory {
    let origin = MemoryOrigin { session: Some(session), ..MemoryOrigin::default() };
    NewMemory { origin, ..new(project, content) }
}

/// A query as `recall` makes it: the words themselves and the parts of identifiers.
pub(crate) fn query_for(text: &str) -> WordQuery {
    let mut query = WordQuery::default();
    words(text).for_each(|word| query.word(&word));
    identifier_terms(text).split(' ').for_each(|word| query.word(word));
    query
}

/// Texts that mean something to the word index, or to SQL, unless they are quoted.
#[rustfmt::skip]
pub(crate) const INDEX_LANGUAGE: [&str; 47] = [
    "\"", "\"\"", "*", "a*", "NEAR(alpha beta)", "AND", "alpha AND", "NOT epsilon", "OR OR", "^alpha",
    "title:alpha", "{title body}: x", "-", "alpha + beta", "\0", "al\0pha", "(", ")", "alpha\"beta",
    "\u{345}", "''", "NEAR(a b)", "^a", "title:", "{title} : x", "OR NOT", "the of and", "is it", "a\0b",
    "migartion", "🦀🦀", "שלום עולם", "\u{202e}abc", "数据库", "e\u{301}", "run_migration", "--",
    ";DROP TABLE", "'", "\u{e000}everywhere", "ﬀ", "İ", "ß", "\u{1}", "%", "_", "\\",
];

pub(crate) fn any_of(words: &[&str]) -> WordQuery {
    let mut query = WordQuery::default();
    words.iter().for_each(|word| query.word(word));
    query
}

/// Whether we may do what only the superuser of a Unix may.
#[cfg(unix)]
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

/// An injection at a prompt of a session.
pub(crate) fn injection(
    project: ProjectId,
    session: SessionId,
    ids: &[MemoryId],
    at: Timestamp,
) -> Injection {
    let injected = |(rank, id): (u32, &MemoryId)| Injected {
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
        text: "injected text".into(),
        shingles: Shingles::default(),
        memories: (1..).zip(ids).map(injected).collect(),
    }
}
