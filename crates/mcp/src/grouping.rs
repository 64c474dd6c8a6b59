//! Hits grouped by piece of work: what one session did stands in its commit, its summary and its handoff, and an agent needs it once.

use backstory_recall::{Hit, is_same_work};

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
