//! What the owner of a hub does: makes it, lets members in, takes them out.
//!
//! A password is made here and written into a file of its own; it is never printed, and never kept.

use super::{Revocation, TeamName, Teams, VectorSupport};
use crate::error::AppError;
use crate::json::{InviteShape, RevokeShape, TeamInitShape};
use backstory_sync::{HubAddress, Invitation};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

impl Teams<'_> {
    /// Makes a hub and a team in it, or brings the hub up to date.
    pub fn init(&self, url: &str, team: &TeamName) -> Result<TeamInitShape, AppError> {
        let address = HubAddress::parse(url)?;
        let named = team.clone();
        let (migrated, is_new) = self.as_owner(&address, move |owner, on_progress| {
            let migrated = owner.migrate(&mut || on_progress())?;
            Ok((migrated, owner.make_team(&named)?))
        })?;
        self.app.store()?.sync_mut().set_owned_hub(team.as_str(), url)?;
        Ok(TeamInitShape {
            version: 1,
            team: team.to_string(),
            is_new,
            database: address.database().to_owned(),
            schema_before: migrated.from,
            schema: migrated.to,
            vectors: match migrated.vectors {
                VectorSupport::Used => "used",
                VectorSupport::Absent => "absent",
                VectorSupport::TooOld => "too old",
                VectorSupport::NotAllowed => "not allowed",
            },
            vector_support: migrated.vectors,
        })
    }

    /// Lets somebody into a team. Their password is written to `passfile`, or into the data directory.
    pub fn invite(
        &self,
        name: &TeamName,
        team: &TeamName,
        passfile: Option<&Path>,
    ) -> Result<InviteShape, AppError> {
        let address = self.owned(team)?;
        let password = password()?;
        let line = address.passfile_line(name.as_str(), &password);
        let in_home = || self.app.home.root().join("invitations").join(format!("{name}.pgpass"));
        let path = passfile.map_or_else(in_home, Path::to_owned);
        let (to_team, who, place) = (team.clone(), name.clone(), path.clone());
        let invitation = self.as_owner(&address, move |owner, on_progress| {
            // The file comes first: if the process is killed in between, a spare line does no harm, but a login whose password is lost does.
            write_passfile(&place, &line)?;
            on_progress();
            let invited = owner.invite(&to_team, &who, &password);
            // No login was made with this password, so the file would open nothing.
            if !matches!(invited, Ok(Invitation::Made)) {
                drop(fs::remove_file(&place));
            }
            Ok(invited?)
        })?;
        Ok(InviteShape {
            version: 1,
            team: team.to_string(),
            member: name.to_string(),
            passfile: (invitation == Invitation::Made).then(|| path.display().to_string()),
            url: address.url_for(name.as_str()),
        })
    }

    /// Takes somebody out of a team.
    pub fn revoke(&self, name: &TeamName, team: &TeamName) -> Result<RevokeShape, AppError> {
        let address = self.owned(team)?;
        let (of_team, who) = (team.clone(), name.clone());
        let revocation = self.as_owner(&address, move |owner, _| Ok(owner.revoke(&of_team, &who)?))?;
        let login = match revocation {
            Revocation::NotAMember => None,
            Revocation::Out => Some("open"),
            Revocation::LoginClosed => Some("closed"),
            Revocation::LoginStays => Some("as it was"),
        };
        let (team, member) = (team.to_string(), name.to_string());
        Ok(RevokeShape { version: 1, team, member, revoked: login.is_some(), login, revocation })
    }

    /// Returns where the hub of a team is that this home owns.
    fn owned(&self, team: &TeamName) -> Result<HubAddress, AppError> {
        let url = self.app.store_to_read()?.sync().owned_hub(team.as_str())?.ok_or_else(|| {
            AppError::user(format!("this home does not own the hub of a team `{team}`")).hint(format!(
                "`backstory team init URL --team {team}` says where it is; what is there stays"
            ))
        })?;
        Ok(HubAddress::parse(&url)?)
    }
}

/// Makes a password nobody has to remember.
fn password() -> Result<String, AppError> {
    let mut random = [0; 20];
    getrandom::fill(&mut random).map_err(|error| AppError::user("cannot make a password").because(&error))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Writes a line only its owner can read, into a file that was not there.
fn write_passfile(path: &Path, line: &str) -> Result<(), AppError> {
    let write = || -> io::Result<()> {
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            fs::create_dir_all(dir)?;
        }
        let mut options = OpenOptions::new();
        let mut file = backstory_platform::private(options.write(true).create_new(true)).open(path)?;
        writeln!(file, "{line}")
    };
    write().map_err(|error| {
        AppError::user(format!("cannot write `{}`", path.display()))
            .because(&error)
            .hint("`--passfile FILE` writes it elsewhere")
    })
}
