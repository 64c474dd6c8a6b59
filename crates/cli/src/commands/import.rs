//! `import`: brings in what is there already. Running it again adds only what is new.

mod file;
mod git_import;
mod import_summary;
mod machine;

pub(crate) use import_summary::print_import;

use crate::exit::Exit;
use crate::progress::with_bar;
use crate::ui::{Ui, memories};
use backstory_app::import::ChatService;
use backstory_app::{App, AppError, vectors};
use backstory_store::Store;
use clap::{Args, ValueEnum};

/// Arguments of `import`.
#[derive(Args, Debug)]
pub(crate) struct ImportArgs {
    /// A file that `export` wrote, `-` for standard input; with `--from`, the file or folder to read
    pub(crate) file: Option<String>,
    /// Import everything that is found on this machine
    #[arg(long, conflicts_with_all = ["file", "from"])]
    pub(crate) all: bool,
    /// Import from one source: claude-code, codex, opencode, gemini-cli, copilot-cli, git, markdown, claude-mem, claude-mem-lite, open-mem, lore, engram; of your chats, with a FILE and a project: claude-ai, chatgpt
    #[arg(long, value_name = "SOURCE")]
    pub(crate) from: Option<String>,
    /// Pull what a team shares through a folder in git that `export --git` wrote
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "from", "all", "since", "format", "trust"])]
    pub(crate) git: Option<String>,
    /// Show what would be imported, and import nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Skip what is older: a day, or how long ago (`90d`, `26w`)
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Format of the file
    #[arg(long, value_enum, default_value_t = ImportFormat::Jsonl)]
    pub(crate) format: ImportFormat,
    /// Only this project: its name, its number or a folder in it; of a file, the project of lines that name none
    #[arg(long, short, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// How far to believe a file. `user`: it is your own export, with provenance, scope and pins as it says; only at a terminal
    #[arg(long, value_enum, default_value_t = ImportTrust::Import, conflicts_with = "all")]
    pub(crate) trust: ImportTrust,
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

/// How far a file is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportTrust {
    /// As what somebody else says
    Import,
    /// As your own words
    User,
}

/// More memories than this take a while to make vectors of.
const MANY: u64 = 100;

/// Imports.
pub(crate) fn run(args: &ImportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    if let Some(dir) = &args.git {
        return git_import::run(dir, args, app, ui);
    }
    if let Some(service) = args.from.as_deref().and_then(ChatService::named) {
        return file::run_chats(service, args, app, ui);
    }
    match (&args.file, &args.from) {
        (_, Some(_)) if args.trust == ImportTrust::User => {
            Err(AppError::usage("`--trust user` is for a file of your own, or an export of your chats"))
        }
        (_, Some(_)) => machine::run(args, app, ui),
        (None, None) if args.all => machine::run(args, app, ui),
        (Some(_), None) if args.since.is_some() => {
            Err(AppError::usage("`--since` is for what is found on this machine")
                .hint("a file is imported whole; `backstory export --since` writes a part"))
        }
        (Some(file), None) if !args.dry_run => file::run(file, args, app, ui),
        (Some(_), None) => Err(AppError::usage("`--dry-run` is for what is found on this machine")
            .hint("a file is read line by line: lines that are known add nothing")),
        (None, None) => Err(AppError::usage("nothing to import").hint(
            "name a file, or use `--all` for everything found on this machine (`--all --dry-run` shows it), or `--from SOURCE` for one source",
        )),
    }
}

/// Makes vectors, last of all: it takes longer than the import itself, and can be interrupted.
fn embed(store: &mut Store, args: &ImportArgs, app: &App, ui: &Ui) -> Result<(), AppError> {
    if !app.config.recall.vectors || args.no_vectors {
        return Ok(());
    }
    let waiting = vectors::waiting(store, &app.config)?;
    if waiting > MANY {
        ui.say(&format!(
            "search works already; making the vectors of {} (interrupt it whenever you like: `backstory index --vectors` continues)",
            memories(waiting)
        ));
    }
    with_bar(|on_progress| vectors::embed_all(store, on_progress)).map(drop)
}
