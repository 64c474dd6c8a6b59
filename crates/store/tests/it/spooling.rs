//! The spool: nothing waits in vain, nothing is taken in twice, nothing stands in the way (law 3, R07).

use crate::events::events;
use crate::kit::{DAY, KEEP, NOW, arrival, arrival_saying};
use crate::test_store::{TestHome, TestStore, raw};
use backstory_memory::Timestamp;
use backstory_store::{Home, Purpose, Spool, StoreError};
use std::fs;
use std::path::{Path, PathBuf};

fn waiting(home: &Home) -> PathBuf {
    home.spool().join("new")
}

/// R07.
#[test]
fn an_event_that_meets_a_locked_database_waits_and_is_taken_in_once() {
    let test = TestHome::new();
    let mut hook = test.hook();
    let holder = raw(&test);
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let spool = Spool::new(&test);
    for number in 0..6 {
        let refused = hook.events_mut().record(&arrival("s", number)).unwrap_err();
        assert!(
            matches!(refused, StoreError::Busy { .. })
                && refused.is_transient()
                && refused.is_storage_failure(),
            "{refused}"
        );
        spool.push(&arrival("s", number)).unwrap();
    }
    assert_eq!((spool.len(), spool.is_empty()), (6, false));
    holder.execute_batch("COMMIT").unwrap();
    let store = test.hook();
    assert_eq!((store.events().count().unwrap(), spool.len()), (6, 0));
    assert_eq!(test.open().events().count().unwrap(), 6);
}

/// R07: who only wants to read is not kept out by what waits.
#[test]
fn a_locked_database_opens_and_what_waits_goes_on_waiting() {
    let test = TestHome::new();
    drop(test.hook());
    let holder = raw(&test);
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let spool = Spool::new(&test);
    spool.push(&arrival("s", 1)).unwrap();
    for purpose in [Purpose::Hook, Purpose::Command] {
        let store = test.open_for(purpose);
        assert_eq!((store.events().count().unwrap(), spool.len()), (0, 1));
    }
    drop(holder);
    assert_eq!((test.hook().events().count().unwrap(), spool.len()), (1, 0));
}

#[test]
fn an_event_known_already_is_only_taken_off_the_spool() {
    let test = TestHome::new();
    test.hook().record(&arrival("s", 1));
    let spool = Spool::new(&test);
    spool.push(&arrival("s", 1)).unwrap();
    spool.push(&arrival("s", 1)).unwrap();
    assert_eq!((test.open().events().count().unwrap(), spool.len()), (1, 0));
}

#[test]
fn a_waiting_event_is_taken_in_whole_and_in_order() {
    let test = TestHome::new();
    let spool = Spool::new(&test);
    let jumps = [0, -3_600_000, 3650 * DAY, -3650 * DAY, -NOW.0 - 5, i64::MAX - NOW.0, 0];
    let arrivals: Vec<_> = jumps
        .iter()
        .enumerate()
        .map(|(n, jump)| arrival_saying("s", &format!("said {n} \u{0} é数"), NOW.plus_ms(*jump)))
        .collect();
    arrivals.iter().for_each(|arrival| spool.push(arrival).unwrap());
    let taken: Vec<_> = events(&test.open()).into_iter().map(|stored| stored.event).collect();
    let expected: Vec<_> = arrivals.into_iter().map(|arrival| arrival.event.into_inner()).collect();
    assert_eq!(taken, expected, "R15: the order of arrival, whatever the clock said");
}

/// Puts a link and a pipe, and returns how many there are.
#[cfg(unix)]
fn put_link_and_pipe(to: &Path, link: &Path, pipe: &Path) -> usize {
    std::os::unix::fs::symlink(to, link).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    2
}

/// Puts none: on Windows few may make a link, and no pipe lies in a folder.
#[cfg(windows)]
fn put_link_and_pipe(_to: &Path, _link: &Path, _pipe: &Path) -> usize {
    0
}

/// SEC-8: whatever lies in the folder, it is not followed, not waited for, not lost.
#[test]
fn what_is_no_event_is_set_aside_and_never_in_the_way() {
    let test = TestHome::new();
    let spool = Spool::new(&test);
    spool.push(&arrival("s", 1)).unwrap();
    let dir = waiting(&test);
    let name = |n: u32, what: &str| dir.join(format!("{n:020}-{what}.json"));
    fs::write(name(0, "empty"), "").unwrap();
    fs::write(name(0, "torn"), "{\"key\":\"00").unwrap();
    fs::write(name(0, "bytes"), [0xff; 300]).unwrap();
    fs::write(name(0, "huge"), "[".repeat(3 << 20)).unwrap();
    fs::write(name(0, "other shape"), "{\"key\":1}").unwrap();
    fs::create_dir(name(0, "folder")).unwrap();
    let secret = test.beside("secret");
    fs::write(&secret, "not ours").unwrap();
    let links = put_link_and_pipe(&secret, &name(0, "link"), &name(0, "pipe"));
    (1..200).for_each(|n| fs::write(name(n, "junk"), "junk").unwrap());

    for _ in 0..5 {
        drop(test.hook());
    }
    assert_eq!(test.hook().events().count().unwrap(), 1, "hooks alone get past it");
    assert!(spool.is_empty());
    assert_eq!(fs::read_dir(test.spool().join("bad")).unwrap().count(), 199 + 6 + links);
    assert_eq!(fs::read_to_string(secret).unwrap(), "not ours");
}

#[test]
fn an_event_the_database_refuses_does_not_keep_the_others_out() {
    let test = TestHome::new();
    drop(test.open());
    let refuse = "CREATE TRIGGER picky BEFORE INSERT ON events WHEN new.payload LIKE '%poison%'
        BEGIN SELECT raise(ABORT, 'no'); END";
    raw(&test).execute_batch(refuse).unwrap();
    let spool = Spool::new(&test);
    for text in ["before", "poison", "after"] {
        spool.push(&arrival_saying("s", text, NOW)).unwrap();
    }
    assert_eq!(test.open().events().count().unwrap(), 2);
    assert!(spool.is_empty());
    assert_eq!(fs::read_dir(test.spool().join("bad")).unwrap().count(), 1, "kept, not lost");
}

#[test]
fn a_hook_takes_in_a_share_and_a_command_the_rest() {
    let test = TestHome::new();
    let spool = Spool::new(&test);
    (0..150).for_each(|number| spool.push(&arrival("s", number)).unwrap());
    let taken = test.hook().events().count().unwrap();
    assert!(taken > 0 && taken < 150, "{taken}");
    assert_eq!((test.open().events().count().unwrap(), spool.len()), (150, 0));
    assert!(waiting(&test).exists());
}

/// A push killed before its rename leaves a file that was never acknowledged.
#[test]
fn maintenance_removes_unfinished_files_of_the_spool() {
    let mut store = TestStore::new();
    let drafts = store.home().spool().join("tmp");
    fs::create_dir_all(&drafts).unwrap();
    fs::write(drafts.join("abandoned"), "half").unwrap();
    let written = fs::metadata(drafts.join("abandoned")).unwrap().modified().unwrap();
    let written = written.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let at = Timestamp(i64::try_from(written).unwrap());
    store.maintain(KEEP, at);
    assert!(drafts.join("abandoned").exists(), "it may still be in the making");
    store.maintain(KEEP, at.plus_ms(DAY));
    assert!(!drafts.join("abandoned").exists());
}

#[test]
fn an_event_too_large_for_the_spool_is_refused_and_leaves_nothing_behind() {
    let test = TestHome::new();
    let spool = Spool::new(&test);
    for size in [1 << 20, 4 << 20] {
        let refused = spool.push(&arrival_saying("s", &"x".repeat(size), NOW)).unwrap_err();
        assert!(matches!(refused, StoreError::TooLarge { bytes, most } if bytes > most), "{refused:?}");
        assert!(
            refused.to_string().ends_with("is too large for the spool; the limit is 1048576"),
            "{refused}"
        );
        assert!(spool.is_empty());
    }
    spool.push(&arrival_saying("s", &"\u{1}".repeat(16 << 10), NOW)).unwrap();
    assert_eq!(test.open().events().count().unwrap(), 1, "the largest capped event is taken in");
}
