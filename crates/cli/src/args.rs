//! The command line: what can be typed. What it means stands with each command.

use crate::commands::{
    completions, config, context, distil, doctor, eval, export, forget, handoff, import, index, install,
    maintain, mcp, pin, project, redact, remember, revise, search, serve, sessions, setup, show, status,
    supersede, sync, team, timeline, uninstall, view, why,
};
use crate::engine::Profile;
use crate::env_vars::Environment;
use crate::ui::{Colour, Ui};
use crate::version;
use backstory_hosts::Host;
use backstory_memory::{Kind, MemoryId};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};

/// Reads a memory's number, with or without the sign it is printed with.
pub(crate) fn memory_id(text: &str) -> Result<MemoryId, String> {
    let number = text.trim_start_matches('#').parse();
    number.map(MemoryId).map_err(|_| "a memory is named by its number, like 12".to_owned())
}

/// Reads how many are wanted at the most.
pub(crate) fn how_many(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "say how many, at least 1".to_owned())
}

/// Reads a host's name, and tells all of them to help and completion.
pub(crate) fn hosts() -> impl TypedValueParser<Value = Host> {
    PossibleValuesParser::new(Host::ALL.map(Host::as_str)).try_map(|name| name.parse())
}

/// Reads the name of a kind, and lists all kinds in help and completion. Old names are accepted and not listed.
pub(crate) fn kind_names() -> impl TypedValueParser<Value = String> {
    let names = Kind::ALL.into_iter().map(|kind| PossibleValue::new(kind.as_str()));
    let aliases = Kind::alias_names().map(|name| PossibleValue::new(name).hide(true));
    PossibleValuesParser::new(names.chain(aliases))
}

/// Reads a kind to filter by. An old name may stand for two kinds of today.
pub(crate) fn kind_filters() -> impl TypedValueParser<Value = KindFilter> {
    kind_names().try_map(|name| Kind::parse_alias(&name).map(KindFilter))
}

/// The kinds one name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KindFilter(pub(crate) Vec<Kind>);

/// Reads which table of weights counts, with a line of help for each.
pub(crate) fn profiles() -> impl TypedValueParser<Value = Profile> {
    let values = Profile::ALL.map(|profile| PossibleValue::new(profile.as_str()).help(profile.describe()));
    PossibleValuesParser::new(values).try_map(|name| name.parse())
}

/// Gives coding agents the story so far
///
/// Exit codes: 0 done, 1 no (nothing found, refused), 2 usage or configuration, 70 internal error.
#[derive(Debug, Parser)]
#[command(name = "backstory", version, long_version = version::long(), max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Set a configuration value for this run
    #[arg(long = "set", value_name = "KEY=VALUE", global = true)]
    pub(crate) settings: Vec<String>,
    /// Print without colour
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

impl Cli {
    /// Makes the way to the person at the screen.
    pub(crate) fn ui(&self, environment: &Environment) -> Ui {
        Ui::new(if self.no_color || environment.no_color() { Colour::Never } else { Colour::Auto })
    }
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make the store, connect the hosts that are found, and prove that it works
    Setup(setup::SetupArgs),
    /// Connect hosts: hooks, MCP server, rules
    Install(install::InstallArgs),
    /// Take out of hosts what `install` put in
    Uninstall(uninstall::UninstallArgs),
    /// Write a memory
    Remember(remember::RememberArgs),
    /// Give a memory other words, keeping what it said before
    Revise(revise::ReviseArgs),
    /// Write a memory that replaces another
    Supersede(supersede::SupersedeArgs),
    /// Forget memories for good
    Forget(forget::ForgetArgs),
    /// Keep a memory in view
    Pin(pin::PinArgs),
    /// Show memories whole
    Show(show::ShowArgs),
    /// Find memories
    Search(search::SearchArgs),
    /// Say what speaks for a memory: where it came from, when it was given and used, and what it has to do with a question
    Why(why::WhyArgs),
    /// Show what a session would be given now, and its bill
    Context(context::ContextArgs),
    /// Show what came before and after a memory
    Timeline(timeline::TimelineArgs),
    /// List sessions, or tell one step by step
    Sessions(sessions::SessionsArgs),
    /// Make memories of what happened in sessions, where that is still to be done
    Distil(distil::DistilArgs),
    /// Say where the work stands, or write it down
    Handoff(handoff::HandoffArgs),
    /// Show, rename, merge or share projects
    Project(project::ProjectCommandArgs),
    /// Join a team, or run one: its memories live in a PostgreSQL of yours
    Team(team::TeamArgs),
    /// Push what is new in shared projects to their teams, and pull what is new there
    Sync(sync::SyncArgs),
    /// Import what is on this machine already, or memories from a file
    Import(import::ImportArgs),
    /// Write memories to a file or a folder
    Export(export::ExportArgs),
    /// Rebuild what is derived from the memories
    Index(index::IndexArgs),
    /// Show how the store is doing
    Status(status::StatusArgs),
    /// Check the store and every host that is connected, and mend what is damaged
    Doctor(doctor::DoctorArgs),
    /// Measure recall on a data set, in a store of its own
    Eval(eval::EvalArgs),
    /// Show the configuration and where each value comes from
    Config(config::ConfigArgs),
    /// Take secrets and private parts out of a text
    Redact(redact::RedactArgs),
    /// Serve the tools an agent asks (search, timeline, get, remember, forget) over MCP
    Mcp(mcp::McpArgs),
    /// Serve the viewer and an HTTP interface on this machine; nothing else needs it
    Serve(serve::ServeArgs),
    /// Look around in a browser: what is remembered, what was given, and why
    View(view::ViewArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Hear what a host tells on standard input, and keep it. Hosts run this; nobody has to
    // `main` takes it before this list is made, unless a flag stands first.
    #[command(hide = true)]
    Hook {
        /// What the hook was given
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Let the configured model word better what waits for it
    #[command(hide = true)]
    Polish,
    /// Run a program that must not outlive us; only `polish` does this
    #[command(hide = true)]
    Guard {
        /// The program and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<std::ffi::OsString>,
    },
    /// Do the housekeeping that is due
    #[command(hide = true)]
    Maintain(maintain::MaintainArgs),
}
