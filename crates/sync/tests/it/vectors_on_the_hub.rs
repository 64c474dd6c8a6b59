//! Vectors, on a server with pgvector.

use crate::test_hub::{PASSWORD, TestHub, batch, forgotten, name, push, query, revision, uid};
use backstory_memory::SharedRevision;
use backstory_sync::{Hub, MemoryVectors, QueryVector, VectorSupport};
use backstory_testkit::PrivateDatabase;

const MODEL: &str = "a model";

fn hub(teams: &[(&str, &[&str])]) -> Option<TestHub> {
    Some(TestHub::on(PrivateDatabase::with_vectors()?, teams))
}

/// A direction of its own for each number.
fn direction(of: usize) -> [f32; 384] {
    let mut direction = [0.0; 384];
    direction[of] = 1.0;
    direction
}

/// The same, as a machine stores it.
fn bytes(of: usize) -> Vec<u8> {
    let scale = (1.0f32 / 127.0).to_le_bytes();
    scale.into_iter().chain(direction(of).map(|number| (number * 127.0) as i8 as u8)).collect()
}

fn push_with_vectors(hub: &mut Hub, of: &str, revision: &SharedRevision, parts: Vec<Vec<u8>>) {
    push(hub, &batch(of, vec![revision.clone()]));
    let vectors = MemoryVectors { uid: uid(of), content_digest: revision.content_digest(), parts };
    for _ in 0..2 {
        hub.push_vectors(MODEL, std::slice::from_ref(&vectors), &mut || {}).unwrap();
    }
}

fn found(hub: &mut Hub, words: &str, direction: &[f32], model: &str) -> Vec<(String, Option<f64>)> {
    let mut question = query(words, None, 3);
    question.vector = Some(QueryVector { model, direction });
    let hits = hub.search(&question).unwrap();
    hits.into_iter().map(|hit| (hit.uid.to_string(), hit.cosine.map(f64::round))).collect()
}

#[test]
fn what_holds_none_of_the_words_is_found_by_vector_and_only_within_the_team() {
    let Some(test) = hub(&[("a", &["ann"]), ("b", &["bob"])]) else { return };
    let (mut ann, mut bob) = (test.member("ann", "a"), test.member("bob", "b"));
    for number in 0..9 {
        push_with_vectors(
            &mut ann,
            &format!("u{number}"),
            &revision(5, &format!("number {number}")),
            vec![bytes(number), bytes(100 + number)],
        );
        push_with_vectors(&mut bob, &format!("u{number}"), &revision(5, "of another team"), vec![bytes(7)]);
    }
    let near = found(&mut ann, "zeppelin", &direction(7), MODEL);
    assert_eq!(near.first(), Some(&("u7".to_owned(), Some(1.0))), "{near:?}");
    let by_its_second_part = found(&mut ann, "zeppelin", &direction(103), MODEL);
    assert_eq!(by_its_second_part.first().unwrap().0, "u3");
    assert_eq!(found(&mut ann, "zeppelin", &direction(7), "another model"), []);
    // Words first, and how near that is, too.
    let both = found(&mut ann, "number 4", &direction(7), MODEL);
    assert!(
        both.contains(&("u4".to_owned(), Some(0.0))) && both.contains(&("u7".to_owned(), Some(1.0))),
        "{both:?}"
    );

    push(&mut ann, &forgotten("u7"));
    let near = found(&mut ann, "zeppelin", &direction(7), MODEL);
    assert!(near.iter().all(|(uid, _)| uid != "u7"), "{near:?}");
    assert_eq!(
        test.database.psql("SELECT count(*) FROM backstory.vectors WHERE team = 'a' AND uid = 'u7'"),
        "0"
    );
    let open = "SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE oid = 'backstory.vectors'::regclass";
    assert_eq!(test.database.psql(open), "t");
}

#[test]
fn vectors_of_an_earlier_wording_do_not_count() {
    let Some(test) = hub(&[("a", &["ann"])]) else { return };
    let mut ann = test.member("ann", "a");
    push_with_vectors(&mut ann, "u1", &revision(5, "tabs"), vec![bytes(1)]);
    push_with_vectors(&mut ann, "u1", &revision(6, "spaces"), vec![bytes(2)]);
    assert_eq!(found(&mut ann, "zeppelin", &direction(1), MODEL), [("u1".to_owned(), Some(0.0))]);
    assert_eq!(found(&mut ann, "zeppelin", &direction(2), MODEL), [("u1".to_owned(), Some(1.0))]);
}

#[test]
fn a_hub_without_vectors_goes_by_words_and_one_that_gets_them_later_by_both() {
    let Some(database) = PrivateDatabase::with_vectors() else { return };
    let test = TestHub::on(database, &[("a", &["ann"])]);
    test.database.psql("DROP TABLE backstory.vectors CASCADE; DROP FUNCTION backstory.search_by_vector, backstory.stamp_vector; DROP EXTENSION vector");
    let mut ann = test.member("ann", "a");
    push(&mut ann, &batch("u1", vec![revision(5, "tabs")]));
    assert!(!ann.has_vectors().unwrap());
    assert_eq!(found(&mut ann, "tabs", &direction(1), MODEL), [("u1".to_owned(), None)]);
    assert_eq!(test.owner().migrate(&mut || {}).unwrap().vectors, VectorSupport::NotAllowed);
    test.database.psql("CREATE EXTENSION vector");
    assert_eq!(test.owner().migrate(&mut || {}).unwrap().vectors, VectorSupport::Used);
    push_with_vectors(&mut ann, "u1", &revision(5, "tabs"), vec![bytes(1)]);
    assert_eq!(found(&mut ann, "tabs", &direction(1), MODEL), [("u1".to_owned(), Some(1.0))]);
    assert!(test.owner().invite(&name("a"), &test.name("bob"), PASSWORD).is_ok());
}

#[test]
fn a_server_whose_pgvector_is_too_old_goes_by_words() {
    let Some(database) = PrivateDatabase::with_vectors() else { return };
    database.psql("UPDATE pg_am SET amname = 'unheard' WHERE amname = 'hnsw'");
    let test = TestHub::on(database, &[("a", &["ann"])]);
    assert_eq!(test.owner().migrate(&mut || {}).unwrap().vectors, VectorSupport::TooOld);
    let mut ann = test.member("ann", "a");
    push(&mut ann, &batch("u1", vec![revision(5, "tabs")]));
    assert_eq!(found(&mut ann, "tabs", &direction(1), MODEL), [("u1".to_owned(), None)]);
}
