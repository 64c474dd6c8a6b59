//! A connection to a hub, and the limits every transaction on it has.

use super::sql_error::Doing;
use super::{members, migrate};
use crate::{HubAddress, HubError, TeamName};
use postgres::{Client, IsolationLevel, Transaction};
use std::fmt;

/// A connection to a hub, for one team.
pub struct Hub {
    pub(super) client: Client,
    pub(super) team: TeamName,
    pub(super) member: String,
    pub(super) id: String,
    pub(super) epoch: String,
}

/// The oldest PostgreSQL that is supported.
const OLDEST_SERVER: i32 = 15;

/// How long one statement may take, and how long it may wait for others, in milliseconds.
const LIMITS: [(&str, &str); 3] = [
    ("statement_timeout", "60000"),
    ("lock_timeout", "20000"),
    ("idle_in_transaction_session_timeout", "60000"),
];

impl Hub {
    /// Connects as a member, to a team or to the only one this member is in.
    pub fn join(
        address: &HubAddress,
        password: Option<&str>,
        team: Option<&TeamName>,
    ) -> Result<Hub, HubError> {
        let mut client = open(address, password)?;
        migrate::refuse_other_version(&mut client)?;
        let sql =
            "SELECT session_user::text, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user";
        let row = client.query_one(sql, &[]).doing("ask who is logged in")?;
        let (member, bypasses_rls): (String, bool) = (row.get(0), row.get(1));
        // Only row-level security keeps teams apart, so a role that it does not bind is refused.
        if bypasses_rls {
            return Err(HubError::BypassesRls { member });
        }
        let teams = members::own_teams(&mut client)?;
        let team = match team {
            Some(team) if teams.contains(team) => team.clone(),
            Some(team) => return Err(HubError::NotAMember { member, team: team.to_string() }),
            None => only(teams, &member)?,
        };
        let sql = "SELECT backstory.hub_id(), backstory.epoch()";
        let row = client.query_one(sql, &[]).doing("ask for the id of the hub")?;
        let (id, epoch) = (row.get(0), row.get(1));
        Ok(Hub { client, team, member, id, epoch })
    }

    /// Returns the team.
    #[must_use]
    pub fn team(&self) -> &TeamName {
        &self.team
    }

    /// Returns who is logged in.
    #[must_use]
    pub fn member(&self) -> &str {
        &self.member
    }

    /// Returns the id of the hub: two hubs may have teams of one name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns which sequence of transaction numbers the hub's watermarks belong to.
    #[must_use]
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Returns the members of the team.
    pub fn members(&mut self) -> Result<Vec<String>, HubError> {
        let mut transaction = self.read()?;
        let sql = "SELECT member::text FROM backstory.members WHERE team = (SELECT backstory.current_team()) ORDER BY 1";
        let rows = transaction.query(sql, &[]).doing("list the members")?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// Returns the projects the team shares: the key and the name of each.
    pub fn projects(&mut self) -> Result<Vec<(String, String)>, HubError> {
        let mut transaction = self.read()?;
        let sql = "SELECT project_key, name FROM backstory.projects ORDER BY 2, 1";
        let rows = transaction.query(sql, &[]).doing("list the projects")?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// Shares a project with the team, unless it is shared already.
    pub fn share(&mut self, project: &str, name: &str) -> Result<(), HubError> {
        let team = self.team.to_string();
        let mut transaction = self.write()?;
        let sql = "INSERT INTO backstory.projects (team, project_key, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        transaction.execute(sql, &[&team, &project, &name]).doing("share a project")?;
        transaction.commit().doing("share a project")
    }

    /// Begins to read, in one snapshot.
    pub(super) fn read(&mut self) -> Result<Transaction<'_>, HubError> {
        let begun = self
            .client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start();
        choose(begun.doing("begin")?, &self.team, &self.member)
    }

    /// Begins to write. Each statement sees what others have committed meanwhile: a tombstone that another member wrote first must count.
    pub(super) fn write(&mut self) -> Result<Transaction<'_>, HubError> {
        let begun = self.client.build_transaction().isolation_level(IsolationLevel::ReadCommitted).start();
        choose(begun.doing("begin")?, &self.team, &self.member)
    }
}

/// Chooses the team for one transaction, so that a pooled connection keeps nothing of it. Refuses a member who was revoked
/// meanwhile: row-level security would show them an empty hub, and no error.
fn choose<'a>(
    mut transaction: Transaction<'a>,
    team: &TeamName,
    member: &str,
) -> Result<Transaction<'a>, HubError> {
    const DOING: &str = "choose the team";
    for (name, value) in LIMITS.into_iter().chain([("backstory.team", team.as_str())]) {
        transaction.execute("SELECT set_config($1, $2, true)", &[&name, &value]).doing(DOING)?;
    }
    let sql = "SELECT backstory.current_team() IS NOT NULL";
    if transaction.query_one(sql, &[]).doing(DOING)?.get(0) {
        return Ok(transaction);
    }
    Err(HubError::NotAMember { member: member.to_owned(), team: team.to_string() })
}

/// Connects, and refuses a server that is too old.
pub(super) fn open(address: &HubAddress, password: Option<&str>) -> Result<Client, HubError> {
    const DOING: &str = "ask for the server's version";
    let mut client = address.connect(password)?;
    let sql = "SELECT current_setting('server_version_num')::int4";
    refuse_old_server(client.query_one(sql, &[]).doing(DOING)?.get(0))?;
    Ok(client)
}

/// Refuses a server by its number, such as 150004.
fn refuse_old_server(number: i32) -> Result<(), HubError> {
    let found = number / 10_000;
    if found < OLDEST_SERVER {
        return Err(HubError::OldServer { found, needed: OLDEST_SERVER });
    }
    Ok(())
}

fn only(teams: Vec<TeamName>, member: &str) -> Result<TeamName, HubError> {
    let mut names = teams.iter().map(TeamName::to_string);
    match (names.next(), names.next()) {
        (None, _) => Err(HubError::NotAMember { member: member.to_owned(), team: String::new() }),
        (Some(_), None) => Ok(teams.into_iter().next().expect("one was just seen")),
        (Some(first), Some(second)) => Err(HubError::SeveralTeams { first, second }),
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hub({} of {})", self.member, self.team)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_too_old_is_named() {
        let refused = refuse_old_server(140_011).unwrap_err();
        assert_eq!(refused.to_string(), "the server is PostgreSQL 14; a hub needs 15 or later");
        refuse_old_server(150_000).unwrap();
        refuse_old_server(180_004).unwrap();
    }
}
