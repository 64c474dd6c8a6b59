//! What a turn changed: one memory, its kind from evidence, its title from the commit or from the agent's own words.

use super::commits::MadeCommit;
use super::failure_tracker::{FailureTracker, turned_green};
use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::request::{Intent, intent, subject_of_prompt};
use super::transcript::{TranscriptEntry, Turn};
use crate::prose::own_words;
use crate::{Closing, title_of_commit};
use backstory_memory::{
    Activity, ChangedSymbol, Details, EventId, EvidenceKind, Kind, Provenance, SymbolChange, WorkDetails,
    title_from,
};
use backstory_store::OnRepeat;
use std::path::Path;

/// What is known of a turn's work.
pub(super) struct TurnWork<'a> {
    turn: &'a Turn<'a>,
    closing: &'a Closing,
    files: Vec<&'a str>,
    commits: Vec<&'a MadeCommit>,
    /// The events that made them.
    committed: Vec<EventId>,
    code: Vec<&'a ChangedSymbol>,
    /// The tests that turned green; empty where they have no names.
    green: Option<Vec<String>>,
    /// Whether something that was broken before the work began works now.
    fixes: bool,
}

impl<'a> TurnWork<'a> {
    /// Returns the work of a turn, if it did any.
    pub(super) fn from_turn(
        at: usize,
        turn: &'a Turn<'a>,
        closing: &'a Closing,
        failing: &FailureTracker<'_>,
        code: &'a [ChangedSymbol],
    ) -> Option<TurnWork<'a>> {
        let stands = |file: &&str| lies_in_project(file) && !turn.takes_back(file);
        let files: Vec<&str> = turn.edited().into_iter().filter(stands).collect();
        let made = turn.commands().filter_map(|(entry, ran)| Some((entry.id, ran.commit()?)));
        let (committed, commits): (Vec<EventId>, Vec<&MadeCommit>) = made.unzip();
        if files.is_empty() && commits.is_empty() {
            return None;
        }
        // A symbol is listed once a session, with when it changed last.
        let since = turn.first()?.at;
        let code = code
            .iter()
            .filter(|changed| changed.at >= since && files.contains(&changed.path.as_str()))
            .collect();
        let green = turned_green(turn);
        let fixes = failing.fixes_code(at);
        Some(TurnWork { turn, closing, files, commits, committed, code, green, fixes })
    }

    /// Makes a finding of it.
    pub(super) fn finding(&self) -> Option<Finding> {
        let kind = self.kind();
        let mut content =
            distilled(kind, &self.title()?, &self.details().body(&self.account()), Provenance::Assistant);
        content.details = Some(Details::WorkDone(self.details()));
        content.facts = self.facts();
        content.concepts =
            self.code.iter().map(|changed| changed.qualified_name.clone()).take(MOST_NAMED).collect();
        content.files = self.files.iter().map(|file| (*file).to_owned()).collect();
        let done = self.turn.entries.iter().filter(|entry| self.is_evidence(entry));
        Some(Finding {
            subject: subject_of_turn("work", self.turn),
            content,
            events: evidence(self.turn.first().into_iter().chain(done)),
            at: self.turn.last()?.at,
            again: OnRepeat::Replace,
            comparing: Comparing::Not,
            evidence: EvidenceKind::Structure,
            relates_to: Vec::new(),
        })
    }

    fn is_evidence(&self, entry: &TranscriptEntry) -> bool {
        match entry.activity() {
            Activity::Edited { file, .. } => self.files.contains(&file.as_str()),
            Activity::Ran { .. } => self.committed.contains(&entry.id),
            Activity::TurnEnded { .. } => true,
            _ => false,
        }
    }

    /// Evidence first: what was broken and works, what the commit says; then what was requested, what the agent says it did and
    /// what is new in the code.
    fn kind(&self) -> Kind {
        if !self.files.is_empty() && self.files.iter().all(|file| is_document(file)) {
            return Kind::Change;
        }
        let commit = self.commits.iter().find_map(|commit| kind_of_commit(&commit.subject));
        let wanted = intent(self.turn.prompt());
        let has_new = self.code.iter().any(|changed| changed.change == SymbolChange::New);
        if self.fixes {
            // A new thing under test turns its own tests green.
            return if wanted == Intent::Add && has_new { Kind::Feature } else { Kind::Bugfix };
        }
        let claimed = self.closing.claim.as_deref().and_then(kind_of_commit);
        match (commit, wanted) {
            (Some(kind), _) => kind,
            (None, Intent::Fix) => Kind::Bugfix,
            (None, Intent::Rearrange) => Kind::Refactor,
            (None, Intent::Add) if has_new || self.makes_files() => Kind::Feature,
            // A test that was written before it could pass is of something new.
            _ if self.green.is_some() && self.writes_tests() => Kind::Feature,
            _ if claimed.is_some_and(|kind| kind != Kind::Change) => claimed.unwrap_or(Kind::Change),
            _ if has_new && self.only_moves() => Kind::Refactor,
            _ if has_new && self.code.iter().all(|changed| changed.change == SymbolChange::New) => {
                Kind::Feature
            }
            _ => Kind::Change,
        }
    }

    fn writes_tests(&self) -> bool {
        self.files.iter().any(|file| is_test(file))
    }

    fn makes_files(&self) -> bool {
        self.turn
            .entries
            .iter()
            .any(|entry| matches!(entry.activity(), Activity::Edited { is_new: true, .. }))
    }

    /// Whether every new symbol is one that was deleted elsewhere.
    fn only_moves(&self) -> bool {
        let deleted = |name: &str| {
            self.code.iter().any(|changed| {
                changed.change == SymbolChange::Deleted && changed.qualified_name.ends_with(last_part(name))
            })
        };
        self.code
            .iter()
            .filter(|changed| changed.change == SymbolChange::New)
            .all(|changed| deleted(&changed.qualified_name))
    }

    fn title(&self) -> Option<String> {
        let commit = match self.commits.as_slice() {
            [only] => title_of_commit(&only.subject),
            _ => None,
        };
        let first_commit = || self.commits.iter().find_map(|commit| title_of_commit(&commit.subject));
        let request = || subject_of_prompt(self.turn.prompt());
        let files =
            || (!self.files.is_empty()).then(|| title_from(&format!("Changed {}", self.files.join(", "))));
        commit.or_else(|| self.closing.claim.clone()).or_else(first_commit).or_else(request).or_else(files)
    }

    fn details(&self) -> WorkDetails {
        let commits = self.commits.iter().filter_map(|commit| commit.hash.clone());
        WorkDetails { request: subject_of_prompt(self.turn.prompt()), commits: commits.collect() }
    }

    /// Returns what the agent and its commits say about the work.
    fn account(&self) -> String {
        let closing = self.turn.closing().map(|(_, message)| own_words(message));
        let why = self.commits.iter().map(|commit| commit.body.clone()).find(|body| !body.is_empty());
        let parts = closing.into_iter().chain(why).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("\n\n")
    }

    fn facts(&self) -> Vec<String> {
        let mut facts: Vec<String> = self.closing.learned.clone();
        facts.extend(self.green.as_ref().map(|names| match names.is_empty() {
            true => "Tests went from red to green".to_owned(),
            false => format!(
                "Tests went from red to green: {}",
                names.iter().take(4).cloned().collect::<Vec<_>>().join(", ")
            ),
        }));
        let is_only = self.commits.len() == 1;
        facts.extend(self.commits.iter().filter_map(|commit| match (&commit.hash, is_only) {
            (Some(hash), true) => Some(format!("Committed as {hash}")),
            // The title can name one of several.
            (Some(hash), false) => Some(format!("Committed as {hash}: {}", commit.subject)),
            (None, _) => None,
        }));
        facts.extend(self.code.iter().take(MOST_NAMED).map(|changed| describe(changed)));
        facts
    }
}

/// Describes a symbol that changed.
fn describe(changed: &ChangedSymbol) -> String {
    let change = match changed.change {
        SymbolChange::New => "New",
        SymbolChange::Modified => "Modified",
        SymbolChange::Deleted => "Deleted",
    };
    format!("{change} in {}: {}", changed.path, changed.signature)
}

fn last_part(name: &str) -> &str {
    name.rsplit([':', '.', '#']).next().unwrap_or(name)
}

/// `fix(store): …`, `feat: …`: what people who follow the convention say of their commit.
fn kind_of_commit(subject: &str) -> Option<Kind> {
    let word = subject.split([' ', '(', ':', '!']).next()?.to_lowercase();
    match word.as_str() {
        "fix" | "fixes" | "fixed" | "bugfix" | "hotfix" => Some(Kind::Bugfix),
        "feat" | "feature" | "add" | "adds" | "added" | "implement" | "implemented" | "introduce"
        | "introduced" => Some(Kind::Feature),
        "refactor" | "rename" | "move" | "extract" | "simplify" | "refactored" | "renamed" | "moved"
        | "extracted" | "simplified" => Some(Kind::Refactor),
        "docs" | "chore" | "style" | "ci" | "build" | "test" | "tests" | "bump" | "update" => {
            Some(Kind::Change)
        }
        _ => None,
    }
}

/// Scratch files and the host's own notes are not the project's work.
fn lies_in_project(file: &str) -> bool {
    !Path::new(file).is_absolute() && !file.starts_with("..")
}

/// Prose changes nothing a program does: it is no feature, and it mends nothing.
fn is_document(file: &str) -> bool {
    let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["md", "mdx", "rst", "adoc", "txt"].contains(&extension))
}

/// Whether a file holds tests, by the names people give to such files and folders.
fn is_test(file: &str) -> bool {
    let lower = file.to_lowercase();
    lower.split(['/', '.', '_', '-']).any(|part| ["test", "tests", "spec", "specs"].contains(&part))
        || Path::new(file)
            .file_stem()
            .and_then(|stem| stem.to_str())
            .is_some_and(|stem| stem.ends_with("Test"))
}

const MOST_NAMED: usize = 12;
