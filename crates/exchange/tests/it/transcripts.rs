//! Importing a transcript distils the memories that hooks would have distilled turn by turn.

use crate::fixtures::{NOW, import_everything};
use backstory_capture::{Redactor, RedactorOptions};
use backstory_distil::{DistilTrigger, Distillation, distil};
use backstory_exchange::{CarriedTranscript, ForeignDatabases, import_transcripts};
use backstory_hosts::{Host, HostPaths};
use backstory_memory::{
    Content, EventId, EventKind, Kind, Memory, ProjectKey, ProjectRef, Redacted, SessionId, Standing,
    Timestamp,
};
use backstory_store::{Home, IncomingEvent, Purpose, Store, StoredEvent};
use backstory_testkit::Transcripts;
use std::fs;
use std::path::Path;

/// More turns than a batch holds, so that a session is imported in parts.
const TURNS: usize = 30;
const SESSIONS: i64 = 2;

fn opened(home: &Path) -> Store {
    Store::open(&Home::new(home.join("backstory")), Purpose::Command, NOW).unwrap()
}

/// Imports generated transcripts of a project.
fn imported(home: &Path, cwd: &Path) -> Store {
    let folder = home.join("projects/-shop");
    fs::create_dir_all(&folder).unwrap();
    let mut generated = Transcripts::new(7, cwd.to_string_lossy());
    for _ in 0..SESSIONS {
        let session = generated.session(TURNS, 200);
        fs::write(folder.join(format!("{}.jsonl", session.session)), session.text).unwrap();
    }
    let places = HostPaths::default().with_directory(Host::ClaudeCode, home);
    let transcripts = Host::ClaudeCode.transcripts(&places, &ForeignDatabases).into_iter();
    let transcripts = transcripts.map(|transcript| CarriedTranscript { transcript, carrier: None }).collect();
    let redactor = Redactor::new(RedactorOptions::default());
    let mut store = opened(home);
    let report =
        import_transcripts(&mut store, transcripts, &import_everything(&redactor), &mut |_| {}).unwrap();
    assert_eq!(report.read, SESSIONS as u64);
    store
}

/// Records the events of a session one by one, and distils at the end of every turn.
fn capture_by_hooks(store: &mut Store, events: &[StoredEvent], cwd: &Path) {
    let redactor = Redactor::new(RedactorOptions::default());
    let root = cwd.display().to_string();
    let mut session = None;
    for StoredEvent { event, .. } in events {
        let keys = vec![ProjectKey::Path(root.clone())];
        let project_ref = ProjectRef { keys, name: "shop".into(), root: root.clone(), parent: None };
        store
            .events_mut()
            .record(&IncomingEvent {
                event: Redacted::vouch(event.clone()),
                project_ref: Redacted::vouch(project_ref),
            })
            .unwrap();
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

/// Writes every memory as a line, whichever was written first.
fn memories(store: &Store) -> Vec<String> {
    let mut memories = Vec::new();
    let line = |memory: Memory| {
        let Memory { content, standing, times_seen, created_at, .. } = memory;
        // A session that hooks capture has a summary from its first turn on.
        let at = if content.kind == Kind::Summary { Timestamp(0) } else { created_at };
        let Content { kind, title, body, files, provenance, .. } = content;
        format!(
            "{kind} {at:?} {title} | {body} | {files:?} | {provenance} | {} {times_seen}",
            standing == Standing::Confirmed
        )
    };
    store.memories().for_each(|memory| memories.push(line(memory))).unwrap();
    memories.sort();
    memories
}

#[test]
fn an_import_distils_what_hooks_would_have_distilled() {
    let dir = tempfile::tempdir().unwrap();
    let (home, cwd) = (dir.path().join("user"), dir.path().join("shop"));
    fs::create_dir_all(&cwd).unwrap();
    let imported = imported(&home, &cwd);
    let mut captured = opened(&dir.path().join("captured"));
    for session in (1..=SESSIONS).map(SessionId) {
        let events = imported.events().of_session(session, EventId(0)).unwrap();
        assert!(events.len() > 4 * TURNS, "{}", events.len());
        capture_by_hooks(&mut captured, &events, &cwd);
    }
    let (imported, captured) = (memories(&imported), memories(&captured));
    assert!(imported.len() > 50, "{}", imported.len());
    let differs: Vec<_> =
        imported.iter().zip(&captured).filter(|(one, other)| one != other).take(3).collect();
    assert!(differs.is_empty() && imported.len() == captured.len(), "{differs:#?}");
}
