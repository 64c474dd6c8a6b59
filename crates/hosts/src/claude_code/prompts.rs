//! What somebody wrote, without what the host wrote around it.

/// Blocks of the host's own: reminders, notices of background work, what a command of the host printed.
const OF_THE_HOST: [&str; 7] = [
    "system-reminder",
    "hook_context",
    "user-prompt-submit-hook",
    "task-notification",
    "command-name",
    "command-message",
    "command-contents",
];

/// Groups of such blocks, known by how their names begin.
const GROUPS_OF_THE_HOST: [&str; 3] = ["local-command-", "bash-", "ide_"];

/// A block of the host's around words of the user's.
const AROUND_WORDS: &str = "command-args";

/// Takes out every block of the host's own.
pub(super) fn without_blocks_of_the_host(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, block)) = next_block(rest) {
        kept.push_str(before);
        if block.keeps_words {
            kept.push_str(block.inside);
        }
        rest = block.behind;
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

/// Returns what a compaction goes on with, without the thoughts that led to it.
pub(super) fn summary_in(text: &str) -> String {
    let inside = text.split_once("<summary>").map(|(_, inside)| inside.rsplit_once("</summary>"));
    inside.flatten().map_or(text, |(summary, _)| summary).trim().to_owned()
}

struct Block<'a> {
    inside: &'a str,
    behind: &'a str,
    keeps_words: bool,
}

/// Finds the next whole block. One that is never closed is what somebody wrote about it.
fn next_block(text: &str) -> Option<(&str, Block<'_>)> {
    let starts = text.match_indices('<').map(|(at, _)| at);
    starts.take(MOST_TAGS).find_map(|at| {
        let (before, from) = text.split_at_checked(at)?;
        let (name, inner) = from.strip_prefix('<')?.split_once('>').filter(|(name, _)| name.len() < 64)?;
        let name = name.split_whitespace().next()?;
        let keeps_words = name == AROUND_WORDS;
        let is_of_the_host =
            OF_THE_HOST.contains(&name) || GROUPS_OF_THE_HOST.iter().any(|group| name.starts_with(group));
        if !keeps_words && !is_of_the_host {
            return None;
        }
        let (inside, behind) = inner.split_once(&format!("</{name}>"))?;
        Some((before, Block { inside, behind, keeps_words }))
    })
}

/// A text of more tags is markup somebody pasted.
const MOST_TAGS: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_user_wrote_stays() {
        for (text, stays) in [
            ("plain", "plain"),
            ("a <system-reminder>\nx\n</system-reminder> b", "a  b"),
            ("<hook_context origin=\"x\">y</hook_context>\nfix it", "fix it"),
            ("<task-notification><status>done</status></task-notification>", ""),
            ("<command-name>/greet</command-name>\n<command-args>Ada</command-args>", "Ada"),
            ("<local-command-stdout>x</local-command-stdout>", ""),
            ("what is <system-reminder> for?", "what is <system-reminder> for?"),
            ("a < b <b>bold</b> <", "a < b <b>bold</b> <"),
            ("<é>x</é>", "<é>x</é>"),
        ] {
            assert_eq!(without_blocks_of_the_host(text), stays, "{text}");
        }
    }

    #[test]
    fn a_summary_is_told_from_its_analysis() {
        assert_eq!(summary_in("<analysis>hm</analysis>\n<summary>\nDone: x\n</summary>"), "Done: x");
        assert_eq!(summary_in("no tags"), "no tags");
        assert_eq!(summary_in("<summary>never closed"), "<summary>never closed");
    }
}
