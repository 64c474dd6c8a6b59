//! `distil`: makes memories of what happened, again if need be. Hooks do it at the end of each turn; running it twice changes nothing.

use crate::exit::Exit;
use crate::ui::{Ui, counted, memories, one_line};
use backstory_app::{App, AppError, ProjectSelector, vectors};
use backstory_distil::{DistilTrigger, Distillation, distil};
use backstory_memory::{MemoryId, SessionId, Timestamp};
use backstory_store::Store;
use clap::Args;
use serde::Serialize;

/// Arguments of `distil`.
#[derive(Args, Debug)]
pub(crate) struct DistilArgs {
    /// Only this session: its number, the host's name for it, or `last` for the newest of this folder's project (default: every session with something new)
    #[arg(long, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Distilled {
    version: u32,
    sessions: u64,
    written: Vec<i64>,
    updated: Vec<i64>,
}

/// How many sessions one run takes on.
const MOST_SESSIONS: u32 = 10_000;

/// Distils.
pub(crate) fn run(args: &DistilArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let sessions = match &args.session {
        Some(wanted) => {
            vec![app.find_session(&store, wanted, &ProjectSelector::Here)?.id]
        }
        None => store.sessions().undistilled(Timestamp(i64::MAX), MOST_SESSIONS)?,
    };
    let (mut written, mut updated) = (Vec::new(), Vec::new());
    for id in &sessions {
        let report = distil_session(&mut store, *id, DistilTrigger::OnDemand, app)?;
        written.extend(report.written);
        updated.extend(report.updated.into_iter().filter(|id| !written.contains(id)));
    }
    vectors::follow(&mut store, app);
    let numbers = |ids: &[MemoryId]| ids.iter().map(|id| id.0).collect();
    if args.json {
        let (written, updated) = (numbers(&written), numbers(&updated));
        ui.json(&Distilled { version: 1, sessions: sessions.len() as u64, written, updated })?;
        return Ok(Exit::Done);
    }
    for memory in store.memories().get_many(&written)? {
        let content = &memory.content;
        ui.line(&format!("#{} {:<9} {}", memory.id, content.kind, one_line(&content.title)))?;
    }
    let many = counted(sessions.len() as u64, "session");
    let (new, known) = (memories(written.len() as u64), updated.len());
    ui.line(&format!("{many} read: {new} new, {known} brought up to date"))?;
    Ok(Exit::Done)
}

/// Distils one session. Its folder is looked at where it still is.
pub(crate) fn distil_session(
    store: &mut Store,
    id: SessionId,
    trigger: DistilTrigger,
    app: &App,
) -> Result<backstory_distil::DistilReport, AppError> {
    let session = store.sessions().get(id)?.ok_or_else(|| AppError::internal("a session is gone"))?;
    let project = store.projects().get(session.project)?;
    let root = project
        .iter()
        .flat_map(|project| &project.roots)
        .map(std::path::Path::new)
        .find(|root| root.is_dir());
    let redactor = app.redactor();
    Ok(distil(store, id, &Distillation { trigger, root, redactor: &redactor, now: app.now, until: None })?)
}
