//! Which steps of a handoff somebody but the agent stands behind (law 6).
//!
//! What an agent lists as left may repeat a page in other words, which no list of words finds. Only what the user asked for or approved is
//! injected, and a task that asks for nothing by itself. Not here: what is injected of a handoff (`inject`).

use crate::agent_notes::users_words;
use crate::finding::Finding;
use crate::session_notes::SessionNotes;
use backstory_memory::{
    EvidenceKind, HandoffDetails, Kind, OwnAddresses, Provenance, keywords, requested_action, stems,
};
use std::collections::HashSet;

/// The words of each thing the user asked for or approved in a session.
pub(super) struct UsersRequests(Vec<HashSet<String>>);

impl UsersRequests {
    pub(super) fn of_texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> UsersRequests {
        let words_of = |text: T| stems(keywords(text.as_ref())).collect();
        UsersRequests(texts.into_iter().map(words_of).collect())
    }

    /// Whether one request holds at least half the words of a step.
    fn hold(&self, step: &str) -> bool {
        let words: HashSet<String> = stems(keywords(step)).collect();
        let holds = |request: &HashSet<String>| words.intersection(request).count() * 2 >= words.len();
        !words.is_empty() && self.0.iter().any(holds)
    }
}

/// Notes in a handoff which of its steps are backed: by a request, or because they are `listed`.
pub(super) fn note_backed(details: &mut HandoffDetails, requests: &UsersRequests, listed: &[String]) {
    let steps = details.in_flight.iter().chain(&details.next_steps).chain(&details.undone_decisions);
    details.backed_steps =
        steps.filter(|step| listed.contains(step) || requests.hold(step)).cloned().collect();
}

/// The tasks of a list that ask for nothing by themselves: the agent writes it.
pub(super) fn harmless_tasks(tasks: &[String]) -> impl Iterator<Item = String> {
    let own = OwnAddresses::default();
    tasks.iter().filter(move |task| requested_action(task, &own).is_none()).cloned()
}

impl SessionNotes<'_> {
    /// What the user typed in the session, and the steps of the plan they approved.
    pub(super) fn users_requests(&self) -> UsersRequests {
        let entries = self.turns.iter().flat_map(|turn| turn.entries);
        let typed = entries.filter_map(users_words);
        let plan = self.tasks.approved_plan.iter().flat_map(|plan| plan.lines()).map(str::to_owned);
        UsersRequests::of_texts(typed.chain(plan))
    }

    /// Steps that nobody has to ask for: harmless tasks, the plan the user approved, what was under way without being a task, and what the
    /// user decided.
    pub(super) fn listed_steps(&self, in_flight: &[String]) -> Vec<String> {
        let tasks = harmless_tasks(&self.tasks.open).chain(harmless_tasks(&self.tasks.started));
        let under_way = in_flight.iter().filter(|step| !self.tasks.started.contains(step)).cloned();
        // That the user picked or answered is what proves such a decision.
        let is_users = |finding: &&Finding| {
            finding.content.kind == Kind::Decision
                && (finding.content.provenance == Provenance::User
                    || finding.evidence == EvidenceKind::Structure)
        };
        let decided = self.findings.iter().filter(is_users).map(|finding| finding.content.title.clone());
        tasks.chain(under_way).chain(self.approved_step()).chain(decided).collect()
    }
}
