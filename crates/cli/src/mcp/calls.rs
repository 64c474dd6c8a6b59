//! What each tool does: arguments in, text out. Every tool asks what the command of its name asks, and writes as it writes.
//!
//! Law 8 is stricter here than at the command line: a person who types a number means that memory, an agent may be trying numbers.
//! So a memory of another project is reached by its number only where the call asks for all projects, or for that one. Nothing an
//! agent says is ever taken for a path to look at: a project is called by its name or its number.

use super::answers::{Answer, Form, head_lines, in_project, index_line, numbers, whole_text};
use super::arguments::Arguments;
use backstory_app::app::{parse_kind_filter, project_known_as};
use backstory_app::remember::{DuplicatePolicy, MemoryInput, RememberRequest, TargetProject};
use backstory_app::search::SearchRequest;
use backstory_app::{App, AppError, ProjectSelector, json, times};
use backstory_inject::encode;
use backstory_memory::{
    Importance, Kind, Memory, MemoryId, ProjectId, Provenance, TITLE_CHARS, strip_fences,
};
use backstory_recall::SearchStrategy;
use backstory_store::{Filter, Scope, StandingFilter, Store, StoreError};

/// The most hits of one search.
const MOST_HITS: u32 = 100;
/// The most memories before or after another.
const MOST_AROUND: u32 = 50;
const USUALLY_AROUND: u32 = 5;

/// Step 1: an index of what bears on a question.
pub(crate) fn search(arguments: &Arguments, app: &App) -> Result<String, AppError> {
    let mut store = app.store_to_read()?;
    let form = if arguments.flag("compact")? { Form::Title } else { Form::Gist };
    let limit = match arguments.count("limit")?.unwrap_or(app.config.search.limit) {
        0 => return Err(AppError::usage("`limit` is at least 1")),
        limit => limit.min(MOST_HITS),
    };
    let request = search_request(arguments, &store, limit, app)?;
    let found = app.search(&store, &request)?;
    if found.hits.is_empty() {
        return Ok(nothing_found(&request));
    }
    let here = here(&request.projects, app, &store)?;
    let how = match found.strategy {
        SearchStrategy::Newest => "the newest first".to_owned(),
        strategy => format!("found by {}, best first", strategy.as_str()),
    };
    let mut answer = Answer::about(&how);
    for read in &found.read_as {
        answer.add(&format!(
            "(nothing says `{}`; looked for `{}` too)",
            encode(&read.word, 40),
            encode(&read.corrected, 40)
        ));
    }
    if app.found_by_meaning_alone(&store, &request, &found)? {
        answer.add("(nothing says these words; what follows is near in meaning only)");
    }
    let mut shown = 0;
    for hit in found.hits.iter().take(limit as usize) {
        let mut line = index_line(&hit.memory, form, app.now);
        line += &elsewhere(&store, &hit.memory, here)?
            .map(|name| format!(" · {}", in_project(&name)))
            .unwrap_or_default();
        line += &hit.reasons.older_than.map(|newer| format!(" · older than #{newer}")).unwrap_or_default();
        line += &if hit.score > 0.0 { format!(" · {:.2}", hit.score) } else { String::new() };
        if !answer.add(&line) {
            break;
        }
        shown += 1;
    }
    app.note_listed(&mut store, found.hits.get(..shown).unwrap_or_default())?;
    let mut more = vec!["Whole text of the few that matter: `get` with their ids.".to_owned()];
    if shown < found.hits.len() {
        more.push(format!("More: the same `search` with offset {}.", request.offset as usize + shown));
    }
    Ok(answer.end(&more))
}

/// Step 2: what came before and after a memory.
pub(crate) fn timeline(arguments: &Arguments, app: &App) -> Result<String, AppError> {
    let store = app.store_to_read()?;
    let projects = projects(arguments, &store)?;
    let wanted = NamedMemories::find(&[arguments.id()?], &projects, app, &store)?;
    let Some(anchor) = wanted.within.first() else {
        return Err(wanted.failure("nothing to show"));
    };
    let around = |name| -> Result<u32, AppError> {
        Ok(arguments.count(name)?.unwrap_or(USUALLY_AROUND).min(MOST_AROUND))
    };
    let ids = store.search().timeline(*anchor, around("before")?, around("after")?)?;
    // What holds in every project is reached from here; its neighbours are not.
    let ids = within(&ids, &projects, app, &store)?;
    let mut answer = Answer::about(&format!("what happened around #{anchor}, oldest first"));
    let mut fits = true;
    for memory in store.memories().get_many(&ids)? {
        let mark = if memory.id == *anchor { '>' } else { ' ' };
        fits &= answer.add(&format!("{mark} {}", index_line(&memory, Form::Title, app.now)));
    }
    let more = "Not all of it fits: ask for fewer `before` and `after`.".to_owned();
    Ok(answer.end(if fits { &[] } else { std::slice::from_ref(&more) }))
}

/// Step 3: memories whole. Asking for one is using it.
pub(crate) fn get(arguments: &Arguments, app: &App) -> Result<String, AppError> {
    let mut store = app.store_to_read()?;
    let projects = projects(arguments, &store)?;
    let ids = arguments.ids()?;
    let from = arguments.count("offset")?.unwrap_or(0) as usize;
    if from > 0 && ids.len() > 1 {
        return Err(AppError::usage("`offset` goes on with one memory").hint("name one id"));
    }
    let wanted = NamedMemories::find(&ids, &projects, app, &store)?;
    if wanted.within.is_empty() {
        return Err(wanted.failure("nothing to show"));
    }
    let here = here(&projects, app, &store)?;
    let mut answer = Answer::about("`|` begins a line of a recorded text");
    let (mut shown, mut more) = (Vec::new(), Vec::new());
    for memory in store.memories().get_many(&wanted.within)? {
        let other_project = elsewhere(&store, &memory, here)?;
        let shape = json::memory(&store, &memory)?;
        if !answer.add(&head_lines(&shape, other_project.as_deref())) {
            break;
        }
        shown.push(memory.id);
        let text = whole_text(&shape);
        if let Some(at) = answer.add_text(&text, from) {
            let all = text.chars().count();
            more.push(format!(
                "#{0} is cut at character {at} of {all}: `get` with ids [{0}] and offset {at} goes on.",
                memory.id
            ));
            break;
        }
    }
    app.note_fetched(&mut store, &shown)?;
    let left: Vec<MemoryId> = wanted.within.iter().filter(|id| !shown.contains(id)).copied().collect();
    if !left.is_empty() {
        more.push(format!("No room for {}: `get` them in another call.", numbers(&left)));
    }
    more.extend(wanted.remarks());
    Ok(answer.end(&more))
}

/// Writes a memory, in the agent's own name.
pub(crate) fn remember(arguments: &Arguments, app: &App) -> Result<String, AppError> {
    // Fences hold what was injected before: the agent repeats it, it does not say it.
    let own = |name| -> Result<Option<String>, AppError> {
        let said = arguments.text(name)?.map(|text| strip_fences(&text).into_owned());
        Ok(said.filter(|text| !text.trim().is_empty()))
    };
    let memory = MemoryInput {
        title: own("title")?,
        body: own("body")?,
        kind: arguments.text("kind")?,
        files: arguments.texts("files")?,
        concepts: arguments.texts("concepts")?,
        importance: arguments.count("importance")?.map(|count| Importance::new(count.into())),
        ..MemoryInput::default()
    };
    if memory.title.is_none() && memory.body.is_none() {
        return Err(
            AppError::usage("a memory needs a `title`").hint("say in one line what is worth remembering")
        );
    }
    let mut store = app.store()?;
    let project = match projects(arguments, &store)? {
        ProjectSelector::Named(id) => TargetProject::Named(id),
        ProjectSelector::Here | ProjectSelector::All => TargetProject::Here,
    };
    let duplicates = DuplicatePolicy::Refuse;
    let request = RememberRequest { memory, project, said_by: Provenance::Assistant, duplicates };
    let memory = app.remember(&mut store, request).map_err(|error| match error.memory() {
        Some(known) => error.hint(format!("nothing was written; `get` with ids [{known}] shows it")),
        None => error,
    })?;
    let content = &memory.content;
    Ok(format!("remembered as #{}, {}: {}", memory.id, content.kind, encode(&content.title, TITLE_CHARS)))
}

/// Forgets memories of this project for good: all that are named, or none.
pub(crate) fn forget(arguments: &Arguments, app: &App) -> Result<String, AppError> {
    let mut store = app.store()?;
    // An agent forgets within one project at a time, whatever it asks for.
    let projects = match projects(arguments, &store)? {
        ProjectSelector::All => ProjectSelector::Here,
        one => one,
    };
    let wanted = NamedMemories::find(&arguments.ids()?, &projects, app, &store)?;
    if !wanted.remarks().is_empty() {
        return Err(wanted.failure("nothing was forgotten"));
    }
    let done = app.forget(&mut store, &wanted.within)?;
    let lines: Vec<String> = std::iter::once(done.headline()).chain(done.notes()).collect();
    Ok(lines.join("\n"))
}

/// The memories a call names: those within its scope, those of other projects, those that are not there.
struct NamedMemories {
    within: Vec<MemoryId>,
    beyond: Vec<MemoryId>,
    missing: Vec<MemoryId>,
}

impl NamedMemories {
    fn find(
        ids: &[MemoryId],
        projects: &ProjectSelector,
        app: &App,
        store: &Store,
    ) -> Result<NamedMemories, AppError> {
        let (mut there, mut missing) = (Vec::new(), Vec::new());
        for id in ids {
            if store.memories().get(*id)?.is_some() { there.push(*id) } else { missing.push(*id) }
        }
        let within = within(&there, projects, app, store)?;
        let beyond = there.into_iter().filter(|id| !within.contains(id)).collect();
        Ok(NamedMemories { within, beyond, missing })
    }

    /// Says which are not shown, and why.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.missing.is_empty() {
            remarks.push(format!(
                "There is no {}: `search` finds memories and their ids.",
                numbers(&self.missing)
            ));
        }
        if !self.beyond.is_empty() {
            remarks.push(format!(
                "Of another project: {}. To read it, say `all_projects`: true.",
                numbers(&self.beyond)
            ));
        }
        remarks
    }

    fn failure(&self, what: &str) -> AppError {
        let failure = AppError::user(what);
        self.remarks().into_iter().fold(failure, AppError::hint)
    }
}

/// Returns those of the memories that are within scope, in their order.
fn within(
    ids: &[MemoryId],
    projects: &ProjectSelector,
    app: &App,
    store: &Store,
) -> Result<Vec<MemoryId>, AppError> {
    match app.scope(store, projects)? {
        Some(scope) => Ok(store
            .search()
            .matching(ids, &Filter { standing: StandingFilter::Any, ..Filter::within(scope) })?),
        None => Ok(Vec::new()),
    }
}

fn search_request(
    arguments: &Arguments,
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

fn kinds(arguments: &Arguments) -> Result<Vec<Kind>, AppError> {
    let named = arguments.texts("kind")?;
    let names = named.iter().flat_map(|names| names.split(',')).map(str::trim);
    let kinds = names.filter(|name| !name.is_empty()).map(parse_kind_filter);
    Ok(kinds.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Returns which projects a call is about. A name is looked up among those we know; no folder is looked at.
fn projects(arguments: &Arguments, store: &Store) -> Result<ProjectSelector, AppError> {
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

/// Returns the project that goes without saying.
fn here(projects: &ProjectSelector, app: &App, store: &Store) -> Result<Option<ProjectId>, AppError> {
    match app.scope(store, projects)? {
        Some(Scope::Project(id)) => Ok(Some(id)),
        _ => Ok(store.projects().find(&app.project_ref())?),
    }
}

/// Returns the name of a memory's project, where that is another.
fn elsewhere(store: &Store, memory: &Memory, here: Option<ProjectId>) -> Result<Option<String>, StoreError> {
    if Some(memory.project) == here {
        return Ok(None);
    }
    Ok(store.projects().get(memory.project)?.map(|project| project.name))
}

fn nothing_found(request: &SearchRequest) -> String {
    let offset = if request.offset > 0 { "a smaller offset, " } else { "" };
    let wider = if request.projects == ProjectSelector::All { "" } else { ", or `all_projects`: true" };
    format!("nothing found; next: {offset}fewer or other words, fewer filters{wider}")
}
