//! The parts of a store, each with its own readers and writers: `store.memories().get(id)`, `store.sync_mut().mark_pushed(..)`.
//!
//! A reader borrows the store, a writer borrows it exclusively: the holder of a `&Store` can only read. Not here: opening and
//! transactions (`open`).

use crate::Store;

/// Declares the types that borrow a store for one part of it, and the methods that return them.
macro_rules! facets {
    ($($doc:literal: $read:ident -> $Reader:ident $(, $write:ident -> $Writer:ident)?;)*) => {
        $(
            #[doc = concat!("Reads ", $doc, ".")]
            #[derive(Debug)]
            pub struct $Reader<'s> {
                pub(crate) store: &'s Store,
            }

            $(
                #[doc = concat!("Writes ", $doc, ".")]
                #[derive(Debug)]
                pub struct $Writer<'s> {
                    pub(crate) store: &'s mut Store,
                }
            )?
        )*

        impl Store {
            $(
                #[doc = concat!("Borrows the store to read ", $doc, ".")]
                #[must_use]
                pub fn $read(&self) -> $Reader<'_> {
                    $Reader { store: self }
                }

                $(
                    #[doc = concat!("Borrows the store to write ", $doc, ".")]
                    #[must_use]
                    pub fn $write(&mut self) -> $Writer<'_> {
                        $Writer { store: self }
                    }
                )?
            )*
        }
    };
}

facets! {
    "memories: their text, revisions, links, evidence": memories -> MemoryReader, memories_mut -> MemoryWriter;
    "queries over memories": search -> SearchReader;
    "what writers turned down": rejections -> RejectionReader, rejections_mut -> RejectionWriter;
    "captured events": events -> EventReader, events_mut -> EventWriter;
    "sessions of hosts": sessions -> SessionReader, sessions_mut -> SessionWriter;
    "projects": projects -> ProjectReader, projects_mut -> ProjectWriter;
    "the code map, its changes, and where memories are anchored in it": code -> CodeReader, code_mut -> CodeWriter;
    "injections, impressions, uses, and receipts of hook runs": injections -> InjectionReader, injections_mut -> InjectionWriter;
    "how far imports have read": imports -> ImportReader, imports_mut -> ImportWriter;
    "work of the background writer and what its calls cost": jobs -> JobReader, jobs_mut -> JobWriter;
    "teams, shared projects, outbox and inbox": sync -> SyncReader, sync_mut -> SyncWriter;
    "which memories wait for vectors": vectors -> VectorReader, vectors_mut -> VectorWriter;
    "checks, status, backups, housekeeping": upkeep -> UpkeepReader, upkeep_mut -> UpkeepWriter;
    "lists and totals for a person who looks around": browse -> BrowseReader;
}
