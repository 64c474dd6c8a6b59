//! Teams without a server: people who share a project through a folder in git, with a real git that merges it.

use crate::support::{
    ask, assert_absent, bar, database, done, done_in, exits, fields, file, git, import, query, query_all,
    remember, rendered, run_in, shape, size, titles, try_git, world,
};
use crate::team_storm::Dice;
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Instant;

/// Somebody with a home and a clone of the project.
struct Person {
    env: TestEnv,
    name: &'static str,
}

impl Person {
    /// Begins a project.
    fn first(name: &'static str) -> Person {
        let person = Person { env: world(), name };
        file(&person.env, ".backstory.toml", "project = \"one\"\n");
        person.git(&["init", "-q", "-b", "main"]);
        person.git(&["add", "-A"]);
        person.git(&["commit", "-q", "-m", "Start"]);
        person
    }

    /// Clones somebody's project.
    fn cloned_from(name: &'static str, other: &Person) -> Person {
        let person = Person { env: world(), name };
        person.git(&["clone", "-q", other.env.project().to_str().unwrap(), "."]);
        person
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(&self.env, arguments)
    }

    fn export(&self) -> Value {
        ask(&self.env, 0, &["export", "--git", "shared", "--as", self.name, "--json"])
    }

    /// Exports, and commits what that changed.
    fn push(&self) -> Value {
        let answer = self.export();
        self.commit();
        answer
    }

    /// Pushes to somebody, who pulls.
    fn push_to(&self, other: &Person) {
        self.push();
        other.merge(self, Merge::Plain);
        other.pull();
    }

    /// Revises what a word finds.
    fn revise(&self, word: &str, text: &str) {
        let there = ask(&self.env, 0, &["search", "--json", word])["hits"][0]["id"].to_string();
        done(&self.env, &["revise", &there, text]);
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        if !try_git(&self.env, &["diff", "--cached", "--quiet"]).status.success() {
            self.git(&["commit", "-q", "-m", self.name]);
        }
    }

    /// Merges the branch of somebody; there is never a conflict.
    fn merge(&self, other: &Person, how: Merge) {
        let from = other.env.project();
        let from = from.to_str().unwrap();
        match how {
            Merge::Plain => self.git(&["pull", "-q", "--no-rebase", "--no-edit", from, "main"]),
            Merge::Squash => self.git(&["pull", "-q", "--no-rebase", "--squash", from, "main"]),
            Merge::Rebase => self.git(&["pull", "-q", "--rebase", from, "main"]),
        };
        self.commit();
    }

    fn pull(&self) -> Value {
        if !self.folder().exists() {
            return Value::Null;
        }
        ask(&self.env, 0, &["import", "--git", "shared", "--json"])
    }

    fn folder(&self) -> PathBuf {
        self.env.project().join("shared")
    }

    fn files(&self) -> Vec<PathBuf> {
        let places = fs::read_dir(self.folder()).into_iter().flatten().map(|place| place.unwrap().path());
        let files = places.flat_map(|place| fs::read_dir(place).unwrap().map(|file| file.unwrap().path()));
        let mut files: Vec<PathBuf> = files.collect();
        files.sort();
        files
    }

    /// Returns what the files say, whatever they are called.
    fn words(&self) -> String {
        let words = |path: &PathBuf| {
            let text = fs::read_to_string(path).unwrap();
            text.lines().map(|line| &line[9..]).collect::<String>() + "\n"
        };
        self.files().iter().map(words).collect()
    }

    /// Returns everything that must be the same for everybody. A text that was replaced within one moment was never pushed, and has no
    /// author.
    fn replica(&self) -> Vec<String> {
        let sql = "SELECT json_array(m.uid, m.kind, m.title, m.body, by.uid,
                (SELECT count(*) FROM revisions r WHERE r.memory_id = m.id AND r.author IS NOT NULL),
                (SELECT group_concat(l.relation || o.uid) FROM (SELECT * FROM links ORDER BY relation, to_id) l
                 JOIN memories o ON o.id = l.to_id WHERE l.from_id = m.id))
            FROM memories m LEFT JOIN memories by ON by.id = m.superseded_by ORDER BY m.uid";
        query_all(&self.env, sql)
    }
}

#[derive(Clone, Copy, Debug)]
enum Merge {
    Plain,
    Squash,
    Rebase,
}

fn pair() -> (Person, Person) {
    let ann = Person::first("Ann Lee");
    let bob = Person::cloned_from("bob", &ann);
    (ann, bob)
}

#[test]
fn a_shared_decision_is_injected_with_its_author() {
    let (ann, bob) = pair();
    remember(&ann.env, "We decided to use SQLite instead of files because a hook must not lose anything");
    let pushed = ann.push();
    assert_eq!(fields(&pushed, ["memories", "written"]), json!([1, 1]), "{pushed}");
    assert_eq!(ann.export()["written"], 0, "it is pushed once");
    bob.merge(&ann, Merge::Plain);
    let pulled = bob.pull();
    assert_eq!(fields(&pulled, ["written", "refused"]), json!([1, 0]), "{pulled}");
    let found = ask(&bob.env, 0, &["search", "--json", "sqlite"]);
    assert_eq!(found["hits"][0]["provenance"], "team:Ann Lee");
    let context = bob.env.run(["context", "--moment", "session-start"]);
    assert!(context.stdout.contains("team Ann Lee"), "{context:?}");
    // Again there is nothing to push or pull, and we do not push what others wrote.
    assert_eq!(bob.pull()["written"], 0);
    assert_eq!(bob.push()["written"], 0);
    assert_eq!((ann.pull()["revised"].clone(), titles(&ann.env, &[]).len()), (0.into(), 1));
    let found = ask(&ann.env, 0, &["search", "--json", "sqlite"]);
    assert_eq!(found["hits"][0]["provenance"], "user", "one's own words stay one's own");
}

#[test]
fn a_revision_a_replacement_and_a_forgetting_reach_everybody() {
    let (ann, bob) = pair();
    let id = remember(&ann.env, "The staging server is called heronpond").to_string();
    let old = remember(&ann.env, "We decided to deploy on Fridays").to_string();
    ann.push_to(&bob);
    bob.revise("heronpond", "The staging server is called heronpond now");
    bob.push();
    done(&ann.env, &["supersede", &old, "We decided to deploy on Mondays"]);
    ann.push();
    ann.merge(&bob, Merge::Plain);
    bob.merge(&ann, Merge::Plain);
    assert_eq!((&ann.pull()["revised"], &bob.pull()["written"]), (&1.into(), &1.into()));
    assert_eq!(ann.replica(), bob.replica());
    let shown = ask(&ann.env, 0, &["show", "--json", &id]);
    assert_eq!(shown["memories"][0]["provenance"], "team:bob");
    assert_eq!(shown["memories"][0]["revisions"][0]["author"], "Ann Lee");
    assert_eq!(titles(&bob.env, &["deploy"]), ["We decided to deploy on Mondays"]);

    done(&ann.env, &["forget", &id, "--yes"]);
    let pushed = ann.push();
    assert_eq!(fields(&pushed, ["forgotten", "removed"]), json!([1, 2]), "{pushed}");
    assert!(!ann.words().contains("heronpond"), "{}", ann.words());
    bob.merge(&ann, Merge::Plain);
    assert_eq!(bob.pull()["forgotten"], 1);
    // Bob had put it into words of his own, which stay restorable until he says otherwise.
    done(&bob.env, &["team", "discard", "--all"]);
    assert_absent(&bob.env, b"heronpond");
    assert_eq!(ann.replica(), bob.replica());
}

/// Somebody revises what another forgets: the text comes back with the merge, is not pulled, and goes with the next export.
#[test]
fn forgetting_wins_over_a_later_revision() {
    let (ann, bob) = pair();
    let id = remember(&ann.env, "The staging server is called heronpond").to_string();
    ann.push_to(&bob);
    bob.revise("heronpond", "The staging server is called heronpond now");
    bob.push();
    done(&ann.env, &["forget", &id, "--yes"]);
    ann.push();
    ann.merge(&bob, Merge::Plain);
    assert!(ann.words().contains("heronpond"));
    assert_eq!(ann.pull()["written"], 0);
    assert_eq!(ann.push()["removed"], 1);
    assert!(!ann.words().contains("heronpond"), "{}", ann.words());
    bob.merge(&ann, Merge::Plain);
    assert_eq!(bob.pull()["forgotten"], 1);
}

#[test]
fn private_memories_stay_local_and_a_dry_run_shows_the_rest() {
    let ann = Person::first("ann");
    remember(&ann.env, "We decided that the door opens with xylophone42 and nothing else");
    done(&ann.env, &["remember", "--kind", "summary", "A summary of a session"]);
    done(&ann.env, &["remember", "--everywhere", "The user likes short answers"]);
    let dry = ["export", "--git", "shared", "--as", "ann", "--dry-run", "--json"];
    let outgoing = ask(&ann.env, 0, &dry);
    assert_eq!(fields(&outgoing, ["memories", "kept_local"]), json!([1, 2]), "{outgoing}");
    assert_eq!(outgoing["outgoing"][0]["kind"], "decision");
    assert!(!ann.folder().exists(), "nothing was written");
    assert_eq!(query::<u64>(&ann.env, "SELECT count(*) FROM shared_projects"), 0);
    done(
        &ann.env,
        &["export", "--git", "shared", "--as", "ann", "--set", "redact.literals=[\"xylophone42\"]"],
    );
    let words = ann.words();
    assert!(words.contains("the door opens with") && !words.contains("xylophone42"), "{words}");
    assert!(!words.contains("summary of") && !words.contains("short answers"), "{words}");
    assert_eq!(ask(&ann.env, 0, &dry)["version"], 1);
}

/// Pushed on one branch and not merged: on another branch it is pushed again, and both merge.
#[test]
fn what_was_pushed_on_another_branch_is_pushed_on_this_one() {
    let (ann, bob) = pair();
    remember(&ann.env, "We decided on tabs");
    ann.git(&["checkout", "-q", "-b", "feature"]);
    ann.push();
    ann.git(&["checkout", "-q", "main"]);
    assert_eq!(ann.files().len(), 0);
    assert_eq!(ann.push()["memories"], 1);
    ann.git(&["merge", "-q", "--no-edit", "feature"]);
    assert_eq!(ann.files().len(), 1, "the same bytes in the same file");
    bob.merge(&ann, Merge::Plain);
    assert_eq!(bob.pull()["written"], 1);
    bob.git(&["rm", "-rq", "shared"]);
    assert_eq!(bob.export()["written"], 0, "everybody pushes their own");
}

/// Another branch holds an older state: pulling it undoes nothing for anybody, and brings nothing back.
#[test]
fn an_older_branch_does_not_undo_later_changes() {
    let (ann, bob) = pair();
    let id = remember(&ann.env, "We decided on tabs").to_string();
    let gone = remember(&ann.env, "The staging server is called heronpond").to_string();
    ann.push_to(&bob);
    for person in [&ann, &bob] {
        person.git(&["checkout", "-q", "-b", "feature"]);
    }
    done(&ann.env, &["revise", &id, "We decided on spaces"]);
    done(&ann.env, &["forget", &gone, "--yes"]);
    ann.push();
    let from = ann.env.project();
    bob.git(&["pull", "-q", "--no-rebase", "--no-edit", from.to_str().unwrap(), "feature"]);
    bob.pull();
    ann.git(&["checkout", "-q", "main"]);
    bob.git(&["checkout", "-q", "main"]);
    bob.merge(&ann, Merge::Plain);
    for person in [&ann, &bob] {
        let pulled = person.pull();
        assert_eq!(fields(&pulled, ["written", "revised"]), json!([0, 0]), "{}", person.name);
        assert_eq!(titles(&person.env, &[]), ["We decided on spaces"], "{}", person.name);
    }
    ann.push();
    assert!(!ann.words().contains("heronpond"), "{}", ann.words());
    ann.git(&["merge", "-q", "--no-edit", "feature"]);
    let files = ann.words().lines().filter(|line| line.contains("We decided on spaces")).count();
    assert_eq!(files, 1, "pushed again on this branch it is the same file: {}", ann.words());
}

#[test]
fn a_bad_file_is_refused_and_the_others_are_imported() {
    let (ann, bob) = pair();
    for text in ["We decided on tabs", "We decided on pytest", "We decided on Rust", "We decided on SQLite"] {
        remember(&ann.env, text);
    }
    ann.push();
    bob.merge(&ann, Merge::Plain);
    let files = bob.files();
    let [changed, large, linked, _good] = files.as_slice() else { panic!("{files:?}") };
    let text = fs::read_to_string(changed).unwrap();
    fs::write(changed, text.replace("decided", "decidet")).unwrap();
    fs::OpenOptions::new().write(true).open(large).unwrap().set_len(2 << 20).unwrap();
    fs::remove_file(linked).unwrap();
    symlink("/etc/hostname", linked).unwrap();
    let place = changed.parent().unwrap();
    fs::write(place.join(format!("{}-{}.txt", "0".repeat(16), "0".repeat(32))), b"\xff\xfe").unwrap();
    fs::write(place.join("..notes"), "hidden, and left alone").unwrap();
    fs::write(place.join("notes.md"), "not ours").unwrap();
    fs::write(bob.folder().join("README.md"), "a folder may have a page of its own").unwrap();
    symlink("/etc", bob.folder().join("zz")).unwrap();
    let free = (0..=255).map(|n| format!("{n:02x}")).find(|free| !bob.folder().join(free).exists()).unwrap();
    symlink("/etc", bob.folder().join(&free)).unwrap();
    fs::create_dir(place.join(format!("{}-{}.txt", "1".repeat(16), "1".repeat(32)))).unwrap();

    let pulled = ask(&bob.env, 1, &["import", "--git", "shared", "--json"]);
    assert_eq!(fields(&pulled, ["written", "refused"]), json!([1, 7]), "{pulled:#}");
    let refused = pulled["refused_files"].to_string();
    for reason in ["it was changed", "2097152 bytes", "leads elsewhere", "not UTF-8", "not one of ours"] {
        assert!(refused.contains(reason), "{reason}: {pulled:#}");
    }
    assert_eq!(titles(&bob.env, &[]).len(), 1);
    // What is put right is pulled the next time.
    bob.git(&["checkout", "-q", "--", "."]);
    bob.git(&["clean", "-fdq"]);
    assert_eq!(bob.pull()["written"], 3);
}

/// A file that names a memory of another project changes nothing here, whoever wrote it.
#[test]
fn a_shared_folder_cannot_change_memories_of_another_project() {
    let (ann, bob) = pair();
    let id = remember(&ann.env, "We decided on tabs");
    ann.push();
    let line = |uid: &str| json!({"uid": uid, "kind": "decision", "title": "mine", "body": "mine alone"});
    let uid: String = database(&ann.env)
        .query_row("SELECT uid FROM memories WHERE id = ?1", [id], |row| row.get(0))
        .unwrap();
    let lines = file(&bob.env, "private.jsonl", line(&uid).to_string());
    done_in(&bob.env, "private", &["import", &lines]);
    fs::remove_file(lines).unwrap();
    bob.merge(&ann, Merge::Plain);
    let pulled = ask(&bob.env, 1, &["import", "--git", "shared", "--json"]);
    assert_eq!(fields(&pulled, ["written", "revised", "refused"]), json!([0, 0, 1]));
    done(&ann.env, &["forget", &id.to_string(), "--yes"]);
    ann.push();
    bob.merge(&ann, Merge::Plain);
    assert_eq!(ask(&bob.env, 1, &["import", "--git", "shared", "--json"])["forgotten"], 0);
    let found = run_in(&bob.env, "private", &["search", "mine"]);
    assert!(found.stdout.contains("mine"), "{found:?}");
}

/// Both forget the same and both write nearly the same again: git must not take the one for the other, moved.
#[test]
fn forgetting_and_rewriting_on_both_sides_merges() {
    let (ann, bob) = pair();
    let text =
        "We decided that the staging server is reached through the old gateway and nothing else, because";
    remember(&ann.env, &format!("{text} of the secret"));
    ann.push_to(&bob);
    for (person, ending) in [(&ann, "the firewall says so"), (&bob, "the firewall says so today")] {
        let id = ask(&person.env, 0, &["search", "--json", "staging"])["hits"][0]["id"].to_string();
        done(&person.env, &["forget", &id, "--yes"]);
        remember(&person.env, &format!("{text} {ending}"));
        person.push();
    }
    ann.merge(&bob, Merge::Plain);
    bob.merge(&ann, Merge::Plain);
    ann.pull();
    bob.pull();
    assert_eq!(ann.replica(), bob.replica());
    assert_eq!(ann.replica().len(), 2);
}

#[test]
fn every_command_prints_what_it_did_or_what_to_do() {
    let env = world();
    remember(&env, "We decided on tabs");
    assert_snapshot!(rendered(&env.run(["export", "--git", "shared"])), @r"
        exit 2
        --- err
        error: what is shared is shown with its author, and git knows no name

        hint: `--as NAME` names the author, and so does `git config user.name NAME`
        ");
    assert_snapshot!(rendered(&env.run(["import", "--git", "shared"])), @r"
        exit 1
        --- err
        error: there is no folder `shared`

        hint: `backstory export --git DIR` makes it; is the branch checked out that holds it?
        ");
    assert_snapshot!(rendered(&env.run(["export", "--git", "shared", "--as", "Ann", "--dry-run"])), @r"
        exit 0
        --- out
        `project` would push 1 memory as Ann, 0 forgotten; 0 kept local
          decision  We decided on tabs
        ");
    assert_snapshot!(rendered(&env.run(["export", "--git", "shared", "--as", "Ann"])), @r"
        exit 0
        --- out
        `project` pushed 1 memory as Ann, 0 forgotten: 1 file added, 0 removed
        ");
    assert_snapshot!(rendered(&env.run(["import", "--git", "shared", "--dry-run"])), @r"
        exit 0
        --- out
        `project` would pull 0 new, 0 revised, 0 forgotten
        ");
    assert_snapshot!(rendered(&env.run(["import", "--git", "shared"])), @r"
        exit 0
        --- out
        `project` pulled 0 new, 0 revised, 0 forgotten
        ");
    exits(&env, 0, &["sync"], "nothing is shared; ");
    let outcome = ask(&env, 0, &["export", "--git", "shared", "--json"]);
    assert_snapshot!(shape(&outcome), @"{author: text, forgotten: number, kept_local: number, memories: number, project: text, refused: number, refused_files: [], removed: number, version: number, written: number}");
    assert_snapshot!(shape(&ask(&env, 0, &["import", "--git", "shared", "--json"])), @"{dry_run: bool, forgotten: number, project: text, refused: number, refused_files: [], revised: number, version: number, written: number}");
    database(&env)
        .execute_batch(
            "INSERT INTO teams (name, transport, hub_team, url, member, joined_at_ms)
                 VALUES ('red', 'hub', 'red', 'postgres://ann@localhost/x', 'ann', 0);
             UPDATE shared_projects SET team = 'red'",
        )
        .unwrap();
    assert_snapshot!(rendered(&env.run(["export", "--git", "shared"])), @r"
        exit 1
        --- err
        error: this project is shared with the team `red` through its hub

        hint: a project is shared one way; `backstory project unshare` ends the other
        ");
}

/// Does something a person might do.
fn live(people: &[Person], deeds: usize, dice: &mut Dice) {
    for deed in 0..deeds {
        let person = &people[dice.pick(people.len())];
        let other = &people[dice.pick(people.len())];
        // Never the same text twice: whoever has forgotten it does not pull it from anybody.
        let text = format!("We decided that part {} of the house is built of stone {deed}", dice.roll(4));
        let id = any_memory(person, dice);
        match (dice.pick(12), id) {
            (0..3, _) | (3..7, None) => drop(person.env.run(["remember", "--force", &text])),
            (3, Some(id)) => drop(person.env.run(["revise", &id, &format!("{text}, as of {deed}")])),
            (4, Some(id)) => drop(person.env.run(["supersede", &id, &format!("{text}, at last {deed}")])),
            (5..7, Some(id)) => drop(person.env.run(["forget", &id, "--yes"])),
            (7..9, _) => drop(person.push()),
            (how, _) => {
                person.merge(other, [Merge::Plain, Merge::Squash, Merge::Rebase][how - 9]);
                person.pull();
            }
        }
    }
}

fn any_memory(person: &Person, dice: &mut Dice) -> Option<String> {
    if !person.env.home().join("backstory.db").exists() {
        return None;
    }
    let ids: Vec<i64> = query_all(&person.env, "SELECT id FROM memories ORDER BY uid");
    ids.get(dice.pick(ids.len().max(1))).map(ToString::to_string)
}

/// Everybody pushes, merges and pulls until nobody has anything to push.
fn exchange_until_quiet(people: &[Person]) {
    for _ in 0..4 {
        for person in people {
            person.push();
            for other in people {
                person.merge(other, Merge::Plain);
            }
            person.pull();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: size(2, 40) as u32, ..ProptestConfig::default() })]

    /// Whatever three people do, git never asks anything, and in the end all of them have the same, here and in the folder.
    #[test]
    fn any_sequence_of_changes_merges_and_all_replicas_agree(seed in any::<u64>()) {
        let ann = Person::first("ann");
        let people = [Person::cloned_from("bob", &ann), Person::cloned_from("carl", &ann), ann];
        live(&people, size(30, 60), &mut Dice(seed));
        exchange_until_quiet(&people);
        let forgotten: BTreeSet<String> = people.iter().flat_map(forgotten).collect();
        for person in &people {
            prop_assert_eq!(person.replica(), people[0].replica());
            prop_assert_eq!(person.git(&["rev-parse", "HEAD:./"]), people[0].git(&["rev-parse", "HEAD:./"]));
            let words = person.words();
            for uid in &forgotten {
                let of_it = words.lines().filter(|line| line.contains(&format!("\"uid\":\"{uid}\"")));
                prop_assert!(of_it.clone().all(|line| line.contains("\"is\":\"forgotten\"")), "{}", words);
            }
        }
    }
}

fn forgotten(person: &Person) -> Vec<String> {
    query_all(&person.env, "SELECT uid FROM tombstones WHERE uid IS NOT NULL")
}

#[test]
fn ten_thousand_memories_are_shared_and_only_changes_read_again() {
    let (ann, bob) = pair();
    let memories = size(300, 10_000);
    let memory = |number: usize| {
        let body = format!("We decided number {number}: {}", "the store keeps what a hook sends. ".repeat(8));
        json!({"uid": format!("ann-{number}"), "kind": "decision", "title": format!("Decision {number}"),
            "body": body, "provenance": "user"})
    };
    import(&ann.env, &(0..memories).map(memory).collect::<Vec<_>>());
    let mut figures = Vec::new();
    let mut took = |what: &str, doing: &dyn Fn() -> Value| {
        let begun = Instant::now();
        let answer = doing();
        figures.push(format!("{what} {:.1} s", begun.elapsed().as_secs_f64()));
        answer
    };
    assert_eq!(took("export", &|| ann.export())["written"], memories);
    assert_eq!(took("again", &|| ann.export())["written"], 0);
    ann.commit();
    bob.merge(&ann, Merge::Plain);
    assert_eq!(took("import", &|| bob.pull())["written"], memories);
    assert_eq!(took("again", &|| bob.pull())["written"], 0);
    remember(&ann.env, "We decided on one thing more");
    assert_eq!(took("export of one", &|| ann.export())["written"], 1);
    ann.commit();
    bob.merge(&ann, Merge::Plain);
    // What has not changed is not even read: it could not be.
    let new = ann.git(&["show", "--name-only", "--format="]);
    let place = new.trim().split('/').nth(1).unwrap().to_owned();
    for file in
        bob.files().iter().filter(|file| file.parent().unwrap().file_name().unwrap() != place.as_str())
    {
        fs::write(file, "broken").unwrap();
    }
    assert_eq!(took("import of one", &|| bob.pull())["written"], 1);
    bar("X05", format_args!("{memories} memories: {}", figures.join(", ")));
}
