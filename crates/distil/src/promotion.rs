//! Makes a fact of a failure that keeps coming back. It is believed no more than the failure: of what is only proposed comes a proposal, and
//! of what is retired nothing (law 6).

use crate::finding::{distilled, subject};
use crate::{DistilReport, should_promote};
use backstory_capture::{Redactor, prepare};
use backstory_memory::{Category, EvidenceKind, Kind, Link, Memory, Relation, Standing};
use backstory_store::{DistilOutcome, DistilledMemory, NewMemory, OnRepeat, Session, Store, StoreError};

/// A failure met three times becomes a fact to know beforehand, with its fix.
pub(super) fn promote(
    store: &mut Store,
    session: &Session,
    written: &[(&DistilledMemory, DistilOutcome)],
    redactor: &Redactor,
    report: &mut DistilReport,
) -> Result<(), StoreError> {
    for (item, outcome) in written {
        let Some(id) = outcome.memory().filter(|_| item.memory.content.kind == Kind::Failure) else {
            continue;
        };
        let recurs = |failure: &Memory| failure.standing.is_live() && should_promote(failure.times_seen);
        let Some(failure) = store.memories().get(id)?.filter(recurs) else { continue };
        let known_failure = fact(item, &failure, redactor);
        let outcomes = store.memories_mut().write_distilled(
            session.id,
            session.distilled_to,
            std::slice::from_ref(&known_failure),
        )?;
        let written = report.note(std::slice::from_ref(&known_failure), &outcomes).into_values().next();
        if let Some(fact) = written {
            store.memories_mut().link(Link { from: fact, relation: Relation::DerivedFrom, to: id })?;
        }
    }
    Ok(())
}

fn fact(item: &DistilledMemory, failure: &Memory, redactor: &Redactor) -> DistilledMemory {
    let known = &failure.content;
    let body = format!("Met {} times. {}", failure.times_seen, known.body);
    let mut content = distilled(Kind::Fact, &known.title, &body, known.provenance.clone());
    content.category = Some(Category("recurring-failure".to_owned()));
    content.facts.clone_from(&known.facts);
    content.files.clone_from(&known.files);
    content.details.clone_from(&known.details);
    let mut memory = NewMemory { content: prepare(content, redactor), ..item.memory.clone() };
    if failure.standing == Standing::Proposed {
        // What proves that it happened again does not prove what is said of it.
        memory.origin.standing = Some((Standing::Proposed, failure.standing_reason));
        memory.origin.evidence = EvidenceKind::Hint;
    }
    DistilledMemory {
        subject: subject("recurring failure", &[&item.subject.0]),
        memory,
        on_repeat: OnRepeat::Replace,
        same_as: None,
        replaces: Vec::new(),
        contradicts: Vec::new(),
    }
}
