//! A hook payload as parsed, before redaction: it must not reach a disk like this.

use backstory_memory::{Activity, InjectionPoint, Provenance, Subagent, fence_nonce};
use std::fmt;

/// One payload, parsed as far as it can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedEvent {
    /// What the host called it.
    pub name: String,
    /// The host's own name for the session, if it said.
    pub host_session: Option<String>,
    /// Where it happened, if the host said.
    pub cwd: Option<String>,
    /// Whether something of it is captured.
    pub outcome: EventOutcome,
    /// What else happened with it, as when one patch changes many files.
    pub also: Vec<AgentEvent>,
    /// The point at which something can be injected, where this event is one.
    pub injection_point: Option<InjectionPoint>,
    /// The host's own transcript of the session, where its end has what the payload leaves out: see
    /// [`Host::complete_from_transcript`](crate::Host::complete_from_transcript).
    pub transcript: Option<String>,
    /// The host's own transcript, where the event is a moment to read what hooks leave out: see
    /// [`Host::unreported_events`](crate::Host::unreported_events).
    pub live_transcript: Option<String>,
    /// Whether the agent can be asked something now: its turn ends, and no hook has made it go on already.
    pub takes_question: bool,
    /// The nonce of our own answer, where the agent called a tool of ours: it says which answer this session was given.
    pub answer_nonce: Option<u32>,
    /// The expected fields that are missing: session, folder, prompt, tool, input, response.
    pub missing: Vec<&'static str>,
}

/// What becomes of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventOutcome {
    /// Something happened.
    Captured(Box<AgentEvent>),
    /// Nothing worth capturing; why, in a word or two.
    Ignored(&'static str),
}

/// One thing that happened, as the host reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentEvent {
    /// What happened.
    pub activity: Activity,
    /// The subagent that did it.
    pub subagent: Option<Subagent>,
    /// The tool, as the host calls it.
    pub tool: Option<String>,
    /// What the host numbers its events by, where it does.
    pub sequence: Option<String>,
    /// Who its content comes from.
    pub provenance: Provenance,
}

/// Why a call of a tool of ours is ignored.
pub(crate) const OUR_TOOL: &str = "our own tool";

impl EventOutcome {
    /// Returns the nonce of our answer in a payload, if the payload is a call of a tool of ours.
    pub(crate) fn answer_nonce(&self, payload: &str) -> Option<u32> {
        if *self == EventOutcome::Ignored(OUR_TOOL) { fence_nonce(payload) } else { None }
    }
}

impl ParsedEvent {
    /// A payload that cannot be parsed: its text is captured as it is.
    pub(crate) fn unreadable(payload: &[u8]) -> ParsedEvent {
        let text = String::from_utf8_lossy(payload).into_owned();
        let activity = Activity::Other { text };
        let event =
            AgentEvent { activity, subagent: None, tool: None, sequence: None, provenance: Provenance::Web };
        let outcome = EventOutcome::Captured(Box::new(event));
        ParsedEvent {
            name: "unreadable".to_owned(),
            host_session: None,
            cwd: None,
            outcome,
            also: Vec::new(),
            injection_point: None,
            transcript: None,
            live_transcript: None,
            takes_question: false,
            answer_nonce: None,
            missing: Vec::new(),
        }
    }
}

/// Brings a text on one line.
pub(crate) fn one_line(text: &str) -> String {
    let beginning = text.get(..text.floor_char_boundary(LONGEST_LINE)).unwrap_or_default();
    beginning.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// A longer line is nobody's line: its beginning says what it was about.
const LONGEST_LINE: usize = 1000;

/// A name that no host has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownHost(pub String);

impl fmt::Display for UnknownHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a host", self.0)
    }
}

impl std::error::Error for UnknownHost {}
