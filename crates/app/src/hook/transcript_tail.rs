//! The end of the host's own transcript, which holds what some payloads leave out.
//!
//! Not here: what a transcript means (`hosts`).

use backstory_hosts::{EventOutcome, Host, ParsedEvent};
use backstory_memory::EventKind;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The bytes read from the end of a transcript.
const TAIL_BYTES: u64 = 256 << 10;

/// Completes an event from the transcript.
///
/// Some hosts write the transcript a little after they run the hook. At the end of a turn the agent does not wait for us, so we wait
/// for it.
pub(super) fn complete_from_transcript(
    host: Host,
    mut parsed: ParsedEvent,
    patience: Duration,
) -> ParsedEvent {
    let Some(transcript) = parsed.transcript.take() else { return parsed };
    let is_turn_end = matches!(&parsed.outcome, EventOutcome::Captured(event) if event.activity.kind() == EventKind::TurnEnd);
    let until = Instant::now() + if is_turn_end { patience } else { Duration::ZERO };
    let transcript = Path::new(&transcript);
    while may_appear(transcript) {
        let is_complete =
            read_tail(transcript).is_some_and(|tail| host.complete_from_transcript(&mut parsed, &tail));
        if is_complete || Instant::now() >= until {
            break;
        }
        std::thread::park_timeout(POLL_INTERVAL);
    }
    parsed
}

/// Whether the transcript is there or may still appear: in a session's first turn only its folder may exist.
fn may_appear(transcript: &Path) -> bool {
    // A pipe or a device of this name could block us.
    transcript.is_file() || (!transcript.exists() && transcript.parent().is_some_and(Path::is_dir))
}

fn read_tail(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).ok()?;
    let mut tail = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut tail).ok()?;
    Some(String::from_utf8_lossy(&tail).into_owned())
}
