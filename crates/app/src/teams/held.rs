//! What others forgot and can be restored here: the user's own words, and many at once.

use super::Teams;
use crate::app::project_name;
use crate::error::AppError;
use crate::json::{HeldMemoryShape, HeldShape, RestoredShape};
use crate::times;
use backstory_memory::Timestamp;
use backstory_store::{HELD_DAYS, HeldMemory, Store};

/// Which held memories a request is about.
#[derive(Clone, Debug)]
pub enum HeldSelection {
    /// All of them.
    All,
    /// Those of these numbers.
    Numbers(Vec<i64>),
}

impl Teams<'_> {
    /// Lists what is held.
    pub fn held(&self) -> Result<HeldShape, AppError> {
        let store = self.app.store_to_read()?;
        let shapes = store.sync().held()?.into_iter().map(|held| shape(&store, held));
        Ok(HeldShape { version: 1, held: shapes.collect::<Result<_, AppError>>()? })
    }

    /// Writes held memories anew, as memories of their project.
    pub fn restore_held(&self, wanted: &HeldSelection) -> Result<RestoredShape, AppError> {
        self.app.refuse_agent("restore what others forgot")?;
        let mut store = self.app.store()?;
        let _lock = self.lock()?;
        let held = selected(&store, wanted)?;
        let restored = store.sync_mut().restore_held(&held)?;
        Ok(RestoredShape {
            version: 1,
            restored: restored.into_iter().map(|id| id.0).collect(),
            discarded: 0,
            remains_in: Vec::new(),
        })
    }

    /// Forgets held memories for good.
    pub fn discard_held(&self, wanted: &HeldSelection) -> Result<RestoredShape, AppError> {
        self.app.refuse_agent("discard what others forgot")?;
        let mut store = self.app.store()?;
        let _lock = self.lock()?;
        let held = selected(&store, wanted)?;
        let remains_in = store.sync_mut().discard_held(&held, self.app.now)?;
        Ok(RestoredShape {
            version: 1,
            restored: Vec::new(),
            discarded: held.len() as u64,
            remains_in: remains_in.iter().map(|path| path.display().to_string()).collect(),
        })
    }
}

fn selected(store: &Store, wanted: &HeldSelection) -> Result<Vec<HeldMemory>, AppError> {
    let held = store.sync().held()?;
    let HeldSelection::Numbers(numbers) = wanted else { return Ok(held) };
    if let Some(missing) = numbers.iter().find(|number| held.iter().all(|held| held.number != **number)) {
        return Err(AppError::user(format!("nothing is held as {missing}"))
            .hint("`backstory team held` lists what is; after 30 days it is gone"));
    }
    Ok(held.into_iter().filter(|held| numbers.contains(&held.number)).collect())
}

fn shape(store: &Store, held: HeldMemory) -> Result<HeldMemoryShape, AppError> {
    let until = Timestamp(held.held_at.0.saturating_add(HELD_DAYS * Timestamp::DAY_MS));
    Ok(HeldMemoryShape {
        number: held.number,
        project: project_name(store, held.project)?,
        kind: held.content.kind.to_string(),
        title: held.content.title,
        body: held.content.body,
        held_since: times::iso(held.held_at),
        until: times::iso(until),
    })
}
