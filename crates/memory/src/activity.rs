//! What happened in a session, in our own terms: what hosts report is translated to it, and memories are distilled from it.
//!
//! An event's payload holds one [`EventBody`] as JSON, so these types derive a serialisation. An unknown shape reads as nothing,
//! never as an error. Not here: the hosts' own formats (`hosts`), and what must not be stored (`capture`).

use crate::EventKind;
use serde::{Deserialize, Serialize};

/// What happened, and which agent did it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventBody {
    /// What happened.
    #[serde(flatten)]
    pub activity: Activity,
    /// The subagent that did it; none if it was the session's own agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<Subagent>,
    /// Hashes of what strangers or programs wrote in it, where it was too long to be kept whole (`shingles`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// An agent that works for another agent. What it does belongs to the session of its parent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subagent {
    /// The host's name for it.
    pub id: String,
    /// What sort of agent it is.
    #[serde(default)]
    pub sort: String,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Activity {
    /// A session began, or came back.
    SessionStarted {
        /// Why it began.
        reason: StartReason,
    },
    /// The user asked for something.
    Prompted {
        /// What they wrote.
        text: String,
    },
    /// A file was written or changed.
    Edited {
        /// The file, relative to the project's root if it is inside it.
        file: String,
        /// Whether the file is new.
        is_new: bool,
        /// What was replaced by what.
        hunks: Vec<Hunk>,
    },
    /// A command ran.
    Ran {
        /// The command as it was typed.
        command: String,
        /// What it printed.
        output: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// A file was read, a directory listed, or something searched for: one line, without the result.
    Looked {
        /// What was looked at or for.
        at: String,
        /// Hashes of the words that were read, so that they are recognised when somebody repeats them (`shingles`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    /// A request was sent to the web or to an MCP server.
    Fetched {
        /// The request.
        request: String,
        /// The answer, which strangers wrote.
        answer: String,
    },
    /// The agent wrote down its plan.
    Planned {
        /// The steps, in order.
        steps: Vec<PlanStep>,
    },
    /// A task of the agent's list was made, or its state changed.
    TaskChanged {
        /// The host's name for it.
        id: String,
        /// What is to be done; empty where the host only says which task it is.
        text: String,
        /// How far it is.
        state: TaskState,
    },
    /// The user approved or turned down a plan.
    PlanDecided {
        /// The plan, as the agent wrote it.
        plan: String,
        /// Whether it may be carried out.
        is_approved: bool,
        /// What the user said to it, in their own words.
        feedback: String,
    },
    /// The user answered a question of the agent.
    Answered {
        /// What it is about, in a word or two, where the host says so.
        #[serde(default)]
        topic: String,
        /// The question.
        question: String,
        /// The options the agent offered.
        options: Vec<String>,
        /// What the user chose or wrote.
        answer: String,
    },
    /// The user refused to let a tool run.
    Rejected {
        /// What it was to do.
        at: String,
        /// What the user said instead, in their own words; may be empty.
        feedback: String,
    },
    /// The user wrote something while the agent was working.
    Interjected {
        /// What they wrote.
        text: String,
    },
    /// The user stopped the agent.
    Interrupted,
    /// A tool had no result yet when the session ended.
    StillRunning {
        /// What it was to do.
        at: String,
    },
    /// A tool that is not a command failed.
    ToolFailed {
        /// What it was to do.
        at: String,
        /// The error it reported.
        error: String,
    },
    /// A tool did something that has no variant of its own.
    UsedTool {
        /// The input of the tool, on one line.
        request: String,
        /// Hashes of what it answered, which may come from anywhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    /// The agent ended its turn.
    TurnEnded {
        /// Its closing message.
        message: String,
    },
    /// The turn broke off before the agent could end it.
    TurnBroken {
        /// Why.
        error: String,
    },
    /// A subagent began.
    SubagentStarted,
    /// A subagent ended its work.
    SubagentEnded {
        /// Its closing message.
        message: String,
    },
    /// The host is about to compact its context.
    Compacting {
        /// What the user asked to keep.
        instructions: String,
    },
    /// The host has compacted its context.
    Compacted {
        /// The summary it continues with.
        summary: String,
    },
    /// A session ended.
    SessionEnded {
        /// Why.
        reason: String,
    },
    /// Something that has no variant of its own, or could not be read.
    Other {
        /// As much of it as there is.
        text: String,
    },
}

/// Why a session began, or came back.
///
/// Stored and sent as one word. An unknown word reads as [`StartReason::Other`]: the event must not be lost because a host invents
/// a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "&'static str")]
pub enum StartReason {
    /// A new session.
    Startup,
    /// The session comes back, and its agent still has what was injected before.
    Resume,
    /// The user cleared the context; the host runs on.
    Clear,
    /// The host compacted the context.
    Compact,
    /// A copy of another session.
    Fork,
    /// The session comes back without the block that was injected at its start; the rest of its context is still there.
    Reopen,
    /// The session comes back without anything that was injected before.
    Restart,
    /// Some other reason.
    Other,
}

impl StartReason {
    /// Returns the word it is stored by.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            StartReason::Startup => "startup",
            StartReason::Resume => "resume",
            StartReason::Clear => "clear",
            StartReason::Compact => "compact",
            StartReason::Fork => "fork",
            StartReason::Reopen => "reopen",
            StartReason::Restart => "restart",
            StartReason::Other => "other",
        }
    }
}

impl From<&str> for StartReason {
    fn from(word: &str) -> StartReason {
        match word {
            // Copilot CLI's word for a new session; some hosts give none.
            "startup" | "new" | "" => StartReason::Startup,
            "resume" => StartReason::Resume,
            "clear" => StartReason::Clear,
            "compact" => StartReason::Compact,
            "fork" => StartReason::Fork,
            "reopen" => StartReason::Reopen,
            "restart" => StartReason::Restart,
            _ => StartReason::Other,
        }
    }
}

impl From<String> for StartReason {
    fn from(word: String) -> StartReason {
        StartReason::from(word.as_str())
    }
}

impl From<StartReason> for &'static str {
    fn from(reason: StartReason) -> &'static str {
        reason.as_str()
    }
}

/// One place of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// What stood there before.
    pub before: String,
    /// What stands there now.
    pub after: String,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// What is to be done.
    pub text: String,
    /// Whether it is done.
    pub is_done: bool,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It waits.
    Open,
    /// It is being worked on.
    Started,
    /// It is done.
    Done,
    /// It was dropped.
    Dropped,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitStatus {
    /// It succeeded.
    Success,
    /// It failed.
    Failure,
    /// The user stopped it.
    Interrupted,
    /// It runs on in the background, or the host does not say.
    Unknown,
}

impl Activity {
    /// Returns the kind of event this makes.
    #[must_use]
    pub fn kind(&self) -> EventKind {
        match self {
            Activity::SessionStarted { .. } => EventKind::SessionStart,
            Activity::Prompted { .. } | Activity::Interjected { .. } => EventKind::Prompt,
            Activity::Ran { status: ExitStatus::Failure, .. } | Activity::ToolFailed { .. } => {
                EventKind::ToolFailure
            }
            Activity::Edited { .. }
            | Activity::Ran { .. }
            | Activity::Looked { .. }
            | Activity::Fetched { .. }
            | Activity::Planned { .. }
            | Activity::TaskChanged { .. }
            | Activity::PlanDecided { .. }
            | Activity::Answered { .. }
            | Activity::Rejected { .. }
            | Activity::UsedTool { .. } => EventKind::ToolUse,
            Activity::TurnEnded { .. } | Activity::TurnBroken { .. } => EventKind::TurnEnd,
            Activity::SubagentStarted => EventKind::SubagentStart,
            Activity::SubagentEnded { .. } => EventKind::SubagentEnd,
            Activity::Compacting { .. } | Activity::Compacted { .. } => EventKind::Compaction,
            Activity::SessionEnded { .. } => EventKind::SessionEnd,
            Activity::Interrupted | Activity::StillRunning { .. } | Activity::Other { .. } => {
                EventKind::Other
            }
        }
    }

    /// Returns every text in it, so that redaction and cutting miss none.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Activity::SubagentStarted | Activity::SessionStarted { .. } | Activity::Interrupted => Vec::new(),
            Activity::Prompted { text }
            | Activity::Interjected { text }
            | Activity::Looked { at: text, .. }
            | Activity::StillRunning { at: text }
            | Activity::UsedTool { request: text, .. }
            | Activity::TurnEnded { message: text }
            | Activity::TurnBroken { error: text }
            | Activity::SubagentEnded { message: text }
            | Activity::Compacting { instructions: text }
            | Activity::Compacted { summary: text }
            | Activity::SessionEnded { reason: text }
            | Activity::Other { text } => vec![text],
            Activity::Ran { command: one, output: two, .. }
            | Activity::Fetched { request: one, answer: two }
            | Activity::TaskChanged { id: one, text: two, .. }
            | Activity::PlanDecided { plan: one, feedback: two, .. }
            | Activity::Rejected { at: one, feedback: two }
            | Activity::ToolFailed { at: one, error: two } => vec![one, two],
            Activity::Answered { topic, question, options, answer } => {
                [topic, question, answer].into_iter().chain(options).collect()
            }
            Activity::Edited { file, hunks, .. } => {
                let hunks = hunks.iter_mut().flat_map(|hunk| [&mut hunk.before, &mut hunk.after]);
                std::iter::once(file).chain(hunks).collect()
            }
            Activity::Planned { steps } => steps.iter_mut().map(|step| &mut step.text).collect(),
        }
    }

    /// Keeps only the first `most` hunks or plan steps. Returns whether it dropped any.
    pub fn keep_first(&mut self, most: usize) -> bool {
        let (before, after) = match self {
            Activity::Edited { hunks, .. } => {
                let before = hunks.len();
                hunks.truncate(most);
                (before, hunks.len())
            }
            Activity::Planned { steps } => {
                let before = steps.len();
                steps.truncate(most);
                (before, steps.len())
            }
            Activity::Answered { options, .. } => {
                let before = options.len();
                options.truncate(most);
                (before, options.len())
            }
            _ => return false,
        };
        after < before
    }
}
