//! The lines of a memory, of changed code, of the work tree.
//!
//! Facts, not orders: every line says when, who if it was not the agent, and then what. All recorded text goes through `encode`. A
//! line that asks for an action is left out unless the user said or confirmed it (law 6).

use crate::assembly::{ItemForm, SectionItem, Subject};
use crate::encode::{encode, shorten};
use crate::names::{is_plain_name, plain_signature};
use crate::snippet::{self, LINE_CHARS};
use crate::{BlockFrame, Candidate, WorkTreeStatus, age, time_ago};
use backstory_memory::{
    ChangedSymbol, Details, Memory, OwnAddresses, Provenance, SymbolChange, TITLE_CHARS, Timestamp, Tokens,
    estimate, may_be_injected,
};
use std::collections::HashSet;

/// The length of a memory in full.
const FULL_CHARS: usize = 260;
/// The length of a session in one line.
const SESSION_CHARS: usize = 200;
const MOST_NAMES: usize = 6;
const NAME_CHARS: usize = 80;

/// What lines are rendered by.
#[derive(Clone, Copy)]
pub(crate) struct RenderContext<'a> {
    pub(crate) now: Timestamp,
    /// The addresses that lines may name.
    own: &'a OwnAddresses,
}

impl<'a> RenderContext<'a> {
    pub(crate) fn new(frame: &'a BlockFrame) -> RenderContext<'a> {
        RenderContext { now: frame.now, own: &frame.own }
    }
}

/// A memory's title, and what its body adds to it; then the title alone.
pub(crate) fn knowledge<'a>(it: &'a Candidate, context: RenderContext<'a>) -> SectionItem<'a> {
    let memory = &it.memory;
    let label = label(memory);
    let line = |text: &str| format!("- [{}] {label}: {text}{}", stamp(memory, context.now), remarks(it));
    memory_item(it, vec![snippet::snippet(memory, FULL_CHARS), snippet::title(memory)], line, context)
}

/// A session in one line: what it completed, else what it was about.
pub(crate) fn session<'a>(it: &'a Candidate, context: RenderContext<'a>) -> SectionItem<'a> {
    let memory = &it.memory;
    let completed = memory.content.details.as_ref().and_then(Details::completed);
    let line = |text: &str| format!("- [{}] {text}{}", stamp(memory, context.now), remarks(it));
    let whole = completed.map(|text| encode(&text, SESSION_CHARS));
    memory_item(it, whole.into_iter().chain([snippet::title(memory)]).collect(), line, context)
}

/// A handoff or a summary, line by line; then its title alone. Lines in `said` are not repeated.
pub(crate) fn session_report<'a>(
    it: &'a Candidate,
    said: &[String],
    context: RenderContext<'a>,
) -> SectionItem<'a> {
    let memory = &it.memory;
    let is_said = |line: &String| said.iter().any(|other| other.starts_with(line.as_str()));
    let may_be_said = |line: &String| may_be_injected(memory, line, context.own);
    // The lines are judged one by one: what one of them asks for does not silence the others.
    let unsaid = report_lines(memory).filter(|line| !is_said(line));
    let lines: Vec<String> = unsaid.filter_map(|line| without_requests(memory, line, context)).collect();
    let title = Some(snippet::title(memory)).filter(may_be_said);
    // "Next: X" over "Next steps: X; Y" says nothing; neither does a title the body completes.
    let is_below = |title: &String| lines.iter().any(|line| line.contains(core_of(title)));
    let heading = title.clone().filter(|title| !is_below(title));
    let all: Vec<String> = heading.into_iter().chain(lines).collect();
    let whole = (!all.is_empty()).then(|| all.join("\n  "));
    let line = |text: String| format!("- [{}] {text}{}", stamp(memory, context.now), remarks(it));
    item(it, whole.into_iter().chain(title).map(line).collect())
}

/// The lines of a handoff or a summary, without the files that were only read.
pub(crate) fn report_lines(memory: &Memory) -> impl Iterator<Item = String> {
    let lines = snippet::lines(memory).filter(|line| !snippet::is_background(memory, line));
    lines.map(|line| encode(line, LINE_CHARS)).filter(|line| !line.is_empty())
}

/// Returns what of a line may be given: of a list the entries that ask for nothing, of names those that are no sentences.
fn without_requests(memory: &Memory, line: String, context: RenderContext<'_>) -> Option<String> {
    let may_be_said = |text: &str| may_be_injected(memory, text, context.own);
    if names_of_handoff(memory).any(|name| line.contains(name) && !is_plain_name(name, context.own)) {
        return None;
    }
    if may_be_said(&line) {
        return Some(line);
    }
    let (label, entries) = line.split_once(": ").filter(|(_, entries)| entries.contains("; "))?;
    let kept: Vec<&str> = entries.split("; ").filter(|entry| may_be_said(entry)).collect();
    (!kept.is_empty()).then(|| format!("{label}: {}", kept.join("; ")))
}

/// The branch and the files that a handoff names.
fn names_of_handoff(memory: &Memory) -> impl Iterator<Item = &str> {
    let handoff = match &memory.content.details {
        Some(Details::Handoff(handoff)) => Some(handoff),
        _ => None,
    };
    handoff.into_iter().flat_map(|it| it.branch.iter().chain(&it.dirty_files)).map(String::as_str)
}

/// The part of a title that says what: without "Next: " and the like, and without the mark of a cut.
fn core_of(title: &str) -> &str {
    let rest = title.split_once(": ").map_or(title, |(_, rest)| rest);
    rest.trim_end_matches('…').trim_end_matches('.')
}

/// Branch, dirty files and next steps, one line each, worded as in a handoff.
pub(crate) fn work_tree(state: &WorkTreeStatus, context: RenderContext<'_>) -> Vec<String> {
    let is_plain = |name: &&String| is_plain_name(name, context.own);
    let names = |names: &[&String]| {
        let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| encode(name, NAME_CHARS)).collect();
        let more = names.len().saturating_sub(MOST_NAMES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}{more}", shown.join(", "))
    };
    let branch = state.branch.as_ref().filter(is_plain);
    let branch = branch.map(|branch| format!("Branch: {}", encode(branch, NAME_CHARS)));
    let dirty: Vec<&String> = state.dirty.iter().filter(is_plain).collect();
    let dirty = (!dirty.is_empty()).then(|| format!("Not committed: {}", names(&dirty)));
    let steps: Vec<String> =
        state.next_steps.iter().take(MOST_NAMES).map(|step| encode(step, LINE_CHARS / 2)).collect();
    let next = (!steps.is_empty()).then(|| format!("Next steps: {}", steps.join("; ")));
    branch.into_iter().chain(dirty).chain(next).collect()
}

/// The work tree as one item.
pub(crate) fn work_tree_item(lines: &[String]) -> SectionItem<'static> {
    plain_item(Subject::WorkTreeStatus, vec![format!("- [now] {}", lines.join("\n  "))])
}

/// One file and what changed in it; then with fewer symbols. Nothing where a name is a sentence.
pub(crate) fn file(path: &str, changes: &[&ChangedSymbol]) -> Option<SectionItem<'static>> {
    let own = OwnAddresses::default();
    let is_plain = |changed: &&&ChangedSymbol| is_plain_name(&changed.qualified_name, &own);
    let changes: Vec<&&ChangedSymbol> = changes.iter().filter(is_plain).collect();
    if changes.is_empty() || !is_plain_name(path, &own) {
        return None;
    }
    let form = |most: usize| {
        let mut text = format!("- {}", encode(path, 120));
        for changed in changes.iter().take(most) {
            text.push_str(&format!("\n  {} [{}]", declared(changed), tag(changed.change)));
        }
        match changes.len().saturating_sub(most) {
            0 => text,
            more => format!("{text}\n  and {more} more"),
        }
    };
    Some(plain_item(Subject::Code, vec![form(8), form(3), form(1)]))
}

fn tag(change: SymbolChange) -> &'static str {
    match change {
        SymbolChange::New => "NEW",
        SymbolChange::Modified => "MODIFIED",
        SymbolChange::Deleted => "DELETED",
    }
}

/// The declaration of a symbol with its container; only its name if it was deleted.
fn declared(changed: &ChangedSymbol) -> String {
    let name = encode(&changed.qualified_name, 100);
    let signature = plain_signature(&changed.signature).filter(|_| changed.change != SymbolChange::Deleted);
    let Some(signature) = signature else { return name };
    let signature = encode(&signature, 120);
    let end = name.rfind(['.', ':', '#']).unwrap_or_default();
    match name.get(..end).map(|outer| outer.trim_end_matches(':')) {
        Some(outer) if !outer.is_empty() => format!("{outer}: {signature}"),
        _ => signature,
    }
}

/// Leaves out summaries and handoffs with the title of another hit: the line would add nothing.
pub(crate) fn without_echoes(hits: Vec<&Candidate>) -> Vec<&Candidate> {
    let is_report = |it: &Candidate| it.memory.content.kind.is_session_account();
    let title = |it: &Candidate| encode(&it.memory.content.title, TITLE_CHARS);
    let titles: HashSet<String> = hits.iter().filter(|it| !is_report(it)).map(|it| title(it)).collect();
    hits.into_iter().filter(|it| !(is_report(it) && titles.contains(&title(it)))).collect()
}

/// One line of an index: `#123 decision Use SQLite FTS5 for ranking · 4d`. The title is cut if the line would cost more than `most`.
pub(crate) fn index_line<'a>(it: &'a Candidate, context: RenderContext<'a>, most: Tokens) -> SectionItem<'a> {
    let memory = &it.memory;
    let project = it.other_project.as_deref().map(|name| format!(" · in {}", encode(name, 40)));
    let changed = if it.changed_since { " · changed since" } else { "" };
    let state = memory.failure_state().map(|state| format!(" · {state}")).unwrap_or_default();
    let line = |title: &str| {
        let age = age(memory.created_at, context.now);
        format!(
            "#{} {} {title} · {age}{}{state}{changed}",
            memory.id,
            memory.content.kind,
            project.as_deref().unwrap_or_default()
        )
    };
    let title = snippet::title(memory);
    let mut chars = TITLE_CHARS;
    let mut whole = line(&title);
    while estimate(&whole) > most && chars > SHORTEST_TITLE {
        chars = chars * 3 / 4;
        whole = line(&shorten(&title, chars));
    }
    // The part that was cut off a title may be the one that matters; the full sentence is used where it fits.
    let uncut = snippet::uncut(memory, UNCUT_CHARS);
    let uncut = uncut.map(|sentence| ItemForm { line: line(&sentence), said: sentence });
    let uncut = uncut.filter(|uncut| chars == TITLE_CHARS && estimate(&uncut.line) <= most);
    let whole = ItemForm { line: whole, said: title };
    SectionItem {
        forms: uncut.into_iter().chain([whole]).collect(),
        words_of: Some((memory, context.own)),
        ..item(it, Vec::new())
    }
}

/// The longest sentence that may replace a cut title in an index.
const UNCUT_CHARS: usize = 160;
/// No title of an index is cut shorter.
const SHORTEST_TITLE: usize = 24;

/// What to know before a tool runs: what failed and what fixed it, in one line.
pub(crate) fn warning<'a>(it: &'a Candidate, context: RenderContext<'a>) -> SectionItem<'a> {
    let memory = &it.memory;
    let start = format!(
        "#{} {}, {}: ",
        memory.id,
        label(memory).to_lowercase(),
        time_ago(memory.created_at, context.now)
    );
    let line = |text: &str| format!("{start}{text}{}", remarks(it));
    let texts =
        vec![snippet::snippet(memory, FULL_CHARS), snippet::snippet(memory, 130), snippet::title(memory)];
    memory_item(it, texts, line, context)
}

/// Makes an item of a memory's texts, which are judged when they are placed.
fn memory_item<'a>(
    it: &'a Candidate,
    texts: Vec<String>,
    line: impl Fn(&str) -> String,
    context: RenderContext<'a>,
) -> SectionItem<'a> {
    let forms = texts.into_iter().map(|said| ItemForm { line: line(&said), said }).collect();
    SectionItem { forms, words_of: Some((&it.memory, context.own)), ..item(it, Vec::new()) }
}

/// Makes an item of lines that may be injected.
fn item(it: &Candidate, forms: Vec<String>) -> SectionItem<'static> {
    plain_item(Subject::Memory { id: it.memory.id, score: it.score, reasons: it.reasons.clone() }, forms)
}

fn plain_item(subject: Subject, lines: Vec<String>) -> SectionItem<'static> {
    let forms = lines.into_iter().map(|line| ItemForm { line, said: String::new() });
    SectionItem { subject, forms: forms.collect(), words_of: None }
}

/// When, and who said it if that was not the agent or its tools.
fn stamp(memory: &Memory, now: Timestamp) -> String {
    let when = time_ago(memory.created_at, now);
    match &memory.content.provenance {
        Provenance::User => format!("{when}, user"),
        Provenance::Import => format!("{when}, imported"),
        Provenance::Team(member) => format!("{when}, team {}", encode(member, 24)),
        Provenance::Web => format!("{when}, web"),
        Provenance::Repository => format!("{when}, repository"),
        Provenance::Tool | Provenance::Assistant => when,
    }
}

/// The other project and changed code, which a reader must know about.
fn remarks(it: &Candidate) -> String {
    let project = it.other_project.as_deref().map(|name| format!(" (project {})", encode(name, 40)));
    let changed = if it.changed_since { " (its code changed since)" } else { "" };
    format!("{}{changed}", project.unwrap_or_default())
}

/// The kind, or the category of a learning or a pattern.
fn label(memory: &Memory) -> String {
    let content = &memory.content;
    let has_sorts = content.kind.traits().shows_category;
    let category = content.category.as_ref().filter(|_| has_sorts).map(|category| encode(&category.0, 24));
    let word = category.filter(|word| !word.is_empty()).unwrap_or_else(|| content.kind.as_str().to_owned());
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
