//! Who may look: modes of everything we make, and a home that cannot be written (SEC-8, R14).

use crate::child_process::{child, child_after, child_home, report, run};
use crate::kit::{NOW, arrival, is_root, skip};
use crate::test_store::{TestHome, paths_under};
use backstory_store::{Home, Purpose, Spool, Store};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::process::Command;

fn mode(path: &std::path::Path) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

/// SEC-8, S10: also where the process was started with umask 000.
#[test]
fn everything_we_make_is_open_to_its_owner_only() {
    let test = TestHome::new();
    let listed = run(child_after("umask 000", "privacy::child_that_makes_every_file", &test));
    for name in [
        "backstory.db",
        "backstory.db-wal",
        "backstory.db-shm",
        "backups/",
        "spool/new/",
        "quarantine/",
        "repair.lock",
        "damage-suspected",
    ] {
        assert!(listed.iter().any(|line| line.contains(name)), "{name} is not among {listed:#?}");
    }
    let open: Vec<&String> =
        listed.iter().filter(|line| !line.starts_with("700 d") && !line.starts_with("600 f")).collect();
    assert!(open.is_empty(), "{open:#?}");
}

#[test]
fn child_that_makes_every_file() {
    let Some(home) = child_home() else { return };
    let damaged = home.sibling("damaged");
    damaged.open().record(&arrival("s", 1));
    fs::write(damaged.database(), "garbage ".repeat(1000)).unwrap();
    Store::open(&damaged, Purpose::Hook, NOW).unwrap_err();
    show(&damaged);
    drop(damaged.open());
    show(&damaged);

    let mut store = home.open();
    store.note("a", "b");
    store.back_up();
    let mut hook = home.hook();
    hook.record(&arrival("s", 1));
    Spool::new(&home).push(&arrival("s", 2)).unwrap();
    show(&home);
}

fn show(home: &Home) {
    for path in paths_under(home.root()) {
        let kind = if path.is_dir() { 'd' } else { 'f' };
        report(&format!("{:o} {kind} {}", mode(&path), path.display()));
    }
}

#[test]
fn what_was_too_open_is_closed() {
    let test = TestHome::new();
    let mut hook = test.hook();
    hook.record(&arrival("s", 1));
    for path in test.paths() {
        let open = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(open)).unwrap();
    }
    let _second = test.hook();
    for path in test.paths() {
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
    }
}

/// R14: read-only for its owner too, closed cleanly or with the log a hook left behind.
#[test]
fn a_home_that_cannot_be_written_can_be_read() {
    if !is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        return skip("needs root and `setpriv` to run as another user");
    }
    for purpose in [Purpose::Command, Purpose::Hook] {
        let test = TestHome::new();
        let mut store = test.open_for(purpose);
        store.note("read", "only");
        drop(store);
        for path in test.paths() {
            chown(&path, Some(65_534), Some(65_534)).unwrap();
            let closed = if path.is_dir() { 0o500 } else { 0o400 };
            fs::set_permissions(&path, fs::Permissions::from_mode(closed)).unwrap();
        }
        fs::set_permissions(test.root().parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
        let before = test.paths();
        let plain = child("privacy::child_that_reads", &test);
        // The build may stand where the other user cannot go.
        let reachable = test.beside("it");
        fs::copy(plain.get_program(), &reachable).unwrap();
        let mut other = Command::new("setpriv");
        other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(reachable);
        other.args(plain.get_args());
        other.envs(plain.get_envs().map(|(name, value)| (name, value.unwrap())));
        assert_eq!(run(other), ["1 memory"], "{purpose:?}");
        assert_eq!(test.paths(), before, "nothing was created");
    }
}

#[test]
fn child_that_reads() {
    let Some(home) = child_home() else { return };
    let store = home.open_for(Purpose::Read);
    report(&format!("{} memory", store.memories().count().unwrap()));
    Store::open(&home, Purpose::Command, NOW)
        .and_then(|mut store| store.events_mut().record(&arrival("s", 1)))
        .unwrap_err();
}
