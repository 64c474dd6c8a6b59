//! `export` and `import` over whatever a store may hold: nothing is lost, in lines or in documents.

use crate::export_markdown::tree;
use crate::support::{bar, done, size, world};
use backstory_capture::{Redactor, RedactorOptions, prepare};
use backstory_memory::{
    Category, Confidence, Content, Details, Digest, EventId, Importance, Kind, Link, MemoryId, MemoryScope,
    ProjectKey, ProjectRef, Provenance, Redacted, Relation, SummaryDetails, Timestamp,
};
use backstory_store::{
    Anchor, DistilledMemory, Home, MemoryOrigin, NewMemory, OnRepeat, Pin, Purpose, Store, UsageHistory,
    UseKind,
};
use backstory_testkit::TestEnv;
use proptest::prelude::*;
use std::fs;

/// Something done to a store.
#[derive(Clone, Debug)]
enum Act {
    Remember(Content, usize, Option<String>, (i64, u32, u32, Option<i64>)),
    Distil(Content, [u8; 16]),
    /// Changes the memory of a number, counted round.
    Change(usize, Change),
}

/// Something done to one memory; a number names another, counted round.
#[derive(Clone, Debug)]
enum Change {
    Supersede(Content),
    Replace(usize),
    Link(Relation, usize),
    Revise(Content),
    Anchor(Option<String>, Option<[u8; 16]>),
    Pin,
    Meet,
    Use,
    Forget,
}

/// Texts with what JSON, YAML, Markdown and terminals mean something by.
fn any_text() -> impl Strategy<Value = String> {
    let odd = [
        "---", "# ", "\n", "\r\n", "- ", ": ", "\"", "<<<<<<< ", "{", " ", "\u{1b}", "\u{feff}", "../",
        "word",
    ];
    let part =
        prop_oneof![3 => prop::sample::select(odd.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

fn any_time() -> impl Strategy<Value = i64> {
    -1_000_000_000_000i64..5_000_000_000_000
}

fn any_draft() -> impl Strategy<Value = Content> {
    let list = || prop::collection::vec(any_text(), 0..3);
    let provenance = prop_oneof![
        Just(Provenance::Web),
        Just(Provenance::Import),
        Just(Provenance::Tool),
        Just(Provenance::Assistant),
        Just(Provenance::User),
        "[a-z]{1,8}".prop_map(Provenance::Team),
    ];
    let texts = (any_text(), any_text(), list(), list(), list(), prop::option::of(any_text()));
    let rest =
        (prop::sample::select(Kind::ALL.to_vec()), 1i64..=5, 0.0..=1.0, provenance, any::<(bool, bool)>());
    let times = (prop::option::of(any_time()), prop::option::of(any_time()));
    (texts, rest, times).prop_map(|(texts, rest, times)| {
        let title = format!("T{}", texts.0);
        let draft = Content {
            category: texts.5.map(Category),
            details: texts.2.first().map(|step| {
                Details::Summary(SummaryDetails {
                    next_steps: vec![step.clone()],
                    ..SummaryDetails::default()
                })
            }),
            facts: texts.2,
            concepts: texts.3,
            files: texts.4,
            importance: Importance::new(rest.1),
            confidence: Confidence::new(rest.2),
            provenance: rest.3,
            scope: if rest.4.0 { MemoryScope::User } else { MemoryScope::Project },
            pinned: rest.4.1,
            valid_from: times.0.map(Timestamp),
            valid_to: times.1.map(Timestamp),
            ..Content::new(rest.0, &title, &texts.1)
        };
        prepare(draft, &Redactor::new(RedactorOptions::default())).into_inner()
    })
}

fn any_act() -> impl Strategy<Value = Act> {
    let usage = (any_time(), 0u32..9, 0u32..9, prop::option::of(any_time()));
    prop_oneof![
        6 => (any_draft(), 0usize..4, prop::option::of("[a-z]{1,3}"), usage)
            .prop_map(|(draft, project, session, usage)| Act::Remember(draft, project, session, usage)),
        2 => (any_draft(), any::<[u8; 16]>()).prop_map(|(draft, subject)| Act::Distil(draft, subject)),
        13 => (0usize..16, any_change()).prop_map(|(at, change)| Act::Change(at, change)),
    ]
}

fn any_change() -> impl Strategy<Value = Change> {
    let relation =
        prop::sample::select(vec![Relation::Contradicts, Relation::DerivedFrom, Relation::Relates]);
    prop_oneof![
        2 => any_draft().prop_map(Change::Supersede),
        1 => (0usize..16).prop_map(Change::Replace),
        2 => (relation, 0usize..16).prop_map(|(relation, to)| Change::Link(relation, to)),
        2 => any_draft().prop_map(Change::Revise),
        1 => (prop::option::of("[a-z]{1,9}"), prop::option::of(any::<[u8; 16]>()))
            .prop_map(|(symbol, hash)| Change::Anchor(symbol, hash)),
        4 => prop::sample::select(vec![Change::Pin, Change::Meet, Change::Use, Change::Forget]),
    ]
}

const NOW: Timestamp = Timestamp(1_777_636_800_000);

/// A store that things are done to.
struct Busy {
    store: Store,
    ids: Vec<MemoryId>,
    clock: i64,
}

impl Busy {
    fn new(env: &TestEnv) -> Busy {
        let home = Home::new(env.home());
        Busy { store: Store::open(&home, Purpose::Command, NOW).unwrap(), ids: Vec::new(), clock: NOW.0 }
    }

    fn at(&self, number: usize) -> Option<MemoryId> {
        self.ids.get(number.checked_rem(self.ids.len())?).copied()
    }

    /// Four projects: by its remote, by its place and of the same name, by a name, and one with a name that would be elsewhere.
    fn memory(&mut self, content: &Content, project: usize) -> NewMemory {
        let (name, key) = [
            ("app", ProjectKey::Remote("example.org/app".into())),
            ("app", ProjectKey::Path("/somewhere/app".into())),
            ("Named", ProjectKey::Named("Named".into())),
            ("../../escape", ProjectKey::Birth("00112233".into())),
        ][project]
            .clone();
        let project_ref =
            ProjectRef { keys: vec![key], name: name.into(), root: String::new(), parent: None };
        let project = self.store.projects_mut().find_or_create(&Redacted::vouch(project_ref), NOW).unwrap();
        let (content, created_at) = (content.clone(), Timestamp(self.clock));
        NewMemory {
            uid: None,
            project,
            origin: MemoryOrigin::default(),
            content: Redacted::vouch(content),
            created_at,
        }
    }

    fn act(&mut self, act: &Act) -> Option<()> {
        self.clock += 1000;
        let now = Timestamp(self.clock);
        match act {
            Act::Remember(draft, project, session, (updated_at, times_seen, times_used, last_used_at)) => {
                let mut memory = self.memory(draft, *project);
                let session = session.as_ref().map(|name| {
                    self.store
                        .sessions_mut()
                        .find_or_create(memory.project, "claude-code", &Redacted::vouch(name.clone()), now)
                        .unwrap()
                });
                let usage = UsageHistory {
                    updated_at: Timestamp(*updated_at),
                    times_seen: *times_seen,
                    times_used: *times_used,
                    last_used_at: last_used_at.map(Timestamp),
                };
                memory.origin = MemoryOrigin { session, usage: Some(usage), ..MemoryOrigin::default() };
                self.ids.push(self.store.memories_mut().remember(&memory).ok()?);
            }
            Act::Distil(draft, subject) => {
                let memory = self.memory(draft, 0);
                let session = self
                    .store
                    .sessions_mut()
                    .find_or_create(memory.project, "codex", &Redacted::vouch("s".into()), now)
                    .unwrap();
                let distilled = DistilledMemory {
                    subject: Digest(*subject),
                    memory,
                    on_repeat: OnRepeat::Reinforce,
                    same_as: None,
                    replaces: Vec::new(),
                    contradicts: self.at(0).into_iter().collect(),
                };
                let outcome =
                    self.store.memories_mut().write_distilled(session, EventId(0), &[distilled]).unwrap();
                self.ids.push(outcome[0].memory()?);
            }
            Act::Change(at, change) => self.change(self.at(*at)?, change, now)?,
        }
        Some(())
    }

    fn change(&mut self, id: MemoryId, change: &Change, now: Timestamp) -> Option<()> {
        match change {
            Change::Supersede(draft) => {
                let memory = self.memory(draft, 0);
                self.ids.push(self.store.memories_mut().supersede(id, &memory).ok()?);
            }
            Change::Replace(by) => {
                let by = self.at(*by)?;
                self.store.memories_mut().mark_superseded(id, by, now).unwrap();
            }
            Change::Link(relation, to) => {
                let link = Link { from: id, relation: *relation, to: self.at(*to)? };
                if link.from != link.to {
                    self.store.memories_mut().link(link).unwrap();
                }
            }
            Change::Revise(draft) => {
                self.store.memories_mut().revise(id, &Redacted::vouch(draft.clone()), now).ok()?;
            }
            Change::Anchor(symbol, hash) => {
                let path = self.store.memories().get(id).unwrap()?.content.files.first()?.clone();
                let anchor = Anchor { path, symbol: symbol.clone(), hash: hash.map(Digest) };
                self.store.code_mut().replace_anchors(id, &Redacted::vouch(vec![anchor])).unwrap();
            }
            Change::Pin => {
                self.store.memories_mut().pin(id, Pin::Keep).unwrap();
            }
            Change::Meet => {
                self.store.memories_mut().reinforce(id, now).unwrap();
            }
            Change::Use => {
                self.store.injections_mut().mark_used(&[id], UseKind::Fetched, now).unwrap();
            }
            Change::Forget => {
                self.store.memories_mut().forget(&[id], now).unwrap();
                self.ids.retain(|other| *other != id);
            }
        }
        Some(())
    }
}

fn exported(env: &TestEnv, name: &str) -> String {
    done(env, &["export", name]);
    fs::read_to_string(env.project().join(name)).unwrap()
}

#[test]
fn any_store_comes_back_whole_from_jsonl_and_from_markdown() {
    let config = ProptestConfig {
        cases: u32::try_from(size(8, 256)).unwrap(),
        max_shrink_iters: 60,
        ..ProptestConfig::default()
    };
    proptest!(config, |(acts in prop::collection::vec(any_act(), 1..24), first in any_draft())| {
        let env = world();
        let mut busy = Busy::new(&env);
        busy.act(&Act::Remember(first, 1, None, (0, 1, 0, None)));
        for act in &acts {
            busy.act(act);
        }
        prop_assume!(!busy.ids.is_empty());
        drop(busy);
        let lines = exported(&env, "lines.jsonl");

        let other = world();
        fs::write(other.project().join("lines.jsonl"), &lines).unwrap();
        done(&other, &["import", "--trust", "user", "lines.jsonl"]);
        prop_assert_eq!(&exported(&other, "again.jsonl"), &lines);

        done(&env, &["export", "--format", "markdown", "documents"]);
        let documents = tree(&env.project().join("documents"));
        prop_assert_eq!(documents.keys().filter(|path| !path.ends_with("project.md")).count(), lines.lines().count());
        let third = world();
        let path = env.project().join("documents").display().to_string();
        done(&third, &["import", "--trust", "user", &path]);
        done(&third, &["export", "--format", "markdown", "documents"]);
        prop_assert_eq!(&tree(&third.project().join("documents")), &documents);
        let sorted = |lines: &str| { let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect(); lines.sort(); lines };
        prop_assert_eq!(sorted(&exported(&third, "third.jsonl")), sorted(&lines));

        let again = env.run(["export", "--format", "markdown", "documents"]);
        prop_assert!(again.stderr.contains(": 0 files written, 0 removed"), "{again:?}");
        prop_assert_eq!(&tree(&env.project().join("documents")), &documents);
    });
    bar("X02", format_args!("{} stores came back whole from lines and from documents", size(8, 256)));
}
