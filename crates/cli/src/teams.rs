//! The way to a team's hub: its address, its password, and what a person can do when it does not open.
//!
//! Passwords are where `psql` looks for them: never among arguments, in the store or in the log.

use crate::app::App;
use crate::failure::{ErrorCode, Failure};
use crate::git_share;
use crate::hub_timeout::with_hub_timeout;
use backstory_store::{SharedProject, Store, Team};
use backstory_sync::{Hub, HubAddress, HubAddressError, HubError, HubOwner, TeamName, UnusableName};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Reads an address a person gave.
pub(crate) fn address(url: &str) -> Result<HubAddress, Failure> {
    let form = "like `postgres://NAME@db.example.org/memories`";
    HubAddress::parse(url).map_err(|error| {
        let failure = Failure::usage(error.to_string());
        match error {
            HubAddressError::HoldsPassword => failure
                .hint("leave it out: others could read it in the list of processes and in the shell's history")
                .hint("put it into `~/.pgpass` (HOST:PORT:DATABASE:USER:PASSWORD, mode 0600), or set `PGPASSWORD`"),
            HubAddressError::NoUser | HubAddressError::NotAnAddress(_) => failure.hint(form),
        }
    })
}

/// Reads the name of a team or a member.
pub(crate) fn name(text: &str) -> Result<TeamName, String> {
    text.parse().map_err(|error: UnusableName| error.to_string())
}

/// Connects as a member. A hub that says nothing is given up.
pub(crate) fn join(address: &HubAddress, team: Option<&TeamName>, app: &App) -> Result<Hub, Failure> {
    let (address, team, password) = (address.clone(), team.cloned(), password(address, app));
    with_hub_timeout(app, move |_, _| {
        Hub::join(&address, password.as_deref(), team.as_ref()).map_err(|error| failure(&error))
    })
}

/// Does something as the owner. A hub that says nothing is given up.
pub(crate) fn own<T: Send + 'static>(
    address: &HubAddress,
    app: &App,
    act: impl FnOnce(&mut HubOwner, &dyn Fn()) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (address, password) = (address.clone(), password(address, app));
    with_hub_timeout(app, move |_, on_progress| {
        let mut owner = HubOwner::connect(&address, password.as_deref()).map_err(|error| failure(&error))?;
        on_progress();
        act(&mut owner, on_progress)
    })
}

/// Talks to the hub of a team that was joined. One that says nothing is given up, and whoever wanted something of it goes on.
pub(crate) fn talk<T: Send + 'static>(
    team: &Team,
    app: &App,
    talk: impl FnOnce(&mut Hub, &App, &dyn Fn()) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let open = way_to(team, app)?;
    with_hub_timeout(app, move |app, on_progress| {
        let mut hub = open()?;
        on_progress();
        talk(&mut hub, app, on_progress)
    })
}

/// The same, for one question.
pub(crate) fn ask<T: Send + 'static>(
    team: &Team,
    app: &App,
    question: impl FnOnce(&mut Hub) -> Result<T, HubError> + Send + 'static,
) -> Result<T, Failure> {
    talk(team, app, |hub, _, _| question(hub).map_err(|error| failure(&error)))
}

/// Finds the way to the hub of a team that was joined. What answers there now must be the same hub.
fn way_to(
    team: &Team,
    app: &App,
) -> Result<impl FnOnce() -> Result<Hub, Failure> + Send + 'static + use<>, Failure> {
    let hub_team: TeamName =
        team.hub_team.parse().map_err(|error: UnusableName| Failure::user(error.to_string()))?;
    let address = address(&team.url)?;
    let password = password(&address, app);
    let Team { name, hub_id, .. } = team.clone();
    Ok(move || {
        let hub =
            Hub::join(&address, password.as_deref(), Some(&hub_team)).map_err(|error| failure(&error))?;
        if hub_id.is_some_and(|id| id != hub.id()) {
            return Err(Failure::user(format!("another hub answers where that of `{name}` was"))
                .hint("nothing was pushed or pulled; ask its owner where it is now, and `backstory team join URL` it there")
                .hint(format!("`backstory team leave {name}` leaves the one that is gone"))
                .with_code(ErrorCode::HubUnusable));
        }
        Ok(hub)
    })
}

/// Returns the team that is meant: the one named, or the only one. `which` tells how to name it.
pub(crate) fn joined(store: &Store, named: Option<&TeamName>, which: &str) -> Result<Team, Failure> {
    let teams = with_hub(store)?;
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
            let which = format!("say which with {which}: {}", names.join(", "));
            Err(Failure::usage("several teams were joined").hint(which))
        }
    }
}

/// Lists the teams that have a hub: all but those that share through git.
pub(crate) fn with_hub(store: &Store) -> Result<Vec<Team>, Failure> {
    Ok(store.teams()?.into_iter().filter(|team| !git_share::is_git_team(team)).collect())
}

/// Lists what is shared through hubs.
pub(crate) fn shared_through_hubs(store: &Store) -> Result<Vec<SharedProject>, Failure> {
    Ok(store.shared_projects()?.into_iter().filter(|shared| !git_share::is_shared_by_git(shared)).collect())
}

/// Finds the password of a hub: the environment's, or that of the passfile. A passfile others can read is not read, as `psql` does.
fn password(address: &HubAddress, app: &App) -> Option<String> {
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
        HubError::Unreachable { .. } => {
            "nothing is lost: everything is here, and is pushed when the hub answers again".to_owned()
        }
        HubError::AccessDenied { .. } => {
            "the password belongs into `~/.pgpass` or `PGPASSWORD`; the owner may have revoked you".to_owned()
        }
        HubError::NotAMember { member, team } => {
            let team = if team.is_empty() { "TEAM" } else { team };
            format!("its owner lets you in with `backstory team invite {member} --team {team}`")
        }
        HubError::SeveralTeams { .. } => "say which with `--team TEAM`".to_owned(),
        HubError::BypassesRls { .. } => {
            "row-level security does not hold for this role; members log in with a role of their own".to_owned()
        }
        HubError::NoSuchTeam { team } => format!("`backstory team init URL --team {team}` makes it"),
        HubError::NotALogin { .. } => {
            "it was not made for a member, and is left as it is; invite them by another name".to_owned()
        }
        HubError::SearchRoleExposed { role } => format!(
            "nothing was touched; a server's hubs have one owner: make it as `{role}`, on a server of its own, or `REVOKE backstory_search FROM {role}`"
        ),
        HubError::OldServer { .. } => "use a newer server; nothing was touched".to_owned(),
        HubError::NoTls { .. } => {
            "turn TLS on there (`ssl = on`); only where nobody else can listen, `sslmode=disable` in the address goes without"
                .to_owned()
        }
        HubError::UnverifiedServer { .. } => {
            "ask its owner for the certificate of the authority that signed it, and name that file: `?sslrootcert=FILE` in the address"
                .to_owned()
        }
        HubError::NoHub => "its owner makes it with `backstory team init URL --team TEAM`".to_owned(),
        HubError::ForeignSchema => {
            "nothing was touched; export with the build that made it, make a hub in an empty database, and share again"
                .to_owned()
        }
        HubError::NotUtf8 { .. } => "make the database with `createdb -E UTF8`; nothing was touched".to_owned(),
        HubError::Newer { .. } => "install a newer version of Backstory; nothing was touched".to_owned(),
        HubError::Older { .. } => {
            "its owner brings it up to date with `backstory team init URL --team TEAM`, with a team it has".to_owned()
        }
        HubError::NotAllowed { .. } => "only the owner of the hub may do this".to_owned(),
        HubError::Full => "its owner has to make space; nothing is lost, and it is pushed later".to_owned(),
        HubError::Busy { .. } | HubError::Collided { .. } => "try again in a moment; nothing is lost".to_owned(),
        HubError::UnusableCertificate { .. } => "check `sslrootcert` in the address".to_owned(),
        // The hub said nothing of the kind: the way to it broke in the middle of a word.
        HubError::Sql { source, .. } if source.as_db_error().is_none() => {
            "nothing is lost: try again when the way to the hub is whole".to_owned()
        }
        HubError::Rejected { .. } | HubError::BadRow(_) | HubError::Sql { .. } => {
            return Failure::internal("the hub did not do what was asked").because(error);
        }
    };
    Failure::user("cannot use the team's hub").because(error).hint(hint).with_code(ErrorCode::HubUnusable)
}
