//! Imports hosts' transcripts: read and redacted on one thread, stored and distilled on another, in the order things happened.
//!
//! A transcript is imported by *batches*: some turns with what was done in them. A batch is stored, distilled and marked in one
//! transaction, so that an import that is killed leaves no half of one and goes on with the next. A session that hooks have captured is
//! skipped: they know more. Not here: how a transcript reads (`hosts`).

use super::options::{EXCLUDED, ImportOptions, SkipCounts, add_counts};
use super::project_resolver::ProjectRefs;
use crate::databases::ForeignDatabases;
use backstory_capture::{CaptureContext, RawEvent, normalise};
use backstory_distil::{DistilTrigger, Distillation, ImportCache, distil_batch};
use backstory_hosts::{Host, HostTranscript, HostTranscriptEntry, TranscriptItem};
use backstory_memory::{
    Activity, EventBody, EventKind, IdempotencyKey, MemoryId, Provenance, SessionId, Shingles, Timestamp,
    digest,
};
use backstory_store::{ImportProgress, IncomingEvent, RecordOutcome, Store, StoreError};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};

/// How many turns a batch has at most: distillation looks back no further.
const TURNS: usize = 24;
/// How many events end a batch at the end of a turn, however few turns it has.
const MANY_EVENTS: usize = 300;
/// How many events a batch has at most: a longer turn is cut, because distillation reads no more at once.
const MOST_EVENTS: usize = 900;
/// How many batches may wait to be stored: they are held in memory.
const AHEAD: usize = 4;

/// What came of hosts' transcripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranscriptImportReport {
    /// Transcripts that were read, to their end.
    pub read: u64,
    /// Transcripts that have not changed since they were last read.
    pub unchanged: u64,
    /// Sessions of which something is new.
    pub sessions: BTreeSet<SessionId>,
    /// Events that are new.
    pub new: u64,
    /// Events that were known or forgotten.
    pub known: u64,
    /// What was skipped, and why.
    pub skipped: SkipCounts,
    /// The memories that were made.
    pub memories: Vec<MemoryId>,
}

/// A transcript, and the folder of the repository it lies in.
///
/// Whoever wrote that repository wrote the transcript: it belongs there, whatever folder and session it names.
#[derive(Clone, Debug)]
pub struct CarriedTranscript {
    /// The transcript.
    pub transcript: HostTranscript,
    /// The folder; none where a host keeps the transcript.
    pub carrier: Option<PathBuf>,
}

/// Imports transcripts, the oldest first. `progress` gets how many bytes have been read.
pub fn import_transcripts(
    store: &mut Store,
    mut transcripts: Vec<CarriedTranscript>,
    options: &ImportOptions<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<TranscriptImportReport, StoreError> {
    // A later session corrects an earlier one, whichever host it ran in.
    transcripts.sort_by_cached_key(|CarriedTranscript { transcript, .. }| {
        let began = transcript.began.unwrap_or(transcript.modified);
        (began, transcript.path.clone(), transcript.session.clone())
    });
    // A session is imported whole or not at all: memories of half a session would be wrong.
    transcripts.retain(|it| options.since.is_none_or(|since| it.transcript.modified >= since));
    let all_bytes: u64 = transcripts.iter().map(|it| it.transcript.bytes).sum();
    let mut report = TranscriptImportReport::default();
    let jobs = jobs(store, transcripts, options, &mut report)?;
    let jobs = jobs.as_slice();
    let mut bytes = all_bytes - jobs.iter().map(|job| job.transcript.bytes).sum::<u64>();
    progress(bytes);
    store.prepare_bulk_write()?;
    let mut importer =
        TranscriptImporter { options, known_to: HashMap::new(), cache: ImportCache::default(), report };
    std::thread::scope(|threads| {
        let (sender, batches) = sync_channel(AHEAD);
        threads.spawn(move || TranscriptScan::new(options).read_all(jobs, &sender));
        for batch in batches {
            // An error leaves this loop and drops the receiver: the reading thread stops at its next send.
            let Some(job) = jobs.get(batch.job) else { break };
            store.transaction(|store| importer.keep(store, job, &batch))?;
            progress(bytes + batch.bytes);
            if batch.is_last {
                bytes += job.transcript.bytes;
                importer.report.read += 1;
                importer.known_to.clear();
            }
        }
        Ok(importer.report)
    })
}

/// A transcript that is to be read, and how many of its entries have been imported already.
struct TranscriptJob {
    transcript: HostTranscript,
    carrier: Option<PathBuf>,
    taken: u64,
    /// Whether it was read to its end before, and has changed since.
    was_read: bool,
    state: ImportProgress,
}

impl TranscriptJob {
    /// Binds an entry to the repository that carries its transcript. Its names are changed: a session or an entry of the user with the
    /// same name must not be mistaken for it.
    fn bind(&self, mut entry: HostTranscriptEntry) -> HostTranscriptEntry {
        if let Some(carrier) = &self.carrier {
            let root = carrier.to_string_lossy();
            let named = |name: &str| digest([root.as_bytes(), name.as_bytes()]).to_string();
            (entry.session, entry.id) = (named(&entry.session), named(&entry.id));
            entry.event.provenance = entry.event.provenance.min(Provenance::Repository);
            entry.cwd = Some(root.into_owned());
        }
        entry
    }
}

/// Returns the transcripts that are to be read, and counts those that have not changed.
fn jobs(
    store: &Store,
    transcripts: Vec<CarriedTranscript>,
    options: &ImportOptions<'_>,
    report: &mut TranscriptImportReport,
) -> Result<Vec<TranscriptJob>, StoreError> {
    let mut jobs = Vec::new();
    for CarriedTranscript { transcript, carrier } in transcripts {
        let state = state_of(&transcript, options);
        let before = store.imports().progress(&state.source, &state.location)?;
        let was_read = before.as_ref().is_some_and(|before| before.is_done);
        match before.filter(|before| before.fingerprint == state.fingerprint) {
            Some(before) if before.is_done => report.unchanged += 1,
            before => {
                let taken = before.map_or(0, |before| before.imported);
                jobs.push(TranscriptJob { transcript, carrier, taken, was_read, state });
            }
        }
    }
    Ok(jobs)
}

/// Names a transcript, and says what it looks like now.
fn state_of(transcript: &HostTranscript, options: &ImportOptions<'_>) -> ImportProgress {
    let path = transcript.path.to_string_lossy();
    let place = transcript.session.as_ref().map_or(path.to_string(), |session| format!("{path} {session}"));
    let place = options.redactor.scrub(&place);
    let fingerprint = format!("{} {}", transcript.bytes, transcript.modified.0);
    ImportProgress {
        source: transcript.host.as_str().to_owned(),
        location: place,
        fingerprint,
        imported: 0,
        is_done: false,
    }
}

/// Some turns of one transcript, ready to be stored.
struct TranscriptBatch {
    job: usize,
    arrivals: Vec<IncomingEvent>,
    /// How many entries of the transcript come before its end.
    taken: u64,
    bytes: u64,
    skipped: SkipCounts,
    /// Whether nothing of the transcript so far was skipped that may be wanted another time.
    is_whole: bool,
    is_last: bool,
}

/// Reads transcripts and makes their entries fit to be stored.
struct TranscriptScan<'a> {
    options: &'a ImportOptions<'a>,
    folders: ProjectRefs<'a>,
}

impl<'a> TranscriptScan<'a> {
    fn new(options: &'a ImportOptions<'a>) -> TranscriptScan<'a> {
        TranscriptScan { options, folders: ProjectRefs::new(options) }
    }

    fn read_all(mut self, jobs: &[TranscriptJob], sender: &SyncSender<TranscriptBatch>) {
        for (at, job) in jobs.iter().enumerate() {
            if self.read(at, job, sender).is_none() {
                return;
            }
        }
    }

    /// Reads one transcript. Returns nothing where the receiver has stopped.
    fn read(&mut self, job: usize, of: &TranscriptJob, sender: &SyncSender<TranscriptBatch>) -> Option<()> {
        let mut batch = TranscriptBatch::begin(job, 0, true);
        let mut entries = match of.transcript.read(&ForeignDatabases) {
            Ok(entries) => entries,
            Err(_) => {
                batch.skip("cannot be opened");
                return sender.send(TranscriptBatch { is_last: true, is_whole: false, ..batch }).ok();
            }
        };
        let mut turns = 0;
        let mut first_prompts = FirstPrompts::default();
        while let Some(reading) = entries.next() {
            batch.taken += 1;
            batch.bytes = entries.bytes_read().min(of.transcript.bytes);
            let is_done = batch.taken <= of.taken;
            let entry = match reading {
                TranscriptItem::Unreadable(_) if is_done => continue,
                TranscriptItem::Unreadable(why) => {
                    batch.skip(why);
                    continue;
                }
                TranscriptItem::Entry(entry) => of.bind(*entry),
            };
            // Asked of entries that were imported before, too: their first prompt decides about those that follow.
            if first_prompts.is_own(&entry, self.options.is_own_prompt) {
                batch.arrivals.retain(|arrival| arrival.event.host_session != entry.session);
                batch.skip("our own");
                continue;
            }
            if is_done {
                continue;
            }
            let is_turn_end = entry.event.activity.kind() == EventKind::TurnEnd;
            match self.arrival(of.transcript.host, entry) {
                Ok(arrival) => batch.arrivals.push(arrival),
                Err(why) => {
                    batch.is_whole &= why != EXCLUDED;
                    batch.skip(why);
                }
            }
            turns += usize::from(is_turn_end);
            if batch.is_long(turns, is_turn_end) {
                let next = TranscriptBatch::begin(job, batch.taken, batch.is_whole);
                sender.send(std::mem::replace(&mut batch, next)).ok()?;
                turns = 0;
            }
        }
        sender.send(TranscriptBatch { is_last: true, ..batch }).ok()
    }

    /// Makes an entry fit to be stored, or says why it is skipped.
    fn arrival(&mut self, host: Host, entry: HostTranscriptEntry) -> Result<IncomingEvent, &'static str> {
        if !self.options.is_possible(entry.at) {
            return Err("of an impossible time");
        }
        let folder = entry.cwd.as_deref().map(Path::new).filter(|folder| folder.is_absolute());
        let project_ref = self.folders.project_ref(folder.ok_or("of no folder")?).ok_or(EXCLUDED)?;
        let observation = RawEvent {
            host: host.as_str().to_owned(),
            host_session: entry.session,
            tool: entry.event.tool,
            sequence: None,
            provenance: entry.event.provenance.min(Provenance::Import),
            // Without the session's name: a session that was resumed or forked repeats earlier entries under another one.
            key: Some(IdempotencyKey::new(host.as_str(), "", entry.event.activity.kind(), &entry.id, "")),
            body: EventBody { activity: entry.event.activity, subagent: entry.event.subagent, words: None },
        };
        // Nothing was injected into a session that no hook captured.
        let injected = Shingles::default();
        let around = CaptureContext {
            redactor: self.options.redactor,
            most_bytes: self.options.max_event_bytes,
            root: &project_ref.root,
            injected: &injected,
            at: entry.at,
        };
        Ok(IncomingEvent { event: normalise(observation, &around), project_ref })
    }
}

/// Recognises sessions that Backstory itself held with a model, by their first prompt.
#[derive(Default)]
struct FirstPrompts {
    is_own_session: HashMap<String, bool>,
}

impl FirstPrompts {
    fn is_own(&mut self, entry: &HostTranscriptEntry, is_own_prompt: fn(&str) -> bool) -> bool {
        match (self.is_own_session.get(&entry.session), &entry.event.activity) {
            (Some(is_own), _) => *is_own,
            (None, Activity::Prompted { text }) => {
                let is_own = is_own_prompt(text);
                self.is_own_session.insert(entry.session.clone(), is_own);
                is_own
            }
            (None, _) => false,
        }
    }
}

impl TranscriptBatch {
    fn begin(job: usize, taken: u64, is_whole: bool) -> TranscriptBatch {
        let (arrivals, skipped) = (Vec::new(), SkipCounts::new());
        TranscriptBatch { job, arrivals, taken, bytes: 0, skipped, is_whole, is_last: false }
    }

    fn skip(&mut self, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
    }

    fn is_long(&self, turns: usize, is_turn_end: bool) -> bool {
        let many = self.arrivals.len();
        is_turn_end && (turns >= TURNS || many >= MANY_EVENTS) || many >= MOST_EVENTS
    }
}

/// What a batch adds to a session.
struct SessionProgress {
    /// Whether hooks have captured it: they know more.
    was_captured: bool,
    /// When the newest event happened that was not known.
    newest: Option<Timestamp>,
}

/// Stores one batch after the other.
struct TranscriptImporter<'a> {
    options: &'a ImportOptions<'a>,
    /// How far each session of the transcript was known before it was read again.
    known_to: HashMap<String, Timestamp>,
    cache: ImportCache,
    report: TranscriptImportReport,
}

impl TranscriptImporter<'_> {
    /// Stores a batch, makes memories of it, and marks how far its transcript has been imported.
    fn keep(
        &mut self,
        store: &mut Store,
        job: &TranscriptJob,
        batch: &TranscriptBatch,
    ) -> Result<(), StoreError> {
        add_counts(&mut self.report.skipped, &batch.skipped);
        for (name, newest) in self.keep_events(store, job, batch)? {
            if let Some(session) = store.sessions().find(job.transcript.host.as_str(), name)? {
                let trigger =
                    if batch.is_last { DistilTrigger::SessionEnd } else { DistilTrigger::BatchPart };
                self.distil_session(store, session.id, trigger, newest)?;
                self.report.sessions.insert(session.id);
            }
        }
        let (taken, is_done) = (batch.taken, batch.is_last);
        // If something was left out, the next import begins at the start of the transcript.
        let read_again = ImportProgress { imported: 0, is_done: false, ..job.state.clone() };
        let state = if batch.is_whole {
            ImportProgress { imported: taken, is_done, ..read_again }
        } else {
            read_again
        };
        store.imports_mut().save_progress(&state, self.options.now)
    }

    /// Stores the events of a batch, and returns the sessions of which something is new, each with the time of its newest event.
    fn keep_events<'s>(
        &mut self,
        store: &mut Store,
        job: &TranscriptJob,
        batch: &'s TranscriptBatch,
    ) -> Result<BTreeMap<&'s str, Timestamp>, StoreError> {
        let TranscriptImporter { known_to, report, .. } = self;
        // Mostly one session; some hosts keep several in one transcript.
        let mut sessions: BTreeMap<&str, SessionProgress> = BTreeMap::new();
        for arrival in &batch.arrivals {
            let event = &arrival.event;
            if !sessions.contains_key(event.host_session.as_str()) {
                let was_captured =
                    store.sessions().was_captured_by_hooks(&event.host, &event.host_session)?;
                if job.was_read && !known_to.contains_key(&event.host_session) {
                    let session = store.sessions().find(&event.host, &event.host_session)?;
                    let last = session.map_or(Timestamp(i64::MIN), |session| session.last_event_at);
                    known_to.insert(event.host_session.clone(), last);
                }
                sessions.insert(&event.host_session, SessionProgress { was_captured, newest: None });
            }
            let Some(progress) = sessions.get_mut(event.host_session.as_str()) else { continue };
            if progress.was_captured {
                *report.skipped.entry("lived through").or_default() += 1;
                continue;
            }
            // What was imported before and has expired since is not new.
            let was_known = known_to.get(&event.host_session).is_some_and(|known_to| event.at <= *known_to);
            if was_known && !store.events().contains(event.key)? {
                report.known += 1;
                continue;
            }
            match store.events_mut().record(arrival)? {
                RecordOutcome::Stored(_) => {
                    report.new += 1;
                    progress.newest = progress.newest.max(Some(event.at));
                }
                RecordOutcome::Duplicate(_) | RecordOutcome::Forgotten | RecordOutcome::OwnSession => {
                    report.known += 1;
                }
            }
        }
        Ok(sessions.into_iter().filter_map(|(name, progress)| Some((name, progress.newest?))).collect())
    }

    /// Makes memories of what is new in a session, as of the time it happened.
    fn distil_session(
        &mut self,
        store: &mut Store,
        session: SessionId,
        trigger: DistilTrigger,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let how = Distillation { trigger, root: None, redactor: self.options.redactor, now, until: None };
        self.report.memories.extend(distil_batch(store, session, &how, &mut self.cache)?.written);
        if trigger == DistilTrigger::SessionEnd {
            store.sessions_mut().end(session)?;
        }
        Ok(())
    }
}
