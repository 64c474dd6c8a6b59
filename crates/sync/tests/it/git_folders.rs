//! People who share a project through a folder each, merged as git merges it: a file of either side stays. A real git is in the tests of
//! `cli`.

use backstory_capture::{Redactor, RedactorOptions};
use backstory_memory::{
    Content, Kind, Memory, MemoryId, ProjectId, ProjectKey, ProjectRef, Redacted, Timestamp, Uid,
};
use backstory_store::{Home, MemoryOrigin, NewMemory, Purpose, Store};
use backstory_sync::{GitShare, SharePolicy, TeamProvenance, pull_from_folder, push_to_folder};
use backstory_testkit::size;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const BEGIN: i64 = 1_800_000_000_000;

/// Somebody with a store and a folder.
struct Person {
    dir: TempDir,
    store: Store,
    project: ProjectId,
    policy: SharePolicy,
    name: &'static str,
}

/// What everybody must have of a memory.
#[derive(Debug, PartialEq)]
struct SharedState {
    uid: Uid,
    title: String,
    replaced_by: Option<Uid>,
    /// What a member of the team said before, and until when.
    before: Vec<(String, Timestamp)>,
}

impl Person {
    fn new(name: &'static str) -> Person {
        let dir = TempDir::new().unwrap();
        let home = Home::new(dir.path().join("home"));
        let mut store = Store::open(&home, Purpose::Command, Timestamp(BEGIN)).unwrap();
        let (keys, root) = (vec![ProjectKey::Path("/home/u/one".into())], "/home/u/one".into());
        let project = ProjectRef { keys, name: "one".into(), root, parent: None };
        let project =
            store.projects_mut().find_or_create(&Redacted::vouch(project), Timestamp(BEGIN)).unwrap();
        let redactor = Redactor::new(RedactorOptions::default());
        let policy = SharePolicy::new(vec![Kind::Decision], TeamProvenance::Team, redactor);
        Person { dir, store, project, policy, name }
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("shared")
    }

    fn push(&mut self, now: i64) {
        let dir = self.folder();
        let share = GitShare { dir: &dir, policy: &self.policy, now: Timestamp(now) };
        push_to_folder(&mut self.store, self.project, self.name, &share).unwrap();
    }

    /// Merges somebody's folder and pulls.
    fn pull_from(&mut self, other: &Path, now: i64) {
        let dir = self.folder();
        merge(&dir, other);
        let share = GitShare { dir: &dir, policy: &self.policy, now: Timestamp(now) };
        pull_from_folder(&mut self.store, self.project, &share).unwrap();
    }

    fn decision(&self, text: &str, now: i64) -> NewMemory {
        let content = Redacted::vouch(Content::new(Kind::Decision, text, text));
        let (project, origin) = (self.project, MemoryOrigin::default());
        NewMemory { uid: None, project, origin, content, created_at: Timestamp(now) }
    }

    fn remembers(&mut self, text: &str, now: i64) -> MemoryId {
        let decision = self.decision(text, now);
        self.store.memories_mut().remember(&decision).unwrap()
    }

    fn revises(&mut self, id: MemoryId, text: &str, now: i64) {
        let before = self.store.memories().get(id).unwrap().unwrap().content;
        let content = Content { title: text.to_owned(), body: text.to_owned(), ..before };
        self.store.memories_mut().revise(id, &Redacted::vouch(content), Timestamp(now)).unwrap();
    }

    /// Replaces a memory, unless another has replaced it.
    fn supersedes(&mut self, id: MemoryId, text: &str, now: i64) -> Option<MemoryId> {
        let decision = self.decision(text, now);
        self.store.memories_mut().supersede(id, &decision).ok()
    }

    fn forgets(&mut self, id: MemoryId, now: i64) {
        self.store.memories_mut().forget(&[id], Timestamp(now)).unwrap();
    }

    fn memories(&self) -> Vec<Memory> {
        let mut all = Vec::new();
        self.store.memories().for_each(|memory| all.push(memory)).unwrap();
        all.sort_by(|one, other| one.uid.cmp(&other.uid));
        all
    }

    /// Returns everything that must be the same for everybody: what a memory says, what replaced it, and who said what before.
    fn replica(&self) -> Vec<SharedState> {
        let reader = self.store.memories();
        let line = |memory: Memory| {
            let replaced_by = reader.links_by_uid(memory.id, &memory.uid).unwrap().superseded_by;
            let shared = reader.revisions(memory.id).unwrap().into_iter().filter(|old| old.author.is_some());
            let shared = shared.map(|old| (old.content.title, old.until)).collect();
            SharedState { uid: memory.uid, title: memory.content.title, replaced_by, before: shared }
        };
        self.memories().into_iter().map(line).collect()
    }
}

/// Adds every file of a folder to another.
fn merge(into: &Path, from: &Path) {
    fs::create_dir_all(into).unwrap();
    for part in fs::read_dir(from).into_iter().flatten().flatten() {
        for file in fs::read_dir(part.path()).unwrap().flatten() {
            let place = into.join(part.file_name());
            fs::create_dir_all(&place).unwrap();
            if !place.join(file.file_name()).exists() {
                fs::copy(file.path(), place.join(file.file_name())).unwrap();
            }
        }
    }
}

/// Both make the same change by themselves: what is pulled while it is pending is read again once it was pushed, though the push
/// adds no file.
#[test]
fn a_change_that_another_made_as_well_is_read_after_the_push() {
    let (mut ann, mut bob) = (Person::new("ann"), Person::new("bob"));
    let old = ann.remembers("We decided on tabs", BEGIN);
    ann.push(BEGIN);
    let new = ann.supersedes(old, "We decided on spaces", BEGIN + 10).unwrap();
    ann.push(BEGIN + 10);
    bob.pull_from(&ann.folder(), BEGIN + 11);
    // Without what replaced it the old decision holds again, from the same moment on for both.
    ann.forgets(new, BEGIN + 20);
    ann.push(BEGIN + 20);
    let replacement =
        bob.memories().iter().find(|memory| memory.content.title.contains("spaces")).unwrap().id;
    bob.forgets(replacement, BEGIN + 21);
    bob.pull_from(&ann.folder(), BEGIN + 22);
    bob.push(BEGIN + 23);
    for (person, folder) in [(&mut bob, ann.folder()), (&mut ann, PathBuf::new())] {
        person.pull_from(&folder, BEGIN + 24);
    }
    assert_eq!(ann.replica(), bob.replica());
    assert_eq!(ann.replica()[0].before.len(), 2, "{:?}", ann.replica());
}

/// The same sequence for the same seed.
struct Dice(u64);

impl Dice {
    fn pick(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below.max(1)
    }
}

/// Does something a person might do. Clocks differ by a little, and may go back.
fn live(people: &mut [Person], deeds: usize, dice: &mut Dice) -> i64 {
    let mut now = BEGIN;
    for deed in 0..deeds {
        now += i64::try_from(dice.pick(8)).unwrap() - 2;
        let other = people[dice.pick(people.len())].folder();
        let at = dice.pick(people.len());
        let person = &mut people[at];
        // Never the same text twice: whoever has forgotten it does not pull it from anybody.
        let text = format!("We decided on stone {deed}");
        let known = person.memories();
        let id = known.get(dice.pick(known.len())).map(|memory| memory.id);
        match (dice.pick(12), id) {
            (0..3, _) | (3..7, None) => drop(person.remembers(&text, now)),
            (3, Some(id)) => person.revises(id, &text, now),
            (4, Some(id)) => drop(person.supersedes(id, &text, now)),
            (5..7, Some(id)) => person.forgets(id, now),
            (7..9, _) => person.push(now),
            _ => person.pull_from(&other, now),
        }
    }
    now
}

proptest! {
    #![proptest_config(ProptestConfig { cases: size(12, 60) as u32, ..ProptestConfig::default() })]

    #[test]
    fn whatever_three_people_do_their_replicas_agree(seed in any::<u64>()) {
        let mut people = ["ann", "bob", "carl"].map(Person::new);
        let mut now = live(&mut people, 120, &mut Dice(seed));
        for _ in 0..4 {
            for at in 0..people.len() {
                now += 3;
                people[at].push(now);
                let folders = people.each_ref().map(Person::folder);
                folders.iter().for_each(|folder| people[at].pull_from(folder, now));
            }
        }
        let [ann, bob, carl] = people.each_ref().map(Person::replica);
        prop_assert_eq!(&ann, &bob);
        prop_assert_eq!(&ann, &carl);
    }
}
