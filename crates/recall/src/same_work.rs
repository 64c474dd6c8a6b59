//! What one session did stands in its commit, its summary and its handoff: a reader needs it once.

use crate::{Hit, ScoreFactor};
use backstory_memory::{Kind, Memory, says_the_same};

/// What a repetition of a better hit counts: other work comes first unless it is far less likely.
const REPEATED: f64 = 0.5;
/// How many of the best hits are compared with each other.
const COMPARED: usize = 20;

/// Whether two memories are of one piece of work. Knowledge, such as a rule or a failure, always stands for itself.
#[must_use]
pub fn is_same_work(one: &Memory, other: &Memory) -> bool {
    let (kind, its) = (one.content.kind, other.content.kind);
    let sums_up_session = |kind| matches!(kind, Kind::Summary | Kind::Handoff);
    if one.project != other.project || !is_about_work(kind) || !is_about_work(its) {
        return false;
    }
    let is_one_session = one.session.is_some() && one.session == other.session;
    is_one_session && (sums_up_session(kind) || sums_up_session(its))
        || says_the_same(&one.content.title, &other.content.title)
}

fn is_about_work(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Feature | Kind::Bugfix | Kind::Refactor | Kind::Change | Kind::Summary | Kind::Handoff
    )
}

/// Lowers the hits that repeat the work of a better one. `hits` are sorted; the caller sorts them again.
pub(crate) fn weigh_repeated(hits: &mut [Hit]) {
    for at in 1..hits.len().min(COMPARED) {
        let (better, rest) = hits.split_at_mut(at);
        let Some(hit) = rest.first_mut() else { return };
        if better.iter().any(|it| is_same_work(&it.memory, &hit.memory)) {
            hit.reasons.factors.push((ScoreFactor::Repeated, REPEATED));
            hit.score = hit.reasons.score();
        }
    }
}
