//! What a host gives a hook: arguments, a payload on standard input, and its own record of the session.
//!
//! Not here: what any of it means (`hosts`), and what is done about it.

use backstory_app::AppError;
use backstory_hosts::{EventOutcome, Host, ParsedEvent};
use backstory_memory::EventKind;
use std::ffi::OsString;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

const TIME_BETWEEN_LOOKS: Duration = Duration::from_millis(10);
/// So much of the end of a host's own record is read.
const END_BYTES: u64 = 256 << 10;
/// More than this of a payload is not read into memory.
const MOST_BYTES: u64 = 8 << 20;

/// Returns which host calls.
pub(super) fn host_in(arguments: &[OsString]) -> Result<Host, AppError> {
    let named = option_in(arguments, "--host").ok_or_else(|| AppError::usage("`hook` needs `--host`"))?;
    named.parse().map_err(|error: backstory_hosts::UnknownHost| AppError::usage(error.to_string()))
}

/// Returns what an option was given, as `--name value` or `--name=value`.
pub(super) fn option_in(arguments: &[OsString], name: &str) -> Option<String> {
    let mut rest = arguments.iter().map(|argument| argument.to_string_lossy());
    let joined = rest.by_ref().find_map(|argument| match argument.strip_prefix(name)? {
        "" => Some(None),
        given => given.strip_prefix('=').map(|value| Some(value.to_owned())),
    });
    joined?.or_else(|| rest.next().map(Into::into))
}

/// Completes a payload from the host's own transcript of the session.
///
/// It may be written a little later than the hook runs. At the end of a turn nobody waits for the next step, so we do.
pub(super) fn complete_from_transcript(
    host: Host,
    mut parsed: ParsedEvent,
    patience: Duration,
) -> ParsedEvent {
    let Some(transcript) = parsed.transcript.take() else { return parsed };
    let is_turn_end = matches!(&parsed.outcome, EventOutcome::Captured(event) if event.activity.kind() == EventKind::TurnEnd);
    let until = Instant::now() + if is_turn_end { patience } else { Duration::ZERO };
    let transcript = Path::new(&transcript);
    while may_come(transcript) {
        let is_there =
            end_of_file(transcript).is_some_and(|end| host.complete_from_transcript(&mut parsed, &end));
        if is_there || Instant::now() >= until {
            break;
        }
        std::thread::park_timeout(TIME_BETWEEN_LOOKS);
    }
    parsed
}

/// Whether a host writes its record here, or will: of a session's first turn nothing may be written yet but its folder.
fn may_come(record: &Path) -> bool {
    // Whatever else has this name could keep us waiting.
    record.is_file() || (!record.exists() && record.parent().is_some_and(Path::is_dir))
}

/// Returns the end of a host's own record of a session.
fn end_of_file(path: &Path) -> Option<String> {
    let mut file = std::fs::File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END_BYTES))).ok()?;
    let mut end = Vec::new();
    file.take(END_BYTES).read_to_end(&mut end).ok()?;
    Some(String::from_utf8_lossy(&end).into_owned())
}

/// Reads standard input to its end, so that the host never sees a broken pipe, and keeps the beginning.
pub(super) fn read_payload() -> std::io::Result<Vec<u8>> {
    let mut input = std::io::stdin().lock();
    let mut payload = Vec::new();
    input.by_ref().take(MOST_BYTES).read_to_end(&mut payload)?;
    std::io::copy(&mut input, &mut std::io::sink())?;
    Ok(payload)
}
