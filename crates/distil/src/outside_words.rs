//! Words of strangers that a session met: web pages, files of the repository, output of programs. A finding that repeats a long run of
//! them has their provenance, whoever said it last (law 6). Having met them changes nothing else.
//!
//! Not here: what may be injected at which provenance (`memory`, `inject`).

use crate::transcript::TranscriptEntry;
use backstory_memory::{
    Activity, Content, Details, EventId, Provenance, piece_hashes, winnowed_hashes, winnowed_hashes_from_hex,
};
use std::collections::HashMap;

/// So many bytes are compared, the newest first.
const MOST_BYTES: usize = 1024 * 1024;

/// Hashes of what was met, with where it comes from and since when the session knows it.
#[derive(Default)]
pub(super) struct OutsideWords(HashMap<u64, (Provenance, EventId)>);

impl OutsideWords {
    /// Collects what a session met.
    pub(super) fn from_entries(entries: &[TranscriptEntry]) -> OutsideWords {
        let mut met = OutsideWords::default();
        let mut bytes = 0;
        for entry in entries.iter().rev() {
            let Some((provenance, words)) = words_of(entry) else { continue };
            bytes += words.len();
            if bytes > MOST_BYTES {
                break;
            }
            for hash in words.hashes() {
                met.add(hash, &provenance, entry.id);
            }
        }
        met
    }

    fn add(&mut self, hash: u64, provenance: &Provenance, at: EventId) {
        let known = self.0.entry(hash).or_insert_with(|| (provenance.clone(), at));
        known.1 = known.1.min(at);
        if *provenance < known.0 {
            known.0 = provenance.clone();
        }
    }

    /// Returns who really said what a memory holds. Words the user typed before the session met them are the user's.
    pub(super) fn provenance_of(&self, content: &Content, said_at: Option<EventId>) -> Provenance {
        let is_earlier = |met_at: EventId| match said_at {
            Some(said_at) if content.provenance == Provenance::User => met_at < said_at,
            _ => true,
        };
        let texts = [&content.title, &content.body].into_iter().chain(&content.facts);
        let met = texts.flat_map(|text| piece_hashes(text)).filter_map(|hash| self.0.get(&hash));
        met.filter(|(_, at)| is_earlier(*at))
            .fold(content.provenance.clone(), |lowest, (provenance, _)| lowest.min(provenance.clone()))
    }
}

impl OutsideWords {
    /// Takes out of an account of a session what repeats a web page or the repository.
    pub(super) fn without_repeated(&self, mut content: Content) -> Content {
        let is_own = |text: &String| {
            let met = piece_hashes(text).into_iter().filter_map(|hash| self.0.get(&hash));
            !met.into_iter().any(|(provenance, _)| provenance.is_outside())
        };
        let lists = match &mut content.details {
            Some(Details::Summary(summary)) => vec![
                &mut summary.learned,
                &mut summary.completed,
                &mut summary.decisions,
                &mut summary.next_steps,
            ],
            Some(Details::Handoff(handoff)) => {
                handoff.last_done = handoff.last_done.take().filter(is_own);
                vec![&mut handoff.next_steps, &mut handoff.open_questions, &mut handoff.failing_tests]
            }
            _ => return content,
        };
        let before: usize = lists.iter().map(|list| list.len()).sum();
        let mut after = 0;
        for list in lists {
            list.retain(is_own);
            after += list.len();
        }
        if after < before {
            content.body = match &content.details {
                Some(Details::Summary(summary)) => summary.body(),
                Some(Details::Handoff(handoff)) => handoff.body(),
                _ => content.body,
            };
        }
        content.provenance =
            self.provenance_of(&Content { body: String::new(), facts: Vec::new(), ..content.clone() }, None);
        content
    }
}

/// Words as they are stored, or only their hashes.
enum MetWords<'a> {
    Text(&'a str),
    Hashes(&'a str),
}

impl MetWords<'_> {
    fn len(&self) -> usize {
        match self {
            MetWords::Text(text) | MetWords::Hashes(text) => text.len(),
        }
    }

    fn hashes(&self) -> Vec<u64> {
        match self {
            MetWords::Text(text) => winnowed_hashes(text),
            MetWords::Hashes(text) => winnowed_hashes_from_hex(text),
        }
    }
}

/// Returns the words of an event that strangers or programs wrote.
fn words_of(entry: &TranscriptEntry) -> Option<(Provenance, MetWords<'_>)> {
    match entry.activity() {
        Activity::Fetched { answer: text, .. } | Activity::Other { text } => {
            Some((Provenance::Web, MetWords::Text(text)))
        }
        Activity::Ran { output, .. } | Activity::ToolFailed { error: output, .. } => {
            Some((entry.provenance.clone(), MetWords::Text(output)))
        }
        Activity::Looked { words: Some(hashes), .. } => {
            Some((Provenance::Repository, MetWords::Hashes(hashes)))
        }
        _ => None,
    }
}
