//! Pieces of work: one memory for what belongs together, however many turns it took. Its kind comes from evidence, its title from the
//! commit, else from the plan or the request.
//!
//! A turn goes on with the piece before it while that is not committed, if it asks for nothing of its own ("commit this"), or only
//! remarks on it and touches the same files. Not here: how a commit is read (`commits`), what failed on the way (`failure_tracker`).

use super::commits::MadeCommit;
use super::failure_tracker::{FailureTracker, turned_green};
use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::request::{Intent, intent};
use super::transcript::{TranscriptEntry, Turn};
use crate::causes::causes;
use crate::claims::{believed_closing, without_unmeasured};
use crate::commit_title::title_of_commit;
use crate::plain::{account, heading_of, reports, unwrapped};
use crate::plans::why_of_plan;
use crate::sentences::sentences;
use crate::tasks::SessionTasks;
use crate::titles::{
    RequestTitle, claims as claims_of, orders_result, request_title, stands_alone, title_of_approved,
    title_of_plan,
};
use backstory_memory::{
    Activity, ChangedSymbol, Details, EventId, EvidenceKind, Kind, Provenance, SymbolChange, WorkDetails,
    keywords,
};
use backstory_store::OnRepeat;
use std::collections::HashSet;
use std::path::Path;

/// A piece of work, with what is known of it.
pub(super) struct PieceOfWork<'a> {
    /// The turns it took, by number.
    pub(super) turns: Vec<usize>,
    all: &'a [Turn<'a>],
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

/// Returns the pieces of work of a session, in order.
pub(super) fn pieces<'a>(
    turns: &'a [Turn<'a>],
    failing: &FailureTracker<'_>,
    code: &'a [ChangedSymbol],
) -> Vec<PieceOfWork<'a>> {
    let mut pieces: Vec<PieceOfWork<'a>> = Vec::new();
    for at in 0..turns.len() {
        let Some(piece) = PieceOfWork::from_turn(at, turns, failing, code) else { continue };
        match pieces.last_mut().filter(|last| last.goes_on_in(&piece)) {
            Some(last) => last.take_in(piece),
            None => pieces.push(piece),
        }
    }
    pieces
}

impl<'a> PieceOfWork<'a> {
    fn from_turn(
        at: usize,
        turns: &'a [Turn<'a>],
        failing: &FailureTracker<'_>,
        code: &'a [ChangedSymbol],
    ) -> Option<PieceOfWork<'a>> {
        let turn = turns.get(at)?;
        let stands = |file: &&str| lies_in_project(file) && !turn.takes_back(file);
        let files: Vec<&str> = turn.edited().into_iter().filter(stands).collect();
        let made = turn.commands().filter_map(|(entry, ran)| Some((entry.id, ran.commit()?)));
        let (committed, commits): (Vec<EventId>, Vec<&MadeCommit>) = made.unzip();
        let commits = without_amended(commits);
        if files.is_empty() && commits.is_empty() {
            return None;
        }
        // A symbol is listed once a session, with when it changed last.
        let since = turn.first()?.at;
        let code = code
            .iter()
            .filter(|changed| changed.at >= since && files.contains(&changed.path.as_str()))
            .collect();
        let (green, fixes) = (turned_green(turn), failing.fixes_code(at));
        Some(PieceOfWork { turns: vec![at], all: turns, files, commits, committed, code, green, fixes })
    }

    /// Whether a later turn belongs to the same piece.
    fn goes_on_in(&self, next: &PieceOfWork<'_>) -> bool {
        let request = next.own_request();
        let asks_nothing = request.is_none();
        let is_remark = !request.is_some_and(|request| request.is_order);
        let shares_file = next.files.iter().any(|file| self.files.contains(file));
        // A commit ends a piece, unless the next one takes its place.
        let only_commits = next.files.is_empty();
        let amends = next.commits.first().is_some_and(|commit| commit.amends);
        if self.commits.is_empty() {
            asks_nothing || only_commits || shares_file && is_remark
        } else {
            amends || only_commits && is_remark
        }
    }

    fn take_in(&mut self, next: PieceOfWork<'a>) {
        self.turns.extend(next.turns);
        let new = next.files.into_iter().filter(|file| !self.files.contains(file)).collect::<Vec<_>>();
        self.files.extend(new);
        self.commits.extend(next.commits);
        self.commits = without_amended(std::mem::take(&mut self.commits));
        self.committed.extend(next.committed);
        for changed in next.code {
            if !self.code.contains(&changed) {
                self.code.push(changed);
            }
        }
        self.green = self.green.take().or(next.green);
        self.fixes |= next.fixes;
    }

    fn turns(&self) -> impl DoubleEndedIterator<Item = &'a Turn<'a>> {
        self.turns.iter().filter_map(|at| self.all.get(*at))
    }

    /// Whether it is committed.
    pub(super) fn is_committed(&self) -> bool {
        !self.commits.is_empty()
    }

    pub(super) fn files(&self) -> &[&'a str] {
        &self.files
    }

    /// Makes a finding of it, unless nobody named it or its documents tell it themselves.
    pub(super) fn finding(&self, tasks: &SessionTasks) -> Option<Finding> {
        if self.is_said_by_documents() {
            return None;
        }
        let title = self.title(tasks)?;
        let turns: Vec<&Turn<'_>> = self.turns().collect();
        let account = without_unmeasured(&without_claim(&self.account(), &title), &turns);
        let details = self.details(&title, &account);
        let why = self.why().map(|why| format!("Why: {why}"));
        let account = why.into_iter().chain(Some(account).filter(|account| !account.is_empty()));
        let body = details.body(&account.collect::<Vec<_>>().join("\n"));
        let mut content = distilled(self.kind(), &title, &body, Provenance::Assistant);
        content.details = Some(Details::WorkDone(details));
        content.facts = self.facts();
        content.concepts =
            self.code.iter().map(|changed| changed.qualified_name.clone()).take(MOST_NAMED).collect();
        content.files = self.files.iter().map(|file| (*file).to_owned()).collect();
        let (first, last) = (self.turns().next()?, self.turns().next_back()?);
        let done = self.turns().flat_map(|turn| turn.entries).filter(|entry| self.is_evidence(entry));
        Some(Finding {
            subject: subject_of_turn("work", first),
            content,
            events: evidence(first.first().into_iter().chain(done)),
            at: last.last()?.at,
            again: OnRepeat::Replace,
            comparing: Comparing::Not,
            evidence: EvidenceKind::Structure,
            relates_to: Vec::new(),
        })
    }

    /// What the user asked for in the piece itself.
    fn own_request(&self) -> Option<RequestTitle> {
        self.turns().find_map(|turn| request_title(turn.prompt()))
    }

    /// What it was asked for: where its own turns only tell something or say to go on, the nearest order before.
    fn request(&self) -> Option<RequestTitle> {
        let first = self.turns.first().copied().unwrap_or_default();
        let mut earlier = self.all.iter().take(first).rev().take(MOST_BACK);
        match self.own_request() {
            Some(own) if own.is_order => Some(own),
            own => {
                let before = earlier.find_map(|turn| request_title(turn.prompt()));
                before.filter(|request| request.is_order).or(own)
            }
        }
    }

    fn is_evidence(&self, entry: &TranscriptEntry) -> bool {
        match entry.activity() {
            Activity::Edited { file, .. } => self.files.contains(&file.as_str()),
            Activity::Ran { .. } => self.committed.contains(&entry.id),
            Activity::TurnEnded { .. } => true,
            _ => false,
        }
    }

    /// Evidence first: what was broken and works, what the commit says; then what was requested and
    /// what is new in the code.
    fn kind(&self) -> Kind {
        if self.is_documents() {
            return Kind::Change;
        }
        let commit = self.commits.iter().find_map(|commit| kind_of_commit(&commit.subject));
        let wanted = self
            .turns()
            .map(|turn| intent(turn.prompt()))
            .find(|intent| *intent != Intent::Unclear)
            .unwrap_or(Intent::Unclear);
        let has_new = self.code.iter().any(|changed| changed.change == SymbolChange::New);
        if self.fixes {
            // A new thing under test turns its own tests green.
            return if wanted == Intent::Add && has_new { Kind::Feature } else { Kind::Bugfix };
        }
        match (commit, wanted) {
            (Some(kind), _) => kind,
            (None, Intent::Fix) => Kind::Bugfix,
            (None, Intent::Rearrange) => Kind::Refactor,
            (None, Intent::Add) if has_new || self.makes_files() => Kind::Feature,
            // A test that was written before it could pass is of something new.
            _ if self.green.is_some() && self.writes_tests() => Kind::Feature,
            _ if has_new && self.only_moves() => Kind::Refactor,
            _ if has_new && self.code.iter().all(|changed| changed.change == SymbolChange::New) => {
                Kind::Feature
            }
            _ => Kind::Change,
        }
    }

    /// Whether all it did is written where whoever needs it looks anyway: in a README or its like, or in a draft.
    pub(super) fn is_said_by_documents(&self) -> bool {
        self.is_documents() && (!self.is_committed() || self.files.iter().all(|file| is_front_page(file)))
    }

    fn is_documents(&self) -> bool {
        !self.files.is_empty() && self.files.iter().all(|file| is_document(file))
    }

    fn writes_tests(&self) -> bool {
        self.files.iter().any(|file| is_test(file))
    }

    fn makes_files(&self) -> bool {
        self.turns()
            .flat_map(|turn| turn.entries)
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

    /// The commit's title, else the plan's, else what the agent says it did, else what was asked for. Work that nobody named is none
    /// worth a memory: where it stands is in the handoff.
    pub(super) fn title(&self, tasks: &SessionTasks) -> Option<String> {
        let commits = || self.commits.iter().filter_map(|commit| title_of_commit(&commit.subject));
        let commit = commits().find(|title| !keeps_books(title));
        // The commit of a document says what it is about, and may be the last of several that others made.
        let document = || {
            let heading = || self.turns().rev().find_map(|turn| heading_of(turn.closing()?.1));
            self.is_documents().then(|| commits().next().and_then(|commit| heading().or(Some(commit))))?
        };
        let plan = || {
            let decided = |entry: &'a TranscriptEntry| match entry.activity() {
                Activity::PlanDecided { plan, is_approved: true, .. } => title_of_approved(plan),
                _ => None,
            };
            let approved = self.turns().flat_map(|turn| turn.entries).find_map(decided);
            approved.or_else(|| self.turns().find_map(|turn| title_of_plan(turn.prompt())))
        };
        let task = || tasks.done.first().filter(|task| stands_alone(task)).cloned();
        let claim = || self.claim().map(|(_, title)| title);
        let named =
            commit.or_else(document).or_else(plan).or_else(claim).or_else(|| self.order()).or_else(task);
        named.or_else(|| commits().next())
    }

    /// Why it was done, where a plan says so.
    fn why(&self) -> Option<String> {
        let approved = |entry: &'a TranscriptEntry| match entry.activity() {
            Activity::PlanDecided { plan, is_approved: true, .. } => why_of_plan(plan),
            _ => None,
        };
        let sent = || self.turns().filter(|turn| title_of_plan(turn.prompt()).is_some());
        self.turns()
            .flat_map(|turn| turn.entries)
            .find_map(approved)
            .or_else(|| sent().find_map(|turn| why_of_plan(turn.prompt())))
    }

    /// What the user asked for, where that names what it is about.
    fn order(&self) -> Option<String> {
        // Nobody said that it was done.
        if !self.is_committed()
            && !self.turns().any(|turn| turn.closing().is_some_and(|(_, said)| reports(said)))
        {
            return None;
        }
        let named = |request: &RequestTitle| {
            request.is_order && request.is_whole && request.is_uncut && orders_result(&request.title)
        };
        self.request().filter(named).map(|request| request.title)
    }

    /// What the agent says it did, and the turn in which it says so: of several claims the one that shares most with the files, the
    /// symbols and the request.
    fn claim(&self) -> Option<(&'a Turn<'a>, String)> {
        let request = self.request().map(|request| request.title).unwrap_or_default();
        let code = self.code.iter().map(|changed| changed.qualified_name.as_str());
        let about: HashSet<String> =
            self.files.iter().copied().chain(code).chain([request.as_str()]).flat_map(keywords).collect();
        let claims = self.turns().filter_map(|turn| Some((turn, believed_closing(turn)?.1)));
        let claims = claims
            .flat_map(|(turn, message)| claims_of(&message).into_iter().map(move |title| (turn, title)));
        let shared = |title: &str| keywords(title).iter().filter(|word| about.contains(*word)).count();
        let rated: Vec<_> = claims.map(|(turn, title)| (shared(&title), turn, title)).collect();
        // Of equals the first: `max_by_key` would take the last.
        let best = rated.into_iter().rev().max_by_key(|(shared, ..)| *shared);
        best.map(|(_, turn, title)| (turn, title))
    }

    fn details(&self, title: &str, account: &str) -> WorkDetails {
        let commits = self.commits.iter().filter_map(|commit| commit.hash.clone());
        let said: HashSet<String> = keywords(title).into_iter().chain(keywords(account)).collect();
        // What was asked in passing, while something else was under way, is not what this was done for; the title says itself.
        let fits = |request: &String| {
            request != title && keywords(request).iter().filter(|word| said.contains(*word)).count() > 1
        };
        WorkDetails { request: self.order().filter(fits), commits: commits.collect() }
    }

    /// What its commits say of it, else what the agent says in the turn that names it.
    fn account(&self) -> String {
        let bodies: Vec<&str> =
            self.commits.iter().map(|commit| commit.body.as_str()).filter(|body| !body.is_empty()).collect();
        if !bodies.is_empty() {
            return account(&unwrapped(&bodies.join("\n\n")));
        }
        let commits =
            |turn: &&'a Turn<'a>| turn.entries.iter().any(|entry| self.committed.contains(&entry.id));
        let named = if self.is_committed() {
            self.turns().rfind(commits)
        } else {
            self.claim().map(|(turn, _)| turn)
        };
        let said = named.and_then(believed_closing).or_else(|| self.turns().rev().find_map(believed_closing));
        said.map(|(_, message)| account(&message)).unwrap_or_default()
    }

    fn facts(&self) -> Vec<String> {
        let mut facts: Vec<String> = self
            .turns()
            .filter_map(Turn::closing)
            .flat_map(|(_, message)| causes(message, &[]))
            .take(MOST_CAUSES)
            .collect();
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

/// Drops the commits that later ones took the place of.
fn without_amended(commits: Vec<&MadeCommit>) -> Vec<&MadeCommit> {
    let mut standing: Vec<&MadeCommit> = Vec::new();
    for commit in commits {
        if commit.amends {
            standing.pop();
        }
        standing.push(commit);
    }
    standing
}

/// Drops the sentence of an account that the title was made of: it would say the same twice.
fn without_claim(account: &str, title: &str) -> String {
    let says_it = |sentence: &str| claims_of(sentence).iter().any(|claim| claim == title);
    let lines = account.lines().map(|line| match says_it(line) {
        true => {
            sentences(line).into_iter().filter(|sentence| !says_it(sentence)).collect::<Vec<_>>().join(" ")
        }
        false => line.to_owned(),
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
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

/// Whether a title speaks of a document: beside code that changed, its commit only keeps the books.
fn keeps_books(title: &str) -> bool {
    title.split(' ').any(|word| is_document(word.trim_matches(['`', '"', '\'', ',', '(', ')'])))
}

/// Scratch files and the host's own notes are not the project's work.
fn lies_in_project(file: &str) -> bool {
    !Path::new(file).is_absolute() && !file.starts_with("..")
}

/// Prose changes nothing a program does: it is no feature, and it mends nothing.
pub(super) fn is_document(file: &str) -> bool {
    let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["md", "mdx", "rst", "adoc", "txt"].contains(&extension))
}

/// Whether people and agents read a document before they begin, by the names such documents have.
fn is_front_page(file: &str) -> bool {
    const NAMES: [&str; 6] = ["readme", "changelog", "claude", "agents", "gemini", "contributing"];
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    is_document(file) && NAMES.contains(&stem.to_lowercase().as_str())
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
const MOST_CAUSES: usize = 3;
/// A request that is further back is about something else.
const MOST_BACK: usize = 3;
