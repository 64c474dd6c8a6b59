//! `remember`: writes a memory, unless we have it already.

use crate::args::kind_names;
use crate::exit::Exit;
use crate::ui::{Ui, one_line, read_stdin};
use backstory_app::caller::Caller;
use backstory_app::remember::{DuplicatePolicy, MemoryRecord, RememberRequest, TargetProject, revise_hint};
use backstory_app::{App, AppError, ErrorCode, json, vectors};
use backstory_memory::{ContentRecord, Memory, MemoryScope, Relation, Standing};
use backstory_store::Store;
use clap::Args;
use std::io::IsTerminal;

/// Arguments of `remember`.
#[derive(Args, Debug)]
pub(crate) struct RememberArgs {
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// The project it belongs to (default: the one of this folder)
    #[arg(long, short, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Write it even if a similar memory exists or was forgotten
    #[arg(long)]
    pub(crate) force: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a memory says, as it is typed.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ContentArgs {
    /// The text, or a JSON object; `-` or nothing reads standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Its kind (default: inferred from the text)
    #[arg(long, value_parser = kind_names(), ignore_case = true)]
    pub(crate) kind: Option<String>,
    /// Its title (default: the first line of the text)
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// A file it is about; repeatable
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<String>,
    /// A topic it belongs to; repeatable
    #[arg(long = "concept", value_name = "WORD")]
    pub(crate) concepts: Vec<String>,
    /// A single fact it states; repeatable
    #[arg(long = "fact", value_name = "TEXT")]
    pub(crate) facts: Vec<String>,
    /// Its importance, 1 to 5
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..=5))]
    pub(crate) importance: Option<i64>,
    /// Pin it
    #[arg(long)]
    pub(crate) pin: bool,
    /// Apply it to every project
    #[arg(long)]
    pub(crate) everywhere: bool,
}

/// Writes a memory.
pub(crate) fn run(args: RememberArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let memory = args.content.record()?;
    if memory.supersedes.is_some() {
        return Err(AppError::usage("`remember` replaces nothing, and the JSON says `supersedes`")
            .hint("`backstory supersede ID TEXT` does; `backstory import` takes `supersedes`"));
    }
    let project = args.project.map_or(TargetProject::OfRecord, TargetProject::Named);
    let duplicates = if args.force { DuplicatePolicy::Write } else { DuplicatePolicy::Refuse };
    let request = RememberRequest { memory, project, duplicates, quote: None };
    let mut store = app.store()?;
    let wants_more = wants_more(&request.memory);
    let memory = app.remember(&mut store, request).map_err(|failure| match failure.memory() {
        Some(known) if failure.code() == ErrorCode::NearDuplicate => {
            failure.hint("`--force` writes it all the same").hint(revise_hint(known))
        }
        _ => failure,
    })?;
    if wants_more && app.caller == Caller::Agent {
        ui.say("note: only you can pin a memory or apply it to every project; this one is neither");
    }
    let exit = answer(app, ui, &mut store, &memory, args.json)?;
    for (relation, other) in app.affected(&store, &memory)? {
        let verb = if relation == Relation::Supersedes { "replaces" } else { "contradicts" };
        let counts = if outranks(&other, &memory) { ", which is yours and counts" } else { "" };
        ui.say(&format!("note: it {verb} #{} {}{counts}", other.id, one_line(&other.content.title)));
    }
    Ok(exit)
}

/// Whether the user said what it is compared with, and somebody else said it.
fn outranks(other: &Memory, memory: &Memory) -> bool {
    other.is_users_own() && !memory.is_users_own()
}

/// Whether a memory is to be pinned, or to apply to every project.
fn wants_more(memory: &MemoryRecord) -> bool {
    memory.content.pinned == Some(true) || memory.content.scope.as_deref() == Some(MemoryScope::User.as_str())
}

impl ContentArgs {
    /// Returns what was typed as one memory: flags win over what a JSON object says.
    pub(crate) fn record(self) -> Result<MemoryRecord, AppError> {
        let text = self.read_text()?;
        let record = match text.as_deref().map(str::trim_start) {
            Some(json) if json.starts_with('{') => MemoryRecord::parse(json).map_err(|error| {
                AppError::from(error)
                    .hint("a text that begins with `{` is read as JSON; begin it with a word if it is none")
            })?,
            _ => ContentRecord { body: text, ..ContentRecord::default() }.into(),
        };
        Ok(self.lay_flags(record))
    }

    /// Returns a record with what the flags say.
    pub(crate) fn lay_flags(self, mut record: MemoryRecord) -> MemoryRecord {
        let content = &mut record.content;
        content.kind = self.kind.or(content.kind.take());
        content.title = self.title.or(content.title.take());
        content.files.extend(self.files);
        content.concepts.extend(self.concepts);
        content.facts.extend(self.facts);
        content.importance = self.importance.or(content.importance);
        content.pinned = if self.pin { Some(true) } else { content.pinned };
        if self.everywhere {
            content.scope = Some(MemoryScope::User.as_str().to_owned());
        }
        record
    }

    fn read_text(&self) -> Result<Option<String>, AppError> {
        let from_stdin = match self.text.as_deref() {
            Some("-") => true,
            None => self.title.is_none() && !std::io::stdin().is_terminal(),
            Some(_) => false,
        };
        if from_stdin { read_stdin().map(Some) } else { Ok(self.text.clone()) }
    }
}

/// Says what was written, then makes its vectors: nobody has to wait for them to read the answer.
pub(crate) fn answer(
    app: &App,
    ui: &Ui,
    store: &mut Store,
    memory: &Memory,
    json: bool,
) -> Result<Exit, AppError> {
    if json {
        ui.json(&json::written(memory))?;
    } else {
        let content = &memory.content;
        ui.line(&format!("#{} {} {}", memory.id, content.kind, one_line(&content.title)))?;
        if memory.standing == Standing::Proposed {
            let why = memory.standing_reason.explanation();
            ui.say(&format!("note: proposed, because {why}; `backstory confirm {}` confirms it", memory.id));
        }
    }
    vectors::follow(store, app);
    Ok(Exit::Done)
}
