//! `context`: what would be injected now, word for word, and what each line costs. Nothing is recorded.

use crate::exit::Exit;
use crate::layout::{columns, fit};
use crate::ui::{Tone, Ui, memories, one_line};
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
    /// What is about to be written into that file
    #[arg(long, value_name = "TEXT", requires = "file")]
    pub(crate) text: Option<String>,
    /// The project: its name, its number or a folder in it (default: the one of this folder)
    #[arg(long, short, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// The host it would be for (default: the one last at work in the project)
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,
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
    let built = app.context(&store, ContextRequest { point, project, host: args.host.clone() })?;
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
    let edit = || {
        let file = args.file.as_deref().map(|file| from_here(file, app));
        file.map(|file| InjectionPoint::Edit { file, text: args.text.clone().unwrap_or_default() })
    };
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

/// Prints what each section costs and which memories are in it, a line each, and what the frame around them does.
fn bill(built: &BuiltInjection, store: &Store, (app, ui): (&App, &Ui)) -> Result<(), AppError> {
    let block = &built.block;
    let ms = f64::from(built.build_us) / 1000.0;
    let (tokens, budget, bytes) = (block.tokens.0, built.budget.0, block.bytes);
    let total = format!("{tokens} of {budget} tokens, {bytes} bytes, built in {ms:.1} ms");
    ui.wrapped("", &ui.tone(Tone::Strong, &total), 2)?;
    for (section, priced) in block.sections.iter().zip(&block.section_tokens) {
        let items: Vec<&PlacedMemory> = block.items.iter().filter(|item| item.section == *section).collect();
        let held = match items.len() as u64 {
            0 => String::new(),
            count => format!(" · {}", memories(count)),
        };
        ui.line(&format!(
            "{:>6}  {}{}",
            priced.0,
            ui.tone(Tone::Strong, section),
            ui.tone(Tone::Faint, &held)
        ))?;
        for item in items {
            ui.line(&bill_line(item, store, (app, ui))?)?;
        }
    }
    let lines: u32 = block.section_tokens.iter().map(|tokens| tokens.0).sum();
    let frame = block.tokens.0.saturating_sub(lines);
    ui.line(&format!("{frame:>6}  {}", ui.tone(Tone::Faint, "fence and preface")))?;
    for skipped in &block.sections_skipped {
        ui.wrapped("        ", &format!("skipped: {}", one_line(&skipped.to_string())), 8)?;
    }
    Ok(())
}

/// Returns a memory's line: its cost, its title, and why it is there where there is room for it.
fn bill_line(item: &PlacedMemory, store: &Store, (app, ui): (&App, &Ui)) -> Result<String, AppError> {
    let title = one_line(&app.memory(store, item.memory)?.content.title);
    let first = format!("{:>10}  #{} ", item.tokens.0, item.memory);
    let room = ui.width().saturating_sub(columns(&first));
    let title = fit(&title, room);
    let why = format!(" ({})", item.reasons.join(", "));
    let has_room = !item.reasons.is_empty() && columns(&title) + columns(&why) <= room;
    Ok(format!("{first}{title}{}", if has_room { ui.tone(Tone::Faint, &why) } else { String::new() }))
}
