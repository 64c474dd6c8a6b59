//! The hub of a build without the feature `team-hub`: the same requests, and no way to make a connection that could take them.
//!
//! Nothing of PostgreSQL is linked. The types have no values, so that whatever needs a hub compiles and cannot run: the first step, to read
//! an address, says that this build has no hub.

use super::hub_answers::{HubMigration, Invitation, Pulled, Pushed, Revocation, TeamHit};
use super::hub_requests::{MemoryVectors, TeamQuery};
use super::{HubAddressError, HubError, TeamName};
use backstory_memory::{SyncBatch, Watermark};
use std::fmt;

/// A type without values. It stands behind a field, so that the compiler does not warn of unreachable code after each connection.
#[derive(Clone, Debug)]
enum Never {}

/// The address of a hub, of which this build has none.
#[derive(Clone, Debug)]
pub struct HubAddress(Never);

impl HubAddress {
    /// Says that this build has no hub, whatever the address.
    pub fn parse(_url: &str) -> Result<HubAddress, HubAddressError> {
        Err(HubAddressError::NotInThisBuild)
    }

    /// Returns the user.
    #[must_use]
    pub fn user(&self) -> &str {
        match self.0 {}
    }

    /// Returns the database.
    #[must_use]
    pub fn database(&self) -> &str {
        match self.0 {}
    }

    /// Returns the same hub for another user, as a URL.
    #[must_use]
    pub fn url_for(&self, _user: &str) -> String {
        match self.0 {}
    }

    /// Returns the password a passfile has for it.
    #[must_use]
    pub fn password_in(&self, _passfile: &str) -> Option<String> {
        match self.0 {}
    }

    /// Returns the line of a passfile for a user of this hub.
    #[must_use]
    pub fn passfile_line(&self, _user: &str, _password: &str) -> String {
        match self.0 {}
    }
}

impl fmt::Display for HubAddress {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {}
    }
}

/// A connection to a hub, of which this build has none.
#[derive(Debug)]
pub struct Hub(Never);

impl Hub {
    /// Connects as a member.
    pub fn join(
        address: &HubAddress,
        _password: Option<&str>,
        _team: Option<&TeamName>,
    ) -> Result<Hub, HubError> {
        match address.0 {}
    }

    /// Returns the team.
    #[must_use]
    pub fn team(&self) -> &TeamName {
        match self.0 {}
    }

    /// Returns who is logged in.
    #[must_use]
    pub fn member(&self) -> &str {
        match self.0 {}
    }

    /// Returns the id of the hub.
    #[must_use]
    pub fn id(&self) -> &str {
        match self.0 {}
    }

    /// Returns which sequence of transaction numbers the hub's watermarks belong to.
    #[must_use]
    pub fn epoch(&self) -> &str {
        match self.0 {}
    }

    /// Returns the members of the team.
    pub fn members(&mut self) -> Result<Vec<String>, HubError> {
        match self.0 {}
    }

    /// Returns the projects the team shares.
    pub fn projects(&mut self) -> Result<Vec<(String, String)>, HubError> {
        match self.0 {}
    }

    /// Shares a project with the team.
    pub fn share(&mut self, _project: &str, _name: &str) -> Result<(), HubError> {
        match self.0 {}
    }

    /// Pushes a batch of a project.
    pub fn push(
        &mut self,
        _project: &str,
        _batch: &SyncBatch,
        _on_progress: &mut dyn FnMut(),
    ) -> Result<Pushed, HubError> {
        match self.0 {}
    }

    /// Returns how far the hub is.
    pub fn horizon(&mut self) -> Result<Watermark, HubError> {
        match self.0 {}
    }

    /// Hands out what is new in a project.
    pub fn pull<E: From<HubError>>(
        &mut self,
        _project: &str,
        _since: Watermark,
        _again: &[String],
        _each: impl FnMut(Pulled) -> Result<(), E>,
    ) -> Result<Watermark, E> {
        match self.0 {}
    }

    /// Whether others have committed something that no pull can hand out yet.
    pub fn is_held_back(&mut self, _project: &str, _horizon: Watermark) -> Result<bool, HubError> {
        match self.0 {}
    }

    /// Whether the hub is also searched by vectors.
    pub fn has_vectors(&mut self) -> Result<bool, HubError> {
        match self.0 {}
    }

    /// Pushes vectors.
    pub fn push_vectors(
        &mut self,
        _model: &str,
        _memories: &[MemoryVectors],
        _on_progress: &mut dyn FnMut(),
    ) -> Result<(), HubError> {
        match self.0 {}
    }

    /// Searches the memories of the team.
    pub fn search(&mut self, _query: &TeamQuery<'_>) -> Result<Vec<TeamHit>, HubError> {
        match self.0 {}
    }
}

/// The connection of a hub's owner, of which this build has none.
#[derive(Debug)]
pub struct HubOwner(Never);

impl HubOwner {
    /// Connects as the owner of a hub.
    pub fn connect(address: &HubAddress, _password: Option<&str>) -> Result<HubOwner, HubError> {
        match address.0 {}
    }

    /// Makes the hub or brings it up to date.
    pub fn migrate(&mut self, _on_progress: &mut dyn FnMut()) -> Result<HubMigration, HubError> {
        match self.0 {}
    }

    /// Makes a team.
    pub fn make_team(&mut self, _team: &TeamName) -> Result<bool, HubError> {
        match self.0 {}
    }

    /// Adds somebody to a team.
    pub fn invite(
        &mut self,
        _team: &TeamName,
        _member: &TeamName,
        _password: &str,
    ) -> Result<Invitation, HubError> {
        match self.0 {}
    }

    /// Removes somebody from a team.
    pub fn revoke(&mut self, _team: &TeamName, _member: &TeamName) -> Result<Revocation, HubError> {
        match self.0 {}
    }
}
