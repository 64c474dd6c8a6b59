//! `import`: brings in what is there already. Running it again adds only what is new.

mod file;
mod git_import;
mod import_summary;
mod machine;
mod preview;

pub(crate) use machine::{ImportRun, list_transcripts};

use crate::exit::Exit;
use crate::ui::{Ui, memories};
use backstory_app::{App, AppError, log};
use backstory_exchange::ImportSelection;
use backstory_memory::Provenance;
use backstory_store::Store;
use clap::{Args, ValueEnum};
use std::path::absolute;

/// Arguments of `import`.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// A file `export` wrote, `-` for standard input; with `--from`, what is to be read instead of what is found
    pub(crate) file: Option<String>,
    /// Import everything that is found on this machine
    #[arg(long, conflicts_with_all = ["file", "from"])]
    pub(crate) all: bool,
    /// Import what one source holds: claude-code, codex, opencode, gemini-cli, copilot-cli, git, markdown, claude-mem, claude-mem-lite, open-mem, lore, engram
    #[arg(long, value_name = "SOURCE")]
    pub(crate) from: Option<String>,
    /// Pull what a team shares through a folder in git that `export --git` wrote
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "from", "all", "since", "format", "provenance"])]
    pub(crate) git: Option<String>,
    /// Show what would be imported, and import nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Nothing older: a day, or how long ago (`90d`, `26w`)
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// What the file holds
    #[arg(long, value_enum, default_value_t = ImportFormat::Jsonl)]
    pub(crate) format: ImportFormat,
    /// Only this project: its name, its number or a folder in it; of a file, the project of lines that name none
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Believe no line of a file more than this: user, assistant, tool, import, external. Say `import` for a file somebody else wrote
    #[arg(long, value_name = "TRUST", default_value = "user")]
    pub(crate) provenance: Provenance,
    /// Make no vectors now; `backstory index --vectors` makes them later
    #[arg(long)]
    pub(crate) no_vectors: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A way to write memories down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// One JSON object a line
    Jsonl,
}

/// More memories than this take a while to make vectors of.
const MANY: u64 = 100;

/// Imports.
pub(crate) fn run(args: &ImportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    if let Some(dir) = &args.git {
        return git_import::run(dir, args, app, ui);
    }
    match (&args.file, &args.from) {
        (file, Some(from)) => machine::run(selected(from, file.as_deref())?, args, app, ui),
        (None, None) if args.all => machine::run(ImportSelection::Everything, args, app, ui),
        (Some(_), None) if args.since.is_some() => {
            Err(AppError::usage("`--since` is for what is found on this machine")
                .hint("a file is imported whole; `backstory export --since` writes a part"))
        }
        (Some(file), None) if !args.dry_run => file::run(file, args, app, ui),
        (Some(_), None) => Err(AppError::usage("`--dry-run` is for what is found on this machine")
            .hint("a file is read line by line: lines that are known add nothing")),
        (None, None) => Err(AppError::usage("nothing to import was named").hint(
            "`--all` imports everything found on this machine (`--all --dry-run` shows it), `--from SOURCE` one source, a path a file",
        )),
    }
}

/// Returns what a source or a host of this name holds, in a file or folder where one is named.
fn selected(name: &str, path: Option<&str>) -> Result<ImportSelection, AppError> {
    let path = path.map(|path| absolute(path).unwrap_or_else(|_| path.into()));
    if let Some(missing) = path.as_ref().filter(|path| !path.exists()) {
        return Err(AppError::user(format!("there is no `{}`", missing.display()))
            .hint(format!("`backstory import --from {name}` looks where it usually is")));
    }
    ImportSelection::named(name, path).ok_or_else(|| {
        AppError::usage(format!("`{name}` is nothing that can be imported"))
            .hint("`backstory import --help` lists the sources")
    })
}

/// Merges the parts of the word index and frees their pages, so that search is fast at once. A failure is logged: the next upkeep does it.
fn tidy_up(store: &mut Store, app: &App) {
    if let Err(error) = store.upkeep_mut().merge_word_index().and_then(|()| store.upkeep_mut().vacuum()) {
        log::line(&app.home, app.now, &format!("import: {error}"));
    }
}

/// Makes vectors, last of all: it takes longer than the import itself, and can be broken off.
fn embed(store: &mut Store, args: &ImportArgs, app: &App, ui: &Ui) -> Result<(), AppError> {
    if !app.config.recall.vectors || args.no_vectors {
        return Ok(());
    }
    let waiting = store.vectors().count_stale()?;
    if waiting > MANY {
        ui.say(&format!(
            "search works already; making the vectors of {} (break it off whenever you like: `backstory index --vectors` goes on)",
            memories(waiting)
        ));
    }
    crate::progress::embed_all(store).map(drop)
}
