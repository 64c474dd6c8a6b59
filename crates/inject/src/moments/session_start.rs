//! What a session starts with: the user's rules, where the work stands, and what is known here. There is no query yet.

use super::Injector;
use crate::failure_details::may_recur;
use crate::rules_file::{rule_line, rules_in};
use crate::{Candidate, GatherResult, Orientation, WorkTreeStatus};
use backstory_capture::git::{self, HistoryDetail, history};
use backstory_capture::{FreshnessLimit, instruction_files};
use backstory_distil::ProjectFiles;
use backstory_memory::{ChangedSymbol, Details, Freshness, Kind, KindGroup, Memory, MemoryId, Timestamp};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Git runs while the store is read, and no longer than this.
const TIME_FOR_GIT: Duration = Duration::from_millis(150);
/// Reading the code of memories takes no longer than this.
const TIME_FOR_FRESHNESS: Duration = Duration::from_millis(40);
const MOST_FILES: usize = 16;
/// Far more rules than anybody keeps: the budget decides, not a count.
const RULES: u32 = 200;
/// More are not shown, and need not be compared with what the project's files say.
const COMPARED_RULES: usize = 40;
const MOST_PINNED: u32 = 16;
/// Several, because the handoff in force is that of the session last at work, which need not be the one last started.
pub(super) const HANDOFFS: u32 = 4;
/// So many commits are compared with the steps of a handoff.
const COMMITS: usize = 40;
/// Symbols changed lately.
const CODE_CHANGES: u32 = 30;
/// More are read than shown: those that touch recent files come first.
const TRAPS: u32 = 40;
const MOST_TRAPS: usize = 10;
const DECISIONS: u32 = 8;
const WORK: usize = 10;
/// A decision is carried out in a few sessions, and a piece of work is no news after one: so many others began with it before it is left out.
const DECISION_REPEATS: u32 = 3;
const WORK_REPEATS: u32 = 1;

impl Injector<'_> {
    /// Gathers what a session starts from. A part that cannot be read carries its error.
    pub(super) fn orientation(&self) -> Orientation {
        std::thread::scope(|scope| {
            let root = self.recipient.root;
            let dirty = root.map(|root| scope.spawn(move || git::dirty_files(root, TIME_FOR_GIT)));
            let mut known = self.stored_orientation();
            let redact = |name: String| self.redactor.scrub(&name).into_inner();
            let handoff = known.handoff.as_ref().ok().and_then(Option::as_ref);
            let since = root.zip(handoff).map(|(root, it)| commits_since(root, &it.memory));
            let (commits_since, files_since) = since.unwrap_or_default();
            let dirty = dirty.and_then(|git| git.join().ok()).unwrap_or_default();
            known.work_tree = root.map(|root| WorkTreeStatus {
                branch: git::branch(root).map(redact),
                dirty: dirty.into_iter().map(redact).collect(),
                commits_since,
                files_since: files_since.into_iter().map(redact).collect(),
            });
            known.sort_traps();
            let recent = known.recent_files();
            known.decisions = known.decisions.and_then(|decisions| {
                self.without_repeats(decisions, DECISION_REPEATS, |it| it.touches(&recent))
            });
            known
        })
    }

    /// Gathers the parts that come from the store.
    fn stored_orientation(&self) -> Orientation {
        let project = self.recipient.project;
        let newest = |reason, kinds: &[Kind], limit| {
            self.candidates(reason, |store| store.search().newest_of_kinds(project, kinds, limit))
        };
        let surest = |reason, kinds: &[Kind], limit| {
            let surest =
                self.candidates(reason, |store| store.search().most_confident(project, kinds, limit))?;
            Ok(self.with_freshness(surest))
        };
        Orientation {
            rules: self.rules(),
            pinned: self.candidates("pinned", |store| store.search().pinned(project, MOST_PINNED)),
            work_tree: None,
            handoff: newest("where the work stands", &[Kind::Handoff], HANDOFFS).map(last_at_work),
            traps: surest("known here", &[Kind::Fact, Kind::Failure], TRAPS)
                .map(|traps| traps.into_iter().filter(|it| may_recur(&it.memory)).collect()),
            decisions: surest("decided", &[Kind::Decision], DECISIONS),
            work: self
                .work()
                .and_then(|work| self.without_repeats(work, WORK_REPEATS, |_| false))
                .map(|work| self.with_freshness(work)),
            code_changes: self.code_changes(),
        }
    }

    /// Returns every rule of the project and of the user. Use and repetition order them, and lose none.
    fn rules(&self) -> GatherResult<Vec<Candidate>> {
        let project = self.recipient.project;
        let mut rules = self.candidates("rule of the user", |store| store.search().rules(project, RULES))?;
        if !rules.is_empty() {
            let loaded = self.rules_in_loaded_files();
            rules.retain(|it| !loaded.contains(&rule_line(&it.memory)));
        }
        rules.sort_by_key(|it| {
            let memory = &it.memory;
            let last = memory.last_used_at.unwrap_or(memory.updated_at).max(memory.updated_at);
            std::cmp::Reverse((memory.content.pinned, memory.times_seen, last))
        });
        let files = ProjectFiles::new(self.recipient.root);
        for it in rules.iter_mut().take(COMPARED_RULES) {
            it.contradicted_by = files.contradiction(&it.memory.content.title);
        }
        Ok(rules)
    }

    /// Returns the rules that the user had written into a file the host loads by itself, or into one that file names.
    fn rules_in_loaded_files(&self) -> HashSet<String> {
        let (Some(root), Some(loaded)) = (self.recipient.root, self.recipient.rules_file) else {
            return HashSet::new();
        };
        let files = instruction_files(root);
        let own = files.iter().find(|(name, _)| name == loaded).map_or("", |(_, text)| text.as_str());
        let is_named = |name: &str| own.lines().any(|line| line.trim().strip_prefix('@') == Some(name));
        let is_loaded = |name: &str| name == loaded || is_named(name);
        files.iter().filter(|(name, _)| is_loaded(name)).flat_map(|(_, text)| rules_in(text)).collect()
    }

    /// Returns the newest work; of sessions that left none, what they were about.
    fn work(&self) -> GatherResult<Vec<Candidate>> {
        let kinds = Kind::with(|kind| kind.group == KindGroup::Work);
        let newest = |kinds: &[Kind]| {
            self.candidates("recent work", |store| {
                store.search().newest_of_kinds(self.recipient.project, kinds, WORK as u32)
            })
        };
        let mut work = newest(&kinds)?;
        let sessions: HashSet<_> = work.iter().filter_map(|it| it.memory.session).collect();
        let has_work = |it: &Candidate| it.memory.session.is_some_and(|session| sessions.contains(&session));
        work.extend(newest(&[Kind::Summary])?.into_iter().filter(|it| !has_work(it)));
        work.sort_by_key(|it| std::cmp::Reverse(it.memory.created_at));
        work.truncate(WORK);
        Ok(work)
    }

    /// Leaves out what so many other sessions began with already, unless there is a reason to say it again. It is found when it matters:
    /// at a prompt, before an edit.
    fn without_repeats(
        &self,
        mut candidates: Vec<Candidate>,
        most: u32,
        is_due: impl Fn(&Candidate) -> bool,
    ) -> GatherResult<Vec<Candidate>> {
        let ids: Vec<MemoryId> = candidates.iter().map(|it| it.memory.id).collect();
        let read = || self.store.injections().sessions_begun_with(&ids, self.recipient.session, most);
        let begun = self.store.read_until(self.until, read)?;
        candidates.retain(|it| is_due(it) || begun.get(&it.memory.id).is_none_or(|count| *count < most));
        Ok(candidates)
    }

    /// Marks what speaks of code that changed since.
    fn with_freshness(&self, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        let until = self.until.min(Instant::now() + TIME_FOR_FRESHNESS);
        let memories: Vec<&Memory> = candidates.iter().map(|it| &it.memory).collect();
        let fresh = self.freshness_of(&memories, FreshnessLimit { until, files: MOST_FILES });
        for it in &mut candidates {
            it.changed_since = fresh.get(&it.memory.id).is_some_and(|fresh| *fresh != Freshness::Fresh);
        }
        candidates
    }

    fn code_changes(&self) -> GatherResult<Vec<ChangedSymbol>> {
        let read = || self.store.code().changes(self.recipient.project, None, CODE_CHANGES);
        Ok(self.store.read_until(self.until, read)?)
    }
}

impl Candidate {
    /// Whether it is about one of these files.
    fn touches(&self, files: &HashSet<String>) -> bool {
        self.memory.content.files.iter().any(|file| files.contains(file))
    }
}

impl Orientation {
    /// The files that changed lately.
    fn recent_files(&self) -> HashSet<String> {
        let changed = self.code_changes.iter().flatten().map(|changed| changed.path.as_str());
        let dirty = self.work_tree.iter().flat_map(|tree| &tree.dirty).map(String::as_str);
        changed.chain(dirty).map(str::to_owned).collect()
    }

    /// Puts first what touches files that changed lately, then what is not over; few are enough.
    fn sort_traps(&mut self) {
        let recent = self.recent_files();
        if let Ok(traps) = &mut self.traps {
            traps.sort_by_key(|it| !it.touches(&recent));
            traps.truncate(MOST_TRAPS);
        }
    }
}

/// Returns the messages of the commits since a handoff and the files they changed, if it names anything they could have done.
fn commits_since(root: &Path, handoff: &Memory) -> (Vec<String>, Vec<String>) {
    let (mut messages, mut files) = (Vec::new(), Vec::new());
    let has_steps = matches!(&handoff.content.details, Some(Details::Handoff(it)) if it.has_open_work());
    if has_steps {
        let since = Timestamp(handoff.updated_at.0);
        let mut looked_at = 0;
        history(root, HistoryDetail::Files, TIME_FOR_GIT, &mut |commit| {
            looked_at += 1;
            // A rebased commit keeps the time it was written: newer ones may lie below it.
            if commit.at >= since {
                messages.push(commit.message);
                files.extend(commit.changes.into_iter().map(|changed| changed.path));
            }
            if looked_at < COMMITS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }
    (messages, files)
}

pub(super) fn last_at_work(handoffs: Vec<Candidate>) -> Option<Candidate> {
    // They come newest first, and of equals `max_by_key` takes the last.
    handoffs.into_iter().rev().max_by_key(|it| it.memory.updated_at)
}
