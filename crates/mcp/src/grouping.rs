//! Hits grouped by piece of work: what one session did stands in its commit, its summary and its handoff, and an agent needs it once.

use backstory_memory::{Kind, Memory, says_the_same};
use backstory_recall::Hit;

/// A piece of work: its best hit with the place of that among all hits, and its other hits.
#[derive(Debug)]
pub(crate) struct HitGroup<'a> {
    pub(crate) at: usize,
    pub(crate) head: &'a Hit,
    pub(crate) others: Vec<&'a Hit>,
}

/// Groups hits, and keeps the order of the best of each group.
pub(crate) fn group(hits: &[Hit]) -> Vec<HitGroup<'_>> {
    let mut groups: Vec<HitGroup<'_>> = Vec::new();
    for (at, hit) in hits.iter().enumerate() {
        match groups.iter_mut().find(|group| is_same_work(&group.head.memory, &hit.memory)) {
            Some(group) => group.others.push(hit),
            None => groups.push(HitGroup { at, head: hit, others: Vec::new() }),
        }
    }
    groups
}

/// Whether two memories are of one piece of work. Knowledge, such as a rule or a failure, always stands for itself.
fn is_same_work(one: &Memory, other: &Memory) -> bool {
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
