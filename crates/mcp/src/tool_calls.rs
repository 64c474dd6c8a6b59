//! What each tool does: arguments in, text out. Every tool makes the same request of `app` as the command of its name.
//!
//! Law 8 is stricter here than at the command line: a person who types an id means that memory, an agent may be guessing ids. So a
//! memory of another project is reached by its id only if the call names all projects, or that one. No argument is ever used as a
//! path: a project is named by its name or its number.

use crate::grouping::group;
use crate::reply_text::{IndexDetail, ReplyText, head_lines, id_list, in_project, index_line, whole_text};
use crate::tool_arguments::ToolArguments;
use backstory_app::about::AboutRequest;
use backstory_app::app::{parse_kind_filter, project_known_as, project_name};
use backstory_app::remember::{DuplicatePolicy, RememberRequest, ReviseRequest, TargetProject};
use backstory_app::search::{Fit, SearchRequest};
use backstory_app::show::{ScopedMemories, ids_of};
use backstory_app::timeline::TimelineRequest;
use backstory_app::{App, AppError, ProjectSelector, json, times};
use backstory_inject::encode;
use backstory_memory::{
    ContentRecord, HandoffDetails, Kind, Memory, MemoryId, ProjectId, Provenance, Relation, Standing,
    TITLE_CHARS, strip_fences,
};
use backstory_recall::{Hit, SearchStrategy};
use backstory_store::{Store, StoreError};

/// The most hits of one search.
const MAX_HITS: u32 = 100;
/// The most memories before or after another.
const MAX_AROUND: u32 = 50;
const DEFAULT_AROUND: u32 = 5;
/// The most items of each list of a handoff.
const MAX_HANDOFF_ITEMS: usize = 8;

/// Step 1: an index of the memories that match a query.
pub(crate) fn search(arguments: &ToolArguments, app: &App) -> Result<String, AppError> {
    let mut store = app.store_to_read()?;
    let detail = if arguments.flag("compact")? { IndexDetail::Title } else { IndexDetail::Snippet };
    let limit = match arguments.count("limit")?.unwrap_or(app.config.search.limit) {
        0 => return Err(AppError::usage("`limit` is at least 1")),
        limit => limit.min(MAX_HITS),
    };
    let request = search_request(arguments, &store, limit, app)?;
    let found = app.search(&store, &request)?;
    if found.hits.is_empty() {
        return Ok(nothing_found(&request));
    }
    let here = app.assumed_project(&store, &request.projects)?;
    let how = match found.strategy {
        SearchStrategy::Newest => "the newest first".to_owned(),
        strategy => format!("found by {}, best first", strategy.as_str()),
    };
    let mut reply = ReplyText::about(&how);
    for read in &found.read_as {
        reply.add(&format!(
            "(nothing says `{}`; looked for `{}` too)",
            encode(&read.word, 40),
            encode(&read.corrected, 40)
        ));
    }
    if app.fit(&store, &request, &found)? == Fit::NearestOnly {
        reply.add("(nothing fits these words; what follows is only the nearest in meaning, and likely about something else)");
    }
    let page = found.hits.get(..limit as usize).unwrap_or(&found.hits);
    let (mut shown, mut next) = (Vec::new(), page.len());
    for group in group(page) {
        let mut line = index_line(&group.head.memory, detail, app.now);
        line += &other_project_name(&store, &group.head.memory, here)?
            .map(|name| format!(" · {}", in_project(&name)))
            .unwrap_or_default();
        let older = group.head.reasons.older_than;
        line += &older.map(|newer| format!(" · older than #{newer}")).unwrap_or_default();
        line += &if group.head.score > 0.0 { format!(" · {:.2}", group.head.score) } else { String::new() };
        line += &same_work(&group.others);
        if !reply.add(&line) {
            next = group.at;
            break;
        }
        shown.extend(std::iter::once(group.head).chain(group.others).cloned());
    }
    // Only what fitted into the reply counts as shown.
    app.note_listed(&mut store, &shown)?;
    let mut more = vec!["Whole text of the few that matter: `get` with their ids.".to_owned()];
    if next < found.hits.len() {
        more.push(format!("More: the same `search` with offset {}.", request.offset as usize + next));
    }
    Ok(reply.end(&more))
}

/// Names the other memories of a piece of work.
fn same_work(others: &[&Hit]) -> String {
    let named = others.iter().map(|hit| format!("#{} {}", hit.memory.id, hit.memory.content.kind));
    let named: Vec<String> = named.collect();
    if named.is_empty() { String::new() } else { format!("\n  the same work: {}", named.join(", ")) }
}

/// What is known of a file or a symbol, what holds before what was done.
pub(crate) fn about(arguments: &ToolArguments, app: &App) -> Result<String, AppError> {
    let mut store = app.store_to_read()?;
    let target = arguments.text("target")?.ok_or_else(|| {
        AppError::usage("`target` must be a path or the name of a symbol")
            .hint("like `src/db.rs` or `open_store`")
    })?;
    let limit = arguments.count("limit")?.unwrap_or(app.config.search.limit).clamp(1, MAX_HITS);
    let projects = projects(arguments, &store)?;
    let hits = app.about(&store, &AboutRequest { target: target.clone(), projects, limit })?;
    let target = encode(&target, 80);
    if hits.is_empty() {
        return Ok(format!("nothing is known of `{target}`; next: `search` with what it is about"));
    }
    let (holds, done): (Vec<&Hit>, Vec<&Hit>) = hits.iter().partition(|hit| is_knowledge(&hit.memory));
    let mut reply = ReplyText::about(&format!("what names `{target}`, the newest first"));
    let mut shown = Vec::new();
    for (heading, hits) in [("Known:", holds), ("Done:", done)] {
        let has_room = hits.is_empty() || reply.add(heading);
        for hit in hits.into_iter().take_while(|_| has_room) {
            if !reply.add(&index_line(&hit.memory, IndexDetail::Snippet, app.now)) {
                break;
            }
            shown.push(hit.clone());
        }
    }
    app.note_listed(&mut store, &shown)?;
    Ok(reply.end(&["Whole text of the few that matter: `get` with their ids.".to_owned()]))
}

/// Whether a memory says how something is, rather than what was done.
fn is_knowledge(memory: &Memory) -> bool {
    use Kind::{Decision, Discovery, Fact, Failure, Note, Rule};
    matches!(memory.content.kind, Rule | Decision | Fact | Failure | Discovery | Note)
}

/// Step 2: what came before and after a memory.
pub(crate) fn timeline(arguments: &ToolArguments, app: &App) -> Result<String, AppError> {
    let store = app.store_to_read()?;
    let projects = projects(arguments, &store)?;
    let wanted = app.memories_in_scope(&store, &[arguments.id()?], &projects)?;
    let Some(anchor) = wanted.within.first().map(|memory| memory.id) else {
        return Err(failure("nothing to show", &wanted));
    };
    let around = |name| -> Result<u32, AppError> {
        Ok(arguments.count(name)?.unwrap_or(DEFAULT_AROUND).min(MAX_AROUND))
    };
    let (before, after) = (around("before")?, around("after")?);
    let request = TimelineRequest { anchor: Some(anchor), before, after, ..TimelineRequest::default() };
    // A memory of the user scope is reached from every project; its neighbours are not.
    let memories = app.keep_in_scope(&store, app.timeline(&store, &request)?, &projects)?;
    let mut reply = ReplyText::about(&format!("what happened around #{anchor}, oldest first"));
    let mut fits = true;
    for memory in memories {
        let mark = if memory.id == anchor { '>' } else { ' ' };
        fits &= reply.add(&format!("{mark} {}", index_line(&memory, IndexDetail::Title, app.now)));
    }
    let more = "Not all of it fits: ask for fewer `before` and `after`.".to_owned();
    Ok(reply.end(if fits { &[] } else { std::slice::from_ref(&more) }))
}

/// Step 3: memories whole. Fetching one counts as using it.
pub(crate) fn get(arguments: &ToolArguments, app: &App) -> Result<String, AppError> {
    let mut store = app.store_to_read()?;
    let projects = projects(arguments, &store)?;
    let ids = arguments.ids()?;
    let from = arguments.count("offset")?.unwrap_or(0) as usize;
    if from > 0 && ids.len() > 1 {
        return Err(AppError::usage("`offset` goes on with one memory").hint("name one id"));
    }
    let wanted = app.memories_in_scope(&store, &ids, &projects)?;
    if wanted.within.is_empty() {
        return Err(failure("nothing to show", &wanted));
    }
    let here = app.assumed_project(&store, &projects)?;
    let mut reply = ReplyText::about("`|` begins a line of a recorded text");
    let (mut shown, mut more) = (Vec::new(), Vec::new());
    for memory in &wanted.within {
        let other_project = other_project_name(&store, memory, here)?;
        let shape = json::memory(&store, memory)?;
        if !reply.add(&head_lines(&shape, other_project.as_deref())) {
            break;
        }
        shown.push(memory.id);
        let text = whole_text(memory);
        if let Some(at) = reply.add_text(&text, from) {
            let all = text.chars().count();
            more.push(format!(
                "#{0} is cut at character {at} of {all}: `get` with ids [{0}] and offset {at} goes on.",
                memory.id
            ));
            break;
        }
    }
    app.note_answered(&mut store, &shown, reply.nonce())?;
    let left: Vec<MemoryId> = ids_of(&wanted.within).into_iter().filter(|id| !shown.contains(id)).collect();
    if !left.is_empty() {
        more.push(format!("No room for {}: `get` them in another call.", id_list(&left)));
    }
    more.extend(remarks(&wanted));
    Ok(reply.end(&more))
}

/// Writes a memory: the user's where they typed what it quotes, else the agent's.
pub(crate) fn remember(arguments: &ToolArguments, app: &App) -> Result<String, AppError> {
    let own = |name| own_words(arguments, name);
    let content = ContentRecord {
        title: own("title")?,
        body: own("body")?,
        kind: arguments.text("kind")?,
        files: arguments.texts("files")?,
        concepts: arguments.texts("concepts")?,
        importance: arguments.count("importance")?.map(Into::into),
        ..ContentRecord::default()
    };
    if content.title.is_none() && content.body.is_none() {
        return Err(
            AppError::usage("a memory needs a `title`").hint("say in one line what is worth remembering")
        );
    }
    let mut store = app.store()?;
    let project = match projects(arguments, &store)? {
        ProjectSelector::Named(id) => TargetProject::Named(id),
        ProjectSelector::Here | ProjectSelector::All => TargetProject::OfRecord,
    };
    let quote = own("quote")?;
    let was_quoted = quote.is_some();
    let (memory, duplicates) = (content.into(), DuplicatePolicy::Refuse);
    let request = RememberRequest { memory, project, duplicates, quote };
    let memory = app.remember(&mut store, request).map_err(|error| match error.memory() {
        Some(known) => error.hint(format!("nothing was written; `get` with ids [{known}] shows it")),
        None => error,
    })?;
    let whose = match memory.content.provenance {
        Provenance::User => "; the user's words",
        _ if was_quoted => {
            "; yours: the title must rest on words the user typed, and `quote` must be among them"
        }
        _ => "",
    };
    let affected = app.affected(&store, &memory)?;
    let affected: String = affected.iter().map(|(relation, other)| effect(*relation, other)).collect();
    Ok(format!("remembered as {}{whose}{affected}", written(&memory)))
}

/// Says what a memory does to another one, by its id alone: what that says is fetched, not repeated (law 6).
fn effect(relation: Relation, other: &Memory) -> String {
    let id = other.id;
    match relation {
        Relation::Supersedes => format!("; it replaces #{id}"),
        _ if other.is_users_own() => format!("; it contradicts #{id}, the user's words, and those count"),
        _ => format!("; it contradicts #{id}"),
    }
}

/// Gives a memory other words. What the user said stays as it is.
pub(crate) fn revise(arguments: &ToolArguments, app: &App) -> Result<String, AppError> {
    let id = arguments.id()?;
    let changes = ContentRecord {
        title: own_words(arguments, "title")?,
        body: own_words(arguments, "body")?,
        ..ContentRecord::default()
    };
    let mut store = app.store()?;
    let wanted = app.memories_in_scope(&store, &[id], &ProjectSelector::Here)?;
    if !remarks(&wanted).is_empty() {
        return Err(failure("nothing was changed", &wanted));
    }
    let memory = app.revise(&mut store, ReviseRequest { id, changes: changes.into() })?;
    Ok(format!("revised {}", written(&memory)))
}

/// Writes where the work stands.
pub(crate) fn handoff(arguments: &ToolArguments, app: &App) -> Result<String, AppError> {
    let list = |name| -> Result<Vec<String>, AppError> {
        let texts = arguments.texts(name)?;
        let own = texts.iter().map(|text| strip_fences(text).trim().to_owned());
        Ok(own.filter(|text| !text.is_empty()).take(MAX_HANDOFF_ITEMS).collect())
    };
    let details = HandoffDetails {
        last_done: own_words(arguments, "done")?,
        in_flight: list("in_flight")?,
        next_steps: list("next_steps")?,
        open_questions: list("open_questions")?,
        ..HandoffDetails::default()
    };
    let mut store = app.store()?;
    let memory = app.write_handoff(&mut store, details)?;
    Ok(format!("handed off as {}", written(&memory)))
}

/// Returns a text without what stands in a fence: that was injected before, and the agent only quotes it.
fn own_words(arguments: &ToolArguments, name: &str) -> Result<Option<String>, AppError> {
    let text = arguments.text(name)?.map(|text| strip_fences(&text).into_owned());
    Ok(text.filter(|text| !text.trim().is_empty()))
}

/// Says what was written, and whether the user has to confirm it.
fn written(memory: &Memory) -> String {
    let standing = match memory.standing {
        Standing::Proposed => " (proposed: searchable; it is injected once the user confirms it)",
        _ => "",
    };
    let title = encode(&memory.content.title, TITLE_CHARS);
    format!("#{}, {}: {title}{standing}", memory.id, memory.content.kind)
}

/// Forgets memories of this project for good: all that are named, or none.
pub(crate) fn forget(arguments: &ToolArguments, app: &App) -> Result<String, AppError> {
    let mut store = app.store()?;
    // An agent forgets within one project at a time, even with `all_projects`.
    let projects = match projects(arguments, &store)? {
        ProjectSelector::All => ProjectSelector::Here,
        one => one,
    };
    let wanted = app.memories_in_scope(&store, &arguments.ids()?, &projects)?;
    if !remarks(&wanted).is_empty() {
        return Err(failure("nothing was forgotten", &wanted));
    }
    let forgotten = app.forget(&mut store, &ids_of(&wanted.within))?;
    let lines: Vec<String> = std::iter::once(forgotten.headline()).chain(forgotten.notes()).collect();
    Ok(lines.join("\n"))
}

/// Says which of the memories that a call names are not shown, and the reason.
fn remarks(wanted: &ScopedMemories) -> Vec<String> {
    let mut remarks = Vec::new();
    if !wanted.missing.is_empty() {
        let missing = id_list(&wanted.missing);
        remarks.push(format!("There is no {missing}: `search` finds memories and their ids."));
    }
    if !wanted.beyond.is_empty() {
        let beyond = id_list(&wanted.beyond);
        remarks.push(format!("Of another project: {beyond}. To read it, say `all_projects`: true."));
    }
    remarks
}

fn failure(what: &str, wanted: &ScopedMemories) -> AppError {
    remarks(wanted).into_iter().fold(AppError::user(what), AppError::hint)
}

fn search_request(
    arguments: &ToolArguments,
    store: &Store,
    limit: u32,
    app: &App,
) -> Result<SearchRequest, AppError> {
    let time = |name| -> Result<_, AppError> {
        arguments.text(name)?.map(|text| times::typed(&text, app.now)).transpose()
    };
    Ok(SearchRequest {
        text: arguments.text("query")?.unwrap_or_default(),
        projects: projects(arguments, store)?,
        kinds: kinds(arguments)?,
        since: time("since")?,
        until: time("until")?,
        file: arguments.text("file")?,
        // One more than is shown tells whether there are more.
        limit: Some(limit + 1),
        offset: arguments.count("offset")?.unwrap_or(0),
        ..SearchRequest::default()
    })
}

fn kinds(arguments: &ToolArguments) -> Result<Vec<Kind>, AppError> {
    let named = arguments.texts("kind")?;
    let names = named.iter().flat_map(|names| names.split(',')).map(str::trim);
    let kinds = names.filter(|name| !name.is_empty()).map(parse_kind_filter);
    Ok(kinds.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Returns the projects of a call. A name is looked up among the known projects; no folder is read.
fn projects(arguments: &ToolArguments, store: &Store) -> Result<ProjectSelector, AppError> {
    if arguments.flag("all_projects")? {
        return Ok(ProjectSelector::All);
    }
    let Some(wanted) = arguments.text("project")? else { return Ok(ProjectSelector::Here) };
    let known = project_known_as(store, &wanted)?.ok_or_else(|| {
        AppError::no_such_project(&wanted)
            .hint("say nothing for the project of this folder, or `all_projects`: true")
    })?;
    Ok(ProjectSelector::Named(known.to_string()))
}

/// Returns the name of a memory's project, if it is another one.
fn other_project_name(
    store: &Store,
    memory: &Memory,
    here: Option<ProjectId>,
) -> Result<Option<String>, StoreError> {
    let is_other = Some(memory.project) != here;
    is_other.then(|| project_name(store, memory.project)).transpose()
}

fn nothing_found(request: &SearchRequest) -> String {
    let offset = if request.offset > 0 { "a smaller offset, " } else { "" };
    let wider = if request.projects == ProjectSelector::All { "" } else { ", or `all_projects`: true" };
    format!("nothing found; next: {offset}fewer or other words, fewer filters{wider}")
}
