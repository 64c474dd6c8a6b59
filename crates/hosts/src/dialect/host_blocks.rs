//! What somebody wrote, without what the host wrote around it.

/// Blocks of the host's own: reminders, notices of background work, what a command of the host printed.
const OF_THE_HOST: [&str; 13] = [
    "system-reminder",
    "system_reminder",
    "system_notification",
    "current_datetime",
    "hook_context",
    "user-prompt-submit-hook",
    "task-notification",
    "teammate-message",
    "peer-message",
    "new-diagnostics",
    "command-name",
    "command-message",
    "command-contents",
];

/// Groups of such blocks, known by how their names begin.
const GROUPS_OF_THE_HOST: [&str; 3] = ["local-command-", "bash-", "ide_"];

/// A block of the host's around words of the user's.
const AROUND_WORDS: &str = "command-args";

/// Takes out every block of the host's own. One that is never closed is what somebody wrote about it.
pub(super) fn without_blocks_of_the_host(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    let mut unclosed = 0;
    while let Some((before, from)) = rest.find('<').and_then(|at| rest.split_at_checked(at)) {
        kept.push_str(before);
        rest = from;
        match name_of_block(from).map(|name| inside_and_behind(from, name).map(|parts| (name, parts))) {
            Some(Some((name, (inside, behind)))) => {
                kept.push_str(if name == AROUND_WORDS { inside } else { "" });
                rest = behind;
                continue;
            }
            Some(None) => unclosed += 1,
            None => {}
        }
        if unclosed > MOST_UNCLOSED {
            break;
        }
        kept.push('<');
        rest = rest.strip_prefix('<').unwrap_or_default();
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

/// Returns the name of the host's block that a text begins with.
fn name_of_block(text: &str) -> Option<&str> {
    let tag = text.strip_prefix('<')?;
    let end = tag.bytes().take(LONGEST_TAG).position(|byte| byte == b'>')?;
    let name = tag.get(..end)?.split_whitespace().next()?;
    let is_of_the_host = name == AROUND_WORDS
        || OF_THE_HOST.contains(&name)
        || GROUPS_OF_THE_HOST.iter().any(|group| name.starts_with(group));
    is_of_the_host.then_some(name)
}

fn inside_and_behind<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let (_, inner) = text.split_once('>')?;
    inner.split_once(&format!("</{name}>"))
}

/// No tag of the host is longer, attributes and all.
const LONGEST_TAG: usize = 256;

/// Who writes more of them writes about them. Each costs a look at the whole text.
const MOST_UNCLOSED: usize = 16;

/// Returns a command as the user typed it, from the blocks in which the host shows it: `/greet Ada`. What it stands for is not theirs.
pub(crate) fn typed_command(text: &str) -> Option<String> {
    let text = text.trim_start();
    if !text.starts_with("<command-message>") && !text.starts_with("<command-name>") {
        return None;
    }
    let name = block_in(text, "command-name")?.trim();
    let arguments = block_in(text, AROUND_WORDS).unwrap_or_default().trim();
    let slash = if name.starts_with('/') { "" } else { "/" };
    Some(format!("{slash}{name} {arguments}").trim_end().to_owned())
}

/// Returns what stands in the first block of this name.
pub(crate) fn block_in<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, behind) = text.split_once(&format!("<{tag}>"))?;
    behind.split_once(&format!("</{tag}>")).map(|(inside, _)| inside)
}

/// Returns the summary of a compaction, without the thoughts before it.
pub(super) fn summary_in(text: &str) -> String {
    let inside = text.split_once("<summary>").map(|(_, inside)| inside.rsplit_once("</summary>"));
    inside.flatten().map_or(text, |(summary, _)| summary).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_the_host_are_removed_from_a_prompt() {
        for (text, stays) in [
            ("plain", "plain"),
            ("a <system-reminder>\nx\n</system-reminder> b", "a  b"),
            ("<hook_context origin=\"x\">y</hook_context>\nfix it", "fix it"),
            ("<task-notification><status>done</status></task-notification>", ""),
            ("<command-name>/greet</command-name>\n<command-args>Ada</command-args>", "Ada"),
            ("<local-command-stdout>x</local-command-stdout>", ""),
            ("<teammate-message teammate_id=\"a\">done</teammate-message>\nand now?", "and now?"),
            ("what is <system-reminder> for?", "what is <system-reminder> for?"),
            ("a < b <b>bold</b> <", "a < b <b>bold</b> <"),
            ("<é>x</é> <system-reminder>y</system-reminder>", "<é>x</é>"),
        ] {
            assert_eq!(without_blocks_of_the_host(text), stays, "{text}");
        }
    }

    #[test]
    fn a_command_is_what_the_user_typed() {
        let shown = "<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>Ada</command-args>";
        assert_eq!(typed_command(shown).as_deref(), Some("/greet Ada"));
        assert_eq!(typed_command("<command-name>greet</command-name>").as_deref(), Some("/greet"));
        assert_eq!(typed_command("what is <command-name>x</command-name>?"), None);
    }

    #[test]
    fn the_analysis_is_removed_from_a_summary() {
        assert_eq!(summary_in("<analysis>hm</analysis>\n<summary>\nDone: x\n</summary>"), "Done: x");
        assert_eq!(summary_in("no tags"), "no tags");
        assert_eq!(summary_in("<summary>never closed"), "<summary>never closed");
    }
}
