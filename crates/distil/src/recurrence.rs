//! What the user asks for again and again, in words that set no rule: in the third session it is proposed as one.
//!
//! A sentence counts that says how to work: it stands beside a request, another one each time, or says when something is to be done.
//! What is asked for alone ("run the tests") is an errand, however often. The sentences of other sessions are those the rules turned
//! down there. Not here: sentences that set a rule by themselves (`user_rules`), what is known already (`reconcile`).

use crate::assertion::{Agreement, Assertion};
use crate::finding::{Comparing, Finding, distilled, subject};
use crate::phrases::{FoldedSentence, PhraseGroup};
use crate::reconcile::Reconciler;
use crate::rejected::Rejected;
use crate::titles::{title_of, weight, without_opening};
use crate::{DistilReport, reconcile};
use backstory_capture::{Redactor, body_of};
use backstory_memory::{
    Activity, EventId, EvidenceKind, Kind, NEAR_DUPLICATE, Provenance, SessionId, Writer, jaccard, words,
};
use backstory_store::{OnRepeat, Rejection, Session, Store, StoreError, UsageHistory};
use std::collections::{BTreeMap, HashSet};

/// In so many sessions something is said before it is proposed.
const SESSIONS: usize = 3;
/// A sentence with fewer words that say something is an errand.
const LEAST_WEIGHT: usize = 3;
/// So alike are two sentences of a language that bends its words, by groups of three letters.
const ALIKE_LETTERS: f64 = 0.6;

/// Whether a sentence of a message may say how to work, rather than what to do; `beside` are the message's other sentences.
pub(super) fn may_steer(sentence: &str, beside: usize) -> bool {
    let is_order = FoldedSentence::new(sentence).has(PhraseGroup::Order);
    weight(without_opening(sentence)) >= LEAST_WEIGHT && (beside > 0 || is_order)
}

/// Proposes what this session says and two others said before; what is proposed already is counted.
pub(super) fn propose(
    store: &mut Store,
    session: &Session,
    rejected: &mut [Rejected],
    redactor: &Redactor,
    report: &mut DistilReport,
) -> Result<(), StoreError> {
    for one in rejected.iter_mut().filter(|one| one.steers) {
        let earlier = said_before(store, session, one)?;
        if earlier.is_empty() {
            continue;
        }
        let finding = finding(one, &earlier).redacted(redactor);
        let reconciler = Reconciler { store, session, writer: Writer::Rules, replaced: &[] };
        let Some(mut item) = reconcile::reconcile(&reconciler, finding, None)? else { continue };
        let is_known =
            item.same_as.is_some() || store.memories().with_subject(session.project, item.subject)?.is_some();
        if !is_known && earlier.len() + 1 < SESSIONS {
            continue;
        }
        let times_seen = u32::try_from(earlier.len() + 1).unwrap_or(u32::MAX);
        item.memory.origin.usage =
            Some(UsageHistory { updated_at: one.at, times_seen, times_used: 0, last_used_at: None });
        let item = [item];
        let outcomes = store.memories_mut().write_distilled(session.id, session.distilled_to, &item)?;
        let kept = report.note(&item, &outcomes).into_values().next();
        if let Some(known) = kept {
            *one = one.clone().known_as(known);
        }
    }
    Ok(())
}

/// Returns where other sessions said the same, one sentence each.
fn said_before(
    store: &Store,
    session: &Session,
    one: &Rejected,
) -> Result<BTreeMap<SessionId, Rejection>, StoreError> {
    let mut earlier = BTreeMap::new();
    let Some(fragment) = fragment(&one.text) else { return Ok(earlier) };
    for known in store.rejections().orders_with(session.project, &fragment)? {
        let Some(other) = known.session.filter(|other| *other != session.id) else { continue };
        if is_same(&one.text, &known.text) && is_beside_another(store, one, &known)? {
            earlier.insert(other, known);
        }
    }
    Ok(earlier)
}

/// Whether two sentences ask for the same.
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (without_opening(one), without_opening(other));
    let alike = jaccard(one, other);
    match Assertion::read(one).compared_with(&Assertion::read(other), alike) {
        Agreement::Same => true,
        Agreement::Opposite => false,
        // Where words are bent, or not set apart, the same is hardly said twice in the same words.
        Agreement::Unrelated => !one.is_ascii() && alike_letters(one, other) >= ALIKE_LETTERS,
    }
}

/// Whether the two stand in different messages, or each says itself when it holds: a prompt that is sent in every session is a template.
fn is_beside_another(store: &Store, one: &Rejected, known: &Rejection) -> Result<bool, StoreError> {
    if FoldedSentence::new(&one.text).has(PhraseGroup::Order) {
        return Ok(true);
    }
    let message = |event: Option<EventId>| -> Result<Option<String>, StoreError> {
        let stored = event.map(|event| store.events().get(event)).transpose()?.flatten();
        Ok(stored.and_then(|stored| body_of(&stored.event)).and_then(|body| match body.activity {
            Activity::Prompted { text } | Activity::Interjected { text } => Some(text),
            _ => None,
        }))
    };
    let (Some(here), Some(there)) = (message(one.event)?, message(known.event)?) else { return Ok(false) };
    Ok(jaccard(&here, &there) < NEAR_DUPLICATE)
}

fn finding(one: &Rejected, earlier: &BTreeMap<SessionId, Rejection>) -> Finding {
    let quotes = earlier.values().map(|known| known.text.as_str()).chain([one.text.as_str()]);
    let quotes: Vec<String> = quotes.map(|said| format!("- \"{said}\"")).collect();
    let body = format!("You asked for it in several sessions:\n{}", quotes.join("\n"));
    let title = title_of(without_opening(&one.text));
    let spoken = words(&one.text).collect::<Vec<_>>().join(" ");
    Finding {
        subject: subject("rule", &[spoken.as_bytes()]),
        content: distilled(Kind::Rule, &title, &body, Provenance::User),
        events: one.event.into_iter().chain(earlier.values().filter_map(|known| known.event)).collect(),
        at: one.at,
        again: OnRepeat::Reinforce,
        comparing: Comparing::Assertion(one.text.clone()),
        // Nobody said that it holds for ever: the user decides.
        evidence: EvidenceKind::Hint,
        relates_to: Vec::new(),
    }
}

/// A part of the longest word that its other forms share: without its first letter, which may be a capital, and without its ending.
fn fragment(sentence: &str) -> Option<String> {
    const LETTERS: std::ops::RangeInclusive<usize> = 3..=5;
    let longest = words(sentence).max_by_key(|word| word.chars().count())?;
    let inner: String = longest.chars().skip(1).take(*LETTERS.end()).collect();
    LETTERS.contains(&inner.chars().count()).then_some(inner)
}

/// The share of groups of three letters that two sentences have in common.
fn alike_letters(one: &str, other: &str) -> f64 {
    let groups = |text: &str| -> HashSet<[char; 3]> {
        let letters: Vec<char> = words(text).collect::<Vec<_>>().join(" ").chars().collect();
        letters.windows(3).filter_map(|group| group.try_into().ok()).collect()
    };
    let (one, other) = (groups(one), groups(other));
    let shared = one.intersection(&other).count();
    2.0 * shared as f64 / (one.len() + other.len()).max(1) as f64
}
