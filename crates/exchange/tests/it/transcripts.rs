//! What a host recorded becomes what hooks would have made of it, had they captured it turn by turn.

use backstory_capture::{Redactor, RedactorOptions};
use backstory_distil::{DistilTrigger, Distillation, distil};
use backstory_exchange::{ForeignDatabases, ImportOptions, import_transcripts};
use backstory_hosts::{Host, HostPaths};
use backstory_memory::{
    Content, EventId, EventKind, Kind, Memory, ProjectKey, ProjectRef, SessionId, Standing, Timestamp,
};
use backstory_store::{Home, IncomingEvent, Purpose, Store, StoredEvent};
use backstory_testkit::Transcripts;
use std::fs;
use std::path::Path;

const NOW: Timestamp = Timestamp(1_790_000_000_000);
/// More turns than a stretch has, so that a session is taken in by parts.
const TURNS: usize = 30;
const SESSIONS: i64 = 2;

fn opened(home: &Path) -> Store {
    Store::open(&Home::new(home.join("backstory")), Purpose::Command, NOW).unwrap()
}

/// Takes in made-up transcripts of a project.
fn imported(home: &Path, cwd: &Path) -> Store {
    let folder = home.join("projects/-shop");
    fs::create_dir_all(&folder).unwrap();
    let mut made_up = Transcripts::new(7, cwd.to_string_lossy());
    for _ in 0..SESSIONS {
        let made = made_up.session(TURNS, 200);
        fs::write(folder.join(format!("{}.jsonl", made.session)), made.text).unwrap();
    }
    let places = HostPaths::default().with_directory(Host::ClaudeCode, home);
    let records = Host::ClaudeCode.transcripts(&places, &ForeignDatabases);
    let redactor = Redactor::new(RedactorOptions::default());
    let options = ImportOptions {
        redactor: &redactor,
        max_event_bytes: 16 << 10,
        now: NOW,
        since: None,
        project_filter: None,
        excludes_folder: &|_| false,
        excludes_name: &|_| false,
        is_own_prompt: |_| false,
    };
    let mut store = opened(home);
    let report = import_transcripts(&mut store, records, &options, &mut |_| {}).unwrap();
    assert_eq!(report.read, SESSIONS as u64);
    store
}

/// Hears the events of a session one by one, and distils at the end of every turn.
fn lived_through(store: &mut Store, events: &[StoredEvent], cwd: &Path) {
    let redactor = Redactor::new(RedactorOptions::default());
    let root = cwd.display().to_string();
    let mut session = None;
    for StoredEvent { event, .. } in events {
        let keys = vec![ProjectKey::Path(root.clone())];
        let project_ref = ProjectRef { keys, name: "shop".into(), root: root.clone(), parent: None };
        store.events_mut().record(&IncomingEvent { event: event.clone(), project_ref }).unwrap();
        session = store.sessions().find(&event.host, &event.host_session).unwrap();
        if event.kind == EventKind::TurnEnd {
            distil_as(DistilTrigger::TurnEnd, store, session.as_ref().unwrap().id, event.at, &redactor);
        }
    }
    let session = session.unwrap();
    distil_as(DistilTrigger::SessionEnd, store, session.id, session.last_event_at, &redactor);
}

fn distil_as(trigger: DistilTrigger, store: &mut Store, id: SessionId, now: Timestamp, redactor: &Redactor) {
    distil(store, id, &Distillation { trigger, root: None, redactor, now, until: None }).unwrap();
}

/// What was memories, whichever was written first.
fn memories(store: &Store) -> Vec<String> {
    let mut memories = Vec::new();
    let line_of = |memory: Memory| {
        let Memory { content, standing, times_seen, created_at, .. } = memory;
        // A session that is lived through has a summary from its first turn on.
        let at = if content.kind == Kind::Summary { Timestamp(0) } else { created_at };
        let Content { kind, title, body, files, provenance, .. } = content;
        format!(
            "{kind} {at:?} {title} | {body} | {files:?} | {provenance} | {} {times_seen}",
            standing == Standing::Confirmed
        )
    };
    store.memories().for_each(|memory| memories.push(line_of(memory))).unwrap();
    memories.sort();
    memories
}

#[test]
fn an_import_learns_what_hooks_would_have_learnt_turn_by_turn() {
    let dir = tempfile::tempdir().unwrap();
    let (home, cwd) = (dir.path().join("user"), dir.path().join("shop"));
    fs::create_dir_all(&cwd).unwrap();
    let imported = imported(&home, &cwd);
    let mut lived = opened(&dir.path().join("lived"));
    for session in (1..=SESSIONS).map(SessionId) {
        let events = imported.events().of_session(session, EventId(0)).unwrap();
        assert!(events.len() > 4 * TURNS, "{}", events.len());
        lived_through(&mut lived, &events, &cwd);
    }
    let (imported, lived) = (memories(&imported), memories(&lived));
    assert!(imported.len() > 150, "{}", imported.len());
    let differs: Vec<_> = imported.iter().zip(&lived).filter(|(one, other)| one != other).take(3).collect();
    assert!(differs.is_empty() && imported.len() == lived.len(), "{differs:#?}");
}
