//! One recorded payload of each event with a hook, so that `doctor` can run hooks without the host.

use crate::Host;
use std::path::Path;

/// A payload, as a hook of a host gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplePayload {
    /// The host's name of the event.
    pub event: String,
    /// The text on standard input.
    pub payload: String,
}

impl Host {
    /// Returns recorded payloads of one session in a folder, in the order a session has them.
    #[must_use]
    pub fn samples(self, folder: &Path) -> Vec<SamplePayload> {
        self.spec().samples.lines().map(|line| self.sample(line, folder)).collect()
    }

    fn sample(self, line: &str, folder: &Path) -> SamplePayload {
        // A payload that does not name its event has the name before it.
        let (event, payload) = match line.split_once(' ') {
            Some((event, payload)) if !event.starts_with('{') => (Some(event), payload),
            _ => (None, line),
        };
        let payload = payload.replace(RECORDED_IN, &folder.to_string_lossy());
        let event = event.map_or_else(|| self.parse(None, payload.as_bytes()).name, str::to_owned);
        SamplePayload { event, payload }
    }
}

/// The folder of the recorded sessions.
const RECORDED_IN: &str = "/home/dev/project";
