//! Importing other programs' memories into a real store: once, however often they are read.

use crate::fixtures::{NOW, database, import_everything, machine};
use crate::{claude_mem, claude_mem_lite, engram, lore, open_mem};
use backstory_capture::{Redactor, RedactorOptions};
use backstory_exchange::{ImportSource, MemoryImportReport, SearchPaths, SourceInstance, import_memories};
use backstory_memory::{Kind, Memory, Provenance, Standing};
use backstory_store::{Home, Purpose, Store};
use std::path::Path;

/// Makes a machine on which every program was used.
fn machine_with_all(home: &Path) -> SearchPaths {
    let at = |path: &str| home.join(path);
    database(&at(".claude-mem/claude-mem.db"), &[claude_mem::SCHEMA_13, claude_mem::OBSERVED]);
    database(&at(".claude-mem-lite/claude-mem-lite.db"), &[claude_mem_lite::SDSRSS_49]);
    database(&at("shop/.open-mem/memory.db"), &[open_mem::SCHEMA_1, open_mem::SCHEMA_10]);
    database(&at(".engram/engram.db"), &[engram::EARLY, engram::LATER]);
    lore::lore(&at(".local/share/lore"));
    let mut search = machine(home);
    search.projects = vec![at("shop")];
    search
}

fn import(store: &mut Store, instance: &SourceInstance) -> MemoryImportReport {
    let redactor = Redactor::new(RedactorOptions::default());
    import_memories(store, instance, &import_everything(&redactor)).unwrap()
}

fn all_memories(store: &Store) -> Vec<Memory> {
    let mut memories = Vec::new();
    store.memories().for_each(|memory| memories.push(memory)).unwrap();
    memories
}

#[test]
fn importing_again_adds_nothing() {
    let home = tempfile::tempdir().unwrap();
    let search = machine_with_all(home.path());
    let mut store = Store::open(&Home::new(home.path().join("backstory")), Purpose::Command, NOW).unwrap();
    let instances: Vec<SourceInstance> =
        ImportSource::ALL.into_iter().flat_map(|source| source.locate(&search)).collect();
    let sources = [
        ImportSource::ClaudeMem,
        ImportSource::ClaudeMemLite,
        ImportSource::OpenMem,
        ImportSource::Lore,
        ImportSource::Engram,
    ];
    for source in sources {
        assert!(instances.iter().any(|instance| instance.source == source), "{source}");
    }
    for instance in &instances {
        let report = import(&mut store, instance);
        assert!(report.unreadable.is_none() && !report.memories.is_empty(), "{instance:?} {report:?}");
    }
    let before = all_memories(&store);
    for instance in &instances {
        assert!(import(&mut store, instance).is_unchanged);
        let touched = SourceInstance { fingerprint: "another".to_owned(), ..instance.clone() };
        let report = import(&mut store, &touched);
        assert!(report.memories.is_empty() && !report.is_unchanged, "{instance:?} {report:?}");
    }
    assert_eq!(all_memories(&store), before);
}

#[test]
fn a_memory_replaced_at_the_source_is_replaced_here() {
    let home = tempfile::tempdir().unwrap();
    let search = machine_with_all(home.path());
    for source in
        [ImportSource::ClaudeMemLite, ImportSource::OpenMem, ImportSource::Lore, ImportSource::Engram]
    {
        let own = Home::new(home.path().join(source.as_str()));
        let mut store = Store::open(&own, Purpose::Command, NOW).unwrap();
        for instance in source.locate(&search) {
            import(&mut store, &instance);
        }
        let memories = all_memories(&store);
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
fn a_source_can_be_named_by_its_file_or_its_folder() {
    let home = tempfile::tempdir().unwrap();
    machine_with_all(home.path());
    let at = |source: ImportSource, path: &str| source.at(&home.path().join(path));
    for (source, folder, file) in [
        (ImportSource::ClaudeMem, ".claude-mem", ".claude-mem/claude-mem.db"),
        (ImportSource::ClaudeMemLite, ".claude-mem-lite", ".claude-mem-lite/claude-mem-lite.db"),
        (ImportSource::OpenMem, "shop", "shop/.open-mem/memory.db"),
        (ImportSource::OpenMem, "shop/.open-mem", "shop/.open-mem/memory.db"),
        (ImportSource::Engram, ".engram", ".engram/engram.db"),
    ] {
        let instance = at(source, folder).unwrap();
        assert_eq!(instance.path, home.path().join(file));
        assert_eq!(at(source, file), Some(instance));
        assert_eq!(at(source, "nowhere"), None);
    }
    let lore = at(ImportSource::Lore, ".local/share/lore").unwrap();
    assert_eq!(ImportSource::Lore.locate(&machine(home.path())), [lore]);
}
