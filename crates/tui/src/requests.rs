//! What the screen asks of the store, and what it is answered: plain values, already cleaned for a screen (SEC-4).

use backstory_app::ProjectSelector;
use backstory_memory::{Content, Kind, Memory, MemoryId, SessionId, Standing, Timestamp};
use backstory_store::{StandingFilter, Verdict};

/// What is asked of the store.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// Find memories. Only the newest of these that wait is answered.
    Search(MemoryQuery),
    /// Read all there is of a memory. Only the newest of these that wait is answered.
    Detail(MemoryId),
    /// List what waits for a word.
    Inbox(ProjectSelector),
    /// List sessions.
    Sessions(ProjectSelector),
    /// Read a session step by step.
    Replay(SessionId),
    /// Build what would be injected now. Only the newest of these that wait is answered.
    Injection(InjectionQuery),
    /// Change something. All of these are done, in order.
    Act(Act),
    /// Say whether another process has written meanwhile.
    Poll,
}

/// What to look for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemoryQuery {
    /// Counts up, so that a late answer is known as late.
    pub(crate) generation: u64,
    pub(crate) text: String,
    pub(crate) projects: ProjectSelector,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) since: Option<Timestamp>,
    pub(crate) standing: StandingFilter,
}

/// What would be injected at which moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InjectionQuery {
    pub(crate) generation: u64,
    /// The prompt; an empty one stands for the start of a session.
    pub(crate) prompt: String,
    pub(crate) projects: ProjectSelector,
    /// Another budget than the configured one, in tokens.
    pub(crate) budget: Option<u32>,
}

/// A change the user asks for.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    Judge(MemoryId, Verdict),
    TogglePin(MemoryId),
    /// Gives a memory another title and text.
    Revise(MemoryId, MemoryWords),
    /// Puts another memory in its place.
    Supersede(MemoryId, MemoryWords),
    /// Deletes for good.
    Forget(MemoryId),
    Undo(Box<UndoStep>),
}

/// The words of a memory as they are typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemoryWords {
    pub(crate) title: String,
    pub(crate) body: String,
}

impl MemoryWords {
    pub(crate) fn from_content(content: &Content) -> MemoryWords {
        MemoryWords { title: content.title.clone(), body: content.body.clone() }
    }

    /// Writes them as one text: the title, an empty line, the body.
    pub(crate) fn to_text(&self) -> String {
        if self.body.trim() == self.title.trim() {
            self.title.clone()
        } else {
            format!("{}\n\n{}", self.title, self.body.trim_end())
        }
    }

    /// Reads what [`Self::to_text`] wrote: the first line is the title, what follows is the body, or the title again.
    pub(crate) fn from_text(text: &str) -> MemoryWords {
        let text = text.trim();
        let (title, body) = text.split_once('\n').unwrap_or((text, ""));
        let (title, body) = (title.trim().to_owned(), body.trim().to_owned());
        let body = if body.is_empty() { title.clone() } else { body };
        MemoryWords { title, body }
    }
}

/// How a change is undone.
#[derive(Clone, Debug)]
pub(crate) struct UndoStep {
    /// The memory as it was.
    pub(crate) before: Memory,
    /// What took its place.
    pub(crate) replacement: Option<MemoryId>,
}

/// What the store answers.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// The projects there are, the one of this folder first.
    Projects(Vec<ProjectChoice>),
    Found(FoundMemories),
    Detail(Box<MemoryDetail>),
    /// The memory is gone.
    NoDetail(MemoryId),
    Inbox(Vec<MemoryLine>),
    Sessions(Vec<SessionLine>),
    Replay(Box<SessionReplay>),
    Injection(Box<InjectionPreview>),
    /// A change is done.
    Done(Box<ActReport>),
    /// Somebody else wrote to the store.
    Changed,
    /// It could not be done.
    Failed {
        is_act: bool,
        words: String,
        hint: Option<String>,
    },
}

/// A project to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProjectChoice {
    pub(crate) name: String,
    pub(crate) selector: ProjectSelector,
}

/// The hits of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundMemories {
    pub(crate) generation: u64,
    pub(crate) rows: Vec<MemoryLine>,
    /// How long the search took, in tenths of a millisecond.
    pub(crate) tenths_ms: u32,
    /// What the reader should know: words read otherwise, nothing that fits.
    pub(crate) note: Option<String>,
}

/// A memory in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemoryLine {
    pub(crate) id: MemoryId,
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    pub(crate) project: String,
    pub(crate) at: Timestamp,
    pub(crate) standing: Standing,
    pub(crate) pinned: bool,
}

/// A memory with everything that is known of it.
#[derive(Clone, Debug)]
pub(crate) struct MemoryDetail {
    pub(crate) line: MemoryLine,
    pub(crate) words: MemoryWords,
    /// Facts about it, each for a line: who said it, why it stands so, how sure.
    pub(crate) about: Vec<String>,
    /// Named lists: facts, concepts, files.
    pub(crate) lists: Vec<(&'static str, Vec<String>)>,
    /// What it rests on: when, what happened, the text.
    pub(crate) evidence: Vec<EvidenceLine>,
    /// More events than are listed.
    pub(crate) more_evidence: usize,
    /// What it said before, and what it has to do with other memories: when, in words.
    pub(crate) history: Vec<(Option<Timestamp>, String)>,
    /// Where it was injected.
    pub(crate) injected: Vec<InjectedAt>,
    pub(crate) session: Option<SessionId>,
}

/// An event a memory rests on: when it was, what happened, the text.
pub(crate) type EvidenceLine = (Timestamp, String, String);

/// One time a memory was injected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InjectedAt {
    pub(crate) at: Timestamp,
    /// The moment, place and cost.
    pub(crate) words: String,
    /// How it was used after that.
    pub(crate) used: Option<String>,
    pub(crate) reasons: String,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionLine {
    pub(crate) id: SessionId,
    pub(crate) title: String,
    pub(crate) host: String,
    pub(crate) project: String,
    pub(crate) started_at: Timestamp,
    pub(crate) last_event_at: Timestamp,
    pub(crate) events: u64,
    pub(crate) memories: u64,
}

/// A session step by step.
#[derive(Clone, Debug)]
pub(crate) struct SessionReplay {
    pub(crate) line: SessionLine,
    pub(crate) turns: Vec<ReplayTurn>,
}

/// What happened from one prompt to the next.
#[derive(Clone, Debug)]
pub(crate) struct ReplayTurn {
    pub(crate) prompt: Option<String>,
    pub(crate) at: Timestamp,
    pub(crate) steps: Vec<ReplayStep>,
    pub(crate) closing: Option<String>,
    /// Number, kind and title of what was learnt.
    pub(crate) learnt: Vec<(MemoryId, &'static str, String)>,
    /// What was injected: the moment, how many, how many tokens.
    pub(crate) injected: Vec<String>,
}

/// One step of a session.
#[derive(Clone, Debug)]
pub(crate) struct ReplayStep {
    /// What was done: "ran", "edited".
    pub(crate) what: String,
    pub(crate) failed: bool,
    pub(crate) is_edit: bool,
    pub(crate) text: String,
    /// What a command printed, or the lines of a change with `+` and `-`.
    pub(crate) detail: Option<String>,
}

/// What would be injected, and what it costs.
#[derive(Clone, Debug, Default)]
pub(crate) struct InjectionPreview {
    pub(crate) generation: u64,
    pub(crate) text: String,
    pub(crate) tokens: u32,
    pub(crate) budget: u32,
    pub(crate) bytes: usize,
    pub(crate) tenths_ms: u32,
    /// Section, tokens, memories.
    pub(crate) sections: Vec<(String, u32, usize)>,
    pub(crate) skipped: Vec<String>,
}

/// What a change did.
#[derive(Clone, Debug)]
pub(crate) struct ActReport {
    pub(crate) words: String,
    pub(crate) undo: Option<UndoStep>,
    /// Which memory to show afterwards.
    pub(crate) shows: Option<MemoryId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_being_written_for_an_editor() {
        let long = MemoryWords { title: "Use WAL".to_owned(), body: "It is faster.\n\nMuch.".to_owned() };
        assert_eq!(MemoryWords::from_text(&long.to_text()), long);
        let short = MemoryWords { title: "Use WAL".to_owned(), body: "Use WAL".to_owned() };
        assert_eq!(short.to_text(), "Use WAL");
        assert_eq!(MemoryWords::from_text("Use WAL\n"), short);
        assert_eq!(MemoryWords::from_text("  \n ").title, "");
    }
}
