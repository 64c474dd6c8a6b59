//! `team`: makes a hub, lets members in and out, joins and leaves teams.

use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::pulse::Pulse;
use crate::sync_lock::SyncLock;
use crate::times;
use crate::ui::{memories, one_line};
use crate::{parting, teams};
use backstory_hub::{Address, Invitation, Revocation, TeamName, Vectors};
use backstory_store::{Joining, Store, Team};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Arguments of `team`.
#[derive(Args, Debug)]
pub(crate) struct TeamArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
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
    /// Take somebody out of a team, as the owner of its hub; what they told stays
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
    /// Leave a team; what was heard stays here, what was told stays there
    Leave {
        /// Which team (default: the only one)
        #[arg(value_parser = teams::name)]
        team: Option<TeamName>,
        /// Also if the team cannot be told what was forgotten here
        #[arg(long)]
        anyway: bool,
    },
}

/// Makes, joins or shows teams.
pub(crate) fn run(args: &TeamArgs, app: &App) -> Result<Exit, Failure> {
    match args.action.as_ref().unwrap_or(&Action::Status) {
        Action::Init { url, team } => init(url, team, app, args.json),
        Action::Invite { name, team, passfile } => invite(name, team, passfile.as_deref(), app, args.json),
        Action::Revoke { name, team } => revoke(name, team, app, args.json),
        Action::Join { url, team, called } => join(url, team.as_ref(), called.as_ref(), app, args.json),
        Action::Status => status(args.json, app),
        Action::Leave { team, anyway } => leave(team.as_ref(), *anyway, app, args.json),
    }
}

/// What was done, for other programs.
#[derive(Serialize)]
#[serde(untagged)]
enum Done<'a> {
    Made {
        version: u32,
        team: &'a str,
        is_new: bool,
        database: &'a str,
        /// The schema there was; 0 where there was no hub.
        schema_before: i32,
        schema: i32,
        vectors: &'a str,
    },
    Invited {
        version: u32,
        team: &'a str,
        member: &'a str,
        /// The file with their password, where they got one.
        passfile: Option<String>,
        /// What they join.
        url: String,
    },
    Revoked {
        version: u32,
        team: &'a str,
        member: &'a str,
        /// Whether they were a member.
        revoked: bool,
        login: Option<&'a str>,
    },
    Joined {
        version: u32,
        team: &'a str,
        member: &'a str,
    },
    Left {
        version: u32,
        team: &'a str,
    },
}

fn init(url: &str, team: &TeamName, app: &App, json: bool) -> Result<Exit, Failure> {
    let address = teams::address(url)?;
    let mut owner = teams::own(&address, app)?;
    let migrated = owner.migrate().map_err(|error| teams::failure(&error))?;
    let is_new = owner.make_team(team).map_err(|error| teams::failure(&error))?;
    app.store()?.note_owned_hub(team.as_str(), url)?;
    if json {
        let vectors = match migrated.vectors {
            Vectors::Used => "used",
            Vectors::Absent => "absent",
            Vectors::TooOld => "too old",
            Vectors::NotAllowed => "not allowed",
        };
        app.ui.json(&Done::Made {
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
    app.ui.line(&match (migrated.from, migrated.to) {
        (0, to) => format!(
            "made a hub in `{database}`: the schema `backstory`, version {to}, and its roles and policies"
        ),
        (from, to) if from == to => format!("the hub in `{database}` is up to date: version {to}"),
        (from, to) => format!("brought the hub in `{database}` from version {from} to {to}"),
    })?;
    app.ui.line(match migrated.vectors {
        Vectors::Used => "it is searched by words, and by meaning with pgvector",
        Vectors::Absent => "it is searched by words: the server has no pgvector",
        Vectors::TooOld => "it is searched by words: the server's pgvector is older than 0.5",
        Vectors::NotAllowed => {
            "it is searched by words; for meaning too, a superuser says `CREATE EXTENSION vector` there, then run this again"
        }
    })?;
    app.ui.line(&if is_new {
        format!("made the team `{team}`")
    } else {
        format!("the team `{team}` is there")
    })?;
    app.ui.say(&format!("`backstory team invite NAME --team {team}` lets somebody in"));
    Ok(Exit::Done)
}

fn invite(
    name: &TeamName,
    team: &TeamName,
    passfile: Option<&Path>,
    app: &App,
    json: bool,
) -> Result<Exit, Failure> {
    let address = owned(&app.store_to_read()?, team)?;
    let mut owner = teams::own(&address, app)?;
    let password = password()?;
    let line = address.passfile_line(name.as_str(), &password);
    let path = match passfile {
        Some(path) => path.to_owned(),
        None => app.home.root().join("invitations").join(format!("{name}.pgpass")),
    };
    // Written first: a login whose password nobody has is worth less than a line that is not needed.
    write_passfile(&path, &line)?;
    let pulse = Pulse::watch(app);
    let invited = owner.invite(team, name, &password);
    drop(pulse);
    if !matches!(invited, Ok(Invitation::Made)) {
        drop(fs::remove_file(&path));
    }
    let invitation = invited.map_err(|error| teams::failure(&error))?;
    if json {
        app.ui.json(&Done::Invited {
            version: 1,
            team: team.as_str(),
            member: name.as_str(),
            passfile: (invitation == Invitation::Made).then(|| path.display().to_string()),
            url: address.url_for(name.as_str()),
        })?;
        return Ok(Exit::Done);
    }
    app.ui.line(&format!("`{name}` is in the team `{team}`"))?;
    if invitation == Invitation::Made {
        let path = path.display();
        app.ui.line(&format!(
            "their password is in {path}; give it to them the way you give secrets, then remove it"
        ))?;
        app.ui.line("they add its line to their `~/.pgpass` (mode 0600) and run:")?;
    } else {
        app.ui.line("they can log in already, and run:")?;
    }
    app.ui.line(&format!("  backstory team join '{}' --team {team}", address.url_for(name.as_str())))?;
    Ok(Exit::Done)
}

fn revoke(name: &TeamName, team: &TeamName, app: &App, json: bool) -> Result<Exit, Failure> {
    let address = owned(&app.store_to_read()?, team)?;
    let mut owner = teams::own(&address, app)?;
    let _pulse = Pulse::watch(app);
    let out = format!("`{name}` is out of the team `{team}`; what they told stays, under their name");
    let revocation = owner.revoke(team, name).map_err(|error| teams::failure(&error))?;
    if json {
        let login = match revocation {
            Revocation::NotAMember => None,
            Revocation::Out => Some("open"),
            Revocation::LoginClosed => Some("closed"),
            Revocation::LoginStays => Some("as it was"),
        };
        let revoked = login.is_some();
        let (team, member) = (team.as_str(), name.as_str());
        app.ui.json(&Done::Revoked { version: 1, team, member, revoked, login })?;
        return Ok(if revoked { Exit::Done } else { Exit::No });
    }
    let login = match revocation {
        Revocation::NotAMember => {
            app.ui.say(&format!("`{name}` is not in the team `{team}`"));
            return Ok(Exit::No);
        }
        Revocation::Out => "they are in other teams of this hub, and can log in",
        Revocation::LoginClosed => "they can not log in any more",
        Revocation::LoginStays => "their login is not this hub's alone, and stays as it was",
    };
    app.ui.line(&out)?;
    app.ui.line(login)?;
    Ok(Exit::Done)
}

fn join(
    url: &str,
    team: Option<&TeamName>,
    called: Option<&TeamName>,
    app: &App,
    json: bool,
) -> Result<Exit, Failure> {
    let hub = teams::join(&teams::address(url)?, team, app)?;
    let (name, member) = (called.unwrap_or(hub.team()).to_string(), hub.member().to_owned());
    let joined = Team {
        name: name.clone(),
        hub_team: hub.team().to_string(),
        hub_id: Some(hub.id().to_owned()),
        url: url.to_owned(),
        member: member.clone(),
        synced_at: None,
    };
    if let Joining::NameTaken { url } = app.store()?.join_team(&joined, app.now)? {
        return Err(Failure::user(format!("another team `{name}` was joined, at {}", one_line(&url)))
            .hint("`--as NAME` calls this one otherwise here")
            .hint(format!("`backstory team leave {name}` leaves the other")));
    }
    if json {
        app.ui.json(&Done::Joined { version: 1, team: &name, member: &member })?;
        return Ok(Exit::Done);
    }
    app.ui.line(&format!("joined the team `{name}` as `{member}`; nothing is shared yet"))?;
    app.ui.say(&format!("`backstory project share --team {name}` shares the project of this folder"));
    Ok(Exit::Done)
}

fn leave(team: Option<&TeamName>, anyway: bool, app: &App, json: bool) -> Result<Exit, Failure> {
    let mut store = app.store()?;
    let team = teams::joined(&store, team, "`backstory team leave TEAM`")?;
    let _lock = SyncLock::take(app)?;
    let shared: Vec<_> =
        store.shared_projects()?.into_iter().filter(|shared| shared.team == team.name).collect();
    let untold = if anyway { parting::Untold::Stays } else { parting::Untold::Stops("`--anyway`") };
    parting::tell_forgotten(&mut store, &shared, untold, app)?;
    store.leave_team(&team.name)?;
    if json {
        app.ui.json(&Done::Left { version: 1, team: &team.name })?;
        return Ok(Exit::Done);
    }
    app.ui.line(&format!(
        "left the team `{}`; what was heard stays here, what was told stays there",
        team.name
    ))?;
    Ok(Exit::Done)
}

#[derive(Serialize)]
struct Teams {
    version: u32,
    teams: Vec<TeamShape>,
}

#[derive(Serialize)]
struct TeamShape {
    name: String,
    url: String,
    member: String,
    synced_at: Option<String>,
    /// Who is in it, where the hub answers.
    members: Option<Vec<String>>,
    problem: Option<String>,
    projects: Vec<SharedShape>,
    /// What others share and this home does not.
    also_shared: Vec<String>,
}

#[derive(Serialize)]
struct SharedShape {
    project: String,
    shared_as: String,
    untold: u64,
}

fn status(json: bool, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let teams: Result<Vec<TeamShape>, Failure> =
        teams::with_hub(&store)?.iter().map(|team| shape(team, &store, app)).collect();
    let teams = teams?;
    let exit = if teams.is_empty() { Exit::No } else { Exit::Done };
    if json {
        app.ui.json(&Teams { version: 1, teams })?;
        return Ok(exit);
    }
    if teams.is_empty() {
        app.ui.say(
            "no team was joined; `backstory team join URL` joins one, `backstory team init URL` makes one",
        );
    }
    for team in &teams {
        let synced = team.synced_at.as_deref().unwrap_or("never");
        app.ui.line(&format!(
            "{} as {} at {}, last synced {synced}",
            team.name,
            team.member,
            one_line(&team.url)
        ))?;
        if let Some(members) = &team.members {
            app.ui.line(&format!("  members: {}", one_line(&members.join(", "))))?;
        }
        for shared in &team.projects {
            let (project, shared_as) = (one_line(&shared.project), one_line(&shared.shared_as));
            app.ui
                .line(&format!("  shares {project} as {shared_as}; {} to tell", memories(shared.untold)))?;
        }
        for project in &team.also_shared {
            app.ui.line(&format!("  others share {}", one_line(project)))?;
        }
        if let Some(problem) = &team.problem {
            app.ui.say(&one_line(problem));
        }
    }
    Ok(exit)
}

fn shape(team: &Team, store: &Store, app: &App) -> Result<TeamShape, Failure> {
    let mut projects = Vec::new();
    for shared in store.shared_projects()?.into_iter().filter(|shared| shared.team == team.name) {
        let project = store.project(shared.project)?.map(|project| project.name).unwrap_or_default();
        let untold = store.count_untold(shared.project)?;
        projects.push(SharedShape { project, shared_as: shared.hub_project, untold });
    }
    let _pulse = Pulse::watch(app);
    let asked = teams::hub(team, app).and_then(|mut hub| {
        let told = hub.members().and_then(|members| Ok((members, hub.projects()?)));
        told.map_err(|error| teams::failure(&error))
    });
    let (members, all, problem) = match asked {
        Ok((members, all)) => (Some(members), all, None),
        Err(failure) => (None, Vec::new(), Some(failure.line())),
    };
    let is_ours = |key: &String| projects.iter().any(|shared| shared.shared_as == *key);
    let also_shared = all.into_iter().filter(|(key, _)| !is_ours(key)).map(|(_, name)| name).collect();
    let Team { name, url, member, synced_at, .. } = team.clone();
    let synced_at = synced_at.map(times::iso);
    Ok(TeamShape { name, url, member, synced_at, members, problem, projects, also_shared })
}

fn owned(store: &Store, team: &TeamName) -> Result<Address, Failure> {
    let url = store.owned_hub(team.as_str())?.ok_or_else(|| {
        Failure::user(format!("this home does not own the hub of a team `{team}`"))
            .hint(format!("`backstory team init URL --team {team}` says where it is; what is there stays"))
    })?;
    teams::address(&url)
}

/// Makes a password nobody has to remember.
fn password() -> Result<String, Failure> {
    let mut random = [0; 20];
    getrandom::fill(&mut random).map_err(|error| Failure::user("cannot make a password").because(&error))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes a line only its owner can read, into a file that was not there.
fn write_passfile(path: &Path, line: &str) -> Result<(), Failure> {
    let failed = |error: &std::io::Error| {
        Failure::user(format!("cannot write `{}`", path.display()))
            .because(error)
            .hint("`--passfile FILE` writes it elsewhere")
    };
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        fs::create_dir_all(dir).map_err(|error| failed(&error))?;
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| writeln!(file, "{line}")).map_err(|error| failed(&error))
}
