//! Takes in hosts' records: read and redacted on one thread, kept and distilled on another, in the order things happened.
//!
//! A record is taken in by *stretches*: some turns with what was done in them. A stretch is kept, distilled and noted as one write,
//! so that an import that is killed leaves no half of one, and goes on with the next as if nothing had been. A session hooks heard
//! themselves is not taken in. Not here: how a record reads (`hosts`).

use crate::databases::ForeignDatabases;
use crate::taking::{Folders, LEFT_OUT, Taking, Tally, add};
use backstory_capture::{Observation, Surroundings, observe};
use backstory_distil::{Distillation, Familiar, Occasion, distil_among_many};
use backstory_hosts::{Entry, Host, Reading, Record};
use backstory_memory::{
    Activity, EventBody, EventKind, IdempotencyKey, MemoryId, Provenance, SessionId, Shingles, Timestamp,
};
use backstory_store::{Arrival, ImportState, Recorded, Store, StoreError};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};

/// After so many turns a stretch ends: distillation looks back no further.
const TURNS: usize = 24;
/// A stretch that holds so much ends with its turn, however few there were.
const MANY_EVENTS: usize = 300;
/// A turn that is longer is cut: distillation reads no more at once.
const MOST_EVENTS: usize = 900;
/// How many stretches may wait to be kept. What is read ahead is held in memory.
const AHEAD: usize = 4;

/// What came of a host's records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordsReport {
    /// Records that were read, to their end.
    pub read: u64,
    /// Records that have not changed since they were read before.
    pub unchanged: u64,
    /// Sessions something new is known of.
    pub sessions: BTreeSet<SessionId>,
    /// Things that happened, and were not known.
    pub new: u64,
    /// Things that happened, and were known or forgotten.
    pub known: u64,
    /// What was not taken in, and why.
    pub skipped: Tally,
    /// The memories that were made.
    pub memories: Vec<MemoryId>,
}

/// Takes in records, the oldest first. `watch` is told how many bytes have been read.
pub fn take_records(
    store: &mut Store,
    mut records: Vec<Record>,
    taking: &Taking<'_>,
    watch: &mut dyn FnMut(u64),
) -> Result<RecordsReport, StoreError> {
    // What is said later puts right what was said before, whichever host heard it.
    records.sort_by(|one, other| {
        (one.began.unwrap_or(one.modified), &one.path, &one.session).cmp(&(
            other.began.unwrap_or(other.modified),
            &other.path,
            &other.session,
        ))
    });
    // A session is wanted whole or not at all: half of it would be told wrongly.
    records.retain(|record| taking.since.is_none_or(|since| record.modified >= since));
    let all_bytes: u64 = records.iter().map(|record| record.bytes).sum();
    let mut report = RecordsReport::default();
    let jobs = jobs(store, records, taking, &mut report)?;
    let jobs = jobs.as_slice();
    let mut bytes = all_bytes - jobs.iter().map(|job| job.record.bytes).sum::<u64>();
    watch(bytes);
    store.expect_much()?;
    let mut keeper = Keeper { taking, known_to: HashMap::new(), familiar: Familiar::default(), report };
    std::thread::scope(|threads| {
        let (sender, stretches) = sync_channel(AHEAD);
        threads.spawn(move || Reader::new(taking).read_all(jobs, &sender));
        for stretch in stretches {
            let Some(job) = jobs.get(stretch.job) else { break };
            store.together(|store| keeper.keep(store, job, &stretch))?;
            watch(bytes + stretch.bytes);
            if stretch.is_last {
                bytes += job.record.bytes;
                keeper.report.read += 1;
                keeper.known_to.clear();
            }
        }
        Ok(keeper.report)
    })
}

/// A record that is to be read, and how many of its entries have been taken in already.
struct Job {
    record: Record,
    taken: u64,
    /// Whether it was read to its end before, and has changed since.
    was_read: bool,
    state: ImportState,
}

/// Returns the records that are to be read, and counts those that have not changed.
fn jobs(
    store: &Store,
    records: Vec<Record>,
    taking: &Taking<'_>,
    report: &mut RecordsReport,
) -> Result<Vec<Job>, StoreError> {
    let mut jobs = Vec::new();
    for record in records {
        let state = state_of(&record, taking);
        let before = store.import_state(&state.source, &state.place)?;
        let was_read = before.as_ref().is_some_and(|before| before.is_done);
        match before.filter(|before| before.stamp == state.stamp) {
            Some(before) if before.is_done => report.unchanged += 1,
            before => {
                let taken = before.map_or(0, |before| before.taken);
                jobs.push(Job { record, taken, was_read, state });
            }
        }
    }
    Ok(jobs)
}

/// Names a record, and says what it looks like now.
fn state_of(record: &Record, taking: &Taking<'_>) -> ImportState {
    let path = record.path.to_string_lossy();
    let place = record.session.as_ref().map_or(path.to_string(), |session| format!("{path} {session}"));
    let place = taking.redactor.scrub(&place).into_string();
    let stamp = format!("{} {}", record.bytes, record.modified.0);
    ImportState { source: record.host.as_str().to_owned(), place, stamp, taken: 0, is_done: false }
}

/// Some turns of one record, ready to be kept.
struct Stretch {
    job: usize,
    arrivals: Vec<Arrival>,
    /// How many entries of the record come before its end.
    taken: u64,
    bytes: u64,
    skipped: Tally,
    /// Whether nothing of the record so far was passed over that may be wanted another time.
    is_whole: bool,
    is_last: bool,
}

/// Reads records and makes what they tell fit to be kept.
struct Reader<'a> {
    taking: &'a Taking<'a>,
    folders: Folders<'a>,
}

impl<'a> Reader<'a> {
    fn new(taking: &'a Taking<'a>) -> Reader<'a> {
        Reader { taking, folders: Folders::new(taking) }
    }

    fn read_all(mut self, jobs: &[Job], sender: &SyncSender<Stretch>) {
        for (at, job) in jobs.iter().enumerate() {
            if self.read(at, job, sender).is_none() {
                return;
            }
        }
    }

    /// Reads one record. Returns nothing where nobody listens any more.
    fn read(&mut self, job: usize, of: &Job, sender: &SyncSender<Stretch>) -> Option<()> {
        let mut stretch = Stretch::begin(job, 0, true);
        let mut entries = match of.record.read(&ForeignDatabases) {
            Ok(entries) => entries,
            Err(_) => {
                stretch.skip("cannot be opened");
                return sender.send(Stretch { is_last: true, is_whole: false, ..stretch }).ok();
            }
        };
        let mut turns = 0;
        let mut first_prompts = FirstPrompts::default();
        while let Some(reading) = entries.next() {
            stretch.taken += 1;
            stretch.bytes = entries.bytes_read().min(of.record.bytes);
            let is_done = stretch.taken <= of.taken;
            let entry = match reading {
                Reading::Unreadable(_) if is_done => continue,
                Reading::Unreadable(why) => {
                    stretch.skip(why);
                    continue;
                }
                Reading::Entry(entry) => entry,
            };
            if first_prompts.is_of_ours(&entry, self.taking.is_our_prompt) {
                stretch.arrivals.retain(|arrival| arrival.event.host_session != entry.session);
                stretch.skip("our own");
                continue;
            }
            if is_done {
                continue;
            }
            let is_turn_end = entry.told.activity.kind() == EventKind::TurnEnd;
            match self.arrival(of.record.host, *entry) {
                Ok(arrival) => stretch.arrivals.push(arrival),
                Err(why) => {
                    stretch.is_whole &= why != LEFT_OUT;
                    stretch.skip(why);
                }
            }
            turns += usize::from(is_turn_end);
            if stretch.is_long(turns, is_turn_end) {
                let next = Stretch::begin(job, stretch.taken, stretch.is_whole);
                sender.send(std::mem::replace(&mut stretch, next)).ok()?;
                turns = 0;
            }
        }
        sender.send(Stretch { is_last: true, ..stretch }).ok()
    }

    /// Makes an entry fit to be kept, or says why it is not.
    fn arrival(&mut self, host: Host, entry: Entry) -> Result<Arrival, &'static str> {
        if !self.taking.is_possible(entry.at) {
            return Err("of an impossible time");
        }
        let folder = entry.cwd.as_deref().map(Path::new).filter(|folder| folder.is_absolute());
        let project_ref = self.folders.project_ref(folder.ok_or("of no folder")?).ok_or(LEFT_OUT)?;
        let observation = Observation {
            host: host.as_str().to_owned(),
            host_session: entry.session,
            tool: entry.told.tool,
            sequence: Some(entry.id.clone()),
            provenance: entry.told.provenance.min(Provenance::Import),
            account: EventBody { activity: entry.told.activity, subagent: entry.told.subagent },
        };
        // Nothing was given to a session that no hook heard of.
        let given = Shingles::default();
        let around = Surroundings {
            redactor: self.taking.redactor,
            most_bytes: self.taking.most_event_bytes,
            root: &project_ref.root,
            given: &given,
            at: entry.at,
        };
        let mut event = observe(observation, &around);
        // A session that was resumed or forked repeats what came before under another name: it is still the same.
        event.key = IdempotencyKey::new(&event.host, "", event.kind, &entry.id, "");
        Ok(Arrival { event, project_ref })
    }
}

/// Which sessions of a record are our own with a model: those whose first prompt is one of ours.
#[derive(Default)]
struct FirstPrompts {
    are_ours: HashMap<String, bool>,
}

impl FirstPrompts {
    fn is_of_ours(&mut self, entry: &Entry, is_our_prompt: fn(&str) -> bool) -> bool {
        match (self.are_ours.get(&entry.session), &entry.told.activity) {
            (Some(is_ours), _) => *is_ours,
            (None, Activity::Prompted { text }) => {
                let is_ours = is_our_prompt(text);
                self.are_ours.insert(entry.session.clone(), is_ours);
                is_ours
            }
            (None, _) => false,
        }
    }
}

impl Stretch {
    fn begin(job: usize, taken: u64, is_whole: bool) -> Stretch {
        let (arrivals, skipped) = (Vec::new(), Tally::new());
        Stretch { job, arrivals, taken, bytes: 0, skipped, is_whole, is_last: false }
    }

    fn skip(&mut self, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
    }

    fn is_long(&self, turns: usize, is_turn_end: bool) -> bool {
        let many = self.arrivals.len();
        is_turn_end && (turns >= TURNS || many >= MANY_EVENTS) || many >= MOST_EVENTS
    }
}

/// What a stretch tells of a session.
struct Told {
    /// Whether hooks heard of it themselves: they know better.
    is_heard: bool,
    /// When the newest happened that was not known.
    newest: Option<Timestamp>,
}

/// Keeps one stretch after the other.
struct Keeper<'a> {
    taking: &'a Taking<'a>,
    /// How far each session of the record was known before it was read again.
    known_to: HashMap<String, Timestamp>,
    familiar: Familiar,
    report: RecordsReport,
}

impl Keeper<'_> {
    /// Keeps a stretch, makes memories of it, and notes how far its record has been taken in.
    fn keep(&mut self, store: &mut Store, job: &Job, stretch: &Stretch) -> Result<(), StoreError> {
        add(&mut self.report.skipped, &stretch.skipped);
        for (name, newest) in self.keep_events(store, job, stretch)? {
            if let Some(session) = store.session_called(job.record.host.as_str(), name)? {
                let occasion = if stretch.is_last { Occasion::SessionEnd } else { Occasion::Partway };
                self.distil_session(store, session.id, occasion, newest)?;
                self.report.sessions.insert(session.id);
            }
        }
        let (taken, is_done) = (stretch.taken, stretch.is_last);
        let read_again = ImportState { taken: 0, is_done: false, ..job.state.clone() };
        let state = if stretch.is_whole { ImportState { taken, is_done, ..read_again } } else { read_again };
        store.note_import(&state, self.taking.now)
    }

    /// Keeps the events of a stretch, and returns the sessions something new is known of, each with when the newest of it happened.
    fn keep_events<'s>(
        &mut self,
        store: &mut Store,
        job: &Job,
        stretch: &'s Stretch,
    ) -> Result<BTreeMap<&'s str, Timestamp>, StoreError> {
        let Keeper { known_to, report, .. } = self;
        // Mostly one session: a record of many is one of each.
        let mut sessions: BTreeMap<&str, Told> = BTreeMap::new();
        for arrival in &stretch.arrivals {
            let event = &arrival.event;
            if !sessions.contains_key(event.host_session.as_str()) {
                let is_heard = store.is_heard(&event.host, &event.host_session)?;
                if job.was_read && !known_to.contains_key(&event.host_session) {
                    let session = store.session_called(&event.host, &event.host_session)?;
                    let last = session.map_or(Timestamp(i64::MIN), |session| session.last_event_at);
                    known_to.insert(event.host_session.clone(), last);
                }
                sessions.insert(&event.host_session, Told { is_heard, newest: None });
            }
            let Some(told) = sessions.get_mut(event.host_session.as_str()) else { continue };
            if told.is_heard {
                *report.skipped.entry("lived through").or_default() += 1;
                continue;
            }
            // What was taken in before and is gone for its age is not new.
            let was_known = known_to.get(&event.host_session).is_some_and(|known_to| event.at <= *known_to);
            if was_known && !store.knows_event(event.key)? {
                report.known += 1;
                continue;
            }
            match store.record(arrival)? {
                Recorded::Stored(_) => {
                    report.new += 1;
                    told.newest = told.newest.max(Some(event.at));
                }
                Recorded::Known(_) | Recorded::Forgotten | Recorded::Ours => report.known += 1,
            }
        }
        Ok(sessions.into_iter().filter_map(|(name, told)| Some((name, told.newest?))).collect())
    }

    /// Makes memories of what is new in a session, as of the time it happened.
    fn distil_session(
        &mut self,
        store: &mut Store,
        session: SessionId,
        occasion: Occasion,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let how = Distillation { occasion, root: None, redactor: self.taking.redactor, now, until: None };
        self.report.memories.extend(distil_among_many(store, session, &how, &mut self.familiar)?.written);
        if occasion == Occasion::SessionEnd {
            store.end_session(session)?;
        }
        Ok(())
    }
}
