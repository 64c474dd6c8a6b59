//! What the user may have said for the moment only, and a later commit carries out: a report of something wrong, a wish read as a rule.
//! It is over, and nobody has to confirm or refuse it any more.
//!
//! Not here: failures that pass again (`closed_failures`), steps of a handoff (`inject`), what the user confirmed, which only they retire.

use crate::Distillation;
use crate::assertion::Assertion;
use crate::session_findings::is_fresh;
use crate::transcript::Turn;
use backstory_memory::{Kind, Memory, MemoryId, Standing, StandingReason, Timestamp, keywords, stems};
use backstory_store::{Filter, Scope, Session, StandingFilter, Store, StoreError};
use std::collections::HashSet;

/// More proposals than this are not looked at: the newest count.
const MOST_PROPOSED: u32 = 200;
/// Fewer words in common may be chance.
const LEAST_SHARED: usize = 3;

/// A commit's words, and when it was made.
struct CommitWords {
    at: Timestamp,
    words: HashSet<String>,
}

/// Retires what the commits of this session cover. Returns which.
pub(super) fn retire_covered(
    store: &mut Store,
    session: &Session,
    turns: &[Turn<'_>],
    how: &Distillation<'_>,
) -> Result<Vec<MemoryId>, StoreError> {
    let fresh = turns.iter().filter(|turn| is_fresh(turn, session));
    let commits: Vec<CommitWords> = fresh.flat_map(commits_of).collect();
    if commits.is_empty() || how.is_late() {
        return Ok(Vec::new());
    }
    let filter = Filter {
        kinds: vec![Kind::Rule],
        standing: StandingFilter::Proposed,
        limit: MOST_PROPOSED,
        ..Filter::within(Scope::Project(session.project))
    };
    let proposed = store.memories().get_many(&store.search().list(&filter)?)?;
    let is_over = |memory: &&Memory| {
        memory.project == session.project
            && may_be_over(memory)
            && commits.iter().any(|commit| commit.at >= memory.updated_at && covers(commit, memory))
    };
    let over: Vec<MemoryId> = proposed.iter().filter(is_over).map(|memory| memory.id).collect();
    store.memories_mut().retire(&over, StandingReason::Over, how.now)?;
    Ok(over)
}

fn commits_of<'a>(turn: &'a Turn<'_>) -> impl Iterator<Item = CommitWords> + 'a {
    turn.commands().filter_map(|(entry, ran)| {
        let commit = ran.commit().filter(|commit| !commit.subject.starts_with("Revert"))?;
        Some(CommitWords { at: entry.at, words: words_of(&commit.subject) })
    })
}

/// Whether it waits only because the user may have meant the moment. A prohibition is never carried out.
fn may_be_over(memory: &Memory) -> bool {
    memory.standing == Standing::Proposed
        && memory.standing_reason == StandingReason::Unclear
        && !memory.content.pinned
        && !Assertion::read(&memory.content.title).is_negative()
}

/// Whether a commit's subject holds nearly all words of a memory's title.
fn covers(commit: &CommitWords, memory: &Memory) -> bool {
    let said = words_of(&memory.content.title);
    let shared = said.intersection(&commit.words).count();
    shared >= LEAST_SHARED && shared * 4 >= said.len() * 3
}

fn words_of(text: &str) -> HashSet<String> {
    stems(keywords(text)).collect()
}
