//! `rules`: what the user wants done or never done, in the open: listed, written, changed, retired, and put into a file that hosts load.

use crate::args::memory_id;
use crate::commands::remember::{ContentArgs, RememberArgs};
use crate::commands::review::VerdictArgs;
use crate::commands::revise::ReviseArgs;
use crate::commands::{remember, review, revise};
use crate::connection_words::show_change;
use crate::exit::Exit;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::connection::confirmation_missing;
use backstory_app::json::{self, RulesFileShape};
use backstory_app::rules::{RulesFileAction, RulesFileChange};
use backstory_app::{App, AppError, ProjectSelector};
use backstory_memory::{Kind, Memory, MemoryId, MemoryScope};
use backstory_store::Verdict;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

/// The files that rules may be written into.
const FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// Arguments of `rules`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    pub(crate) action: Option<RulesAction>,
    /// The project: its name, number or a folder in it (default: the project of this folder)
    #[arg(long, short, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Write the project's rules into a marked block of this file, which hosts load by themselves
    #[arg(long, value_name = "FILE", value_parser = PossibleValuesParser::new(FILES), conflicts_with_all = ["project", "remove"])]
    pub(crate) write: Option<String>,
    /// Take that block out of this file again
    #[arg(long, value_name = "FILE", value_parser = PossibleValuesParser::new(FILES), conflicts_with = "project")]
    pub(crate) remove: Option<String>,
    /// Do not ask before a file is changed
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What can be done with rules.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesAction {
    /// List them, as `rules` alone does
    List {
        /// The project: its name, number or a folder in it (default: the project of this folder)
        #[arg(long, short, value_name = "PROJECT")]
        project: Option<String>,
        /// Output as JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a rule
    Add {
        /// What is always or never to be done
        #[arg(value_name = "TEXT")]
        text: String,
        /// Apply it to every project
        #[arg(long)]
        everywhere: bool,
        /// Output as JSON
        #[arg(long)]
        json: bool,
    },
    /// Change what a rule says
    Edit {
        /// The rule's number
        #[arg(value_parser = memory_id, value_name = "ID")]
        id: MemoryId,
        /// What it is to say
        #[arg(value_name = "TEXT")]
        text: String,
        /// Output as JSON
        #[arg(long)]
        json: bool,
    },
    /// Retire rules: they hold no more, and stay as history
    Retire(VerdictArgs),
}

/// Does what was typed with rules.
pub(crate) fn run(args: RulesArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    match args.action {
        Some(RulesAction::List { project, json }) => list(project, json, app, ui),
        Some(RulesAction::Add { text, everywhere, json }) => {
            let kind = Some(Kind::Rule.to_string());
            let content = ContentArgs { text: Some(text), kind, everywhere, ..ContentArgs::default() };
            remember::run(RememberArgs { content, project: None, force: false, json }, app, ui)
        }
        Some(RulesAction::Edit { id, text, json }) => {
            refuse_others(&app.memory(&app.store_to_read()?, id)?)?;
            let content = ContentArgs { text: Some(text), ..ContentArgs::default() };
            revise::run(ReviseArgs { id, content, json }, app, ui)
        }
        Some(RulesAction::Retire(verdict)) => {
            let store = app.store_to_read()?;
            verdict.ids.iter().try_for_each(|id| refuse_others(&app.memory(&store, *id)?))?;
            drop(store);
            review::run_verdict(&verdict, Verdict::Retire, app, ui)
        }
        None => match (&args.write, &args.remove) {
            (Some(file), _) => change_file(&args, file, RulesFileAction::Write, app, ui),
            (_, Some(file)) => change_file(&args, file, RulesFileAction::Remove, app, ui),
            (None, None) => list(args.project, args.json, app, ui),
        },
    }
}

/// Refuses a memory of another kind.
fn refuse_others(memory: &Memory) -> Result<(), AppError> {
    if memory.content.kind == Kind::Rule {
        return Ok(());
    }
    let (id, kind) = (memory.id, memory.content.kind);
    Err(AppError::user(format!("memory #{id} is a {kind}, not a rule"))
        .hint(format!("`backstory revise {id}` and `backstory retire {id}` are for every kind")))
}

fn list(project: Option<String>, as_json: bool, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let store = app.store_to_read()?;
    let project = project.map_or(ProjectSelector::Here, ProjectSelector::Named);
    let rules = app.rules(&store, &project)?;
    let contradicted = app.contradicted_rules(&store, &rules)?;
    if as_json {
        ui.json(&json::rules(&store, &rules, &contradicted)?)?;
    } else if rules.is_empty() {
        ui.say("no rules yet; `backstory rules add TEXT` writes one, `backstory review` shows proposed ones");
    } else {
        for rule in &rules {
            let scope = if rule.content.scope == MemoryScope::User { "  (every project)" } else { "" };
            let number = format!("#{}", rule.id);
            let otherwise = contradicted.get(&rule.id).map(|remark| format!(" · {}", one_line(remark)));
            let text = one_line(&backstory_inject::rule_line(rule));
            let text = format!("{text}{scope}{}", otherwise.unwrap_or_default());
            ui.wrapped(&format!("{} ", ui.tone(Tone::Rule, &number)), &text, number.len() + 1)?;
        }
    }
    Ok(if rules.is_empty() { Exit::No } else { Exit::Done })
}

fn change_file(
    args: &RulesArgs,
    file: &str,
    action: RulesFileAction,
    app: &App,
    ui: &Ui,
) -> Result<Exit, AppError> {
    let change = app.plan_rules_file(&app.store_to_read()?, file, action)?;
    let is_idle = change.is_idle();
    if !is_idle {
        if !args.json {
            show(&change, ui)?;
        }
        match if args.yes { Some(true) } else { ui.confirm("Change this file?") } {
            Some(true) => change.carry_out()?,
            Some(false) => return Ok(Exit::No),
            None => return Err(confirmation_missing()),
        }
    }
    let path = change.path.display().to_string();
    ui.answer(args.json, &RulesFileShape { ok: true, file: path.clone(), changed: !is_idle }, || {
        ui.line(&match (is_idle, action) {
            (true, _) => format!("{path} is up to date"),
            (false, RulesFileAction::Write) => format!("wrote the rules into {path}"),
            (false, RulesFileAction::Remove) => format!("took the rules out of {path}"),
        })
    })?;
    Ok(Exit::Done)
}

fn show(change: &RulesFileChange, ui: &Ui) -> Result<(), AppError> {
    ui.line(&ui.tone(Tone::Path, &change.path.display().to_string()))?;
    show_change(change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default(), ui)
}
