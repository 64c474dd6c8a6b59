//! User messages: what the user typed, without what Codex put before it.

use crate::lenient::LenientJson;

/// How text of the host in the name of the user begins.
const OF_THE_HOST: [&str; 15] = [
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<recommended_plugins>",
    "<skill>",
    "<codex_internal_context",
    "<agent_message_board_notification>",
    "<hook_prompt",
    "<user_action>",
];

/// Returns what the user typed in a message.
pub(super) fn typed(message: &LenientJson<'_>) -> String {
    let about = message.get("internal_chat_message_metadata_passthrough");
    let kinds = about.get("content_item_kinds").items();
    let blocks = message.get("content").items().iter().enumerate();
    let typed = blocks.filter_map(|(number, block)| {
        // Newer versions mark the blocks of the host.
        let kind = kinds.get(number).and_then(LenientJson::text).filter(|kind| *kind != "unknown");
        let text = block.said("text")?;
        let is_typed = match kind {
            Some(kind) => kind.starts_with("user."),
            None => !OF_THE_HOST.iter().any(|begins| text.trim_start().starts_with(begins)),
        };
        is_typed.then(|| request_in(text))
    });
    typed.collect::<Vec<&str>>().join("\n")
}

/// Editors put the open files before the typed prompt.
fn request_in(text: &str) -> &str {
    match text.split_once("## My request for Codex:") {
        Some((before, request)) if before.starts_with("# Context from my IDE") => request.trim(),
        _ => text,
    }
}

/// Returns the summary of a compaction, without the host's instructions to the next model.
pub(super) fn summary(message: &str) -> &str {
    let introduced =
        message.strip_prefix("Another language model started").and_then(|rest| rest.split_once(":\n"));
    introduced.map_or(message, |(_, summary)| summary).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_the_host_wrote_is_not_a_typed_prompt() {
        let typed = |message: &str| typed(&LenientJson::read(message));
        for (content, expected) in [
            (r#"[{"text":"fix it"}]"#, "fix it"),
            (r#"[{"text":"<environment_context>\n<cwd>/p</cwd></environment_context>"}]"#, ""),
            (
                r##"[{"text":"# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>x</INSTRUCTIONS>"},{"text":"fix it"}]"##,
                "fix it",
            ),
            (
                r##"[{"text":"# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\nfix it\n"}]"##,
                "fix it",
            ),
            (r#"[{"text":"what is <skill> for?"},{"image_url":"x"}]"#, "what is <skill> for?"),
        ] {
            assert_eq!(typed(&format!(r#"{{"content":{content}}}"#)), expected, "{content}");
        }
        let of_kinds = r#"{"content":[{"text":"a"},{"text":"b"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["user.text","environments.x"]}}"#;
        assert_eq!(typed(of_kinds), "a");
    }

    #[test]
    fn only_the_summary_of_a_compaction_is_kept() {
        assert_eq!(summary("Another language model started to solve it: see below:\nDone: x."), "Done: x.");
        assert_eq!(summary("Done: x."), "Done: x.");
    }
}
