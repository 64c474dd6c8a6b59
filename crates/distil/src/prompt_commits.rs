//! Commits that nobody asked for: something beside the agent commits what it did, with the prompt as the message.
//!
//! Known by the log: a subject that is how a prompt of the session begins, and that no command of the session committed. Who does not
//! know it finds nothing to commit. Not here: the commits of the session (`commits`).

use crate::finding::{Comparing, Finding, distilled, evidence, subject};
use crate::session_findings::is_fresh;
use crate::transcript::{TranscriptEntry, Turn};
use backstory_memory::{
    Activity, Category, Digest, EvidenceKind, Kind, MemoryId, Provenance, Standing, StandingReason,
    Timestamp, first_chars,
};
use backstory_store::{OnRepeat, Session, Store, StoreError};

/// A shorter subject may be like a prompt by chance.
const LEAST_CHARS: usize = 16;
const MOST_SHOWN_CHARS: usize = 120;
/// What makes a commit of something else than the agent one that says what was done.
const REWORDING: [&str; 2] = ["--amend", "git reset --soft"];

/// Returns what the log of a session shows of such commits.
pub(super) fn found(session: &Session, turns: &[Turn<'_>]) -> Option<Finding> {
    let fresh = turns.iter().filter(|turn| is_fresh(turn, session));
    let (entry, line) = fresh.flat_map(Turn::commands).find_map(|(entry, ran)| {
        let shows_log = ran.tasks().iter().any(|task| matches!(task.name.as_str(), "git log" | "git show"));
        let line = ran.output.lines().filter(|_| shows_log).find(|line| is_prompt(turns, line))?;
        Some((entry, line))
    })?;
    let reworded = reworded(turns, entry);
    let mut body = format!(
        "`git log` shows a commit that no command of the session made, with a prompt for its subject:\n{}\nSo `git status` may be clean and `git diff` empty before `git commit`: the log has the work.",
        first_chars(line.trim(), MOST_SHOWN_CHARS)
    );
    if let Some((_, command)) = reworded {
        body.push_str("\nDone about it: `");
        // Its message is of that day.
        let command = command.lines().next().and_then(|line| line.split(" -m").next()).unwrap_or(command);
        body.push_str(first_chars(command, MOST_SHOWN_CHARS));
        body.push('`');
    }
    let title = "Something commits each turn by itself, with the prompt as the commit's message";
    let mut content = distilled(Kind::Fact, title, &body, Provenance::Tool);
    content.category = Some(Category("trap".to_owned()));
    Some(Finding {
        subject: its_subject(),
        content,
        events: evidence([entry].into_iter().chain(reworded.map(|(entry, _)| entry))),
        at: entry.at,
        again: if reworded.is_some() { OnRepeat::ReinforceAndReplace } else { OnRepeat::Reinforce },
        comparing: Comparing::Not,
        evidence: EvidenceKind::Structure,
        relates_to: Vec::new(),
    })
}

fn its_subject() -> Digest {
    subject("trap", &[b"prompt commits"])
}

/// Retires what is known of such commits once they stop: what an earlier turn edited was still there to be committed.
pub(super) fn retire_refuted(
    store: &mut Store,
    session: &Session,
    turns: &[Turn<'_>],
    now: Timestamp,
) -> Result<Option<MemoryId>, StoreError> {
    let known = store.memories().with_subject(session.project, its_subject())?;
    let known = known.filter(|memory| matches!(memory.standing, Standing::Confirmed | Standing::Proposed));
    let Some(memory) = known else { return Ok(None) };
    let is_refuted = turns.windows(2).any(|pair| {
        let [before, turn] = pair else { return false };
        let is_left = before.entries.iter().rev().find_map(|entry| match entry.activity() {
            Activity::Edited { .. } => Some(true),
            Activity::Ran { command, .. } if command.contains("git commit") => Some(false),
            _ => None,
        });
        let is_later = turn.first().is_some_and(|entry| entry.at > memory.updated_at);
        let commits = turn.commands().any(|(_, ran)| ran.commit().is_some());
        let is_reworded =
            turn.commands().any(|(_, ran)| REWORDING.iter().any(|words| ran.command.contains(words)));
        is_later
            && is_left == Some(true)
            && !before.is_stopped()
            && commits
            && !is_reworded
            && turn.edited().is_empty()
    });
    if is_refuted {
        store.memories_mut().retire(&[memory.id], StandingReason::Fixed, now)?;
    }
    Ok(is_refuted.then_some(memory.id))
}

/// Whether a line of a log names a commit whose subject is how a prompt begins, and which no command made.
fn is_prompt(turns: &[Turn<'_>], line: &str) -> bool {
    let line = line.trim();
    let subject = line.split_once(' ').filter(|(hash, _)| is_hash(hash)).map_or(line, |(_, subject)| subject);
    let is_prompted = turns.iter().any(|turn| {
        let first = turn.prompt().trim().lines().next().unwrap_or_default().trim();
        // A subject begins with a capital, whatever the user typed.
        subject.chars().count() >= LEAST_CHARS && first.to_lowercase().starts_with(&subject.to_lowercase())
    });
    is_prompted
        && !turns.iter().flat_map(Turn::commands).any(|(_, ran)| is_committed_by(ran.command, subject))
}

fn is_hash(word: &str) -> bool {
    word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_committed_by(command: &str, subject: &str) -> bool {
    command.contains("git commit") && command.contains(subject)
}

/// What the agent did about it in the same turn, or after.
fn reworded<'a>(turns: &'a [Turn<'a>], seen: &TranscriptEntry) -> Option<(&'a TranscriptEntry, &'a str)> {
    turns.iter().flat_map(Turn::commands).find_map(|(entry, ran)| {
        let is_it =
            entry.id > seen.id && ran.succeeded() && REWORDING.iter().any(|it| ran.command.contains(it));
        is_it.then_some((entry, ran.command))
    })
}
