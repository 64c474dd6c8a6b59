//! What memories mean, told to hubs that go by meaning: the vectors this machine made anyway, as it holds them.

use crate::app::App;
use crate::failure::Failure;
use crate::share_policy::SharePolicy;
use crate::teams;
use backstory_embed::{VectorFile, VectorScope, model_name};
use backstory_store::{SharedProject, Store};
use backstory_sync::{Hub, MemoryVectors};

/// How many are told at once.
const AT_ONCE: usize = 50;

/// Tells what the memories of a project mean, as far as vectors are made. Where the hub goes by words alone there is nothing to tell.
pub(crate) fn push(
    store: &mut Store,
    hub: &mut Hub,
    shared: &SharedProject,
    app: &App,
    on_progress: &dyn Fn(),
) -> Result<(), Failure> {
    let failed = |error| teams::failure(&error);
    if !app.config.recall.vectors || !hub.has_vectors().map_err(failed)? {
        return Ok(());
    }
    let (share_policy, mut after) = (SharePolicy::from_app(app), None);
    loop {
        let mut untold = store.vector_outbox(shared.project, after.as_ref(), AT_ONCE)?;
        let Some(last) = untold.last() else { return Ok(()) };
        after = Some(last.memory.uid.clone());
        untold.retain(|untold| share_policy.is_shared_unchanged(&untold.memory.content));
        // Anew each time: what was embedded since the last look is not in what was mapped then, and would be noted as told.
        let Ok(vectors) = VectorFile::open(&app.home.vectors(), model_name()) else { return Ok(()) };
        let ids: Vec<i64> = untold.iter().map(|untold| untold.memory.id.0).collect();
        let Ok(rows) = vectors.rows_of(VectorScope::Projects(&[shared.project.0]), &ids) else {
            return Ok(());
        };
        let parts = |id: i64| {
            let of = rows.iter().filter(move |(memory, _)| *memory == id);
            of.map(|(_, vector)| vector.to_bytes().to_vec()).collect()
        };
        let meaning = |untold: &backstory_store::VectorOutboxEntry| MemoryVectors {
            uid: untold.memory.uid.clone(),
            state: untold.state,
            parts: parts(untold.memory.id.0),
        };
        let vectors_to_push: Vec<MemoryVectors> = untold.iter().map(meaning).collect();
        hub.push_vectors(model_name(), &vectors_to_push, &mut || on_progress()).map_err(failed)?;
        store.mark_vectors_pushed(&untold)?;
    }
}
