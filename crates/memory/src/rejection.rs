//! What a writer saw and turned down, and why: so that a person can ask why something became no memory.
//!
//! What was forgotten on purpose is no reason: noting it would keep its words. Not here: who decides it (`distil`), how long it is
//! kept (`store`).

use std::fmt;
use std::str::FromStr;

/// Who derives memories from a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// The rules of this program.
    Rules,
    /// The agent of the session.
    Agent,
    /// A model in the background.
    Model,
}

impl Writer {
    const ALL: [Writer; 3] = [Writer::Rules, Writer::Agent, Writer::Model];

    /// Returns the writer's name, as it is stored and shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Writer::Rules => "rules",
            Writer::Agent => "agent",
            Writer::Model => "model",
        }
    }
}

impl FromStr for Writer {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Writer::ALL.into_iter().find(|writer| writer.as_str() == text).ok_or(())
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Declares the reasons: each with its name in the store, and in words for a person.
macro_rules! reasons {
    ($($(#[$doc:meta])* $Reason:ident = $name:literal: $explanation:literal;)*) => {
        /// Why a writer made no memory of something, or only a proposed one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum RejectionReason {
            $($(#[$doc])* $Reason,)*
        }

        impl RejectionReason {
            /// Every reason there is.
            pub const ALL: &'static [RejectionReason] = &[$(RejectionReason::$Reason),*];

            /// Returns the reason's name, as it is stored.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(RejectionReason::$Reason => $name,)*
                }
            }

            /// Says it to a person.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self {
                    $(RejectionReason::$Reason => $explanation,)*
                }
            }
        }
    };
}

reasons! {
    /// An order for one task that sounds like a rule.
    TaskOrder = "task_order": "it asked for one task, and set no rule";
    /// A question.
    Question = "question": "it is a question";
    /// Pasted into a prompt.
    Pasted = "pasted": "it was pasted, not typed";
    /// Held for the moment.
    OfTheMoment = "of_the_moment": "it held for that moment only";
    /// Suggested and not accepted.
    Proposal = "proposal": "it was only proposed";
    /// Something later in the session counts instead.
    Overtaken = "overtaken": "something later in the session took its place";
    /// A failure that printed no error.
    NoErrorLine = "no_error_line": "the failure printed no error line";
    /// Said in a closing message, and proved by nothing.
    OnlyClaimed = "only_claimed": "a closing message claimed it, and nothing proves it";
    /// Tool output or git says otherwise.
    Contradicted = "contradicted": "what tools printed says otherwise";
    /// A choice whose question or answer is not clear.
    UnclearChoice = "unclear_choice": "the choice could not be understood";
    /// Chatter, or a title that would say nothing.
    SaysNothing = "says_nothing": "no title could be made that says something";
    /// A project file such as CLAUDE.md says it.
    InProjectFile = "in_project_file": "a file of the project says it already";
    /// A memory says it.
    AlreadyKnown = "already_known": "a memory says it already";
    /// Taken back before.
    TakenBack = "taken_back": "it was taken back before, and only you can bring it back";
    /// Words of a web page, a repository or a tool.
    Outside = "outside": "a web page, a repository or a tool said it";
    /// Asks for an action without being the user's words.
    AsksForAction = "asks_for_action": "it asks for an action, and the user did not say it";
    /// Needs the user's words, and has none.
    NotTheUsers = "not_the_users": "only the user can say that, and did not";
    /// Not in the form a note has.
    Malformed = "malformed": "it was not in the form of a note";
    /// Cites what did not happen.
    NoEvidence = "no_evidence": "the evidence it cited does not exist";
    /// Names or numbers that its evidence does not hold.
    Ungrounded = "ungrounded": "it names something its evidence does not hold";
    /// A quote that nobody said.
    FalseQuote = "false_quote": "its quote stands nowhere in the evidence";
    /// Corrected soon after.
    Corrected = "corrected": "the user corrected it soon after";
    /// More than is kept of one message or session.
    OverLimit = "over_limit": "more was said than is kept of one message or session";
}

impl FromStr for RejectionReason {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        RejectionReason::ALL.iter().copied().find(|reason| reason.as_str() == text).ok_or(())
    }
}

impl fmt::Display for RejectionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
