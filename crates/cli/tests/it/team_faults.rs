//! A hub that is down, slow, half there, newer, full, or has thrown us out; and a disk of ours that is full.
//! Whatever it is, hooks do not notice, the sync says what it is, and the next one goes on.

use crate::faults::SmallDisk;
use crate::support::{
    answer, ask, assert_exit, bar, column, database, done, done_in, fields, file, hook, import, injected,
    payload, prompt, query, remember, run, send, send_with, size, titles, world,
};
use crate::team_isolation::{in_two_teams, name_project};
use crate::teams::{TestTeam, set_hub};
use backstory_testkit::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// What becomes of a connection once so many bytes have gone through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It is cut, in the middle of a message.
    Cut,
    /// It stays open, and carries nothing more.
    Stall,
}

/// A way to the hub over the loopback that goes wrong after so many bytes in one direction.
struct Proxy {
    port: u16,
    connections: Arc<AtomicU64>,
    sent: Arc<AtomicU64>,
    received: Arc<AtomicU64>,
}

impl Proxy {
    fn to(team: &TestTeam, fault: Fault, after_sent: u64, after_received: u64) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let proxy = Proxy { port, connections: counter(), sent: counter(), received: counter() };
        let (connections, sent, received) =
            (proxy.connections.clone(), proxy.sent.clone(), proxy.received.clone());
        let socket = socket_of(team);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                connections.fetch_add(1, Ordering::SeqCst);
                let Ok(hub) = UnixStream::connect(&socket) else { continue };
                let ways = (client.try_clone().unwrap(), hub.try_clone().unwrap());
                let is_broken = Arc::new(AtomicBool::new(false));
                let (sent, received, broken) = (sent.clone(), received.clone(), is_broken.clone());
                let ends = (client.try_clone().unwrap(), hub.try_clone().unwrap());
                thread::spawn(move || carry(ways.0, hub, &sent, after_sent, fault, &broken, &ends));
                let ends = (client.try_clone().unwrap(), ways.1.try_clone().unwrap());
                thread::spawn(move || {
                    carry(ways.1, client, &received, after_received, fault, &is_broken, &ends);
                });
            }
        });
        proxy
    }

    fn url(&self, team: &TestTeam, name: &str) -> String {
        self.instead_of(&team.url(name))
    }

    fn instead_of(&self, url: &str) -> String {
        let (user, rest) = url.trim_start_matches("postgres://").split_once('@').unwrap();
        let database = rest.split_once('/').unwrap().1;
        format!("postgres://{user}@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }
}

fn counter() -> Arc<AtomicU64> {
    Arc::new(AtomicU64::new(0))
}

/// Carries bytes one way, until there are no more or the fault comes.
fn carry(
    mut from: impl Read,
    mut to: impl Write,
    carried: &AtomicU64,
    most: u64,
    fault: Fault,
    is_broken: &AtomicBool,
    ends: &(TcpStream, UnixStream),
) {
    let mut bytes = [0; 512];
    while let Ok(read @ 1..) = from.read(&mut bytes) {
        if is_broken.load(Ordering::SeqCst) && fault == Fault::Stall {
            continue;
        }
        let left = most.saturating_sub(carried.load(Ordering::SeqCst)).min(read as u64);
        carried.fetch_add(left, Ordering::SeqCst);
        drop(to.write_all(&bytes[..usize::try_from(left).unwrap()]));
        if left < read as u64 {
            is_broken.store(true, Ordering::SeqCst);
            if fault == Fault::Cut {
                break;
            }
        }
    }
    drop(ends.0.shutdown(Shutdown::Both));
    drop(ends.1.shutdown(Shutdown::Both));
}

/// Returns where the hub listens, from its address.
fn socket_of(team: &TestTeam) -> PathBuf {
    let url = team.database.url("owner");
    let dir = url.split(['@', '/']).nth(3).unwrap().replace("%2F", "/");
    PathBuf::from(dir).join(".s.PGSQL.5432")
}

/// Syncs with the password that stands in the passfile for another address.
fn sync(env: &TestEnv, flags: &[&str]) -> ProgramOutput {
    let line = fs::read_to_string(env.world().join("user/.pgpass")).unwrap();
    let password = line.trim_end().rsplit(':').next().unwrap().to_owned();
    run(env, [&["sync", "--json"], flags].concat()).var("PGPASSWORD", password).output()
}

/// Writes large memories that do not compress.
fn write_much(env: &TestEnv, numbers: std::ops::Range<usize>) {
    let line = |number: usize| {
        let words = (0..200).map(|word: usize| {
            format!("{:x}", (number * 200 + word + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        });
        let body = words.collect::<Vec<_>>().join(" ");
        json!({"uid": format!("n{number}"), "kind": "decision", "title": format!("Decision {number}"), "body": body})
    };
    import(env, &numbers.map(line).collect::<Vec<Value>>());
}

fn on_the_hub(team: &TestTeam) -> String {
    team.database.psql("SELECT count(*) || ' ' || count(DISTINCT uid) FROM backstory.revisions")
}

/// Asserts that a run failed with this reason and a next step, and not as an internal error.
fn says(outcome: &ProgramOutput, because: &str) {
    assert_exit(outcome, 1, because);
    assert!(outcome.stderr.contains("hint: ") && !outcome.stderr.contains("internal"), "{}", outcome.stderr);
}

#[test]
fn a_connection_cut_anywhere_loses_nothing_and_pushes_nothing_twice() {
    let Some(team) = TestTeam::new() else { return };
    let (ann, bob) = (team.member("ann"), team.member("bob"));
    // How long a whole conversation is, pushed and pulled.
    write_much(&ann, 0..3);
    let whole = Proxy::to(&team, Fault::Cut, u64::MAX, u64::MAX);
    set_hub(&ann, &whole.url(&team, "ann"));
    assert_eq!(sync(&ann, &[]).code, Some(0));
    let (sent, received) = (whole.sent.load(Ordering::SeqCst), whole.received.load(Ordering::SeqCst));
    let (mut cuts, mut written) = (0, 3);
    let parts = size(4, 24) as u64;
    for part in 0..parts {
        for (after_sent, after_received) in
            [(sent * part / parts, u64::MAX), (u64::MAX, received * part / parts)]
        {
            write_much(&ann, written..written + 3);
            written += 3;
            let broken = Proxy::to(&team, Fault::Cut, after_sent, after_received);
            set_hub(&ann, &broken.url(&team, "ann"));
            let outcome = sync(&ann, &[]);
            // What was to be cut last may have been said in fewer bytes this time.
            if outcome.code != Some(0) {
                says(&outcome, "hub");
                cuts += 1;
            }
            set_hub(&ann, &whole.url(&team, "ann"));
            assert_eq!(sync(&ann, &[]).code, Some(0));
            assert_eq!(on_the_hub(&team), format!("{written} {written}"));
        }
    }
    assert!(cuts >= parts, "{cuts} of {}", 2 * parts);
    // The same on the way to somebody.
    set_hub(&bob, &whole.url(&team, "bob"));
    for part in 1..parts {
        let broken = Proxy::to(&team, Fault::Cut, u64::MAX, 20_000 * part);
        set_hub(&bob, &broken.url(&team, "bob"));
        cuts += u64::from(sync(&bob, &[]).code != Some(0));
    }
    set_hub(&bob, &whole.url(&team, "bob"));
    team.database.wait_for_commits();
    assert_eq!(sync(&bob, &[]).code, Some(0));
    assert_eq!(ask(&bob, 0, &["status", "--json"])["memories"], written);
    bar(
        "X07",
        format_args!("{cuts} connections cut in the middle; {written} of {written} pushed once and pulled"),
    );
}

#[test]
fn a_hub_that_stalls_in_the_middle_times_out_and_the_next_sync_goes_on() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    let whole: String = query(&ann, "SELECT url FROM teams");
    for (number, after) in (0..).zip([0, 700, 2_000]) {
        write_much(&ann, number..number + 1);
        let slow = Proxy::to(&team, Fault::Stall, u64::MAX, after);
        set_hub(&ann, &slow.url(&team, "ann"));
        says(&sync(&ann, &["--set", "team.patience_seconds=1"]), "does not answer");
        set_hub(&ann, &whole);
        team.database.wait_for_commits();
        assert_eq!(sync(&ann, &[]).code, Some(0));
        assert_eq!(on_the_hub(&team), format!("{0} {0}", number + 1));
    }
}

#[test]
fn hubs_that_stall_or_are_down_keep_no_other_team_from_being_synced() {
    let Some((one, two, ann)) = in_two_teams() else { return };
    remember(&ann, "We decided on tabs");
    name_project(&ann, "three");
    done_in(&ann, "three", &["remember", "We decided on nothing"]);
    // Both come before the one that answers.
    let silent = Proxy::to(&two, Fault::Stall, u64::MAX, 0);
    let store = database(&ann);
    store.execute("UPDATE teams SET url = ?1 WHERE name = 'second'", [silent.url(&two, "ann")]).unwrap();
    store
        .execute_batch(
            "INSERT INTO teams (name, transport, url, member, hub_team, hub_id, joined_at_ms, synced_at_ms)
                 SELECT 'aside', transport, 'postgres://ann@127.0.0.1:9/hub?sslmode=disable', member, hub_team, hub_id, joined_at_ms, synced_at_ms
                 FROM teams WHERE name = 'team';
             INSERT INTO shared_projects (project_id, team, hub_project, watermark) SELECT id, 'aside', 'three', 0 FROM projects WHERE name = 'three'",
        )
        .unwrap();
    drop(store);
    let outcome = ann.run(["sync", "--json", "--set", "team.patience_seconds=1"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let answer = answer(&outcome);
    assert_eq!(column(&answer["problems"], "team"), json!(["aside", "second"]), "{answer}");
    assert_eq!(answer["projects"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(fields(&answer["projects"][0], ["team", "pushed"]), json!(["team", 1]));
    assert_eq!(on_the_hub(&one), "1 1");
    for trouble in
        ["error: `aside`: cannot use the team's hub", "error: `second`: the team's hub does not answer"]
    {
        assert!(outcome.stderr.contains(trouble), "{trouble}: {}", outcome.stderr);
    }
}

#[test]
fn a_server_that_stalls_while_a_hub_is_made_times_out_and_the_next_try_makes_it() {
    let Some(team) = TestTeam::new() else { return };
    let owner = team.database.url("owner");
    let whole = Proxy::to(&team, Fault::Stall, u64::MAX, u64::MAX);
    done(&team.owner, &["team", "init", &whole.instead_of(&owner)]);
    let received = whole.received.load(Ordering::SeqCst);
    // When it has let us in, and almost at the end.
    for after in [received / 2, received * 9 / 10] {
        let slow = Proxy::to(&team, Fault::Stall, u64::MAX, after);
        let url = slow.instead_of(&owner);
        let init = team.owner.run(["team", "init", &url, "--set", "team.patience_seconds=1"]);
        says(&init, "does not answer");
    }
    done(&team.owner, &["team", "init", &owner]);
}

#[test]
fn the_status_of_teams_names_a_hub_that_stalls_and_goes_on_with_the_others() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    let silent = Proxy::to(&team, Fault::Stall, u64::MAX, 0);
    // Before the one that answers, and after it.
    for name in ["aside", "zest"] {
        let sql = "INSERT INTO teams (name, transport, url, member, hub_team, hub_id, joined_at_ms, synced_at_ms)
             SELECT ?1, transport, ?2, member, hub_team, hub_id, joined_at_ms, synced_at_ms FROM teams WHERE name = 'team'";
        database(&ann).execute(sql, [name, &silent.url(&team, "ann")]).unwrap();
    }
    let status = ask(&ann, 1, &["team", "status", "--json", "--set", "team.patience_seconds=1"]);
    let of = |number: usize| (&status["teams"][number]["name"], &status["teams"][number]["members"]);
    assert_eq!(of(1), (&"team".into(), &json!([team.database.member("ann")])), "{status}");
    for number in [0, 2] {
        let problem = status["teams"][number]["problem"].as_str().unwrap();
        assert!(problem.contains("does not answer"), "{status}");
    }
    assert_eq!(silent.connections.load(Ordering::SeqCst), 2);
}

/// No hook of a shared project ever talks to its hub, and none costs more for it.
#[test]
fn no_hook_opens_a_connection_and_every_hook_answers_as_without_a_team() {
    let Some(team) = TestTeam::new() else { return };
    let (ann, alone) = (team.member("ann"), world());
    file(&alone, ".backstory.toml", "project = \"one\"\n");
    for env in [&ann, &alone] {
        remember(env, "We decided to keep parsers in src/parse and nowhere else");
    }
    let silent = Proxy::to(&team, Fault::Stall, 0, 0);
    set_hub(&ann, &silent.url(&team, "ann"));
    let payloads = [
        payload("s", "SessionStart", json!({"source": "startup"})),
        prompt("s", "where do parsers live?"),
        payload(
            "s",
            "PreToolUse",
            json!({"tool_name": "Read", "tool_input": {"file_path": "src/parse/a.rs"}}),
        ),
        payload(
            "s",
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"},
            "tool_response": {"stdout": "ok", "stderr": "", "interrupted": false}}),
        ),
        payload("s", "Stop", json!({})),
    ];
    for payload in &payloads {
        let (with, without) = (hook(&ann, payload), hook(&alone, payload));
        assert_eq!(injected(&with), injected(&without), "{payload}");
    }
    // The end starts a sync that nobody waits for; where that is not wanted there is none.
    let ended = payload("s", "SessionEnd", json!({"reason": "other"}));
    send_with(&ann, ("BACKSTORY_TEAM_AT_SESSION_END", "false"), ended);
    assert_eq!(silent.connections.load(Ordering::SeqCst), 0);
    bar(
        "X06",
        format_args!(
            "{} hooks, 0 connections to the hub, every answer as without a team",
            payloads.len() + 1
        ),
    );
    // And it is not that nobody would notice one.
    drop(sync(&ann, &["--set", "team.patience_seconds=1"]));
    assert_eq!(silent.connections.load(Ordering::SeqCst), 1);
}

#[test]
fn a_hub_that_was_down_gets_everything_when_it_is_up_again() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    remember(&ann, "We decided on tabs");
    let real: String = query(&ann, "SELECT url FROM teams");
    set_hub(&ann, "postgres://ann@127.0.0.1:9/hub?sslmode=disable");
    says(&sync(&ann, &[]), "does not answer");
    let outgoing = ask(&ann, 0, &["sync", "--dry-run", "--json"]);
    assert_eq!(outgoing["projects"][0]["memories"].as_array().unwrap().len(), 1);
    send(&ann, prompt("s", "what about tabs?"));
    set_hub(&ann, &real);
    assert_eq!(sync(&ann, &[]).code, Some(0));
    assert_eq!(on_the_hub(&team), "1 1");
}

#[test]
fn a_revoked_member_gets_an_error_and_keeps_their_memories() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    remember(&ann, "We decided on tabs");
    let member = team.database.member("ann");
    done(&team.owner, &["team", "revoke", &member]);
    says(&sync(&ann, &[]), &member);
    assert_eq!(titles(&ann, &[]), ["We decided on tabs"]);
    send(&ann, prompt("s", "what about tabs?"));
    let passfile = ann.world().join("user/.pgpass");
    fs::remove_file(&passfile).unwrap();
    done(&team.owner, &["team", "invite", &member, "--passfile", passfile.to_str().unwrap()]);
    assert_eq!(sync(&ann, &[]).code, Some(0));
    assert_eq!(on_the_hub(&team), "1 1");
}

#[test]
fn a_newer_hub_is_refused_untouched() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    remember(&ann, "We decided on tabs");
    team.database.psql("INSERT INTO backstory.applied_migrations (version, digest) VALUES (99, '')");
    says(&sync(&ann, &[]), "schema 99");
    assert_eq!(on_the_hub(&team), "0 0", "nothing was touched");
    team.database.psql("DELETE FROM backstory.applied_migrations WHERE version = 99");
    assert_eq!(sync(&ann, &[]).code, Some(0));
    assert_eq!(on_the_hub(&team), "1 1");
}

#[test]
fn a_full_disk_here_stops_the_pull_and_the_next_sync_pulls_the_rest() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    let bob = team.newcomer("bob");
    let Some(disk) = SmallDisk::under(&bob) else { return };
    done(&bob, &["team", "join", &team.url("bob")]);
    done(&bob, &["project", "share"]);
    // More than these do not fit on the disk when it is empty.
    let many = size(60, 120);
    write_much(&ann, 0..many);
    assert_eq!(sync(&ann, &[]).code, Some(0));
    team.database.wait_for_commits();
    let ballast = disk.path().join("ballast");
    drop(fs::write(&ballast, vec![1; 16 << 20]));
    let full = sync(&bob, &[]);
    assert_ne!(full.code, Some(0), "{full:?}");
    let refusal = answer(&full).to_string();
    assert!(refusal.contains("full") || refusal.contains("space"), "{refusal}");
    send(&bob, prompt("s", "anything new?"));
    fs::remove_file(ballast).unwrap();
    let pulled = sync(&bob, &[]);
    assert_eq!(pulled.code, Some(0), "{pulled:?}");
    assert_eq!(ask(&bob, 0, &["status", "--json"])["memories"], many);
    done(&bob, &["doctor", "--full"]);
}

/// A hub whose table of revisions lies on a disk of its own, which is small.
struct SmallHubDisk<'a> {
    team: &'a TestTeam,
    dir: PathBuf,
    name: String,
}

impl SmallHubDisk<'_> {
    fn under(team: &TestTeam) -> Option<SmallHubDisk<'_>> {
        let dir = team.owner.world().join("space");
        fs::create_dir_all(&dir).unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m,mode=0700,uid=65534,gid=65534", "tmpfs"])
            .arg(&dir)
            .output();
        if !mount.is_ok_and(|output| output.status.success()) {
            eprintln!("SKIPPED: a small disk can only be mounted by root");
            return None;
        }
        // The server is somebody else, who has to get there.
        for folder in dir.ancestors().skip(1).take_while(|folder| folder.starts_with(team.owner.world())) {
            fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let name = team.database.member("space");
        team.database.psql(&format!("CREATE TABLESPACE {name} LOCATION '{}'", dir.display()));
        team.database.psql(&format!("ALTER TABLE backstory.revisions SET TABLESPACE {name}"));
        Some(SmallHubDisk { team, dir, name })
    }
}

impl Drop for SmallHubDisk<'_> {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.team.database.psql("ALTER TABLE backstory.revisions SET TABLESPACE pg_default");
            self.team.database.psql(&format!("DROP TABLESPACE {}", self.name));
        }
        drop(Command::new("umount").arg("-l").arg(&self.dir).status());
    }
}

#[test]
fn a_full_disk_of_the_hub_is_reported_and_the_outbox_waits() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    let Some(disk) = SmallHubDisk::under(&team) else { return };
    let ballast = disk.dir.join("ballast");
    drop(fs::write(&ballast, vec![1; 8 << 20]));
    let many = size(20, 200);
    write_much(&ann, 0..many);
    says(&sync(&ann, &[]), "no space left");
    send(&ann, prompt("s", "anything new?"));
    fs::remove_file(ballast).unwrap();
    let synced: Value = answer(&sync(&ann, &[]));
    assert!(synced["projects"][0]["pushed"].as_u64() > Some(0), "{synced}");
    assert_eq!(on_the_hub(&team), format!("{many} {many}"));
}
