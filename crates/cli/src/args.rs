//! The command line: what can be typed. What it means stands with each command.

use crate::clock::Clock;
use crate::commands::{
    browse, completions, config, context, distil, doctor, eval, export, forget, handoff, import, index,
    install, maintain, mcp, pin, program_update, project, redact, remember, review, revise, rules, search,
    serve, sessions, setup, show, status, sync, team, timeline, view, why,
};
use crate::help_groups;
use crate::ui::{Colour, Ui};
use crate::version;
use backstory_app::Environment;
use backstory_app::engine::Profile;
use backstory_app::teams::{TeamName, UnpushedPolicy, UnusableName};
use backstory_hosts::Host;
use backstory_memory::{EventId, Kind, MemoryId};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

/// Reads a memory's number, with or without the sign it is printed with.
pub(crate) fn memory_id(text: &str) -> Result<MemoryId, String> {
    let number = text.trim_start_matches('#').parse();
    number.map(MemoryId).map_err(|_| "not the number of a memory, like 12".to_owned())
}

/// Reads the number of an event.
pub(crate) fn event_id(text: &str) -> Result<EventId, String> {
    text.parse().map(EventId).map_err(|_| "not the number of an event, like 12".to_owned())
}

/// Reads the name of a team or a member.
pub(crate) fn team_name(text: &str) -> Result<TeamName, String> {
    text.parse().map_err(|error: UnusableName| error.to_string())
}

/// Returns what `--anyway` decides about deletions that cannot be pushed.
pub(crate) fn unpushed_policy(anyway: bool) -> UnpushedPolicy {
    if anyway { UnpushedPolicy::Keep } else { UnpushedPolicy::Refuse }
}

/// Reads how many are wanted at the most.
pub(crate) fn how_many(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "not a number of at least 1".to_owned())
}

/// Reads a host's name, and lists all of them in help and completion.
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

/// Arguments of a command that consists of actions.
#[derive(Args, Debug)]
pub(crate) struct ActionArgs<A: Subcommand> {
    #[command(subcommand)]
    pub(crate) action: Option<A>,
    /// Output as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// What every command takes.
#[derive(Args, Clone, Debug)]
pub(crate) struct GlobalArgs {
    /// Set a configuration value for this run
    #[arg(long = "set", value_name = "KEY=VALUE", global = true)]
    pub(crate) settings: Vec<String>,
    /// When to colour the output
    #[arg(long, value_enum, value_name = "WHEN", global = true)]
    pub(crate) color: Option<Colour>,
    /// Print without colour, like `--color never`
    #[arg(long, global = true, conflicts_with = "color")]
    pub(crate) no_color: bool,
    /// Print exact times in UTC instead of how long ago
    #[arg(long, global = true)]
    pub(crate) utc: bool,
}

impl GlobalArgs {
    /// Makes the way to the person at the screen.
    pub(crate) fn ui(&self, environment: &Environment) -> Ui {
        let colour = if self.no_color { Some(Colour::Never) } else { self.color };
        Ui::new(colour, if self.utc { Clock::Utc } else { Clock::Local }, environment)
    }

    /// Returns how much colour is wanted by a program that draws for itself.
    pub(crate) fn colour(&self, environment: &Environment) -> Colour {
        if self.no_color || environment.no_color() {
            Colour::Never
        } else {
            self.color.unwrap_or(Colour::Auto)
        }
    }
}

/// Gives coding agents the story so far
///
/// Exit codes: 0 done, 1 no (nothing found, refused), 2 usage or configuration, 70 internal error.
#[derive(Debug, Parser)]
#[command(name = "backstory", version, long_version = version::long(), max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) globals: GlobalArgs,
}

impl Cli {
    /// Parses the arguments of this process.
    pub(crate) fn of_process(environment: &Environment) -> Result<Cli, clap::Error> {
        let parsed = Cli::try_parse();
        let asks_for_help = |error: &clap::Error| {
            use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
            matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand)
        };
        if !parsed.as_ref().is_err_and(asks_for_help) {
            return parsed;
        }
        // The groups are put together for help alone: they cost more than everything else a small command does.
        let width = Ui::new(None, Clock::Local, environment).width();
        let matches = help_groups::grouped(Cli::command(), width).try_get_matches()?;
        Cli::from_arg_matches(&matches)
    }
}

/// The same for what hosts and we ourselves run: apart, so that neither help nor completions nor a hint at a misspelt command shows it.
#[derive(Debug, Parser)]
#[command(name = "backstory")]
pub(crate) struct InternalCli {
    #[command(subcommand)]
    pub(crate) command: InternalCommand,
    #[command(flatten)]
    pub(crate) globals: GlobalArgs,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create the store, connect the hosts on this machine, and run a demo
    Setup(setup::SetupArgs),
    /// Connect hosts: hooks, MCP server, rules
    Install(install::InstallArgs),
    /// Disconnect hosts: undo what `install` changed
    Uninstall(install::InstallArgs),
    /// Write a memory
    Remember(remember::RememberArgs),
    /// Change what a memory says, keeping the old text as a revision
    Revise(revise::ReviseArgs),
    /// Replace a memory with a new one
    Supersede(revise::ReviseArgs),
    /// Delete memories for good
    #[command(visible_alias = "rm")]
    Forget(forget::ForgetArgs),
    /// Look through this week's proposed memories, one key each
    Review(review::ReviewArgs),
    /// Confirm memories: from now on they may be injected
    Confirm(review::VerdictArgs),
    /// Retire memories: they hold no more, and stay as history
    Retire(review::VerdictArgs),
    /// List, write and retire the rules you gave
    Rules(rules::RulesArgs),
    /// Pin a memory
    Pin(pin::PinArgs),
    /// Show whole memories
    Show(show::ShowArgs),
    /// Search memories; without words, list the newest
    #[command(visible_alias = "ls")]
    Search(search::SearchArgs),
    /// Search, read and change memories on one screen; print the one you choose
    Browse(browse::BrowseArgs),
    /// Explain where a memory came from, when it was used, and its score
    Why(why::WhyArgs),
    /// Preview what would be injected now, and what it costs
    Context(context::ContextArgs),
    /// Show what was learnt, day by day, or what came before and after a memory
    #[command(visible_alias = "log")]
    Timeline(timeline::TimelineArgs),
    /// List sessions, or show one step by step
    Sessions(sessions::SessionsArgs),
    /// Derive memories from sessions that have something new
    Distil(distil::DistilArgs),
    /// Show where the work stands, or write it down
    Handoff(handoff::HandoffArgs),
    /// Show, rename, merge or share projects
    Project(ActionArgs<project::Action>),
    /// Join a team, or run one on a PostgreSQL server of yours
    Team(ActionArgs<team::Action>),
    /// Push what is new in shared projects to their teams, and pull what is new there
    Sync(sync::SyncArgs),
    /// Import memories from a file, or what is on this machine already
    Import(import::ImportArgs),
    /// Export memories to a file or a folder
    Export(export::ExportArgs),
    /// Rebuild the search indexes
    Index(index::IndexArgs),
    /// Show the state of the store and of the hooks
    Status(status::StatusArgs),
    /// Check the store and every connected host, and repair what is damaged
    Doctor(doctor::DoctorArgs),
    /// Measure recall on a data set, in a store of its own
    Eval(eval::EvalArgs),
    /// Show and change the configuration, and where each value comes from
    Config(ActionArgs<config::Action>),
    /// Remove secrets and private parts from a text
    Redact(redact::RedactArgs),
    /// Run the MCP server on standard input and output: the tools agents get
    Mcp(mcp::McpArgs),
    /// Run the worker: the viewer and an HTTP API on this machine
    Serve(serve::ServeArgs),
    /// Open the viewer in a browser
    View(view::ViewArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Ask whether there is a newer release of this program
    #[command(name = "self")]
    SelfProgram(ActionArgs<program_update::Action>),
}

/// What is run by programs, never typed.
#[derive(Debug, Subcommand)]
pub(crate) enum InternalCommand {
    /// Capture an event of a host from standard input. Hosts run this
    // `main` takes it before this list is made, unless a flag stands first.
    Hook {
        /// Arguments of the hook
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Let the configured model write the notes of the sessions that wait for them
    WriteNotes,
    /// Run a program that must not outlive us; only `write-notes` does this
    Guard {
        /// The program and its arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<std::ffi::OsString>,
    },
    /// Make the vectors of what a hook has written
    MakeVectors,
    /// Run the maintenance that is due
    Maintain(maintain::MaintainArgs),
}
