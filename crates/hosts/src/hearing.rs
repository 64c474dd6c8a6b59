//! What was understood of a host's payload, before anything of it is redacted: it must not reach a disk like this.

use crate::{Opening, codex, copilot};
use backstory_memory::{Activity, ExitStatus, Provenance, Subagent};
use std::fmt;

/// One payload, understood as far as it can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What the host called it.
    pub name: String,
    /// The host's own name for the session, if it said.
    pub host_session: Option<String>,
    /// Where it happened, if the host said.
    pub cwd: Option<String>,
    /// What it means here.
    pub meaning: Meaning,
    /// What else happened with it, as when one patch changes many files.
    pub also: Vec<Told>,
    /// What is about to happen, where something can be said about it.
    pub opening: Option<Opening>,
    /// The host's own record of the session, where its end says what the payload leaves out: see [`Heard::read_on`].
    pub record: Option<String>,
    /// What belongs to the event and is not there: session, folder, prompt, tool, input, response.
    pub lacks: Vec<&'static str>,
}

/// What a payload means here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Something happened.
    Happened(Box<Told>),
    /// Nothing that is to be kept; why, in a word or two.
    PassedOver(&'static str),
}

/// What happened, as the host tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
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

impl Heard {
    /// What is kept of a payload nobody could read: its text.
    pub(crate) fn unreadable(payload: &[u8]) -> Heard {
        let text = String::from_utf8_lossy(payload).into_owned();
        let activity = Activity::Other { text };
        let told =
            Told { activity, subagent: None, tool: None, sequence: None, provenance: Provenance::External };
        let meaning = Meaning::Happened(Box::new(told));
        Heard {
            name: "unreadable".to_owned(),
            host_session: None,
            cwd: None,
            meaning,
            also: Vec::new(),
            opening: None,
            record: None,
            lacks: Vec::new(),
        }
    }

    /// Takes from the end of the host's own record what the payload left out. Returns whether it is all there yet: until then it may
    /// be read again.
    pub fn read_on(&mut self, end_of_record: &str) -> bool {
        let Meaning::Happened(told) = &mut self.meaning else { return false };
        match (&mut told.activity, &told.sequence) {
            (Activity::Ran { status: status @ ExitStatus::Unknown, .. }, Some(call)) => {
                let found = codex::end_of_command(end_of_record, call);
                *status = found.unwrap_or(*status);
                found.is_some()
            }
            (Activity::TurnEnded { message }, _) => {
                let Some(last) = copilot::last_words(end_of_record) else { return false };
                *message = last.text;
                last.are_closing
            }
            _ => false,
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
