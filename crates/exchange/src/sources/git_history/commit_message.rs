//! A commit's message: its subject, and its why without what machines and processes put beneath it.

use backstory_memory::cap;

/// How long a why may be.
const MOST_WHY_BYTES: usize = 2_000;
/// How many lines of a quoted log or listing are kept.
const MOST_QUOTED_LINES: usize = 6;

/// Lines that say who did what to a commit, not why it was made.
const TRAILERS: &[&str] = &[
    "acked-by",
    "approved-by",
    "assisted-by",
    "auto-submit",
    "cc",
    "change-id",
    "cherry-picked-from",
    "co-authored-by",
    "co-developed-by",
    "commit-queue",
    "differential revision",
    "generated-by",
    "git-svn-id",
    "helped-by",
    "made-with",
    "on-behalf-of",
    "part-of",
    "pick-to",
    "pr-url",
    "reported-by",
    "requested-by",
    "review-url",
    "reviewed-by",
    "reviewed-on",
    "signed-off-by",
    "submitted-by",
    "suggested-by",
    "task-number",
    "tested-by",
    "thanks-to",
];

/// A message, taken apart.
pub(super) struct CommitMessage<'a> {
    /// What it says first.
    pub(super) subject: &'a str,
    rest: &'a str,
}

impl<'a> CommitMessage<'a> {
    pub(super) fn parse(message: &'a str) -> CommitMessage<'a> {
        let message = message.trim();
        let (subject, rest) = message.split_once('\n').unwrap_or((message, ""));
        CommitMessage { subject: subject.trim(), rest }
    }

    /// Returns why the commit was made: the rest of its message, without trailers and long quotations.
    pub(super) fn why(&self) -> String {
        let mut kept: Vec<&str> = Vec::new();
        let mut quoted = 0;
        for line in self.rest.lines().map(str::trim_end) {
            quoted = if is_listing(line) { quoted + 1 } else { 0 };
            let is_second_gap = line.is_empty() && kept.last().is_none_or(|last| last.is_empty());
            if quoted <= MOST_QUOTED_LINES && !is_second_gap && !is_trailer(line) {
                kept.push(line);
            } else if quoted == MOST_QUOTED_LINES + 1 {
                kept.push("    …");
            }
        }
        cap(unwrapped(&kept).trim(), MOST_WHY_BYTES).text
    }

    /// Returns how many words the why has; the address of an issue is none.
    pub(super) fn words_of_why(&self) -> usize {
        let why = self.why();
        why.split_whitespace()
            .filter(|word| !word.contains("://") && word.chars().any(char::is_alphabetic))
            .count()
    }

    /// Returns the names of the commits this one takes back.
    pub(super) fn reverts(&self) -> impl Iterator<Item = &'a str> {
        let after = self.rest.split("This reverts commit ").skip(1);
        after
            .filter_map(|after| after.split(|c: char| !c.is_ascii_hexdigit()).next())
            // Git itself writes the whole id. A shorter one is a person's remark, and may be ambiguous.
            .filter(|id| id.len() >= 40)
    }

    /// Whether it says that others have to change something.
    pub(super) fn is_breaking(&self) -> bool {
        self.rest
            .lines()
            .any(|line| line.starts_with("BREAKING CHANGE") || line.starts_with("BREAKING-CHANGE"))
    }
}

/// Joins the lines of a paragraph that was wrapped by hand. Distillation would take each line for a sentence.
fn unwrapped(lines: &[&str]) -> String {
    let mut text = String::new();
    let mut before = "";
    for line in lines {
        let goes_on = before.len() >= LEAST_WRAPPED_BYTES && !is_listing(before) && continues(line);
        text.push_str(if goes_on { " " } else { "\n" });
        text.push_str(if goes_on { line.trim_start() } else { line });
        before = line;
    }
    text
}

/// Text is wrapped further to the right than this; a shorter line ends where its writer wanted.
const LEAST_WRAPPED_BYTES: usize = 50;

/// Whether a line can be the rest of the one before it: it is not empty, and neither an item nor a listing.
fn continues(line: &str) -> bool {
    let start = line.trim_start();
    let is_item = ["- ", "* ", "+ ", "# "].iter().any(|mark| start.starts_with(mark));
    let is_number = start.split_once(['.', ')']).is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    !start.is_empty() && !is_item && !is_number && !is_listing(line)
}

fn is_listing(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with(['\t', '>', '|', '`'])
}

fn is_trailer(line: &str) -> bool {
    let line = line.trim();
    if line.starts_with("(cherry picked from commit") || line.contains("Generated with [") {
        return true;
    }
    let Some((name, _)) = line.split_once(':') else { return false };
    TRAILERS.contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_why_is_what_people_wrote() {
        let message = CommitMessage::parse(
            "Keep the lock\n\nTwo writers met.\n\n\nSigned-off-by: A <a@b>\nChange-Id: I12\nBug: 12\n(cherry picked from commit 12)\n",
        );
        assert_eq!(message.subject, "Keep the lock");
        assert_eq!(message.why(), "Two writers met.\n\nBug: 12");
        assert_eq!(CommitMessage::parse("ProjectFilter this\n").why(), "");
    }

    #[test]
    fn lines_that_were_wrapped_are_one_again() {
        let wrapped = "The lock was taken after the log had been copied, which\nis too late.\n\n\
             - one item that is long enough to be wrapped by its writer\n  goes on here\n- another\n\nIt said:\n    one\n    two";
        let expected = "The lock was taken after the log had been copied, which is too late.\n\n\
             - one item that is long enough to be wrapped by its writer goes on here\n- another\n\nIt said:\n    one\n    two";
        assert_eq!(CommitMessage::parse(&format!("Keep the lock\n\n{wrapped}")).why(), expected);
    }

    #[test]
    fn a_long_log_is_cut_and_what_follows_it_is_kept() {
        let log: String = (0..40).map(|number| format!("    line {number}\n")).collect();
        let message = format!("Stop the crash\n\nIt said:\n\n{log}\nNow it does not.");
        let why = CommitMessage::parse(&message).why();
        assert!(why.contains("line 5\n    …\n\nNow it does not."), "{why}");
        assert!(!why.contains("line 6"), "{why}");
    }

    #[test]
    fn a_revert_names_what_it_takes_back() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let message = format!("Revert \"x\"\n\nThis reverts commit {id}.\nThis reverts commit abc.");
        assert_eq!(CommitMessage::parse(&message).reverts().collect::<Vec<_>>(), [id]);
    }
}
