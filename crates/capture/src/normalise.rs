//! From what a host said to an event that may be kept: without our own words, without secrets, and only then cut, so that no half
//! of a secret survives a cut.
//!
//! Not here: what a payload means (`hosts`), which text was injected into the session (`store` keeps it, the caller reads it).

use crate::Redactor;
use backstory_memory::{
    Activity, EchoSource, Event, EventBody, IdempotencyKey, Provenance, Redacted, Shingles, Timestamp, cap,
    digest, hash_sample, strip_fences,
};
use backstory_platform::{path_below, root_spellings};

/// What a host said, before anything of it is redacted. It must not reach a disk like this.
#[derive(Clone, Debug)]
pub struct RawEvent {
    /// The host's name.
    pub host: String,
    /// The host's own name for the session.
    pub host_session: String,
    /// The tool, where one is involved.
    pub tool: Option<String>,
    /// What the host numbers its events by, where it does.
    pub sequence: Option<String>,
    /// Who its content comes from.
    pub provenance: Provenance,
    /// What happened.
    pub body: EventBody,
    /// Its identity, where the caller knows a better one than session, sequence and content make.
    pub key: Option<IdempotencyKey>,
}

/// What is known around an observation.
pub struct CaptureContext<'a> {
    /// Takes out secrets.
    pub redactor: &'a Redactor,
    /// The most an event may be long, in bytes.
    pub most_bytes: usize,
    /// Where the project lies: files in it are called by their path from there.
    pub root: &'a str,
    /// What was injected into the session.
    pub injected: &'a Shingles,
    /// When it happened.
    pub at: Timestamp,
}

/// Makes an event of what a host said.
#[must_use]
pub fn normalise(raw: RawEvent, context: &CaptureContext<'_>) -> Redacted<Event> {
    let mut body = raw.body;
    let words = met_words(&body.activity, context.most_bytes);
    let mut truncated = body.activity.keep_first(MOST_PARTS);
    call_files_from(context.root, &mut body.activity);
    let vast = context.most_bytes.saturating_mul(4).max(SHORTEST_CUT);
    if let Activity::Ran { command, output, .. } = &mut body.activity {
        context.redactor.redact_printed(command, output);
    }
    for text in texts(&mut body) {
        truncated |= shorten(text, vast);
        *text = context.redactor.scrub(&strip_fences(text)).into_inner();
    }
    let scrub = |text: &str| cap(context.redactor.scrub(text).as_str(), MOST_NAME_BYTES).text;
    let host_session = scrub(&raw.host_session);
    let sequence = raw.sequence.map_or_else(|| moment(context.at), |sequence| scrub(&sequence));
    let kind = body.activity.kind();
    let key = raw
        .key
        .unwrap_or_else(|| IdempotencyKey::new(&raw.host, &host_session, kind, &sequence, &payload(&body)));
    let echo = echo_of(&body.activity);
    for text in texts(&mut body) {
        *text = context.injected.without_echo(text, echo).into_owned();
        truncated |= replace_blobs(text);
    }
    body.words = words;
    let (payload, cut) = fit(body, context.most_bytes);
    Redacted::vouch(Event {
        key,
        host: raw.host,
        host_session,
        kind,
        tool: raw.tool.as_deref().map(scrub),
        at: context.at,
        provenance: raw.provenance,
        payload,
        truncated: truncated || cut,
    })
}

/// Hashes what strangers or programs wrote, where it will not be kept whole: a page is cut, and what imitates our fence is taken out.
fn met_words(activity: &Activity, most_bytes: usize) -> Option<String> {
    let (text, most) = match activity {
        Activity::Fetched { answer: text, .. } | Activity::Other { text } => (text, MOST_HASHES_OF_PAGE),
        Activity::Ran { output: text, .. } | Activity::ToolFailed { error: text, .. } => {
            (text, MOST_HASHES_OF_OUTPUT)
        }
        _ => return None,
    };
    let is_kept_whole = text.len() < most_bytes / 2 && strip_fences(text).len() == text.len();
    // Half of an event may be hashes.
    let most = most.min(most_bytes / 2 / BYTES_A_HASH);
    (!is_kept_whole).then(|| hash_sample(text, most)).filter(|hashes| !hashes.is_empty())
}

const MOST_HASHES_OF_PAGE: usize = 1_000;
const MOST_HASHES_OF_OUTPUT: usize = 250;
const BYTES_A_HASH: usize = 8;

/// Reads what an event holds. One of a shape this build does not know says nothing.
#[must_use]
pub fn body_of(event: &Event) -> Option<EventBody> {
    serde_json::from_str(&event.payload).ok()
}

fn texts(body: &mut EventBody) -> impl Iterator<Item = &mut String> {
    let agent = body.subagent.iter_mut().flat_map(|agent| [&mut agent.id, &mut agent.sort]);
    body.activity.texts_mut().into_iter().chain(agent)
}

fn payload(body: &EventBody) -> String {
    serde_json::to_string(body).unwrap_or_default()
}

/// Returns the time as a part of an idempotency key, for events a host does not number. Equal events of two hooks within ten seconds are
/// one event; equal ones later are new.
fn moment(at: Timestamp) -> String {
    format!("at {}", at.0 / SAME_MOMENT_MS)
}

const SAME_MOMENT_MS: i64 = 10_000;

fn echo_of(activity: &Activity) -> EchoSource {
    match activity {
        Activity::Ran { .. } | Activity::ToolFailed { .. } | Activity::Edited { .. } => EchoSource::Output,
        _ => EchoSource::Speech,
    }
}

fn call_files_from(root: &str, activity: &mut Activity) {
    if root.is_empty() {
        return;
    }
    let path = match activity {
        Activity::Ran { output: text, .. } | Activity::Looked { at: text, .. } => {
            for spelled in root_spellings(root) {
                *text = text.replace(&spelled, "");
            }
            return;
        }
        Activity::Edited { file: path, .. } | Activity::ToolFailed { at: path, .. } => path,
        _ => return,
    };
    if let Some(inside) = path_below(root, path) {
        *path = inside;
    }
}

/// Cuts the middle out of a text nobody could keep, so that the time an event takes is bounded whatever a tool printed. Far more
/// stays than will be kept: what is torn apart here is cut away below.
///
/// A digest stands for what was cut: two events that differ only there are two events.
fn shorten(text: &mut String, longest: usize) -> bool {
    if text.len() <= longest {
        return false;
    }
    let whole = digest([text.as_bytes()]);
    let room = longest / 2;
    let head = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len() - room)..).unwrap_or_default();
    *text = format!("{head}\n[… of {} bytes, {whole} …]\n{tail}", text.len());
    true
}

/// Puts a digest in the place of images, archives and the like written as letters.
fn replace_blobs(text: &mut String) -> bool {
    let is_blob = |word: &str| {
        word.len() > LONGEST_WORD
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte))
    };
    let separators =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '(' | ')' | '<' | '>');
    let blobs: Vec<String> = text.split(separators).filter(|word| is_blob(word)).map(str::to_owned).collect();
    for blob in &blobs {
        *text = text.replace(blob, &format!("[{} bytes, {}]", blob.len(), digest([blob.as_bytes()])));
    }
    !blobs.is_empty()
}

/// Brings an account under a size: its longest texts lose their middle until the whole fits.
fn fit(mut body: EventBody, most_bytes: usize) -> (String, bool) {
    let mut written = payload(&body);
    let mut longest = most_bytes;
    let mut truncated = false;
    while written.len() > most_bytes && longest > 0 {
        truncated = true;
        longest = longest * 3 / 4;
        body.activity.keep_first(longest / LEAST_PART_BYTES);
        for text in texts(&mut body) {
            *text = cap(text, longest).text;
        }
        written = payload(&body);
    }
    (written, truncated)
}

/// More parts of an edit or a plan are never kept.
const MOST_PARTS: usize = 64;

/// Rather fewer parts than parts of which nothing can be read.
const LEAST_PART_BYTES: usize = 64;

/// Shorter texts are not cut before they are redacted, however little is kept of an event.
const SHORTEST_CUT: usize = 64 * 1024;

/// A name longer than this is not one.
const MOST_NAME_BYTES: usize = 256;

/// A longer run of letters without a space is no word of any language, nor a path.
const LONGEST_WORD: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RedactorOptions;
    use backstory_memory::{EventKind, ExitStatus, Hunk, fence};

    fn normalised(activity: Activity, sequence: Option<&str>, injected: &str, at: i64) -> Event {
        let raw = RawEvent {
            host: "host".into(),
            host_session: "session".into(),
            tool: None,
            sequence: sequence.map(str::to_owned),
            provenance: Provenance::Tool,
            body: EventBody { activity, subagent: None, words: None },
            key: None,
        };
        let redactor = Redactor::new(RedactorOptions::default());
        let injected = Shingles::from_text(injected);
        let context = CaptureContext {
            redactor: &redactor,
            most_bytes: 1000,
            root: "/home/dev/p",
            injected: &injected,
            at: Timestamp(at),
        };
        normalise(raw, &context).into_inner()
    }

    fn ran(output: &str) -> Activity {
        Activity::Ran { command: "make".into(), output: output.to_owned(), status: ExitStatus::Success }
    }

    fn event(activity: Activity) -> Event {
        normalised(activity, Some("1"), "", 0)
    }

    fn output(event: &Event) -> String {
        match body_of(event).unwrap().activity {
            Activity::Ran { output, .. } => output,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_cut_event_can_be_read_back() {
        let many = Activity::Edited {
            file: "/home/dev/p/src/a.rs".into(),
            is_new: false,
            hunks: vec![Hunk { before: "\"\\\n".repeat(300), after: "é".repeat(900) }; 200],
        };
        for (activity, is_cut) in
            [(many, true), (ran(&"x \u{1}\"".repeat(90_000)), true), (ran("short"), false)]
        {
            let kind = activity.kind();
            let event = event(activity);
            assert!(event.payload.len() <= 1000, "{}", event.payload.len());
            assert_eq!((event.truncated, event.kind), (is_cut, kind));
            assert_eq!(body_of(&event).unwrap().activity.kind(), kind);
        }
    }

    #[test]
    fn long_texts_are_cut_and_keep_distinct_keys() {
        let text = |middle: &str| {
            ran(&format!("begins {} {middle} {} ends", "x ".repeat(90_000), "y ".repeat(90_000)))
        };
        let (one, other) = (event(text("one")), event(text("two")));
        assert!(output(&one).starts_with("begins") && output(&one).ends_with("ends"));
        assert_ne!(one.key, other.key);
        assert_eq!(one.key, event(text("one")).key);
    }

    #[test]
    fn files_are_named_by_their_path_in_the_project() {
        let file = |path: &str| {
            let edited = Activity::Edited { file: path.into(), is_new: true, hunks: Vec::new() };
            match body_of(&event(edited)).unwrap().activity {
                Activity::Edited { file, .. } => file,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(file("/home/dev/p/src/a.rs"), "src/a.rs");
        assert_eq!(file("/home/dev/process.rs"), "/home/dev/process.rs");
    }

    #[test]
    fn law_7_what_a_command_that_prints_a_secret_printed_is_not_kept() {
        for command in ["pass show work/db", "cd /srv && cat /run/secrets/db", "printenv DB_PASS"] {
            let output = |printed: &str| {
                output(&event(Activity::Ran {
                    command: command.into(),
                    output: printed.into(),
                    status: ExitStatus::Success,
                }))
            };
            assert!(!output("Kelvin81xQ\n").contains("Kelvin81xQ"), "{command}");
            assert_eq!(output("no such file\n"), "no such file\n");
        }
    }

    #[test]
    fn pictures_are_not_kept() {
        let event = event(ran(&format!("data:image/png;base64,{} done", "iVBORw0K".repeat(400))));
        assert!(
            output(&event).contains("3200 bytes") && output(&event).ends_with("done"),
            "{}",
            output(&event)
        );
        assert!(event.truncated);
    }

    /// R24.
    #[test]
    fn law_5_injected_text_is_not_captured_again() {
        let injected = "- [2h ago] The retry loop must not sleep while it holds the write lock\n".repeat(3);
        let fenced = output(&event(ran(&format!("a {} b", fence(&injected, 7)))));
        assert_eq!(fenced, "a  b");
        let said = Activity::TurnEnded { message: format!("As noted, {injected}") };
        let event = normalised(said, None, &injected, 0);
        assert!(!event.payload.contains("while it holds"), "{}", event.payload);
    }

    #[test]
    fn the_same_message_a_minute_later_is_another_event() {
        let done = || Activity::TurnEnded { message: "Done.".into() };
        let key = |sequence, at| normalised(done(), sequence, "", at).key;
        assert_eq!(key(None, 1_000), key(None, 2_000));
        assert_ne!(key(None, 1_000), key(None, 61_000));
        assert_eq!(key(Some("7"), 1_000), key(Some("7"), 61_000));
        assert_eq!(done().kind(), EventKind::TurnEnd);
    }
}
