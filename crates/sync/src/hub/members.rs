//! Teams and their members, which only the owner of a hub may change.

use super::hub_answers::{HubMigration, Invitation, Revocation};
use super::migrate;
use super::sql_error::Doing;
use super::team_name::{TeamName, UnusableName};
use crate::{HubAddress, HubError};
use postgres::{Client, Transaction};
use std::fmt;

/// The connection of a hub's owner, who makes teams and invites members.
pub struct HubOwner {
    client: Client,
}

impl HubOwner {
    /// Connects as the owner of a hub, or of a database that is to become one.
    pub fn connect(address: &HubAddress, password: Option<&str>) -> Result<HubOwner, HubError> {
        Ok(HubOwner { client: super::connection::open(address, password)? })
    }

    /// Makes the hub or brings it up to date; `on_progress` is called after each step.
    pub fn migrate(&mut self, on_progress: &mut dyn FnMut()) -> Result<HubMigration, HubError> {
        migrate::run(&mut self.client, on_progress)
    }

    /// Makes a team, if there is none of this name. Returns whether it is new.
    pub fn make_team(&mut self, team: &TeamName) -> Result<bool, HubError> {
        let sql = "INSERT INTO backstory.teams (team) VALUES ($1) ON CONFLICT DO NOTHING";
        Ok(self.client.execute(sql, &[&team.as_str()]).doing("make the team")? == 1)
    }

    /// Returns the teams and their members.
    pub fn teams(&mut self) -> Result<Vec<(TeamName, Vec<String>)>, HubError> {
        migrate::refuse_other_version(&mut self.client)?;
        let sql = "SELECT t.team, array_remove(array_agg(m.member::text ORDER BY m.member), NULL)
             FROM backstory.teams t LEFT JOIN backstory.members m USING (team) GROUP BY t.team ORDER BY t.team";
        let rows = self.client.query(sql, &[]).doing("list the teams")?;
        rows.iter().map(|row| Ok((name(row.get(0))?, row.get(1)))).collect()
    }

    /// Adds somebody to a team. A new login may do nothing but what members may; an existing one is not changed.
    ///
    /// The password is sent as the verifier PostgreSQL would make of it: neither its log nor its statistics ever hold the password.
    pub fn invite(
        &mut self,
        team: &TeamName,
        member: &TeamName,
        password: &str,
    ) -> Result<Invitation, HubError> {
        const DOING: &str = "invite a member";
        migrate::refuse_other_version(&mut self.client)?;
        let mut transaction = self.client.transaction().doing(DOING)?;
        let sql = "SELECT FROM backstory.teams WHERE team = $1";
        if transaction.query_opt(sql, &[&team.as_str()]).doing(DOING)?.is_none() {
            return Err(HubError::NoSuchTeam { team: team.to_string() });
        }
        let invitation = give_login(&mut transaction, member, password)?;
        run_formatted(&mut transaction, "GRANT backstory_member TO %I", &[member.as_str()])?;
        let database = database(&mut transaction)?;
        run_formatted(&mut transaction, "GRANT CONNECT ON DATABASE %I TO %I", &[&database, member.as_str()])?;
        let sql =
            "INSERT INTO backstory.members (team, member) VALUES ($1, $2::text::name) ON CONFLICT DO NOTHING";
        transaction.execute(sql, &[&team.as_str(), &member.as_str()]).doing(DOING)?;
        transaction.commit().doing(DOING)?;
        Ok(invitation)
    }

    /// Removes somebody from a team, at once. A login that was made for this hub is closed with the last of its teams; others are not
    /// changed. What they wrote stays, under their name.
    pub fn revoke(&mut self, team: &TeamName, member: &TeamName) -> Result<Revocation, HubError> {
        const DOING: &str = "revoke a member";
        migrate::refuse_other_version(&mut self.client)?;
        let mut transaction = self.client.transaction().doing(DOING)?;
        let sql = "DELETE FROM backstory.members WHERE team = $1 AND member = $2::text::name";
        if transaction.execute(sql, &[&team.as_str(), &member.as_str()]).doing(DOING)? == 0 {
            return Ok(Revocation::NotAMember);
        }
        let sql = "SELECT EXISTS (SELECT FROM backstory.members WHERE member = $1::text::name),
             EXISTS (SELECT FROM backstory.created_logins WHERE member = $1::text::name)";
        let row = transaction.query_one(sql, &[&member.as_str()]).doing(DOING)?;
        let revocation = match (row.get(0), row.get(1)) {
            (true, _) => Revocation::Out,
            (false, true) if !is_used_elsewhere(&mut transaction, member)? => {
                run_formatted(&mut transaction, "REVOKE backstory_member FROM %I", &[member.as_str()])?;
                // The role is kept: its name is on what it wrote, and nobody else may get it unnoticed.
                run_formatted(&mut transaction, "ALTER ROLE %I NOLOGIN PASSWORD NULL", &[member.as_str()])?;
                Revocation::LoginClosed
            }
            (false, _) => Revocation::LoginStays,
        };
        transaction.commit().doing(DOING)?;
        Ok(revocation)
    }
}

/// Makes sure that somebody can log in. Changes only logins that were created here.
fn give_login(
    transaction: &mut Transaction<'_>,
    member: &TeamName,
    password: &str,
) -> Result<Invitation, HubError> {
    const DOING: &str = "invite a member";
    let sql = "SELECT rolsuper OR rolbypassrls OR rolcreaterole, rolcanlogin,
             EXISTS (SELECT FROM backstory.created_logins WHERE member = rolname)
         FROM pg_roles WHERE rolname = $1";
    let known = transaction.query_opt(sql, &[&member.as_str()]).doing(DOING)?;
    let known: Option<(bool, bool, bool)> = known.map(|row| (row.get(0), row.get(1), row.get(2)));
    let template = match known {
        Some((true, ..)) => return Err(HubError::BypassesRls { member: member.to_string() }),
        Some((false, true, _)) => return Ok(Invitation::Added),
        Some((false, false, false)) => return Err(HubError::NotALogin { member: member.to_string() }),
        Some((false, false, true)) => "ALTER ROLE %I LOGIN PASSWORD %L",
        None => {
            "CREATE ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD %L"
        }
    };
    let verifier = postgres_protocol::password::scram_sha_256(password.as_bytes());
    run_formatted(transaction, template, &[member.as_str(), &verifier])?;
    let sql = "INSERT INTO backstory.created_logins (member) VALUES ($1::text::name) ON CONFLICT DO NOTHING";
    transaction.execute(sql, &[&member.as_str()]).doing(DOING)?;
    Ok(Invitation::Made)
}

/// Whether anything outside this database depends on a role: another hub of the cluster, or whatever else it is used for.
fn is_used_elsewhere(transaction: &mut Transaction<'_>, member: &TeamName) -> Result<bool, HubError> {
    let sql = "SELECT EXISTS (SELECT FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid
             WHERE d.refclassid = 'pg_authid'::regclass AND r.rolname = $1
                 AND d.dbid <> (SELECT oid FROM pg_database WHERE datname = current_database())
                 AND (d.classid, d.objid)
                     <> ('pg_database'::regclass, (SELECT oid FROM pg_database WHERE datname = current_database()))
                 AND d.classid <> 'pg_auth_members'::regclass)";
    Ok(transaction.query_one(sql, &[&member.as_str()]).doing("revoke a member")?.get(0))
}

fn database(transaction: &mut Transaction<'_>) -> Result<String, HubError> {
    Ok(transaction.query_one("SELECT current_database()", &[]).doing("invite a member")?.get(0))
}

/// Runs a statement whose names PostgreSQL itself quotes.
fn run_formatted(
    client: &mut impl postgres::GenericClient,
    template: &str,
    values: &[&str],
) -> Result<(), HubError> {
    const DOING: &str = "change a member";
    let sql = "SELECT format($1, VARIADIC $2::text[])";
    let statement: String = client.query_one(sql, &[&template, &values]).doing(DOING)?.get(0);
    client.batch_execute(&statement).doing(DOING)
}

/// Returns the teams of who is logged in.
pub(crate) fn own_teams(client: &mut Client) -> Result<Vec<TeamName>, HubError> {
    let sql = "SELECT team FROM backstory.members WHERE member = session_user ORDER BY team";
    let rows = client.query(sql, &[]).doing("ask for our teams")?;
    rows.iter().map(|row| name(row.get(0))).collect()
}

fn name(text: &str) -> Result<TeamName, HubError> {
    text.parse().map_err(|error: UnusableName| HubError::BadRow(error.to_string()))
}

impl fmt::Debug for HubOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HubOwner")
    }
}
