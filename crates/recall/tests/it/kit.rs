//! A store in a temporary directory, and short ways to fill and ask it.

use backstory_embed::{Encoder, MiniLm, VectorRow, VectorWriter, model_name};
use backstory_memory::{Content, Kind, MemoryId, ProjectId, ProjectKey, ProjectRef, Redacted, Timestamp};
use backstory_recall::{
    Hit, RankingWeights, SearchQuery, SearchResults, Searcher, SemanticIndex, Synonyms, VectorCache,
};
use backstory_store::{Filter, Home, MemoryOrigin, NewMemory, Purpose, Scope, Store};
use std::path::PathBuf;
use tempfile::TempDir;

/// The time every question is asked at, unless a test says otherwise.
pub(crate) const NOW: Timestamp = Timestamp(1_790_000_000_000);
pub(crate) const DAY: i64 = 86_400_000;

/// A store of its own with one project.
pub(crate) struct RecallWorld {
    dir: TempDir,
    pub(crate) store: Store,
    pub(crate) project: ProjectId,
}

impl RecallWorld {
    pub(crate) fn new() -> RecallWorld {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(&Home::new(dir.path().join("home")), Purpose::Command, NOW).unwrap();
        let project = project(&mut store, "one");
        RecallWorld { dir, store, project }
    }

    /// Writes a memory of some days ago.
    pub(crate) fn write(&mut self, content: Content, days_ago: i64) -> MemoryId {
        let (project, origin) = (self.project, MemoryOrigin::default());
        let created_at = NOW.plus_ms(-days_ago * DAY);
        self.store
            .memories_mut()
            .remember(&NewMemory {
                uid: None,
                project,
                origin,
                content: Redacted::vouch(content),
                created_at,
            })
            .unwrap()
    }

    /// Writes a note of today whose title is all it says.
    pub(crate) fn note(&mut self, text: &str) -> MemoryId {
        self.write(Content::new(Kind::Note, text, text), 0)
    }

    /// Makes the vectors of everything that is in the store.
    pub(crate) fn meaning(&self) -> SemanticIndex {
        SemanticIndex::open(&self.make_vectors(), &VectorCache::default()).unwrap()
    }

    /// The same; returns the file.
    pub(crate) fn make_vectors(&self) -> PathBuf {
        let path = self.dir.path().join("vectors");
        let model = MiniLm::load();
        let mut writer = VectorWriter::rebuild(&path, model_name()).unwrap();
        for id in self.store.search().list(&Filter { limit: u32::MAX, ..self.within() }).unwrap() {
            let memory = self.store.memories().get(id).unwrap().unwrap();
            for vector in model.encode(&memory.content.body) {
                let vector = vector.quantise();
                writer
                    .append(&[VectorRow { memory: id.0, project: memory.project.0, vector: &vector }])
                    .unwrap();
            }
        }
        writer.finish().unwrap();
        path
    }

    pub(crate) fn within(&self) -> Filter {
        Filter::within(Scope::Project(self.project))
    }

    /// Asks by words alone, as someone who searches.
    pub(crate) fn ask(&self, text: &str) -> SearchResults {
        self.ask_with(text, &RankingWeights::SEARCH, None)
    }

    pub(crate) fn ask_with(
        &self,
        text: &str,
        weights: &RankingWeights,
        meaning: Option<&SemanticIndex>,
    ) -> SearchResults {
        let synonyms = Synonyms::built_in();
        let searcher = Searcher::new(&self.store, weights).with_meaning(meaning).with_synonyms(&synonyms);
        searcher.search(&SearchQuery::new(text, NOW), &self.within()).unwrap()
    }
}

pub(crate) fn project(store: &mut Store, name: &str) -> ProjectId {
    let keys = vec![ProjectKey::Named(name.to_owned())];
    let project_ref = ProjectRef { keys, name: name.to_owned(), root: format!("/{name}"), parent: None };
    store.projects_mut().find_or_create(&Redacted::vouch(project_ref), NOW).unwrap()
}

pub(crate) fn ids(answer: &SearchResults) -> Vec<MemoryId> {
    answer.hits.iter().map(|hit| hit.memory.id).collect()
}

pub(crate) fn hit(answer: &SearchResults, id: MemoryId) -> &Hit {
    answer.hits.iter().find(|hit| hit.memory.id == id).unwrap()
}
