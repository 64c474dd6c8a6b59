//! S13: members of two teams who write, forget, sync and are killed all at once; in the end every replica is the same.

use crate::support::{answer, bar, database, done, file, import, query_all, size, world};
use backstory_testkit::{PrivateDatabase, TestEnv};
use serde_json::json;
use std::collections::BTreeSet;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The members, and the team of each. Both teams share a project of the same name.
const MEMBERS: [(&str, &str); 4] = [("ann", "red"), ("bob", "red"), ("carl", "red"), ("dora", "blue")];

/// What everybody did, to be compared with what is there in the end.
#[derive(Default)]
struct Deeds {
    written: Mutex<BTreeSet<(String, String)>>,
    forgotten: Mutex<BTreeSet<String>>,
}

/// Random numbers that are the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    pub(crate) fn pick(&mut self, count: usize) -> usize {
        self.roll(count as u64) as usize
    }
}

#[test]
fn after_a_storm_of_changes_all_replicas_of_a_team_agree() {
    let Some(hub) = PrivateDatabase::new() else { return };
    let owner = world();
    for team in ["red", "blue"] {
        done(&owner, &["team", "init", &hub.url("owner"), "--team", team]);
    }
    let memories = size(40, 10_000);
    let deeds = Deeds::default();
    let members: Vec<(TestEnv, &str)> =
        MEMBERS.iter().map(|(name, team)| (member(&hub, &owner, name, team), *team)).collect();
    for ((env, team), (name, _)) in members.iter().zip(MEMBERS) {
        furnish(env, name, team, memories, &deeds);
    }
    let time = Duration::from_secs(size(4, 60) as u64);
    std::thread::scope(|scope| {
        for (seed, (env, team)) in (1..).zip(&members) {
            let deeds = &deeds;
            scope.spawn(move || live(env, team, Dice(seed), time, deeds));
        }
    });
    sync_until_quiet(&hub, &members);

    let forgotten = deeds.forgotten.into_inner().unwrap();
    let written = deeds.written.into_inner().unwrap();
    for team in ["red", "blue"] {
        let all = written.iter().filter(|(of, uid)| of == team && !forgotten.contains(uid));
        let wanted: BTreeSet<&str> = all.map(|(_, uid)| uid.as_str()).collect();
        let replicas: Vec<Vec<(String, String)>> =
            members.iter().filter(|(_, of)| *of == team).map(|(env, _)| replica(env)).collect();
        for replica in &replicas {
            let uids: BTreeSet<&str> = replica.iter().map(|(uid, _)| uid.as_str()).collect();
            let lost: Vec<_> = wanted.difference(&uids).collect();
            let foreign: Vec<_> = uids.difference(&wanted).collect();
            assert!(lost.is_empty() && foreign.is_empty(), "lost {lost:?}, foreign {foreign:?}");
            assert_eq!(uids.len(), replica.len(), "duplicates");
            let differs = replica.iter().zip(&replicas[0]).find(|(one, other)| one != other);
            assert_eq!(differs, None);
        }
    }
    bar(
        "X03",
        format_args!(
            "{} memories written by {} members of 2 teams, {} forgotten; all replicas equal, 0 lost, 0 duplicates, 0 foreign",
            written.len(),
            members.len(),
            forgotten.len()
        ),
    );
}

fn member(hub: &PrivateDatabase, owner: &TestEnv, name: &str, team: &str) -> TestEnv {
    let env = world();
    let passfile = env.world().join("user/.pgpass");
    let name = hub.member(name);
    done(owner, &["team", "invite", &name, "--team", team, "--passfile", passfile.to_str().unwrap()]);
    file(&env, ".backstory.toml", "project = \"one\"\n");
    done(&env, &["team", "join", &hub.url(&name), "--team", team]);
    done(&env, &["project", "share"]);
    env
}

/// Gives somebody memories before the storm.
fn furnish(env: &TestEnv, name: &str, team: &str, memories: usize, deeds: &Deeds) {
    let memory = |number: usize| {
        let uid = format!("{name}-{number}");
        let body = format!("{team} {name} decided number {number}");
        deeds.written.lock().unwrap().insert((team.to_owned(), uid.clone()));
        json!({"uid": uid, "kind": "decision", "title": body, "body": body, "provenance": "user"})
    };
    import(env, &(0..memories).map(memory).collect::<Vec<_>>());
}

/// Does what comes to mind until the time is over.
fn live(env: &TestEnv, team: &str, mut dice: Dice, time: Duration, deeds: &Deeds) {
    let until = Instant::now() + time;
    let mut number = 0;
    while Instant::now() < until {
        number += 1;
        match dice.roll(10) {
            0..3 => done(env, &["sync"]),
            3..5 => killed_sync(env, &mut dice),
            5..7 => {
                let text = format!("{team} {} thought of {number}", dice.0);
                let written = answer(&env.run(["remember", "--force", "--json", &text]));
                let uid = written["uid"].as_str().unwrap().to_owned();
                deeds.written.lock().unwrap().insert((team.to_owned(), uid));
            }
            7..9 => change(env, &format!("{team} {} put {number} otherwise", dice.0), &mut dice, deeds, team),
            _ => forget(env, &mut dice, deeds),
        }
    }
}

/// Kills a sync, at whatever it just does.
fn killed_sync(env: &TestEnv, dice: &mut Dice) {
    let mut child = env.command(["sync"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_millis(dice.roll(120));
    while Instant::now() < until && matches!(child.try_wait(), Ok(None)) {
        std::thread::yield_now();
    }
    drop(child.kill());
    child.wait().unwrap();
}

fn any_memory(env: &TestEnv, dice: &mut Dice) -> Option<(String, String)> {
    let db = database(env);
    let count: i64 = db.query_row("SELECT count(*) FROM memories", [], |row| row.get(0)).unwrap();
    let at = dice.roll(count.max(1).unsigned_abs());
    db.query_row("SELECT id, uid FROM memories ORDER BY id LIMIT 1 OFFSET ?1", [at], |row| {
        Ok((row.get::<_, i64>(0)?.to_string(), row.get(1)?))
    })
    .ok()
}

fn change(env: &TestEnv, text: &str, dice: &mut Dice, deeds: &Deeds, team: &str) {
    let Some((id, _)) = any_memory(env, dice) else { return };
    match dice.roll(3) {
        0 => drop(env.run(["pin", &id])),
        1 => drop(env.run(["revise", &id, text])),
        _ => {
            let outcome = env.run(["supersede", &id, "--json", text]);
            if outcome.code == Some(0) {
                let uid = answer(&outcome)["uid"].as_str().unwrap().to_owned();
                deeds.written.lock().unwrap().insert((team.to_owned(), uid));
            }
        }
    }
}

fn forget(env: &TestEnv, dice: &mut Dice, deeds: &Deeds) {
    let Some((id, uid)) = any_memory(env, dice) else { return };
    // Nobody else may forget it meanwhile: one home, one pair of hands.
    done(env, &["forget", &id, "--yes"]);
    deeds.forgotten.lock().unwrap().insert(uid);
}

/// Syncs until nobody has anything to push or to pull.
fn sync_until_quiet(hub: &PrivateDatabase, members: &[(TestEnv, &str)]) {
    for _ in 0..10 {
        let mut is_quiet = true;
        for (env, _) in members {
            hub.wait_for_commits();
            let synced = answer(&env.run(["sync", "--json"]));
            let synced = &synced["projects"][0];
            is_quiet &= ["pushed", "written", "revised", "forgotten"].iter().all(|what| synced[what] == 0);
        }
        if is_quiet {
            return;
        }
    }
    panic!("they do not agree");
}

/// Returns the uid of each memory with everything that all members should have alike. A text that was replaced within one moment was
/// never pushed, and has no author.
fn replica(env: &TestEnv) -> Vec<(String, String)> {
    let sql = "SELECT json_array(m.kind, m.title, m.body, m.facts, m.concepts, m.files, m.importance, m.valid_to_ms, later.uid,
            (SELECT group_concat(title || until_ms, '|') FROM revisions WHERE memory_id = m.id AND author IS NOT NULL))
         FROM memories m LEFT JOIN memories later ON later.id = m.superseded_by ORDER BY m.uid";
    let uids: Vec<String> = query_all(env, "SELECT uid FROM memories ORDER BY uid");
    uids.into_iter().zip(query_all(env, sql)).collect()
}
