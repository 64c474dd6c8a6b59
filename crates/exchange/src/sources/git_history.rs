//! Git history: commits as work that was done, with its why, and files that change together.
//!
//! A commit's name is its own, so that another clone, a work tree or the next run adds nothing twice. Not here: how git is called
//! (`capture::git`), and what messages state beside the work: tried on real histories, most of it was no decision.

mod co_change;
mod commit_message;
mod commit_subject;
mod noise;

use crate::imported::{ImportItem, ImportedMemory, ImportedProject};
use crate::sources::{ImportSource, SearchPaths, SourceInstance, UnreadableSource};
use backstory_capture::git::{self, Commit, GitWorkTree, HistoryDetail, HistoryEnd};
use backstory_memory::{
    Confidence, Content, Details, EvidenceKind, Importance, MemoryScope, Provenance, WorkDetails,
};
use commit_message::CommitMessage;
use commit_subject::CommitSubject;
use noise::noise;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// How far back a history is read: older work says little about the code as it is.
const MOST_COMMITS: usize = 2_000;
/// How many files of a commit are named.
const MOST_FILES: usize = 20;
/// How long a repository's whole history may take, and a question that has one line for an answer.
const PATIENCE: Duration = Duration::from_secs(120);
const SHORT_PATIENCE: Duration = Duration::from_secs(10);

/// A commit says what was done, not that it still holds.
const CONFIDENCE: f64 = 0.7;

/// Finds the repositories that projects lie in, each once.
pub(crate) fn locate(search: &SearchPaths) -> Vec<SourceInstance> {
    let mut repositories: BTreeMap<_, GitWorkTree> = BTreeMap::new();
    for tree in search.projects.iter().filter_map(|folder| git::work_tree_of(folder)) {
        // The main work tree is where a person would look; of others the first by name.
        let rank = |tree: &GitWorkTree| (!tree.common_dir.starts_with(&tree.root), tree.root.clone());
        let known = repositories.entry(tree.common_dir.clone()).or_insert_with(|| tree.clone());
        if rank(&tree) < rank(known) {
            *known = tree;
        }
    }
    let finds = repositories.into_values().filter_map(|tree| {
        let fingerprint = git::head(&tree.root, SHORT_PATIENCE)?;
        let user_email = git::user_email(&tree.root, SHORT_PATIENCE);
        Some(SourceInstance {
            source: ImportSource::Git,
            path: tree.root,
            bytes: 0,
            fingerprint,
            scope: MemoryScope::Project,
            carrier: None,
            user_email,
            is_handed_over: false,
        })
    });
    finds.collect()
}

/// Reads the newest commits of a repository, the oldest of them first.
pub(crate) fn read(
    instance: &SourceInstance,
    emit: &mut dyn FnMut(ImportItem),
) -> Result<(), UnreadableSource> {
    let commits = newest_commits(&instance.path, emit)?;
    let reader = CommitReader { root: &instance.path, user: instance.user_email.as_deref() };
    // In a clone without file contents git names no files; then no commit counts as empty.
    let names_files = commits.iter().any(|commit| commit.file_count > 0);
    let mut emitted: HashSet<&str> = HashSet::new();
    for commit in &commits {
        let message = CommitMessage::parse(&commit.message);
        let subject = CommitSubject::parse(message.subject);
        let why_not = noise(commit, &message, &subject)
            .or((names_files && commit.file_count == 0).then_some("an empty commit"));
        if let Some(why_not) = why_not {
            emit(ImportItem::Skipped(why_not));
            continue;
        }
        let mut memory = reader.work(commit, &message, &subject);
        memory.replaces.extend(message.reverts().filter(|id| emitted.contains(id)).map(str::to_owned));
        emitted.insert(&commit.id);
        emit(ImportItem::Memory(Box::new(memory)));
    }
    for pair in co_change::pairs(&commits, |path| instance.path.join(path).symlink_metadata().is_ok()) {
        let mut memory = pair.memory(&instance.path);
        memory.relates.retain(|id| emitted.contains(id.as_str()));
        emit(ImportItem::Memory(Box::new(memory)));
    }
    Ok(())
}

/// Returns the newest commits that are no merges, the oldest first, and counts those that are left out.
fn newest_commits(root: &Path, emit: &mut dyn FnMut(ImportItem)) -> Result<Vec<Commit>, UnreadableSource> {
    let all = git::count_commits(root, SHORT_PATIENCE).unwrap_or_default();
    let mut newest = RecentCommits::read(root, HistoryDetail::Files);
    if newest.gave_up(all) {
        // A clone without the contents of old files still has what was said.
        newest = RecentCommits::read(root, HistoryDetail::Message);
    }
    if newest.commits.is_empty() {
        return Err(UnreadableSource("git lists no commits".to_owned()));
    }
    (0..newest.merges).for_each(|_| emit(ImportItem::Skipped("a merge")));
    if newest.read == HistoryEnd::CutShort {
        emit(ImportItem::Skipped("git took too long"));
    }
    (newest.seen()..all).for_each(|_| emit(ImportItem::Skipped("older than 2,000 commits")));
    newest.commits.reverse();
    Ok(newest.commits)
}

/// The newest commits that are no merges, and how many merges came between.
struct RecentCommits {
    commits: Vec<Commit>,
    merges: usize,
    read: HistoryEnd,
}

impl RecentCommits {
    fn read(root: &Path, detail: HistoryDetail) -> RecentCommits {
        let mut commits = Vec::new();
        let mut merges = 0;
        let read = git::history(root, detail, PATIENCE, &mut |commit| {
            if commit.is_merge {
                merges += 1;
            } else {
                commits.push(commit);
            }
            if commits.len() < MOST_COMMITS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        RecentCommits { commits, merges, read }
    }

    fn seen(&self) -> u64 {
        (self.commits.len() + self.merges) as u64
    }

    /// Whether git stopped early, and not for want of time.
    fn gave_up(&self, all: u64) -> bool {
        self.read == HistoryEnd::Read && self.commits.len() < MOST_COMMITS && self.seen() < all
    }
}

/// What is the same for all commits of a repository.
struct CommitReader<'a> {
    root: &'a Path,
    /// The address the user signs commits with.
    user: Option<&'a str>,
}

impl CommitReader<'_> {
    fn work(&self, commit: &Commit, message: &CommitMessage<'_>, subject: &CommitSubject) -> ImportedMemory {
        let mut content = Content::new(subject.kind, &subject.title, &message.why());
        content.facts = self.facts(commit);
        let commits = vec![short_hash(commit)];
        content.details = Some(Details::WorkDone(WorkDetails { request: None, commits }));
        content.concepts = subject.scope.clone().into_iter().collect();
        content.files = largest_changes(commit);
        content.confidence = Confidence::new(CONFIDENCE);
        content.importance = importance(message, subject);
        self.memory(commit, content)
    }

    fn facts(&self, commit: &Commit) -> Vec<String> {
        let mut facts = vec![format!("Committed as {}", short_hash(commit))];
        if self.is_others(commit) && !commit.author.is_empty() {
            facts.push(format!("By {}", commit.author));
        }
        if commit.file_count > MOST_FILES {
            facts.push(format!("Changed {} files", commit.file_count));
        }
        facts
    }

    /// Whether a commit is not the user's own. Anybody can sign with the user's address, so that the user's own commits are work that was
    /// done, and not the user's orders.
    fn is_others(&self, commit: &Commit) -> bool {
        self.user.is_none_or(|user| !user.eq_ignore_ascii_case(&commit.email))
    }

    fn memory(&self, commit: &Commit, content: Content) -> ImportedMemory {
        let (provenance, evidence) = if self.is_others(commit) {
            (Provenance::Repository, EvidenceKind::Words)
        } else {
            (Provenance::Import, EvidenceKind::Structure)
        };
        let project = ImportedProject::Folder(self.root.to_owned());
        let content = Content { provenance, ..content };
        ImportedMemory { evidence, ..ImportedMemory::new(commit.id.clone(), project, commit.at, content) }
    }
}

fn short_hash(commit: &Commit) -> String {
    commit.id.chars().take(9).collect()
}

/// A commit that gives its why is worth more than one that does not, and one that breaks others more than both.
fn importance(message: &CommitMessage<'_>, subject: &CommitSubject) -> Importance {
    let of_kind = i64::from(Importance::for_kind(subject.kind).get());
    let is_breaking = subject.is_breaking || message.is_breaking();
    let has_why = message.words_of_why() > 0;
    Importance::new(of_kind + i64::from(is_breaking) - i64::from(!has_why))
}

/// The files a commit changed most.
fn largest_changes(commit: &Commit) -> Vec<String> {
    let mut changes: Vec<_> =
        commit.changes.iter().filter(|change| !noise::is_derived(&change.path)).collect();
    changes.sort_by(|one, other| other.lines.cmp(&one.lines).then_with(|| one.path.cmp(&other.path)));
    changes.into_iter().take(MOST_FILES).map(|change| change.path.clone()).collect()
}
