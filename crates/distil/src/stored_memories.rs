//! What memories that did not come from events do to the others: those a person or an agent wrote, imported and pulled ones.
//!
//! The store knows which were not compared yet, so that none is missed, whoever wrote it and whatever was interrupted. Of two that
//! say otherwise the later one replaces the earlier one if it has the last word; else both stand, and a link says so. What a team
//! shares is never replaced here: its members do that themselves. Not here: who has the last word (`reconcile`).

use crate::assertion::{Agreement, Assertion};
use crate::reconcile::{assertion_of, closest, has_last_word, is_one_thing};
use backstory_capture::{Redactor, whole_text};
use backstory_memory::{
    EvidenceKind, Kind, Memory, MemoryId, ProjectId, Provenance, Redacted, Standing, StandingReason,
    Timestamp, is_stop_word, jaccard, words,
};
use backstory_store::{Filter, ReconciledMemory, Scope, Store, StoreError};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// So many are compared at once; what is left is compared the next time.
const MOST_AT_ONCE: u32 = 20_000;
/// For so few the word index is asked; for more it is cheaper to read every memory of their projects once.
const FEW: usize = 16;
/// How many of the closest by words are looked at.
const COMPARED: usize = 12;
/// Two assertions on one thing share at least so many words.
const FEWEST_SHARED: usize = 2;
/// So many are written in one transaction: hooks wait for it.
const BATCH: usize = 250;

/// Compares every memory that was not compared since it was written with the others. Returns which were replaced.
pub fn reconcile_stored(
    store: &mut Store,
    redactor: &Redactor,
    now: Timestamp,
) -> Result<Vec<MemoryId>, StoreError> {
    let kinds = Kind::with(|kind| kind.is_stated);
    let ids = store.memories().unreconciled(&kinds, MOST_AT_ONCE)?;
    let mut comparison = Comparison { is_bulk: ids.len() > FEW, ..Comparison::default() };
    let mut replaced = Vec::new();
    for batch in ids.chunks(BATCH) {
        let mut reconciled = Vec::new();
        for memory in store.memories().get_many(batch)? {
            reconciled.push(comparison.reconciled(store, &memory, redactor)?);
        }
        store.memories_mut().write_reconciled(&reconciled, now)?;
        replaced.extend(reconciled.iter().flat_map(|memory| &memory.replaced).map(|(old, _)| *old));
    }
    Ok(replaced)
}

/// What a sentence asserts, as it is stored. Without one, or where redaction leaves nothing that can be read, the title is read each
/// time something is compared with it.
pub(super) fn stored_form(said: Option<&str>, redactor: &Redactor) -> Redacted<String> {
    let read = said.map(|said| redactor.scrub(&Assertion::read(&redactor.scrub(said)).to_json()));
    read.filter(|read| Assertion::from_json(read).is_some()).unwrap_or_else(|| redactor.scrub("{}"))
}

/// The comparison of some memories with all others.
#[derive(Default)]
struct Comparison {
    is_bulk: bool,
    topics: HashMap<ProjectId, Topics>,
    /// What was replaced on the way says nothing any more.
    replaced: HashSet<MemoryId>,
}

impl Comparison {
    fn reconciled(
        &mut self,
        store: &Store,
        memory: &Memory,
        redactor: &Redactor,
    ) -> Result<ReconciledMemory, StoreError> {
        let said = Assertion::read(&memory.content.title);
        let assertion = stored_form(Some(&memory.content.title), redactor);
        let mut found = ReconciledMemory::compared(memory.id, assertion);
        if self.replaced.contains(&memory.id) || !asserts(memory) {
            return Ok(found);
        }
        for (known, known_said) in self.known(store, memory, &said)? {
            if known.id == memory.id || self.replaced.contains(&known.id) || !asserts(&known) {
                continue;
            }
            let is_later = (memory.updated_at, memory.id.0) > (known.updated_at, known.id.0);
            let (newer, older) = if is_later { (memory, &known) } else { (&known, memory) };
            let alike = jaccard(&whole_text(&known.content), &whole_text(&memory.content));
            let (newer_said, older_said) = if is_later { (&said, &known_said) } else { (&known_said, &said) };
            let agreement = newer_said.compared_with(older_said, alike);
            let is_said =
                newer_said.is_explicit() || !names_another(&memory.content.title, &known.content.title);
            let agreement = if is_said { agreement } else { Agreement::Unrelated };
            let is_owned = store.memories().is_taken_over(older.id)?;
            match outcome(newer, older, agreement, is_owned) {
                Outcome::Stands => {}
                Outcome::Replaced => {
                    self.replaced.insert(older.id);
                    found.replaced.push((older.id, newer.id));
                }
                Outcome::Contradicts => found.contradicting.push(direction(newer, older)),
            }
        }
        Ok(found)
    }

    /// Returns what may say the same as a memory, or the opposite.
    fn known(
        &mut self,
        store: &Store,
        memory: &Memory,
        said: &Assertion,
    ) -> Result<Vec<(Memory, Assertion)>, StoreError> {
        if self.is_bulk {
            let topics = match self.topics.entry(memory.project) {
                Entry::Occupied(read) => read.into_mut(),
                Entry::Vacant(unread) => unread.insert(Topics::read(store, memory.project)?),
            };
            return Ok(topics.near(said));
        }
        let kinds = Kind::with(|kind| kind.is_stated);
        let filter = Filter { kinds, ..Filter::within(Scope::Project(memory.project)) };
        let known = closest(store, &filter, &memory.content, &memory.content.title)?;
        known.into_iter().map(|known| assertion_of(store, &known).map(|said| (known, said))).collect()
    }
}

/// Whether a memory says one thing that another may take back. Of what failed the numbers are of the day.
fn asserts(memory: &Memory) -> bool {
    is_one_thing(memory) && memory.content.details.is_none()
}

/// Whether two titles differ in what may name one of several things each: "Decision 7" takes nothing from "Decision 6", "Word8" nothing
/// from "Word7". "For 24 hours" gives a value, and "for 48 hours" another one.
fn names_another(one: &str, other: &str) -> bool {
    let (here, there) = (numbers_of(one), numbers_of(other));
    here.symmetric_difference(&there).any(|(_, is_value)| !is_value)
}

/// The words of a title with a digit in them, and whether each is a value: a number behind a word such as "for" and before what it counts.
fn numbers_of(title: &str) -> HashSet<(String, bool)> {
    let said: Vec<String> = words(title).collect();
    let introduces = |word: &String| is_stop_word(word) || BEFORE_VALUES.contains(&word.as_str());
    let is_value = |at: usize, word: &str| {
        let before = at.checked_sub(1).and_then(|before| said.get(before));
        let is_counting = said.get(at + 1).is_some_and(|behind| !is_stop_word(behind));
        let is_taken_back = before.is_some_and(|before| before == "not");
        word.bytes().all(|byte| byte.is_ascii_digit())
            && before.is_some_and(introduces)
            && (is_counting || is_taken_back)
    };
    let numbers = said.iter().enumerate().filter(|(_, word)| word.bytes().any(|byte| byte.is_ascii_digit()));
    numbers.map(|(at, word)| (word.clone(), is_value(at, word))).collect()
}

/// Words before a value that are no stop words.
const BEFORE_VALUES: &[&str] =
    &["after", "every", "exactly", "least", "most", "only", "over", "per", "under", "until", "within"];

/// What becomes of the older of two memories.
enum Outcome {
    Stands,
    Replaced,
    Contradicts,
}

/// `is_owned` says that a person wrote, revised or judged the older one, or imported it.
fn outcome(newer: &Memory, older: &Memory, agreement: Agreement, is_owned: bool) -> Outcome {
    let is_teams = |memory: &Memory| matches!(memory.content.provenance, Provenance::Team(_));
    let evidence = match newer.standing_reason {
        StandingReason::Structure => EvidenceKind::Structure,
        _ => EvidenceKind::Words,
    };
    // What waits for the user takes no place of what is in force.
    let is_in_force = newer.standing == Standing::Confirmed || older.standing == Standing::Proposed;
    let has_last_word = is_in_force
        && !is_teams(newer)
        && !is_teams(older)
        && (newer.content.provenance == Provenance::User || !is_owned)
        && has_last_word(&newer.content, evidence, older);
    let becomes_users =
        newer.content.provenance == Provenance::User && older.content.provenance != Provenance::User;
    match agreement {
        Agreement::Unrelated => Outcome::Stands,
        Agreement::Same if becomes_users && has_last_word => Outcome::Replaced,
        Agreement::Same => Outcome::Stands,
        Agreement::Opposite if has_last_word => Outcome::Replaced,
        Agreement::Opposite if is_teams(newer) && is_teams(older) => Outcome::Stands,
        Agreement::Opposite => Outcome::Contradicts,
    }
}

/// From the later one to the earlier one; from the user's own to a colleague's, so that no colleague's memory is pushed by us.
fn direction(newer: &Memory, older: &Memory) -> (MemoryId, MemoryId) {
    match newer.content.provenance {
        Provenance::Team(_) => (older.id, newer.id),
        _ => (newer.id, older.id),
    }
}

/// What the memories of a project are about.
struct Topics {
    memories: Vec<(Memory, Assertion)>,
    by_word: HashMap<String, Vec<usize>>,
}

impl Topics {
    fn read(store: &Store, project: ProjectId) -> Result<Topics, StoreError> {
        let kinds = Kind::with(|kind| kind.is_stated);
        let filter = Filter { kinds, limit: MOST_AT_ONCE, ..Filter::within(Scope::Project(project)) };
        let known = store.memories().get_many(&store.search().list(&filter)?)?;
        let read = |memory: Memory| (Assertion::read(&memory.content.title), memory);
        let mut topics = Topics { memories: Vec::new(), by_word: HashMap::new() };
        for (said, memory) in known.into_iter().filter(asserts).map(read) {
            for word in said.all_words() {
                topics.by_word.entry(word.clone()).or_default().push(topics.memories.len());
            }
            topics.memories.push((memory, said));
        }
        Ok(topics)
    }

    /// Returns those that share most words with an assertion. What takes a value back may share nothing else.
    fn near(&self, said: &Assertion) -> Vec<(Memory, Assertion)> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        let holders = said.all_words().filter_map(|word| self.by_word.get(word));
        for at in holders.flatten() {
            *shared.entry(*at).or_default() += 1;
        }
        let least = if said.replaces_value() { 1 } else { FEWEST_SHARED.min(said.topic_words().count()) };
        let mut near: Vec<(usize, usize)> = shared.into_iter().filter(|(_, count)| *count >= least).collect();
        near.sort_unstable_by_key(|(at, count)| (std::cmp::Reverse(*count), *at));
        near.iter().take(COMPARED).filter_map(|(at, _)| self.memories.get(*at).cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_names_a_thing_is_no_value() {
        for (one, other, is_another) in [
            ("Decision 7", "Decision 6", true),
            ("Word7 stands alone", "Word8 stands alone", true),
            ("The wall of part 3 is built of stone 17", "The wall of part 4 is built of stone 17", true),
            ("The gate of dock 3 is painted red", "The gate of dock 4 is painted red", true),
            ("Idempotency keys are kept for 24 hours", "Idempotency keys are kept for 48 hours", false),
            ("Uploads may have at most 10 megabytes", "Uploads may have at most 20 megabytes", false),
            ("Use npm", "Use pnpm", false),
        ] {
            assert_eq!(names_another(one, other), is_another, "{one}");
        }
    }
}
