//! Who distils many sessions need not ask the word index for each finding, and finds the same all the same.

use crate::recording::Recording;
use backstory_distil::DistilTrigger;
use backstory_memory::{Content, Kind, Memory, MemoryScope, ProjectId, Provenance, Redacted, Timestamp};
use backstory_store::{MemoryOrigin, NewMemory, Purpose, Store};
use proptest::prelude::*;

/// What people say: new, the same again in other words, put right, denied, and with another value.
const SAID: &[&str] = &[
    "We deploy to Heroku.",
    "We switched from Heroku to Fly for deployments.",
    "Always write tests with unittest.",
    "Stop using unittest, use pytest.",
    "Remember that the staging host is heron.",
    "Remember that the staging host is egret.",
    "Never squash commits when merging.",
    "Always squash commits when merging from now on.",
    "Always squash fixups before a review.",
    "We use Node 18.12 for all our services.",
    "We use Node 18.20 for all our services.",
    "Always prefer composition over inheritance.",
    "Always prefer inheritance over composition.",
    "We run the linter before every single commit.",
    "We always run the linter before every single commit.",
    "Use Redis for the session cache.",
    "Use Memcached for the session cache instead.",
    "Session tokens expire after 30 minutes.",
    "Session tokens expire after 15 minutes now, not 30.",
    "Please don't use axios anymore, use fetch.",
    "Use axios for HTTP calls.",
];

/// What agents say in the end.
const ANSWERED: &[&str] = &[
    "Noted.",
    "The pool is exhausted because each worker opens its own connection and never gives it back to the others.",
    "It turned out the pool is exhausted because each worker opens its own connection and never gives it back.",
    "I decided to keep the session cache in Redis because Memcached loses it on a restart.",
];

#[derive(Clone, Debug)]
enum Step {
    Turn(usize, usize),
    Session,
    /// Somebody else writes what may be the same as what is said next, for this project or for every one.
    Other(usize, MemoryScope),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..SAID.len(), 0..ANSWERED.len()).prop_map(|(said, answered)| Step::Turn(said, answered)),
        1 => Just(Step::Session),
        1 => (0..SAID.len(), prop_oneof![Just(MemoryScope::Project), Just(MemoryScope::User)])
            .prop_map(|(said, scope)| Step::Other(said, scope)),
    ]
}

fn play(mut story: Recording, steps: &[Step]) -> Recording {
    // The project is there before somebody else writes of it.
    story.asks("hello").closes("Noted.");
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Turn(said, answered) => {
                story.asks(SAID[*said]).looks("src/pool.rs").closes(ANSWERED[*answered]);
            }
            Step::Session => {
                story.ends();
                story.session(&format!("s{}", number + 2));
                story.asks("hello").says("Noted.");
            }
            Step::Other(said, scope) => others_write(&story, SAID[*said], *scope),
        }
    }
    story.distils(DistilTrigger::SessionEnd);
    story
}

/// Another process writes a memory between two turns.
fn others_write(story: &Recording, said: &str, scope: MemoryScope) {
    let mut store = Store::open(story.store.home(), Purpose::Command, Timestamp(0)).unwrap();
    let project = store.sessions().get(story.id()).unwrap().unwrap().project;
    let content =
        Content { scope, provenance: Provenance::Import, ..Content::new(Kind::Decision, said, said) };
    let memory = NewMemory {
        uid: None,
        project,
        origin: MemoryOrigin::default(),
        content: Redacted::vouch(content),
        created_at: Timestamp(1),
    };
    store.memories_mut().remember(&memory).unwrap();
}

/// Everything of a memory but its name, which is drawn by lot.
fn nameless_memories(story: &Recording) -> Vec<(Memory, String)> {
    let nameless = |memory: Memory| {
        let uid = backstory_memory::Uid::from_parts(0, [0; 10]);
        let evidence = format!("{:?}", story.store.memories().evidence(memory.id).unwrap());
        (Memory { uid, project: ProjectId(1), ..memory }, evidence)
    };
    story.memories().into_iter().map(nameless).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_same_is_found_as_one_by_one(steps in prop::collection::vec(step(), 1..30)) {
        let (one_by_one, among_many) = (play(Recording::new(), &steps), play(Recording::among_many(), &steps));
        prop_assert_eq!(nameless_memories(&one_by_one), nameless_memories(&among_many));
    }
}
