//! What to know before a tool runs: how a command failed before and what fixed it, and what the user's rules and known traps say of
//! this very command or file.
//!
//! A hook runs before every tool call, and mostly has nothing to say: rules are few and read by their index, failures are compared by
//! their command. What only stood in the block the session started with is said once more here (law 5).

use super::Injector;
use crate::arguments::{names_argument, shares_words};
use crate::failure_details::{
    failed_command, fixing_commands, is_fixed_by_command, is_same_command, may_recur,
};
use crate::file_kind::{names_file, names_test_of, speaks_of_code, speaks_of_kind};
use crate::occasion::{
    Occasion, chooses_another, is_followed_by, names_own_program, names_task, program_of, tasks,
};
use crate::{Candidate, GatherResult};
use backstory_distil::CommandTask;
use backstory_memory::{Kind, Memory, MemoryId, Nesting, Provenance, first_chars, simple_commands};
use backstory_recall::word_query;
use backstory_store::{Filter, Scope, StandingFilter, Store, StoreError};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// How many rules are compared with a command or a file.
const RULES: u32 = 100;
/// How many failures are compared with a command: the project's newest, and those that hold its words best.
const FAILURES: u32 = 64;
/// Kinds that know a command which failed: failures, and facts about traps.
const FAILING: [Kind; 2] = [Kind::Failure, Kind::Fact];
/// How many memories of a file are read; three at most are injected.
const MOST_OF_A_FILE: u32 = 24;
/// Distillation cuts the command of a failure to so many characters.
const COMMAND_CHARS: usize = 200;

impl Injector<'_> {
    /// Finds what is known of a command: how it failed before, and which rules and facts speak of it.
    pub(super) fn memories_of_command(&self, command: &str) -> GatherResult<Vec<Candidate>> {
        let tasks = tasks(command);
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.to_warn("known of this command", |store| self.known_failing(store, command))?;
        let (mut same, mut alike) = (Vec::new(), Vec::new());
        for it in known {
            match failed_command(&it.memory).filter(|failed| !failed.is_empty()) {
                Some(failed) if is_same_line(failed, command) && may_recur(&it.memory) => same.push(it),
                Some(failed) if may_recur(&it.memory) && recurs_in(&it.memory, failed, &tasks) => {
                    alike.push(it);
                }
                // A fact in somebody's words is about the command it names.
                None if fact_speaks_of_command(&it.memory, &tasks) => alike.push(it),
                _ => {}
            }
        }
        let rules = self.rules_to_warn(|rule| speaks_of_command(rule, &tasks))?;
        Ok(same.into_iter().chain(rules).chain(alike).collect())
    }

    /// Finds the rules and facts that speak of a request of few words: "commit this" names no topic, but an occasion.
    pub(super) fn known_of_occasion(&self, request: &str) -> GatherResult<Vec<Candidate>> {
        let occasions = Occasion::requested_by(request);
        if occasions.is_empty() {
            return Ok(Vec::new());
        }
        let speaks = |it: &Memory| !occasions.is_disjoint(&Occasion::spoken_of(&it.content.title));
        let mut known = self.rules_to_warn(speaks)?;
        known.extend(self.facts_to_warn("known of this", speaks)?);
        Ok(known)
    }

    /// Returns the facts in somebody's words that a test picks.
    pub(super) fn facts_to_warn(
        &self,
        reason: &str,
        speaks: impl Fn(&Memory) -> bool,
    ) -> GatherResult<Vec<Candidate>> {
        let project = self.recipient.project;
        let newest = |store: &Store| store.search().newest_of_kinds(project, &[Kind::Fact], FAILURES);
        let mut facts = self.to_warn(reason, newest)?;
        facts.retain(|it| speaks(&it.memory));
        Ok(facts)
    }

    /// Returns the rules that a test picks by their text.
    pub(super) fn rules_to_warn(&self, speaks: impl Fn(&Memory) -> bool) -> GatherResult<Vec<Candidate>> {
        let project = self.recipient.project;
        let mut rules = self.to_warn("a rule about this", |store| store.search().rules(project, RULES))?;
        rules.retain(|it| speaks(&it.memory));
        Ok(rules)
    }

    /// Returns the newest failures, then older ones that hold the command's words: what failed a year ago may fail again today.
    fn known_failing(&self, store: &Store, command: &str) -> Result<Vec<MemoryId>, StoreError> {
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
        failures.extend(older.filter(|id| !failures.contains(id)).collect::<Vec<_>>());
        Ok(failures)
    }

    /// Finds what is known about a file that is about to change, and about what is to be written there: rules, the user's decisions and
    /// facts, then failures.
    pub(super) fn memories_of_edit(&self, file: &str, new_text: &str) -> GatherResult<Vec<Candidate>> {
        let filter = Filter {
            kinds: Kind::with(|kind| kind.warns_before_edit),
            standing: StandingFilter::Confirmed,
            limit: MOST_OF_A_FILE,
            ..Filter::within(Scope::Project(self.recipient.project))
        };
        let path = path_in_project(file, self.recipient.root);
        let is_created = self.recipient.root.is_some_and(|root| !root.join(&path).exists());
        let paths = [path.clone()];
        let mut anchored =
            self.to_warn("known about this file", |store| store.search().about_files(&paths, &filter))?;
        // An agent may revise its own decisions, so those are no warning.
        anchored.retain(|it| {
            let content = &it.memory.content;
            content.kind != Kind::Decision || content.provenance == Provenance::User
        });
        anchored.sort_by_key(|it| match it.memory.content.kind {
            Kind::Rule => 0,
            Kind::Failure => 2,
            _ => 1,
        });
        let names = |it: &Memory| {
            let text = text_of(it);
            names_file(&text, &path) || names_test_of(&text, &path)
        };
        let is_of_kind = |rule: &Memory| is_created && speaks_of_kind(&rule.content.title, &path);
        let is_in_text = |it: &Memory| speaks_of_code(&it.content.title, new_text);
        let rules = self.rules_to_warn(|rule| names(rule) || is_of_kind(rule) || is_in_text(rule))?;
        let facts =
            self.facts_to_warn("names this file or what is written", |it| names(it) || is_in_text(it))?;
        let mut seen = BTreeSet::new();
        let all = rules.into_iter().chain(anchored).chain(facts);
        Ok(all.filter(|it| seen.insert(it.memory.id)).collect())
    }

    /// Reads candidates that the agent does not have, or has only from the block its session started with.
    fn to_warn(
        &self,
        reason: &str,
        ids: impl FnOnce(&Store) -> Result<Vec<MemoryId>, StoreError>,
    ) -> GatherResult<Vec<Candidate>> {
        self.candidates_where(reason, ids, |memory| self.may_be_repeated(memory))
    }
}

/// What a memory says in all.
pub(super) fn text_of(memory: &Memory) -> String {
    let content = &memory.content;
    format!("{}\n{}", content.title, first_chars(&content.body, 1_000))
}

/// Whether a memory names a command: its program with its sub-command anywhere, a program alone in its title.
fn names_command(memory: &Memory, task: &CommandTask) -> bool {
    let is_whole = task.name.contains(' ');
    names_task(&memory.content.title, task) || is_whole && names_task(&text_of(memory), task)
}

/// Whether a fact in somebody's words is about one of these commands: its program with its sub-command, something it carries, or what it
/// is the occasion for.
fn fact_speaks_of_command(memory: &Memory, tasks: &[CommandTask]) -> bool {
    let text = text_of(memory);
    let occasions = Occasion::named_by(&memory.content.title);
    tasks.iter().any(|task| {
        // Of what only looks, such as `ls`, the name alone says nothing.
        let is_named = (!task.is_bystander || task.name.contains(' ')) && names_command(memory, task);
        is_named || names_argument(&text, task) || !Occasion::of_task(task).is_disjoint(&occasions)
    })
}

/// Whether a rule is about one of the commands that do something, and not followed by it anyway. What it only mentions in its text it must
/// spell out.
fn speaks_of_command(rule: &Memory, tasks: &[CommandTask]) -> bool {
    let (title, text) = (rule.content.title.as_str(), text_of(rule));
    let spoken_of = Occasion::spoken_of(title);
    tasks.iter().filter(|task| !task.is_bystander && !is_followed_by(&text, task)).any(|task| {
        let is_named = names_command(rule, task) || names_own_program(title, task);
        let is_said = names_argument(&text, task) || shares_words(&text, task);
        is_named
            || is_said
            || chooses_another(title, task)
            || !Occasion::of_task(task).is_disjoint(&spoken_of)
    })
}

/// Whether a failed line is the one that is about to run.
fn is_same_line(failed: &str, command: &str) -> bool {
    is_same_command(failed, command) || first_chars(command.trim(), COMMAND_CHARS) == failed
}

/// Whether what failed in one line may fail in another: the same command that another one fixes, or the same look at files that fails here.
fn recurs_in(memory: &Memory, failed: &str, tasks: &[CommandTask]) -> bool {
    if !is_fixed_by_command(memory) {
        return false;
    }
    let failed = crate::occasion::tasks(failed);
    let Some(main) = failed.iter().rfind(|task| !task.is_bystander).or(failed.first()) else { return false };
    tasks.iter().any(|task| {
        let is_same_task = task.name == main.name && (!task.is_bystander || is_alike(task, main));
        is_same_task || program_of(task) == program_of(main) && is_found_elsewhere(memory, program_of(main))
    })
}

/// Whether two calls that only look have in common what may have failed: a pattern of file names, a flag, a path.
fn is_alike(one: &CommandTask, other: &CommandTask) -> bool {
    let has_pattern = |task: &CommandTask| task.selection.iter().any(|word| word.contains(['*', '?']));
    let shares_word = one.selection.iter().any(|word| word.len() > 2 && other.selection.contains(word));
    has_pattern(one) && has_pattern(other) || shares_word
}

/// Whether the fix calls a program by its path: then no call by its name works here.
fn is_found_elsewhere(memory: &Memory, program: &str) -> bool {
    fixing_commands(memory).flat_map(|fix| simple_commands(fix, Nesting::Words)).any(|command| {
        command.words.iter().any(|word| word.rsplit_once('/').is_some_and(|(_, name)| name == program))
    })
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
