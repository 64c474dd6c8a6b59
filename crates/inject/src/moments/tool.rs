//! What to know before a tool runs: how a command failed before and what fixed it, what is known about a file.

use super::Injector;
use crate::failure_details::{failed_command, is_fixed, is_fixed_by_command, is_same_command};
use crate::{Candidate, GatherResult};
use backstory_distil::CommandRun;
use backstory_memory::{ExitStatus, Kind, Memory, MemoryId, Provenance, first_chars};
use backstory_recall::word_query;
use backstory_store::{Filter, Scope, StandingFilter, Store, StoreError};
use std::path::{Component, Path, PathBuf};

/// How many failures are compared with a command: the project's newest, and those that hold its words best.
const FAILURES: u32 = 64;
/// Kinds that know a command which failed: failures, and facts about traps.
const FAILING: [Kind; 2] = [Kind::Failure, Kind::Fact];
/// How many memories of a file are read; three at most are injected.
const MOST_OF_A_FILE: u32 = 24;
/// Distillation cuts the command of a failure to so many characters.
const COMMAND_CHARS: usize = 200;

impl Injector<'_> {
    /// Finds how a command failed before, if it may fail the same way again.
    pub(super) fn failures_of_command(&self, command: &str) -> GatherResult<Vec<Candidate>> {
        let Some(task) = task_of(command) else { return Ok(Vec::new()) };
        let similar = self.candidates("this failed before", |store| self.similar_failures(store, command))?;
        let mut failures: Vec<(bool, Candidate)> = similar
            .into_iter()
            .filter_map(|it| {
                let failed = failed_command(&it.memory)?;
                let is_same =
                    is_same_command(failed, command) || first_chars(command.trim(), COMMAND_CHARS) == failed;
                let is_same_task = task_of(failed).is_some_and(|failed| failed == task);
                let applies = is_same || is_same_task && is_fixed_by_command(&it.memory);
                (applies && may_recur(&it.memory)).then_some((is_same, it))
            })
            .collect();
        // The very command first; within each group the newest first, as they came.
        failures.sort_by_key(|(is_same, _)| !is_same);
        Ok(failures.into_iter().map(|(_, it)| it).collect())
    }

    /// Returns the newest failures, then older ones that hold the command's words: what failed a year ago may fail again today.
    fn similar_failures(&self, store: &Store, command: &str) -> Result<Vec<MemoryId>, StoreError> {
        let project = self.recipient.project;
        let mut failures = store.search().newest_of_kinds(project, &FAILING, FAILURES)?;
        if failures.len() < FAILURES as usize {
            return Ok(failures);
        }
        let filter = Filter {
            standing: StandingFilter::Confirmed,
            kinds: FAILING.to_vec(),
            limit: FAILURES,
            ..Filter::within(Scope::Project(project))
        };
        let older = store.search().exact(&word_query(command), &filter)?.into_iter().map(|hit| hit.memory);
        let older: Vec<MemoryId> = older.filter(|id| !failures.contains(id)).collect();
        failures.extend(store.search().unfaded(&older)?);
        Ok(failures)
    }

    /// Finds what is known about a file that is about to change: the user's decisions, gotchas and patterns, then failures.
    pub(super) fn memories_of_file(&self, file: &str) -> GatherResult<Vec<Candidate>> {
        let filter = Filter {
            kinds: Kind::with(|kind| kind.warns_before_edit),
            standing: StandingFilter::Confirmed,
            limit: MOST_OF_A_FILE,
            ..Filter::within(Scope::Project(self.recipient.project))
        };
        let paths = [path_in_project(file, self.recipient.root)];
        let mut candidates = self.candidates("known about this file", |store| {
            store.search().unfaded(&store.search().about_files(&paths, &filter)?)
        })?;
        // An agent may revise its own decisions, so those are no warning.
        candidates.retain(|it| {
            it.memory.content.kind != Kind::Decision || it.memory.content.provenance == Provenance::User
        });
        candidates.sort_by_key(|it| it.memory.content.kind == Kind::Failure);
        Ok(candidates)
    }
}

/// Returns the path of a file as memories name it: relative to the project's folder, without `.` and `..`.
fn path_in_project(file: &str, root: Option<&Path>) -> String {
    let mut path = PathBuf::new();
    for part in Path::new(file).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()),
            part => path.push(part),
        }
    }
    let relative = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(&path);
    relative.to_string_lossy().into_owned()
}

/// Returns the task of a command line, such as `cargo test`; `None` for one that only reads.
fn task_of(command: &str) -> Option<String> {
    CommandRun::new(command, "", ExitStatus::Unknown).task().map(str::to_owned)
}

/// Whether a failure may recur. One fixed by an edit stays fixed, unless it was seen again.
fn may_recur(memory: &Memory) -> bool {
    !is_fixed(memory) || is_fixed_by_command(memory) || memory.times_seen > 1
}
