//! Imports what are memories already: other programs', git's, memory files'.
//!
//! Each is named by its source, so that reading it again adds nothing; what was forgotten stays forgotten; what is known word for
//! word is not stored twice. Not here: how a source reads (`sources`), and how a memory is written (`importer`).

use super::importer::{Admission, DuplicateRule, Importer, ImporterReport, PreparedMemory, mark_done};
use super::options::{EXCLUDED, ImportOptions, SkipCounts};
use super::project_resolver::ProjectResolver;
use crate::imported::{ImportItem, ImportedMemory, ImportedSession};
use crate::sources::{ImportSource, SourceInstance, UnreadableSource, reason};
use backstory_capture::{Redactor, prepare, prepare_attachments};
use backstory_memory::{
    Content, FIRST_MOMENT, Memory, MemoryId, Provenance, Relation, Timestamp, Uid, cap, digest,
};
use backstory_store::{Attachments, Filter, ImportProgress, MemoryLinks, Scope, Store, StoreError};
use std::collections::HashMap;

/// More sections of one file are not compared.
const MOST_SECTIONS: u32 = 500;
/// Longer names of sessions are cut.
const MAX_NAME_BYTES: usize = 256;

/// What came of one source instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryImportReport {
    /// Whether it has not changed since it was last read.
    pub is_unchanged: bool,
    /// Why it could not be read at all.
    pub unreadable: Option<String>,
    /// How many memories were here already, by name or word for word.
    pub known: u64,
    /// How many memories were forgotten on purpose and stay out.
    pub forgotten: u64,
    /// What was skipped, and why.
    pub skipped: SkipCounts,
    /// The memories that are new.
    pub memories: Vec<MemoryId>,
}

/// Imports the memories of a source instance.
pub fn import_memories(
    store: &mut Store,
    instance: &SourceInstance,
    options: &ImportOptions<'_>,
) -> Result<MemoryImportReport, StoreError> {
    let state = state_of(instance, options.redactor);
    let before = store.imports().progress(&state.source, &state.location)?;
    if before.is_some_and(|before| before.is_done && before.fingerprint == state.fingerprint) {
        return Ok(MemoryImportReport { is_unchanged: true, ..MemoryImportReport::default() });
    }
    let mut import = InstanceImport::new(instance, options);
    let mut failed = None;
    let read = instance.read(&mut |item| {
        if failed.is_none() {
            failed = import.take(store, item).err();
        }
    });
    failed.map_or(Ok(()), Err)?;
    let report = import.finish(store)?;
    match read {
        // What was skipped now may be wanted by the next import, so the instance is not marked as done.
        Ok(()) if options.is_partial() || report.skipped.contains_key(EXCLUDED) => Ok(report),
        Ok(()) => mark_done(store, state, options.now).map(|()| report),
        Err(UnreadableSource(why)) => Ok(MemoryImportReport { unreadable: Some(why), ..report }),
    }
}

fn state_of(instance: &SourceInstance, redactor: &Redactor) -> ImportProgress {
    let location = redactor.scrub(&instance.path.to_string_lossy());
    let (source, fingerprint) = (instance.source.as_str().to_owned(), instance.fingerprint.clone());
    ImportProgress { source, location, fingerprint, imported: 0, is_done: false }
}

/// The import of one source instance.
struct InstanceImport<'a> {
    instance: &'a SourceInstance,
    options: &'a ImportOptions<'a>,
    importer: Importer<'a>,
    /// The uids of memories by the names their source has for them.
    uids: HashMap<String, Uid>,
    /// Links to names, resolved when all are known.
    named_links: Vec<(Uid, Relation, String)>,
    skipped: SkipCounts,
}

impl<'a> InstanceImport<'a> {
    fn new(instance: &'a SourceInstance, options: &'a ImportOptions<'a>) -> InstanceImport<'a> {
        InstanceImport {
            instance,
            options,
            importer: Importer::new(ProjectResolver::filtered(options), DuplicateRule::SameContent),
            uids: HashMap::new(),
            named_links: Vec::new(),
            skipped: SkipCounts::new(),
        }
    }

    fn take(&mut self, store: &mut Store, item: ImportItem) -> Result<(), StoreError> {
        match item {
            ImportItem::Skipped(why) => self.skip(why),
            ImportItem::Memory(memory) if memory.created_at < FIRST_MOMENT => {
                self.skip(reason::IMPOSSIBLE_TIME);
            }
            ImportItem::Memory(memory) if self.options.is_too_old(memory.created_at) => self.skip("too old"),
            ImportItem::Memory(memory) => self.add(store, *memory)?,
        }
        Ok(())
    }

    fn skip(&mut self, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
    }

    fn add(&mut self, store: &mut Store, memory: ImportedMemory) -> Result<(), StoreError> {
        let uid = uid_for(self.instance, &memory.name, memory.created_at);
        let names = [(Relation::Supersedes, &memory.replaces), (Relation::Relates, &memory.relates)];
        let links =
            names.into_iter().flat_map(|(relation, names)| names.iter().map(move |name| (relation, name)));
        let links: Vec<_> = links.map(|(relation, name)| (uid.clone(), relation, name.clone())).collect();
        let name = memory.name.clone();
        let prepared = self.prepare(uid.clone(), memory);
        if prepared.content.title.is_empty() {
            self.skip("nothing said");
            return Ok(());
        }
        match self.importer.add(store, prepared)? {
            Admission::ProjectExcluded => self.skip(EXCLUDED),
            Admission::Accepted => {
                self.uids.insert(name, uid);
                self.named_links.extend(links);
            }
        }
        Ok(())
    }

    fn prepare(&self, uid: Uid, memory: ImportedMemory) -> PreparedMemory {
        let redactor = self.options.redactor;
        // Whatever the source says, it is believed no more than an import.
        let provenance = memory.content.provenance.clone().min(Provenance::Import);
        let safe = |text: &str| cap(redactor.scrub(text).as_str(), MAX_NAME_BYTES).text;
        let session = memory
            .session
            .map(|ImportedSession { host, name }| ImportedSession { host: safe(&host), name: safe(&name) });
        PreparedMemory {
            links: MemoryLinks { uid: uid.clone(), superseded_by: None, links: Vec::new() },
            uid,
            project: memory.project,
            session,
            // A time in the future comes from a clock that ran ahead.
            created_at: memory.created_at.min(self.options.now),
            content: prepare(Content { provenance, ..memory.content }, redactor),
            history: memory.history,
            evidence: memory.evidence,
            standing: None,
            attachments: prepare_attachments(Attachments::default(), redactor),
        }
    }

    fn finish(self, store: &mut Store) -> Result<MemoryImportReport, StoreError> {
        let resolve = |(uid, relation, name): (Uid, Relation, String)| {
            let to = self.uids.get(&name)?.clone();
            Some(MemoryLinks { uid, superseded_by: None, links: vec![(relation, to)] })
        };
        let links = self.named_links.into_iter().filter_map(resolve).collect();
        let report = self.importer.finish(store, links)?;
        if self.instance.source == ImportSource::Markdown {
            retire_removed_sections(store, &report)?;
        }
        Ok(MemoryImportReport {
            known: report.known.len() as u64,
            forgotten: report.forgotten,
            skipped: self.skipped,
            memories: report.written,
            ..MemoryImportReport::default()
        })
    }
}

/// Supersedes what a rules file no longer says by what it says now.
fn retire_removed_sections(store: &mut Store, report: &ImporterReport) -> Result<(), StoreError> {
    let mut current = store.memories().get_many(&report.known)?;
    current.extend(store.memories().get_many(&report.written)?);
    let is_rule = |memory: &Memory| memory.content.is_of_rules_file();
    // All current sections count, not only new ones: the import before may have been killed between writing and retiring.
    let Some(newest) = current.iter().filter(|memory| is_rule(memory)).max_by_key(|memory| memory.id.0)
    else {
        return Ok(());
    };
    let filter = Filter { limit: MOST_SECTIONS, ..Filter::within(Scope::Project(newest.project)) };
    let about = store.search().about_files(&newest.content.files, &filter)?;
    for stored in store.memories().get_many(&about)? {
        let is_current = current.iter().any(|memory| memory.id == stored.id);
        if is_rule(&stored) && stored.content.files == newest.content.files && !is_current {
            store.memories_mut().mark_superseded(stored.id, newest.id, newest.created_at)?;
        }
    }
    Ok(())
}

/// Returns the uid of a memory: by what its source calls it and when it was written.
fn uid_for(instance: &SourceInstance, name: &str, created_at: Timestamp) -> Uid {
    // A commit has the same name in every clone. A section of a file, or a pair of files (its name has spaces), belongs to one folder.
    let place = match instance.source {
        ImportSource::Markdown => instance.path.as_os_str().as_encoded_bytes(),
        ImportSource::Git if name.contains(' ') => instance.path.as_os_str().as_encoded_bytes(),
        // What a repository carries cannot be another's memory, whatever it is called.
        _ => instance.carrier.as_ref().map_or(b"".as_slice(), |root| root.as_os_str().as_encoded_bytes()),
    };
    let source = instance.source.as_str().as_bytes();
    let name = digest([source, name.as_bytes(), place, &created_at.0.to_le_bytes()]);
    // A uid has room for ten of the sixteen bytes.
    let [random @ .., _, _, _, _, _, _] = name.0;
    Uid::from_parts(created_at.0, random)
}
