//! Teams of one name, hubs that were restored, rows that do not fit: what happens to one team does not affect another.

use crate::support::{
    NOW_MS, ask, assert_exit, column, database, done, done_in, exits, fields, query, remember, run, shown,
    titles,
};
use crate::teams::{TestTeam, set_hub};
use backstory_testkit::TestEnv;
use serde_json::json;

fn uid(env: &TestEnv, id: i64) -> String {
    database(env).query_row("SELECT uid FROM memories WHERE id = ?1", [id], |row| row.get(0)).unwrap()
}

/// Runs a command so many seconds later than all others.
fn later(env: &TestEnv, seconds: i64, arguments: &[&str]) {
    assert_eq!(run(env, arguments).at(NOW_MS + seconds * 1000).output().code, Some(0));
}

/// Makes a folder a project of this name.
pub(crate) fn name_project(env: &TestEnv, name: &str) {
    std::fs::create_dir_all(env.world().join(name)).unwrap();
    let settings = format!("project = \"{name}\"\n");
    std::fs::write(env.world().join(name).join(".backstory.toml"), settings).unwrap();
}

/// Lets a member of one hub into another, too: their passfile then holds a line for each.
fn invite(other: &TestTeam, env: &TestEnv, name: &str) -> String {
    let beside = env.world().join("user/another.pgpass");
    let name = other.database.member(name);
    done(&other.owner, &["team", "invite", &name, "--passfile", beside.to_str().unwrap()]);
    let passfile = env.world().join("user/.pgpass");
    let lines = [&passfile, &beside].map(|path| std::fs::read_to_string(path).unwrap());
    std::fs::write(&passfile, lines.concat()).unwrap();
    other.database.url(&name)
}

/// Somebody in two teams of the same name, each on a hub of its own; what is in the folder `two` is shared with the second.
pub(crate) fn in_two_teams() -> Option<(TestTeam, TestTeam, TestEnv)> {
    let (one, two) = (TestTeam::new()?, TestTeam::new()?);
    let ann = one.member("ann");
    let url = invite(&two, &ann, "ann");
    let taken = ann.run(["team", "join", &url]);
    assert_exit(&taken, 1, "another team `team` was joined");
    assert_exit(&taken, 1, "--as NAME");
    done(&ann, &["team", "join", &url, "--as", "second"]);
    name_project(&ann, "two");
    done_in(&ann, "two", &["remember", "We decided on spaces in the second"]);
    done(&ann, &["project", "share", "two", "--team", "second"]);
    Some((one, two, ann))
}

#[test]
fn two_teams_of_one_name_cannot_reach_each_others_memories() {
    let Some((one, two, ann)) = in_two_teams() else { return };
    let id = remember(&ann, "We decided on tabs");
    ask(&ann, 0, &["sync", "--json"]);
    let there =
        |team: &TestTeam| team.database.psql("SELECT string_agg(title, ',') FROM backstory.revisions");
    assert_eq!(
        (there(&one), there(&two)),
        ("We decided on tabs".into(), "We decided on spaces in the second".into())
    );

    // Whoever is in the second team has come to know a uid of the first.
    let uid = uid(&ann, id);
    two.database.psql(&format!(
        "SET session_replication_role = replica;
         INSERT INTO backstory.memories SELECT team, project_key, '{uid}', 1, author FROM backstory.memories;
         INSERT INTO backstory.revisions SELECT team, project_key, '{uid}', revised_at_ms + 1, content_digest, author, pg_current_xact_id(), kind, 'taken over',
             body, facts, concepts, files, attributes, superseded_by, claimed_at_ms, search_vector FROM backstory.revisions"
    ));
    for database in [&one.database, &two.database] {
        database.wait_for_commits();
    }
    let answer = ask(&ann, 1, &["sync", "--json"]);
    assert_eq!(column(&answer["projects"], "refused"), json!([1, 0]), "{answer}");
    two.database.psql(&format!("INSERT INTO backstory.tombstones SELECT team, project_key, '{uid}', author, pg_current_xact_id() FROM backstory.memories WHERE uid = '{uid}'"));
    two.database.wait_for_commits();
    ask(&ann, 1, &["sync", "--json"]);
    assert_eq!(titles(&ann, &[]), ["We decided on tabs"]);
}

#[test]
fn one_unreachable_hub_does_not_keep_others_from_being_synced() {
    let Some((one, two, ann)) = in_two_teams() else { return };
    remember(&ann, "We decided on tabs");
    let broken = "UPDATE teams SET url = replace(url, '%2Fpg', '%2Fnowhere') WHERE name = 'second'";
    database(&ann).execute(broken, []).unwrap();
    let answer = ask(&ann, 1, &["sync", "--json"]);
    assert_eq!(answer["projects"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(
        (&answer["problems"][0]["team"], &answer["projects"][0]["pushed"]),
        (&"second".into(), &1.into())
    );
    assert_eq!(one.database.psql("SELECT count(*) FROM backstory.revisions"), "1");
    assert_eq!(two.database.psql("SELECT count(*) FROM backstory.revisions"), "0");
}

#[test]
fn nothing_is_pushed_to_another_hub_at_the_same_address() {
    let Some((one, two, ann)) = in_two_teams() else { return };
    remember(&ann, "We decided on tabs");
    let swapped = "UPDATE teams SET url = (SELECT url FROM teams WHERE name = 'second') WHERE name = 'team'";
    database(&ann).execute(swapped, []).unwrap();
    exits(&ann, 1, &["sync"], "another hub answers");
    for team in [&one, &two] {
        let pushed = "SELECT count(*) FROM backstory.revisions WHERE title LIKE '%tabs%'";
        assert_eq!(team.database.psql(pushed), "0");
    }
}

#[test]
fn a_memory_the_hub_rejects_is_reported_and_the_others_pushed() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    let id = remember(&ann, "We decided on tabs");
    remember(&ann, "We decided on four columns");
    database(&ann).execute("UPDATE memories SET body = body || char(0) WHERE id = ?1", [id]).unwrap();
    for _ in 0..2 {
        team.database.wait_for_commits();
        let answer = ask(&ann, 1, &["sync", "--json"]);
        let rejected = answer["projects"][0]["rejected_by_hub"].as_array().unwrap();
        assert_eq!(rejected.len(), 1, "{answer}");
        assert_eq!(rejected[0]["uid"], uid(&ann, id));
        assert_eq!(team.database.psql("SELECT title FROM backstory.revisions"), "We decided on four columns");
    }
}

#[test]
fn an_old_revision_is_shared_only_if_the_share_policy_allows_it() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    let id = remember(&ann, "We decided on tabs").to_string();
    later(&ann, 1, &["revise", &id, "--kind", "summary", "A summary with a private remark"]);
    later(&ann, 2, &["revise", &id, "--kind", "decision", "We decided on tabs, four wide"]);
    let own =
        ask(&ann, 0, &["remember", "--json", "--everywhere", "The user likes heronpond"])["id"].to_string();
    database(&ann).execute("UPDATE memories SET scope = 'user' WHERE id = ?1", [&own]).unwrap();
    let outgoing = ask(&ann, 0, &["sync", "--dry-run", "--json"]);
    let memories = outgoing["projects"][0]["memories"].as_array().unwrap();
    assert_eq!(memories.len(), 1, "{outgoing}");
    assert_eq!(column(&memories[0]["before"], "title"), json!(["We decided on tabs"]), "{outgoing}");
    let preview = ann.run(["sync", "--dry-run"]);
    assert!(preview.stdout.contains("before: decision  We decided on tabs\n"), "{preview:?}");
    team.sync(&ann);
    let pushed =
        team.database.psql("SELECT string_agg(title, '|' ORDER BY revised_at_ms) FROM backstory.revisions");
    assert_eq!(pushed, "We decided on tabs|We decided on tabs, four wide");
    // Pulled back from the team, and what stayed here is here still.
    team.sync(&ann);
    let revisions = column(&shown(&ann, &id)["revisions"], "title");
    assert_eq!(revisions, json!(["A summary with a private remark", "We decided on tabs"]));
}

#[test]
fn unsharing_pushes_deletions_first_or_says_that_they_stay() {
    let Some(team) = TestTeam::new() else { return };
    let left = || team.database.psql("SELECT count(*) FROM backstory.revisions");
    for (unsharing, name) in [(["team", "leave"].as_slice(), "ann"), (&["project", "unshare"], "bob")] {
        let env = team.member(name);
        let id = remember(&env, &format!("We decided that {name} is never shared")).to_string();
        team.sync(&env);
        done(&env, &["forget", &id, "--yes"]);
        let url: String = query(&env, "SELECT url FROM teams");
        set_hub(&env, &url.replace("%2Fpg", "%2Fnowhere"));
        let refused = env.run(unsharing);
        assert_exit(&refused, 1, "still has 1 memory forgotten here");
        assert_exit(&refused, 1, "`--anyway`");
        set_hub(&env, &url);
        done(&env, unsharing);
        assert_eq!(left(), "0", "{unsharing:?}");
    }
    let carl = team.member("carl");
    let id = remember(&carl, "We decided on tabs").to_string();
    team.sync(&carl);
    done(&carl, &["forget", &id, "--yes"]);
    set_hub(&carl, "postgres://carl@%2Fnowhere/hub");
    let note = "1 memory forgotten here stays with the team `team`";
    exits(&carl, 0, &["team", "leave", "--anyway"], note);
}

#[test]
fn a_memory_keeps_its_author_when_others_change_its_metadata() {
    let Some(team) = TestTeam::new() else { return };
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    let id = remember(&ann, "We decided on tabs").to_string();
    team.sync(&ann);
    team.sync(&bob);
    let there = ask(&bob, 0, &["search", "--json", "tabs"])["hits"][0]["id"].to_string();
    done(&bob, &["revise", &there, "--importance", "5"]);
    team.sync(&bob);
    team.sync(&ann);
    let provenance = |env: &TestEnv, id: &str| shown(env, id)["provenance"].clone();
    let by_ann = format!("team:{}", team.database.member("ann"));
    assert_eq!((provenance(&ann, &id), provenance(&bob, &there)), ("user".into(), by_ann.clone().into()));
    let carl = team.member("carl");
    let found = ask(&carl, 0, &["search", "--team", "--json", "tabs"]);
    assert_eq!(found["hits"][0]["provenance"], by_ann);
}

#[test]
fn what_a_colleague_forgets_of_yours_is_shown_and_can_be_restored() {
    let Some(team) = TestTeam::new() else { return };
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    remember(&ann, "We decided on tabs");
    team.sync(&ann);
    team.sync(&bob);
    let there = ask(&bob, 0, &["search", "--json", "tabs"])["hits"][0]["id"].to_string();
    done(&bob, &["forget", &there, "--yes"]);
    team.sync(&bob);
    let synced = ann.run(["sync"]);
    assert!(synced.stderr.contains("`backstory team held` shows them for 30 days"), "{synced:?}");
    assert_eq!(ask(&ann, 1, &["search", "--json", "tabs"])["hits"], json!([]));
    let held = ask(&ann, 0, &["team", "held", "--json"]);
    assert_eq!(fields(&held["held"][0], ["number", "title"]), json!([1, "We decided on tabs"]));
    exits(&ann, 1, &["team", "restore", "7"], "nothing is held as 7");
    let restored = ask(&ann, 0, &["team", "restore", "1", "--json"]);
    let id = restored["restored"][0].to_string();
    assert_eq!(fields(&shown(&ann, &id), ["title", "provenance"]), json!(["We decided on tabs", "user"]));
    assert_eq!(ask(&ann, 0, &["team", "held", "--json"])["held"], json!([]));
    backstory_testkit::held("A05", 7, 1, "deletions by a colleague are shown and undone");
}

#[test]
fn hits_of_the_hub_get_the_provenance_of_pulled_memories() {
    let Some(team) = TestTeam::new() else { return };
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    remember(&ann, "We decided on tabs");
    team.sync(&ann);
    let provenance = |env: &TestEnv, arguments: &[&str]| {
        ask(env, 0, &[&["search", "--team", "--json", "tabs"], arguments].concat())["hits"][0]["provenance"]
            .clone()
    };
    assert_eq!(provenance(&bob, &["--set", "team.provenance=\"web\""]), "web");
    assert_eq!(provenance(&bob, &[]), format!("team:{}", team.database.member("ann")));
    assert_eq!(provenance(&ann, &[]), "user");
    backstory_testkit::held("A05", 8, 1, "hits of a hub are a colleague's words");
}

/// As after a dump that was made before the last sync, restored into another database.
#[test]
fn a_restored_hub_is_pulled_anew_and_what_it_lost_is_pushed_again() {
    let Some(team) = TestTeam::new() else { return };
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    remember(&ann, "We decided on tabs");
    team.sync(&ann);
    team.sync(&bob);
    let id = remember(&bob, "We decided on four columns").to_string();
    team.sync(&bob);
    team.sync(&ann);
    team.database.psql(
        "DELETE FROM backstory.revisions WHERE title LIKE '%columns'; DELETE FROM backstory.memories m
             WHERE NOT EXISTS (SELECT FROM backstory.revisions r WHERE r.uid = m.uid);
         CREATE OR REPLACE FUNCTION backstory.epoch() RETURNS text LANGUAGE sql STABLE RETURN 'restored'",
    );
    let synced = team.sync(&ann);
    assert_eq!(fields(&synced, ["resynced", "pushed"]), json!([true, 0]), "it is for bob to tell: {synced}");
    assert_eq!(team.sync(&bob)["pushed"], 1);
    let synced = team.sync(&ann);
    assert_eq!(fields(&synced, ["resynced", "written", "revised"]), json!([false, 0, 0]));
    let authors = "SELECT string_agg(author, ' ' ORDER BY title) FROM backstory.revisions";
    let (a, b) = (team.database.member("ann"), team.database.member("bob"));
    assert_eq!(team.database.psql(authors), format!("{b} {a}"));
    done(&bob, &["forget", &id, "--yes"]);
    team.sync(&bob);
    assert_eq!(team.sync(&ann)["forgotten"], 1);
}

/// As after a dump that was made before a revision, a replacement and a forgetting, restored into another database.
#[test]
fn a_hub_restored_from_an_older_dump_undoes_nothing() {
    let Some(team) = TestTeam::new() else { return };
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    let [revised, replaced, forgotten] =
        ["We decided on tabs", "We decided to deploy on Fridays", "The password is heronpond"]
            .map(|text| remember(&ann, text).to_string());
    let secret = uid(&ann, forgotten.parse().unwrap());
    team.sync(&ann);
    team.database
        .psql("CREATE TABLE m AS TABLE backstory.memories; CREATE TABLE r AS TABLE backstory.revisions");
    later(&ann, 5, &["revise", &revised, "We decided on spaces"]);
    later(&ann, 5, &["supersede", &replaced, "We decided to deploy on Mondays"]);
    team.sync(&ann);
    team.sync(&bob);
    done(&ann, &["forget", &forgotten, "--yes"]);
    team.sync(&ann);
    team.sync(&bob);
    team.database.psql(
        "SET session_replication_role = replica;
         DELETE FROM backstory.revisions; DELETE FROM backstory.memories; DELETE FROM backstory.links; DELETE FROM backstory.tombstones;
         INSERT INTO backstory.memories TABLE m; INSERT INTO backstory.revisions TABLE r;
         CREATE OR REPLACE FUNCTION backstory.epoch() RETURNS text LANGUAGE sql STABLE RETURN 'restored'",
    );
    let before = titles(&bob, &[]);
    for env in [&bob, &ann, &bob] {
        team.sync(env);
        assert_eq!(titles(env, &[]), before);
    }
    assert_eq!(before.len(), 2, "{before:?}");
    let there = format!(
        "SELECT count(*) FROM backstory.revisions WHERE title LIKE '%spaces' OR superseded_by IS NOT NULL OR uid = '{secret}'"
    );
    assert_eq!(team.database.psql(&there), "2", "both were pushed again, and the password is gone");
}

#[test]
fn a_member_of_several_teams_gets_a_hint_how_to_choose() {
    let Some((_one, _two, ann)) = in_two_teams() else { return };
    for (arguments, how) in [
        (["project", "share"].as_slice(), "`--team TEAM`"),
        (&["team", "leave"], "`backstory team leave TEAM`"),
        (&["search", "--team", "--all-projects", "tabs"], "`--project NAME`"),
    ] {
        exits(&ann, 2, arguments, &format!("say which with {how}"));
    }
}

#[test]
fn a_member_revoked_while_logged_in_gets_an_error() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    remember(&ann, "We decided on tabs");
    // Out of the team, while the login is still open.
    team.database.psql("DELETE FROM backstory.members");
    let invite = format!("backstory team invite {} --team team", team.database.member("ann"));
    exits(&ann, 1, &["sync"], &invite);
    let missing = team.owner.run(["team", "invite", "eve", "--team", "nobody"]);
    assert!(missing.stderr.contains("this home does not own"), "{}", missing.stderr);
}

#[test]
fn where_the_server_has_pgvector_the_hub_is_also_searched_by_vector() {
    let Some(database) = backstory_testkit::PrivateDatabase::with_vectors() else { return };
    let team = TestTeam::on(database);
    let by_meaning = |name| team.member(name).with("BACKSTORY_RECALL_VECTORS", "true");
    let (ann, bob) = (by_meaning("ann"), by_meaning("bob"));
    remember(&ann, "We keep every customer's data in PostgreSQL");
    remember(&ann, "The deployment runs on Tuesdays after lunch");
    done(&ann, &["index", "--vectors"]);
    team.sync(&ann);
    assert_eq!(team.database.psql("SELECT count(DISTINCT uid) FROM backstory.vectors"), "2");
    let search = ["search", "--team", "--explain", "--json", "which relational store holds client records?"];
    let hit = ask(&bob, 0, &search)["hits"][0].clone();
    assert_eq!(hit["title"], "We keep every customer's data in PostgreSQL", "{hit}");
    assert!(hit["explain"]["meaning"].as_f64().unwrap() > 0.3, "{hit}");
    // Pushed once.
    team.sync(&ann);
    assert_eq!(query::<u32>(&ann, "SELECT count(*) FROM synced_memories WHERE vectors_pushed = 0"), 0);
}
