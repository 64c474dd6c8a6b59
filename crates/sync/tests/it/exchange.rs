//! What one member pushes reaches the others, once, with its author.

use crate::test_hub::{
    PROJECT, TestHub, batch, forgotten, found_uids, push, query, revision, titles, uid, with_ann,
    with_ann_and_bob,
};
use backstory_memory::{Relation, SharedLink, SharedRevision, SyncBatch, Watermark};

#[test]
fn a_pushed_memory_is_pulled_once_and_pushing_it_again_changes_nothing() {
    let Some((test, mut ann, mut bob)) = with_ann_and_bob() else { return };
    let pushed = batch("u1", vec![revision(5, "tabs")]);
    push(&mut ann, &pushed);
    let (pulled, next) = test.pull(&mut bob, Watermark::default());
    assert_eq!(titles(&pulled), [("u1".to_owned(), vec![("tabs".to_owned(), ann.member().to_owned())])]);
    let [memory] = pulled.memories.as_slice() else { panic!("{pulled:?}") };
    assert_eq!(memory.revisions[0].content, pushed.memories[0].revisions[0].content);
    push(&mut ann, &pushed);
    let (again, _) = test.pull(&mut bob, next);
    assert!(again.is_empty(), "{again:?}");
}

#[test]
fn of_two_concurrent_revisions_the_newer_counts_and_both_are_kept() {
    let Some((test, mut ann, mut bob)) = with_ann_and_bob() else { return };
    push(&mut ann, &batch("u1", vec![revision(5, "tabs")]));
    let (_, next) = test.pull(&mut bob, Watermark::default());
    push(&mut bob, &batch("u1", vec![revision(7, "spaces")]));
    push(&mut ann, &batch("u1", vec![revision(6, "both")]));
    let (a, b) = (ann.member().to_owned(), bob.member().to_owned());
    let whole = [("tabs".to_owned(), a.clone()), ("both".to_owned(), a), ("spaces".to_owned(), b)];
    assert_eq!(titles(&test.pull(&mut bob, next).0), [("u1".to_owned(), whole.to_vec())]);
    assert_eq!(titles(&test.pull(&mut ann, next).0), titles(&test.pull(&mut bob, next).0));
}

#[test]
fn a_forgotten_memory_is_gone_and_never_comes_back() {
    let Some((test, mut ann, mut bob)) = with_ann_and_bob() else { return };
    push(&mut ann, &batch("u1", vec![revision(5, "a-secret-word")]));
    push(&mut ann, &batch("u2", vec![revision(5, "kept")]));
    let link = SharedLink { from: uid("u2"), relation: Relation::Relates, to: uid("u1") };
    push(&mut ann, &SyncBatch { links: vec![link], ..SyncBatch::default() });
    let (_, next) = test.pull(&mut bob, Watermark::default());
    push(&mut bob, &forgotten("u1"));
    // Ann has not pulled that yet, and revises it.
    push(&mut ann, &batch("u1", vec![revision(9, "a-secret-word again")]));
    let (pulled, _) = test.pull(&mut ann, next);
    assert_eq!((pulled.memories.len(), pulled.forgotten), (0, vec![uid("u1")]));
    let left = test.database.psql(
        "SELECT count(*) FROM backstory.revisions r, backstory.links l WHERE r::text LIKE '%secret%' OR l::text LIKE '%u1%'",
    );
    assert_eq!(left, "0");
    push(&mut bob, &forgotten("never-pulled-of"));
    assert_eq!(test.pull(&mut ann, Watermark::default()).0.forgotten, [uid("u1")]);
}

#[test]
fn links_reach_only_what_the_hub_has() {
    let Some((test, mut ann)) = with_ann() else { return };
    push(&mut ann, &batch("u1", vec![revision(5, "one")]));
    push(&mut ann, &batch("u2", vec![revision(5, "two")]));
    let link = |to| SharedLink { from: uid("u1"), relation: Relation::Relates, to: uid(to) };
    push(&mut ann, &SyncBatch { links: vec![link("u2"), link("private")], ..SyncBatch::default() });
    assert_eq!(test.pull(&mut ann, Watermark::default()).0.links, [link("u2")]);
}

#[test]
fn older_revisions_do_not_crowd_out_current_ones() {
    let Some((_test, mut ann)) = with_ann() else { return };
    let often = (0..30).map(|at| revision(at, &format!("the ledger rounding runs overnight, take {at}")));
    let revised = often.chain([revision(30, "nothing of it is left")]).collect();
    push(&mut ann, &batch("u1", revised));
    push(&mut ann, &batch("u2", vec![revision(5, "refunds are batched")]));
    assert_eq!(found_uids(&mut ann, &query("ledger rounding overnight refunds", None, 20)), ["u2"]);
}

/// The hub splits identifiers itself, as the store does: what is found here is found there.
#[test]
fn the_hub_splits_identifiers_as_the_store_does() {
    let Some(test) = TestHub::with(&[]) else { return };
    for text in [
        "runMigration",
        "run_migration waits, runs-late",
        "HTTPServer2 XMLHttpRequest",
        "src/db/openStore.rs",
        "__init__",
        "plain words, no identifiers",
        "数据库迁移 用rust写库 データベース",
        "v3.51.3 [a-b] (E0308) a1b2 x",
    ] {
        let terms = test.database.psql(&format!("SELECT backstory.identifier_terms('{text}')"));
        assert_eq!(terms, backstory_memory::identifier_terms(text), "{text}");
    }
}

/// More match than are returned, and the best was neither written first nor last.
#[test]
fn the_search_ranks_every_match_before_it_cuts() {
    let Some((_test, mut ann)) = with_ann() else { return };
    for number in 0..60 {
        let mut revision = revision(5, &format!("topic {number}"));
        revision.content.body =
            "a ledger, once, among many other words that have nothing to do with it".to_owned();
        if number == 31 {
            revision.content.title = "The ledger: ledger of ledgers".to_owned();
        }
        push(&mut ann, &batch(&format!("u{number}"), vec![revision]));
    }
    let found = found_uids(&mut ann, &query("ledger", None, 3));
    assert_eq!((found[0].as_str(), found.len()), ("u31", 3));
}

#[test]
fn the_search_finds_words_parts_of_identifiers_and_only_what_is_in_force() {
    let Some((_test, mut ann)) = with_ann() else { return };
    push(
        &mut ann,
        &batch("u1", vec![revision(5, "runMigration takes the lock"), revision(6, "run_migration waits")]),
    );
    let replaced = SharedRevision { superseded_by: Some(uid("u1")), ..revision(5, "migration by hand") };
    push(&mut ann, &batch("u2", vec![replaced]));
    let mut titles_found = |question: &str| -> Vec<String> {
        let hits = ann.search(&query(question, Some(PROJECT), 10)).unwrap();
        hits.into_iter().map(|hit| hit.revision.content.title).collect()
    };
    for question in ["migration", "runMigration", "run_migration", "waiting migrations'; DROP TABLE x --"] {
        assert_eq!(titles_found(question), ["run_migration waits"], "{question}");
    }
    assert_eq!(titles_found("lock"), [""; 0], "it no longer says so");
    // What a question is made of is quoted: none of these is read as more than words.
    for hostile in ["see example.org/it's'x|y and", r"/a\b/c'd\ e", "'' & | ! <-> :*A ()", "x' | 'y"] {
        assert_eq!(titles_found(hostile), [""; 0], "{hostile}");
    }
    assert_eq!(titles_found(""), [""; 0]);
}
