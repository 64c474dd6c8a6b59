//! `export`: writes memories to a file or a folder that `import` takes back, or to a folder a team shares. Nobody is locked in.

mod folder;
mod git_export;

use crate::exit::Exit;
use crate::progress::Progress;
use crate::ui::{Ui, memories};
use backstory_app::{App, AppError, times};
use backstory_exchange::{ExchangeError, ExportSelection, export_jsonl, export_jsonl_file};
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Arguments of `export`.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The file; `-` is standard output. For Markdown: the folder
    #[arg(default_value = "-")]
    pub(crate) file: String,
    /// How to write
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,
    /// Only this project: its name, its number or a folder in it
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Only what was written or changed since: 2026-05-01, 36h, 7d, 2w
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    /// Share the project through a folder that git carries: add what is new to it, and remove what was forgotten
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "format", "since"])]
    pub(crate) git: Option<String>,
    /// Who says it, for `--git` (default: `git config user.name`)
    #[arg(long = "as", value_name = "NAME", requires = "git")]
    pub(crate) r#as: Option<String>,
    /// Show what `--git` would push, and write nothing
    #[arg(long, requires = "git")]
    pub(crate) dry_run: bool,
    /// Output `--git` as JSON
    #[arg(long, requires = "git")]
    pub(crate) json: bool,
}

/// A way to write memories down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One JSON object a line
    Jsonl,
    /// One folder a project, one document a memory
    Markdown,
}

/// Exports memories.
pub(crate) fn run(args: &ExportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    if let Some(dir) = &args.git {
        return git_export::run(dir, args, app, ui);
    }
    let store = app.store_to_read()?;
    let project = args.project.as_deref().map(|wanted| app.project_called(&store, wanted)).transpose()?;
    let since = args.since.as_deref().map(|text| times::typed(text, app.now)).transpose()?;
    let selection = ExportSelection { project, since };
    if args.format == ExportFormat::Markdown {
        return folder::run(&store, &selection, &args.file, app, ui);
    }
    // Lines that run over the screen are progress enough, and a bar would run through them.
    let shows_progress = args.file != "-" || !io::stdout().is_terminal();
    let mut progress = Progress::new(store.memories().count()?, "memories");
    let mut report = |done| {
        if shows_progress {
            progress.at(done);
        }
    };
    let count = if args.file == "-" {
        let out = ("to standard output", &mut io::stdout().lock() as &mut dyn Write);
        export_jsonl(&store, &selection, out, &mut report)
    } else {
        export_jsonl_file(&store, &selection, Path::new(&args.file), &mut report)
    };
    progress.finish();
    let count = count.map_err(|error| failure(error, ui))?;
    if count == 0 {
        ui.say("there is nothing to export");
        return Ok(Exit::No);
    }
    ui.say(&format!("exported {}", memories(count)));
    Ok(Exit::Done)
}

/// Says why an export stopped. Where the reader of a pipe has seen enough, that is the end and no failure.
fn failure(error: ExchangeError, ui: &Ui) -> AppError {
    match error {
        ExchangeError::Output { target, source } => ui.cannot_write(&target, &source),
        error => error.into(),
    }
}
