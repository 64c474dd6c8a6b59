//! kill -9: what was acknowledged is there, once (R01, law 3).

use crate::child_process::{child, child_home, report, reports};
use crate::kit::{Dice, NOW, arrival, bar, size};
use crate::test_store::{TestHome, assert_sound, raw};
use backstory_memory::IdempotencyKey;
use backstory_store::{Purpose, Spool, Store};
use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout};

struct Writer {
    process: Child,
    out: BufReader<ChildStdout>,
    read: Vec<u8>,
}

impl Writer {
    fn start(test: &TestHome, name: &str) -> Writer {
        let mut process = child(&format!("killing::{name}"), test).spawn().unwrap();
        let out = BufReader::new(process.stdout.take().unwrap());
        Writer { process, out, read: Vec::new() }
    }

    /// Kills it once it has acknowledged so much: the kill lands somewhere in the writes that follow.
    fn kill_after(mut self, acknowledged: usize) -> Vec<String> {
        while reports(&self.read).len() < acknowledged {
            assert_ne!(self.out.read_until(b'\n', &mut self.read).unwrap(), 0, "the writer ended by itself");
        }
        self.process.kill().unwrap();
        self.out.read_to_end(&mut self.read).unwrap();
        self.process.wait().unwrap();
        reports(&self.read)
    }
}

/// R01.
#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_kept_twice() {
    let test = TestHome::new();
    let mut dice = Dice(1);
    let mut acknowledged = HashSet::new();
    for _ in 0..size(20, 100) {
        let writers = ["child_hook", "child_command"].map(|name| Writer::start(&test, name));
        for writer in writers {
            acknowledged.extend(writer.kill_after(dice.roll(size(25, 60))));
        }
    }
    let store = test.open();
    assert!(Spool::new(&test).is_empty());
    let db = raw(&test);
    let mut statement = db.prepare("SELECT idempotency_key FROM events").unwrap();
    let keys = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).unwrap();
    let keys: Vec<String> =
        keys.map(|key| backstory_memory::Digest::from_slice(&key.unwrap()).unwrap().to_string()).collect();
    let stored: HashSet<String> = keys.iter().cloned().collect();
    assert_eq!(keys.len(), stored.len(), "no key twice");
    let lost: Vec<_> = acknowledged.difference(&stored).collect();
    assert!(lost.is_empty(), "{} of {} lost", lost.len(), acknowledged.len());
    assert!(acknowledged.len() >= size(200, 5000), "{}", acknowledged.len());
    drop(statement);
    drop((db, store));
    assert_sound(&test);
    bar(
        "R01",
        format_args!(
            "0 lost of {} acked, 0 duplicates of {} kept, {} kills",
            acknowledged.len(),
            keys.len(),
            2 * size(20, 100)
        ),
    );
}

fn write_for_ever(purpose: Purpose) {
    let Some(home) = child_home() else { return };
    let mut store = Store::open(&home, purpose, NOW);
    for number in 0.. {
        let arrival = arrival(&format!("{purpose:?} {}", std::process::id()), number);
        if purpose == Purpose::Hook {
            store = Store::open(&home, purpose, NOW);
        }
        let recorded = store.as_mut().map(|store| store.events_mut().record(&arrival));
        if !matches!(recorded, Ok(Ok(_))) {
            Spool::new(&home).push(&arrival).unwrap();
        }
        let IdempotencyKey(key) = arrival.event.key;
        report(&key.to_string());
    }
}

#[test]
fn child_hook() {
    write_for_ever(Purpose::Hook);
}

#[test]
fn child_command() {
    write_for_ever(Purpose::Command);
}
