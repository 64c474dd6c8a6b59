//! A build without the PostgreSQL stack says so wherever a hub is needed, and everything else works: teams through folders in git, too.

use crate::support::{at, done, exits, rendered, world};
use insta::assert_snapshot;

#[test]
fn a_build_without_the_hub_says_what_to_install() {
    let env = world();
    let address = "postgres://ann@db.example.org/memories";
    assert_snapshot!(rendered(&env.run(["team", "join", address])), @r#"
        exit 1
        --- err
        error: this build has no team hub

        hint: install a released build (docs/building.md), or build with `cargo install --locked --path crates/cli --features team-hub`
        hint: a folder in git works with this build, too: `backstory export --git DIR`, `backstory import --git DIR`
        "#);
    exits(&env, 1, &["team", "init", address, "--team", "core"], "this build has no team hub");
    exits(&env, 1, &["team"], "no team was joined");
    done(&env, &["sync"]);
}

#[test]
fn a_folder_in_git_is_shared_without_the_hub() {
    let env = world();
    done(&env, &["remember", "--kind", "decision", "Queue in Postgres, not in Redis"]);
    let folder = at(&env, "shared");
    let folder = folder.to_str().unwrap();
    done(&env, &["export", "--git", folder, "--as", "ann"]);
    done(&env, &["import", "--git", folder]);
}
