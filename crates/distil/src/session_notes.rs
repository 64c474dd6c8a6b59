//! What was made of a session's turns so far: what its summary and its handoff are put together from.

use super::deferred::left_for_later;
use super::finding::Finding;
use super::transcript::Turn;
use crate::Closing;
use backstory_memory::{Activity, Kind, Memory, keywords};

/// What the turns of a session say.
pub(super) struct SessionNotes<'a> {
    pub(super) findings: &'a [Finding],
    /// What earlier runs found stated.
    pub(super) stated_before: &'a [Memory],
    pub(super) closings: &'a [Closing],
    pub(super) turns: &'a [Turn<'a>],
}

impl SessionNotes<'_> {
    /// The titles of the findings of some kinds, in order.
    pub(super) fn titles(&self, kinds: &[Kind]) -> Vec<String> {
        let before = self.stated_before.iter().map(|memory| &memory.content);
        let all = before.chain(self.findings.iter().map(|finding| &finding.content));
        all.filter(|content| kinds.contains(&content.kind)).map(|content| content.title.clone()).collect()
    }

    /// What the agent says it learnt.
    pub(super) fn learned(&self) -> impl Iterator<Item = String> {
        self.closings.iter().flat_map(|closing| closing.learned.clone())
    }

    /// What comes next: the steps of the plan that are not done, else what the last message that says so says; and before
    /// that what the user deferred.
    pub(super) fn next_steps(&self) -> Vec<String> {
        let planned = self.open_plan();
        let said = if planned.is_empty() { self.said_next() } else { planned };
        self.left_by_user().into_iter().chain(said).collect()
    }

    fn said_next(&self) -> Vec<String> {
        for (turn, closing) in self.turns.iter().zip(self.closings).rev() {
            // Next steps of an earlier turn may be what this one did.
            if !closing.next_steps.is_empty() || !turn.edited().is_empty() {
                return closing.next_steps.clone();
            }
        }
        Vec::new()
    }

    fn left_by_user(&self) -> Vec<String> {
        let last_edit = self.turns.iter().rposition(|turn| !turn.edited().is_empty());
        let left = |(at, turn): (usize, &Turn<'_>)| {
            // What was needed before something was done may be what was done; what was put off was not, unless it was requested again.
            let is_open = last_edit.is_none_or(|last| last < at);
            let later = self.turns.get(at + 1..).unwrap_or_default();
            let mut left = left_for_later(turn.prompt());
            left.retain(|left| is_open || (left.is_put_off && !is_taken_up(&left.step, later)));
            left.into_iter().map(|left| left.step).collect::<Vec<_>>()
        };
        self.turns.iter().enumerate().flat_map(left).collect()
    }

    fn open_plan(&self) -> Vec<String> {
        let entries = self.turns.iter().rev().flat_map(|turn| turn.entries.iter().rev());
        let last = entries.into_iter().find_map(|entry| match entry.activity() {
            Activity::Planned { steps } if entry.body.subagent.is_none() => Some(steps),
            _ => None,
        });
        last.into_iter().flatten().filter(|step| !step.is_done).map(|step| step.text.clone()).collect()
    }

    /// What the agent asked last and nobody answered.
    pub(super) fn questions(&self) -> Vec<String> {
        self.closings.last().map(|closing| closing.questions.clone()).unwrap_or_default()
    }

    /// What was done last, or found out.
    pub(super) fn stands_at(&self) -> Option<&Finding> {
        let of_work = |finding: &&Finding| finding.content.kind.is_work();
        self.findings.iter().filter(of_work).max_by_key(|finding| finding.at)
    }
}

/// Whether a later turn that changed something was about what was put off.
fn is_taken_up(step: &str, later: &[Turn<'_>]) -> bool {
    let wanted = keywords(step);
    let asks = |turn: &Turn<'_>| keywords(turn.prompt()).iter().any(|word| wanted.contains(word));
    later.iter().any(|turn| !turn.edited().is_empty() && asks(turn))
}
