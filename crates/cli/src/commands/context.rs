//! `context`: what would be injected now, word for word, and what each line costs. Nothing is recorded.

use crate::exit::Exit;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::injection::ContextRequest;
use backstory_app::{App, AppError, ProjectSelector, json};
use backstory_inject::{BuiltInjection, PlacedMemory};
use backstory_memory::{InjectionPoint, StartReason};
use backstory_store::Store;
use clap::{Args, ValueEnum};

/// Arguments of `context`.
#[derive(Args, Debug)]
pub(crate) struct ContextArgs {
    /// The moment of a session (default: inferred from the other arguments, else session-start)
    #[arg(long, value_name = "MOMENT")]
    pub(crate) moment: Option<MomentArg>,
    /// The prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// The command that is about to run
    #[arg(long, value_name = "COMMAND", conflicts_with = "prompt")]
    pub(crate) command: Option<String>,
    /// The file that is about to be edited
    #[arg(long, value_name = "PATH", conflicts_with_all = ["prompt", "command"])]
    pub(crate) file: Option<String>,
    /// The project: its name, its number or a folder in it (default: the one of this folder)
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Print what each line costs and why it is there, instead of the text
    #[arg(long)]
    pub(crate) bill: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A moment as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MomentArg {
    /// A session begins
    SessionStart,
    /// The user asks for something
    Prompt,
    /// A tool is about to run
    Tool,
    /// The host compacts its context
    Compaction,
}

/// Shows what would be injected.
pub(crate) fn run(args: &ContextArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let point = injection_point(args, app)?;
    let store = app.store_to_read()?;
    let project = args.project.clone().map_or(ProjectSelector::Here, ProjectSelector::Named);
    let built = app.context(&store, ContextRequest { point, project })?;
    if args.json {
        ui.json(&json::context(&built))?;
    } else if built.block.is_empty() {
        let why = if built.budget.0 == 0 {
            "this moment is turned off in `[inject]`"
        } else {
            "nothing known is relevant to it"
        };
        ui.say(&format!("nothing would be injected: {why}"));
    } else if args.bill {
        bill(&built, &store, (app, ui))?;
    } else {
        ui.raw(&format!("{}\n", built.block.text.trim_end()))?;
    }
    Ok(if built.block.is_empty() { Exit::No } else { Exit::Done })
}

fn injection_point(args: &ContextArgs, app: &App) -> Result<InjectionPoint, AppError> {
    let prompt = || args.prompt.clone().map(|text| InjectionPoint::Prompt { text });
    let command = || args.command.clone().map(|command| InjectionPoint::Command { command });
    let edit = || args.file.as_deref().map(|file| InjectionPoint::Edit { file: from_here(file, app) });
    let session = || InjectionPoint::SessionStart { reason: StartReason::Startup };
    let found = match args.moment {
        None => Some(prompt().or_else(command).or_else(edit).unwrap_or_else(session)),
        Some(MomentArg::SessionStart) => Some(session()),
        Some(MomentArg::Prompt) => prompt(),
        Some(MomentArg::Tool) => command().or_else(edit),
        Some(MomentArg::Compaction) => Some(InjectionPoint::Compaction),
    };
    found.ok_or_else(|| {
        AppError::usage("this moment needs to know what it is about")
            .hint("`--prompt TEXT` for a prompt, `--command COMMAND` or `--file PATH` for a tool")
    })
}

/// Returns where a file is that is named from this folder; one that is not there is named from the project's.
fn from_here(file: &str, app: &App) -> String {
    let folder = app.cwd.canonicalize().unwrap_or_else(|_| app.cwd.clone());
    let path = folder.join(file);
    if path.exists() { path.to_string_lossy().into_owned() } else { file.to_owned() }
}

/// Prints what each section and each of its memories costs, and what the frame around them does.
fn bill(built: &BuiltInjection, store: &Store, (app, ui): (&App, &Ui)) -> Result<(), AppError> {
    let block = &built.block;
    for section in &block.sections {
        let items: Vec<&PlacedMemory> = block.items.iter().filter(|item| item.section == *section).collect();
        let total: u32 = items.iter().map(|item| item.tokens.0).sum();
        // What has no memory behind it, such as changed code, is part of the frame.
        if !items.is_empty() {
            ui.line(&ui.tone(Tone::Strong, &format!("{total:>6}  {section}")))?;
        }
        for item in items {
            let title = one_line(&app.memory(store, item.memory)?.content.title);
            let why = item.reasons.join(", ");
            let why = ui.tone(Tone::Faint, &format!("({why})"));
            ui.line(&format!("{:>8}  #{} {title} {why}", item.tokens.0, item.memory))?;
        }
    }
    let lines: u32 = block.items.iter().map(|item| item.tokens.0).sum();
    let rest = block.tokens.0.saturating_sub(lines);
    ui.line(&format!("{rest:>6}  fence, headings and lines without a memory"))?;
    ui.line(&format!(
        "{:>6}  tokens of {} in {} bytes, built in {:.1} ms",
        block.tokens.0,
        built.budget.0,
        block.bytes,
        f64::from(built.build_us) / 1000.0
    ))?;
    for skipped in &block.sections_skipped {
        ui.line(&format!("        skipped: {}", one_line(&skipped.to_string())))?;
    }
    Ok(())
}
