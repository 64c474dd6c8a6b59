//! Connecting to the hub of a team that was joined.

use crate::{Hub, HubAddress, SyncError, TeamName};

/// What a connection to the hub of a joined team needs.
#[derive(Clone)]
pub struct HubAccess {
    /// The team's name in this store.
    pub name: String,
    /// Its name on the hub.
    pub team: TeamName,
    /// The id of the hub, if it is known: a server with another id is refused.
    pub hub_id: Option<String>,
    /// Where the hub is.
    pub address: HubAddress,
    /// The member's password, if one is needed.
    pub password: Option<String>,
}

impl HubAccess {
    /// Connects; refuses a hub with another id.
    pub fn connect(&self) -> Result<Hub, SyncError> {
        let hub = Hub::join(&self.address, self.password.as_deref(), Some(&self.team))?;
        if self.hub_id.as_ref().is_some_and(|id| id != hub.id()) {
            return Err(SyncError::AnotherHub { team: self.name.clone() });
        }
        Ok(hub)
    }
}
