//! What each tool does: arguments in, text out. Every tool asks what the command of its name asks, and writes as it writes.
//!
//! Law 8 is stricter here than at the command line: a person who types a number means that memory, an agent may be trying numbers.
//! So a memory of another project is reached by its number only where the call asks for all projects, or for that one. Nothing an
//! agent says is ever taken for a path to look at: a project is called by its name or its number.

use crate::app::{App, ProjectArgs, project_known_as};
use crate::commands::{self, search::SearchArgs};
use crate::engine::Profile;
use crate::failure::Failure;
use crate::mcp::answers::{Answer, Form, head_lines, in_project, index_line, numbers, whole_text};
use crate::mcp::arguments::Arguments;
use crate::shapes;
use backstory_app::error::unknown_kind;
use backstory_exchange::MemoryRecord;
use backstory_inject::encode;
use backstory_memory::{Kind, Memory, MemoryId, ProjectId, Provenance, TITLE_CHARS, strip_fences};
use backstory_recall::SearchStrategy;
use backstory_store::{Filter, Scope, StandingFilter, Store, StoreError};

/// The most hits of one search.
const MOST_HITS: u32 = 100;
/// The most memories before or after another.
const MOST_AROUND: u32 = 50;
const USUALLY_AROUND: u32 = 5;

/// Step 1: an index of what bears on a question.
pub(crate) fn search(arguments: &Arguments, app: &App) -> Result<String, Failure> {
    let mut store = app.store_to_read()?;
    let form = if arguments.flag("compact")? { Form::Title } else { Form::Gist };
    let limit = match arguments.count("limit")?.unwrap_or(app.config.search.limit) {
        0 => return Err(Failure::usage("`limit` is at least 1")),
        limit => limit.min(MOST_HITS),
    };
    let asked = search_args(arguments, &store, limit)?;
    let found = commands::search::answer(&asked, app, &store)?;
    if found.hits.is_empty() {
        return Ok(nothing_found(&asked));
    }
    let here = here(&asked.place, app, &store)?;
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
    if commands::search::is_said_nowhere(&asked, &found, &store, app)? {
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
    commands::search::note_shown(&mut store, found.hits.get(..shown).unwrap_or_default(), app)?;
    let mut more = vec!["Whole text of the few that matter: `get` with their ids.".to_owned()];
    if shown < found.hits.len() {
        more.push(format!("More: the same `search` with offset {}.", asked.offset as usize + shown));
    }
    Ok(answer.end(&more))
}

/// Step 2: what came before and after a memory.
pub(crate) fn timeline(arguments: &Arguments, app: &App) -> Result<String, Failure> {
    let store = app.store_to_read()?;
    let place = place(arguments, &store)?;
    let wanted = Wanted::of(&[arguments.id()?], &place, app, &store)?;
    let Some(anchor) = wanted.within.first() else {
        return Err(wanted.failure("nothing to show"));
    };
    let around = |name| -> Result<u32, Failure> {
        Ok(arguments.count(name)?.unwrap_or(USUALLY_AROUND).min(MOST_AROUND))
    };
    let ids = store.timeline(*anchor, around("before")?, around("after")?)?;
    // What holds in every project is reached from here; its neighbours are not.
    let ids = within(&ids, &place, app, &store)?;
    let mut answer = Answer::about(&format!("what happened around #{anchor}, oldest first"));
    let mut fits = true;
    for memory in store.memories(&ids)? {
        let mark = if memory.id == *anchor { '>' } else { ' ' };
        fits &= answer.add(&format!("{mark} {}", index_line(&memory, Form::Title, app.now)));
    }
    let more = "Not all of it fits: ask for fewer `before` and `after`.".to_owned();
    Ok(answer.end(if fits { &[] } else { std::slice::from_ref(&more) }))
}

/// Step 3: memories whole. Asking for one is using it.
pub(crate) fn get(arguments: &Arguments, app: &App) -> Result<String, Failure> {
    let mut store = app.store_to_read()?;
    let place = place(arguments, &store)?;
    let ids = arguments.ids()?;
    let from = arguments.count("offset")?.unwrap_or(0) as usize;
    if from > 0 && ids.len() > 1 {
        return Err(Failure::usage("`offset` goes on with one memory").hint("name one id"));
    }
    let wanted = Wanted::of(&ids, &place, app, &store)?;
    if wanted.within.is_empty() {
        return Err(wanted.failure("nothing to show"));
    }
    let here = here(&place, app, &store)?;
    let mut answer = Answer::about("`|` begins a line of a recorded text");
    let (mut told, mut more) = (Vec::new(), Vec::new());
    for memory in store.memories(&wanted.within)? {
        let other_project = elsewhere(&store, &memory, here)?;
        let shape = shapes::memory(&store, &memory)?;
        if !answer.add(&head_lines(&shape, other_project.as_deref())) {
            break;
        }
        told.push(memory.id);
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
    commands::show::note_fetched(&mut store, &told, app)?;
    let left: Vec<MemoryId> = wanted.within.iter().filter(|id| !told.contains(id)).copied().collect();
    if !left.is_empty() {
        more.push(format!("No room for {}: `get` them in another call.", numbers(&left)));
    }
    more.extend(wanted.remarks());
    Ok(answer.end(&more))
}

/// Writes a memory, in the agent's own name.
pub(crate) fn remember(arguments: &Arguments, app: &App) -> Result<String, Failure> {
    // What we gave the agent is not news to us.
    let own = |name| -> Result<Option<String>, Failure> {
        let said = arguments.text(name)?.map(|text| strip_fences(&text).into_owned());
        Ok(said.filter(|text| !text.trim().is_empty()))
    };
    let line = MemoryRecord {
        title: own("title")?,
        body: own("body")?,
        kind: arguments.text("kind")?.map(|kind| kind.trim().to_lowercase()),
        files: arguments.texts("files")?,
        concepts: arguments.texts("concepts")?,
        importance: arguments.count("importance")?.map(i64::from),
        ..MemoryRecord::default()
    };
    if line.title.is_none() && line.body.is_none() {
        return Err(
            Failure::usage("a memory needs a `title`").hint("say in one line what is worth remembering")
        );
    }
    let mut store = app.store()?;
    let place = place(arguments, &store)?;
    let project = app.project_to_write(&mut store, place.project.as_deref())?;
    let memory = commands::remember::new_memory(&line, Provenance::Assistant, project, app)?;
    let id = commands::remember::keep(&mut store, &memory).map_err(|failure| match failure.memory() {
        Some(known) => failure.hint(format!("nothing was written; `get` with ids [{known}] shows it")),
        None => failure,
    })?;
    let content = &memory.content;
    Ok(format!("remembered as #{id}, {}: {}", content.kind, encode(&content.title, TITLE_CHARS)))
}

/// Forgets memories of this project for good: all that are named, or none.
pub(crate) fn forget(arguments: &Arguments, app: &App) -> Result<String, Failure> {
    let mut store = app.store()?;
    let place = ProjectArgs { all_projects: false, ..place(arguments, &store)? };
    let wanted = Wanted::of(&arguments.ids()?, &place, app, &store)?;
    if !wanted.remarks().is_empty() {
        return Err(wanted.failure("nothing was forgotten"));
    }
    let done = commands::forget::erase(&mut store, &wanted.within, app)?;
    let lines: Vec<String> = std::iter::once(done.line()).chain(done.notes()).collect();
    Ok(lines.join("\n"))
}

/// The memories a call names: those within its reach, those of other projects, those that are not there.
struct Wanted {
    within: Vec<MemoryId>,
    beyond: Vec<MemoryId>,
    missing: Vec<MemoryId>,
}

impl Wanted {
    fn of(ids: &[MemoryId], place: &ProjectArgs, app: &App, store: &Store) -> Result<Wanted, Failure> {
        let (mut there, mut missing) = (Vec::new(), Vec::new());
        for id in ids {
            if store.memory(*id)?.is_some() { there.push(*id) } else { missing.push(*id) }
        }
        let within = within(&there, place, app, store)?;
        let beyond = there.into_iter().filter(|id| !within.contains(id)).collect();
        Ok(Wanted { within, beyond, missing })
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

    fn failure(&self, what: &str) -> Failure {
        let failure = Failure::user(what);
        self.remarks().into_iter().fold(failure, Failure::hint)
    }
}

/// Returns those of the memories that are within reach, in their order.
fn within(ids: &[MemoryId], place: &ProjectArgs, app: &App, store: &Store) -> Result<Vec<MemoryId>, Failure> {
    match app.reach(store, place)? {
        Some(reach) => {
            Ok(store
                .matching_filter(ids, &Filter { standing: StandingFilter::Any, ..Filter::within(reach) })?)
        }
        None => Ok(Vec::new()),
    }
}

fn search_args(arguments: &Arguments, store: &Store, limit: u32) -> Result<SearchArgs, Failure> {
    Ok(SearchArgs {
        words: arguments.text("query")?.into_iter().collect(),
        place: place(arguments, store)?,
        kinds: kinds(arguments)?,
        since: arguments.text("since")?,
        until: arguments.text("until")?,
        file: arguments.text("file")?,
        // One more than is shown tells whether there are more.
        limit: Some(limit + 1),
        offset: arguments.count("offset")?.unwrap_or(0),
        team: false,
        superseded: false,
        explain: false,
        profile: Profile::Search,
        compact: false,
        json: false,
    })
}

fn kinds(arguments: &Arguments) -> Result<Vec<Kind>, Failure> {
    let named = arguments.texts("kind")?;
    let names = named.iter().flat_map(|names| names.split(',')).map(|name| name.trim().to_lowercase());
    let names = names.filter(|name| !name.is_empty());
    names.map(|name| name.parse().map_err(|error| unknown_kind(&error))).collect()
}

/// Returns which projects a call is about. A name is looked up among those we know; no folder is looked at.
fn place(arguments: &Arguments, store: &Store) -> Result<ProjectArgs, Failure> {
    if arguments.flag("all_projects")? {
        return Ok(ProjectArgs { project: None, all_projects: true });
    }
    let Some(wanted) = arguments.text("project")? else {
        return Ok(ProjectArgs { project: None, all_projects: false });
    };
    let known = project_known_as(store, &wanted)?.ok_or_else(|| {
        Failure::user(format!("there is no project `{wanted}`"))
            .hint("say nothing for the project of this folder, or `all_projects`: true")
    })?;
    Ok(ProjectArgs { project: Some(known.to_string()), all_projects: false })
}

/// Returns the project that goes without saying.
fn here(place: &ProjectArgs, app: &App, store: &Store) -> Result<Option<ProjectId>, Failure> {
    match app.reach(store, place)? {
        Some(Scope::Project(id)) => Ok(Some(id)),
        _ => Ok(store.find_project(&app.project_ref())?),
    }
}

/// Returns the name of a memory's project, where that is another.
fn elsewhere(store: &Store, memory: &Memory, here: Option<ProjectId>) -> Result<Option<String>, StoreError> {
    if Some(memory.project) == here {
        return Ok(None);
    }
    Ok(store.project(memory.project)?.map(|project| project.name))
}

fn nothing_found(asked: &SearchArgs) -> String {
    let offset = if asked.offset > 0 { "a smaller offset, " } else { "" };
    let wider = if asked.place.all_projects { "" } else { ", or `all_projects`: true" };
    format!("nothing found; next: {offset}fewer or other words, fewer filters{wider}")
}
