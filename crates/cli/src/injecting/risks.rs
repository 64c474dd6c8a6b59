//! What to know before a tool runs: what failed before and what fixed it, what is known about a file.

use super::Injecting;
use backstory_distil::FailureSignature;
use backstory_inject::{Candidate, Gathered};
use backstory_memory::{Kind, Memory, MemoryId, Provenance, first_chars};
use backstory_recall::word_query;
use backstory_store::{Filter, Scope, Store, StoreError};
use std::path::{Component, Path, PathBuf};

/// Among how many failures a command is looked for: the project's newest, and those that hold its words best.
const FAILURES: u32 = 64;
/// How many memories of a file are looked at; three at the most are told.
const OF_A_FILE: u32 = 24;

impl Injecting<'_> {
    /// Finds how a command failed before, where it may fail the same way again.
    pub(super) fn failures_of(&self, command: &str) -> Gathered<Vec<Candidate>> {
        let Some(task) = task(command) else { return Ok(Vec::new()) };
        let found = self.relevant("this failed before", |store| self.like_failures(store, command))?;
        let mut found: Vec<(bool, Candidate)> = found
            .into_iter()
            .filter_map(|it| {
                let failed = failed_command(&it.memory)?;
                let is_same = words(failed) == words(command) || first_chars(command.trim(), 200) == failed;
                let is_alike = self::task(failed).is_some_and(|failed| failed == task);
                let is_worth_it =
                    may_come_back(&it.memory) && (is_same || is_alike && is_fixed_by_running(&it.memory));
                is_worth_it.then_some((is_same, it))
            })
            .collect();
        // The very command first; the newest of each first, as they came.
        found.sort_by_key(|(is_same, _)| !is_same);
        Ok(found.into_iter().map(|(_, it)| it).collect())
    }

    /// Returns failures that may be those of a command, the newest first and then those of its words: what failed a year ago may
    /// fail again today.
    fn like_failures(&self, store: &Store, command: &str) -> Result<Vec<MemoryId>, StoreError> {
        let project = self.to.project;
        let mut failures = store.newest_of_kinds(project, &[Kind::Failure], FAILURES)?;
        if failures.len() < FAILURES as usize {
            return Ok(failures);
        }
        let filter =
            Filter { kinds: vec![Kind::Failure], limit: FAILURES, ..Filter::within(Scope::Project(project)) };
        let older = store.search_exact(&word_query(command), &filter)?.into_iter().map(|hit| hit.memory);
        let older: Vec<MemoryId> = older.filter(|id| !failures.contains(id)).collect();
        failures.extend(store.unfaded(&older)?);
        Ok(failures)
    }

    /// Finds what is known about a file that is about to change: what a person decided about it, gotchas and patterns, then failures.
    pub(super) fn known_of(&self, file: &str) -> Gathered<Vec<Candidate>> {
        let filter = Filter {
            kinds: vec![Kind::Decision, Kind::Learning, Kind::Pattern, Kind::Failure],
            limit: OF_A_FILE,
            ..Filter::within(Scope::Project(self.to.project))
        };
        let paths = [inside(file, self.to.root)];
        let mut found = self
            .relevant("known about this file", |store| store.unfaded(&store.about_files(&paths, &filter)?))?;
        // What an agent decided of its own it may decide otherwise.
        found.retain(|it| {
            it.memory.content.kind != Kind::Decision || it.memory.content.provenance == Provenance::User
        });
        found.sort_by_key(|it| it.memory.content.kind == Kind::Failure);
        Ok(found)
    }
}

/// Returns the path of a file as memories name it: from the project's folder on, without `.` and `..`.
fn inside(file: &str, root: Option<&Path>) -> String {
    let mut path = PathBuf::new();
    for part in Path::new(file).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
    }
    let inside = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(&path);
    inside.to_string_lossy().into_owned()
}

/// Returns what a command line is about, `cargo test`; nothing where it only looks.
fn task(command: &str) -> Option<String> {
    FailureSignature::from_output(command, "").map(|signature| signature.task)
}

/// Returns the command a failure is remembered by.
pub(super) fn failed_command(memory: &Memory) -> Option<&str> {
    memory.content.body.strip_prefix('`')?.split_once("` failed:").map(|(command, _)| command)
}

pub(super) fn words(command: &str) -> Vec<&str> {
    command.split_whitespace().collect()
}

/// Whether a failure may be met again. What an edit has fixed stays fixed, unless it was met again.
fn may_come_back(memory: &Memory) -> bool {
    let is_fixed = memory.content.facts.iter().any(|fact| fact.starts_with("Fixed by "));
    !is_fixed || is_fixed_by_running(memory) || memory.times_seen > 1
}

/// Whether something had to be run, and not written, to fix it: it is of the machine, and the machine forgets.
fn is_fixed_by_running(memory: &Memory) -> bool {
    memory.content.facts.iter().any(|fact| fact.starts_with("Fixed by running "))
}
