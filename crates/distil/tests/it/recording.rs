//! A made-up session for the tests of distillation: what happens is said in a line each, and goes the way real events go.

use crate::cases::Entry;
use backstory_capture::{CaptureContext, RawEvent, Redactor, RedactorOptions, normalise};
use backstory_distil::{DistilReport, DistilTrigger, Distillation, ImportCache, distil, distil_batch};
use backstory_memory::{
    Activity, EventBody, ExitStatus, Hunk, Kind, Memory, MemoryId, PlanStep, ProjectKey, ProjectRef,
    Provenance, Redacted, SessionId, Subagent, Timestamp,
};
use backstory_store::{Filter, Home, IncomingEvent, Purpose, RecordOutcome, Scope, StandingFilter, Store};
use tempfile::TempDir;

pub(crate) struct Recording {
    pub(crate) dir: TempDir,
    pub(crate) store: Store,
    session: String,
    now: i64,
    number: u64,
    checks_repeats: bool,
    cache: Option<ImportCache>,
    /// Who does what happens next; nothing for the agent itself.
    pub(crate) subagent: Option<Subagent>,
}

impl Recording {
    pub(crate) fn new() -> Recording {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path().join("home"));
        std::fs::create_dir(dir.path().join("project")).unwrap();
        let store = Store::open(&home, Purpose::Command, Timestamp(0)).unwrap();
        Recording {
            dir,
            store,
            session: "s1".into(),
            now: 1_800_000_000_000,
            number: 0,
            checks_repeats: false,
            cache: None,
            subagent: None,
        }
    }

    /// A session as an import has it: one after the other, each distilled among many.
    pub(crate) fn among_many() -> Recording {
        Recording { cache: Some(ImportCache::default()), ..Recording::new() }
    }

    pub(crate) fn root(&self) -> std::path::PathBuf {
        self.dir.path().join("project")
    }

    /// Goes on in another session, an hour later.
    pub(crate) fn session(&mut self, name: &str) -> &mut Recording {
        self.session = name.to_owned();
        self.now += 3_600_000;
        self
    }

    pub(crate) fn happens(&mut self, activity: Activity, provenance: Provenance) -> &mut Recording {
        self.number += 1;
        self.now += 1_000;
        let raw = RawEvent {
            host: "test".into(),
            host_session: self.session.clone(),
            tool: tool(&activity).map(str::to_owned),
            sequence: Some(self.number.to_string()),
            provenance,
            body: EventBody { activity, subagent: self.subagent.clone(), words: None },
            key: None,
        };
        let root = self.root().display().to_string();
        let redactor = Redactor::new(RedactorOptions::default());
        let injected = self.store.injections().recent_shingles("test", &self.session).unwrap();
        let around = CaptureContext {
            redactor: &redactor,
            most_bytes: 16_384,
            root: &root,
            injected: &injected,
            at: Timestamp(self.now),
        };
        let event = normalise(raw, &around);
        let project_ref = ProjectRef {
            keys: vec![ProjectKey::Path(root.clone())],
            name: "project".into(),
            root,
            parent: None,
        };
        let recorded = self
            .store
            .events_mut()
            .record(&IncomingEvent { event, project_ref: Redacted::vouch(project_ref) })
            .unwrap();
        assert!(matches!(recorded, RecordOutcome::Stored(_) | RecordOutcome::Forgotten), "{recorded:?}");
        self
    }

    pub(crate) fn asks(&mut self, text: &str) -> &mut Recording {
        self.happens(Activity::Prompted { text: text.into() }, Provenance::User)
    }

    /// The user says something while the agent works.
    pub(crate) fn steers(&mut self, text: &str) -> &mut Recording {
        self.asks("Go on").happens(Activity::Interjected { text: text.into() }, Provenance::User)
    }

    pub(crate) fn says(&mut self, message: &str) -> &mut Recording {
        self.happens(Activity::TurnEnded { message: message.into() }, Provenance::Assistant)
    }

    pub(crate) fn looks(&mut self, at: &str) -> &mut Recording {
        self.happens(Activity::Looked { at: at.into(), words: None }, Provenance::Tool)
    }

    pub(crate) fn fetches(&mut self, request: &str, answer: &str) -> &mut Recording {
        self.happens(Activity::Fetched { request: request.into(), answer: answer.into() }, Provenance::Web)
    }

    pub(crate) fn runs(&mut self, command: &str, output: &str) -> &mut Recording {
        let activity =
            Activity::Ran { command: command.into(), output: output.into(), status: ExitStatus::Success };
        self.happens(activity, Provenance::Tool)
    }

    pub(crate) fn fails(&mut self, command: &str, output: &str) -> &mut Recording {
        let activity =
            Activity::Ran { command: command.into(), output: output.into(), status: ExitStatus::Failure };
        self.happens(activity, Provenance::Tool)
    }

    pub(crate) fn edits(&mut self, file: &str, before: &str, after: &str) -> &mut Recording {
        let hunks = vec![Hunk { before: before.into(), after: after.into() }];
        let file = self.root().join(file).display().to_string();
        self.happens(Activity::Edited { file, is_new: before.is_empty(), hunks }, Provenance::Tool)
    }

    /// Writes a file that was not there, on disk too.
    pub(crate) fn creates(&mut self, file: &str, text: &str) -> &mut Recording {
        let path = self.root().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self.edits(file, "", text)
    }

    pub(crate) fn plans(&mut self, steps: &[(&str, bool)]) -> &mut Recording {
        let step = |(text, is_done): &(&str, bool)| PlanStep { text: (*text).into(), is_done: *is_done };
        self.happens(Activity::Planned { steps: steps.iter().map(step).collect() }, Provenance::Tool)
    }

    /// Does what one entry of a session file says.
    pub(crate) fn plays(&mut self, entry: &Entry) {
        let (value, body, text) = (entry.value.as_str(), entry.block('|'), entry.text());
        match entry.key.as_str() {
            "continues in" => _ = self.session(value),
            "asks" => _ = self.asks(&text),
            "looks" => _ = self.looks(value),
            "runs" => _ = self.runs(value, &body),
            "fails" => _ = self.fails(value, &body),
            "fetches" => _ = self.fetches(value, &body),
            "creates" => _ = self.creates(value, &body),
            "edits" => _ = self.edits(value, &entry.block('-'), &entry.block('+')),
            "plans" => {
                let steps = body.lines().map(|line| line.split_at(4));
                let steps: Vec<_> = steps.map(|(is_done, step)| (step, is_done == "[x] ")).collect();
                self.plans(&steps);
            }
            "compacts" => _ = self.compacts(),
            "closes" => _ = self.closes(&text),
            "breaks" => _ = self.happens(Activity::TurnBroken { error: text }, Provenance::Tool),
            "subagent" => {
                self.subagent =
                    value.split_once(' ').map(|(id, sort)| Subagent { id: id.into(), sort: sort.into() });
            }
            "starts" => _ = self.happens(Activity::SubagentStarted, Provenance::Tool),
            "reports" => {
                self.happens(Activity::SubagentEnded { message: text }, Provenance::Assistant);
            }
            key => panic!("{}: nothing `{key}`", entry.at),
        }
    }

    pub(crate) fn id(&self) -> SessionId {
        self.store.sessions().find("test", &self.session).unwrap().unwrap().id
    }

    pub(crate) fn distils(&mut self, trigger: DistilTrigger) -> DistilReport {
        self.distils_until(trigger, None)
    }

    pub(crate) fn distils_until(
        &mut self,
        trigger: DistilTrigger,
        until: Option<std::time::Instant>,
    ) -> DistilReport {
        let redactor = Redactor::new(RedactorOptions::default());
        let root = self.root();
        let how =
            Distillation { trigger, root: Some(&root), redactor: &redactor, now: Timestamp(self.now), until };
        let id = self.id();
        let report = match &mut self.cache {
            Some(cache) => {
                let distil = |store: &mut Store| distil_batch(store, id, &how, cache);
                self.store.transaction(distil).unwrap()
            }
            None => distil(&mut self.store, id, &how).unwrap(),
        };
        if self.checks_repeats {
            let known = self.memories();
            let again = distil(&mut self.store, id, &how).unwrap();
            assert_eq!(again, DistilReport::default(), "{:#?}", self.kinds());
            assert_eq!(known, self.memories());
        }
        report
    }

    /// From now on whatever is distilled is distilled twice, which must not change anything.
    pub(crate) fn checks_repeats(&mut self) {
        self.checks_repeats = true;
    }

    /// How far each event of this session that a memory stands on is trusted.
    pub(crate) fn trusts_behind(&self, memory: MemoryId) -> Vec<Provenance> {
        let evidence = self.store.memories().evidence(memory).unwrap();
        let events = self.store.events().latest(self.id(), 1_000).unwrap();
        events
            .into_iter()
            .filter(|event| evidence.contains(&event.id))
            .map(|event| event.event.provenance)
            .collect()
    }

    /// The turn ends: the agent says so, and it is distilled.
    pub(crate) fn closes(&mut self, message: &str) -> DistilReport {
        self.says(message);
        self.distils(DistilTrigger::TurnEnd)
    }

    /// The host compacts its context, and what happened so far is distilled.
    pub(crate) fn compacts(&mut self) -> &mut Recording {
        self.happens(Activity::Compacting { instructions: String::new() }, Provenance::Tool);
        self.distils(DistilTrigger::Compaction);
        self
    }

    /// The session ends, and the rest of it is distilled.
    pub(crate) fn ends(&mut self) -> DistilReport {
        self.happens(Activity::SessionEnded { reason: "other".into() }, Provenance::Tool);
        self.distils(DistilTrigger::SessionEnd)
    }

    /// Every memory there is, replaced ones included, in the order they were written.
    pub(crate) fn memories(&self) -> Vec<Memory> {
        let filter =
            Filter { standing: StandingFilter::Any, limit: 1000, ..Filter::within(Scope::Everywhere) };
        let mut ids = self.store.search().list(&filter).unwrap();
        ids.sort();
        self.store.memories().get_many(&ids).unwrap()
    }

    pub(crate) fn of_kind(&self, kind: Kind) -> Vec<Memory> {
        self.memories().into_iter().filter(|memory| memory.content.kind == kind).collect()
    }

    /// The one memory of a kind.
    pub(crate) fn only(&self, kind: Kind) -> Memory {
        let mut found = self.of_kind(kind);
        assert_eq!(found.len(), 1, "{kind}: {:#?}", self.kinds());
        found.remove(0)
    }

    /// Kind and title of everything, to be compared and to be read when a test fails.
    pub(crate) fn kinds(&self) -> Vec<String> {
        self.memories()
            .iter()
            .map(|memory| format!("{}: {}", memory.content.kind, memory.content.title))
            .collect()
    }
}

/// The tool that an activity comes from. What fails in these tests is an edit.
fn tool(activity: &Activity) -> Option<&'static str> {
    match activity {
        Activity::Ran { .. } => Some("Bash"),
        Activity::Looked { .. } => Some("Read"),
        Activity::Edited { .. } | Activity::ToolFailed { .. } => Some("Edit"),
        _ => None,
    }
}
