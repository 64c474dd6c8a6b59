//! What a row of a user holds that is no answer of a tool: mostly what they typed, sometimes what the host wrote in their name.

/// What was said in the name of the user.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum UserMessage {
    /// They typed it, or a command of theirs with what goes with it.
    Prompt(String),
    /// A command of the host's own, which asks nothing of the agent.
    Command(String),
    /// They stopped the agent.
    Stopped,
}

/// Understands what was said.
pub(super) fn said(text: &str) -> UserMessage {
    let text = text.trim();
    if text.starts_with("[Request interrupted by user") {
        return UserMessage::Stopped;
    }
    let name = inside(text, "command-name").map(str::trim);
    match name {
        // Of the host's own commands the name comes first, of the user's what is shown of them.
        Some(name) if text.starts_with("<command-name>") => UserMessage::Command(name.to_owned()),
        Some(name) if text.starts_with("<command-message>") => {
            let arguments = inside(text, "command-args").unwrap_or_default().trim();
            UserMessage::Prompt(format!("{name} {arguments}").trim_end().to_owned())
        }
        _ => UserMessage::Prompt(text.to_owned()),
    }
}

/// Returns what a compaction goes on with, without what the host writes around it.
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

fn inside<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, behind) = text.split_once(&format!("<{tag}>"))?;
    behind.split_once(&format!("</{tag}>")).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_the_host_are_told_from_those_of_the_user() {
        let own = "<command-name>/model</command-name>\n   <command-message>model</command-message>\n   <command-args>x</command-args>";
        assert_eq!(said(own), UserMessage::Command("/model".into()));
        let theirs = "<command-message>greet is running…</command-message>\n<command-name>/greet</command-name>\n<command-args>Ada</command-args>";
        assert_eq!(said(theirs), UserMessage::Prompt("/greet Ada".into()));
        assert_eq!(said("what is <command-name>?"), UserMessage::Prompt("what is <command-name>?".into()));
        assert_eq!(said("[Request interrupted by user for tool use]"), UserMessage::Stopped);
    }

    #[test]
    fn of_a_compaction_only_the_summary_stays() {
        let newer = "Words.\n\nSummary:\nDone: x\n\nIf you need specific details from before compaction (y)\nContinue the conversation from where z";
        assert_eq!(summary(newer), "Done: x");
        let older =
            "Words:\nAnalysis:\nhm\n\nSummary:\n1. Done: x.\nPlease continue the conversation from where z";
        assert_eq!(summary(older), "1. Done: x.");
        assert_eq!(summary("plain"), "plain");
    }
}
