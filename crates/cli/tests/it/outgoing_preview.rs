//! A dry run shows every word that would be shared, through git and with a hub.

use crate::support::{NOW_MS, ask, done, import, run, world};
use crate::teams::TestTeam;
use backstory_testkit::TestEnv;
use insta::{allow_duplicates, assert_snapshot};
use serde_json::{Value, json};

/// Writes a memory with text in every field, and revises it.
fn write_much(env: &TestEnv) {
    let memory = json!({"kind": "decision", "title": "The staging server",
        "body": "We decided on a staging server.\nIt is called heronpond.",
        "facts": ["It has two disks"], "concepts": ["staging"], "files": ["deploy/staging.toml"]});
    import(env, &[memory]);
    let id = ask(env, 0, &["search", "--json", "heronpond"])["hits"][0]["id"].to_string();
    let revise = ["revise", &id, "We decided on a staging server.\nIt is called bitternpond now."];
    assert_eq!(run(env, revise).at(NOW_MS + 1000).output().code, Some(0));
}

fn holds_every_word(memory: &Value) {
    let words = ["heronpond", "It has two disks", "staging", "deploy/staging.toml"];
    assert!(memory["body"].as_str().unwrap().contains("bitternpond"), "{memory}");
    let before = memory["before"].to_string();
    assert!(words.iter().all(|word| before.contains(word)), "{memory}");
}

/// Asserts that all of it is printed under a line that says how much it is. Returns that line.
fn shows_every_word(shown: &str) -> &str {
    let first = shown.lines().next().unwrap();
    // Both tests show the same, and the same snapshot holds for both.
    allow_duplicates! {
        assert_snapshot!(shown.replacen(first, "[HOW MUCH]", 1), @r"
            [HOW MUCH]
              decision  We decided on a staging server.
                        We decided on a staging server.
                        It is called bitternpond now.
                        fact: It has two disks
                        concept: staging
                        file: deploy/staging.toml
                before: decision  The staging server
                                  We decided on a staging server.
                                  It is called heronpond.
                                  fact: It has two disks
                                  concept: staging
                                  file: deploy/staging.toml
            ");
    }
    first
}

#[test]
fn a_dry_run_shows_every_word_that_git_would_share() {
    let env = world();
    write_much(&env);
    let look = ["export", "--git", "shared", "--as", "ann", "--dry-run"];
    let shown = env.run(look).stdout;
    assert_eq!(shows_every_word(&shown), "`project` would push 1 memory as ann, 0 forgotten; 0 kept local");
    holds_every_word(&ask(&env, 0, &[&look[..], &["--json"]].concat())["outgoing"][0]);
    // What stands there already does not leave again.
    done(&env, &["export", "--git", "shared", "--as", "ann"]);
    assert_eq!(ask(&env, 0, &[&look[..], &["--json"]].concat())["outgoing"], json!([]));
}

#[test]
fn a_dry_run_shows_every_word_that_a_hub_would_get() {
    let Some(team) = TestTeam::new() else { return };
    let ann = team.member("ann");
    write_much(&ann);
    let shown = ann.run(["sync", "--dry-run"]).stdout;
    assert_eq!(shows_every_word(&shown), "one would push to team: 1 memory, 0 forgotten; 0 kept local");
    holds_every_word(&ask(&ann, 0, &["sync", "--dry-run", "--json"])["projects"][0]["memories"][0]);
}
