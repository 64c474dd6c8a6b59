//! Sharing a project otherwise, or no longer: while a sync runs, through git, within another project, with a hub that says nothing.

use crate::support::{
    ask, assert_exit, done, done_in, execute, fields, query, remember, rendered, run, shape, world,
};
use crate::teams::TestTeam;
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

/// What a command prints that has to wait.
const WAITS: &str = "waiting for a sync that is running\n";

/// Runs a command while something else holds the lock of syncs; returns what it says while it waits, and whether it was done after.
fn while_syncing(env: &TestEnv, arguments: &[&str], meanwhile: impl FnOnce()) -> (String, bool) {
    let lock = File::create(env.home().join("sync.lock")).unwrap();
    lock.lock().unwrap();
    let mut child = env.command(arguments).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut says = BufReader::new(child.stderr.take().unwrap());
    let mut first = String::new();
    says.read_line(&mut first).unwrap();
    meanwhile();
    drop(lock);
    says.read_to_string(&mut String::new()).unwrap();
    (first, child.wait().unwrap().success())
}

fn teams_shared_with(env: &TestEnv) -> i64 {
    query(env, "SELECT count(*) FROM shared_projects")
}

#[test]
fn changing_what_is_shared_waits_for_a_running_sync() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    done_in(&ann, "two", &["remember", "We decided on spaces"]);
    let changes: [(&[&str], i64); 4] = [
        (&["project", "merge", "two", "one", "--yes"], 1),
        (&["project", "unshare"], 0),
        (&["project", "share"], 1),
        (&["team", "leave"], 0),
    ];
    for (change, after) in changes {
        let before = teams_shared_with(&ann);
        let (output, is_done) = while_syncing(&ann, change, || {
            assert_eq!(teams_shared_with(&ann), before, "{change:?}");
        });
        assert_eq!((output.as_str(), is_done), (WAITS, true), "{change:?}");
        assert_eq!(teams_shared_with(&ann), after, "{change:?}");
    }
}

#[test]
fn export_and_import_through_git_wait_for_a_running_sync() {
    let env = world();
    remember(&env, "We decided on tabs");
    let changes: [&[&str]; 2] =
        [&["export", "--git", "shared", "--as", "ann"], &["import", "--git", "shared", "--no-vectors"]];
    for change in changes {
        let (output, is_done) = while_syncing(&env, change, || {});
        assert_eq!((output.as_str(), is_done), (WAITS, true), "{change:?}");
    }
}

#[test]
fn a_second_sync_at_the_same_time_answers_in_json() {
    let env = world();
    remember(&env, "We decided on tabs");
    let lock = File::create(env.home().join("sync.lock")).unwrap();
    lock.lock().unwrap();
    let answer = ask(&env, 0, &["sync", "--json"]);
    assert_eq!(answer, serde_json::json!({"version": 1, "projects": [], "problems": []}));
}

#[test]
fn a_project_shared_through_git_cannot_be_shared_with_a_hub_or_unshared_too_early() {
    let env = world();
    let id = remember(&env, "We decided on tabs").to_string();
    done(&env, &["export", "--git", "shared", "--as", "ann"]);
    done(&env, &["forget", &id, "--yes"]);
    // The only hub there is, and it does not answer: a command that calls it fails in another way.
    let join = "INSERT INTO teams (name, transport, hub_team, url, member, joined_at_ms)
         VALUES ('red', 'hub', 'red', 'postgres://ann@%2Fnowhere/x', 'ann', 0)";
    execute(&env, join);
    assert_snapshot!(rendered(&env.run(["project", "share"])), @r"
        exit 1
        --- err
        error: this project is shared through git

        hint: a project is shared one way; `backstory project unshare` ends the other
        ");
    assert_snapshot!(rendered(&env.run(["project", "unshare"])), @r"
        exit 1
        --- err
        error: the git folder still has 1 memory forgotten here

        hint: `backstory export --git DIR` first; `--anyway` leaves it there
        ");
    done_in(&env, "two", &["remember", "We decided on spaces"]);
    assert_snapshot!(rendered(&env.run(["project", "merge", "project", "two", "--yes"])), @r"
        exit 1
        --- err
        error: `project` is shared through git

        hint: a merged project is not synced any more
        hint: `backstory project unshare project` first
        ");
    done(&env, &["export", "--git", "shared"]);
    done(&env, &["project", "unshare"]);
    done(&env, &["project", "merge", "project", "two", "--yes"]);
}

#[test]
fn a_shared_project_is_not_merged_into_another() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    done_in(&ann, "two", &["remember", "We decided on spaces"]);
    done(&ann, &["project", "share", "two"]);
    assert_snapshot!(rendered(&ann.run(["project", "merge", "two", "one", "--yes"])), @r"
        exit 1
        --- err
        error: `two` is shared with the team `team`

        hint: a merged project is not synced any more
        hint: `backstory project unshare two` first
        ");
    assert_eq!(teams_shared_with(&ann), 2);
    done(&ann, &["project", "unshare", "two"]);
    done(&ann, &["project", "merge", "two", "one", "--yes"]);
}

#[test]
fn every_team_command_answers_in_json_too() {
    let Some(team) = TestTeam::new() else { return };
    let url = team.database.url("owner");
    let made = ask(&team.owner, 0, &["team", "init", &url, "--json"]);
    assert_eq!(fields(&made, ["team", "is_new"]), json!(["team", false]), "{made}");
    assert_snapshot!(shape(&made), @"{database: text, is_new: bool, schema: number, schema_before: number, team: text, vectors: text, version: number}");
    let ann = team.newcomer("ann");
    let name = team.database.member("ann");
    let again = ask(&team.owner, 0, &["team", "invite", &name, "--json"]);
    assert_eq!((&again["member"], &again["passfile"]), (&name.as_str().into(), &Value::Null), "{again}");
    assert_snapshot!(shape(&again), @"{member: text, passfile: null, team: text, url: text, version: number}");
    let joined = ask(&ann, 0, &["team", "join", &team.url("ann"), "--json"]);
    assert_snapshot!(shape(&joined), @"{member: text, team: text, version: number}");
    remember(&ann, "We decided on tabs");
    let shared = ask(&ann, 0, &["project", "share", "--json"]);
    assert_eq!(shared["to_push"], 1, "{shared}");
    assert_snapshot!(shape(&shared), @"{project: text, shared_as: text, team: text, to_push: number, version: number}");
    assert_eq!(ask(&ann, 0, &["project", "unshare", "--json"])["unshared"], true);
    assert_eq!(ask(&ann, 1, &["project", "unshare", "--json"])["unshared"], false);
    assert_eq!(ask(&ann, 0, &["team", "leave", "--json"])["team"], "team");
    let revoked = ask(&team.owner, 0, &["team", "revoke", &name, "--json"]);
    assert_eq!(fields(&revoked, ["revoked", "login"]), json!([true, "closed"]), "{revoked}");
    assert_eq!(ask(&team.owner, 1, &["team", "revoke", &name, "--json"])["login"], Value::Null);
}

/// A hub that accepts a connection and never replies.
#[test]
fn a_silent_hub_times_out_for_every_command() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = |name: &str| {
        let port = silent.local_addr().unwrap().port();
        format!("postgres://{name}@127.0.0.1:{port}/hub?sslmode=disable")
    };
    let env = world();
    remember(&env, "We decided on tabs");
    let (init, join) = (url("owner"), url("ann"));
    execute(
        &env,
        &format!(
            "INSERT INTO teams (name, transport, hub_team, url, member, joined_at_ms) VALUES ('red', 'hub', 'red', '{join}', 'ann', 0);
             INSERT INTO metadata (name, value) VALUES ('hub of the team red', '{init}')"
        ),
    );
    let commands: [&[&str]; 6] = [
        &["team", "init", &init],
        &["team", "invite", "bob", "--team", "red"],
        &["team", "revoke", "bob", "--team", "red"],
        &["team", "join", &join],
        &["team", "status"],
        &["project", "share"],
    ];
    let impatient = |command: &&[&str]| run(&env, [*command, &["--set", "team.patience_seconds=1"]].concat());
    let running: Vec<_> = commands.iter().map(|command| impatient(command).start()).collect();
    for child in running {
        assert_exit(&env.finish(child), 1, "does not answer");
    }
}
