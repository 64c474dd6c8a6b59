//! What each fuzz target does with its bytes. Whatever they are: no panic, and what is promised about the outcome holds.
//!
//! The fuzzing engine calls these through `targets/`; `cargo test` calls them with the committed seeds. Nothing of the engine is here.

use backstory_capture::{CaptureContext, RawEvent, Redactor, RedactorOptions, normalise};
use backstory_hosts::{EventOutcome, Host};
use backstory_inject::{encode, encode_lines};
use backstory_memory::{
    Content, EventBody, Kind, ProjectKey, ProjectRef, Redacted, Shingles, Timestamp, clean, fence as fenced,
    strip_fences,
};
use backstory_recall::{RankingWeights, SearchQuery, Searcher, Synonyms};
use backstory_server::{ApiHandler, ApiReply, Claim, Limits, Query, Worker, WorkerDir, WorkerOptions, claim};
use backstory_store::{Filter, Home, MemoryOrigin, NewMemory, Purpose, Scope, Store};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::LazyLock;
use std::time::Duration;
use tempfile::TempDir;

/// A target.
pub type Target = fn(&[u8]);

/// Every target, by the name of its seeds and of its program.
pub const TARGETS: [(&str, Target); 7] = [
    ("hook_event", hook_event),
    ("private_tags", private_tags),
    ("redactor", redactor),
    ("fence", fence),
    ("question", question),
    ("http_head", http_head),
    ("spool", spool),
];

const NOW: Timestamp = Timestamp(1_800_000_000_000);
/// The most an event is configured to keep.
const MOST_BYTES: usize = 16_384;

static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(RedactorOptions::default()));

/// A payload of any host: it is parsed the same twice, and the event made of it is under its cap and needs no further redaction.
pub fn hook_event(bytes: &[u8]) {
    let Some((first, payload)) = bytes.split_first() else { return };
    let Some(host) = Host::ALL.get(usize::from(*first) % Host::ALL.len()) else { return };
    let events = host.events();
    // Some hosts say the event's name beside the payload.
    let event = events.get(usize::from(*first) / Host::ALL.len()).copied();
    let parsed = host.parse(event, payload);
    assert!(parsed == host.parse(event, payload), "parsed differently the second time");
    let EventOutcome::Captured(event) = parsed.outcome else { return };
    for event in std::iter::once(*event).chain(parsed.also) {
        let account = EventBody { activity: event.activity, subagent: event.subagent, words: None };
        let (tool, sequence, provenance) = (event.tool, event.sequence, event.provenance);
        let host_session = parsed.host_session.clone().unwrap_or_default();
        let observation = RawEvent {
            host: host.as_str().to_owned(),
            host_session,
            tool,
            sequence,
            provenance,
            body: account,
            key: None,
        };
        let injected = Shingles::default();
        let around = CaptureContext {
            redactor: &REDACTOR,
            most_bytes: MOST_BYTES,
            root: "/p",
            injected: &injected,
            at: NOW,
        };
        let event = normalise(observation, &around);
        assert!(event.payload.len() <= MOST_BYTES, "{} bytes", event.payload.len());
        let kept: serde_json::Value = serde_json::from_str(&event.payload).expect("a payload is JSON");
        let mut again = kept.clone();
        REDACTOR.scrub_json(&mut again);
        assert_eq!(again, kept, "something was left to redact");
    }
}

/// A word that stands in a part that was opened and not closed is gone, whatever stands before it; of one that was closed nothing is
/// left, and what stands around it stays. Doing it twice is doing it once.
pub fn private_tags(bytes: &[u8]) {
    const WORD: &str = "heron7heron";
    let text = String::from_utf8_lossy(bytes);
    // Whoever searches long enough writes the word too, where it may stay.
    if text.contains(WORD) {
        return;
    }
    let (before, inside) = text.split_at(text.floor_char_boundary(text.len() / 2));
    // Nothing in it can close the part, in whatever way it is written.
    let inside: String = inside.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
    for opening in ["<private>", "<PRIVATE note=\"x\">", "&lt;private&gt;", "\\u003cprivate\\u003e"] {
        let text = format!("{before}{opening}{inside} {WORD} ");
        let scrubbed = REDACTOR.scrub(&text);
        assert!(!scrubbed.as_str().contains(WORD), "{text:?} became {scrubbed:?}");
    }
    let closed = REDACTOR.scrub(&format!("before <private>{inside} {WORD}</private> after"));
    assert_eq!(closed, REDACTOR.scrub(&format!("before <private>{WORD}</private> after")));
    assert!(closed.as_str().starts_with("before ") && closed.as_str().ends_with(" after"), "{closed:?}");
    let once = REDACTOR.scrub(&text);
    assert_eq!(REDACTOR.scrub(once.as_str()), once);
}

/// A token on a line of its own is gone, whatever stands around it. Redacting twice is redacting once, in JSON too, and what was not
/// found stays as it was.
pub fn redactor(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // Drawn here: whoever searches sources for tokens must not find one.
    let digits = |at: u32| char::from_digit((at * at * 5 + at * 7 + 3) % 31, 36).expect("a digit");
    let token = format!("{}_{}", "ghp", (0..36).map(digits).collect::<String>());
    // Whoever searches long enough writes it too, as a part of a word, where it may stay.
    if text.contains(&token) {
        return;
    }
    let around = REDACTOR.redact(&format!("{text}\n{token}\n{text}"));
    assert!(!around.text.as_str().contains(&token), "{around:?}");
    let redaction = REDACTOR.redact(&text);
    let mut rest = redaction.text.as_str();
    let mut at = 0;
    for finding in &redaction.found {
        rest = rest.strip_prefix(&text[at..finding.start]).expect("the text before a finding stays");
        rest = &rest[rest.find(']').expect("a marker is closed") + 1..];
        at = finding.end;
    }
    assert_eq!(rest, &text[at..]);
    assert_eq!(REDACTOR.redact(redaction.text.as_str()).text, redaction.text);
    if let Ok(mut value) = serde_json::from_slice::<serde_json::Value>(bytes) {
        REDACTOR.scrub_json(&mut value);
        let once = value.clone();
        REDACTOR.scrub_json(&mut value);
        assert_eq!(value, once);
        let mut beside = serde_json::json!([once, { token.as_str(): token.as_str() }]);
        REDACTOR.scrub_json(&mut beside);
        assert!(!beside.to_string().contains(&token), "{beside}");
    }
}

/// A block around recorded text is taken out again whole, and only it; nothing recorded opens or closes one. From whatever a host
/// hands back blocks are taken and nothing is put in.
pub fn fence(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let lines: String = encode_lines(&text).map(|line| format!("  {line}\n")).collect();
    for inside in [lines, encode(&text, 200)] {
        // An arrow or a comparison cannot close what nothing opened.
        let is_arrow = |at: usize| inside[..at].ends_with(['-', '=', ' ']);
        assert!(!inside.contains('<') && inside.match_indices('>').all(|(at, _)| is_arrow(at)), "{inside:?}");
        assert_eq!(clean(&inside), inside, "nothing unseen is left");
        let block = fenced(&inside, 0x0bad_cafe);
        assert_eq!(strip_fences(&format!("before {block} after")), "before  after");
    }
    let left = strip_fences(&text);
    let mut letters = text.chars();
    assert!(left.chars().all(|kept| letters.any(|letter| letter == kept)), "{left:?} is no part of {text:?}");
}

/// A store with a few memories, made once a process.
struct Known {
    _dir: TempDir,
    store: Store,
}

fn known() -> Known {
    let dir = new_dir();
    let mut store = Store::open(&Home::new(dir.path().join("home")), Purpose::Command, NOW).expect("a store");
    let project_ref = ProjectRef {
        keys: vec![ProjectKey::Path("/p".into())],
        name: "p".into(),
        root: "/p".into(),
        parent: None,
    };
    let project = store.projects_mut().find_or_create(&Redacted::vouch(project_ref), NOW).expect("a project");
    for text in ["the harbour floods", "migrations run in one transaction", "Store::open takes the lock"] {
        let content = Content { files: vec!["src/a.rs".into()], ..Content::new(Kind::Note, text, text) };
        let memory = NewMemory {
            uid: None,
            project,
            origin: MemoryOrigin::default(),
            content: Redacted::vouch(content),
            created_at: NOW,
        };
        store.memories_mut().remember(&memory).expect("a memory");
    }
    Known { _dir: dir, store }
}

thread_local! {
    static KNOWN: Known = known();
}

/// Any question is answered, with no more than was asked for, no memory twice, and scores that can be compared.
pub fn question(bytes: &[u8]) {
    static SYNONYMS: LazyLock<Synonyms> = LazyLock::new(Synonyms::built_in);
    let text = String::from_utf8_lossy(bytes);
    KNOWN.with(|known| {
        let searcher = Searcher::new(&known.store, &RankingWeights::SEARCH).with_synonyms(&SYNONYMS);
        let filter = Filter { limit: 2, ..Filter::within(Scope::Everywhere) };
        let by_file = Filter { file: Some(text.clone().into_owned()), ..filter.clone() };
        for (question, filter) in [(&*text, &filter), ("harbour", &by_file)] {
            let hits = searcher
                .search(&SearchQuery::new(question, NOW), filter)
                .expect("an answer to any question")
                .hits;
            let ids: BTreeSet<i64> = hits.iter().map(|hit| hit.memory.id.0).collect();
            assert!(hits.len() <= 2 && ids.len() == hits.len(), "{hits:?}");
            assert!(hits.iter().all(|hit| hit.score.is_finite()), "{hits:?}");
        }
    });
}

/// What every reply of the worker holds.
const PROTECTED: &str = "behind the token";

/// The port of a worker that serves as long as the process lives.
static PORT: LazyLock<u16> = LazyLock::new(|| {
    let dir = new_dir();
    let place = WorkerDir::for_home(dir.path(), None);
    let lots = 1_000_000;
    let limits = Limits { requests_per_second: lots, strangers_per_second: lots, ..Limits::default() };
    let options = WorkerOptions { version: "1.0.0".to_owned(), port: 0, idle: None, limits };
    let Ok(Claim::Ours(lock)) = claim(&place, &options.version) else { panic!("no worker can be claimed") };
    let handler = ApiHandler::from_functions(|_| Ok(ApiReply::Text(PROTECTED.to_owned())), || None);
    let worker = Worker::open(place, lock, &options, handler).expect("a worker");
    let port = worker.endpoint().port;
    std::thread::spawn(move || {
        // The folder lives as long as the worker, which never ends.
        let _dir = dir;
        worker.serve().map(drop)
    });
    port
});

/// Sends any bytes to the loopback port without a token: the answer is HTTP or nothing, and never what a token protects.
pub fn http_head(bytes: &[u8]) {
    drop(Query::parse(&String::from_utf8_lossy(bytes)));
    let mut stream = TcpStream::connect(("127.0.0.1", *PORT)).expect("the worker lives");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time-out");
    // The worker may answer or close the connection before it has read everything.
    drop(stream.write_all(bytes));
    drop(stream.shutdown(Shutdown::Write));
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer));
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1."), "{answer:?}");
    assert!(!answer.contains(PROTECTED), "answered without a token");
}

thread_local! {
    static SPOOLING: TempDir = new_dir();
}

/// Any file that waits in the spool: it is taken in or set aside, one of both, and never stands in the way.
pub fn spool(bytes: &[u8]) {
    let shared = SPOOLING.with(|dir| drained(dir, bytes));
    // What is known already is taken in once: where nothing is known, it is.
    let outcome = if shared == (0, false) { drained(&new_dir(), bytes) } else { shared };
    assert!(matches!(outcome, (1, false) | (0, true)), "{outcome:?}: taken in, and set aside");
}

/// Lets a file wait, opens the store, and returns how many events more there are and whether the file was set aside.
fn drained(dir: &TempDir, bytes: &[u8]) -> (u64, bool) {
    let home = Home::new(dir.path().join("home"));
    let events = || {
        let store = Store::open(&home, Purpose::Command, NOW).expect("the store opens whatever waits");
        store.events().count().expect("events can be counted")
    };
    let before = events();
    let (waiting, bad) = (home.spool().join("new"), home.spool().join("bad"));
    std::fs::create_dir_all(&waiting).expect("a spool");
    let name = format!("{:020}-{:032x}.json", 1, 1);
    std::fs::write(waiting.join(&name), bytes).expect("a file that waits");
    let taken_in = events() - before;
    assert!(!waiting.join(&name).exists(), "it still waits");
    let is_aside = std::fs::remove_file(bad.join(&name)).is_ok();
    (taken_in, is_aside)
}

fn new_dir() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}
