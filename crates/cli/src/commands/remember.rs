//! `remember`: writes a memory, unless we have it already.

use crate::app::App;
use crate::args::kinds;
use crate::failure::{ErrorCode, Exit, Failure};
use crate::ui::one_line;
use crate::vectors;
use backstory_capture::{most_similar, prepare};
use backstory_exchange::MemoryRecord;
use backstory_memory::{Content, Kind, MemoryId, NEAR_DUPLICATE, ProjectId, Provenance};
use backstory_store::{MemoryOrigin, NewMemory, Scope, Store, StoreError};
use clap::Args;
use serde::Serialize;
use std::io::{IsTerminal, Read};

/// Arguments of `remember`.
#[derive(Args, Debug)]
pub(crate) struct RememberArgs {
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// The project it belongs to (default: the one of this folder)
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Write it even if the same is known or was forgotten
    #[arg(long)]
    pub(crate) force: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a memory says, as it is typed.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ContentArgs {
    /// The text, or a JSON object; `-` or nothing reads standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// What it is about (default: guessed from the text)
    #[arg(long, value_parser = kinds(), ignore_case = true)]
    pub(crate) kind: Option<Kind>,
    /// One line that says it (default: the first line of the text)
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// A file it speaks of; may be given several times
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<String>,
    /// Something it has to do with; may be given several times
    #[arg(long = "concept", value_name = "WORD")]
    pub(crate) concepts: Vec<String>,
    /// A single statement it holds; may be given several times
    #[arg(long = "fact", value_name = "TEXT")]
    pub(crate) facts: Vec<String>,
    /// How much it matters, 1 to 5
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..=5))]
    pub(crate) importance: Option<i64>,
    /// Keep it in view
    #[arg(long)]
    pub(crate) pin: bool,
    /// Let it hold in every project
    #[arg(long)]
    pub(crate) everywhere: bool,
}

/// What was written, for other programs.
#[derive(Serialize)]
pub(crate) struct Written {
    ok: bool,
    id: i64,
    kind: &'static str,
    uid: String,
}

/// Writes a memory.
pub(crate) fn run(args: RememberArgs, app: &App) -> Result<Exit, Failure> {
    let json = args.json;
    app.ui.or_refusal(json, write(args, app))
}

/// The same, for a command that answers a refusal itself.
pub(crate) fn write(args: RememberArgs, app: &App) -> Result<Exit, Failure> {
    let line = args.content.line()?;
    if line.supersedes.is_some() {
        return Err(Failure::usage("`remember` replaces nothing, and the JSON says `supersedes`")
            .hint("`backstory supersede ID TEXT` does; `backstory import` takes `supersedes`"));
    }
    let mut store = app.store()?;
    let project = match (&args.project, &line.project_path, &line.project) {
        (None, Some(path), _) => store.find_or_create_project(&app.project_ref_of(path.as_ref()), app.now)?,
        (named, _, also) => app.project_to_write(&mut store, named.as_deref().or(also.as_deref()))?,
    };
    let memory = new_memory(&line, Provenance::User, project, app)?;
    refuse_taken_uid(&store, &memory)?;
    let id = if args.force {
        store.lift_tombstone(&memory)?;
        store.remember(&memory)?
    } else {
        keep(&mut store, &memory).map_err(|failure| match failure.memory() {
            Some(existing) => failure.hint("`--force` writes it all the same").hint(changes(existing)),
            None => failure,
        })?
    };
    answer(app, &mut store, id, args.json)
}

/// Writes a memory that says something new. Every door writes through here.
pub(crate) fn keep(store: &mut Store, memory: &NewMemory) -> Result<MemoryId, Failure> {
    match duplicate(store, &memory.content, memory.project)? {
        Some((existing, _)) => {
            let message = format!("memory #{existing} says nearly the same");
            Err(Failure::new(ErrorCode::NearDuplicate, message).about(existing))
        }
        None => Ok(store.remember(memory)?),
    }
}

impl ContentArgs {
    /// Returns what was typed as one memory: flags win over what a JSON object says.
    pub(crate) fn line(self) -> Result<MemoryRecord, Failure> {
        let text = self.read_text()?;
        let mut line = match text.as_deref().map(str::trim_start) {
            Some(json) if json.starts_with('{') => MemoryRecord::parse(json).map_err(|error| {
                Failure::from(error)
                    .hint("a text that begins with `{` is read as JSON; begin it with a word if it is none")
            })?,
            _ => MemoryRecord { body: text, ..MemoryRecord::default() },
        };
        line.kind = self.kind.map(|kind| kind.to_string()).or(line.kind);
        line.title = self.title.or(line.title);
        line.files.extend(self.files);
        line.concepts.extend(self.concepts);
        line.facts.extend(self.facts);
        line.importance = self.importance.or(line.importance);
        line.pinned = if self.pin { Some(true) } else { line.pinned };
        line.scope = if self.everywhere { Some("user".to_owned()) } else { line.scope };
        Ok(line)
    }

    fn read_text(&self) -> Result<Option<String>, Failure> {
        let from_stdin = match self.text.as_deref() {
            Some("-") => true,
            None => self.title.is_none() && !std::io::stdin().is_terminal(),
            Some(_) => false,
        };
        if !from_stdin {
            return Ok(self.text.clone());
        }
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| Failure::user("cannot read standard input").because(&error))?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// Makes a memory of a line that someone said, fit to be stored.
pub(crate) fn new_memory(
    line: &MemoryRecord,
    said_by: Provenance,
    project: ProjectId,
    app: &App,
) -> Result<NewMemory, Failure> {
    let mut line = line.clone();
    line.scrub_names(&app.redactor())?;
    let draft = line.content(said_by.clone(), app.now)?;
    // Who says it is known here; a line that claims another source is believed only downwards.
    let provenance = draft.provenance.clone().min(said_by);
    let content = prepare(Content { provenance, ..draft }, &app.redactor());
    Ok(NewMemory {
        uid: line.uid()?,
        project,
        origin: MemoryOrigin::default(),
        content,
        created_at: line.created_at(app.now)?,
    })
}

/// Says what was written, then makes its vectors: nobody has to wait for them to read the answer.
pub(crate) fn answer(app: &App, store: &mut Store, id: MemoryId, json: bool) -> Result<Exit, Failure> {
    if json {
        app.ui.json(&written(store, id)?)?;
    } else {
        let memory = store.memory(id)?.ok_or(StoreError::NoSuchMemory(id))?;
        app.ui.line(&format!("#{id} {} {}", memory.content.kind, one_line(&memory.content.title)))?;
    }
    vectors::follow(store, app);
    Ok(Exit::Done)
}

/// Tells what was written. Every door that speaks JSON tells it through here.
pub(crate) fn written(store: &Store, id: MemoryId) -> Result<Written, Failure> {
    let memory = store.memory(id)?.ok_or(StoreError::NoSuchMemory(id))?;
    Ok(Written { ok: true, id: id.0, kind: memory.content.kind.as_str(), uid: memory.uid.to_string() })
}

/// Refuses a memory whose uid another has: a uid names one memory, in every store.
pub(crate) fn refuse_taken_uid(store: &Store, memory: &NewMemory) -> Result<(), Failure> {
    let Some(uid) = &memory.uid else { return Ok(()) };
    match store.memory_by_uid(uid)? {
        Some(holder) => Err(Failure::new(ErrorCode::UidTaken, format!("memory #{} has this uid", holder.id))
            .about(holder.id)
            .hint(changes(holder.id))),
        None => Ok(()),
    }
}

fn changes(id: MemoryId) -> String {
    format!("`backstory revise {id}` changes the one that is there")
}

fn duplicate(
    store: &Store,
    draft: &Content,
    project: ProjectId,
) -> Result<Option<(MemoryId, f64)>, StoreError> {
    let alike = most_similar(store, draft, Scope::Project(project))?;
    Ok(alike.filter(|(_, jaccard)| *jaccard >= NEAR_DUPLICATE))
}
