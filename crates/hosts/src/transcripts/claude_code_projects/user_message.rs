//! User messages that are no tool results: mostly typed by the user, sometimes written by Claude Code in their name.

use crate::dialect::{block_in, typed_command};

/// A message in the name of the user.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum UserMessage {
    /// The user typed it, or one of their own commands with its arguments.
    Prompt(String),
    /// A command of the host itself, which the agent never sees.
    Command(String),
    /// The user interrupted the agent.
    Stopped,
}

/// Classifies a message.
pub(super) fn said(text: &str) -> UserMessage {
    let text = text.trim();
    if text.starts_with("[Request interrupted by user") {
        return UserMessage::Stopped;
    }
    // In a command of the host the name comes first, in one of the user the text that is shown.
    if text.starts_with("<command-name>")
        && let Some(name) = block_in(text, "command-name")
    {
        return UserMessage::Command(name.trim().to_owned());
    }
    UserMessage::Prompt(typed_command(text).unwrap_or_else(|| text.to_owned()))
}

/// Returns the summary of a compaction, without the sentences the host writes around it.
pub(super) fn summary(text: &str) -> &str {
    let from = ["\nSummary:\n", "\nAnalysis:\n"].iter().find_map(|mark| text.split_once(mark));
    let text = from.map_or(text, |(_, summary)| summary);
    let ends = [
        "\n\nIf you need specific details from before compaction",
        "\nPlease continue the conversation from where",
        "\nContinue the conversation from where",
    ];
    ends.iter().fold(text, |text, end| text.split_once(end).map_or(text, |(summary, _)| summary)).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_the_host_are_separated_from_those_of_the_user() {
        let own = "<command-name>/model</command-name>\n   <command-message>model</command-message>\n   <command-args>x</command-args>";
        assert_eq!(said(own), UserMessage::Command("/model".into()));
        let theirs = "<command-message>greet is running…</command-message>\n<command-name>/greet</command-name>\n<command-args>Ada</command-args>";
        assert_eq!(said(theirs), UserMessage::Prompt("/greet Ada".into()));
        assert_eq!(said("what is <command-name>?"), UserMessage::Prompt("what is <command-name>?".into()));
        assert_eq!(said("[Request interrupted by user for tool use]"), UserMessage::Stopped);
    }

    #[test]
    fn only_the_summary_of_a_compaction_is_kept() {
        let newer = "Words.\n\nSummary:\nDone: x\n\nIf you need specific details from before compaction (y)\nContinue the conversation from where z";
        assert_eq!(summary(newer), "Done: x");
        let older =
            "Words:\nAnalysis:\nhm\n\nSummary:\n1. Done: x.\nPlease continue the conversation from where z";
        assert_eq!(summary(older), "1. Done: x.");
        assert_eq!(summary("plain"), "plain");
    }
}
