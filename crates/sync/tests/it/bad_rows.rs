//! What does not fit, comes twice, late, from the future or from before a restore: one such row stops nothing else.

use crate::test_hub::{
    PROJECT, batch, begin, forgotten, found_uids, joined, pull, push, query, revision, titles, uid, with_ann,
    with_ann_and_bob,
};
use backstory_memory::{Kind, Relation, SharedLink, SharedMemory, SyncBatch, Timestamp, Watermark};
use backstory_sync::{Hub, HubError, Pulled};

const OTHER: &str = "remote:example.org/other";

fn uids(batch: &SyncBatch) -> Vec<String> {
    batch.memories.iter().map(|memory| memory.uid.to_string()).collect()
}

#[test]
fn what_the_hub_rejects_is_named_and_the_rest_is_accepted() {
    let Some((test, mut ann)) = with_ann() else { return };
    let pushed: Vec<SyncBatch> = (0..9)
        .map(|number| {
            let title = if number == 4 { "with a \0 in it".to_owned() } else { format!("number {number}") };
            batch(&format!("u{number}"), vec![revision(5, &title)])
        })
        .collect();
    let pushed = push(&mut ann, &joined(pushed));
    let refused: Vec<_> = pushed.rejected.iter().map(|refusal| refusal.uid.to_string()).collect();
    assert_eq!(refused, ["u4"], "{pushed:?}");
    assert_eq!(test.pull(&mut ann, Watermark::default()).0.memories.len(), 8);
}

/// The hub has the caps of the store: no client, however made, fills it.
#[test]
fn what_is_larger_than_a_memory_can_be_is_rejected() {
    let Some((_test, mut ann)) = with_ann() else { return };
    let mut large = [revision(5, "body"), revision(5, "title"), revision(5, "item"), revision(5, "items")];
    large[0].content.body = "x".repeat(64 * 1024 + 1);
    large[1].content.title = "x".repeat(101);
    large[2].content.facts = vec!["x".repeat(2 * 1024 + 1)];
    large[3].content.files = vec!["x".to_owned(); 129];
    let pushed: Vec<SyncBatch> =
        (0..).zip(large).map(|(number, revision)| batch(&format!("u{number}"), vec![revision])).collect();
    let rejected = push(&mut ann, &joined(pushed)).rejected;
    assert_eq!(rejected.len(), 4, "{rejected:?}");
    let mut just_fits = revision(5, &"x".repeat(100));
    just_fits.content.body = "x".repeat(64 * 1024);
    just_fits.content.facts = vec!["x".repeat(2 * 1024); 128];
    let rejected = push(&mut ann, &batch("u9", vec![just_fits])).rejected;
    assert_eq!(rejected, []);
    backstory_testkit::held("A05", 17, 4, "oversized memories are rejected");
}

/// The timeout starts again after each answer, however much is pushed at once.
#[test]
fn every_answer_of_a_slow_hub_is_a_sign_of_life() {
    let Some((_test, mut ann)) = with_ann() else { return };
    let pushed = (0..50).map(|number| batch(&format!("u{number}"), vec![revision(5, "one of many")]));
    let mut signs = 0;
    ann.push(PROJECT, &joined(pushed), &mut || signs += 1).unwrap();
    assert!(signs >= 100, "{signs}");
}

/// Somebody moved it, or came upon it by import.
#[test]
fn a_memory_stays_in_its_project_whoever_pushes_it() {
    let Some((test, mut ann, mut bob)) = with_ann_and_bob() else { return };
    bob.share(OTHER, "other").unwrap();
    push(&mut ann, &batch("u1", vec![revision(5, "tabs")]));
    let pushed = bob.push(OTHER, &batch("u1", vec![revision(6, "spaces")]), &mut || {}).unwrap();
    assert_eq!(pushed.in_other_project, [uid("u1")]);
    let said_last = |batch: &SyncBatch| titles(batch)[0].1.last().unwrap().0.clone();
    assert_eq!(said_last(&test.pull(&mut ann, Watermark::default()).0), "spaces");
    bob.push(OTHER, &forgotten("u1"), &mut || {}).unwrap();
    assert_eq!(test.pull(&mut ann, Watermark::default()).0.forgotten, [uid("u1")]);
}

#[test]
fn a_link_is_there_whichever_of_its_ends_is_pushed_last() {
    let Some((test, mut ann)) = with_ann() else { return };
    let link = SharedLink { from: uid("u1"), relation: Relation::Relates, to: uid("u2") };
    for of in ["u1", "u2"] {
        let pushed = SyncBatch { links: vec![link.clone()], ..batch(of, vec![revision(5, of)]) };
        push(&mut ann, &pushed);
    }
    assert_eq!(test.pull(&mut ann, Watermark::default()).0.links, [link]);
}

#[test]
fn what_cannot_be_read_is_named_the_rest_is_pulled_and_it_can_be_pulled_again() {
    let Some((test, mut ann)) = with_ann() else { return };
    for of in ["u1", "u2", "u3", "u4"] {
        push(&mut ann, &batch(of, vec![revision(5, of)]));
    }
    // As a hub would hold them that somebody changed by hand.
    test.database.psql(
        "ALTER TABLE backstory.revisions DROP CONSTRAINT revisions_kind_fkey, DROP CONSTRAINT revisions_facts_check",
    );
    test.database.psql("UPDATE backstory.revisions SET kind = 'from-tomorrow' WHERE uid = 'u2'");
    test.database.psql("UPDATE backstory.revisions SET facts = ARRAY[NULL] WHERE uid = 'u3'");
    test.database.wait_for_commits();
    let pull_parts = |ann: &mut Hub, since, again: &[String]| {
        let (mut pulled, mut unreadable) = (Vec::new(), Vec::new());
        let next = ann.pull(PROJECT, since, again, |part| {
            match part {
                Pulled::Batch(batch) => pulled.extend(uids(&batch)),
                Pulled::Unreadable(uid) => unreadable.push(uid),
                Pulled::Checkpoint(_) => {}
            }
            Ok::<(), HubError>(())
        });
        (pulled, unreadable, next.unwrap())
    };
    let (pulled, unreadable, next) = pull_parts(&mut ann, Watermark::default(), &[]);
    assert_eq!(
        (pulled, &unreadable),
        (vec!["u1".to_owned(), "u4".to_owned()], &vec!["u2".to_owned(), "u3".to_owned()])
    );
    test.database.psql("UPDATE backstory.revisions SET kind = 'note' WHERE uid = 'u2'");
    let (pulled, still, _) = pull_parts(&mut ann, next, &unreadable);
    assert_eq!((pulled, still), (vec!["u2".to_owned()], vec!["u3".to_owned()]));
}

/// Revisions of a machine whose clock is a day ahead, pushed at once and again.
#[test]
fn a_clock_that_is_ahead_keeps_its_order_and_says_nothing_twice() {
    let Some((test, mut ann, mut bob)) = with_ann_and_bob() else { return };
    let now = test.database.psql("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
    let tomorrow = now.parse::<i64>().unwrap() + 86_400_000;
    let wordings: Vec<_> =
        (0..6).map(|number| revision(tomorrow + number, &format!("wording {number}"))).collect();
    let wanted: Vec<String> = (0..6).map(|number| format!("wording {number}")).collect();
    for _ in 0..2 {
        push(&mut ann, &batch("u1", wordings.clone()));
        let (pulled, _) = test.pull(&mut bob, Watermark::default());
        let pulled: Vec<String> = titles(&pulled)[0].1.iter().map(|(title, _)| title.clone()).collect();
        assert_eq!(pulled, wanted);
    }
    // Who has pulled them and revises the memory is later.
    let (pulled, _) = test.pull(&mut bob, Watermark::default());
    let last = pulled.memories[0].revisions.last().unwrap().at;
    assert!(last.0 < tomorrow, "the hub does not believe in the future");
    push(&mut bob, &batch("u1", vec![revision(last.0 + 1, "of bob")]));
    let (pulled, _) = test.pull(&mut bob, Watermark::default());
    assert_eq!(titles(&pulled)[0].1.last().unwrap().0, "of bob");
}

/// More than a window holds, and broken off in the middle.
#[test]
fn a_long_pull_that_is_broken_off_goes_on_where_it_was() {
    let Some((test, mut ann)) = with_ann() else { return };
    for round in 0..12 {
        let some = |number| SharedMemory {
            uid: uid(&format!("u{round}-{number}")),
            created_at: Timestamp(1),
            revisions: vec![revision(5, "one of many")],
        };
        let pushed = SyncBatch { memories: (0..250).map(some).collect(), ..SyncBatch::default() };
        push(&mut ann, &pushed);
    }
    test.database.wait_for_commits();
    let (mut pulled, mut reached) = (0, Watermark::default());
    let broken = ann.pull(PROJECT, Watermark::default(), &[], |part| match part {
        Pulled::Checkpoint(watermark) => {
            reached = watermark;
            Err(HubError::Full)
        }
        Pulled::Batch(batch) => {
            pulled += batch.memories.len();
            Ok(())
        }
        Pulled::Unreadable(_) => Ok(()),
    });
    assert!(broken.is_err() && (1500..3000).contains(&pulled), "{pulled}");
    assert_eq!(pulled + pull(&mut ann, reached).0.memories.len(), 3000);
}

/// A dump that is restored into a cluster that has not counted that far yet.
#[test]
fn what_was_written_before_a_restore_is_pulled_after_it() {
    let Some((test, mut ann)) = with_ann() else { return };
    push(&mut ann, &batch("before", vec![revision(5, "before")]));
    push(&mut ann, &forgotten("nothing"));
    test.database.psql("UPDATE backstory.revisions SET xact_id = '9000000000000'::xid8");
    push(&mut ann, &batch("since", vec![revision(5, "since")]));
    // The watermark is of the other cluster.
    let (pulled, next) = test.pull(&mut ann, Watermark(8_999_999_999_999));
    assert_eq!(uids(&pulled), ["before", "since"]);
    assert!(pull(&mut ann, next).0.is_empty());
}

#[test]
fn the_search_counts_only_the_wanted_kinds() {
    let Some((_test, mut ann)) = with_ann() else { return };
    for number in 0..5 {
        push(&mut ann, &batch(&format!("u{number}"), vec![revision(5, "migration")]));
    }
    let mut note = revision(5, "a note that speaks of one migration among many other things");
    note.content.kind = Kind::Note;
    push(&mut ann, &batch("note", vec![note]));
    let mut question = query("migration", None, 2);
    question.kinds = &[Kind::Note];
    assert_eq!(found_uids(&mut ann, &question), ["note"]);
}

#[test]
fn a_search_that_takes_too_long_is_stopped() {
    let Some((test, mut ann)) = with_ann() else { return };
    // Somebody holds what every search has to read.
    let mut holder = test.connect("postgres");
    holder.batch_execute("BEGIN; LOCK TABLE backstory.revisions").unwrap();
    let mut question = query("migration", None, 2);
    question.timeout = Some(std::time::Duration::from_millis(50));
    let stopped = ann.search(&question).unwrap_err();
    assert!(matches!(stopped, HubError::Busy { .. }), "{stopped}");
}

/// Whoever pushes could otherwise rank before everything, or hide.
#[test]
fn the_index_of_words_is_made_by_the_hub_whatever_a_member_sends() {
    let Some((test, mut ann)) = with_ann() else { return };
    push(&mut ann, &batch("u1", vec![revision(1, "the ledger rounds up")]));
    let mut client = test.client("ann");
    let mut transaction = begin(&mut client, "a");
    transaction
        .execute(
            "INSERT INTO backstory.revisions (team, project_key, uid, revised_at_ms, content_digest, author, kind, title, body, facts, concepts, files,
                 attributes, search_vector)
             SELECT team, project_key, uid, 2, content_digest, 'bob', kind, title, body, facts, concepts, files, attributes,
                 'zeppelin:1A'::tsvector FROM backstory.revisions",
            &[],
        )
        .unwrap();
    transaction.commit().unwrap();
    let forged = "SELECT count(*) FROM backstory.revisions WHERE search_vector @@ 'zeppelin' OR NOT search_vector @@ 'ledger' OR author = 'bob'";
    assert_eq!(test.database.psql(forged), "0");
    let sql = "UPDATE backstory.revisions SET search_vector = 'zeppelin:1A'";
    assert!(begin(&mut client, "a").execute(sql, &[]).is_err());
    backstory_testkit::held("A05", 19, 1, "forged word indexes are replaced");
}

#[test]
fn what_an_open_transaction_holds_back_is_noticed() {
    let Some((test, mut ann, mut bob)) = with_ann_and_bob() else { return };
    push(&mut ann, &batch("u1", vec![revision(1, "before")]));
    let (_, since) = test.pull(&mut bob, Watermark::default());
    assert!(!bob.is_held_back(PROJECT, since).unwrap());
    let mut client = test.client("ann");
    let mut open = begin(&mut client, "a");
    open.execute("SELECT pg_current_xact_id()", &[]).unwrap();
    push(&mut ann, &batch("u2", vec![revision(1, "held back")]));
    let (pulled, since) = pull(&mut bob, since);
    assert_eq!(uids(&pulled), Vec::<String>::new());
    assert!(bob.is_held_back(PROJECT, since).unwrap());
    assert!(!ann.is_held_back(PROJECT, since).unwrap(), "one's own words are here already");
    open.rollback().unwrap();
    let (pulled, since) = test.pull(&mut bob, since);
    assert_eq!(uids(&pulled), ["u2"]);
    assert!(!bob.is_held_back(PROJECT, since).unwrap());
    backstory_testkit::held("A05", 19, 1, "transactions left open are noticed");
}
