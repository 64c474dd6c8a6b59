//! One sync of one shared project: what may leave is told, what the team knows is heard.
//!
//! What leaves and what is believed is decided at the border (`border`). A row that does not fit stops nothing but itself, and is named.

use crate::app::App;
use crate::border::Border;
use crate::failure::Failure;
use crate::{meanings, teams};
use backstory_memory::{SyncBatch, Uid, Watermark};
use backstory_store::{Heard, SharedProject, Store, StoreError, Untold};
use backstory_sync::{Hub, HubError, Pulled, Pushed};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How many memories are told at once: at first, and at the most.
const FEWEST_AND_MOST: (usize, usize) = (20, 200);
/// How many bytes are told at once, about; a memory that is larger goes alone.
const BYTES_AT_ONCE: usize = 512 * 1024;
/// A part that took longer than this was too large, one that took a tenth of it could have been larger.
const LONG: Duration = Duration::from_secs(5);

/// What a sync of a project came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Synced {
    pub(crate) told: u64,
    pub(crate) stayed: u64,
    pub(crate) heard: Heard,
    /// What the hub does not take, and why.
    pub(crate) not_taken: BTreeMap<String, String>,
    /// What the hub told of and this build cannot read.
    pub(crate) unreadable: Vec<String>,
    /// How many stand under another project of the team.
    pub(crate) elsewhere: u64,
    /// Whether the hub is not what it was, and everything was heard again.
    pub(crate) began_anew: bool,
}

impl Synced {
    /// Whether everything was told and heard.
    pub(crate) fn is_whole(&self) -> bool {
        self.not_taken.is_empty() && self.unreadable.is_empty() && self.heard.refused == 0
    }
}

/// What a sync works with.
pub(crate) struct Syncing<'a> {
    app: &'a App,
    border: Border<'a>,
    /// Called whenever the hub has answered.
    alive: &'a dyn Fn(),
}

impl<'a> Syncing<'a> {
    pub(crate) fn new(app: &'a App, alive: &'a dyn Fn()) -> Syncing<'a> {
        Syncing { app, border: Border::of(app), alive }
    }

    /// Tells and hears what is new of a project.
    pub(crate) fn sync(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
    ) -> Result<Synced, Failure> {
        let mut synced = Synced::default();
        self.tell(store, hub, shared, &mut synced)?;
        self.hear(store, hub, shared, &mut synced)?;
        // What was forgotten elsewhere may have been what replaced something here.
        self.tell(store, hub, shared, &mut synced)?;
        meanings::tell(store, hub, shared, self.app, self.alive)?;
        Ok(synced)
    }

    /// Tells what was forgotten, and nothing else.
    pub(crate) fn tell_forgotten(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
    ) -> Result<(), Failure> {
        let mut after = None;
        loop {
            let untold = store.untold(shared.project, after.as_ref(), FEWEST_AND_MOST.1)?;
            let Some(last) = untold.last().map(|untold| untold.uid().clone()) else { return Ok(()) };
            let gone: Vec<Untold> =
                untold.into_iter().filter(|untold| matches!(untold, Untold::Forgotten(_))).collect();
            let forgotten = gone.iter().map(|untold| untold.uid().clone()).collect();
            self.push(hub, shared, &SyncBatch { forgotten, ..SyncBatch::default() })?;
            store.told(shared.project, &gone)?;
            after = Some(last);
        }
    }

    /// Returns what would leave, and how many memories would stay.
    pub(crate) fn leaving(&self, store: &Store, shared: &SharedProject) -> Result<(SyncBatch, u64), Failure> {
        let (mut all, mut stayed, mut after) = (SyncBatch::default(), 0, None);
        while let Some(batch) = self.batch(store, shared, after.as_ref(), FEWEST_AND_MOST.1)? {
            stayed += batch.staying.len() as u64;
            all.memories.extend(batch.news.memories);
            all.forgotten.extend(batch.news.forgotten);
            after = Some(batch.last);
        }
        Ok((all, stayed))
    }

    fn tell(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
        synced: &mut Synced,
    ) -> Result<(), Failure> {
        let (mut after, mut most) = (None, FEWEST_AND_MOST.0);
        while let Some(batch) = self.batch(store, shared, after.as_ref(), most)? {
            let began = Instant::now();
            let Pushed { refused, elsewhere } = self.push(hub, shared, &batch.news)?;
            synced.elsewhere += elsewhere.len() as u64;
            most = paced(most, began.elapsed());
            let is_taken = |uid: &Uid| !refused.iter().any(|refusal| refusal.uid == *uid);
            let taken: Vec<Untold> =
                batch.leaving.into_iter().filter(|untold| is_taken(untold.uid())).collect();
            synced.told += (batch.news.memories.len() + batch.news.forgotten.len() - refused.len()) as u64;
            synced.stayed += batch.staying.len() as u64;
            synced
                .not_taken
                .extend(refused.into_iter().map(|refusal| (refusal.uid.to_string(), refusal.why)));
            store.told(shared.project, &taken)?;
            store.kept_to_ourselves(&batch.staying)?;
            after = Some(batch.last);
        }
        Ok(())
    }

    fn push(&self, hub: &mut Hub, shared: &SharedProject, news: &SyncBatch) -> Result<Pushed, Failure> {
        if news.is_empty() {
            return Ok(Pushed::default());
        }
        let pushed = hub.push(&shared.hub_project, news, &mut || (self.alive)());
        pushed.map_err(|error| teams::failure(&error))
    }

    fn hear(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
        synced: &mut Synced,
    ) -> Result<(), Failure> {
        let since = self.since(store, hub, shared, synced)?;
        let member = hub.member().to_owned();
        let again = store.unreadable(shared.project)?;
        let had_unreadable = !again.is_empty();
        let each = |pulled: Pulled| -> Result<(), Trouble> {
            (self.alive)();
            match pulled {
                Pulled::SyncBatch(news) => {
                    let news = self.border.believed(news, &member);
                    synced.heard.add(store.hear(shared.project, &news, self.app.now)?);
                    (self.alive)();
                }
                Pulled::Unreadable(uid) => synced.unreadable.push(uid),
                Pulled::UpTo(watermark) => {
                    if had_unreadable || !synced.unreadable.is_empty() {
                        store.note_unreadable(shared.project, &synced.unreadable)?;
                    }
                    store.note_watermark(shared.project, watermark)?;
                }
            }
            Ok(())
        };
        hub.pull(&shared.hub_project, since, &again, each).map_err(Failure::from)?;
        (self.alive)();
        store.tell_lost_again(shared.project)?;
        Ok(())
    }

    /// Returns from where on to hear. A hub that was restored counts anew, and may have lost what it was told.
    fn since(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
        synced: &mut Synced,
    ) -> Result<Watermark, Failure> {
        let horizon = hub.horizon().map_err(|error| teams::failure(&error))?;
        let is_same = shared.epoch.as_deref().is_none_or(|epoch| epoch == hub.epoch());
        if is_same && shared.watermark <= horizon {
            if shared.epoch.is_none() {
                store.note_epoch(shared.project, hub.epoch())?;
            }
            return Ok(shared.watermark);
        }
        synced.began_anew = true;
        store.begin_anew(shared.project, hub.epoch())?;
        Ok(Watermark::default())
    }

    /// Returns some of what is to be told, as much as goes at once.
    fn batch(
        &self,
        store: &Store,
        shared: &SharedProject,
        after: Option<&Uid>,
        most: usize,
    ) -> Result<Option<Batch>, Failure> {
        let untold = store.untold(shared.project, after, most)?;
        let Some(last) = untold.last().map(|untold| untold.uid().clone()) else { return Ok(None) };
        let mut batch = Batch { news: SyncBatch::default(), leaving: Vec::new(), staying: Vec::new(), last };
        let mut bytes = 0;
        for untold in untold {
            match &untold {
                Untold::Said(saying) => match self.border.leaving(saying) {
                    None => {
                        batch.staying.push(untold);
                        continue;
                    }
                    Some(news) => {
                        bytes += news.memories.iter().map(size).sum::<usize>();
                        batch.news.memories.extend(news.memories);
                        batch.news.links.extend(news.links);
                        batch.news.pins.extend(news.pins);
                    }
                },
                Untold::Forgotten(uid) => batch.news.forgotten.push(uid.clone()),
            }
            let uid = untold.uid().clone();
            batch.leaving.push(untold);
            if bytes > BYTES_AT_ONCE {
                batch.last = uid;
                break;
            }
        }
        Ok(Some(batch))
    }
}

/// Some of what is to be told.
struct Batch {
    news: SyncBatch,
    leaving: Vec<Untold>,
    staying: Vec<Untold>,
    last: Uid,
}

/// Returns how many to tell at once, after so many took so long: what is told is kept part by part, however slow the hub is.
fn paced(most: usize, took: Duration) -> usize {
    if took > LONG {
        (most / 2).max(1)
    } else if took < LONG / 10 {
        (most * 2).min(FEWEST_AND_MOST.1)
    } else {
        most
    }
}

/// Returns about how many bytes travel with a memory.
fn size(memory: &backstory_memory::SharedMemory) -> usize {
    let text = |list: &[String]| list.iter().map(String::len).sum::<usize>();
    let of = |content: &backstory_memory::Content| {
        content.title.len()
            + content.body.len()
            + text(&content.facts)
            + text(&content.concepts)
            + text(&content.files)
    };
    memory.revisions.iter().map(|said| of(&said.content)).sum()
}

/// What can go wrong while hearing: there, or here.
enum Trouble {
    Hub(HubError),
    Store(StoreError),
}

impl From<HubError> for Trouble {
    fn from(error: HubError) -> Self {
        Trouble::Hub(error)
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Trouble::Store(error)
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Hub(error) => teams::failure(&error),
            Trouble::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_hub_is_told_less_at_once_and_a_quick_one_more() {
        let slow = std::iter::successors(Some(200), |most| Some(paced(*most, LONG * 2)));
        assert_eq!(slow.take(9).collect::<Vec<_>>(), [200, 100, 50, 25, 12, 6, 3, 1, 1]);
        let quick = std::iter::successors(Some(1), |most| Some(paced(*most, Duration::ZERO)));
        assert_eq!(quick.take(10).collect::<Vec<_>>(), [1, 2, 4, 8, 16, 32, 64, 128, 200, 200]);
        assert_eq!(paced(50, LONG / 2), 50);
    }
}
