//! Vectors come to be and stay true: whatever happens to memories, to the file or to the process that writes it.

use backstory_embed::{
    DIMENSION, Encoder, Quantised, Vector, VectorFile, VectorRow, VectorScope as Scope, VectorWriter,
};
use backstory_memory::{Content, Kind, MemoryId, MemoryScope, ProjectKey, ProjectRef, Redacted, Timestamp};
use backstory_platform::is_open_to_others;
use backstory_recall::{
    EmbeddingJob, EmbeddingReport, embed_pending, rebuild_vectors, remove_dead_vectors,
    requeue_missing_vectors,
};
use backstory_store::{ANY_PROJECT, Home, MemoryOrigin, NewMemory, Purpose, Store};
use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const NOW: Timestamp = Timestamp(1_800_000_000_000);

/// A model whose vectors depend on every byte of a text, and that can be made to do something while it reads.
struct CountingModel {
    name: &'static str,
    read: Mutex<Vec<String>>,
    meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

fn model() -> CountingModel {
    CountingModel { name: "a-model", read: Mutex::default(), meanwhile: Mutex::new(None) }
}

fn vector_of(text: &str) -> Vector {
    let mut state = text.bytes().fold(7_u64, |state, byte| state.wrapping_mul(31) ^ u64::from(byte)) << 1 | 1;
    Vector::normalised(std::array::from_fn::<f32, DIMENSION, _>(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    }))
    .unwrap()
}

impl Encoder for CountingModel {
    fn model_name(&self) -> &'static str {
        self.name
    }

    fn encode(&self, text: &str) -> Vec<Vector> {
        self.read.lock().unwrap().push(text.to_owned());
        if let Some(act) = self.meanwhile.lock().unwrap().take() {
            act();
        }
        // Two vectors, as of a long text.
        vec![vector_of(text), vector_of(&format!("{text} again"))]
    }

    fn encode_query(&self, text: &str) -> Option<Vector> {
        Some(vector_of(text))
    }
}

struct VectorHome {
    _dir: TempDir,
    home: Home,
}

impl VectorHome {
    fn new() -> VectorHome {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::new(dir.path().join("home"));
        VectorHome { _dir: dir, home }
    }

    fn store(&self) -> Store {
        Store::open(&self.home, Purpose::Command, NOW).unwrap()
    }

    /// A store with memories that say these words.
    fn saying(&self, texts: &[&str]) -> Store {
        let mut store = self.store();
        for text in texts {
            say(&mut store, text);
        }
        store
    }

    fn file(&self) -> VectorFile {
        VectorFile::open(&self.home.vectors(), "a-model").unwrap()
    }

    /// The memory of each row, in the order of the numbers.
    fn rows(&self) -> Vec<i64> {
        let mut rows: Vec<i64> = self.file().memories().collect();
        rows.sort_unstable();
        rows
    }

    /// The memory whose vector is the one of this text.
    fn found(&self, text: &str) -> Option<i64> {
        let nearest = self.file().scan(&vector_of(text), Scope::Everything, 1).unwrap();
        nearest.first().filter(|nearest| nearest.cosine > 0.99).map(|nearest| nearest.memory)
    }

    fn is_read_only_by_its_owner(&self) -> bool {
        let entries = fs::read_dir(self.home.root()).unwrap().map(|entry| entry.unwrap());
        entries.into_iter().all(|entry| !is_open_to_others(&entry.metadata().unwrap()))
    }
}

fn say(store: &mut Store, text: &str) -> MemoryId {
    let keys = vec![ProjectKey::Path("/home/u/one".to_owned())];
    let one = ProjectRef { keys, name: "one".to_owned(), root: "/home/u/one".to_owned(), parent: None };
    let project = store.projects_mut().find_or_create(&Redacted::vouch(one), NOW).unwrap();
    let content = draft(text);
    let new = NewMemory {
        uid: None,
        project,
        origin: MemoryOrigin::default(),
        content: Redacted::vouch(content),
        created_at: NOW,
    };
    store.memories_mut().remember(&new).unwrap()
}

fn draft(text: &str) -> Content {
    Content::new(Kind::Note, text, "")
}

fn embed(store: &mut Store, model: &CountingModel) -> u64 {
    let work = EmbeddingJob { encoder: model, cores: 1, until: None };
    embed_pending(store, &work, |_| {}).unwrap().memories
}

#[test]
fn what_waits_is_embedded_newest_first_and_once() {
    let place = VectorHome::new();
    let mut store = place.saying(&["one", "two", "three"]);
    let model = model();
    let mut reported = Vec::new();
    let work = EmbeddingJob { encoder: &model, cores: 1, until: None };
    embed_pending(&mut store, &work, |done| reported.push(done)).unwrap();
    assert_eq!(*model.read.lock().unwrap(), ["three", "two", "one"]);
    assert_eq!((reported, place.rows()), (vec![1, 2, 3], vec![1, 1, 2, 2, 3, 3]));
    assert_eq!((place.found("two"), store.vectors().count_stale().unwrap()), (Some(2), 0));
    assert_eq!(embed(&mut store, &model), 0);
    assert_eq!(place.rows().len(), 6);
    assert!(place.is_read_only_by_its_owner());
}

#[test]
fn title_text_and_facts_are_embedded_and_nothing_twice() {
    let place = VectorHome::new();
    let mut store = place.saying(&["tabs"]);
    let model = model();
    let facts = vec!["width 4".to_owned()];
    let say = |store: &mut Store, title: &str, body: &str| {
        let content = Content { facts: facts.clone(), ..Content::new(Kind::Note, title, body) };
        store.memories_mut().revise(MemoryId(1), &Redacted::vouch(content), NOW).unwrap();
        embed(store, &model);
        model.read.lock().unwrap().pop().unwrap()
    };
    assert_eq!(say(&mut store, "Tabs", "they are wide"), "Tabs\nthey are wide\nwidth 4");
    assert_eq!(say(&mut store, "Tabs", "Tabs are wide"), "Tabs are wide\nwidth 4");
    assert_eq!(
        say(&mut store, "Tabs are wide", "**Tabs** are wide\nand why"),
        "**Tabs** are wide\nand why\nwidth 4"
    );
}

#[test]
fn memories_stand_under_their_project_or_under_everywhere() {
    let place = VectorHome::new();
    let mut store = place.saying(&["here", "anywhere"]);
    store
        .memories_mut()
        .revise(MemoryId(2), &Redacted::vouch(Content { scope: MemoryScope::User, ..draft("anywhere") }), NOW)
        .unwrap();
    embed(&mut store, &model());
    let in_project = |project: i64| {
        let found = place.file().scan(&vector_of("x"), Scope::Projects(&[project]), 9).unwrap();
        found.iter().map(|neighbour| neighbour.memory).collect::<Vec<_>>()
    };
    let project = store.memories().get(MemoryId(1)).unwrap().unwrap().project;
    assert_eq!((in_project(project.0), in_project(ANY_PROJECT.0)), (vec![1], vec![2]));
}

#[test]
fn a_changed_memory_is_found_by_its_new_words_only() {
    let place = VectorHome::new();
    let mut store = place.saying(&["tabs", "other"]);
    let model = model();
    embed(&mut store, &model);
    store.memories_mut().revise(MemoryId(1), &Redacted::vouch(draft("spaces")), NOW).unwrap();
    assert_eq!(embed(&mut store, &model), 1);
    assert_eq!((place.found("tabs"), place.found("spaces")), (None, Some(1)));
    assert_eq!(place.rows(), [1, 1, 2, 2]);
}

#[test]
fn no_byte_of_a_forgotten_memorys_vector_stays() {
    let place = VectorHome::new();
    let mut store = place.saying(&["a secret wish", "other"]);
    let model = model();
    embed(&mut store, &model);
    let bytes = vector_of("a secret wish").quantise().to_bytes();
    let holds = || fs::read(place.home.vectors()).unwrap().windows(384).any(|part| part == &bytes[4..]);
    assert!(holds());
    store.memories_mut().forget(&[MemoryId(1)], NOW).unwrap();
    remove_dead_vectors(&mut store, &model).unwrap();
    assert!(!holds());
    assert_eq!((place.rows(), store.vectors().count_stale().unwrap()), (vec![2, 2], 0));
}

#[test]
fn what_changes_or_is_forgotten_while_it_is_read_leaves_no_wrong_vector() {
    for forget in [false, true] {
        let place = VectorHome::new();
        let mut store = place.saying(&["tabs"]);
        let (model, mut other) = (model(), place.store());
        *model.meanwhile.lock().unwrap() = Some(Box::new(move || {
            if forget {
                other.memories_mut().forget(&[MemoryId(1)], NOW).unwrap();
            } else {
                other.memories_mut().revise(MemoryId(1), &Redacted::vouch(draft("spaces")), NOW).unwrap();
            }
        }));
        embed(&mut store, &model);
        assert_eq!(place.found("tabs"), None);
        assert_eq!(place.found("spaces"), (!forget).then_some(1));
        assert_eq!(store.vectors().count_stale().unwrap(), 0);
    }
}

/// What a kill leaves: rows that were appended, or only some of them, and a store that was not reported.
#[test]
fn a_kill_between_the_steps_loses_nothing_and_leaves_nothing_wrong() {
    for appended in 0..=2 {
        let place = VectorHome::new();
        let mut store = place.saying(&["one", "two"]);
        let model = model();
        embed(&mut store, &model);
        let three = say(&mut store, "three");
        let memory = store.memories().get(three).unwrap().unwrap();
        store.vectors_mut().begin_append(&[memory]).unwrap();
        let vectors: Vec<Quantised> = model.encode("three").iter().map(Vector::quantise).collect();
        let rows = vectors.iter().map(|vector| VectorRow { memory: 3, project: 1, vector });
        let mut writer = VectorWriter::open(&place.home.vectors(), model.name).unwrap();
        writer.append(&rows.take(appended).collect::<Vec<_>>()).unwrap();
        drop((writer, store));
        let mut store = place.store();
        assert_eq!(embed(&mut store, &model), 1);
        assert_eq!((place.rows(), place.found("three")), (vec![1, 1, 2, 2, 3, 3], Some(3)));
        assert_eq!(store.vectors().count_stale().unwrap(), 0);
    }
}

#[test]
fn a_file_that_is_gone_damaged_or_of_another_model_is_made_anew() {
    let spoil: [fn(&VectorHome); 3] = [
        |place| fs::remove_file(place.home.vectors()).unwrap(),
        |place| fs::write(place.home.vectors(), "rubbish").unwrap(),
        |place| {
            let other = VectorWriter::rebuild(&place.home.vectors(), "another-model").unwrap();
            other.finish().unwrap();
        },
    ];
    for spoil in spoil {
        let place = VectorHome::new();
        let mut store = place.saying(&["one", "two"]);
        let model = model();
        embed(&mut store, &model);
        spoil(&place);
        say(&mut store, "three");
        assert_eq!(embed(&mut store, &model), 3);
        assert_eq!(place.rows(), [1, 1, 2, 2, 3, 3]);
    }
}

#[test]
fn making_anew_goes_on_where_it_was_cut_short() {
    let place = VectorHome::new();
    let mut store = place.saying(&["one", "two"]);
    let model = model();
    embed(&mut store, &model);
    rebuild_vectors(&mut store, &model).unwrap();
    assert_eq!((place.rows(), store.vectors().count_stale().unwrap()), (vec![], 2));
    assert_eq!(embed(&mut place.store(), &model), 2);
    assert_eq!(place.rows(), [1, 1, 2, 2]);
}

#[test]
fn rows_that_are_missing_are_noticed() {
    let place = VectorHome::new();
    let mut store = place.saying(&["one", "two"]);
    let model = model();
    embed(&mut store, &model);
    VectorWriter::open(&place.home.vectors(), model.name).unwrap().forget(&[1]).unwrap();
    assert_eq!(requeue_missing_vectors(&mut store, &model).unwrap(), 1);
    assert_eq!(embed(&mut store, &model), 1);
    assert_eq!(place.rows(), [1, 1, 2, 2]);
}

#[test]
fn who_finds_another_process_embedding_leaves_it_the_work() {
    let place = VectorHome::new();
    let mut store = place.saying(&["one"]);
    let (slow, mut other) = (model(), place.store());
    let reported = std::sync::Arc::new(Mutex::new(None));
    *slow.meanwhile.lock().unwrap() = Some(Box::new({
        let reported = reported.clone();
        move || {
            let quick = model();
            let work = EmbeddingJob { encoder: &quick, cores: 1, until: None };
            *reported.lock().unwrap() = Some(embed_pending(&mut other, &work, |_| {}).unwrap());
        }
    }));
    assert_eq!(embed(&mut store, &slow), 1);
    let left = EmbeddingReport { memories: 0, another_process_embeds: true };
    assert_eq!(*reported.lock().unwrap(), Some(left));
    assert_eq!(place.rows(), [1, 1]);
}

#[test]
fn when_the_time_is_over_the_rest_goes_on_waiting() {
    let place = VectorHome::new();
    let mut store = place.saying(&["one", &"long ".repeat(40)]);
    store
        .memories_mut()
        .revise(MemoryId(2), &Redacted::vouch(Content::new(Kind::Note, "two", &"word ".repeat(40_000))), NOW)
        .unwrap();
    let model = model();
    let within =
        |time: Duration| EmbeddingJob { encoder: &model, cores: 1, until: Some(Instant::now() + time) };
    assert_eq!(embed_pending(&mut store, &within(Duration::ZERO), |_| {}).unwrap().memories, 0);
    let most = within(Duration::from_secs(10));
    assert_eq!(embed_pending(&mut store, &most, |_| {}).unwrap().memories, 1, "the long one does not fit");
    assert_eq!((place.rows(), store.vectors().count_stale().unwrap()), (vec![1, 1], 1));
    assert_eq!(embed(&mut store, &model), 1);
}

#[test]
fn several_cores_do_what_one_does() {
    let texts: Vec<String> = (0..50).map(|number| format!("memory {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let place = VectorHome::new();
    let mut store = place.saying(&texts);
    let model = model();
    let work = EmbeddingJob { encoder: &model, cores: 3, until: None };
    assert_eq!(embed_pending(&mut store, &work, |_| {}).unwrap().memories, 50);
    for (number, text) in (1..).zip(texts) {
        assert_eq!(place.found(text), Some(number));
    }
}
