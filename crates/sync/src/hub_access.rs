//! How to get to the hub of a team that was joined.

use crate::{Hub, HubAddress, SyncError, TeamName};

/// Everything it takes to connect to the hub of a team that was joined.
#[derive(Clone)]
pub struct HubAccess {
    /// What the team is called here.
    pub name: String,
    /// What it is called on its hub.
    pub team: TeamName,
    /// The id of the hub, where it is known. What answers must be the same hub.
    pub hub_id: Option<String>,
    /// Where the hub is.
    pub address: HubAddress,
    /// The password of the member, where one is needed.
    pub password: Option<String>,
}

impl HubAccess {
    /// Connects, and refuses another hub that answers at the address.
    pub fn connect(&self) -> Result<Hub, SyncError> {
        let hub = Hub::join(&self.address, self.password.as_deref(), Some(&self.team))?;
        if self.hub_id.as_ref().is_some_and(|id| id != hub.id()) {
            return Err(SyncError::AnotherHub { team: self.name.clone() });
        }
        Ok(hub)
    }
}
