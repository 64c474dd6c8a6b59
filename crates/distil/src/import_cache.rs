//! A negative cache for imports: no stored memory can match this finding. That holds for nearly everything an import finds.
//!
//! Which memories are closest to a finding the word index knows, and to ask it takes milliseconds in a store of some size. Here every
//! memory is held by what a finding must share with it to say the same or the opposite: a word of its title, or a sketch of all its words. Where
//! nothing is shared the index need not be searched; where something is, the index decides. So the same is found with it and without.
//!
//! Not here: what is shared (`assertion`), what is made of it (`reconcile`).

use super::assertion::Assertion;
use super::finding::{Comparing, SafeFinding};
use backstory_capture::whole_text;
use backstory_memory::{Kind, Memory, MemoryId, MemoryScope, NEAR_DUPLICATE, ProjectId, WordSketch};
use backstory_store::{Store, StoreError};
use std::collections::{HashMap, HashSet};

/// To read so many memories costs as much as to ask the index once: before, they are not worth reading.
const MEMORIES_A_QUESTION: u64 = 200;

/// Two assertions on one thing share at least so many words.
const FEWEST_SHARED: usize = 2;

/// What is known, for who distils one session after the other in a store nobody else changes much.
#[derive(Debug, Default)]
pub struct ImportCache {
    /// How often it would have been useful.
    wanted: u64,
    /// What is known, once it was worth reading.
    known: Option<CachedMemories>,
}

#[derive(Debug, Default)]
struct CachedMemories {
    /// What the store said of others' changes when it was read.
    others: i64,
    /// By project; what holds everywhere stands under none.
    places: HashMap<Option<ProjectId>, CachedProject>,
}

#[derive(Debug, Default)]
struct CachedProject {
    sketches: Vec<(Kind, WordSketch)>,
    topics: HashSet<String>,
}

impl ImportCache {
    /// Forgets everything where others have changed the store since it was read.
    pub(super) fn invalidate_if_changed(&mut self, store: &Store) -> Result<(), StoreError> {
        if let Some(known) = &self.known
            && known.others != store.browse().data_version()?
        {
            *self = ImportCache::default();
        }
        Ok(())
    }

    /// Whether no memory within reach of a project can say the same as a finding, or the opposite.
    pub(super) fn is_unmatched(
        &mut self,
        store: &Store,
        project: ProjectId,
        finding: &SafeFinding,
    ) -> Result<bool, StoreError> {
        self.read_where_it_pays(store)?;
        Ok(self.known.as_ref().is_some_and(|known| !known.may_hold(project, finding)))
    }

    fn read_where_it_pays(&mut self, store: &Store) -> Result<(), StoreError> {
        if self.known.is_some() {
            return Ok(());
        }
        self.wanted += 1;
        if self.wanted * MEMORIES_A_QUESTION < store.memories().count()? {
            return Ok(());
        }
        match CachedMemories::read(store) {
            Ok(known) => self.known = Some(known),
            // Of a row that is damaged nobody knows what it says: the index is searched as ever.
            Err(StoreError::BadRow { .. }) => self.wanted = 0,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Takes note of what was written. What it says no longer may stay: it only makes the index be searched in vain.
    pub(super) fn add_written(&mut self, store: &Store, id: MemoryId) -> Result<(), StoreError> {
        if let Some(known) = &mut self.known
            && let Some(memory) = store.memories().get(id)?
        {
            known.add(&memory);
        }
        Ok(())
    }
}

impl CachedMemories {
    fn read(store: &Store) -> Result<CachedMemories, StoreError> {
        let mut known = CachedMemories { others: store.browse().data_version()?, places: HashMap::new() };
        store.memories().for_each(|memory| known.add(&memory))?;
        Ok(known)
    }

    fn add(&mut self, memory: &Memory) {
        let content = &memory.content;
        let place = match content.scope {
            MemoryScope::Project => Some(memory.project),
            MemoryScope::User => None,
        };
        let place = self.places.entry(place).or_default();
        place.sketches.push((content.kind, WordSketch::from_text(&whole_text(content))));
        if content.kind.traits().is_stated {
            place.topics.extend(Assertion::read(&content.title).topic_words().cloned());
        }
    }

    fn may_hold(&self, project: ProjectId, finding: &SafeFinding) -> bool {
        let sketch = WordSketch::from_text(&whole_text(&finding.content));
        let stated = Kind::with(|kind| kind.is_stated);
        let (kinds, said) = match &finding.comparing {
            Comparing::Assertion(sentence) => {
                let said = Assertion::read(sentence);
                // What is put right may share nothing but its old value: the index finds it by that.
                if said.replaces_value() {
                    return true;
                }
                (stated.as_slice(), said.topic_words().cloned().collect())
            }
            // What was not chosen may be in force, and shares nothing with what was.
            Comparing::Choice { .. } => return true,
            Comparing::Words | Comparing::Not => (std::slice::from_ref(&finding.content.kind), Vec::new()),
        };
        let is_like = |(kind, known): &(Kind, WordSketch)| {
            kinds.contains(kind) && known.may_be_alike(&sketch, NEAR_DUPLICATE)
        };
        let holds = |place: &CachedProject| {
            let shared = said.iter().filter(|word| place.topics.contains(*word)).count();
            shared >= FEWEST_SHARED.min(said.len().max(1)) || place.sketches.iter().any(is_like)
        };
        [Some(project), None].iter().filter_map(|place| self.places.get(place)).any(holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::distilled;
    use backstory_memory::{Digest, Provenance, Redacted, Timestamp};
    use backstory_store::{Home, MemoryOrigin, NewMemory, OnRepeat, Purpose};

    fn finding(said: &str) -> SafeFinding {
        SafeFinding {
            subject: Digest([0; 16]),
            content: Redacted::vouch(distilled(Kind::Rule, said, said, Provenance::Import)),
            events: Vec::new(),
            at: Timestamp(0),
            again: OnRepeat::Reinforce,
            comparing: Comparing::Assertion(said.to_owned()),
            evidence: backstory_memory::EvidenceKind::Words,
            relates_to: Vec::new(),
        }
    }

    #[test]
    fn a_finding_is_new_only_where_nothing_in_scope_shares_its_words() {
        let dir = tempfile::tempdir().unwrap();
        let mut store =
            Store::open(&Home::new(dir.path().join("home")), Purpose::Command, Timestamp(0)).unwrap();
        let project_ref = |name: &str| backstory_memory::ProjectRef {
            keys: vec![backstory_memory::ProjectKey::Named(name.to_owned())],
            name: name.to_owned(),
            root: String::new(),
            parent: None,
        };
        let [here, there] = ["here", "there"].map(|name| {
            store.projects_mut().find_or_create(&Redacted::vouch(project_ref(name)), Timestamp(0)).unwrap()
        });
        for (project, said, scope) in [
            (here, "Remember that the staging host is heron.", MemoryScope::Project),
            (there, "We use Node 18.12 for all our services.", MemoryScope::Project),
            (there, "Never squash commits when merging.", MemoryScope::User),
        ] {
            let content = backstory_memory::Content { scope, ..finding(said).content.into_inner() };
            let origin = MemoryOrigin::default();
            store
                .memories_mut()
                .remember(&NewMemory {
                    uid: None,
                    project,
                    origin,
                    content: Redacted::vouch(content),
                    created_at: Timestamp(0),
                })
                .unwrap();
        }
        let mut cache = ImportCache::default();
        let mut is_unmatched = |said| cache.is_unmatched(&store, here, &finding(said)).unwrap();
        assert!(is_unmatched("We always rebase before merging."));
        assert!(is_unmatched("We use Node 18.20 for all our services."), "that is of another project");
        assert!(!is_unmatched("Remember that the staging host is egret."));
        assert!(!is_unmatched("Always squash commits when merging from now on."), "that holds everywhere");
        assert!(!is_unmatched("Run pytest instead of unittest."), "its old value may stand anywhere");
    }
}
