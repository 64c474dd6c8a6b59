//! The lines of a memory, of changed code, of the work tree.
//!
//! Facts, not orders: every line says which memory it is, what, who if it was not the agent, and when. All recorded text goes through
//! `encode`. A line that asks for an action is left out unless the user said or confirmed it (law 6).

use crate::ages::calendar_age;
use crate::assembly::{ItemForm, SectionItem, Subject};
use crate::encode::{encode, shorten};
use crate::handoff_now::handoff_now;
use crate::names::is_plain_name;
use crate::snippet::{self, LINE_CHARS};
use crate::{BlockFrame, Candidate, WorkTreeStatus};
use backstory_memory::{
    ChangedSymbol, Details, Kind, KindGroup, LabelledLine, Memory, OwnAddresses, Provenance, SymbolChange,
    TITLE_CHARS, Timestamp, Tokens, estimate, may_be_injected,
};
use std::collections::HashSet;

/// The length of a memory in full.
const FULL_CHARS: usize = 260;
/// The length of an answer that was found.
const ANSWER_CHARS: usize = 200;
const MOST_NAMES: usize = 6;
const NAME_CHARS: usize = 80;
/// So many symbols of a changed file are named.
const MOST_SYMBOLS: usize = 2;
/// Changed code is worth a glance; git knows the rest.
const MOST_CHANGED_FILES: usize = 4;

/// What lines are rendered by.
#[derive(Clone, Copy)]
pub(crate) struct RenderContext<'a> {
    pub(crate) now: Timestamp,
    utc_offset_minutes: i32,
    /// The addresses that lines may name.
    own: &'a OwnAddresses,
    pub(crate) work_in_full: usize,
}

impl<'a> RenderContext<'a> {
    pub(crate) fn new(frame: &'a BlockFrame) -> RenderContext<'a> {
        RenderContext {
            now: frame.now,
            utc_offset_minutes: frame.utc_offset_minutes,
            own: &frame.own,
            work_in_full: frame.work_in_full,
        }
    }

    fn age(self, memory: &Memory) -> String {
        calendar_age(memory.created_at, self.now, self.utc_offset_minutes)
    }
}

/// A memory's title, and what its body adds to it; then the title alone.
pub(crate) fn knowledge<'a>(it: &'a Candidate, context: RenderContext<'a>) -> SectionItem<'a> {
    let texts = vec![snippet::snippet(&it.memory, FULL_CHARS), snippet::title(&it.memory)];
    memory_item(it, texts, |text| listed(it, text, context), context)
}

/// A memory's title.
pub(crate) fn title_alone<'a>(it: &'a Candidate, context: RenderContext<'a>) -> SectionItem<'a> {
    memory_item(it, vec![snippet::title(&it.memory)], |text| listed(it, text, context), context)
}

/// A trap or a fact. A failure whose fix may not be given says too little: it is left out.
pub(crate) fn trap<'a>(it: &'a Candidate, context: RenderContext<'a>) -> SectionItem<'a> {
    let whole = snippet::snippet(&it.memory, FULL_CHARS);
    if it.memory.content.kind == Kind::Failure && !may_be_injected(&it.memory, &whole, context.own) {
        return item(it, Vec::new());
    }
    memory_item(it, vec![whole, snippet::title(&it.memory)], |text| listed(it, text, context), context)
}

/// A memory whose kind its section does not say.
pub(crate) fn with_kind<'a>(it: &'a Candidate, context: RenderContext<'a>) -> SectionItem<'a> {
    let texts = vec![snippet::snippet(&it.memory, FULL_CHARS), snippet::title(&it.memory)];
    let line = |text: &str| listed(it, &format!("{}: {text}", label(&it.memory)), context);
    memory_item(it, texts, line, context)
}

/// One piece of work: its title says what was done, and its text mostly how well. A discovery is its answer.
pub(crate) fn work<'a>(it: &'a Candidate, context: RenderContext<'a>) -> SectionItem<'a> {
    let line = |text: &str| listed(it, &format!("{}: {text}", label(&it.memory)), context);
    let answer =
        (it.memory.content.kind == Kind::Discovery).then(|| snippet::snippet(&it.memory, ANSWER_CHARS));
    memory_item(it, answer.into_iter().chain([snippet::title(&it.memory)]).collect(), line, context)
}

fn listed(it: &Candidate, text: &str, context: RenderContext<'_>) -> String {
    format!("- #{} {text} ({})", it.memory.id, origin(it, context))
}

/// Where the work stands, line by line, as it holds now; then its first line alone.
pub(crate) fn handoff<'a>(
    it: &'a Candidate,
    tree: Option<&WorkTreeStatus>,
    context: RenderContext<'a>,
) -> SectionItem<'a> {
    let memory = &it.memory;
    let now = handoff_now(memory, tree).map(|now| now.lines);
    let is_written_by_hand = now.is_none();
    // The lines are judged one by one: what one of them asks for does not silence the others.
    let lines: Vec<String> = match now {
        Some(lines) => lines.iter().filter_map(|line| without_requests(memory, line, context)).collect(),
        None => snippet::lines(memory).filter_map(|line| harmless_clauses(memory, line, context)).collect(),
    };
    let title = Some(snippet::title(memory)).filter(|_| is_written_by_hand);
    let title = title.filter(|title| may_be_injected(memory, title, context.own));
    // A title that its text completes says nothing.
    let is_below = |title: &String| lines.iter().any(|line| line.contains(core_of(title)));
    let all: Vec<String> = title.filter(|title| !is_below(title)).into_iter().chain(lines).collect();
    let head = |text: &str| format!("- #{} ({}) {text}", memory.id, origin(it, context));
    let whole = (!all.is_empty()).then(|| head(&all.join("\n  ")));
    item(it, whole.into_iter().chain(all.first().map(|first| head(first))).collect())
}

/// Returns what of a line may be given: the entries that ask for nothing, of a single one its clauses. A line that names a file or a
/// branch by a sentence is left out.
fn without_requests(memory: &Memory, line: &LabelledLine, context: RenderContext<'_>) -> Option<String> {
    let text = encode(&line.text(), LINE_CHARS);
    if names_of_handoff(memory).any(|name| text.contains(name) && !is_plain_name(name, context.own)) {
        return None;
    }
    if may_be_injected(memory, &text, context.own) {
        return Some(text);
    }
    let (entries, between) = match line.entries.as_slice() {
        [entry] => clauses(entry)?,
        entries => (entries.iter().map(String::as_str).collect(), line.between),
    };
    let is_harmless = |entry: &&str| may_be_injected(memory, &encode(entry, LINE_CHARS), context.own);
    let kept: Vec<&str> = entries.into_iter().filter(is_harmless).collect();
    (!kept.is_empty()).then(|| encode(&format!("{}: {}", line.label, kept.join(between)), LINE_CHARS))
}

/// Returns what may be given of a line somebody wrote: the clauses that ask for nothing, whatever stands before a colon in them.
fn harmless_clauses(memory: &Memory, line: &str, context: RenderContext<'_>) -> Option<String> {
    let line = encode(line, LINE_CHARS);
    let is_harmless = |text: &str| may_be_injected(memory, text, context.own);
    if line.is_empty() || is_harmless(&line) {
        return Some(line).filter(|line| !line.is_empty());
    }
    let (clauses, between) = clauses(&line)?;
    let behind_colon = |clause: &&str| clause.split_once(": ").is_none_or(|(_, rest)| is_harmless(rest));
    let kept: Vec<&str> =
        clauses.into_iter().filter(|clause| is_harmless(clause)).filter(behind_colon).collect();
    (!kept.is_empty()).then(|| kept.join(between))
}

/// Splits a text into what stands between semicolons, else into its sentences; none where it has one only.
fn clauses(text: &str) -> Option<(Vec<&str>, &'static str)> {
    let between = ["; ", ". "].into_iter().find(|between| text.contains(between))?;
    Some((text.split(between).collect(), between))
}

/// The branch and the files that a handoff names.
fn names_of_handoff(memory: &Memory) -> impl Iterator<Item = &str> {
    let handoff = match &memory.content.details {
        Some(Details::Handoff(handoff)) => Some(handoff),
        _ => None,
    };
    handoff.into_iter().flat_map(|it| it.branch.iter().chain(&it.dirty_files)).map(String::as_str)
}

/// The part of a title that says what: titles that people and agents write often begin with the state, as "Next: …".
fn core_of(title: &str) -> &str {
    let rest = title.split_once(": ").map_or(title, |(_, rest)| rest);
    rest.trim_end_matches('…').trim_end_matches('.')
}

/// Branch and dirty files as one item; nothing where neither can be named.
pub(crate) fn work_tree(state: &WorkTreeStatus, context: RenderContext<'_>) -> Option<SectionItem<'static>> {
    let is_plain = |name: &&String| is_plain_name(name, context.own);
    let branch = state.branch.as_ref().filter(is_plain);
    let branch = branch.map(|branch| format!("on branch {}", encode(branch, NAME_CHARS)));
    let dirty: Vec<&String> = state.dirty.iter().filter(is_plain).collect();
    let shown: Vec<String> = dirty.iter().take(MOST_NAMES).map(|name| encode(name, NAME_CHARS)).collect();
    let more = dirty.len().saturating_sub(MOST_NAMES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let dirty = (!dirty.is_empty()).then(|| format!("not committed: {}{more}", shown.join(", ")));
    let said: Vec<String> = branch.into_iter().chain(dirty).collect();
    (!said.is_empty())
        .then(|| plain_item(Subject::WorkTreeStatus, vec![format!("- [now] {}", said.join("; "))]))
}

/// The files that changed last, in one line: each with the number of its changed symbols and the names of a few that others use; then
/// with the numbers alone. A file whose path or symbols are sentences is left out.
pub(crate) fn changed_files(files: &[(&str, Vec<&ChangedSymbol>)]) -> Option<SectionItem<'static>> {
    let own = OwnAddresses::default();
    let mut named = Vec::new();
    let mut counted = Vec::new();
    for (path, changes) in files {
        let is_plain = |changed: &&&ChangedSymbol| is_plain_name(&changed.qualified_name, &own);
        if !is_plain_name(path, &own) || !changes.iter().any(|changed| is_plain(&changed)) {
            continue;
        }
        if counted.len() == MOST_CHANGED_FILES {
            break;
        }
        let count = format!("{} ({}", encode(path, 120), changes.len());
        let exported = changes.iter().filter(|changed| is_exported(changed)).filter(is_plain);
        let names: Vec<String> = exported.take(MOST_SYMBOLS).map(|changed| changed_name(changed)).collect();
        counted.push(format!("{count})"));
        let names = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        named.push(format!("{count}{names})"));
    }
    let lines = [named, counted].map(|files| format!("- {}", files.join(", ")));
    (lines != ["- ", "- "]).then(|| plain_item(Subject::Code, lines.to_vec()))
}

fn is_exported(changed: &ChangedSymbol) -> bool {
    ["pub ", "pub(", "export ", "public "].iter().any(|word| changed.signature.starts_with(word))
}

fn changed_name(changed: &ChangedSymbol) -> String {
    let name = encode(&changed.qualified_name, 60);
    match changed.change {
        SymbolChange::New => format!("{name} (new)"),
        SymbolChange::Modified => name,
        SymbolChange::Deleted => format!("{name} (deleted)"),
    }
}

/// Leaves out summaries and handoffs with the title of another hit: the line would add nothing.
pub(crate) fn without_echoes(hits: Vec<&Candidate>) -> Vec<&Candidate> {
    let is_report = |it: &Candidate| it.memory.content.kind.is_session_account();
    let title = |it: &Candidate| encode(&it.memory.content.title, TITLE_CHARS);
    let titles: HashSet<String> = hits.iter().filter(|it| !is_report(it)).map(|it| title(it)).collect();
    hits.into_iter().filter(|it| !(is_report(it) && titles.contains(&title(it)))).collect()
}

/// How long the lines of an index may be.
#[derive(Clone, Copy)]
pub(crate) struct IndexLimits {
    /// What a line may cost.
    pub(crate) line: Tokens,
    /// How much of a memory is shown beside its title, in characters; nothing where there are many.
    pub(crate) text_chars: Option<usize>,
}

/// One line of an index: `#123 decision Use SQLite FTS5 for ranking. It needs no server. · 4d ago`; then with its title alone.
pub(crate) fn index_line<'a>(
    it: &'a Candidate,
    context: RenderContext<'a>,
    limits: IndexLimits,
) -> SectionItem<'a> {
    let memory = &it.memory;
    let project = it.other_project.as_deref().map(|name| format!(" · in {}", encode(name, 40)));
    let changed = if it.changed_since { " · changed since" } else { "" };
    let state = memory.failure_state().map(|state| format!(" · {state}")).unwrap_or_default();
    let line = |text: &str| {
        format!(
            "#{} {} {text} · {}{}{state}{changed}",
            memory.id,
            memory.content.kind,
            context.age(memory),
            project.as_deref().unwrap_or_default()
        )
    };
    let title = snippet::title(memory);
    let mut chars = TITLE_CHARS;
    let mut shortest = line(&title);
    while estimate(&shortest) > limits.line && chars > SHORTEST_TITLE {
        chars = chars * 3 / 4;
        shortest = line(&shorten(&title, chars));
    }
    let is_whole = chars == TITLE_CHARS;
    let fuller = limits.text_chars.map(|most| best_text(memory, most));
    let fuller = fuller.filter(|text| is_whole && *text != title);
    let fuller = fuller.map(|said| ItemForm { line: line(&said), said });
    let fuller = fuller.filter(|form| estimate(&form.line) <= limits.line);
    let shortest = ItemForm { line: shortest, said: title };
    SectionItem {
        forms: fuller.into_iter().chain([shortest]).collect(),
        words_of: Some((memory, context.own)),
        ..item(it, Vec::new())
    }
}

/// What of a memory says most: knowledge has a reason, a value or a fix beside its title, a discovery its answer; work has its title.
fn best_text(memory: &Memory, most_chars: usize) -> String {
    match memory.content.kind.traits().group {
        KindGroup::Knowledge => snippet::snippet(memory, most_chars),
        _ if memory.content.kind == Kind::Discovery => snippet::snippet(memory, most_chars),
        KindGroup::Work | KindGroup::SessionAccount => {
            snippet::uncut(memory, most_chars).unwrap_or_else(|| snippet::title(memory))
        }
    }
}

/// No title of an index is cut shorter.
const SHORTEST_TITLE: usize = 24;

/// What to know before a tool runs: what failed and what fixed it, in one line.
pub(crate) fn warning<'a>(it: &'a Candidate, context: RenderContext<'a>) -> SectionItem<'a> {
    let memory = &it.memory;
    let line =
        |text: &str| format!("#{} {} {text} ({})", memory.id, memory.content.kind, origin(it, context));
    let mut texts = vec![snippet::snippet(memory, FULL_CHARS), snippet::snippet(memory, 130)];
    // A failure is given for its fix, which its title does not say.
    if memory.content.kind != Kind::Failure {
        texts.push(snippet::title(memory));
    }
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

/// Who said it if that was not the agent or its tools, when, and what a reader must know about it.
fn origin(it: &Candidate, context: RenderContext<'_>) -> String {
    let memory = &it.memory;
    let who = match &memory.content.provenance {
        // Whose words rules are, the frame says.
        Provenance::User if memory.content.kind == Kind::Rule => None,
        _ if memory.content.kind == Kind::Rule => Some("confirmed by the user".to_owned()),
        Provenance::User => Some("user".to_owned()),
        Provenance::Import => Some("imported".to_owned()),
        Provenance::Team(member) => Some(format!("team {}", encode(member, 24))),
        Provenance::Web => Some("web".to_owned()),
        Provenance::Repository => Some("repository".to_owned()),
        Provenance::Tool | Provenance::Assistant => None,
    };
    let project = it.other_project.as_deref().map(|name| format!("project {}", encode(name, 40)));
    let changed = it.changed_since.then(|| "its code changed since".to_owned());
    let contradicted = it.contradicted_by.as_deref().map(|remark| encode(remark, NAME_CHARS));
    // A failure whose text does not say how it ended says whether it is over (law 12).
    let state = memory.failure_state().filter(|_| memory.content.facts.is_empty()).map(str::to_owned);
    let said = who.into_iter().chain([context.age(memory)]).chain(state).chain(project);
    let said: Vec<String> = said.chain(changed).chain(contradicted).collect();
    said.join(", ")
}

/// The kind, or the category of a fact or a rule.
fn label(memory: &Memory) -> String {
    let content = &memory.content;
    let has_sorts = content.kind.traits().shows_category;
    let category = content.category.as_ref().filter(|_| has_sorts).map(|category| encode(&category.0, 24));
    category.filter(|word| !word.is_empty()).unwrap_or_else(|| content.kind.as_str().to_owned())
}
