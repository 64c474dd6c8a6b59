//! What the owner of a hub does: makes it, lets members in, takes them out.
//!
//! A password is made here and written into a file of its own; it is never printed, and never kept.

use crate::exit::Exit;
use crate::teams;
use crate::ui::{Ui, one_line};
use backstory_app::{App, AppError};
use backstory_store::Store;
use backstory_sync::{HubAddress, Invitation, Revocation, TeamName, VectorSupport};
use serde::Serialize;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// What was made, for other programs.
#[derive(Serialize)]
struct InitAnswer<'a> {
    version: u32,
    team: &'a str,
    is_new: bool,
    database: &'a str,
    /// The schema there was; 0 where there was no hub.
    schema_before: i32,
    schema: i32,
    vectors: &'a str,
}

/// Who was let in, for other programs.
#[derive(Serialize)]
struct InviteAnswer<'a> {
    version: u32,
    team: &'a str,
    member: &'a str,
    /// The file with their password, where they got one.
    passfile: Option<String>,
    /// What they join.
    url: String,
}

/// Who was taken out, for other programs.
#[derive(Serialize)]
struct RevokeAnswer<'a> {
    version: u32,
    team: &'a str,
    member: &'a str,
    /// Whether they were a member.
    revoked: bool,
    login: Option<&'a str>,
}

/// Makes a hub and a team in it, or brings the hub up to date.
pub(super) fn init(url: &str, team: &TeamName, app: &App, ui: &Ui, json: bool) -> Result<Exit, AppError> {
    let address = HubAddress::parse(url)?;
    let named = team.clone();
    let (migrated, is_new) = teams::own(&address, app, ui, move |owner, on_progress| {
        let migrated = owner.migrate(&mut || on_progress())?;
        let is_new = owner.make_team(&named)?;
        Ok((migrated, is_new))
    })?;
    app.store()?.sync_mut().set_owned_hub(team.as_str(), url)?;
    if json {
        let vectors = match migrated.vectors {
            VectorSupport::Used => "used",
            VectorSupport::Absent => "absent",
            VectorSupport::TooOld => "too old",
            VectorSupport::NotAllowed => "not allowed",
        };
        ui.json(&InitAnswer {
            version: 1,
            team: team.as_str(),
            is_new,
            database: address.database(),
            schema_before: migrated.from,
            schema: migrated.to,
            vectors,
        })?;
        return Ok(Exit::Done);
    }
    let database = one_line(address.database());
    ui.line(&match (migrated.from, migrated.to) {
        (0, to) => format!(
            "made a hub in `{database}`: the schema `backstory`, version {to}, and its roles and policies"
        ),
        (from, to) if from == to => format!("the hub in `{database}` is up to date: version {to}"),
        (from, to) => format!("brought the hub in `{database}` from version {from} to {to}"),
    })?;
    ui.line(match migrated.vectors {
        VectorSupport::Used => "it is searched by words, and by meaning with pgvector",
        VectorSupport::Absent => "it is searched by words: the server has no pgvector",
        VectorSupport::TooOld => "it is searched by words: the server's pgvector is older than 0.5",
        VectorSupport::NotAllowed => {
            "it is searched by words; for meaning too, a superuser says `CREATE EXTENSION vector` there, then run this again"
        }
    })?;
    ui.line(&if is_new { format!("made the team `{team}`") } else { format!("the team `{team}` is there") })?;
    ui.say(&format!("`backstory team invite NAME --team {team}` lets somebody in"));
    Ok(Exit::Done)
}

/// Lets somebody into a team.
pub(super) fn invite(
    name: &TeamName,
    team: &TeamName,
    passfile: Option<&Path>,
    app: &App,
    ui: &Ui,
    json: bool,
) -> Result<Exit, AppError> {
    let address = owned(&app.store_to_read()?, team)?;
    let password = password()?;
    let line = address.passfile_line(name.as_str(), &password);
    let path = match passfile {
        Some(path) => path.to_owned(),
        None => app.home.root().join("invitations").join(format!("{name}.pgpass")),
    };
    let (to_team, who, place) = (team.clone(), name.clone(), path.clone());
    let invitation = teams::own(&address, app, ui, move |owner, on_progress| {
        // EntryFile first: a login whose password nobody has is worth less than a line that is not needed.
        write_passfile(&place, &line)?;
        on_progress();
        let invited = owner.invite(&to_team, &who, &password);
        if !matches!(invited, Ok(Invitation::Made)) {
            drop(fs::remove_file(&place));
        }
        Ok(invited?)
    })?;
    if json {
        ui.json(&InviteAnswer {
            version: 1,
            team: team.as_str(),
            member: name.as_str(),
            passfile: (invitation == Invitation::Made).then(|| path.display().to_string()),
            url: address.url_for(name.as_str()),
        })?;
        return Ok(Exit::Done);
    }
    ui.line(&format!("`{name}` is in the team `{team}`"))?;
    if invitation == Invitation::Made {
        let path = path.display();
        ui.line(&format!(
            "their password is in {path}; give it to them the way you give secrets, then remove it"
        ))?;
        ui.line("they add its line to their `~/.pgpass` (mode 0600) and run:")?;
    } else {
        ui.line("they can log in already, and run:")?;
    }
    ui.line(&format!("  backstory team join '{}' --team {team}", address.url_for(name.as_str())))?;
    Ok(Exit::Done)
}

/// Takes somebody out of a team.
pub(super) fn revoke(
    name: &TeamName,
    team: &TeamName,
    app: &App,
    ui: &Ui,
    json: bool,
) -> Result<Exit, AppError> {
    let address = owned(&app.store_to_read()?, team)?;
    let (of_team, who) = (team.clone(), name.clone());
    let revocation = teams::own(&address, app, ui, move |owner, _| Ok(owner.revoke(&of_team, &who)?))?;
    let out = format!("`{name}` is out of the team `{team}`; what they pushed stays, under their name");
    if json {
        let login = match revocation {
            Revocation::NotAMember => None,
            Revocation::Out => Some("open"),
            Revocation::LoginClosed => Some("closed"),
            Revocation::LoginStays => Some("as it was"),
        };
        let revoked = login.is_some();
        let (team, member) = (team.as_str(), name.as_str());
        ui.json(&RevokeAnswer { version: 1, team, member, revoked, login })?;
        return Ok(if revoked { Exit::Done } else { Exit::No });
    }
    let login = match revocation {
        Revocation::NotAMember => {
            ui.say(&format!("`{name}` is not in the team `{team}`"));
            return Ok(Exit::No);
        }
        Revocation::Out => "they are in other teams of this hub, and can log in",
        Revocation::LoginClosed => "they can not log in any more",
        Revocation::LoginStays => "their login is not this hub's alone, and stays as it was",
    };
    ui.line(&out)?;
    ui.line(login)?;
    Ok(Exit::Done)
}

/// Returns where the hub of a team is that this home owns.
fn owned(store: &Store, team: &TeamName) -> Result<HubAddress, AppError> {
    let url = store.sync().owned_hub(team.as_str())?.ok_or_else(|| {
        AppError::user(format!("this home does not own the hub of a team `{team}`"))
            .hint(format!("`backstory team init URL --team {team}` says where it is; what is there stays"))
    })?;
    Ok(HubAddress::parse(&url)?)
}

/// Makes a password nobody has to remember.
fn password() -> Result<String, AppError> {
    let mut random = [0; 20];
    getrandom::fill(&mut random).map_err(|error| AppError::user("cannot make a password").because(&error))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes a line only its owner can read, into a file that was not there.
fn write_passfile(path: &Path, line: &str) -> Result<(), AppError> {
    let failed = |error: &std::io::Error| {
        AppError::user(format!("cannot write `{}`", path.display()))
            .because(error)
            .hint("`--passfile FILE` writes it elsewhere")
    };
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        fs::create_dir_all(dir).map_err(|error| failed(&error))?;
    }
    let file = backstory_platform::private(OpenOptions::new().write(true).create_new(true)).open(path);
    file.and_then(|mut file| writeln!(file, "{line}")).map_err(|error| failed(&error))
}
