//! Other programs' memories, taken into a real store: once, however often they are read.

use crate::reading::{database, machine};
use crate::{claude_mem, claude_mem_lite, engram, lore, open_mem};
use backstory_capture::{Redactor, RedactorOptions};
use backstory_exchange::{Find, FindReport, Source, Taking, Whereabouts, take_find};
use backstory_memory::{Kind, Memory, Provenance, Standing, Timestamp};
use backstory_store::{Home, Purpose, Store};
use std::path::Path;

const NOW: Timestamp = Timestamp(1_790_000_000_000);

/// A machine on which all of them were at work.
fn busy(home: &Path) -> Whereabouts {
    let at = |path: &str| home.join(path);
    database(&at(".claude-mem/claude-mem.db"), &[claude_mem::SCHEMA_13, claude_mem::OBSERVED]);
    database(&at(".claude-mem-lite/claude-mem-lite.db"), &[claude_mem_lite::SDSRSS_49]);
    database(&at("shop/.open-mem/memory.db"), &[open_mem::SCHEMA_1, open_mem::SCHEMA_10]);
    database(&at(".engram/engram.db"), &[engram::EARLY, engram::LATER]);
    lore::lore(&at(".local/share/lore"));
    let mut around = machine(home);
    around.projects = vec![at("shop")];
    around
}

fn take(store: &mut Store, find: &Find) -> FindReport {
    let redactor = Redactor::new(RedactorOptions::default());
    let taking = Taking {
        redactor: &redactor,
        most_event_bytes: 16 << 10,
        now: NOW,
        since: None,
        only: None,
        leaves_out: &|_| false,
        leaves_out_name: &|_| false,
        is_our_prompt: |_| false,
    };
    take_find(store, find, &taking).unwrap()
}

fn all(store: &Store) -> Vec<Memory> {
    let mut memories = Vec::new();
    store.each_memory(|memory| memories.push(memory)).unwrap();
    memories
}

#[test]
fn reading_everything_again_adds_nothing() {
    let home = tempfile::tempdir().unwrap();
    let around = busy(home.path());
    let mut store = Store::open(&Home::at(home.path().join("backstory")), Purpose::Command, NOW).unwrap();
    let finds: Vec<Find> = Source::ALL.into_iter().flat_map(|source| source.find(&around)).collect();
    let sources = [Source::ClaudeMem, Source::ClaudeMemLite, Source::OpenMem, Source::Lore, Source::Engram];
    for source in sources {
        assert!(finds.iter().any(|find| find.source == source), "{source}");
    }
    for find in &finds {
        let report = take(&mut store, find);
        assert!(report.unreadable.is_none() && !report.memories.is_empty(), "{find:?} {report:?}");
    }
    let before = all(&store);
    for find in &finds {
        assert!(take(&mut store, find).is_unchanged);
        let touched = Find { stamp: "another".to_owned(), ..find.clone() };
        let report = take(&mut store, &touched);
        assert!(report.memories.is_empty() && !report.is_unchanged, "{find:?} {report:?}");
    }
    assert_eq!(all(&store), before);
}

#[test]
fn what_was_replaced_there_is_replaced_here() {
    let home = tempfile::tempdir().unwrap();
    let around = busy(home.path());
    for source in [Source::ClaudeMemLite, Source::OpenMem, Source::Lore, Source::Engram] {
        let own = Home::at(home.path().join(source.as_str()));
        let mut store = Store::open(&own, Purpose::Command, NOW).unwrap();
        for find in source.find(&around) {
            take(&mut store, &find);
        }
        let memories = all(&store);
        let titled = |title: &str| memories.iter().find(|memory| memory.content.title == title).unwrap();
        let (floats, cents) = (titled("Prices are floats"), titled("Prices are cents"));
        assert_eq!(floats.standing, Standing::Superseded(cents.id), "{source}");
        assert_eq!(cents.standing, Standing::Confirmed, "{source}");
        assert!(cents.created_at > floats.created_at && cents.created_at < NOW);
        let no_more = memories.iter().all(|memory| memory.content.provenance <= Provenance::Import);
        assert!(no_more, "an import is trusted no more than an import");
        assert_eq!(cents.content.kind, Kind::Decision);
    }
}

#[test]
fn somebody_may_point_at_a_file_or_at_its_folder() {
    let home = tempfile::tempdir().unwrap();
    busy(home.path());
    let at = |source: Source, path: &str| source.at(&home.path().join(path));
    for (source, folder, file) in [
        (Source::ClaudeMem, ".claude-mem", ".claude-mem/claude-mem.db"),
        (Source::ClaudeMemLite, ".claude-mem-lite", ".claude-mem-lite/claude-mem-lite.db"),
        (Source::OpenMem, "shop", "shop/.open-mem/memory.db"),
        (Source::OpenMem, "shop/.open-mem", "shop/.open-mem/memory.db"),
        (Source::Engram, ".engram", ".engram/engram.db"),
    ] {
        let find = at(source, folder).unwrap();
        assert_eq!(find.path, home.path().join(file));
        assert_eq!(at(source, file), Some(find));
        assert_eq!(at(source, "nowhere"), None);
    }
    let lore = at(Source::Lore, ".local/share/lore").unwrap();
    assert_eq!(Source::Lore.find(&machine(home.path())), [lore]);
}
