//! `export`: writes memories to a file or a folder that `import` takes back, or to a folder a team shares. Nobody is locked in.

mod git_export;

use crate::exit::Exit;
use crate::filter_args::KindArgs;
use crate::progress::with_bar;
use crate::ui::{PipeOut, Ui, counted, memories};
use backstory_app::export::{ExportRequest, JsonlTarget};
use backstory_app::{App, AppError, times};
use backstory_store::Store;
use clap::{Args, ValueEnum};
use std::io::{self, IsTerminal};
use std::path::Path;

/// Arguments of `export`.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// The file; `-` is standard output. For Markdown: the folder
    #[arg(default_value = "-")]
    pub(crate) file: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,
    /// Only this project: its name, its number or a folder in it
    #[arg(long, short, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Only what was written or changed since: 2026-05-01, yesterday, 36h, 7d, 2w
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<String>,
    #[command(flatten)]
    pub(crate) kind: KindArgs,
    /// Share the project through a folder in git: add what is new, and remove what was forgotten
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "format", "since", "kinds"])]
    pub(crate) git: Option<String>,
    /// Author of what `--git` pushes (default: `git config user.name`)
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

/// How many files that were left as they are get named; the rest is only counted.
const LISTED: usize = 20;

/// Exports memories.
pub(crate) fn run(args: &ExportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    if let Some(dir) = &args.git {
        return git_export::run(dir, args, app, ui);
    }
    let store = app.store_to_read()?;
    let since = args.since.as_deref().map(|text| times::typed(text, app.now)).transpose()?;
    let request = ExportRequest { project: args.project.clone(), since, kinds: args.kind.kinds() };
    if args.format == ExportFormat::Markdown {
        return export_folder(args, &store, &request, app, ui);
    }
    let count = match args.file.as_str() {
        "-" => {
            let mut out = PipeOut(io::stdout().lock());
            let target = JsonlTarget::Stdout(&mut out);
            // Lines that run over the screen are progress enough, and a bar would run through them.
            if io::stdout().is_terminal() {
                app.export_jsonl(&store, &request, target, &mut |_| {})
            } else {
                with_bar(|on_progress| app.export_jsonl(&store, &request, target, on_progress))
            }
        }
        file => {
            let target = JsonlTarget::File(Path::new(file));
            with_bar(|on_progress| app.export_jsonl(&store, &request, target, on_progress))
        }
    }?;
    if count == 0 {
        ui.say("there is nothing to export");
        return Ok(Exit::No);
    }
    ui.say(&format!("exported {}", memories(count)));
    Ok(Exit::Done)
}

/// Writes Markdown: one folder a project, one document a memory.
fn export_folder(
    args: &ExportArgs,
    store: &Store,
    request: &ExportRequest,
    app: &App,
    ui: &Ui,
) -> Result<Exit, AppError> {
    let dir = &args.file;
    if dir == "-" {
        return Err(AppError::usage("Markdown is written into a folder")
            .hint("`backstory export --format markdown DIR` makes it where it is not there"));
    }
    let report = with_bar(|on_progress| app.export_markdown(store, request, Path::new(dir), on_progress))?;
    let untouched = &report.untouched;
    untouched.iter().take(LISTED).for_each(|file| ui.say(&format!("left as it is: {file}")));
    if untouched.len() > LISTED {
        ui.say(&format!("… and {} more", untouched.len() - LISTED));
    }
    if report.unknown > 0 {
        let documents =
            if report.unknown == 1 { "1 document is" } else { &format!("{} documents are", report.unknown) };
        ui.say(&format!("{documents} of memories not known here; `backstory import {dir}` imports them"));
    }
    if report.selected == 0 {
        ui.say("there is nothing to export");
        return Ok(Exit::No);
    }
    let exported = memories(report.selected - untouched.len() as u64);
    let written = counted(report.written, "file");
    ui.say(&format!("exported {exported}: {written} written, {} removed", report.removed));
    Ok(if untouched.is_empty() { Exit::Done } else { Exit::No })
}
