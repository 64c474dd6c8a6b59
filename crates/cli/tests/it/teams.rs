//! Two people, two homes, one hub: what is shared, what is not, and what happens when the hub is not there.

use crate::support::{
    ask, assert_absent, done, done_in, execute, exits, fields, file, hook, payload, query, remember,
    rendered, run, shown, titles, wait_for_processes, world,
};
use backstory_testkit::{PrivateDatabase, TestEnv};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A hub with a team, run by somebody in a home of their own.
pub(crate) struct TestTeam {
    pub(crate) database: PrivateDatabase,
    pub(crate) owner: TestEnv,
}

impl TestTeam {
    pub(crate) fn new() -> Option<TestTeam> {
        Some(TestTeam::on(PrivateDatabase::new()?))
    }

    pub(crate) fn on(database: PrivateDatabase) -> TestTeam {
        let team = TestTeam { database, owner: world() };
        done(&team.owner, &["team", "init", &team.database.url("owner")]);
        team
    }

    /// Somebody who was invited, has joined, and shares the project both work on.
    pub(crate) fn member(&self, name: &str) -> TestEnv {
        let env = self.newcomer(name);
        done(&env, &["team", "join", &self.url(name)]);
        done(&env, &["project", "share"]);
        env
    }

    /// Somebody who was invited.
    pub(crate) fn newcomer(&self, name: &str) -> TestEnv {
        let env = world();
        let passfile = env.world().join("user/.pgpass");
        let name = self.database.member(name);
        done(&self.owner, &["team", "invite", &name, "--passfile", passfile.to_str().unwrap()]);
        file(&env, ".backstory.toml", "project = \"one\"\n");
        env
    }

    pub(crate) fn url(&self, name: &str) -> String {
        self.database.url(&self.database.member(name))
    }

    pub(crate) fn sync(&self, env: &TestEnv) -> Value {
        self.database.wait_for_commits();
        ask(env, 0, &["sync", "--json"])["projects"][0].take()
    }
}

/// Has a home look for the hubs of its teams at another address.
pub(crate) fn set_hub(env: &TestEnv, url: &str) {
    execute(env, &format!("UPDATE teams SET url = '{url}'"));
}

#[test]
fn a_shared_decision_is_injected_with_its_author() {
    let Some(team) = TestTeam::new() else { return };
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    remember(&ann, "We decided to use SQLite instead of files because a hook must not lose anything");
    let synced = team.sync(&ann);
    assert_eq!(fields(&synced, ["pushed", "written"]), json!([1, 0]));
    let synced = team.sync(&bob);
    assert_eq!(fields(&synced, ["pushed", "written"]), json!([0, 1]), "{synced}");
    let author = team.database.member("ann");
    let found = ask(&bob, 0, &["search", "--json", "sqlite"]);
    assert_eq!(found["hits"][0]["provenance"], format!("team:{author}"));
    let context = bob.run(["context", "--moment", "session-start"]);
    assert!(context.stdout.contains(&format!("team {author}")), "{context:?}");
    // Again there is nothing to push or pull.
    for env in [&ann, &bob] {
        let again = team.sync(env);
        assert_eq!(fields(&again, ["pushed", "written", "revised"]), json!([0, 0, 0]));
    }
}

#[test]
fn a_revision_and_a_forgetting_reach_everybody_and_leave_no_trace() {
    let Some(team) = TestTeam::new() else { return };
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    let id = remember(&ann, "The staging server is called heronpond").to_string();
    team.sync(&ann);
    team.sync(&bob);
    let there = ask(&bob, 0, &["search", "--json", "heronpond"])["hits"][0]["id"].to_string();
    done(&bob, &["revise", &there, "The staging server is called heronpond now"]);
    team.sync(&bob);
    assert_eq!(team.sync(&ann)["revised"], 1);
    let memory = shown(&ann, &id);
    assert_eq!(memory["provenance"], format!("team:{}", team.database.member("bob")));
    assert_eq!(memory["revisions"][0]["author"], team.database.member("ann"));

    done(&ann, &["forget", &id, "--yes"]);
    team.sync(&ann);
    assert_eq!(team.sync(&bob)["forgotten"], 1);
    assert_eq!((titles(&ann, &[]), titles(&bob, &[])), (vec![], vec![]));
    // Bob had put it into words of his own, which stay restorable until he says otherwise.
    done(&bob, &["team", "discard", "--all"]);
    assert_absent(&bob, b"heronpond");
    let on_the_hub = "SELECT count(*) FROM backstory.revisions r WHERE r::text LIKE '%heronpond%'";
    assert_eq!(team.database.psql(on_the_hub), "0");
}

#[test]
fn private_memories_stay_local_and_a_dry_run_shows_the_rest() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    remember(&ann, "We decided on tabs instead of spaces");
    done(&ann, &["remember", "--kind", "summary", "A summary of a session"]);
    done(&ann, &["remember", "--everywhere", "The user likes short answers"]);
    done_in(&ann, "private", &["remember", "A private matter"]);
    let outgoing = ask(&ann, 0, &["sync", "--dry-run", "--json"]);
    let outgoing = &outgoing["projects"][0];
    assert_eq!(outgoing["memories"].as_array().unwrap().len(), 1, "{outgoing}");
    assert_eq!((&outgoing["memories"][0]["kind"], &outgoing["kept_local"]), (&"decision".into(), &2.into()));
    assert_eq!(team.database.psql("SELECT count(*) FROM backstory.revisions"), "0", "nothing was pushed");
    let synced = team.sync(&ann);
    assert_eq!(fields(&synced, ["pushed", "kept_local"]), json!([1, 2]));
    let kept = "SELECT count(*) FROM backstory.revisions r WHERE r::text ~ 'summary|short answers|private'";
    assert_eq!(team.database.psql(kept), "0");
}

#[test]
fn a_new_secret_is_redacted_before_a_memory_is_pushed() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    remember(&ann, "We decided that the door opens with xylophone42 and nothing else");
    team.database.wait_for_commits();
    done(&ann, &["sync", "--set", "redact.literals=[\"xylophone42\"]"]);
    let pushed = team.database.psql("SELECT body FROM backstory.revisions");
    assert!(
        pushed.contains("We decided that the door opens with") && !pushed.contains("xylophone42"),
        "{pushed}"
    );
    // What came back from the hub has taken its place here, too.
    team.sync(&ann);
    assert_absent(&ann, b"with xylophone42 and");
}

#[test]
fn the_hub_is_searched_for_what_was_not_pulled_yet() {
    let Some(team) = TestTeam::new() else { return };
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    remember(&ann, "We decided that runMigration takes an advisory lock");
    team.sync(&ann);
    let found = ask(&bob, 0, &["search", "--team", "--explain", "--json", "migration", "lock"]);
    let hit = &found["hits"][0];
    assert_eq!(
        (&hit["id"], &hit["provenance"]),
        (&Value::Null, &format!("team:{}", team.database.member("ann")).into())
    );
    assert!(hit["explain"]["words"].as_f64().unwrap() > 0.0);
    assert_eq!(bob.run(["search", "--team", "zeppelin"]).code, Some(1));
    team.sync(&bob);
    let found = bob.run(["search", "--team", "migration"]);
    assert!(
        found.stdout.contains("We decided that runMigration") && !found.stdout.contains("not pulled"),
        "{found:?}"
    );
}

#[test]
fn passwords_are_kept_in_the_passfile_and_nowhere_else() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.newcomer("ann");
    let passfile = ann.world().join("user/.pgpass");
    let line = fs::read_to_string(&passfile).unwrap();
    let password = line.trim_end().rsplit(':').next().unwrap().to_owned();
    assert_eq!(fs::metadata(&passfile).unwrap().permissions().mode() & 0o777, 0o600);
    done(&ann, &["team", "join", &team.url("ann")]);
    remember(&ann, "We decided on tabs");
    done(&ann, &["project", "share"]);
    team.sync(&ann);
    for env in [&ann, &team.owner] {
        assert_absent(env, &password);
    }
    // A passfile that others can read is not read.
    fs::set_permissions(&passfile, fs::Permissions::from_mode(0o644)).unwrap();
    exits(&ann, 1, &["sync"], "others can read it");
    assert_eq!(run(&ann, ["sync"]).var("PGPASSWORD", &password).output().code, Some(0));
    let member = team.database.member("ann");
    let again = team.owner.run(["team", "invite", &member]);
    assert!(again.stdout.contains("they can log in already"), "{again:?}");
}

#[test]
fn an_unusable_hub_says_why_and_loses_nothing() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    remember(&ann, "We decided on tabs");
    team.database.psql("INSERT INTO backstory.applied_migrations (version, digest) VALUES (99, '')");
    exits(&ann, 1, &["sync"], "the hub has schema 99; this build knows up to");
    team.database.psql("DELETE FROM backstory.applied_migrations WHERE version = 99");

    let url: String = query(&ann, "SELECT url FROM teams");
    set_hub(&ann, &url.replace("%2Fpg", "%2Fnowhere"));
    exits(&ann, 1, &["sync"], "does not answer");
    end_session(&ann);
    let status = ask(&ann, 0, &["team", "status", "--json"]);
    assert_eq!(status["teams"][0]["projects"][0]["to_push"], 1, "it waits");
    set_hub(&ann, &url);
    assert_eq!(team.sync(&ann)["pushed"], 1, "and is pushed");

    done(&team.owner, &["team", "revoke", &team.database.member("ann")]);
    exits(&ann, 1, &["sync"], "refuses the login");
    done(&ann, &["team", "leave"]);
    assert_eq!(titles(&ann, &[]), ["We decided on tabs"]);
}

#[test]
fn the_end_of_a_session_starts_a_sync_in_the_background() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    remember(&ann, "We decided on tabs");
    end_session(&ann);
    assert_eq!(team.database.psql("SELECT title FROM backstory.revisions"), "We decided on tabs");
}

/// Ends a session, and waits until the sync it starts is over.
fn end_session(env: &TestEnv) {
    let ended = hook(env, payload("s", "SessionEnd", json!({"reason": "other"})));
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""));
    wait_for_processes(env);
}

#[test]
fn without_a_team_every_command_says_what_to_do() {
    let env = world();
    assert_snapshot!(rendered(&env.run(["team", "join", "postgres://ann:hush@db/hub"])), @r"
        exit 2
        --- err
        error: the address holds a password

        hint: leave it out: others could read it in the list of processes and in the shell's history
        hint: put it into `~/.pgpass` (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600), or set `PGPASSWORD`
        ");
    assert_snapshot!(rendered(&env.run(["team", "join", "mysql://ann@db/hub"])), @r"
        exit 2
        --- err
        error: not an address of PostgreSQL: it begins with `postgres://`

        hint: like `postgres://NAME@db.example.org/memories`
        ");
    assert_snapshot!(rendered(&env.run(["project", "share"])), @r"
        exit 1
        --- err
        error: no team was joined

        hint: `backstory team join URL` joins one; its owner's `backstory team invite` says which
        ");
    assert_snapshot!(rendered(&env.run(["sync"])), @r"
        exit 0
        --- err
        nothing is shared; `backstory project share --team TEAM` shares the project of this folder
        ");
    assert_snapshot!(rendered(&env.run(["team"])), @r"
        exit 1
        --- err
        no team was joined; `backstory team join URL` joins one, `backstory team init URL` makes one
        ");
    assert_snapshot!(rendered(&env.run(["team", "invite", "Ann"])), @r"
        exit 2
        --- err
        error: invalid value 'Ann' for '<NAME>': `Ann` is not a name: a lower-case letter, then letters, digits, `_` or `-`, 48 at the most

        For more information, try '--help'.
        ");
    assert_snapshot!(rendered(&env.run(["team", "invite", "ann"])), @r"
        exit 1
        --- err
        error: this home does not own the hub of a team `team`

        hint: `backstory team init URL --team team` says where it is; what is there stays
        ");
}
