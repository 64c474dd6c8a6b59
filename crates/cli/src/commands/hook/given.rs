//! What a host gives a hook: arguments, a payload on standard input, and its own record of the session.
//!
//! Not here: what any of it means (`hosts`), and what is done about it.

use crate::failure::Failure;
use backstory_hosts::{Heard, Host, Meaning};
use backstory_memory::EventKind;
use std::ffi::OsString;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

/// So long a host's own record is waited for at the end of a turn.
const TIME_TO_READ_ON: Duration = Duration::from_millis(900);
const TIME_BETWEEN_LOOKS: Duration = Duration::from_millis(10);
/// So much of the end of a host's own record is read.
const END_BYTES: u64 = 256 << 10;
/// More than this of a payload is not read into memory.
const MOST_BYTES: u64 = 8 << 20;

/// Returns which host calls.
pub(super) fn host_in(arguments: &[OsString]) -> Result<Host, Failure> {
    let named = option_in(arguments, "--host").ok_or_else(|| Failure::usage("`hook` needs `--host`"))?;
    named.parse().map_err(|error: backstory_hosts::UnknownHost| Failure::usage(error.to_string()))
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

/// Takes from the host's own record of the session what its payload left out.
///
/// It may be written a little later than the hook runs. At the end of a turn nobody waits for the next step, so we do.
pub(super) fn read_on(mut heard: Heard) -> Heard {
    let Some(record) = heard.record.take() else { return heard };
    let is_turn_end =
        matches!(&heard.meaning, Meaning::Happened(told) if told.happening.kind() == EventKind::TurnEnd);
    let until = Instant::now() + if is_turn_end { TIME_TO_READ_ON } else { Duration::ZERO };
    while let Some(end) = end_of_file(Path::new(&record)) {
        if heard.read_on(&end) || Instant::now() >= until {
            break;
        }
        std::thread::park_timeout(TIME_BETWEEN_LOOKS);
    }
    heard
}

/// Returns the end of a host's own record of a session.
fn end_of_file(path: &Path) -> Option<String> {
    // Whatever else has this name could keep us waiting.
    let length = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let mut file = std::fs::File::open(path).ok()?;
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
