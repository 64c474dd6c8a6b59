//! Teams do not see each other, whatever a member tries (SEC-11, S13).

use crate::test_hub::{
    PASSWORD, TestHub, batch, begin, forgotten, name, push, query, revision, uid, with_ann_and_bob,
};
use backstory_memory::{Relation, SharedLink, SyncBatch, Watermark};
use backstory_testkit::bar;
use postgres::error::SqlState;

const TABLES: [&str; 8] =
    ["teams", "members", "projects", "memories", "revisions", "tombstones", "links", "pins"];

/// Two teams that share the same things, each with everything a table can hold.
fn two_teams() -> Option<TestHub> {
    let test = TestHub::with(&[("a", &["ann"]), ("b", &["bob"])])?;
    for (member, team) in [("ann", "a"), ("bob", "b")] {
        let mut hub = test.member(member, team);
        for of in ["u1", "u2", "u3"] {
            push(&mut hub, &batch(of, vec![revision(5, &format!("of {team}"))]));
        }
        let link = SharedLink { from: uid("u1"), relation: Relation::Relates, to: uid("u2") };
        let more = SyncBatch { links: vec![link], pins: vec![(uid("u1"), true)], ..SyncBatch::default() };
        push(&mut hub, &more);
        push(&mut hub, &forgotten("u3"));
    }
    Some(test)
}

#[test]
fn every_table_with_a_team_is_under_forced_row_level_security() {
    let Some(test) = TestHub::with(&[]) else { return };
    let listed = test.database.psql(
        "SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'backstory'::regnamespace AND c.relkind = 'r' AND a.attname = 'team' AND c.relname <> 'vectors'",
    );
    let mut tables = TABLES;
    tables.sort_unstable();
    assert_eq!(listed, tables.join(" "), "a new table belongs into this list");
    let open = test.database.psql(
        "SELECT count(*) FROM pg_class c WHERE c.relnamespace = 'backstory'::regnamespace AND c.relkind = 'r'
         AND c.relname NOT IN ('applied_migrations', 'kinds') AND NOT (c.relrowsecurity AND c.relforcerowsecurity)",
    );
    assert_eq!(open, "0");
    // The kinds belong to no team: only the owner's build writes them, and members cannot even read them.
    let all =
        "SELECT has_table_privilege('backstory_member', 'backstory.kinds', 'SELECT, INSERT, UPDATE, DELETE')";
    assert_eq!(test.database.psql(all), "f");
    let keyless = test.database.psql(
        "SELECT string_agg(conrelid::regclass || ' ' || conname, ', ') FROM pg_constraint
         WHERE connamespace = 'backstory'::regnamespace AND contype IN ('p', 'u', 'f')
         AND conrelid NOT IN ('backstory.applied_migrations'::regclass, 'backstory.created_logins'::regclass)
         AND 'backstory.kinds'::regclass NOT IN (conrelid, confrelid)
         AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = conrelid AND a.attnum = ANY (conkey) AND a.attname = 'team')",
    );
    assert_eq!(keyless, "", "keys that leave out the team");
}

#[test]
fn no_verb_on_any_table_reaches_another_team() {
    let Some(test) = two_teams() else { return };
    let all_there =
        |test: &TestHub| test.database.psql("SELECT count(*) FROM backstory.revisions WHERE team = 'b'");
    let before = all_there(&test);
    let mut ann = test.client("ann");
    // Unset, one's own, another's, nobody's: `a` sees what is of `a`, and only having chosen it.
    for (chosen, sees) in [("", false), ("a", true), ("b", false), ("nobody", false)] {
        for table in TABLES {
            let mut transaction = begin(&mut ann, chosen);
            let sql = format!("SELECT count(*), count(*) FILTER (WHERE team <> 'a') FROM backstory.{table}");
            let row = transaction.query_one(&sql, &[]).unwrap();
            let (rows, foreign): (i64, i64) = (row.get(0), row.get(1));
            assert_eq!(foreign, 0, "{table} with {chosen:?}");
            // Which teams one is in can be asked before one is chosen.
            assert_eq!(rows > 0, sees || table == "members", "{table} with {chosen:?}");
            for verb in
                ["UPDATE backstory.{} SET team = 'a'", "DELETE FROM backstory.{}", "TRUNCATE backstory.{}"]
            {
                let mut inner = transaction.transaction().unwrap();
                let refused = inner.batch_execute(&verb.replace("{}", table)).unwrap_err();
                assert_eq!(refused.code().map(SqlState::code), Some("42501"), "{verb} {table}");
            }
        }
    }
    let into_b = [
        "INSERT INTO backstory.teams VALUES ('c')",
        "INSERT INTO backstory.members (team, member) VALUES ('b', session_user)",
        "INSERT INTO backstory.projects (team, project_key, name) VALUES ('b', 'p', 'p')",
        "INSERT INTO backstory.memories (team, project_key, uid, created_at_ms) VALUES ('b', 'remote:example.org/one', 'x', 1)",
        "INSERT INTO backstory.tombstones (team, project_key, uid) VALUES ('b', 'remote:example.org/one', 'u1')",
        "INSERT INTO backstory.pins (team, project_key, uid, is_pinned) VALUES ('b', 'remote:example.org/one', 'u1', true)",
        "INSERT INTO backstory.links (team, project_key, uid, relation, target_uid) VALUES ('b', 'remote:example.org/one', 'u1', 'relates', 'u2')",
        "INSERT INTO backstory.revisions SELECT 'b', project_key, uid, revised_at_ms + 1, content_digest, author, xact_id, kind, title, body, facts,
             concepts, files, attributes, superseded_by, claimed_at_ms, search_vector FROM backstory.revisions",
    ];
    for chosen in ["a", "b"] {
        for sql in into_b {
            let mut transaction = begin(&mut ann, chosen);
            // Either it is refused, or there was nothing one could see to write.
            let wrote = transaction.execute(sql, &[]).unwrap_or(0);
            assert_eq!(wrote, 0, "{sql} with {chosen:?}");
        }
    }
    assert_eq!(all_there(&test), before);
    bar("S13", format_args!("{} tables, 4 verbs, 4 choices of a team: 0 foreign rows", TABLES.len()));
}

#[test]
fn the_search_lets_out_only_ones_own_team() {
    let Some(test) = two_teams() else { return };
    let found = test.member("ann", "a").search(&query("decided", None, 10)).unwrap();
    assert!(found.iter().all(|hit| hit.revision.content.title == "of a") && found.len() == 2, "{found:?}");
    let mut ann = test.client("ann");
    let rows = ann.query("SELECT FROM backstory.search('decided', NULL, NULL, 10)", &[]).unwrap();
    assert!(rows.is_empty(), "without a team");
    let as_search = ann.batch_execute("SET ROLE backstory_search").unwrap_err();
    assert_eq!(as_search.code().map(SqlState::code), Some("42501"));
}

#[test]
fn nobody_writes_in_anothers_name_or_into_the_past_of_the_hub() {
    let Some(test) = TestHub::with(&[("a", &["ann", "bob"])]) else { return };
    push(&mut test.member("bob", "a"), &batch("u1", vec![revision(5, "of bob")]));
    let mut ann = test.client("ann");
    let mut transaction = begin(&mut ann, "a");
    let forged = format!(
        "INSERT INTO backstory.revisions SELECT team, project_key, uid, 99999999999999, content_digest, '{}', '3'::xid8, kind, 'forged', body, facts,
             concepts, files, attributes, superseded_by, claimed_at_ms, 'bait'::tsvector FROM backstory.revisions",
        test.name("bob")
    );
    assert_eq!(transaction.execute(&forged, &[]).unwrap(), 1);
    transaction.commit().unwrap();
    let written = test.database.psql(
        "SELECT author, xact_id::text::bigint > 3, revised_at_ms < 99999999999999 FROM backstory.revisions WHERE title = 'forged'",
    );
    assert_eq!(written, format!("{}|t|t", test.name("ann")));
    // Nor is it found by other words than its own.
    let words = "SELECT string_agg(search_vector::text, '') LIKE '%bait%' FROM backstory.revisions";
    assert_eq!(test.database.psql(words), "f");
}

/// S13: a pool hands one connection from team to team.
#[test]
fn a_pooled_connection_carries_nothing_over() {
    let Some(test) = two_teams() else { return };
    let both = test.name("both");
    for team in ["a", "b"] {
        test.owner().invite(&name(team), &both, PASSWORD).unwrap();
    }
    let mut pooled = test.client("both");
    for turn in 0..1000 {
        let chosen = ["a", "b", ""][turn * 7 % 3];
        let mut transaction = pooled.transaction().unwrap();
        if !chosen.is_empty() {
            transaction.execute("SELECT set_config('backstory.team', $1, true)", &[&chosen]).unwrap();
        }
        let sql = "SELECT count(*), count(*) FILTER (WHERE team <> $1) FROM backstory.revisions";
        let row = transaction.query_one(sql, &[&chosen]).unwrap();
        assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (if chosen.is_empty() { 0 } else { 2 }, 0));
        transaction.commit().unwrap();
    }
}

#[test]
fn pins_are_each_members_own() {
    let Some((test, mut ann, mut bob)) = with_ann_and_bob() else { return };
    push(&mut ann, &batch("u1", vec![revision(5, "one")]));
    for pinned in [true, false, true] {
        let batch = SyncBatch { pins: vec![(uid("u1"), pinned)], ..SyncBatch::default() };
        push(&mut ann, &batch);
    }
    assert_eq!(test.pull(&mut ann, Watermark::default()).0.pins, [(uid("u1"), true)]);
    assert_eq!(test.pull(&mut bob, Watermark::default()).0.pins, []);
}
