//! Members at the same time: nothing is missed, nothing comes back, nobody waits in a circle.

use crate::test_hub::{
    PROJECT, TestHub, batch, begin, forgotten, pull, push, revision, uid, with_ann_and_bob,
};
use backstory_memory::{SharedMemory, SyncBatch, Timestamp, Watermark};
use std::collections::BTreeSet;

/// Commit order is not the order in which numbers are given out.
#[test]
fn what_began_first_and_is_committed_last_is_not_missed() {
    let Some(test) = TestHub::with(&[("a", &["ann", "bob", "carl"])]) else { return };
    let mut carl = test.member("carl", "a");
    let mut slow = test.client("ann");
    let mut open = begin(&mut slow, "a");
    let memory =
        "INSERT INTO backstory.memories (team, project_key, uid, created_at_ms) VALUES ('a', $1, 'slow', 1)";
    open.execute(memory, &[&PROJECT]).unwrap();
    let insert_revision = "INSERT INTO backstory.revisions (team, project_key, uid, revised_at_ms, content_digest, kind, title, body, facts, concepts, files,
         attributes) VALUES ('a', $1, 'slow', 5, decode(repeat('00', 16), 'hex'), 'note', 'slow', '', '{}', '{}', '{}',
         '{\"importance\": 3, \"confidence\": 1, \"provenance\": \"user\"}')";
    open.execute(insert_revision, &[&PROJECT]).unwrap();

    push(&mut test.member("bob", "a"), &batch("quick", vec![revision(5, "quick")]));
    let (first, next) = pull(&mut carl, Watermark::default());
    open.commit().unwrap();
    let (second, last) = test.pull(&mut carl, next);
    let pulled =
        |batch: &SyncBatch| batch.memories.iter().map(|memory| memory.uid.clone()).collect::<Vec<_>>();
    let mut all = [pulled(&first), pulled(&second)].concat();
    all.sort();
    assert_eq!(all, [uid("quick"), uid("slow")], "each exactly once");
    assert!(pull(&mut carl, last).0.is_empty());
}

/// A push that runs into a forgetting waits for it, and then says nothing any more.
#[test]
fn what_is_being_forgotten_takes_nothing_new() {
    let Some((test, mut ann, mut bob)) = with_ann_and_bob() else { return };
    for round in 0..20 {
        let of = format!("u{round}");
        push(&mut ann, &batch(&of, vec![revision(5, "one")]));
        std::thread::scope(|scope| {
            scope.spawn(|| push(&mut ann, &batch(&of, vec![revision(6, "two")])));
            scope.spawn(|| push(&mut bob, &forgotten(&of)));
        });
    }
    assert_eq!(test.database.psql("SELECT count(*) FROM backstory.revisions"), "0");
    assert_eq!(test.database.psql("SELECT count(*) FROM backstory.tombstones"), "20");
}

/// Several members push overlapping memories while another pulls: in the end each has pulled all of them.
#[test]
fn pulls_between_concurrent_pushes_miss_nothing() {
    let Some(test) = TestHub::with(&[("a", &["ann", "bob", "carl", "dora"])]) else { return };
    const ROUNDS: i64 = 25;
    let batch_of = |writer: i64, round: i64| SyncBatch {
        memories: (0..8)
            .map(|number| SharedMemory {
                // Half of them are everybody's.
                uid: uid(&format!("{}-{round}-{number}", if number % 2 == 0 { 0 } else { writer })),
                created_at: Timestamp(1),
                revisions: vec![revision(round * 10 + writer, &format!("by {writer}"))],
            })
            .collect(),
        ..SyncBatch::default()
    };
    let mut pulled = BTreeSet::new();
    let mut dora = test.member("dora", "a");
    let mut since = Watermark::default();
    std::thread::scope(|scope| {
        let writers: Vec<_> = ["ann", "bob", "carl"]
            .into_iter()
            .zip(1..)
            .map(|(member, writer)| {
                let mut hub = test.member(member, "a");
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        push(&mut hub, &batch_of(writer, round));
                    }
                })
            })
            .collect();
        while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            let (batch, next) = pull(&mut dora, since);
            assert!(next >= since);
            since = next;
            pulled.extend(batch.memories.into_iter().flat_map(pushed));
        }
    });
    pulled.extend(test.pull(&mut dora, since).0.memories.into_iter().flat_map(pushed));
    let all: BTreeSet<_> =
        pull(&mut dora, Watermark::default()).0.memories.into_iter().flat_map(pushed).collect();
    assert_eq!(pulled, all);
    assert_eq!(all.len(), usize::try_from(ROUNDS).unwrap() * (4 * 3 + 4 * 3));
}

fn pushed(memory: SharedMemory) -> Vec<(String, i64, String)> {
    let uid = memory.uid.to_string();
    memory.revisions.into_iter().map(|revision| (uid.clone(), revision.at.0, revision.author)).collect()
}
