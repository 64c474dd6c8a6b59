//! Commits an agent made: what their messages say, read from the command and from what git printed.
//!
//! Not here: git itself. A commit somebody else made is none of this session's work.

use crate::CommandRun;

/// A commit made in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MadeCommit {
    /// The first line of its message.
    pub(super) subject: String,
    /// The rest of it, without trailers.
    pub(super) body: String,
    /// Its abbreviated hash, where git printed it.
    pub(super) hash: Option<String>,
    /// The branch it is on, where git printed it.
    pub(super) branch: Option<String>,
    /// Whether it took the place of the commit before it.
    pub(super) amends: bool,
}

impl MadeCommit {
    /// Reads the commit a command made. Called by [`CommandRun`] alone, which keeps it.
    pub(super) fn read(ran: &CommandRun<'_>) -> Option<MadeCommit> {
        if !ran.runs("git commit") || !ran.succeeded() {
            return None;
        }
        let printed = ran.output.lines().find_map(printed_header);
        let subject = printed.as_ref().map(|header| header.subject);
        let message = message(ran.command, subject);
        let mut lines = message.lines();
        let subject =
            subject.or_else(|| lines.next()).map(str::trim).filter(|subject| !subject.is_empty())?;
        let body: Vec<&str> =
            message.lines().skip(1).filter(|line| !is_trailer(line)).map(str::trim_end).collect();
        Some(MadeCommit {
            subject: subject.to_owned(),
            body: body.join("\n").trim().to_owned(),
            hash: printed.as_ref().map(|header| header.hash.to_owned()),
            branch: printed.and_then(|header| header.branch).map(str::to_owned),
            amends: ran.command.contains(" --amend"),
        })
    }
}

/// What git prints for a commit it made.
struct PrintedHeader<'a> {
    branch: Option<&'a str>,
    hash: &'a str,
    subject: &'a str,
}

/// Reads `[main 1a2b3c4] Subject`.
fn printed_header(line: &str) -> Option<PrintedHeader<'_>> {
    let (inside, subject) = line.strip_prefix('[')?.split_once("] ")?;
    let (place, hash) = inside.rsplit_once(' ')?;
    let is_hash = (7..=40).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    let branch = place.split(' ').next().filter(|_| !place.starts_with("detached HEAD"));
    is_hash.then_some(PrintedHeader { branch, hash, subject })
}

/// Returns the message as the command gives it: from its subject to the end of its quotes or of its here-document.
fn message<'a>(command: &'a str, subject: Option<&str>) -> &'a str {
    let found = subject.and_then(|subject| command.find(subject)).or_else(|| after_flag(command));
    let Some(start) = found else { return "" };
    let (before, rest) = command.split_at(start);
    let end = match before.chars().next_back() {
        Some(quote @ ('"' | '\'')) => rest.find(quote),
        Some('\n') => here_document_end(rest),
        _ => rest.find(['\n', ' ']),
    };
    end.and_then(|end| rest.get(..end)).unwrap_or(rest)
}

/// Where the text after `-m "`, `-qam '` or `--message="` begins.
fn after_flag(command: &str) -> Option<usize> {
    let is_flag = |word: &str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        word.starts_with("--message")
            || (letters.ends_with('m') && letters.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    command.match_indices(['"', '\'']).find_map(|(at, quote)| {
        let before = command.get(..at)?.trim_end_matches([' ', '=']);
        is_flag(before.rsplit(char::is_whitespace).next()?).then_some(at + quote.len())
    })
}

fn here_document_end(text: &str) -> Option<usize> {
    let is_mark = |line: &str| {
        !line.is_empty() && line.len() <= 12 && line.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    text.lines().find(|line| is_mark(line.trim())).map(|line| line.as_ptr() as usize - text.as_ptr() as usize)
}

fn is_trailer(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    ["co-authored-by:", "signed-off-by:", "reviewed-by:", "change-id:"]
        .iter()
        .any(|trailer| line.starts_with(trailer))
        || line.contains("generated with")
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_memory::ExitStatus;

    fn commit(command: &str, output: &str) -> Option<MadeCommit> {
        CommandRun::new(command, output, ExitStatus::Success).commit().cloned()
    }

    #[test]
    fn a_commit_is_read_however_it_was_written() {
        let made = commit(
            "git add -A && git commit -m \"Fix the retry loop\n\nIt slept while holding the lock.\n\nCo-Authored-By: X <x@y>\"",
            "[main 1a2b3c4] Fix the retry loop\n 1 file changed, 2 insertions(+)",
        );
        let made = made.unwrap();
        assert_eq!(
            (made.subject.as_str(), made.body.as_str()),
            ("Fix the retry loop", "It slept while holding the lock.")
        );
        assert_eq!(made.hash.as_deref(), Some("1a2b3c4"));

        let here = "git commit -q -F - <<'EOF'\nAdd a queue\n\nUploads were lost.\nEOF\ngit push";
        let printed = commit(here, "[topic (root-commit) abcdef012] Add a queue").unwrap();
        assert_eq!((printed.subject.as_str(), printed.body.as_str()), ("Add a queue", "Uploads were lost."));
        assert_eq!(printed.branch.as_deref(), Some("topic"));

        let quiet = commit("git commit -qam 'Rename it'", "").unwrap();
        assert_eq!((quiet.subject.as_str(), quiet.body.as_str(), quiet.hash), ("Rename it", "", None));
    }

    #[test]
    fn nothing_else_is_a_commit() {
        assert_eq!(commit("git log --oneline", "[main 1a2b3c4] Fix"), None);
        assert_eq!(commit("echo git commit -m 'x'", ""), None);
        let failed = CommandRun::new("git commit -m 'x'", "nothing to commit", ExitStatus::Failure);
        assert_eq!(failed.commit(), None);
    }
}
