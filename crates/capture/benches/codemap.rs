//! What the code map costs: parsing, the end of a turn that edited three files, and asking whether memories still hold.

use backstory_capture::{
    EditedFile, Language, Redactor, RedactorOptions, TrackingContext, anchor, edited_files, freshness,
    symbols, track,
};
use backstory_memory::{
    Activity, Content, Event, EventKind, Hunk, IdempotencyKey, Kind, MemoryId, ProjectId, Provenance,
    Redacted, SessionId, Timestamp,
};
use backstory_store::{Home, IncomingEvent, MemoryOrigin, NewMemory, Purpose, Store};
use divan::Bencher;
use divan::counter::BytesCount;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn main() {
    divan::main();
}

const NOW: Timestamp = Timestamp(1_800_000_000_000);
/// Source of our own, of about 12 KB each.
const FILES: [(&str, &str); 3] = [
    ("src/walk.rs", include_str!("../src/codemap/walk.rs")),
    ("src/normalise.rs", include_str!("../src/normalise.rs")),
    ("src/table.rs", include_str!("../src/codemap/table.rs")),
];

#[divan::bench(args = [0, 1, 2])]
fn read_the_symbols_of_a_file(bencher: Bencher<'_, '_>, number: usize) {
    let text = FILES.get(number).map_or("", |(_, text)| text);
    bencher.counter(BytesCount::of_str(text)).bench(|| symbols(Language::Rust, divan::black_box(text)));
}

/// What a Stop hook pays: one function changed in each of three files.
#[divan::bench]
fn track_three_files_whose_map_is_known(bencher: Bencher<'_, '_>) {
    let mut site = Site::new();
    site.track(&FILES.map(|(path, _)| new(path)));
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        let edited = site.edit(turn);
        site.track(&edited)
    });
}

/// The same when nothing but HEAD says what the files were.
#[divan::bench]
fn track_three_files_against_head(bencher: Bencher<'_, '_>) {
    let mut site = Site::new();
    site.commit();
    site.edit(1);
    let edited = FILES.map(|(path, _)| plain(path));
    let mut round = 0;
    bencher.bench_local(|| {
        round += 1;
        let store = Store::open(&Home::new(site.home(round)), Purpose::Hook, NOW);
        site.store = store.expect("a home of its own can be made");
        (site.project, site.session) = begin(&mut site.store, &site.root);
        site.track(&edited)
    });
}

/// The same without anything tracked: what opening a store costs in the bench above.
#[divan::bench]
fn open_a_store_and_begin_a_session(bencher: Bencher<'_, '_>) {
    let site = Site::new();
    let mut round = 0;
    bencher.bench_local(|| {
        round += 1;
        let store = Store::open(&Home::new(site.home(round)), Purpose::Hook, NOW);
        begin(&mut store.expect("a home of its own can be made"), &site.root)
    });
}

/// What a prompt hook pays for the hits it shows: their files are as they were mapped, or have been edited since.
#[divan::bench(args = ["mapped", "edited since"])]
fn look_whether_twelve_memories_hold(bencher: Bencher<'_, '_>, files: &str) {
    let mut site = Site::new();
    let memories = site.remember(12);
    if files != "mapped" {
        site.edit(99);
    }
    bencher.bench_local(|| freshness(&site.store, site.project, &site.root, &memories, None));
}

/// A project with its store.
struct Site {
    root: PathBuf,
    store: Store,
    project: ProjectId,
    session: SessionId,
    redactor: Redactor,
    dir: TempDir,
}

impl Site {
    fn new() -> Site {
        let dir = tempfile::tempdir().expect("there is a temporary folder");
        let root = dir.path().join("project");
        fs::create_dir_all(root.join("src")).expect("it can be written");
        let home = Home::new(dir.path().join("home"));
        let mut store = Store::open(&home, Purpose::Hook, NOW).expect("a store can be made");
        let (project, session) = begin(&mut store, &root);
        let redactor = Redactor::new(RedactorOptions::default());
        let site = Site { root, store, project, session, redactor, dir };
        site.edit(0);
        site
    }

    fn home(&self, round: usize) -> PathBuf {
        self.dir.path().join(format!("home{round}"))
    }

    /// Changes one function in each file, and returns the edits as a host would tell them.
    fn edit(&self, turn: usize) -> Vec<EditedFile> {
        let edits = FILES.iter().map(|(path, text)| {
            let function = |turn| format!("fn turn() -> usize {{ {turn} }}\n");
            let now = format!("{}{text}", function(turn));
            fs::write(self.root.join(path), now).expect("it can be written");
            let hunks = vec![Hunk { before: function(turn.saturating_sub(1)), after: function(turn) }];
            Activity::Edited { file: (*path).to_owned(), is_new: false, hunks }
        });
        edited_files(&edits.collect::<Vec<_>>())
    }

    fn track(&mut self, edited: &[EditedFile]) -> usize {
        let place = TrackingContext {
            project: self.project,
            root: &self.root,
            redactor: &self.redactor,
            until: None,
        };
        track(&mut self.store, place, self.session, edited, NOW).map_or(0, |readings| readings.len())
    }

    fn commit(&self) {
        for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "all"]]
        {
            Command::new("git")
                .args(["-c", "user.name=Someone", "-c", "user.email=someone@example.org"])
                .args(arguments)
                .current_dir(&self.root)
                .status()
                .ok();
        }
    }

    fn remember(&mut self, count: usize) -> Vec<MemoryId> {
        let files: Vec<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        let new = FILES.map(|(path, _)| new(path));
        let place = TrackingContext {
            project: self.project,
            root: &self.root,
            redactor: &self.redactor,
            until: None,
        };
        let readings =
            track(&mut self.store, place, self.session, &new, NOW).expect("the store can be written");
        let memories = (0..count).map(|number| {
            let content = Content::new(Kind::Change, "title", &format!("body {number}"));
            let origin = MemoryOrigin::default();
            let memory = NewMemory {
                uid: None,
                project: self.project,
                origin,
                content: Redacted::vouch(content),
                created_at: NOW,
            };
            let id = self.store.memories_mut().remember(&memory).expect("the store can be written");
            anchor(&mut self.store, id, &self.root, &files, &readings).expect("the store can be written");
            id
        });
        memories.collect()
    }
}

fn plain(path: &str) -> EditedFile {
    EditedFile { path: path.to_owned(), ..EditedFile::default() }
}

fn new(path: &str) -> EditedFile {
    EditedFile { is_new: true, ..plain(path) }
}

fn begin(store: &mut Store, root: &Path) -> (ProjectId, SessionId) {
    let event = Event {
        key: IdempotencyKey::new("bench", "s", EventKind::Prompt, "", ""),
        host: "bench".into(),
        host_session: "s".into(),
        kind: EventKind::Prompt,
        tool: None,
        at: NOW,
        provenance: Provenance::User,
        payload: "{}".into(),
        truncated: false,
    };
    let project_ref = backstory_capture::identify_project(root);
    store
        .events_mut()
        .record(&IncomingEvent { event: Redacted::vouch(event), project_ref: Redacted::vouch(project_ref) })
        .expect("the store can be written");
    let sessions = store.sessions().list(None, 1, 0).expect("the store can be read");
    let session = &sessions.first().expect("it was just recorded").session;
    (session.project, session.id)
}
