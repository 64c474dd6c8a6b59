//! One sync of one shared project: what may leave is told, what the team knows is heard.
//!
//! The border is here: which memories leave, redacted once more; and what is believed of those that come.

use crate::app::App;
use crate::config::{KindName, TeamTrust};
use crate::failure::Failure;
use crate::teams;
use backstory_capture::{Redactor, prepare};
use backstory_hub::{Hub, HubError};
use backstory_memory::{Draft, News, Scope, SharedMemory, Trust, Uid};
use backstory_store::{Heard, Saying, SharedProject, Store, StoreError, Untold};

/// How many memories are told at once.
const PER_PUSH: usize = 200;

/// What a sync of a project came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Synced {
    pub(crate) told: u64,
    pub(crate) stayed: u64,
    pub(crate) heard: Heard,
}

/// What a sync works with.
pub(crate) struct Syncing<'a> {
    app: &'a App,
    redactor: Redactor,
    /// Called whenever the hub has answered.
    alive: &'a dyn Fn(),
}

impl<'a> Syncing<'a> {
    pub(crate) fn new(app: &'a App, alive: &'a dyn Fn()) -> Syncing<'a> {
        Syncing { app, redactor: app.redactor(), alive }
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
        Ok(synced)
    }

    /// Returns what would leave, and how many memories would stay.
    pub(crate) fn leaving(&self, store: &Store, shared: &SharedProject) -> Result<(News, u64), Failure> {
        let (mut all, mut stayed) = (News::default(), 0);
        self.each_batch(store, shared, |_, batch| {
            stayed += batch.staying.len() as u64;
            all.memories.extend(batch.news.memories);
            all.forgotten.extend(batch.news.forgotten);
            Ok(())
        })?;
        Ok((all, stayed))
    }

    fn tell(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
        synced: &mut Synced,
    ) -> Result<(), Failure> {
        let mut after = None;
        loop {
            let Some((batch, last)) = self.batch(store, shared, after.as_ref())? else { return Ok(()) };
            if !batch.news.is_empty() {
                hub.push(&shared.hub_project, &batch.news).map_err(|error| teams::failure(&error))?;
                (self.alive)();
            }
            synced.told += (batch.news.memories.len() + batch.news.forgotten.len()) as u64;
            synced.stayed += batch.staying.len() as u64;
            store.told(shared.project, &batch.leaving)?;
            store.kept_to_ourselves(&batch.staying)?;
            after = Some(last);
        }
    }

    fn hear(
        &self,
        store: &mut Store,
        hub: &mut Hub,
        shared: &SharedProject,
        synced: &mut Synced,
    ) -> Result<(), Failure> {
        let member = hub.member().to_owned();
        let heard = &mut synced.heard;
        let each = |news: News| -> Result<(), Trouble> {
            (self.alive)();
            heard.add(store.hear(shared.project, &self.believed(news, &member), self.app.now)?);
            Ok(())
        };
        let watermark = hub.pull(&shared.hub_project, shared.watermark, each).map_err(Failure::from)?;
        (self.alive)();
        Ok(store.note_watermark(shared.project, watermark)?)
    }

    fn each_batch(
        &self,
        store: &Store,
        shared: &SharedProject,
        mut each: impl FnMut(&Store, Batch) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut after = None;
        while let Some((batch, last)) = self.batch(store, shared, after.as_ref())? {
            each(store, batch)?;
            after = Some(last);
        }
        Ok(())
    }

    /// Returns some of what is to be told, and the last uid of it.
    fn batch(
        &self,
        store: &Store,
        shared: &SharedProject,
        after: Option<&Uid>,
    ) -> Result<Option<(Batch, Uid)>, Failure> {
        let untold = store.untold(shared.project, after, PER_PUSH)?;
        let Some(last) = untold.last().map(|untold| untold.uid().clone()) else { return Ok(None) };
        let mut batch = Batch::default();
        for untold in untold {
            match &untold {
                Untold::Said(saying) if !self.may_leave(saying) => {
                    batch.staying.push(saying.memory.uid.clone());
                    continue;
                }
                Untold::Said(saying) => self.put(saying, &mut batch.news),
                Untold::Forgotten(uid) => batch.news.forgotten.push(uid.clone()),
            }
            batch.leaving.push(untold);
        }
        Ok(Some((batch, last)))
    }

    /// Whether a memory may leave: of a kind that may, of the project and not of the user alone, and not what every clone holds anyway.
    fn may_leave(&self, saying: &Saying) -> bool {
        let content = &saying.memory.content;
        self.app.config.team.kinds.contains(&KindName(content.kind))
            && content.scope == Scope::Project
            && !content.is_of_rules_file()
    }

    fn put(&self, saying: &Saying, news: &mut News) {
        if !saying.revisions.is_empty() {
            let mut shared = saying.shared();
            for revision in &mut shared.revisions {
                revision.content = prepare(revision.content.clone(), &self.redactor);
            }
            news.memories.push(shared);
        }
        news.links.extend(saying.links.iter().cloned());
        news.pins.extend(saying.pin.map(|pin| (saying.memory.uid.clone(), pin)));
    }

    /// Makes what the team tells fit to be stored. One's own words from another machine are what they were; what others say is believed as
    /// what a colleague says, or less, and what came from outside stays outside.
    fn believed(&self, news: News, member: &str) -> News {
        let trust = |author: &str, said: &Trust| match (self.app.config.team.trust, said) {
            _ if author == member => said.clone(),
            (TeamTrust::External, _) | (_, Trust::External) => Trust::External,
            (TeamTrust::Team, _) => Trust::Team(author.to_owned()),
        };
        let believe = |mut memory: SharedMemory| {
            for revision in &mut memory.revisions {
                let said = revision.content.clone();
                let trust = trust(&revision.author, &said.trust);
                revision.content = prepare(Draft { trust, ..said }, &self.redactor);
            }
            memory
        };
        News { memories: news.memories.into_iter().map(believe).collect(), ..news }
    }
}

/// Some of what is to be told.
#[derive(Default)]
struct Batch {
    news: News,
    leaving: Vec<Untold>,
    staying: Vec<Uid>,
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
