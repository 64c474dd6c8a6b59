//! `team`: what can be done with teams.

mod member;
mod owner;
mod team_status;

use crate::exit::Exit;
use crate::teams;
use crate::ui::Ui;
use backstory_app::{App, AppError};
use backstory_sync::TeamName;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Arguments of `team`.
#[derive(Args, Debug)]
pub(crate) struct TeamArgs {
    #[command(subcommand)]
    action: Option<TeamAction>,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum TeamAction {
    /// Make a hub in a PostgreSQL database, as its owner, and a team in it; or bring it up to date
    Init {
        /// Where it is: postgres://OWNER@HOST/DATABASE
        url: String,
        /// What the team is called
        #[arg(long, value_name = "TEAM", value_parser = teams::name, default_value = "team")]
        team: TeamName,
    },
    /// Let somebody into a team, as the owner of its hub
    Invite {
        /// Who they are to the team
        #[arg(value_parser = teams::name)]
        name: TeamName,
        /// The team
        #[arg(long, value_name = "TEAM", value_parser = teams::name, default_value = "team")]
        team: TeamName,
        /// Where to write their line of `~/.pgpass` (default: in the data directory)
        #[arg(long, value_name = "FILE")]
        passfile: Option<PathBuf>,
    },
    /// Take somebody out of a team, as the owner of its hub; what they pushed stays
    Revoke {
        /// Who they are to the team
        #[arg(value_parser = teams::name)]
        name: TeamName,
        /// The team
        #[arg(long, value_name = "TEAM", value_parser = teams::name, default_value = "team")]
        team: TeamName,
    },
    /// Join a team one was invited to
    Join {
        /// Where its hub is: postgres://NAME@HOST/DATABASE
        url: String,
        /// Which team, where one is in several
        #[arg(long, value_name = "TEAM", value_parser = teams::name)]
        team: Option<TeamName>,
        /// What to call it here, where another of its name was joined
        #[arg(long = "as", value_name = "NAME", value_parser = teams::name)]
        called: Option<TeamName>,
    },
    /// Show the teams that were joined and what is shared with them
    Status,
    /// Leave a team; what was pulled stays here, what was pushed stays there
    Leave {
        /// Which team (default: the only one)
        #[arg(value_parser = teams::name)]
        team: Option<TeamName>,
        /// Also if what was forgotten here cannot be pushed to the team
        #[arg(long)]
        anyway: bool,
    },
}

/// Makes, joins or shows teams.
pub(crate) fn run(args: &TeamArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    match args.action.as_ref().unwrap_or(&TeamAction::Status) {
        TeamAction::Init { url, team } => owner::init(url, team, app, ui, args.json),
        TeamAction::Invite { name, team, passfile } => {
            owner::invite(name, team, passfile.as_deref(), app, ui, args.json)
        }
        TeamAction::Revoke { name, team } => owner::revoke(name, team, app, ui, args.json),
        TeamAction::Join { url, team, called } => {
            member::join(url, team.as_ref(), called.as_ref(), app, ui, args.json)
        }
        TeamAction::Status => team_status::show(app, ui, args.json),
        TeamAction::Leave { team, anyway } => member::leave(team.as_ref(), *anyway, app, ui, args.json),
    }
}
