//! What the end of a turn, a compaction and the end of a session are used for: nobody waits for the next step then.
//!
//! All of it is done as far as there is time; what is left is done by the next turn, or by housekeeping.

use super::Hook;
use crate::commands::polish;
use backstory_app::config::Config;
use backstory_app::{AppError, vectors};
use backstory_capture::{Redactor, body_of};
use backstory_distil::{DistilReport, DistilTrigger, Distillation, distil};
use backstory_memory::{Activity, Event, EventKind};
use backstory_store::{IncomingEvent, Store};
use backstory_sync::shared_through_hubs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Distillation looks closely for so long, and then writes what it has.
const TIME_TO_LOOK: Duration = Duration::from_millis(600);
/// Vectors are made for so long.
const TIME_TO_EMBED: Duration = Duration::from_millis(250);
/// Neither goes on later than that, whatever was waited for before.
const LATEST_TO_WORK: Duration = Duration::from_millis(1400);

/// An event after which it was time to distil, and what came of that.
pub(super) struct Distilled<'a> {
    event: &'a Event,
    trigger: DistilTrigger,
    report: Result<DistilReport, AppError>,
}

impl Hook {
    /// Makes memories of what happened, if it is time. What fails here is tried again with the next turn: the events are kept.
    pub(super) fn distil<'a>(
        &self,
        store: &mut Store,
        arrival: &'a IncomingEvent,
        redactor: &Redactor,
    ) -> Option<Distilled<'a>> {
        let trigger = trigger(arrival)?;
        let report = self.memories_of(store, arrival, trigger, redactor);
        Some(Distilled { event: &arrival.event, trigger, report })
    }

    fn memories_of(
        &self,
        store: &mut Store,
        arrival: &IncomingEvent,
        trigger: DistilTrigger,
        redactor: &Redactor,
    ) -> Result<DistilReport, AppError> {
        let event = &arrival.event;
        let Some(session) = store.find_session(&event.host, &event.host_session)? else {
            return Ok(DistilReport::default());
        };
        // The agent may have gone into another project's folder since: what lies there is not this session's (law 8).
        let is_at_home = store.find_project(&arrival.project_ref)? == Some(session.project);
        let root = Some(Path::new(&arrival.project_ref.root)).filter(|root| is_at_home && root.is_dir());
        // A host's record that came late has not used up the time to look.
        let until = Some((Instant::now() + TIME_TO_LOOK).min(self.started + LATEST_TO_WORK));
        Ok(distil(store, session.id, &Distillation { trigger, root, redactor, now: self.now, until })?)
    }

    /// Goes on with what was distilled, and leaves a store the hooks of the next turn open fast.
    pub(super) fn work_on(
        &self,
        store: &mut Store,
        distilled: Distilled<'_>,
        config: &Config,
    ) -> Result<(), AppError> {
        let Distilled { event, trigger, report } = distilled;
        store.checkpoint()?;
        if polish::enqueue(store, event, trigger, &report?, config)? {
            self.start("polish");
        }
        self.embed(store, config);
        Ok(())
    }

    /// Makes vectors of what was distilled, as far as there is time. The rest is made by the next turn, or by housekeeping.
    fn embed(&self, store: &mut Store, config: &Config) {
        let until = (Instant::now() + TIME_TO_EMBED).min(self.started + LATEST_TO_WORK);
        vectors::note_failure(&self.home, self.now, vectors::embed_until(store, config, until));
    }

    /// Starts what a session's end leaves to be done.
    pub(super) fn end(
        &self,
        config: &Config,
        captured: Option<&IncomingEvent>,
        store: Option<&Store>,
    ) -> Result<(), AppError> {
        if captured.is_none_or(|arrival| arrival.event.kind != EventKind::SessionEnd) {
            return Ok(());
        }
        if config.retention.backups > 0 {
            self.start_housekeeping();
        }
        // No hook ever talks to a hub.
        if let Some(store) = store.filter(|_| config.team.at_session_end)
            && !shared_through_hubs(store)?.is_empty()
        {
            self.start("sync");
        }
        Ok(())
    }
}

/// Returns why to distil after an event, if it is time.
fn trigger(arrival: &IncomingEvent) -> Option<DistilTrigger> {
    match arrival.event.kind {
        EventKind::TurnEnd => Some(DistilTrigger::TurnEnd),
        EventKind::SessionEnd => Some(DistilTrigger::SessionEnd),
        EventKind::Compaction => match body_of(&arrival.event)?.activity {
            Activity::Compacting { .. } => Some(DistilTrigger::Compaction),
            _ => None,
        },
        _ => None,
    }
}
