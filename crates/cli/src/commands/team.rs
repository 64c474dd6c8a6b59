//! `team`: what can be done with teams.

use crate::args::{ActionArgs, team_name, unpushed_policy};
use crate::exit::Exit;
use crate::ui::{Ui, memories, one_line};
use backstory_app::json::{HELD_BACK, HeldShape, InviteShape, RevokeShape, TeamInitShape, TeamShape};
use backstory_app::teams::{HeldSelection, JoinRequest, Revocation, TeamName, Teams, VectorSupport};
use backstory_app::{App, AppError};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What can be done with teams.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Create a hub and a team in a PostgreSQL database, or upgrade the hub
    Init {
        /// Its address: postgres://OWNER@HOST/DATABASE
        url: String,
        /// The team's name
        #[arg(long, value_name = "TEAM", value_parser = team_name, default_value = "team")]
        team: TeamName,
    },
    /// Add a member to a team, as the owner of its hub
    Invite {
        /// The member's name
        #[arg(value_parser = team_name)]
        name: TeamName,
        /// The team
        #[arg(long, value_name = "TEAM", value_parser = team_name, default_value = "team")]
        team: TeamName,
        /// Where to write their line of `~/.pgpass` (default: in the data directory)
        #[arg(long, value_name = "FILE")]
        passfile: Option<PathBuf>,
    },
    /// Remove a member from a team, as the owner of its hub; what they pushed stays
    Revoke {
        /// The member's name
        #[arg(value_parser = team_name)]
        name: TeamName,
        /// The team
        #[arg(long, value_name = "TEAM", value_parser = team_name, default_value = "team")]
        team: TeamName,
    },
    /// Join a team you were invited to
    Join {
        /// The hub's address: postgres://NAME@HOST/DATABASE
        url: String,
        /// The team, if you are in several
        #[arg(long, value_name = "TEAM", value_parser = team_name)]
        team: Option<TeamName>,
        /// Its name here, if you joined another team of the same name
        #[arg(long = "as", value_name = "NAME", value_parser = team_name)]
        called: Option<TeamName>,
    },
    /// Show the teams that were joined and what is shared with them
    Status,
    /// Show what others forgot of yours, or many at once: it can be restored for 30 days
    Held,
    /// Write memories anew that others forgot
    Restore(HeldArgs),
    /// Forget for good what others forgot
    Discard(HeldArgs),
    /// Leave a team; what was pulled stays here, what was pushed stays there
    Leave {
        /// Which team (default: the only one)
        #[arg(value_parser = team_name)]
        team: Option<TeamName>,
        /// Do it even if deletions cannot be pushed to the team
        #[arg(long)]
        anyway: bool,
    },
}

/// Which held memories to restore or discard.
#[derive(Args, Debug)]
pub(crate) struct HeldArgs {
    /// Their numbers in `team held`
    #[arg(value_name = "NUMBER", required_unless_present = "all")]
    numbers: Vec<i64>,
    /// All that are held
    #[arg(long, conflicts_with = "numbers")]
    all: bool,
}

impl HeldArgs {
    fn selection(&self) -> HeldSelection {
        if self.all { HeldSelection::All } else { HeldSelection::Numbers(self.numbers.clone()) }
    }
}

/// Makes, joins or shows teams.
pub(crate) fn run(args: &ActionArgs<Action>, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let on_note = |note: &str| ui.say(note);
    let (teams, json) = (app.teams(&on_note), args.json);
    match args.action.as_ref().unwrap_or(&Action::Status) {
        Action::Init { url, team } => {
            let made = teams.init(url, team)?;
            ui.answer(json, &made, || print_made(&made, ui))?;
        }
        Action::Invite { name, team, passfile } => {
            let invited = teams.invite(name, team, passfile.as_deref())?;
            ui.answer(json, &invited, || print_invited(&invited, ui))?;
        }
        Action::Revoke { name, team } => {
            let revoked = teams.revoke(name, team)?;
            ui.answer(json, &revoked, || print_revoked(&revoked, ui))?;
            return Ok(if revoked.revoked { Exit::Done } else { Exit::No });
        }
        Action::Join { url, team, called } => {
            let request = JoinRequest { url: url.clone(), team: team.clone(), called: called.clone() };
            let joined = teams.join(&request)?;
            if json {
                ui.json(&joined)?;
                return Ok(Exit::Done);
            }
            let (team, member) = (&joined.team, &joined.member);
            ui.sentence(&format!("joined the team `{team}` as `{member}`; nothing is shared yet"))?;
            ui.say(&format!("`backstory project share --team {team}` shares the project of this folder"));
        }
        Action::Status => return show(&teams, ui, json),
        Action::Held => {
            let held = teams.held()?;
            ui.answer(json, &held, || print_held(&held, ui))?;
        }
        Action::Restore(wanted) => {
            let restored = teams.restore_held(&wanted.selection())?;
            let count = memories(restored.restored.len() as u64);
            ui.answer(json, &restored, || {
                ui.sentence(&format!("restored {count}; the next sync pushes them as new ones"))
            })?;
        }
        Action::Discard(wanted) => {
            let discarded = teams.discard_held(&wanted.selection())?;
            ui.answer(json, &discarded, || {
                ui.sentence(&format!("forgot {}", memories(discarded.discarded)))
            })?;
            for path in &discarded.remains_in {
                ui.say(&format!("note: traces may remain in `{path}`, which could not be changed"));
            }
        }
        Action::Leave { team, anyway } => {
            let left = teams.leave(team.as_ref(), unpushed_policy(*anyway))?;
            let stays = "what was pulled stays here, what was pushed stays there";
            let words = || ui.sentence(&format!("left the team `{}`; {stays}", left.team));
            ui.answer(json, &left, words)?;
        }
    }
    Ok(Exit::Done)
}

fn print_held(held: &HeldShape, ui: &Ui) -> Result<(), AppError> {
    if held.held.is_empty() {
        ui.say("nothing is held");
    }
    for memory in &held.held {
        let (project, title) = (one_line(&memory.project), one_line(&memory.title));
        ui.sentence(&format!(
            "{} {project} {} {title} · until {}",
            memory.number, memory.kind, memory.until
        ))?;
    }
    Ok(())
}

fn print_made(made: &TeamInitShape, ui: &Ui) -> Result<(), AppError> {
    let (database, team) = (one_line(&made.database), &made.team);
    ui.sentence(&match (made.schema_before, made.schema) {
        (0, to) => format!(
            "made a hub in `{database}`: the schema `backstory`, version {to}, and its roles and policies"
        ),
        (from, to) if from == to => format!("the hub in `{database}` is up to date: version {to}"),
        (from, to) => format!("brought the hub in `{database}` from version {from} to {to}"),
    })?;
    ui.sentence(match made.vector_support {
        VectorSupport::Used => "it is searched by words, and by meaning with pgvector",
        VectorSupport::Absent => "it is searched by words: the server has no pgvector",
        VectorSupport::TooOld => "it is searched by words: the server's pgvector is older than 0.5",
        VectorSupport::NotAllowed => {
            "it is searched by words; for meaning too, a superuser runs `CREATE EXTENSION vector` there, then run this again"
        }
    })?;
    let is_new = made.is_new;
    ui.sentence(&if is_new {
        format!("made the team `{team}`")
    } else {
        format!("the team `{team}` is there")
    })?;
    ui.say(&format!("`backstory team invite NAME --team {team}` lets somebody in"));
    Ok(())
}

fn print_invited(invited: &InviteShape, ui: &Ui) -> Result<(), AppError> {
    let InviteShape { team, member, passfile, url, .. } = invited;
    ui.sentence(&format!("`{member}` is in the team `{team}`"))?;
    if let Some(path) = passfile {
        ui.sentence(&format!(
            "their password is in {path}; give it to them the way you give secrets, then remove it"
        ))?;
        ui.sentence("they add its line to their `~/.pgpass` (mode 0600) and run:")?;
    } else {
        ui.sentence("they can log in already, and run:")?;
    }
    ui.line(&format!("  backstory team join '{url}' --team {team}"))
}

fn print_revoked(revoked: &RevokeShape, ui: &Ui) -> Result<(), AppError> {
    let RevokeShape { team, member, .. } = revoked;
    let login = match revoked.revocation {
        Revocation::NotAMember => {
            ui.say(&format!("`{member}` is not in the team `{team}`"));
            return Ok(());
        }
        Revocation::Out => "they are in other teams of this hub, and can log in",
        Revocation::LoginClosed => "they can no longer log in",
        Revocation::LoginStays => "their login is not this hub's alone, and stays as it was",
    };
    ui.sentence(&format!(
        "`{member}` is out of the team `{team}`; what they pushed stays, under their name"
    ))?;
    ui.sentence(login)
}

fn show(teams: &Teams<'_>, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let list = teams.list()?;
    let is_whole = !list.teams.is_empty() && !list.teams.iter().any(|team| team.is_silent);
    if json {
        ui.json(&list)?;
    } else if list.teams.is_empty() {
        ui.say(
            "no team was joined; `backstory team join URL` joins one, `backstory team init URL` makes one",
        );
    } else {
        list.teams.iter().try_for_each(|team| print_team(team, ui))?;
    }
    Ok(if is_whole { Exit::Done } else { Exit::No })
}

fn print_team(team: &TeamShape, ui: &Ui) -> Result<(), AppError> {
    let synced = team.synced_at.as_deref().unwrap_or("never");
    let url = one_line(&team.url);
    ui.sentence(&format!("{} as {} at {url}, last synced {synced}", team.name, team.member))?;
    if let Some(members) = &team.members {
        ui.sentence(&format!("  members: {}", one_line(&members.join(", "))))?;
    }
    for shared in &team.projects {
        let (project, shared_as) = (one_line(&shared.project), one_line(&shared.shared_as));
        ui.sentence(&format!("  shares {project} as {shared_as}; {} to push", memories(shared.to_push)))?;
        if let Some(since) = &shared.held_since {
            ui.say(&format!("{project}: what others pushed is held back since {since}: {HELD_BACK}"));
        }
    }
    for project in &team.also_shared {
        ui.sentence(&format!("  others share {}", one_line(project)))?;
    }
    if let Some(problem) = &team.problem {
        ui.say(&format!("{}: {}", team.name, one_line(problem)));
    }
    Ok(())
}
