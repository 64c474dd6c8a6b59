//! The way to a team's hub: its address, its password, and what a person can do when it does not open.
//!
//! Passwords are where `psql` looks for them: never among arguments, in the store or in the log.

use crate::app::App;
use crate::failure::Failure;
use backstory_hub::{Address, AddressError, Hub, HubError, Owner, TeamName, UnusableName};
use backstory_store::{Store, Team};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Reads an address a person gave.
pub(crate) fn address(url: &str) -> Result<Address, Failure> {
    let form = "like `postgres://NAME@db.example.org/memories?sslmode=require`";
    Address::parse(url).map_err(|error| {
        let failure = Failure::usage(error.to_string());
        match error {
            AddressError::HoldsPassword => failure
                .hint("leave it out: others could read it in the list of processes and in the shell's history")
                .hint("put it into `~/.pgpass` (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600), or set `PGPASSWORD`"),
            AddressError::NoUser | AddressError::NotAnAddress(_) => failure.hint(form),
        }
    })
}

/// Reads the name of a team or a member.
pub(crate) fn name(text: &str) -> Result<TeamName, String> {
    text.parse().map_err(|error: UnusableName| error.to_string())
}

/// Connects as a member.
pub(crate) fn join(address: &Address, team: Option<&TeamName>, app: &App) -> Result<Hub, Failure> {
    Hub::join(address, password(address, app).as_deref(), team).map_err(|error| failure(&error))
}

/// Connects as the owner.
pub(crate) fn own(address: &Address, app: &App) -> Result<Owner, Failure> {
    Owner::connect(address, password(address, app).as_deref()).map_err(|error| failure(&error))
}

/// Connects to the hub of a team that was joined.
pub(crate) fn hub(team: &Team, app: &App) -> Result<Hub, Failure> {
    let name: TeamName = team.name.parse().map_err(|error: UnusableName| Failure::user(error.to_string()))?;
    join(&address(&team.url)?, Some(&name), app)
}

/// Returns the team that is meant: the one named, or the only one.
pub(crate) fn joined(store: &Store, named: Option<&TeamName>) -> Result<Team, Failure> {
    let teams = store.teams()?;
    let joins = "`backstory team join URL` joins one; its owner's `backstory team invite` says which";
    match (named, teams.as_slice()) {
        (Some(name), _) => teams
            .iter()
            .find(|team| team.name == name.as_str())
            .cloned()
            .ok_or_else(|| Failure::user(format!("the team `{name}` was not joined")).hint(joins)),
        (None, [only]) => Ok(only.clone()),
        (None, []) => Err(Failure::user("no team was joined").hint(joins)),
        (None, several) => {
            let names: Vec<&str> = several.iter().map(|team| team.name.as_str()).collect();
            let which = format!("say which with `--team`: {}", names.join(", "));
            Err(Failure::usage("several teams were joined").hint(which))
        }
    }
}

/// Finds the password of a hub: the environment's, or that of the passfile. A passfile others can read is not read, as `psql` does.
fn password(address: &Address, app: &App) -> Option<String> {
    if let Some(password) = app.environment.hub_password() {
        return Some(password.to_owned());
    }
    let path = app.environment.passfile()?;
    let mode = fs::metadata(&path).ok()?.permissions().mode();
    if mode & 0o077 != 0 {
        app.ui.say(&format!("`{}` is left alone: others can read it; `chmod 600` it", path.display()));
        return None;
    }
    address.password_in(&fs::read_to_string(path).ok()?)
}

/// Says what a person can do about a hub.
pub(crate) fn failure(error: &HubError) -> Failure {
    let hint = match error {
        HubError::Away { .. } => {
            "nothing is lost: everything is here, and is told when the hub answers again"
        }
        HubError::NotLetIn { .. } => {
            "the password belongs into `~/.pgpass` or `PGPASSWORD`; the owner may have revoked you"
        }
        HubError::NotAMember { .. } => "its owner lets you in with `backstory team invite NAME`",
        HubError::SeveralTeams { .. } => "say which with `--team`",
        HubError::AboveTheRules { .. } => {
            "row-level security does not hold for this role; members log in with a role of their own"
        }
        HubError::NoHub => "its owner makes it with `backstory team init URL`",
        HubError::Newer { .. } => "install a newer version of Backstory; nothing was touched",
        HubError::Older { .. } => "its owner brings it up to date with `backstory team init URL`",
        HubError::NotAllowed { .. } => "only the owner of the hub may do this",
        HubError::Full => "its owner has to make space; nothing is lost, and it is told later",
        HubError::Busy { .. } => "try again in a moment; nothing is lost",
        HubError::NoAuthority { .. } => "check `sslrootcert` in the address",
        HubError::BadRow(_) | HubError::Sql { .. } => {
            return Failure::internal("the hub did not do what was asked").because(error);
        }
    };
    Failure::user("cannot use the team's hub").because(error).hint(hint).named("hub_unusable")
}
