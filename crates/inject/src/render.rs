//! The lines of a memory, of changed code, of the work tree.
//!
//! Facts, not orders: every line says when, who if it was not the agent, and then what. All recorded text goes through `encode`. A
//! line that asks for an action is left out unless the user said or confirmed it (law 6).

use crate::assembly::{SectionItem, Subject};
use crate::encode::{encode, shorten};
use crate::snippet::{self, LINE_CHARS};
use crate::{Candidate, WorkTreeStatus, age, time_ago};
use backstory_memory::{
    ChangedSymbol, Details, Memory, Provenance, SymbolChange, TITLE_CHARS, Timestamp, Tokens, estimate,
    may_be_injected,
};
use std::collections::HashSet;

/// The length of a memory in full.
const FULL_CHARS: usize = 260;
/// The length of a session in one line.
const SESSION_CHARS: usize = 200;
const MOST_NAMES: usize = 6;
const NAME_CHARS: usize = 80;

/// A memory's title, and what its body adds to it; then the title alone.
pub(crate) fn knowledge(it: &Candidate, now: Timestamp) -> SectionItem {
    let memory = &it.memory;
    let label = label(memory);
    let line = |text: &str| format!("- [{}] {label}: {text}{}", stamp(memory, now), remarks(it));
    memory_item(it, vec![snippet::snippet(memory, FULL_CHARS), snippet::title(memory)], line)
}

/// A session in one line: what it completed, else what it was about.
pub(crate) fn session(it: &Candidate, now: Timestamp) -> SectionItem {
    let memory = &it.memory;
    let completed = memory.content.details.as_ref().and_then(Details::completed);
    let line = |text: &str| format!("- [{}] {text}{}", stamp(memory, now), remarks(it));
    let whole = completed.map(|text| encode(&text, SESSION_CHARS));
    memory_item(it, whole.into_iter().chain([snippet::title(memory)]).collect(), line)
}

/// A handoff or a summary, line by line; then its title alone. Lines in `said` are not repeated.
pub(crate) fn session_report(it: &Candidate, said: &[String], now: Timestamp) -> SectionItem {
    let memory = &it.memory;
    let is_said = |line: &String| said.iter().any(|other| other.starts_with(line.as_str()));
    let lines: Vec<String> = report_lines(memory).into_iter().filter(|line| !is_said(line)).collect();
    // The lines were judged one by one: what one of them asks for does not silence the others.
    let title = Some(snippet::title(memory)).filter(|title| may_be_injected(memory, title));
    // "Next: X" over "Next steps: X; Y" says nothing; neither does a title the body completes.
    let is_below = |title: &String| lines.iter().any(|line| line.contains(core_of(title)));
    let heading = title.clone().filter(|title| !is_below(title));
    let all: Vec<String> = heading.into_iter().chain(lines).collect();
    let whole = (!all.is_empty()).then(|| all.join("\n  "));
    let line = |text: String| format!("- [{}] {text}{}", stamp(memory, now), remarks(it));
    item(it, whole.into_iter().chain(title).map(line).collect())
}

/// The lines of a handoff or a summary, without the files that were only read.
pub(crate) fn report_lines(memory: &Memory) -> Vec<String> {
    let lines = snippet::lines(memory).filter(|line| !snippet::is_background(memory, line));
    let lines = lines.map(|line| encode(line, LINE_CHARS)).filter(|line| !line.is_empty());
    lines.filter(|line| may_be_injected(memory, line)).collect()
}

/// The part of a title that says what: without "Next: " and the like, and without the mark of a cut.
fn core_of(title: &str) -> &str {
    let rest = title.split_once(": ").map_or(title, |(_, rest)| rest);
    rest.trim_end_matches('…').trim_end_matches('.')
}

/// Branch, dirty files and next steps, one line each, worded as in a handoff.
pub(crate) fn work_tree(state: &WorkTreeStatus) -> Vec<String> {
    let names = |names: &[String]| {
        let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| encode(name, NAME_CHARS)).collect();
        let more = names.len().saturating_sub(MOST_NAMES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}{more}", shown.join(", "))
    };
    let branch = state.branch.as_deref().map(|branch| format!("Branch: {}", encode(branch, NAME_CHARS)));
    let dirty = (!state.dirty.is_empty()).then(|| format!("Not committed: {}", names(&state.dirty)));
    let steps: Vec<String> =
        state.next_steps.iter().take(MOST_NAMES).map(|step| encode(step, LINE_CHARS / 2)).collect();
    let next = (!steps.is_empty()).then(|| format!("Next steps: {}", steps.join("; ")));
    branch.into_iter().chain(dirty).chain(next).collect()
}

/// The work tree as one item.
pub(crate) fn work_tree_item(lines: &[String]) -> SectionItem {
    SectionItem { subject: Subject::WorkTreeStatus, forms: vec![format!("- [now] {}", lines.join("\n  "))] }
}

/// One file and what changed in it; then with fewer symbols.
pub(crate) fn file(path: &str, changes: &[&ChangedSymbol]) -> SectionItem {
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
    SectionItem { subject: Subject::Code, forms: vec![form(8), form(3), form(1)] }
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
    if changed.change == SymbolChange::Deleted || changed.signature.trim().is_empty() {
        return name;
    }
    let signature = encode(&changed.signature, 120);
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
pub(crate) fn index_line(it: &Candidate, now: Timestamp, most: Tokens) -> SectionItem {
    let memory = &it.memory;
    let project = it.other_project.as_deref().map(|name| format!(" · in {}", encode(name, 40)));
    let changed = if it.changed_since { " · changed since" } else { "" };
    let line = |title: &str| {
        let age = age(memory.created_at, now);
        format!(
            "#{} {} {title} · {age}{}{changed}",
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
    let uncut = snippet::uncut(memory, UNCUT_CHARS).filter(|sentence| may_be_injected(memory, sentence));
    let uncut = uncut.map(|sentence| line(&sentence));
    let uncut = uncut.filter(|uncut| chars == TITLE_CHARS && estimate(uncut) <= most);
    let whole = may_be_injected(memory, &title).then_some(whole);
    item(it, uncut.into_iter().chain(whole).collect())
}

/// The longest sentence that may replace a cut title in an index.
const UNCUT_CHARS: usize = 160;
/// No title of an index is cut shorter.
const SHORTEST_TITLE: usize = 24;

/// What to know before a tool runs: what failed and what fixed it, in one line.
pub(crate) fn warning(it: &Candidate, now: Timestamp) -> SectionItem {
    let memory = &it.memory;
    let start =
        format!("#{} {}, {}: ", memory.id, label(memory).to_lowercase(), time_ago(memory.created_at, now));
    let line = |text: &str| format!("{start}{text}{}", remarks(it));
    let texts =
        vec![snippet::snippet(memory, FULL_CHARS), snippet::snippet(memory, 130), snippet::title(memory)];
    memory_item(it, texts, line)
}

/// Makes an item of a memory's texts: of those that may be injected. If none may, the item has no form and is left out.
fn memory_item(it: &Candidate, texts: Vec<String>, line: impl Fn(&str) -> String) -> SectionItem {
    // Judged before they are decorated: a request is recognised by the word it begins with.
    let texts = texts.into_iter().filter(|text| may_be_injected(&it.memory, text));
    item(it, texts.map(|text| line(&text)).collect())
}

/// Makes an item of lines that may be injected.
fn item(it: &Candidate, forms: Vec<String>) -> SectionItem {
    let subject = Subject::Memory { id: it.memory.id, score: it.score, reasons: it.reasons.clone() };
    SectionItem { subject, forms }
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
